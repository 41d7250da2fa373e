/**
 * Calls commands with hostile inputs, and prints a line of JSON for each: the status, and by how
 * much memory grew at its peak. It takes the names of the commands, separated by commas, the sizes
 * (`small` or `full`), and optionally a part of the names of inputs.
 *
 * @module
 */

import type { ByteSink } from "../../lib/cli/context.ts";
import { withFolder } from "../sessions/homes.ts";
import {
  FULL,
  hasAnswered,
  hostileCall,
  hostileInputs,
  SMALL,
} from "./hostile_inputs.ts";
import { call } from "./memory.ts";

/** What became of one call. */
export interface HostileOutcome {
  readonly command: string;
  readonly input: string;
  readonly status: number;
  /** Whether it ended as commands do. */
  readonly hasAnswered: boolean;
  /** By how many MB resident memory grew at its peak. */
  readonly grownMb: number;
  /** By how many it may grow, of the small sizes. */
  readonly mostMb: number;
  readonly seconds: number;
  /** The end of what it said. */
  readonly said: string;
}

const STATUS = "/proc/self/status";
/** Takes what resident memory was at its peak back to what it is now. */
const CLEAR = "/proc/self/clear_refs";

async function megabytes(name: string): Promise<number> {
  const status = await Deno.readTextFile(STATUS);
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) /
    1024;
}

/** Takes everything, and keeps the beginning. */
class Drain implements ByteSink {
  text = "";

  write(bytes: Uint8Array): Promise<number> {
    if (this.text.length < 2_000) {
      this.text += new TextDecoder().decode(bytes.subarray(0, 2_000));
    }
    return Promise.resolve(bytes.length);
  }
}

if (import.meta.main) {
  const [names = "", size = "small", part = ""] = Deno.args;
  const sizes = size === "full" ? FULL : SMALL;
  const inputs = hostileInputs(sizes).filter(({ name }) => name.includes(part));
  for (const command of names.split(",")) {
    for (const [at, input] of [inputs.at(-1), ...inputs].entries()) {
      if (input === undefined) continue;
      await withFolder(async (folder) => {
        const { args, world } = await hostileCall(command, input, {
          sizes,
          folder,
        });
        const stderr = new Drain();
        (globalThis as { gc?: () => void }).gc?.();
        await Deno.writeTextFile(CLEAR, "5");
        const before = await megabytes("VmRSS");
        const started = performance.now();
        const result = await call(args, {
          ...world,
          stdout: new Drain(),
          stderr,
        });
        // The first call only loads the command.
        if (at === 0) return;
        const outcome: HostileOutcome = {
          command,
          input: input.name,
          status: result.status,
          hasAnswered: hasAnswered({ ...result, stderr: stderr.text }),
          grownMb: Math.round(await megabytes("VmHWM") - before),
          mostMb: input.mostMb,
          seconds: Math.round(performance.now() - started) / 1000,
          said: stderr.text.trim().slice(-300),
        };
        await Deno.stdout.write(
          new TextEncoder().encode(`${JSON.stringify(outcome)}\n`),
        );
      });
    }
  }
}

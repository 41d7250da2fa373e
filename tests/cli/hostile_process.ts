/**
 * Calls commands with hostile inputs, and prints a line of JSON for each call: the status, and the
 * growth of memory at its peak. Its arguments are the names of the commands, separated by commas,
 * the sizes (`small` or `full`), and optionally a part of the names of inputs.
 *
 * @module
 */

import type { ByteSink } from "../../lib/cli/context.ts";
import { withFolder } from "../sessions/homes.ts";
import {
  FULL,
  hasAnswered,
  hostileCall,
  type HostileInput,
  hostileInputs,
  type HostileSizes,
  SMALL,
} from "./hostile_inputs.ts";
import { call } from "./memory.ts";

/** The outcome of one call. */
export interface HostileOutcome {
  readonly command: string;
  readonly input: string;
  readonly status: number;
  /** Whether the command ended with an expected status and without an internal error. */
  readonly hasAnswered: boolean;
  /** The growth of resident memory at its peak, in MB. */
  readonly grownMb: number;
  /** The limit on that growth for the small sizes and this command, in MB. */
  readonly limitMb: number;
  readonly seconds: number;
  /** The end of the text on stderr. */
  readonly stderr: string;
}

const STATUS = "/proc/self/status";
/** A write of "5" to this file resets the peak of resident memory to its present size. */
const CLEAR = "/proc/self/clear_refs";

async function megabytes(name: string): Promise<number> {
  const status = await Deno.readTextFile(STATUS);
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) /
    1024;
}

/** Accepts all bytes, and keeps the beginning of their text. */
class Drain implements ByteSink {
  text = "";

  write(bytes: Uint8Array): Promise<number> {
    if (this.text.length < 2_000) {
      this.text += new TextDecoder().decode(bytes.subarray(0, 2_000));
    }
    return Promise.resolve(bytes.length);
  }
}

/**
 * The memory that commands without `--max-line-bytes` may need in addition, in MB. They keep and
 * decode the lines of 32 MB, since a line of a session file may have 256 MB.
 */
const WHOLE_LINE_MB = 180;

/** Calls a command with an input; `homes` is the folder of the homes of all calls. */
async function outcomeOf(
  command: string,
  input: HostileInput,
  { sizes, homes }: { readonly sizes: HostileSizes; readonly homes: string },
): Promise<HostileOutcome> {
  return await withFolder(async (folder) => {
    const { args, world } = await hostileCall(command, input, {
      sizes,
      folder,
      homes,
    });
    const stderr = new Drain();
    (globalThis as { gc?: () => void }).gc?.();
    await Deno.writeTextFile(CLEAR, "5");
    const before = await megabytes("VmRSS");
    const started = performance.now();
    const result = await call(args, { ...world, stdout: new Drain(), stderr });
    const isWhole = /^(?:sessions |watch$)/.test(command);
    return {
      command,
      input: input.name,
      status: result.status,
      hasAnswered: hasAnswered({ ...result, stderr: stderr.text }),
      grownMb: Math.round(await megabytes("VmHWM") - before),
      limitMb: input.limitMb + (isWhole ? WHOLE_LINE_MB : 0),
      seconds: Math.round(performance.now() - started) / 1000,
      stderr: stderr.text.trim().slice(-300),
    };
  });
}

if (import.meta.main) {
  const [names = "", size = "small", part = ""] = Deno.args;
  const sizes = size === "full" ? FULL : SMALL;
  const inputs = hostileInputs(sizes).filter(({ name }) => name.includes(part));
  await withFolder(async (homes) => {
    const calls = { sizes, homes };
    for (const command of names.split(",")) {
      // The first call only loads the command.
      for (const input of inputs.slice(-1)) {
        await outcomeOf(command, input, calls);
      }
      for (const input of inputs) {
        let outcome = await outcomeOf(command, input, calls);
        // Memory that the engine gave back just before may return in a call, in one only.
        if (sizes === SMALL && outcome.grownMb > outcome.limitMb) {
          outcome = await outcomeOf(command, input, calls);
        }
        await Deno.stdout.write(
          new TextEncoder().encode(`${JSON.stringify(outcome)}\n`),
        );
      }
    }
  });
}

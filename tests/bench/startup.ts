/**
 * What it takes to start: the command against an empty script.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { runTimed } from "./measure.ts";
import { columns, type Spread, spreadOf } from "./statistics.ts";

const HERE = new URL(".", import.meta.url);
const ROUNDS = 15;

/** What each command took over what the empty script took in the same round. */
export interface Startup {
  /** What was started. */
  readonly name: string;
  /** The time over that of the empty script. */
  readonly ratio: Spread;
  /** In milliseconds. */
  readonly milliseconds: Spread;
}

/**
 * Starts an empty script and the command in turn.
 *
 * @param signal Ends everything.
 */
export async function measureStartup(signal: AbortSignal): Promise<Startup[]> {
  const flags = config.tasks.codexpipe.command.split(" ")
    .filter((word) => word.startsWith("--"));
  const cli = pathOf("../../cli.ts");
  const line = await Deno.makeTempFile({ suffix: ".jsonl" });
  await Deno.writeTextFile(line, '{"type":"error","message":"m"}\n');
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ["an empty script", ["run", pathOf("rivals/empty.ts")]],
    ["deno eval ''", ["eval", ""]],
    ["codexpipe --version", ["run", ...flags, cli, "--version"]],
    ["codexpipe normalize, one line", [
      "run",
      ...flags,
      cli,
      "normalize",
      line,
    ]],
  ];
  const times = commands.map((): number[] => []);
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [i, [, args]] of commands.entries()) {
        const command = { program: Deno.execPath(), args };
        const { wall, cpu } = await runTimed(command, { signal });
        // The first round warms the caches up.
        if (round > 0) times[i]?.push(cpu ?? wall);
      }
    }
  } finally {
    await Deno.remove(line);
  }
  return commands.map(([name], i) => {
    const own = times[i] ?? [];
    return {
      name,
      ratio: spreadOf(
        own.map((time, round) => time / (times[0]?.[round] ?? NaN)),
      ),
      milliseconds: spreadOf(own.map((time) => 1000 * time)),
    };
  });
}

/** Shows it to people. */
export function toStartupTable(startup: readonly Startup[]): string {
  const rows = [["", "", "cpu", "min-max", "ms"]];
  for (const { name, ratio, milliseconds } of startup) {
    rows.push([
      name,
      "",
      ratio.median.toFixed(2),
      `${ratio.min.toFixed(2)}-${ratio.max.toFixed(2)}`,
      milliseconds.median.toFixed(0),
    ]);
  }
  return `start-up\n\n${columns(rows)}\n`;
}

function pathOf(relative: string): string {
  const path = decodeURIComponent(new URL(relative, HERE).pathname);
  return Deno.build.os === "windows" ? path.slice(1) : path;
}

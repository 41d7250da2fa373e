/**
 * Measures the start of the command against that of an empty script.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { type CommandLine, runTimed } from "./measure.ts";
import { columns, type Spread, spreadOf } from "./statistics.ts";

const HERE = new URL(".", import.meta.url);
const ROUNDS = 15;

/** The times of a command. */
export interface Startup {
  /** The name of the command. */
  readonly name: string;
  /** Its times over those of the empty script in the same round. */
  readonly ratio: Spread;
  /** Its times in milliseconds. */
  readonly milliseconds: Spread;
}

/** A command line, and its name in the table. */
interface NamedCommand extends CommandLine {
  readonly name: string;
}

/** Options for {@linkcode measureStartup}. */
export interface StartupOptions {
  /** Whether executables are made and measured, instead of the sources. */
  readonly isCompiled?: boolean;
  /** Aborts the measurement. */
  readonly signal: AbortSignal;
}

/** Starts an empty script and the commands in turn, and measures each. */
export async function measureStartup(
  { isCompiled = false, signal }: StartupOptions,
): Promise<Startup[]> {
  const folder = await Deno.makeTempDir({ prefix: "codexpipe-bench-" });
  try {
    const line = `${folder}/line.jsonl`;
    await Deno.writeTextFile(line, '{"type":"error","message":"m"}\n');
    const commands = isCompiled
      ? await compiledCommands(folder, line, signal)
      : sourceCommands(line);
    return await measure(commands, signal);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the commands that run from source. */
function sourceCommands(line: string): NamedCommand[] {
  const program = Deno.execPath();
  const flags = config.tasks.codexpipe.command.split(" ")
    .filter((word) => word.startsWith("--"));
  const command = ["run", ...flags, pathOf("../../cli.ts")];
  const empty = pathOf("rivals/empty.ts");
  return [
    { name: "an empty script", program, args: ["run", empty] },
    { name: "deno eval ''", program, args: ["eval", ""] },
    ...codexpipeCommands(program, command, line),
  ];
}

/** Makes executables, and returns the commands that run them. */
async function compiledCommands(
  folder: string,
  line: string,
  signal: AbortSignal,
): Promise<NamedCommand[]> {
  const suffix = Deno.build.os === "windows" ? ".exe" : "";
  const empty = `${folder}/empty${suffix}`;
  const script = pathOf("rivals/empty.ts");
  const config = pathOf("../../deno.json");
  for (
    const args of [
      ["compile", "--quiet", "--no-check", "--output", empty, script],
      ["task", "--config", config, "compile"],
    ]
  ) await runTimed({ program: Deno.execPath(), args }, { signal });
  return [
    { name: "an empty script, compiled", program: empty, args: [] },
    ...codexpipeCommands(pathOf(`../../dist/codexpipe${suffix}`), [], line),
  ];
}

/** A typical run, of 22 lines. */
const RUN = "../../testdata/captures/0.169.0/shellmany/stdout.jsonl";

/** Returns the measured commands: the smallest, `normalize` of one line, and some over a run. */
function codexpipeCommands(
  program: string,
  args: readonly string[],
  line: string,
): NamedCommand[] {
  return [
    { name: "codexpipe --version", program, args: [...args, "--version"] },
    {
      name: "codexpipe normalize, one line",
      program,
      args: [...args, "normalize", line],
    },
    ...["events", "usage", "check", "render"].map((name) => ({
      name: `codexpipe ${name}, a run of 22 lines`,
      program,
      args: [...args, name, pathOf(RUN)],
    })),
  ];
}

async function measure(
  commands: readonly NamedCommand[],
  signal: AbortSignal,
): Promise<Startup[]> {
  const times = commands.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, command] of commands.entries()) {
      const { wall, cpu } = await runTimed(command, { signal });
      // The first round warms up the caches.
      if (round > 0) times[i]?.push(cpu ?? wall);
    }
  }
  return commands.map(({ name }, i) => {
    const seconds = times[i] ?? [];
    return {
      name,
      ratio: spreadOf(
        seconds.map((time, round) => time / (times[0]?.[round] ?? NaN)),
      ),
      milliseconds: spreadOf(seconds.map((time) => 1000 * time)),
    };
  });
}

/** Formats the times as a table. */
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

/**
 * Measures speed and memory, side by side with other programs: `deno task bench --help`.
 *
 * @module
 */

import { parseArgs } from "@std/cli";
import { compare, type Comparison, toTable } from "./comparison.ts";
import { CONTESTANTS, UNIT } from "./contestants.ts";
import { type KindName, KINDS } from "./generator.ts";
import { runMicroCases } from "./micro.ts";
import { measureStartup, toStartupTable } from "./startup.ts";

const HELP = `Measures speed and memory, side by side with other programs.

    deno task bench [OPTIONS]

  --input NAME   only this kind of input: ${Object.keys(KINDS).join(", ")}
  --only NAME    only this program, and ${UNIT}, which is the unit:
                 ${CONTESTANTS.map(({ name }) => name).join(", ")}
  --size SIZE    the size of each input: 500K, 100M (the default), 1G
  --rounds N     the number of timed rounds, after one that warms up: 5 by default
  --seed N       the seed of the inputs: 1 by default
  --json FILE    write the figures to a file, too
  --startup      measure only the start of the command
  --compiled     with --startup: make executables, and measure those
  --micro        measure the parts of the hot path instead, inside this process
  --help         show this

--input and --only may be repeated.
`;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["K", 1e3],
  ["M", 1e6],
  ["G", 1e9],
]);
const SIZE_REGEXP = /^(\d+(?:\.\d+)?)([KMG]?)$/;
const WHOLE_REGEXP = /^\d+$/;

/** Thrown for wrong options on the command line. */
class UsageError extends TypeError {
  override readonly name = "UsageError";
}

const encoder = new TextEncoder();

async function print(text: string): Promise<void> {
  await Deno.stdout.write(encoder.encode(text));
}

/** Shows the current step on a terminal, in one line that each step replaces. */
function progress(text: string): void {
  if (!Deno.stderr.isTerminal()) return;
  Deno.stderr.writeSync(encoder.encode(`\r\x1b[K${text}`));
}

async function main(): Promise<void> {
  const args = parseArgs(Deno.args, {
    boolean: ["compiled", "help", "micro", "startup"],
    string: ["input", "only", "size", "rounds", "seed", "json"],
    collect: ["input", "only"],
    default: { size: "100M", rounds: "5", seed: "1" },
    unknown: (arg) => {
      throw new UsageError(`Cannot use "${arg}": there is no such option`);
    },
  });
  if (args.help) return await print(HELP);
  const seed = whole("seed", args.seed);
  if (args.micro) return await print(`${await runMicroCases(seed)}\n`);
  const interrupt = new AbortController();
  Deno.addSignalListener("SIGINT", () => interrupt.abort());
  const { signal } = interrupt;
  if (args.startup) {
    const options = { isCompiled: args.compiled, signal };
    return await print(toStartupTable(await measureStartup(options)));
  }
  const inputs = chosen("input", args.input, Object.keys(KINDS));
  const only = chosen("only", args.only, CONTESTANTS.map(({ name }) => name));
  const contestants = [];
  const missing: string[] = [];
  for (const contestant of CONTESTANTS) {
    const { name } = contestant;
    if (!only.includes(name) && name !== UNIT) continue;
    progress(`looking for ${name}`);
    if (await contestant.isThere()) contestants.push(contestant);
    else missing.push(name);
  }
  progress("");
  const folder = await Deno.makeTempDir({ prefix: "codexpipe-bench-" });
  const comparisons: Comparison[] = [];
  try {
    await print(
      "Ratios are processor times and wall times over those of JSON.parse alone in the same round; lower\nis better.\n",
    );
    if (missing.length > 0) {
      await print(`Not installed, so left out: ${missing.join(", ")}.\n`);
    }
    for (const input of inputs.filter(isKindName)) {
      const comparison = await compare(input, contestants, {
        seed,
        size: size(args.size),
        rounds: whole("rounds", args.rounds),
        folder,
        signal,
        onProgress: progress,
      });
      progress("");
      comparisons.push(comparison);
      await print(`\n${toTable(comparison, contestants)}`);
    }
    if (only.length === CONTESTANTS.length) {
      progress("start-up");
      const startup = await measureStartup({ signal });
      progress("");
      await print(`\n${toStartupTable(startup)}`);
    }
  } finally {
    progress("");
    await Deno.remove(folder, { recursive: true });
  }
  if (args.json !== undefined) {
    const report = { deno: Deno.version, build: Deno.build, seed, comparisons };
    await Deno.writeTextFile(args.json, `${JSON.stringify(report, null, 2)}\n`);
  }
}

function isKindName(name: string): name is KindName {
  return Object.hasOwn(KINDS, name);
}

function chosen(
  option: string,
  names: readonly string[],
  known: readonly string[],
): readonly string[] {
  for (const name of names) {
    if (!known.includes(name)) {
      throw new UsageError(
        `Cannot use --${option} ${name}: the names are ${known.join(", ")}`,
      );
    }
  }
  return names.length === 0 ? known : names;
}

function size(text = ""): number {
  const [, digits, unit = ""] = SIZE_REGEXP.exec(text) ?? [];
  const factor = UNITS.get(unit);
  if (digits === undefined || factor === undefined) {
    throw new UsageError(
      `Cannot use --size ${text}: expected 500K, 100M or 1G`,
    );
  }
  return Math.ceil(Number(digits) * factor);
}

function whole(option: string, text = ""): number {
  if (!WHOLE_REGEXP.test(text) || Number(text) === 0) {
    throw new UsageError(
      `Cannot use --${option} ${text}: expected a whole number from 1`,
    );
  }
  return Number(text);
}

try {
  await main();
} catch (error) {
  const message = error instanceof UsageError
    ? error.message
    : error instanceof Error
    ? error.stack
    : error;
  await Deno.stderr.write(encoder.encode(`${message}\n`));
  Deno.exitCode = error instanceof UsageError ? 2 : 1;
}

/**
 * Tries what should hold for all input on a lot of damaged input:
 * `deno task fuzz --help`.
 *
 * @module
 */

import { parseArgs } from "@std/cli";
import { fuzzEngines } from "./engines.ts";
import type { FuzzTarget } from "./target.ts";

const TARGETS: readonly FuzzTarget[] = [
  {
    name: "engines",
    about: "WebAssembly answers what TypeScript answers",
    run: fuzzEngines,
  },
];

const HELP = `Tries what should hold for all input on damaged input.

    deno task fuzz [OPTIONS] [TARGET...]

  --count N      how many lines each target is given: 100000 unless given
  --seed N       what they are drawn by: 1 unless given
  --keep FILE    where the input goes that something was wrong with
  --help         show this

Targets, all of them unless some are named:
${TARGETS.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join("\n")}
`;

const encoder = new TextEncoder();

async function print(text: string): Promise<void> {
  await Deno.stdout.write(encoder.encode(text));
}

async function main(): Promise<number> {
  const args = parseArgs(Deno.args, {
    boolean: ["help"],
    string: ["count", "seed", "keep"],
    default: { count: "100000", seed: "1" },
  });
  if (args.help) {
    await print(HELP);
    return 0;
  }
  const names = args._.map(String);
  const unknown = names.find((name) =>
    TARGETS.every((target) => target.name !== name)
  );
  const count = Number(args.count);
  const seed = Number(args.seed);
  if (
    unknown !== undefined || !Number.isSafeInteger(count) || count < 1 ||
    !Number.isSafeInteger(seed)
  ) {
    await print(`Cannot use ${unknown ?? "these numbers"}\n\n${HELP}`);
    return 2;
  }
  const isTerminal = Deno.stderr.isTerminal();
  let status = 0;
  for (const { name, run } of TARGETS) {
    if (names.length > 0 && !names.includes(name)) continue;
    const onProgress = (lines: number): void => {
      if (!isTerminal) return;
      Deno.stderr.writeSync(encoder.encode(`\r\x1b[K${name}: ${lines}`));
    };
    const { lines, note, difference } = await run({ count, seed, onProgress });
    onProgress(lines);
    if (isTerminal) Deno.stderr.writeSync(encoder.encode("\r\x1b[K"));
    if (difference === undefined) {
      const more = note === undefined ? "" : ` (${note})`;
      await print(`${name}: ${lines} lines, nothing wrong${more}\n`);
      continue;
    }
    status = 1;
    const { what, one, other, input } = difference;
    await print(
      `${name}: ${what} differs after ${lines} lines\n  ${one}\n  ${other}\n`,
    );
    if (args.keep !== undefined) await Deno.writeFile(args.keep, input);
  }
  return status;
}

Deno.exitCode = await main();

/**
 * Looks for streams that break a law.
 *
 * `deno task fuzz --lines=1000000 --seed=1 --target=laws` makes streams from captured ones, with
 * that many lines in total, and exits with 1 at the first law that does not hold. The stream is
 * kept in a file, and `--round` with the reported number makes it again. `--keep-going` reports
 * each law once and continues; `--law` selects laws by a part of their names. Without `--target`,
 * all laws are checked, the slow ones with a part of the streams.
 *
 * @module
 */

import { parseArgs } from "@std/cli";
import { COMMAND_LAWS } from "./commands.ts";
import { ENGINE_LAWS } from "./engines.ts";
import type { Law } from "./law.ts";
import { LAWS } from "./laws.ts";
import { roundsOf } from "./rounds.ts";
import { readSeedbeds } from "./seedbeds.ts";
import { SESSION_LAWS } from "./sessions.ts";
import { SNAPSHOT_LAWS } from "./snapshots.ts";

/** The longest time that a law may take for a stream, in milliseconds; more is reported. */
const SLOW = 5_000;

/**
 * The laws, by the names of `--target`. Without `--target`, a law is checked with every stream,
 * every second, every tenth and so on (`every`), so that each target takes its share of the time.
 */
const TARGETS: Readonly<
  Record<string, { readonly laws: readonly Law[]; readonly every: number }>
> = {
  laws: { laws: LAWS, every: 1 },
  engines: { laws: ENGINE_LAWS, every: 2 },
  commands: { laws: COMMAND_LAWS, every: 10 },
  snapshots: { laws: SNAPSHOT_LAWS, every: 10 },
  sessions: { laws: SESSION_LAWS, every: 50 },
};

/** Writes a line on stdout. */
async function say(text: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
}

const unknown: string[] = [];
const args = parseArgs(Deno.args, {
  string: ["lines", "seed", "target", "round", "law"],
  boolean: ["help", "keep-going"],
  unknown: (arg): void => {
    unknown.push(arg);
  },
});
const limit = Number(args.lines ?? 100_000);
const seed = Number(args.seed ?? 1);
const first = Number(args.round ?? 0);
const names = args.target?.split(",") ?? Object.keys(TARGETS);
const isWrong = unknown.length > 0 || !(limit > 0) ||
  !Number.isInteger(seed) || !Number.isInteger(first) ||
  names.some((name) => !Object.hasOwn(TARGETS, name));
if (args.help || isWrong) {
  await say(
    "Usage: deno task fuzz [--lines=NUM] [--seed=NUM] [--round=NUM] [--target=NAME,...] [--law=TEXT] [--keep-going]\n" +
      `A target is one of: ${Object.keys(TARGETS).join(", ")}`,
  );
  if (isWrong) Deno.exitCode = 2;
} else await fuzz();

/** Makes streams, and reports laws that do not hold. */
async function fuzz(): Promise<void> {
  const checks = names.flatMap((name) => {
    const { laws, every } = TARGETS[name] ?? { laws: [], every: 1 };
    return laws.map((law) => ({
      law,
      every: args.target === undefined ? every : 1,
    }));
  }).filter(({ law }) => law.name.includes(args.law ?? ""));
  const seedbeds = readSeedbeds();
  await say(`${names.join(", ")}: ${limit} lines of ${seedbeds.length} files`);
  const broken = new Set<Law>();
  let lines = 0;
  let reported = 0;
  for (
    const { round, length, stream, random } of roundsOf(seedbeds, seed, first)
  ) {
    lines += length;
    for (const { law, every } of checks) {
      if (broken.has(law) || round % every !== 0) continue;
      const started = performance.now();
      let problem: unknown;
      try {
        await law.check(stream, random());
        const took = performance.now() - started;
        if (took > SLOW) problem = `it took ${Math.round(took)} ms`;
      } catch (error) {
        problem = error instanceof Error ? error.stack : error;
      }
      if (problem === undefined) continue;
      broken.add(law);
      const file = await Deno.makeTempFile({ suffix: ".jsonl" });
      await Deno.writeFile(file, stream);
      await say(`round ${round} of seed ${seed}: broken: ${law.name}`);
      await say(String(problem));
      await say(`the stream is kept in ${file}`);
      Deno.exitCode = 1;
    }
    if (lines >= limit || (broken.size > 0 && !args["keep-going"])) break;
    if (lines - reported >= 100_000) {
      reported = lines;
      await say(`${lines} lines`);
    }
  }
  await say(
    broken.size === 0
      ? `${lines} lines, and every law holds`
      : `${lines} lines, and ${broken.size} laws do not hold`,
  );
}

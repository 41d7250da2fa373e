/**
 * Looks for streams that break a law.
 *
 * `deno task fuzz --lines=1000000 --seed=1 --target=laws` makes streams of captured ones until
 * there were so many lines, and ends with 1 at the first law that does not hold; the stream is
 * kept in a file, and the seed in what is said makes it again.
 *
 * @module
 */

import { parseArgs } from "@std/cli";
import { COMMAND_LAWS } from "./commands.ts";
import { ENGINE_LAWS } from "./engines.ts";
import { type Law, LAWS } from "./laws.ts";
import { Mutator, Random, readSeedbeds } from "./mutations.ts";

/** How many lines a stream has at most. */
const MAX_LINES = 60;

/** What can be checked, by name. */
const TARGETS: Readonly<Record<string, readonly Law[]>> = {
  laws: LAWS,
  commands: COMMAND_LAWS,
  engines: ENGINE_LAWS,
};

const args = parseArgs(Deno.args, { string: ["lines", "seed", "target"] });
const limit = Number(args.lines ?? 100_000);
const seed = Number(args.seed ?? 1);
const names = args.target?.split(",") ?? Object.keys(TARGETS);
const laws = names.flatMap((name) => {
  const found = TARGETS[name];
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot fuzz "${name}": expected ${Object.keys(TARGETS).join(", ")}`,
  );
});
if (!(limit > 0) || !Number.isInteger(seed)) {
  throw new TypeError("Cannot count: --lines and --seed take whole numbers");
}

/** Writes a line on stdout. */
async function say(text: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
}

const seedbeds = readSeedbeds();
await say(`${names.join(", ")}: ${limit} lines of ${seedbeds.length} files`);
let lines = 0;
let said = 0;
for (let round = 0; lines < limit; round++) {
  // Each stream has a seed of its own, so that it can be made again by itself.
  const random = new Random(seed * 1_000_003 + round);
  const length = 1 + random.below(MAX_LINES);
  const stream = new Mutator(random, seedbeds).stream(length);
  lines += length;
  for (const law of laws) {
    try {
      await law.check(stream, random);
    } catch (error) {
      const file = await Deno.makeTempFile({ suffix: ".jsonl" });
      await Deno.writeFile(file, stream);
      await say(`round ${round} of seed ${seed}: not so: ${law.name}`);
      await say(String(error instanceof Error ? error.stack : error));
      await say(`the stream is kept in ${file}`);
      Deno.exitCode = 1;
    }
  }
  if (Deno.exitCode !== 0) break;
  if (lines - said >= 100_000) {
    said = lines;
    await say(`${lines} lines`);
  }
}
if (Deno.exitCode === 0) await say(`${lines} lines, and every law holds`);

/**
 * Attacks the command for a number of minutes, and reports failures.
 *
 * `deno task soak --minutes=60 --seed=1` alternates between attacks: fuzzed laws, hostile inputs
 * in full size, an index whose making is killed, an index with flipped bits, and a followed file
 * that is rotated. Each process has a limit on its memory. It exits with 1 if an attack has found
 * a failure. The same seed makes the same attacks.
 *
 * @module
 */

import { parseArgs } from "@std/cli";
import {
  COMMAND_NAMES,
  FULL,
  hostileInputs,
  isReader,
} from "./cli/hostile_inputs.ts";
import type { HostileOutcome } from "./cli/hostile_process.ts";
import { Random } from "./fuzz/random.ts";
import { decode, encode } from "./running.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  writeFile,
} from "./sessions/homes.ts";
import { flipBit } from "./sessions/indexes.ts";

/** The limits of a process, in MB: of the JavaScript heap, and of all memory where it is known. */
const HEAP_MB = 1_536;
const PEAK_MB = 3_072;
/** The number of lines of one fuzzing attack. */
const LINES = 5_000;
const SESSIONS = 60;
/** Matches lines that are too long to be shown whole. */
const LONG = /^(.{500}).+$/gm;
const CLI = new URL("../cli.ts", import.meta.url).href;
const HOSTILE = new URL("./cli/hostile_process.ts", import.meta.url).href;
const FUZZ = new URL("./fuzz/run.ts", import.meta.url).href;

/** Runs one attack; returns the failures that it found. */
type Attack = (random: Random) => Promise<readonly string[]>;

function deno(...words: readonly string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--quiet"],
      `--v8-flags=--max-old-space-size=${HEAP_MB},--expose-gc`,
      ...words,
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

async function fuzz(random: Random): Promise<string[]> {
  const seed = random.below(1_000_000);
  const words = [FUZZ, `--lines=${LINES}`, `--seed=${seed}`, "--keep-going"];
  const { code, stdout, stderr } = await deno(...words).output();
  return code === 0 ? [] : [
    `seed ${seed}: ${decode(stdout)}${decode(stderr)}`.replaceAll(
      LONG,
      "$1…",
    ),
  ];
}

async function hostile(random: Random): Promise<string[]> {
  const command = random.pick(COMMAND_NAMES.filter(isReader)) ?? "";
  const name = random.pick(hostileInputs(FULL).map(({ name }) => name)) ?? "";
  const title = `${command} with ${name}`;
  const { code, stdout, stderr } = await deno(HOSTILE, command, "full", name)
    .output();
  if (code !== 0) {
    return [`${title}: ended with ${code}: ${decode(stderr).slice(0, 300)}`];
  }
  return decode(stdout).trim().split("\n").flatMap((line) => {
    const outcome: HostileOutcome = JSON.parse(line);
    const { hasAnswered, grownMb, status } = outcome;
    return [
      ...(hasAnswered ? [] : [`${title}: status ${status}: ${outcome.stderr}`]),
      ...(grownMb <= PEAK_MB ? [] : [`${title}: ${grownMb} MB`]),
    ];
  });
}

/** Makes a home, and calls `use` with its index and the commands for it. */
async function withHome(
  use: (home: {
    readonly index: string;
    command(...words: string[]): Deno.Command;
    /** Searches the index; returns a problem, or an empty text if every session is found. */
    found(): Promise<string>;
  }) => Promise<string[]>,
): Promise<string[]> {
  let result: string[] = [];
  await withFolder(async (folder) => {
    for (let i = 1; i <= SESSIONS; i++) {
      const started = new Date(Date.UTC(2026, 0, 2, 3, 4, i)).toISOString();
      const message = `elephant ${"word ".repeat(500)}${i}`;
      await writeFile(
        sessionPath(`${folder}/home`, testId(i), started),
        sessionText({ id: testId(i), started, message }),
      );
    }
    const index = `${folder}/index.sqlite`;
    const command = (...words: string[]): Deno.Command =>
      deno(
        ...[CLI, "sessions", ...words],
        ...[`--codex-home=${folder}/home`, `--index=${index}`],
      );
    const found = async (): Promise<string> => {
      const { code, stdout, stderr } = await command(
        ...["search", "elephant", "--limit=1000", "--json"],
      ).output();
      if (code !== 0) return `status ${code}: ${decode(stderr)}`;
      const { hits, makeshift } = JSON.parse(decode(stdout));
      return makeshift === null && hits.length === SESSIONS
        ? ""
        : `${hits.length} of ${SESSIONS}, ${makeshift}: ${decode(stderr)}`;
    };
    result = await use({ index, command, found });
  });
  return result;
}

function kill(random: Random): Promise<string[]> {
  return withHome(async ({ command, found }) => {
    for (let i = 0; i < 3; i++) {
      const child = command("index").spawn();
      const timer = setTimeout(() => {
        try {
          child.kill("SIGKILL");
        } catch {
          // The process has ended before.
        }
      }, 100 + random.below(600));
      await child.output();
      clearTimeout(timer);
    }
    const wrong = await found();
    return wrong === "" ? [] : [`after kills: ${wrong}`];
  });
}

function damage(random: Random): Promise<string[]> {
  return withHome(async ({ index, command, found }) => {
    await command("index").output();
    const { size } = await Deno.stat(index);
    const flips = Array.from({ length: 1 + random.below(3) }, () => ({
      at: random.below(size),
      bit: random.below(8),
    }));
    for (const { at, bit } of flips) await flipBit({ path: index }, at, bit);
    // Each run checks only a part of an index, so damage may be found only after several runs.
    let wrong = "";
    for (let i = 0; i < 5; i++) {
      await command("index").output();
      wrong = await found();
      if (wrong === "") return [];
    }
    return [`after ${JSON.stringify(flips)}: ${wrong}`];
  });
}

async function rotate(random: Random): Promise<string[]> {
  const problems: string[] = [];
  await withFolder(async (folder) => {
    const path = `${folder}/run.jsonl`;
    await Deno.writeTextFile(path, "");
    const child = deno(
      ...[CLI, "normalize", "--follow", "--line-buffered", "--thread-id=t"],
      path,
    )
      .spawn();
    let text = "";
    const reading = child.stdout.pipeTo(
      new WritableStream({
        write(chunk): void {
          text += decode(chunk);
        },
      }),
    );
    const errors = new Response(child.stderr).text();
    const lineOf = (name: string): string =>
      `{"type":"item.completed","item":{"id":"${name}","type":"agent_message","text":"x"}}\n`;
    for (let i = 0; i < 30; i++) {
      const name = `n${i}`;
      switch (random.below(4)) {
        case 0:
          await Deno.rename(path, `${path}.${i}`).catch(() => {});
          break;
        case 1:
          await Deno.remove(path).catch(() => {});
          break;
        case 2:
          await Deno.writeTextFile(path, "");
          break;
      }
      await Deno.writeFile(path, encode(lineOf(name)), { append: true });
      await new Promise((resolve) => setTimeout(resolve, random.below(120)));
    }
    // The last line must be read in the end.
    const until = performance.now() + 10_000;
    while (!text.includes('"n29"') && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (!text.includes('"n29"')) problems.push("the last line was not read");
    child.kill("SIGINT");
    const { code } = await child.status;
    await reading;
    if (code !== 130) problems.push(`ended with ${code}: ${await errors}`);
    for (const line of text.trim().split("\n")) {
      if (!/^\{"type":"item\.completed".*\}$/.test(line)) {
        problems.push(`printed ${line.slice(0, 200)}`);
      }
    }
  });
  return problems;
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  "fuzzed laws": fuzz,
  "hostile inputs in full size": hostile,
  "an index whose making is killed": kill,
  "an index with flipped bits": damage,
  "a followed file that is rotated": rotate,
};

async function say(text: string): Promise<void> {
  await Deno.stdout.write(encode(`${text}\n`));
}

const unknown: string[] = [];
const args = parseArgs(Deno.args, {
  string: ["minutes", "seed", "attack"],
  boolean: ["help"],
  unknown: (arg): void => {
    unknown.push(arg);
  },
});
const minutes = Number(args.minutes ?? 60);
const seed = Number(args.seed ?? 1);
const names = Object.keys(ATTACKS).filter((name) =>
  name.includes(args.attack ?? "")
);
const isWrong = unknown.length > 0 || !(minutes > 0) ||
  !Number.isInteger(seed) || names.length === 0;
if (args.help || isWrong) {
  await say(
    "Usage: deno task soak [--minutes=NUM] [--seed=NUM] [--attack=NAME]\n" +
      `A NAME is, or is part of: ${Object.keys(ATTACKS).join(", ")}`,
  );
  if (isWrong) Deno.exitCode = 2;
} else await soak();

/** Runs the attacks in turn, and reports their failures. */
async function soak(): Promise<void> {
  const summary = new Map(
    names.map((name) => [name, { times: 0, failed: 0, seconds: 0 }]),
  );
  const end = performance.now() + minutes * 60_000;
  for (let round = 0; performance.now() < end; round++) {
    for (const [place, name] of names.entries()) {
      const counts = summary.get(name);
      const attack = ATTACKS[name];
      if (counts === undefined || attack === undefined) continue;
      if (performance.now() >= end) break;
      const started = performance.now();
      const random = new Random((seed * 1_000_003 + round) * 7 + place);
      const problems = await attack(random);
      counts.times += 1;
      counts.failed += problems.length === 0 ? 0 : 1;
      counts.seconds += (performance.now() - started) / 1_000;
      for (const problem of problems) {
        await say(`round ${round}: ${name}: ${problem}`);
      }
    }
  }
  await say(`${minutes} minutes with the seed ${seed}:`);
  for (const [name, { times, failed, seconds }] of summary) {
    await say(
      `  ${name}: ${times} times in ${seconds.toFixed()} s, ${failed} failed`,
    );
  }
  const hasFailed = [...summary.values()].some(({ failed }) => failed > 0);
  if (hasFailed) Deno.exitCode = 1;
}

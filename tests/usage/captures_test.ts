/** The usage of captured streams and session files, compared with a table of totals. */

import { assert, assertEquals } from "@std/assert";
import { zstdDecompressSync } from "node:zlib";
import { namesIn, readFixture, readJsonl } from "../fixtures.ts";
import { groupUsage, type RunCounters } from "../../lib/usage/usage.ts";
import type { Failure } from "../../lib/outcome.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { normalizeBytes } from "../running.ts";
import { metered, type MeterInput, numbersOf, totalOf } from "./meters.ts";

/** The usage of a scenario, counted from one kind of file. */
interface Expected {
  readonly threads: number;
  readonly turns: number;
  /** Input, cached, cache write, output, reasoning. */
  readonly tokens: readonly number[];
}

/** A row of the table. */
interface Row {
  /** The folder below `testdata/captures/`. */
  readonly capture: string;
  /** Counted from the exec streams; null if they have no counts. */
  readonly exec: Expected | null;
  /** Counted from the session files; null if they have no counts. */
  readonly files: Expected | null;
  /** The `runCounters` option that the exec streams need, where they do not show which is right. */
  readonly counters?: RunCounters;
  /** The reason why `exec` and `files` differ, where more than the reasoning tokens differ. */
  readonly why?: string;
}

const TABLE = "usage/totals.jsonl";
/** `deno task golden` writes the table anew; review its diff. */
const UPDATE = Deno.args.includes("--update");

const rows = readJsonl(TABLE) as Row[];

/** The files of a scenario whose names match, in the order in which they were written. */
function inputsOf(capture: string, nameRegexp: RegExp): MeterInput[] {
  return namesIn(`captures/${capture}/`).filter((name) => nameRegexp.test(name))
    .map((name) => {
      const bytes = readFixture(`captures/${capture}/${name}`);
      return {
        name,
        content: name.endsWith(".zst")
          ? new Uint8Array(zstdDecompressSync(bytes))
          : bytes,
      };
    });
}

const EXEC_REGEXP = /^stdout.*\.jsonl$/;
const FILE_REGEXP = /^(?:archived-)?rollout-.*\.jsonl(?:\.zst)?$/;

function usageOf(
  inputs: readonly MeterInput[],
  runCounters: RunCounters = "auto",
): Expected | null {
  const failures: Failure[] = [];
  const meter = metered(inputs, { runCounters }, failures);
  const [group] = groupUsage(meter.rows(), []);
  if (group === undefined) return null;
  const { threads, turns, tokens } = group;
  return { threads, turns, tokens: numbersOf(tokens) };
}

if (UPDATE) {
  const known = new Map(rows.map((row) => [row.capture, row]));
  const lines = namesIn("captures/").flatMap((version) =>
    namesIn(`captures/${version}/`).map((scenario) => {
      const capture = `${version}/${scenario}`;
      const { counters, why } = known.get(capture) ?? {};
      return JSON.stringify({
        capture,
        exec: usageOf(inputsOf(capture, EXEC_REGEXP), counters),
        files: usageOf(inputsOf(capture, FILE_REGEXP)),
        counters,
        why,
      });
    })
  );
  Deno.writeTextFileSync(
    new URL(`../../testdata/${TABLE}`, import.meta.url),
    `${lines.join("\n")}\n`,
  );
}

const byVersion = Map.groupBy(rows, ({ capture }) => capture.split("/")[0]);

for (const [version, rows] of byVersion) {
  Deno.test(`UsageMeter counts the usage of the captures of Codex ${version}`, () => {
    for (const { capture, exec, files, counters } of rows) {
      const streams = inputsOf(capture, EXEC_REGEXP);
      assertEquals(usageOf(streams, counters), exec, `${capture}: streams`);
      const sessions = inputsOf(capture, FILE_REGEXP);
      assertEquals(usageOf(sessions), files, `${capture}: files`);
      // In any order of the files.
      assertEquals(
        usageOf(streams.toReversed(), counters),
        exec,
        `${capture}: streams from the last one on`,
      );
      assertEquals(
        usageOf(sessions.toReversed())?.tokens,
        files?.tokens,
        `${capture}: files from the last one on`,
      );
    }
  });

  Deno.test(`UsageMeter derives the totals of Codex ${version} from its lines`, () => {
    for (const { capture, counters = "auto" } of rows) {
      const inputs = inputsOf(capture, /\.jsonl$/);
      const meter = metered(
        inputs,
        { explain: true, runCounters: counters },
        [],
      );
      const sums = [0, 0, 0, 0, 0];
      for (const { counted, tokens } of meter.derivations()) {
        const numbers = numbersOf(tokens);
        assert(counted || numbers.every((number) => number === 0), capture);
        numbers.forEach((number, i) => sums[i] = (sums[i] ?? 0) + number);
      }
      const total = totalOf(meter);
      assertEquals(total.length === 0 ? [0, 0, 0, 0, 0] : total, sums, capture);
    }
  });
}

Deno.test("UsageMeter counts the same in a captured file and in its normalized form", () => {
  for (
    const { path, bytes } of readCapturedFiles(/^(?:stdout|rollout).*\.jsonl$/)
  ) {
    const counted = (content: Uint8Array): unknown =>
      metered([{ name: path, content }], {}, []).rows();
    const normalized = normalizeBytes([bytes], { from: "auto" });
    assertEquals(counted(normalized), counted(bytes), path);
  }
});

Deno.test("every capture is in the table of totals", () => {
  const captures = namesIn("captures/").flatMap((version) =>
    namesIn(`captures/${version}/`).map((scenario) => `${version}/${scenario}`)
  );
  assertEquals(rows.map(({ capture }) => capture).sort(), captures.sort());
});

Deno.test("UsageMeter counts a thread once that has both a stream and a session file", () => {
  for (const { capture, exec, files } of rows) {
    // Streams of 0.36 and 0.42 name no thread, so that no file can be matched with them; where
    // streams or files have no counts, no token can be counted twice.
    if (exec === null || files === null || /^0\.(?:36|42)\.0\//.test(capture)) {
      continue;
    }
    const both = [
      ...inputsOf(capture, EXEC_REGEXP),
      ...inputsOf(capture, FILE_REGEXP),
    ];
    assertEquals(usageOf(both), files, capture);
    assertEquals(usageOf([...both, ...both]), files, `${capture} twice`);
  }
});

Deno.test("the table of totals has a reason for each stream that differs from its file", () => {
  const unexplained = rows.filter(({ exec, files, why }) => {
    const [input, cached, , output] = exec?.tokens ?? [];
    const isSame = exec === null && files === null ||
      files?.tokens[0] === input && files?.tokens[1] === cached &&
        files?.tokens[3] === output;
    return !isSame && why === undefined;
  }).map(({ capture }) => capture);
  assertEquals(unexplained, []);
});

/** The number of requests that the mock model answered, each with the same usage. */
const REQUESTS = [
  { name: "0.42.0-backtrack", files: 2, requests: 6 },
  { name: "0.42.0-review", files: 1, requests: 3 },
  { name: "0.61.0-backtrack", files: 2, requests: 6 },
  { name: "0.61.0-review", files: 2, requests: 3 },
  { name: "0.72.0-resume", files: 1, requests: 2 },
  { name: "0.72.0-review", files: 2, requests: 1 },
  { name: "0.98.0-fork", files: 2, requests: 4 },
  { name: "0.150.0-resume-fork", files: 2, requests: 4 },
] satisfies { name: string; files: number; requests: number }[];

for (const { name, files, requests } of REQUESTS) {
  Deno.test(`UsageMeter counts each request of a home once: ${name}`, () => {
    const folder = `usage/sessions/${name}/`;
    const inputs = namesIn(folder).map((name) => ({
      name,
      content: readFixture(folder + name),
    }));
    assertEquals(inputs.length, files);
    const expected = [1200, 1024, 0, 60, 20].map((count) => count * requests);
    assertEquals(totalOf(metered(inputs)), expected);
    assertEquals(totalOf(metered(inputs.toReversed())), expected);
  });
}

Deno.test("UsageMeter counts a review once, from any one of the files that hold it", () => {
  const folder = "usage/sessions/0.61.0-review/";
  for (const name of namesIn(folder)) {
    const content = readFixture(folder + name);
    const isReviewer = new TextDecoder().decode(content).includes(
      '"subagent":"review"',
    );
    const requests = isReviewer ? 1 : 3;
    assertEquals(totalOf(metered([{ name, content }]))[0], 1200 * requests);
  }
});

/** Groups of rows and their sums. */

import { assertEquals } from "@std/assert";
import { tokensOf } from "../../lib/usage/tokens.ts";
import {
  groupUsage,
  type UsageKey,
  type UsageRow,
} from "../../lib/usage/usage.ts";

function row(input: number, fields: Partial<UsageRow> = {}): UsageRow {
  return {
    ...tokensOf((kind) => kind === "input_tokens" ? BigInt(input) : 0n),
    source: "f",
    thread_id: "t",
    parent_thread_id: null,
    turn_id: "1",
    model: "m",
    cwd: "/w",
    day: "2026-11-20",
    ...fields,
  };
}

/** The groups as lists: the values of their keys, threads, turns, input tokens. */
function grouped(
  rows: readonly UsageRow[],
  by: readonly UsageKey[],
): unknown[][] {
  const columns: Record<UsageKey, keyof UsageRow> = {
    turn: "turn_id",
    thread: "thread_id",
    model: "model",
    day: "day",
    cwd: "cwd",
  };
  return groupUsage(rows, by).map(({ row, threads, turns, tokens }) => [
    ...by.map((key) => row[columns[key]]),
    threads,
    turns,
    Number(tokens.input_tokens),
  ]);
}

const ROWS = [
  row(1, { day: null }),
  row(2, { day: "2026-11-21", turn_id: "2" }),
  row(4, { thread_id: "s", model: "b", cwd: "/a" }),
  row(8, { thread_id: "s", model: null, turn_id: "2" }),
];

/** The same folder, as an editor, the command and newer releases spell it. */
const SPELLINGS = ["c:\\w\\App", "C:\\w\\App", "\\\\?\\C:\\w\\App"];

Deno.test("groupUsage() groups the spellings of a folder of Windows", () => {
  const rows = SPELLINGS.map((cwd, at) => row(1, { cwd, thread_id: `${at}` }));
  assertEquals(grouped(rows, ["cwd"]), [[SPELLINGS[0], 3, 3, 3]]);
  const unlike = ["/w/App", "/w/app"].map((cwd) => row(1, { cwd }));
  assertEquals(grouped(unlike, ["cwd"]).length, 2);
});

const CASES = [
  { by: [], expected: [[2, 4, 15]] },
  { by: ["thread"], expected: [["t", 1, 2, 3], ["s", 1, 2, 12]] },
  {
    by: ["turn"],
    expected: [["1", 1, 1, 1], ["2", 1, 1, 2], ["1", 1, 1, 4], ["2", 1, 1, 8]],
  },
  {
    by: ["day"],
    expected: [["2026-11-20", 1, 2, 12], ["2026-11-21", 1, 1, 2], [
      null,
      1,
      1,
      1,
    ]],
  },
  {
    by: ["model"],
    expected: [["b", 1, 1, 4], ["m", 1, 2, 3], [null, 1, 1, 8]],
  },
  { by: ["cwd"], expected: [["/a", 1, 1, 4], ["/w", 2, 3, 11]] },
  {
    by: ["cwd", "day"],
    expected: [
      ["/a", "2026-11-20", 1, 1, 4],
      ["/w", "2026-11-20", 1, 1, 8],
      ["/w", "2026-11-21", 1, 1, 2],
      ["/w", null, 1, 1, 1],
    ],
  },
] satisfies { by: UsageKey[]; expected: unknown[][] }[];

for (const { by, expected } of CASES) {
  Deno.test(`groupUsage() sums up by ${by.join(" and ") || "nothing"}`, () => {
    assertEquals(grouped(ROWS, by), expected);
  });
}

Deno.test("groupUsage() separates threads of different sources whose ids are missing or synthetic", () => {
  for (const thread_id of [null, "synthetic-thread-1"]) {
    const rows = [row(1, { thread_id }), row(2, { thread_id, source: "g" })];
    assertEquals(groupUsage(rows, ["thread"]).length, 2);
    assertEquals(groupUsage(rows, [])[0]?.threads, 2);
  }
});

Deno.test("groupUsage() counts a turn with several rows once", () => {
  const [group] = groupUsage([row(1), row(2, { model: "n" })], ["turn"]);
  assertEquals([group?.turns, group?.rows.length], [1, 2]);
});

Deno.test("groupUsage() returns no group for no rows", () => {
  assertEquals(groupUsage([], []), []);
});

/** Reading of snapshots in both layouts, with vectors and handmade values. */

import { assertEquals, assertThrows } from "@std/assert";
import { readRecord, readSnapshot } from "../../lib/history/code_layout.ts";
import { RecordStore } from "../../lib/history/record_store.ts";
import {
  HistorySnapshotError,
  isSnapshotLike,
} from "../../lib/history/snapshot.ts";
import { equalJson, namesIn, readJson } from "../fixtures.ts";

interface CompatVector {
  readonly pairs: readonly { readonly code: unknown; readonly seed: unknown }[];
}

function assertJson(actual: unknown, expected: unknown): void {
  if (!equalJson(actual, expected)) assertEquals(actual, expected);
}

for (const name of namesIn("vectors/history-compat/")) {
  Deno.test(`readRecord() reads both layouts of ${name}`, () => {
    const { pairs } = readJson<CompatVector>(`vectors/history-compat/${name}`);
    for (const { code, seed } of pairs) {
      assertJson(readRecord(code), seed);
      assertJson(readRecord(seed), seed);
      // Unknown fields are kept in both layouts.
      const [[type, fields] = ["", {}]] = Object.entries(Object(code));
      const later = { [type]: { ...Object(fields), later: [1] } };
      const { payload, ...rest } = Object(seed);
      const kept = { ...rest, payload: { ...payload, later: [1] } };
      assertJson(readRecord(later), kept);
      assertJson(readRecord(kept), kept);
    }
  });
}

/** Values of the wild layout that no vector has, and the paths and values they are read as. */
const REWRITTEN = [
  ...[
    ["Dash", "-"],
    [{ Numbered: 3 }, "3."],
    [{ Custom: "x" }, "x"],
  ].map(([marker, expected]) => ({
    code: {
      Reasoning: {
        id: 1,
        sections: [{
          summary: [],
          blocks: [{ Bullet: { indent: 0, marker, spans: [] } }],
        }],
      },
    },
    path: ["sections", 0, "blocks", 0, "marker"],
    expected,
  })),
  ...[
    ["LightBulb", "light_bulb"],
    [{ Custom: "x" }, { custom: "x" }],
  ].map(([icon, expected]) => ({
    code: {
      PlanUpdate: {
        id: 1,
        name: "n",
        icon,
        progress: { completed: 0, total: 0 },
        steps: [],
      },
    },
    path: ["icon"],
    expected,
  })),
  ...[
    [{ Search: { query: "q", path: "p" } }, "q p"],
    [{ List: { path: null } }, "./"],
    [{ Read: { display_path: "a" } }, "a"],
    [{ Count: { target: "a" } }, "a"],
    [{ Command: { display: "a" } }, "a"],
    [{ Fallback: { text: "a" } }, "a"],
  ].map(([summary, expected]) => ({
    code: {
      Explore: {
        id: 1,
        entries: [{ action: "Run", summary, status: "Success" }],
      },
    },
    path: ["entries", 0, "command", 0],
    expected,
  })),
  // An entry without a summary has nothing that replaces its action.
  {
    code: {
      Explore: { id: 1, entries: [{ action: "Run", status: "Success" }] },
    },
    path: ["entries", 0, "action"],
    expected: "Run",
  },
];

for (const { code, path, expected } of REWRITTEN) {
  Deno.test(`readRecord() reads ${JSON.stringify(code)}`, () => {
    const value = path.reduce<unknown>(
      (holder, key) => Object(holder)[key],
      readRecord(code).payload,
    );
    assertEquals(value, expected);
  });
}

Deno.test("readSnapshot() keeps the snapshots of the vectors unchanged", () => {
  for (const name of namesIn("vectors/history/")) {
    const { expect_snapshot: snapshot } = readJson<
      { expect_snapshot: unknown }
    >(
      `vectors/history/${name}`,
    );
    assertJson(readSnapshot(snapshot), snapshot);
    assertJson(
      RecordStore.restore(readSnapshot(snapshot), { exact: true }).snapshot(),
      snapshot,
    );
  }
});

Deno.test("readSnapshot() keeps unknown members, and fills in absent ones", () => {
  const snapshot = JSON.parse(`{
    "records": [
      {"id": 3, "type": "hologram", "payload": {"__proto__": 1}, "seen": true},
      {"Hologram": {"id": 4, "depth": 2}},
      {"id": 5, "type": "notice", "payload": {"color": "red"}}
    ],
    "later": {"__proto__": 2},
    "__proto__": 3
  }`);
  assertEquals(
    JSON.stringify(readSnapshot(snapshot)),
    '{"records":[' +
      '{"id":3,"type":"hologram","payload":{"__proto__":1},"seen":true},' +
      '{"id":4,"type":"hologram","payload":{"depth":2}},' +
      '{"id":5,"type":"notice","payload":{"title":null,"body":[],"color":"red"}}' +
      '],"next_id":6,"exec_call_lookup":{},"tool_call_lookup":{},' +
      '"stream_lookup":{},"later":{"__proto__":2},"__proto__":3}',
  );
});

const EXPLORE = { Explore: { id: 1, entries: [] } };
const REASONING = { Reasoning: { id: 2, in_progress: false, sections: [] } };
const TOOL = {
  RunningTool: {
    id: 3,
    title: "t",
    call_id: "c",
    started_at: { secs_since_epoch: 1, nanos_since_epoch: 999_999_999 },
    arguments: [],
    wait_cap_ms: null,
    wait_has_target: false,
    wait_has_call_id: false,
  },
};

Deno.test("readSnapshot() derives trailing for the wild layout", () => {
  const trailingOf = (records: readonly unknown[]): unknown => {
    const [first] = readSnapshot({ records }).records;
    return first !== undefined && "trailing" in first.payload &&
      first.payload.trailing;
  };
  assertEquals(trailingOf([EXPLORE, REASONING]), true);
  assertEquals(trailingOf([EXPLORE, REASONING, TOOL]), false);
});

Deno.test("readSnapshot() keeps the call ids of tools in the lookups", () => {
  const { tool_call_lookup } = readSnapshot({ records: [TOOL], next_id: 4 });
  assertEquals(tool_call_lookup, { c: 3 });
  const lookup = { c: 9 };
  assertEquals(
    readSnapshot({ records: [TOOL], exec_call_lookup: lookup })
      .tool_call_lookup,
    {},
  );
});

Deno.test("readSnapshot() adds only records of commands to the lookup of commands", () => {
  const segments = [{ call_id: "c" }];
  const lookupOf = (type: string) =>
    readSnapshot({ records: [TOOL, { id: 1, type, payload: { segments } }] })
      .exec_call_lookup;
  assertEquals(lookupOf("merged_exec"), { c: 1 });
  assertEquals(lookupOf("merged"), {});
});

Deno.test("readSnapshot() reads a history in its wrappers", () => {
  const history = { records: [TOOL], next_id: 4, order: [], order_debug: [] };
  const plain = readSnapshot(history);
  const line = { ts: "…", kind: "history_snapshot", history };
  const session = { id: "s", history_snapshot: history };
  assertEquals(readSnapshot(line), plain);
  assertEquals(readSnapshot(session), plain);
  assertEquals([line, session, history, {}, []].map(isSnapshotLike), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

const DURATIONS = [
  { name: "milliseconds", duration: 62500 },
  { name: "ISO 8601", duration: "PT1M2.5S" },
  { name: "seconds and nanoseconds", duration: { secs: 62, nanos: 5e8 } },
] satisfies { name: string; duration: unknown }[];

for (const { name, duration } of DURATIONS) {
  Deno.test(`readRecord() reads a duration: ${name}`, () => {
    const tool = { status: "Success", title: "t", arguments: [] };
    const { payload } = readRecord({ ToolCall: { id: 1, ...tool, duration } });
    assertEquals("duration_ms" in payload && payload.duration_ms, 62500);
    const seed = { ...tool, status: "success", duration_ms: duration };
    const record = readRecord({ id: 1, type: "tool_call", payload: seed });
    assertEquals(record.payload, payload);
  });
}

Deno.test("readRecord() converts times to UTC, truncated to milliseconds", () => {
  const timeOf = (created_at: unknown): unknown => {
    const { payload } = readRecord({
      id: 1,
      type: "assistant_message",
      payload: { markdown: "m", created_at },
    });
    return "created_at" in payload && payload.created_at;
  };
  const time = "2025-10-01T12:00:00.999Z";
  assertEquals(timeOf("2025-10-01T14:00:00.9999+02:00"), time);
  assertEquals(timeOf("2025-10-01t12:00:00.999z"), time);
  assertEquals(
    timeOf({ secs_since_epoch: 1759320000, nanos_since_epoch: 999_999_999 }),
    time,
  );
  assertEquals(timeOf("yesterday"), "yesterday");
});

Deno.test("readRecord() adds up tokens without a total (A.0b)", () => {
  const { payload } = readRecord({
    AssistantMessage: {
      id: 1,
      markdown: "m",
      created_at: "",
      token_usage: { input_tokens: 1, output_tokens: 2 },
    },
  });
  assertEquals(
    "token_usage" in payload && payload.token_usage,
    { prompt: 1, completion: 2, total: 3 },
  );
});

const MISTAKES = [
  { name: "a number in place of a snapshot", value: 3, path: "" },
  {
    name: "a snapshot without records",
    value: { next_id: 1 },
    path: "records",
  },
  {
    name: "a number in place of a record",
    value: { records: [1] },
    path: "records[0]",
  },
  {
    name: "an unknown word",
    value: {
      records: [{ id: 1, type: "patch", payload: { event: "torn" } }],
    },
    path: "records[0].payload.event",
  },
  {
    name: "an unknown word of the wild layout",
    value: {
      history_snapshot: { records: [{ Exec: { id: 1, action: "Fly" } }] },
    },
    path: "history_snapshot.records[0].payload.action",
  },
  {
    name: "an id that is a string",
    value: { records: [{ id: "1", type: "x", payload: {} }] },
    path: "records[0].id",
  },
  {
    name: "a lookup of strings",
    value: { records: [], stream_lookup: { s: "1" } },
    path: "stream_lookup.s",
  },
  {
    name: "a lookup of an id that no record can have",
    value: { records: [], tool_call_lookup: { c: -1 } },
    path: "tool_call_lookup.c",
  },
  {
    name: "an id beyond the numbers",
    value: JSON.parse('{"records":[],"next_id":1e400}'),
    path: "next_id",
  },
  {
    name: "an offset before the output",
    value: {
      records: [{
        Exec: {
          id: 1,
          action: "Run",
          status: "Running",
          stdout_chunks: [{ offset: -1, content: "" }],
        },
      }],
    },
    path: "records[0].payload.stdout_chunks[0].offset",
  },
  {
    name: "a bullet that is indented by less than nothing",
    value: {
      records: [{
        Reasoning: {
          id: 1,
          sections: [{
            blocks: [{ Bullet: { indent: -1, marker: "Dash", spans: [] } }],
          }],
        },
      }],
    },
    path: "records[0].payload.sections[0].blocks[0].indent",
  },
  {
    name: "a diff line without its text",
    value: {
      records: [{
        id: 1,
        type: "diff",
        payload: { hunks: [{ header: "@@", lines: [{ kind: "added" }] }] },
      }],
    },
    path: "records[0].payload.hunks[0].lines[0].text",
  },
  ...[
    { record: { Loading: 3 }, path: "" },
    { record: { Hologram: { depth: 2 } }, path: ".id" },
    { record: { Explore: { id: 1, entries: 5 } }, path: ".payload.entries" },
    {
      record: { Explore: { id: 1, entries: [5] } },
      path: ".payload.entries[0]",
    },
    {
      record: { Patch: { id: 1, patch_type: "ApplySuccess", changes: 5 } },
      path: ".payload.changes",
    },
    {
      record: {
        Patch: { id: 1, patch_type: "ApplySuccess", changes: { a: null } },
      },
      path: ".payload.changes.a",
    },
    {
      record: {
        Patch: {
          id: 1,
          patch_type: "ApplySuccess",
          changes: { a: { update: null } },
        },
      },
      path: ".payload.changes.a.type",
    },
    {
      record: { Reasoning: { id: 1, sections: [{ blocks: [5] }] } },
      path: ".payload.sections[0].blocks[0]",
    },
    {
      record: {
        AssistantMessage: {
          id: 1,
          markdown: "m",
          created_at: { secs_since_epoch: "1", nanos_since_epoch: 0 },
        },
      },
      path: ".payload.created_at",
    },
  ].map(({ record, path }) => ({
    name: JSON.stringify(record),
    value: { records: [record] },
    path: `records[0]${path}`,
  })),
] satisfies { name: string; value: unknown; path: string }[];

for (const { name, value, path } of MISTAKES) {
  Deno.test(`readSnapshot() refuses ${name}`, () => {
    const error = assertThrows(() => readSnapshot(value), HistorySnapshotError);
    assertEquals(error.path, path);
  });
}

Deno.test("HistorySnapshotError quotes only the beginning of a text", () => {
  const event = "x".repeat(1000);
  const error = assertThrows(
    () => readRecord({ id: 1, type: "patch", payload: { event } }),
    HistorySnapshotError,
  );
  assertEquals(error.message.length < 250, true);
});

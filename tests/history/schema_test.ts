/** Holds the schemas of histories to the vectors, and to what a store answers with. */

import { assertEquals } from "@std/assert";
import * as v from "valibot";
import { readRecord, readSnapshot } from "../../lib/history/code_layout.ts";
import { RecordStore } from "../../lib/history/record_store.ts";
import { HISTORY_SCHEMAS } from "../../lib/history/schema.ts";
import { namesIn, readFixture } from "../fixtures.ts";

function read<T>(path: string): T {
  return JSON.parse(new TextDecoder().decode(readFixture(path)));
}

/** Says what a schema has against a value. */
function complaints(
  schema: v.GenericSchema<unknown, unknown>,
  value: unknown,
): string[] {
  const result = v.safeParse(schema, value);
  return (result.issues ?? []).map((issue) =>
    `${v.getDotPath(issue) ?? ""}: ${issue.message}`
  );
}

Deno.test("HistorySnapshotSchema admits what the vectors expect", () => {
  for (const name of namesIn("vectors/history/")) {
    const { expect_snapshot } = read<{ expect_snapshot: unknown }>(
      `vectors/history/${name}`,
    );
    assertEquals(
      complaints(HISTORY_SCHEMAS.HistorySnapshot, expect_snapshot),
      [],
      name,
    );
  }
});

Deno.test("AnyHistoryRecordSchema admits records of both layouts that were read", () => {
  for (const name of namesIn("vectors/history-compat/")) {
    const { pairs } = read<{ pairs: { code: unknown; seed: unknown }[] }>(
      `vectors/history-compat/${name}`,
    );
    for (const { code, seed } of pairs) {
      assertEquals(
        complaints(HISTORY_SCHEMAS.AnyHistoryRecord, seed),
        [],
        name,
      );
      assertEquals(
        complaints(HISTORY_SCHEMAS.AnyHistoryRecord, readRecord(code)),
        [],
      );
    }
  }
});

Deno.test("HistoryMutationSchema admits every mutation of a store", () => {
  const store = new RecordStore({ limits: { streamBytes: 4 } });
  const at = "2025-10-01T12:00:00.000Z";
  const mutations = [
    ...store.push({ type: "hologram", payload: { depth: 3 } }),
    ...store.startExec({
      callId: "c",
      command: ["x"],
      parsed: [],
      action: "run",
      startedAt: at,
    }),
    ...store.streamExec(1, { stderr: { offset: 0, content: "abc" } }),
    ...store.finishExec({
      callId: "c",
      status: "error",
      exitCode: null,
      completedAt: at,
      stdoutTail: "é",
      stderrTail: "def",
    }),
    ...store.upsertAssistant({ streamId: "s", preview: "", at }),
    ...store.upsertAssistant({
      streamId: "s",
      preview: "a",
      delta: { delta: "a", sequence: 0, received_at: at },
      at,
    }),
    ...store.finalizeAssistant({ streamId: "s", markdown: "a", at }),
    ...store.truncateAfter(1),
  ];
  assertEquals(mutations.map(({ type }) => type), [
    "inserted",
    "inserted",
    "appended",
    "replaced",
    "inserted",
    "appended",
    "removed",
    "inserted",
    "truncated",
  ]);
  for (const mutation of mutations) {
    assertEquals(complaints(HISTORY_SCHEMAS.HistoryMutation, mutation), []);
  }
  assertEquals(
    complaints(HISTORY_SCHEMAS.HistorySnapshot, store.snapshot()),
    [],
  );
});

Deno.test("the schemas keep fields of any name", () => {
  const snapshot = readSnapshot(JSON.parse(`{
    "records": [{"id": 1, "type": "patch", "payload": {
      "event": "proposed",
      "changes": {"__proto__": {"type": "add", "content": "a"}},
      "constructor": 1
    }}],
    "stream_lookup": {"__proto__": 1}
  }`));
  assertEquals(complaints(HISTORY_SCHEMAS.HistorySnapshot, snapshot), []);
});

const REFUSED = [
  {
    name: "a list for an object",
    schema: HISTORY_SCHEMAS.HistorySnapshot,
    value: [],
    path: "records",
  },
  {
    name: "an unknown type among the known ones",
    schema: HISTORY_SCHEMAS.HistoryRecord,
    value: { id: 1, type: "hologram", payload: {} },
    path: "type",
  },
  {
    name: "a known type among the unknown ones",
    schema: HISTORY_SCHEMAS.ExtensionRecord,
    value: { id: 1, type: "loading", payload: {} },
    path: "type",
  },
  {
    name: "a known type without its fields",
    schema: HISTORY_SCHEMAS.AnyHistoryRecord,
    value: { id: 1, type: "loading", payload: {} },
    path: "payload.message",
  },
  {
    name: "a local time",
    schema: HISTORY_SCHEMAS.AnyHistoryRecord,
    value: {
      id: 1,
      type: "running_tool",
      payload: {
        title: "t",
        started_at: "2025-10-01 12:00",
        arguments: [],
        wait_cap_ms: null,
        wait_has_target: false,
        wait_has_call_id: false,
      },
    },
    path: "payload.started_at",
  },
  {
    name: "a piece without its text",
    schema: HISTORY_SCHEMAS.HistoryMutation,
    value: {
      type: "appended",
      index: 0,
      id: 1,
      field: "stdout_chunks",
      value: { offset: 0 },
    },
    path: "value.content",
  },
] satisfies {
  name: string;
  schema: v.GenericSchema<unknown, unknown>;
  value: unknown;
  path: string;
}[];

for (const { name, schema, value, path } of REFUSED) {
  Deno.test(`the schemas refuse ${name}`, () => {
    const [complaint] = complaints(schema, value);
    assertEquals(complaint?.split(":")[0], path);
  });
}

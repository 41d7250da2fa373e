/** The schemas of histories, with vectors and the mutations of a store. */

import { assertEquals } from "@std/assert";
import * as v from "valibot";
import { readRecord, readSnapshot } from "../../lib/history/code_layout.ts";
import { RecordStore } from "../../lib/history/record_store.ts";
import { HISTORY_SCHEMAS } from "../../lib/history/schema.ts";
import { namesIn, readJson } from "../fixtures.ts";

/** Returns the paths and messages of the issues that a schema finds in a value. */
function issuesOf(
  schema: v.GenericSchema<unknown, unknown>,
  value: unknown,
): string[] {
  const result = v.safeParse(schema, value);
  return (result.issues ?? []).map((issue) =>
    `${v.getDotPath(issue) ?? ""}: ${issue.message}`
  );
}

Deno.test("HistorySnapshotSchema admits the snapshots of the vectors", () => {
  for (const name of namesIn("vectors/history/")) {
    const { expect_snapshot } = readJson<{ expect_snapshot: unknown }>(
      `vectors/history/${name}`,
    );
    assertEquals(
      issuesOf(HISTORY_SCHEMAS.HistorySnapshot, expect_snapshot),
      [],
      name,
    );
  }
});

Deno.test("AnyHistoryRecordSchema admits records that were read from both layouts", () => {
  for (const name of namesIn("vectors/history-compat/")) {
    const { pairs } = readJson<{ pairs: { code: unknown; seed: unknown }[] }>(
      `vectors/history-compat/${name}`,
    );
    for (const { code, seed } of pairs) {
      assertEquals(
        issuesOf(HISTORY_SCHEMAS.AnyHistoryRecord, seed),
        [],
        name,
      );
      assertEquals(
        issuesOf(HISTORY_SCHEMAS.AnyHistoryRecord, readRecord(code)),
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
    assertEquals(issuesOf(HISTORY_SCHEMAS.HistoryMutation, mutation), []);
  }
  assertEquals(
    issuesOf(HISTORY_SCHEMAS.HistorySnapshot, store.snapshot()),
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
  assertEquals(issuesOf(HISTORY_SCHEMAS.HistorySnapshot, snapshot), []);
});

const REFUSED = [
  {
    name: "a list in place of an object",
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
    name: "a chunk without its content",
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
    const [issue] = issuesOf(schema, value);
    assertEquals(issue?.split(":")[0], path);
  });
}

/** Applying mutations to lists of records. */

import { assert, assertEquals } from "@std/assert";
import {
  applyMutation,
  type HistoryMutation,
} from "../../lib/history/mutations.ts";
import { RecordStore } from "../../lib/history/record_store.ts";
import type { AnyHistoryRecord } from "../../lib/history/records.ts";

const AT = "2025-10-01T12:00:00.000Z";

/** Makes a store with one command. */
function storeWithExec(): RecordStore {
  const store = new RecordStore();
  store.startExec({
    callId: "c",
    command: ["x"],
    parsed: [],
    action: "run",
    startedAt: AT,
  });
  return store;
}

Deno.test("applyMutation() continues from the records of a snapshot", () => {
  const store = storeWithExec();
  store.streamExec(0, { stdout: { offset: 0, content: "hé" } });
  const records: AnyHistoryRecord[] = [...store.snapshot().records];
  const mutations = [
    ...store.streamExec(0, { stdout: { offset: 3, content: "✓" } }),
    ...store.streamExec(0, { stdout: { offset: 6, content: "!" } }),
    ...store.streamExec(0, { stdout: { offset: 9, content: "gap" } }),
    ...store.finishExec({
      callId: "c",
      status: "success",
      exitCode: 0,
      completedAt: AT,
      stderrTail: "ü",
    }),
  ];
  for (const mutation of mutations) applyMutation(records, mutation);
  assertEquals(records, store.snapshot().records);
  assertEquals(mutations.at(-1), {
    type: "appended",
    index: 0,
    id: 1,
    field: "stderr_chunks",
    value: { offset: 0, content: "ü" },
    status: "success",
    exit_code: 0,
    completed_at: AT,
  });
});

Deno.test("applyMutation() keeps two lists with the same mutations independent", () => {
  const store = new RecordStore();
  const lists: AnyHistoryRecord[][] = [[], []];
  const mutations = ["a", "b", "c"].flatMap((delta, sequence) =>
    store.upsertAssistant({
      streamId: "s",
      preview: delta,
      delta: { delta, sequence: Math.min(sequence, 1), received_at: AT },
      at: AT,
    })
  );
  for (const mutation of mutations) {
    for (const list of lists) applyMutation(list, mutation);
  }
  for (const list of lists) assertEquals(list, store.snapshot().records);
});

Deno.test("applyMutation() keeps two lists with the same output independent", () => {
  for (const name of ["stdout", "stderr"] as const) {
    const store = storeWithExec();
    store.streamExec(0, { [name]: { offset: 0, content: "a" } });
    const whole = store.snapshot().records[0];
    const lists: AnyHistoryRecord[][] = [[], []];
    assert(whole !== undefined);
    const mutations: HistoryMutation[] = [
      { type: "inserted", index: 0, id: 1, record: whole },
      ...store.streamExec(0, { [name]: { offset: 1, content: "b" } }),
      ...store.streamExec(0, { [name]: { offset: 9, content: "c" } }),
    ];
    for (const mutation of mutations) {
      for (const list of lists) applyMutation(list, mutation);
    }
    for (const list of lists) assertEquals(list, store.snapshot().records);
  }
});

Deno.test("applyMutation() ignores an index beyond the list", () => {
  const records: AnyHistoryRecord[] = [];
  const record = { id: 1, type: "loading", payload: { message: "m" } } as const;
  for (const type of ["replaced", "removed"] as const) {
    applyMutation(records, { type, index: 2, id: 1, record });
  }
  applyMutation(records, {
    type: "appended",
    index: 2,
    id: 1,
    field: "stdout_chunks",
    value: { offset: 0, content: "a" },
  });
  applyMutation(records, { type: "truncated", index: 2 });
  assertEquals(records, []);
});

/** The store of records, with vectors and laws. */

import { assert, assertEquals } from "@std/assert";
import {
  applyMutation,
  type HistoryMutation,
} from "../../lib/history/mutations.ts";
import { readSnapshot } from "../../lib/history/code_layout.ts";
import { RecordStore } from "../../lib/history/record_store.ts";
import type { RecordLimits } from "../../lib/history/record_operations.ts";
import {
  type AnyHistoryRecord,
  type AssistantDelta,
  type ExecAction,
  type ExecChunk,
  type ExecStatus,
  type ExecWaitNote,
  type HistoryRecordOf,
  isKnownRecord,
  type MessageMetadata,
  type NewRecord,
  type TokenUsage,
} from "../../lib/history/records.ts";
import { equalJson, namesIn, readJson } from "../fixtures.ts";
import fc, { anyText } from "../property_seed.ts";

/** An operation of a vector. */
interface DomainOp {
  readonly op: string;
  readonly index: number;
  readonly id: number;
  readonly call_id: string | null;
  readonly record: { type: string; payload: object; call_id?: string };
  readonly command: readonly string[];
  readonly action: ExecAction;
  readonly started_at: string;
  readonly stdout_chunk: ExecChunk | null;
  readonly stderr_chunk: ExecChunk | null;
  readonly total_wait: string | null;
  readonly wait_active: boolean;
  readonly notes: readonly ExecWaitNote[];
  readonly status: ExecStatus;
  readonly exit_code: number | null;
  readonly completed_at: string;
  readonly stdout_tail: string | null;
  readonly stderr_tail: string | null;
  readonly wait_total: string | null;
  readonly wait_notes: readonly ExecWaitNote[];
  readonly stream_id: string;
  readonly preview_markdown: string;
  readonly delta: AssistantDelta | null;
  readonly metadata: MessageMetadata | null;
  readonly markdown: string;
  readonly token_usage: TokenUsage | null;
  readonly at: string;
  readonly snapshot: unknown;
}

interface DomainVector {
  readonly name: string;
  readonly rule: string;
  readonly input: readonly DomainOp[];
  readonly expect_snapshot: unknown;
}

function milliseconds(duration: string | null): number | null {
  if (duration === null) return null;
  const match = /^PT(?:(\d+)M)?([\d.]+)S$/.exec(duration);
  assert(match !== null, duration);
  return (Number(match[1] ?? 0) * 60 + Number(match[2])) * 1000;
}

/** Performs an operation of a vector. */
function perform(store: RecordStore, op: DomainOp): HistoryMutation[] {
  switch (op.op) {
    case "insert":
    case "replace": {
      const { call_id: callId = null, ...record } = op.record;
      return store[op.op](op.index, record as NewRecord, { callId });
    }
    case "remove":
      return store.remove(op.index);
    case "truncate_after":
      return store.truncateAfter(op.id);
    case "start_exec":
      return store.startExec({
        index: op.index,
        callId: op.call_id,
        command: op.command,
        parsed: [],
        action: op.action,
        startedAt: op.started_at,
      });
    case "update_exec_stream":
      return store.streamExec(op.index, {
        stdout: op.stdout_chunk,
        stderr: op.stderr_chunk,
      });
    case "update_exec_wait":
      return store.waitExec(op.index, {
        totalMs: milliseconds(op.total_wait),
        active: op.wait_active,
        notes: op.notes,
      });
    case "finish_exec":
      return store.finishExec({
        id: op.id,
        callId: op.call_id,
        status: op.status,
        exitCode: op.exit_code,
        completedAt: op.completed_at,
        stdoutTail: op.stdout_tail,
        stderrTail: op.stderr_tail,
        wait: {
          totalMs: milliseconds(op.wait_total ?? null),
          active: op.wait_active ?? false,
          notes: op.wait_notes ?? [],
        },
      });
    case "upsert_assistant_stream":
      return store.upsertAssistant({
        streamId: op.stream_id,
        preview: op.preview_markdown,
        delta: op.delta,
        metadata: op.metadata,
        at: op.at,
      });
    case "finalize_assistant_stream":
      return store.finalizeAssistant({
        streamId: op.stream_id,
        markdown: op.markdown,
        metadata: op.metadata,
        tokenUsage: op.token_usage,
        at: op.at,
      });
    default:
      throw new TypeError(`Cannot perform an operation: it is ${op.op}`);
  }
}

function assertJson(actual: unknown, expected: unknown, where: string): void {
  if (!equalJson(actual, expected)) assertEquals(actual, expected, where);
}

for (const name of namesIn("vectors/history/")) {
  if (!name.startsWith("domain_")) continue;
  Deno.test(`RecordStore follows ${name}`, () => {
    const vector = readJson<DomainVector>(`vectors/history/${name}`);
    let store = new RecordStore();
    const records: AnyHistoryRecord[] = [];
    for (const op of vector.input) {
      if (op.op === "restore") {
        store = RecordStore.restore(readSnapshot(op.snapshot));
        records.splice(0, records.length, ...store.snapshot().records);
        continue;
      }
      for (const mutation of perform(store, op)) {
        applyMutation(records, mutation);
      }
      assertJson(records, store.snapshot().records, vector.rule);
    }
    assertJson(store.snapshot(), vector.expect_snapshot, vector.rule);
    assertJson(
      RecordStore.restore(store.snapshot(), { exact: true }).snapshot(),
      vector.expect_snapshot,
      vector.rule,
    );
  });
}

const TIMES = ["2025-10-01T12:00:00.000Z", "2025-10-01T12:00:01.500Z"];
const time = fc.constantFrom(...TIMES);
const index = fc.constantFrom(-1, 0, 1, 2, 3, 5, 99);
const key = fc.constantFrom("a", "b", "__proto__", "constructor");
const text = anyText({ maxLength: 12 });
const halves = anyText({ maxLength: 6 });
const output = fc.oneof(
  { weight: 4, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.constantFrom("é", "✓✓", "😀😀😀", "x".repeat(40)),
  },
  { weight: 1, arbitrary: halves },
);
const metadata = fc.constantFrom(
  null,
  { citations: ["c"], token_usage: null },
  { citations: [], token_usage: { prompt: 1, completion: 2, total: 3 } },
);
const notes = fc.constantFrom([], [
  { message: "m", tone: "info" as const, timestamp: TIMES[0] ?? "" },
]);
const wait = fc.record({
  totalMs: fc.option(fc.nat()),
  active: fc.boolean(),
  notes,
});

const newRecord: fc.Arbitrary<NewRecord> = fc.oneof(
  fc.record({
    type: fc.constant("loading" as const),
    payload: fc.record({ message: text }),
  }),
  fc.record({
    type: fc.constant("explore" as const),
    payload: fc.record({
      entries: fc.constant([]),
      trailing: fc.boolean(),
    }),
  }),
  fc.record({
    type: fc.constant("reasoning" as const),
    payload: fc.constant({
      in_progress: false,
      sections: [],
      hide_when_collapsed: false,
    }),
  }),
  fc.record({
    type: fc.constant("tool_call" as const),
    payload: fc.constant({
      status: "running" as const,
      title: "t",
      duration_ms: null,
      arguments: [],
      result_preview: null,
      error_message: null,
    }),
  }),
  fc.record({
    type: fc.constant("assistant_message" as const),
    payload: fc.record({
      stream_id: fc.option(key),
      markdown: text,
      citations: fc.constant([]),
      metadata,
      token_usage: fc.constant(null),
      created_at: time,
    }),
  }),
  fc.record({
    type: fc.constant("assistant_stream" as const),
    payload: fc.record({
      stream_id: key,
      preview_markdown: text,
      deltas: fc.constant([]),
      citations: fc.constant([]),
      metadata,
      in_progress: fc.boolean(),
      last_updated_at: time,
    }),
  }),
  fc.record({
    type: fc.constant("exec" as const),
    payload: fc.record({
      call_id: fc.option(key),
      command: fc.constant(["x"]),
      parsed: fc.constant([]),
      action: fc.constant("run" as const),
      status: fc.constant("running" as const),
      stdout_chunks: fc.array(
        fc.record({ offset: fc.nat(30), content: output }),
        { maxLength: 2 },
      ),
      stderr_chunks: fc.constant([]),
      exit_code: fc.constant(null),
      wait_total_ms: fc.constant(null),
      wait_active: fc.boolean(),
      wait_notes: fc.constant([]),
      started_at: time,
      completed_at: fc.constant(null),
    }),
  }),
  fc.constant({ type: "context", payload: { cwd: "/w", __unknown: [1] } }),
);

/** An operation on a store. */
type Step = (store: RecordStore) => HistoryMutation[];

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ index, record: newRecord, callId: fc.option(key) })
    .map(({ index, record, callId }): Step => (store) =>
      store.insert(index, record, { callId })
    ),
  fc.record({ index, record: newRecord, callId: fc.option(key) })
    .map(({ index, record, callId }): Step => (store) =>
      store.replace(index, record, { callId })
    ),
  index.map((index): Step => (store) => store.remove(index)),
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 5, arbitrary: fc.nat(8) },
  ).map((id): Step => (store) => store.truncateAfter(id)),
  fc.record({ index, callId: fc.option(key), startedAt: time })
    .map((start): Step => (store) =>
      store.startExec({ ...start, command: ["x"], parsed: [], action: "run" })
    ),
  fc.record({
    index,
    streams: fc.subarray(["stdout", "stderr"] as const),
    shift: fc.oneof(fc.constant(0), fc.integer({ min: -9, max: 4 })),
    content: output,
  }).map(({ index, streams, shift, content }): Step => (store) => {
    const output: { [stream: string]: ExecChunk } = {};
    for (const stream of streams) {
      const offset = Math.max(0, store.outputEnd(index, stream) + shift);
      output[stream] = { offset, content };
    }
    return store.streamExec(index, output);
  }),
  fc.tuple(index, wait)
    .map(([index, wait]): Step => (store) => store.waitExec(index, wait)),
  fc.record({
    id: fc.option(fc.nat(6)),
    callId: fc.option(key),
    status: fc.constantFrom("success" as const, "error" as const),
    exitCode: fc.option(fc.nat(3)),
    completedAt: time,
    stdoutTail: fc.option(output),
    stderrTail: fc.option(output),
    wait,
  }).map((finish): Step => (store) => store.finishExec(finish)),
  fc.record({
    streamId: key,
    preview: text,
    delta: fc.option(fc.record({
      delta: output,
      sequence: fc.option(fc.nat(2)),
      received_at: time,
    })),
    metadata,
    at: time,
  }).map((update): Step => (store) => store.upsertAssistant(update)),
  fc.record({
    streamId: fc.option(key),
    markdown: text,
    metadata,
    at: time,
  }).map((final): Step => (store) => store.finalizeAssistant(final)),
);

const steps = fc.array(step, { maxLength: 40, size: "max" });
const limits: fc.Arbitrary<RecordLimits> = fc.record({
  streamBytes: fc.constantFrom(7, 30, 1000),
  totalBytes: fc.constantFrom(20, 60, 5000),
  prunedStreamBytes: fc.constantFrom(4, 9),
  deltaBytes: fc.constantFrom(5, 25, 1000),
});
const RUNS = { numRuns: 400 };

Deno.test("RecordStore's mutations make the records of the snapshot after every operation", () => {
  fc.assert(
    fc.property(steps, limits, (steps, limits) => {
      const store = new RecordStore({ limits });
      const records: AnyHistoryRecord[] = [];
      for (const step of steps) {
        const mutations = step(store);
        // Later operations must not change returned mutations.
        const before = JSON.stringify(mutations);
        for (const mutation of mutations) applyMutation(records, mutation);
        assertEquals(JSON.stringify(mutations), before);
        assertJson(records, store.snapshot().records, "records");
        assertEquals(store.length, records.length);
      }
    }),
    RUNS,
  );
});

Deno.test("RecordStore.restore() continues from a snapshot", () => {
  fc.assert(
    fc.property(steps, steps, limits, (before, after, limits) => {
      const store = new RecordStore({ limits });
      for (const step of before) step(store);
      const snapshot: unknown = JSON.parse(JSON.stringify(store.snapshot()));
      const restored = RecordStore.restore(
        readSnapshot(snapshot),
        { limits, exact: true },
      );
      assertJson(restored.snapshot(), snapshot, "snapshot");
      for (const step of after) {
        assertJson(step(restored), step(store), "mutations");
      }
      assertJson(restored.snapshot(), store.snapshot(), "after");
    }),
    RUNS,
  );
});

/** Counts the bytes of texts. */
function bytesOf(texts: readonly string[]): number {
  const encoder = new TextEncoder();
  return texts.reduce((sum, text) => sum + encoder.encode(text).length, 0);
}

Deno.test("RecordStore keeps at most the deltas that its limits allow", () => {
  fc.assert(
    fc.property(steps, limits, (steps, limits) => {
      const store = new RecordStore({ limits });
      for (const step of steps) step(store);
      for (const record of store.snapshot().records) {
        if (!isKnownRecord(record) || record.type !== "assistant_stream") {
          continue;
        }
        const deltas = record.payload.deltas.map(({ delta }) => delta);
        assert(bytesOf(deltas) <= (limits.deltaBytes ?? 0));
      }
    }),
    RUNS,
  );
});

/** Starts a command. */
function start(store: RecordStore): void {
  store.startExec({
    callId: null,
    command: ["x"],
    parsed: [],
    action: "run",
    startedAt: TIMES[0] ?? "",
  });
}

/** Returns the payload of the command at an index. */
function execAt(
  store: RecordStore,
  index: number,
): HistoryRecordOf<"exec">["payload"] {
  const record = store.at(index);
  assert(record !== undefined && isKnownRecord(record));
  assert(record.type === "exec");
  return record.payload;
}

/** A reference implementation of the rules of B.5. */
function naive(
  chunks: readonly ExecChunk[],
  chunk: ExecChunk,
  limit: number,
): ExecChunk[] {
  const list = chunks.map((each) => ({ ...each }));
  const length = (text: string): number => bytesOf([text]);
  const cut = (text: string, bytes: number): string => {
    let kept = "";
    for (const character of text) {
      if (length(kept + character) > bytes) break;
      kept += character;
    }
    return kept;
  };
  const end = (each: ExecChunk): number => each.offset + length(each.content);
  for (
    let last = list.at(-1);
    last !== undefined && end(last) > chunk.offset;
    last = list.at(-1)
  ) {
    if (last.offset >= chunk.offset) {
      list.pop();
      continue;
    }
    last.content = cut(last.content, chunk.offset - last.offset);
  }
  const last = list.at(-1);
  if (last !== undefined && end(last) === chunk.offset) {
    last.content += chunk.content;
  } else list.push({ ...chunk });
  const total = Math.max(...list.map(end));
  for (
    let first = list[0];
    first !== undefined && total - first.offset > limit;
    first = list[0]
  ) {
    if (end(first) <= total - limit && list.length > 1) list.shift();
    else {
      const [character = ""] = first.content;
      first.content = first.content.slice(character.length);
      first.offset += length(character);
      if (first.content === "" && list.length > 1) list.shift();
    }
  }
  return list;
}

Deno.test("RecordStore.streamExec() follows the rules of B.5 for any chunks", () => {
  const pieces = fc.array(
    fc.record({
      shift: fc.oneof(fc.constant(0), fc.integer({ min: -12, max: 5 })),
      content: text,
    }),
    { maxLength: 20, size: "max" },
  );
  fc.assert(
    fc.property(pieces, fc.constantFrom(5, 16, 1000), (pieces, streamBytes) => {
      const store = new RecordStore({ limits: { streamBytes } });
      start(store);
      let expected: ExecChunk[] = [];
      for (const { shift, content } of pieces) {
        const offset = Math.max(0, store.outputEnd(0, "stdout") + shift);
        store.streamExec(0, { stdout: { offset, content } });
        expected = naive(expected, { offset, content }, streamBytes);
        assertEquals(execAt(store, 0).stdout_chunks, expected);
      }
    }),
    { numRuns: 1000 },
  );
});

const CHUNK_CASES = [
  {
    name: "a cut inside a character rounds down, which leaves a gap",
    chunks: [[0, "aé"], [2, "x"]],
    expected: [[0, "a"], [2, "x"]],
  },
  {
    name: "an empty chunk on an empty output",
    chunks: [[0, ""]],
    expected: [[0, ""]],
  },
  {
    name: "an empty chunk at the end",
    chunks: [[0, "a"], [1, ""]],
    expected: [[0, "a"]],
  },
  {
    name: "bytes over the limit are dropped at the front",
    chunks: [[0, "abcdefgh"], [8, "ij"]],
    expected: [[2, "cdefghij"]],
  },
  {
    name: "the front rounds up to a character",
    chunks: [[0, "é1234567"], [9, ""]],
    expected: [[2, "1234567"]],
  },
  {
    name: "whole chunks are dropped first",
    chunks: [[0, "ab"], [4, "cd"], [20, "ef"]],
    expected: [[20, "ef"]],
  },
] satisfies {
  name: string;
  chunks: [number, string][];
  expected: [number, string][];
}[];

for (const { name, chunks, expected } of CHUNK_CASES) {
  Deno.test(`RecordStore.streamExec() keeps output: ${name}`, () => {
    const store = new RecordStore({ limits: { streamBytes: 8 } });
    start(store);
    for (const [offset, content] of chunks) {
      store.streamExec(0, { stderr: { offset, content } });
    }
    assertEquals(
      execAt(store, 0).stderr_chunks.map((
        { offset, content },
      ) => [offset, content]),
      expected,
    );
  });
}

Deno.test("RecordStore prunes the output of the oldest commands over totalBytes", () => {
  const store = new RecordStore({
    limits: { totalBytes: 25, prunedStreamBytes: 4 },
  });
  for (let index = 0; index < 3; index++) start(store);
  const piece = { offset: 0, content: "0123456789" };
  assertEquals(store.streamExec(0, { stdout: piece }).length, 1);
  assertEquals(store.streamExec(1, { stdout: piece }).length, 1);
  const mutations = store.streamExec(2, { stdout: piece });
  assertEquals(
    mutations.map(({ type, index }) => [type, index]),
    [["appended", 2], ["replaced", 0]],
  );
  assertEquals(
    [0, 1, 2].map((index) => execAt(store, index).stdout_chunks),
    [[{ offset: 6, content: "6789" }], [piece], [piece]],
  );
});

Deno.test("RecordStore.truncateAfter() reuses ids", () => {
  const store = new RecordStore();
  const loading = { type: "loading", payload: { message: "m" } } as const;
  for (let index = 0; index < 3; index++) store.push(loading);
  assertEquals(store.truncateAfter(3), []);
  assertEquals(store.truncateAfter(9), []);
  assertEquals(store.nextId, 4);
  assertEquals(store.truncateAfter(1), [{ type: "truncated", index: 1 }]);
  assertEquals(
    store.push(loading).map((mutation) => "id" in mutation && mutation.id),
    [2],
  );
});

Deno.test("RecordStore.truncateAfter() continues ids after the highest one left (B.4)", () => {
  const store = new RecordStore();
  const loading = { type: "loading", payload: { message: "m" } } as const;
  for (let index = 0; index < 3; index++) store.push(loading);
  store.insert(1, loading);
  store.remove(2);
  store.push(loading);
  const ids = () => store.snapshot().records.map(({ id }) => id);
  assertEquals(ids(), [1, 4, 3, 5]);
  store.truncateAfter(3);
  assertEquals([ids(), store.nextId], [[1, 4, 3], 5]);
});

Deno.test("RecordStore returns -1 for unknown ids", () => {
  const store = new RecordStore();
  assertEquals(
    [store.indexOf(1), store.indexOfExec("c"), store.indexOfTool("c")],
    [-1, -1, -1],
  );
});

Deno.test("RecordStore finds the last of two records with one id, also after the first is removed", () => {
  const loading = { type: "loading", payload: { message: "m" } } as const;
  const store = RecordStore.restore({
    records: [{ id: 1, ...loading }, { id: 1, ...loading }],
    next_id: 2,
    exec_call_lookup: {},
    tool_call_lookup: {},
    stream_lookup: {},
  });
  assertEquals(store.indexOf(1), 1);
  store.remove(0);
  assertEquals(store.indexOf(1), 0);
});

Deno.test("RecordStore.restore() reads the call ids of merged commands", () => {
  const lookups = [undefined, null, "x", [5, { call_id: "c" }]].map(
    (segments) =>
      RecordStore.restore({
        records: [{ id: 1, type: "merged_exec", payload: { segments } }],
        next_id: 2,
        exec_call_lookup: {},
        tool_call_lookup: {},
        stream_lookup: {},
      }).snapshot().exec_call_lookup,
  );
  assertEquals(lookups, [{}, {}, {}, { c: 1 }]);
});

Deno.test("RecordStore.truncateAfter(0) clears all of a snapshot (B.4)", () => {
  const empty = {
    records: [],
    next_id: 1,
    exec_call_lookup: {},
    tool_call_lookup: {},
    stream_lookup: {},
  };
  const loading = { type: "loading", payload: { message: "m" } } as const;
  for (const records of [[], [{ id: 3, ...loading }]]) {
    const store = RecordStore.restore({
      records,
      next_id: 7,
      exec_call_lookup: { gone: 1 },
      tool_call_lookup: { gone: 2 },
      stream_lookup: { gone: 5 },
    });
    store.truncateAfter(0);
    assertEquals(store.snapshot(), empty);
  }
});

Deno.test("RecordStore returns a mutation when trailing of an explore record changes", () => {
  const store = new RecordStore();
  const explore = {
    type: "explore",
    payload: { entries: [], trailing: false },
  } as const;
  const types = (mutations: readonly HistoryMutation[]): unknown[] =>
    mutations.map((mutation) =>
      mutation.type === "replaced" ? mutation.record : mutation.type
    );
  assertEquals(types(store.push(explore)), ["inserted"]);
  const ended = {
    id: 1,
    type: "explore",
    payload: { entries: [], trailing: false },
  };
  const loading = { type: "loading", payload: { message: "m" } } as const;
  assertEquals(types(store.push(loading)), ["inserted", ended]);
  const trailing = { ...ended, payload: { entries: [], trailing: true } };
  assertEquals(types(store.remove(1)), ["removed", trailing]);
});

Deno.test("RecordStore finds and saves call ids of any name", () => {
  const store = new RecordStore();
  const tool = {
    title: "t",
    started_at: TIMES[0] ?? "",
    arguments: [],
    wait_cap_ms: null,
    wait_has_target: false,
    wait_has_call_id: false,
  };
  store.push({ type: "running_tool", payload: tool }, { callId: "__proto__" });
  assertEquals(store.indexOfTool("__proto__"), 0);
  assertEquals(store.indexOfTool("constructor"), -1);
  const text = JSON.stringify(store.snapshot().tool_call_lookup);
  assertEquals(text, '{"__proto__":1}');
  const restored = RecordStore.restore(store.snapshot());
  assertEquals(restored.indexOfTool("__proto__"), 0);
});

Deno.test("RecordStore.restore() drops repeated answers and keeps unknown fields", () => {
  const payload = {
    stream_id: "s",
    markdown: "m",
    citations: [],
    metadata: null,
    token_usage: null,
    created_at: TIMES[0] ?? "",
  };
  const snapshot = {
    records: [1, 2].map((id) => ({
      id,
      type: "assistant_message" as const,
      payload,
      note: "kept",
    })),
    next_id: 2,
    exec_call_lookup: {},
    tool_call_lookup: {},
    stream_lookup: { s: 2 },
    later: { deep: [1] },
    resume: {},
  };
  const { resume: _resume, ...expected } = snapshot;
  assertEquals(RecordStore.restore(snapshot).snapshot(), {
    ...expected,
    records: expected.records.slice(0, 1),
  });
  assertEquals(
    RecordStore.restore(snapshot, { exact: true }).snapshot(),
    expected,
  );
});

Deno.test("RecordStore.replace() takes constant time for 100,000 records", () => {
  const store = new RecordStore();
  const image = (path: string) => ({
    type: "image" as const,
    payload: { path, caption: null, metadata: null },
  });
  // Quadratic time would take minutes.
  const count = 100_000;
  for (let at = 0; at < count; at++) store.push(image(`${at}`));
  for (let at = 0; at < count; at++) store.replace(at, image(`new ${at}`));
  assertEquals(store.at(count - 1)?.payload, image(`new ${count - 1}`).payload);
});

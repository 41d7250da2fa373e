/** Mutations: the changes of a history, and how to apply them to a list of records. */

import {
  addedBytes,
  byteLength,
  endsInHighSurrogate,
} from "../json/utf8_length.ts";
import { deepCopy, setOwn } from "./plain_json.ts";
import type {
  AnyHistoryRecord,
  AssistantDelta,
  ExecChunk,
  ExecStatus,
} from "./records.ts";

/**
 * A record was inserted, replaced or removed.
 *
 * @typeParam W The kind of the change.
 */
export interface RecordMutation<W extends string> {
  /** The kind of the change. */
  readonly type: W;
  /** The index of the record, from 0; of a removed record, the one that it had. */
  readonly index: number;
  /** The id of the record. */
  readonly id: number;
  /** The record after the change; of a removed record, the one before. */
  readonly record: AnyHistoryRecord;
}

/** A record was inserted. The records from its index on moved back by one. */
export type InsertedMutation = RecordMutation<"inserted">;

/** A record was replaced. The new one has the same id and may have another type. */
export type ReplacedMutation = RecordMutation<"replaced">;

/** A record was removed. The records after it moved up by one. */
export type RemovedMutation = RecordMutation<"removed">;

/**
 * All records from an index on were removed.
 *
 * The next id is the highest of the remaining ones plus 1, so that ids are used again: drop all
 * data that is kept by the ids of removed records.
 */
export interface TruncatedMutation {
  /** Always `truncated`. */
  readonly type: "truncated";
  /** The number of records that remain. */
  readonly index: number;
}

/** The members of every change that adds to a record. */
export interface AppendedFields {
  /** Always `appended`. */
  readonly type: "appended";
  /** The index of the record, from 0. */
  readonly index: number;
  /** The id of the record. */
  readonly id: number;
}

/**
 * The output of a command has grown.
 *
 * The value continues the last chunk if its offset is the end of that chunk; otherwise it is a new
 * chunk. The optional members are present only if they changed at the same time.
 */
export interface AppendedOutputMutation extends AppendedFields {
  /** The output that has grown. */
  readonly field: "stdout_chunks" | "stderr_chunks";
  /** The added output. */
  readonly value: ExecChunk;
  /** The new status of the command. */
  readonly status?: ExecStatus;
  /** The new exit code. */
  readonly exit_code?: number | null;
  /** The time at which it ended. */
  readonly completed_at?: string | null;
  /** The total time that the model waited for it, in milliseconds. */
  readonly wait_total_ms?: number | null;
  /** Whether the model is waiting for it. */
  readonly wait_active?: boolean;
}

/**
 * An assistant message in progress has grown.
 *
 * The value continues the last delta if both have the same sequence number, or both none; the last
 * delta keeps its time. Otherwise it is a new delta. The optional members are present only if they
 * changed at the same time.
 */
export interface AppendedDeltaMutation extends AppendedFields {
  /** Always `deltas`. */
  readonly field: "deltas";
  /** The added delta. */
  readonly value: AssistantDelta;
  /** The whole text so far. */
  readonly preview_markdown?: string;
  /** Whether more text may follow. */
  readonly in_progress?: boolean;
  /** The time of the last change. */
  readonly last_updated_at?: string;
}

/** An output or a message has grown; `switch` on `field`. */
export type AppendedMutation = AppendedOutputMutation | AppendedDeltaMutation;

/** A change of a history; `switch` on `type`. */
export type HistoryMutation =
  | InsertedMutation
  | ReplacedMutation
  | RemovedMutation
  | TruncatedMutation
  | AppendedMutation;

/** The lists of a payload that are changed in place. */
interface GrowingPayload {
  stdout_chunks?: { offset: number; content: string }[];
  stderr_chunks?: { offset: number; content: string }[];
  deltas?: AssistantDelta[];
}

/**
 * The ends of chunks, in bytes, cached so that a long text is not measured again for each addition.
 * The length in UTF-16 units guards against chunks that a caller has changed.
 */
const ENDS = new WeakMap<
  object,
  { end: number; length: number; half: boolean }
>();

/**
 * Applies a mutation to a list of records.
 *
 * A program that applies every mutation, in order, has the records of the snapshot at every moment.
 * Commands and unfinished messages grow in place, so that the time of an addition does not depend
 * on the length of the text. Mutations and their records are never changed. Do not change the
 * records of the list by other means: most of them are shared with the mutations they came with.
 *
 * @param records The list to change, which may begin as the records of a snapshot.
 * @param mutation The mutation. One with an index outside the list is ignored.
 *
 * @example Follow a history
 * ```ts
 * import { type AnyHistoryRecord, applyMutation, RecordStore } from "@codexpipe/codexpipe/history";
 * import { assertEquals } from "@std/assert";
 *
 * const store = new RecordStore();
 * const records: AnyHistoryRecord[] = [];
 * const changes = [
 *   ...store.push({ type: "loading", payload: { message: "Connecting" } }),
 *   ...store.remove(0),
 *   ...store.push({ type: "loading", payload: { message: "Again" } }),
 * ];
 * for (const mutation of changes) applyMutation(records, mutation);
 *
 * assertEquals(records, store.snapshot().records);
 * ```
 */
export function applyMutation(
  records: AnyHistoryRecord[],
  mutation: HistoryMutation,
): void {
  switch (mutation.type) {
    case "inserted":
      if (mutation.index >= records.length) records.push(own(mutation.record));
      else records.splice(mutation.index, 0, own(mutation.record));
      break;
    case "replaced":
      if (mutation.index < records.length) {
        records[mutation.index] = own(mutation.record);
      }
      break;
    case "removed":
      records.splice(mutation.index, 1);
      break;
    case "truncated":
      records.splice(mutation.index);
      break;
    case "appended":
      append(records[mutation.index], mutation);
      break;
    default:
      mutation satisfies never;
  }
}

/** Copies a record that may be changed in place. */
function own(record: AnyHistoryRecord): AnyHistoryRecord {
  const grows = record.type === "exec" || record.type === "assistant_stream";
  return grows ? deepCopy(record) : record;
}

function append(
  record: AnyHistoryRecord | undefined,
  mutation: AppendedMutation,
): void {
  if (record === undefined) return;
  const { type: _type, index: _index, id: _id, field, value, ...scalars } =
    mutation;
  // The boundary: `own` has copied the record, so that it may be changed here.
  const payload = record.payload as GrowingPayload;
  if (field === "deltas") {
    const deltas = payload.deltas ??= [];
    const last = deltas.at(-1);
    if (last !== undefined && last.sequence === value.sequence) {
      const delta = last.delta + value.delta;
      deltas[deltas.length - 1] = { ...last, delta };
    } else deltas.push({ ...value });
  } else appendChunk(payload[field] ??= [], value);
  for (const [name, scalar] of Object.entries(scalars)) {
    setOwn(payload, name, scalar);
  }
}

function appendChunk(
  chunks: { offset: number; content: string }[],
  value: ExecChunk,
): void {
  // No value begins at -1.
  const last = chunks.at(-1) ?? { offset: -1, content: "" };
  const known = ENDS.get(last);
  const { end, half } = known?.length === last.content.length ? known : {
    end: last.offset + byteLength(last.content),
    half: endsInHighSurrogate(last.content),
  };
  if (end !== value.offset) {
    chunks.push({ ...value });
    return;
  }
  const { content } = value;
  last.content += content;
  ENDS.set(last, {
    end: end + addedBytes(half, content),
    length: last.content.length,
    half: endsInHighSurrogate(content),
  });
}

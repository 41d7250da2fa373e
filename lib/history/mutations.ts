/**
 * What one event changed in a history, and how a reader follows along.
 *
 * @module
 */

import {
  addedBytes,
  byteLength,
  endsInHighSurrogate,
} from "../json/utf8_length.ts";
import { setOwn } from "./plain_json.ts";
import type {
  AnyHistoryRecord,
  AssistantDelta,
  ExecChunk,
  ExecStatus,
} from "./records.ts";

/** A record is new. What stood at its place and behind it moves back by one. */
export interface InsertedMutation {
  /** Always `inserted`. */
  readonly type: "inserted";
  /** Where the record is. */
  readonly index: number;
  /** Its number. */
  readonly id: number;
  /** The record. */
  readonly record: AnyHistoryRecord;
}

/** A record has become another one. It keeps its number. */
export interface ReplacedMutation {
  /** Always `replaced`. */
  readonly type: "replaced";
  /** Where the record is. */
  readonly index: number;
  /** Its number. */
  readonly id: number;
  /** What it has become. */
  readonly record: AnyHistoryRecord;
}

/** A record is gone. What stood behind it moves up by one. */
export interface RemovedMutation {
  /** Always `removed`. */
  readonly type: "removed";
  /** Where the record was. */
  readonly index: number;
  /** Its number. */
  readonly id: number;
  /** The record as it was. */
  readonly record: AnyHistoryRecord;
}

/**
 * All records from a place on are gone.
 *
 * The next number is the highest of the remaining ones plus 1, so that numbers come again:
 * forget what is kept by number of the records that are gone.
 */
export interface TruncatedMutation {
  /** Always `truncated`. */
  readonly type: "truncated";
  /** How many records remain. */
  readonly index: number;
}

/**
 * The output of a command has grown.
 *
 * The piece continues the last chunk if it begins where that one ends; otherwise it is a new
 * chunk. The other fields stand there only if they changed with it.
 */
export interface AppendedOutputMutation {
  /** Always `appended`. */
  readonly type: "appended";
  /** Where the record is. */
  readonly index: number;
  /** Its number. */
  readonly id: number;
  /** Which output has grown. */
  readonly field: "stdout_chunks" | "stderr_chunks";
  /** The piece. */
  readonly value: ExecChunk;
  /** How far the command is now. */
  readonly status?: ExecStatus;
  /** Its exit code now. */
  readonly exit_code?: number | null;
  /** When it ended. */
  readonly completed_at?: string | null;
  /** How long it was waited for. */
  readonly wait_total_ms?: number | null;
  /** Whether it is being waited for. */
  readonly wait_active?: boolean;
}

/**
 * An answer has grown.
 *
 * The piece continues the last one if both have the same number or none; that one keeps its
 * time. Otherwise it is a new piece. The other fields stand there only if they changed with
 * it.
 */
export interface AppendedDeltaMutation {
  /** Always `appended`. */
  readonly type: "appended";
  /** Where the record is. */
  readonly index: number;
  /** Its number. */
  readonly id: number;
  /** Always `deltas`. */
  readonly field: "deltas";
  /** The piece. */
  readonly value: AssistantDelta;
  /** The whole text so far. */
  readonly preview_markdown?: string;
  /** Whether more may follow. */
  readonly in_progress?: boolean;
  /** When it last changed. */
  readonly last_updated_at?: string;
}

/** Something has grown; `switch` on `field`. */
export type AppendedMutation = AppendedOutputMutation | AppendedDeltaMutation;

/** What changed in a history; `switch` on `type`. */
export type HistoryMutation =
  | InsertedMutation
  | ReplacedMutation
  | RemovedMutation
  | TruncatedMutation
  | AppendedMutation;

/** What can be changed in place: the members that grow, and those beside them. */
interface GrowingPayload {
  stdout_chunks?: { offset: number; content: string }[];
  stderr_chunks?: { offset: number; content: string }[];
  /** The pieces of an answer. */
  deltas?: AssistantDelta[];
}

/** The fields of a mutation that grows something which are none of the record's. */
const OF_MUTATIONS: ReadonlySet<string> = new Set([
  "type",
  "index",
  "id",
  "field",
  "value",
]);
const GROWING_FIELDS = ["stdout_chunks", "stderr_chunks", "deltas"] as const;

/**
 * Where chunks end, in bytes, so that a long text is not measured anew with each piece. The
 * length guards against chunks that a caller has changed.
 */
const ENDS = new WeakMap<
  object,
  { end: number; length: number; half: boolean }
>();

/**
 * Changes a list of records as a mutation says.
 *
 * A reader that applies every mutation, in order, has the records of the snapshot at every moment.
 * Records that grow are changed in place, so that a piece of output costs what it adds; a
 * mutation and its record are never changed. Only this function may change the records of the
 * list: others than those that grow are shared with the mutations they came with.
 *
 * @param records The list to change, which may begin as the records of a snapshot.
 * @param mutation What to change. A place that does not exist is left alone.
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

/** Copies what may be changed in place: the payload and its lists that grow. */
function own(record: AnyHistoryRecord): AnyHistoryRecord {
  if (record.type !== "exec" && record.type !== "assistant_stream") {
    return record;
  }
  const payload: { [name: string]: unknown } = { ...record.payload };
  for (const field of GROWING_FIELDS) {
    const list = payload[field];
    if (Array.isArray(list)) payload[field] = list.map((part) => ({ ...part }));
  }
  // The boundary: a copy has the type of what it was copied from.
  return { ...record, payload } as unknown as AnyHistoryRecord;
}

function append(
  record: AnyHistoryRecord | undefined,
  mutation: AppendedMutation,
): void {
  if (record === undefined) return;
  // The boundary: the list owns its records, so that they are not `readonly` here.
  const payload = record.payload as GrowingPayload;
  if (mutation.field === "deltas") {
    const deltas = payload.deltas ??= [];
    const last = deltas.at(-1);
    if (last !== undefined && last.sequence === mutation.value.sequence) {
      const delta = last.delta + mutation.value.delta;
      deltas[deltas.length - 1] = { ...last, delta };
    } else deltas.push({ ...mutation.value });
  } else appendChunk(payload[mutation.field] ??= [], mutation.value);
  for (const [name, scalar] of Object.entries(mutation)) {
    if (!OF_MUTATIONS.has(name)) setOwn(payload, name, scalar);
  }
}

function appendChunk(
  chunks: { offset: number; content: string }[],
  value: ExecChunk,
): void {
  const last = chunks.at(-1);
  if (last === undefined) {
    chunks.push({ ...value });
    return;
  }
  const given = ENDS.get(last);
  const { end, half } = given?.length === last.content.length ? given : {
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
    half: content === "" ? half : endsInHighSurrogate(content),
  });
}

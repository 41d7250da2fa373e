/** The checkpoint of a session that was folded in part. */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import {
  type AnyHistoryRecord,
  type HistoryRecord,
  isKnownRecord,
} from "../history/records.ts";
import type { HistoryLookup, HistorySnapshot } from "../history/snapshot.ts";

/** How many of the last records are kept whole: later events may still change them. */
const WHOLE_RECORDS = 8;
/**
 * How many of the last records are kept without their long texts; older ones become placeholders.
 */
const FORGOTTEN_RECORDS = 1_000;

export interface SavedFold {
  /** The history, without the long texts of old records. */
  readonly history: HistorySnapshot;
  /** The state of the rules of lines. */
  readonly rules: unknown;
  /** The ids of the records whose texts were left out. */
  readonly emptied: readonly number[];
  /** The time of the last line that has one. */
  readonly time: number | null;
  /** By how much the row of each record is greater than its id: mostly by the same. */
  readonly shifts: readonly number[];
  /** The rows of the messages that are no records, in order. */
  readonly ownRows: readonly number[];
  /** The row of the next message. */
  readonly nextRow: number;
  /** The outputs of the calls of records whose texts were not left out, by the ids of the records. */
  readonly outputs: readonly (readonly [number, string])[];
}

/** Leaves the long texts out of a history, except those of open and of recent records. */
export function lightened(
  snapshot: HistorySnapshot,
  before: ReadonlySet<number>,
): { history: HistorySnapshot; emptied: Set<number> } {
  const { records } = snapshot;
  const emptied = new Set<number>();
  const ancient = new Set<number>();
  const light = records.map((record, at): AnyHistoryRecord => {
    const { id } = record;
    const age = records.length - at;
    const isKept = age <= WHOLE_RECORDS || !isKnownRecord(record) ||
      isOpen(record);
    if (!isKept || before.has(id)) emptied.add(id);
    if (isKept) return record;
    if (age <= FORGOTTEN_RECORDS) return emptyRecord(record);
    ancient.add(id);
    return { id, type: "loading", payload: { message: "" } };
  });
  const lookup = (ids: HistoryLookup): HistoryLookup =>
    Object.fromEntries(
      Object.entries(ids).filter(([, id]) => !ancient.has(id)),
    );
  const history = {
    ...snapshot,
    records: light,
    exec_call_lookup: lookup(snapshot.exec_call_lookup),
    tool_call_lookup: lookup(snapshot.tool_call_lookup),
  };
  return { history, emptied };
}

/** Whether later events may still add to a record. */
function isOpen(record: HistoryRecord): boolean {
  switch (record.type) {
    case "exec":
      return record.payload.status === "running";
    case "explore":
      return record.payload.entries.some(({ status }) => status === "running");
    case "patch":
      return record.payload.event === "apply_begin" ||
        record.payload.event === "proposed";
    case "reasoning":
      return record.payload.in_progress;
    default:
      return record.type === "running_tool" ||
        record.type === "assistant_stream";
  }
}

/** The empty values of the fields that hold long texts, by the type of the record. */
const EMPTY: {
  readonly [T in HistoryRecord["type"]]?: Partial<
    Extract<HistoryRecord, { readonly type: T }>["payload"]
  >;
} = {
  plain_message: { lines: [] },
  assistant_message: { markdown: "" },
  reasoning: { sections: [] },
  exec: { stdout_chunks: [], stderr_chunks: [] },
  tool_call: { arguments: [], result_preview: null },
  patch: { changes: {} },
  diff: { hunks: [] },
  notice: { body: [] },
};

/** Returns a record without its long texts. */
function emptyRecord(record: HistoryRecord): HistoryRecord {
  const empty = EMPTY[record.type];
  if (empty === undefined) return record;
  // The cast is safe: the table has for each type fields of its payload only.
  return {
    ...record,
    payload: { ...record.payload, ...empty },
  } as HistoryRecord;
}

/** The greatest length of a string. */
const MAX_LENGTH = 2 ** 29;

/**
 * Packs a checkpoint, and returns its length before packing. A checkpoint that is longer than a
 * string can be (ids of megabytes) becomes empty, which `unpacked` refuses, so that the file is
 * read again from its start.
 */
export function packed(
  saved: SavedFold,
): { bytes: number; checkpoint: Uint8Array } {
  let json: string;
  try {
    json = JSON.stringify(saved);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { bytes: MAX_LENGTH, checkpoint: new Uint8Array(0) };
  }
  // The fastest level: most of the text is the same few names, which any level packs well.
  return { bytes: json.length, checkpoint: deflateRawSync(json, { level: 1 }) };
}

/** Unpacks a checkpoint; throws if it is empty or damaged. */
export function unpacked(checkpoint: Uint8Array): SavedFold {
  // The cast is safe: `packed` made it, and a change of its type raises the version of the index.
  return JSON.parse(inflateRawSync(checkpoint).toString()) as SavedFold;
}

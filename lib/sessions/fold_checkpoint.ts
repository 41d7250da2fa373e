/** What it takes to go on with a session that was read in part. */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import {
  type AnyHistoryRecord,
  type HistoryRecord,
  isKnownRecord,
} from "../history/records.ts";
import type { HistoryLookup, HistorySnapshot } from "../history/snapshot.ts";

/** How many of the last records are kept whole: events may still say more of them. */
const WHOLE_RECORDS = 8;
/** How many of the last records are known at all; of older ones, only that there were some. */
const FORGOTTEN_RECORDS = 1_000;

export interface SavedFold {
  /** The history, without the texts of what is long past. */
  readonly history: HistorySnapshot;
  /** The state of the rules of lines. */
  readonly rules: unknown;
  /** The numbers of the records whose texts were left out. */
  readonly emptied: readonly number[];
  /** The time of the last line that had one. */
  readonly time: number | null;
  /** The places of the messages that are no records; see `RowNumbers`. */
  readonly between: readonly number[];
  /** What the calls of records gave, by the numbers of the records. */
  readonly outputs: readonly (readonly [number, string])[];
}

/** Leaves out what the calls of records gave whose texts are left out. */
export function keptOutputs(
  outputs: ReadonlyMap<number, string>,
  emptied: ReadonlySet<number>,
): (readonly [number, string])[] {
  return [...outputs].filter(([id]) => !emptied.has(id));
}

/** Leaves the texts out of a history, but for what is not done, or not long past. */
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

/** Whether what a record is about is still going on. */
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

/** The long texts of records, by their types, as they are without them. */
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

/** Gives a record without its text, if that is long. */
function emptyRecord(record: HistoryRecord): HistoryRecord {
  const empty = EMPTY[record.type];
  if (empty === undefined) return record;
  // The boundary of the types: the table has for each type what its payload has.
  return {
    ...record,
    payload: { ...record.payload, ...empty },
  } as HistoryRecord;
}

/** No string is longer. */
const MAX_LENGTH = 2 ** 29;

/**
 * Packs what it takes to go on; says how long it was before. What is longer than a string can be
 * (ids of megabytes) is left out: `unpacked` refuses nothing at all, and the file is read anew.
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
  // The fastest level: most of it is the same few names, which any level packs well.
  return { bytes: json.length, checkpoint: deflateRawSync(json, { level: 1 }) };
}

/**
 * Unpacks what it takes to go on.
 *
 * @throws {Error} If it is damaged.
 */
export function unpacked(checkpoint: Uint8Array): SavedFold {
  // The boundary: it is what `packed` made, or the version of the index would be another.
  return JSON.parse(inflateRawSync(checkpoint).toString()) as SavedFold;
}

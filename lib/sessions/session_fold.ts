/** Folds a session file into the messages of the index, piece by piece. */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { SESSION_LINE_TYPES } from "../events/session_reader.ts";
import { msOf, timestampOf } from "../events/times.ts";
import { HistoryState } from "../history/history_state.ts";
import { isOpenPatch } from "../history/mapping/file_changes.ts";
import { INTERRUPTED } from "../history/mapping/tools.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import {
  type AnyHistoryRecord,
  type HistoryRecord,
  isKnownRecord,
} from "../history/records.ts";
import type { HistoryLookup, HistorySnapshot } from "../history/snapshot.ts";
import { lastBytes } from "../files/byte_source.ts";
import { LF, NO_BYTES } from "../json/bytes.ts";
import { fieldsOf } from "../json/fields.ts";
import type { Outcome } from "../outcome.ts";
import { JsonlRecords } from "../pipeline/jsonl_records.ts";
import {
  isWithoutEnd,
  readFullOutput,
  type SearchableText,
  searchableText,
} from "./_searchable_text.ts";
import { ROWS_PER_FILE } from "./session_index_tables.ts";

/** A message as it goes into the index. One without text has a row in `records` only. */
export interface FoldedMessage extends SearchableText {
  /** The row number, counted over the whole session in order. */
  readonly row: number;
  /** The type of the history record that the message is, or is a part of. */
  readonly kind: string;
  /** The place of a new message; one that has changed keeps its place in the index. */
  readonly place: MessagePlace | undefined;
}

/** The place of a message in its file, and its time. */
export interface MessagePlace {
  /** The offset of the line that made the message, in bytes. */
  readonly offset: number;
  /** How many messages that line made before this one. */
  readonly inLine: number;
  /** The time of the message, in milliseconds since 1970. */
  readonly time: number;
}

/** The changes that a piece of a session makes to the index. */
export interface FoldedPiece {
  /** Messages that are new or whose text has changed. */
  readonly messages: readonly FoldedMessage[];
  /** The numbers of the rows to remove. */
  readonly removed: readonly number[];
  /** The offset up to which the file has been read, in bytes: the end of its last whole line. */
  readonly readTo: number;
  /** The last bytes before that offset, to recognize a changed file. */
  readonly tail: Uint8Array;
  /** The state from which reading continues at that offset. */
  readonly checkpoint: Uint8Array;
  /** The time of the last line read that has a time, in milliseconds since 1970. */
  readonly lastTime: number | undefined;
}

/** Where to continue reading: behind a piece, up to which everything is in the index. */
export type FoldStart = Pick<FoldedPiece, "readTo" | "checkpoint" | "tail">;

interface SessionFoldOptions {
  readonly fileName: string;
  /** The time of messages before the first line that has a time, in milliseconds since 1970. */
  readonly start: number;
  /** Where to continue reading; by default at the beginning. */
  readonly from?: FoldStart | undefined;
}

/** How many bytes before an offset are compared to recognize a changed file. */
export const TAIL_BYTES = 4096;
/** How many bytes are read into one piece at least. */
const PIECE_BYTES = 8 << 20;
/** The least size of a piece in checkpoints: writing large ones stays a small part of the work. */
const PIECE_PER_CHECKPOINT = 2;

/** Folds a session, and returns after each piece what changes in the index. */
export class SessionFold {
  readonly #start: number;
  /** The offset in the file of the first block. */
  readonly #base: number;
  readonly #records: JsonlRecords;
  #state: HistoryState;
  /** The ids of the records, in order. */
  readonly #ids: number[];
  /** The rows of the records, by their ids. */
  readonly #rows: Map<number, number>;
  /** The rows of the messages that are no records, in order. */
  #ownRows: number[];
  #nextRow: number;
  /** The records that are new in this piece, with their places, and those that have changed. */
  readonly #touched = new Map<number, MessagePlace | undefined>();
  #removed: number[] = [];
  /** The outputs of the calls of records, where they are longer than the records show. */
  #outputs: Map<number, string>;
  /** The new messages that are no records. */
  #own: FoldedMessage[] = [];
  #emptied: Set<number>;
  #time: number | null;
  /** The timestamp of the last line that has one, not yet parsed. */
  #timestamp: string | undefined;
  #lastOffset = -1;
  #inLine = 0;
  bytes: number;
  #readTo: number;
  #tail: Uint8Array;
  #recent: Uint8Array;
  #pieceEnd: number;
  /**
   * The first row in the index that is void. From it on, rows were made of a last line without LF,
   * which may be another line now.
   */
  readonly voidFrom: number;

  /** @throws {Error} If the checkpoint cannot be restored. */
  constructor({ fileName, start, from }: SessionFoldOptions) {
    const base = from?.readTo ?? 0;
    const saved = from && unpacked(from.checkpoint);
    this.#start = start;
    this.bytes = this.#readTo = this.#base = base;
    this.#pieceEnd = base + PIECE_BYTES;
    this.#tail = this.#recent = from?.tail ?? NO_BYTES;
    this.#state = saved === undefined
      ? new HistoryState()
      : HistoryState.restore(saved.history);
    this.#ids = saved?.history.records.map(({ id }) => id) ?? [];
    this.#rows = new Map(
      this.#ids.map((id, at) => [id, id + (saved?.shifts[at] ?? 0)]),
    );
    this.#emptied = new Set(saved?.emptied);
    this.#time = saved?.time ?? null;
    this.#ownRows = [...saved?.ownRows ?? []];
    this.#outputs = new Map(saved?.outputs);
    this.voidFrom = this.#nextRow = saved?.nextRow ?? 0;
    this.#records = new JsonlRecords({
      from: "rollout",
      onError: "drop",
      fileName,
      only: SESSION_LINE_TYPES,
      resume: saved?.rules,
    });
  }

  /** Whether the piece is full, so that {@linkcode take} is due. */
  get isFull(): boolean {
    return this.bytes >= this.#pieceEnd;
  }

  /** Feeds a block, which may be overwritten afterwards. */
  feed(block: Uint8Array): void {
    this.#records.feed(block, this.#apply);
    const end = block.lastIndexOf(LF) + 1;
    if (end > 0) {
      this.#readTo = this.bytes + end;
      this.#tail = lastBytes(
        this.#recent,
        block.subarray(0, end),
        TAIL_BYTES,
      );
    }
    this.#recent = lastBytes(this.#recent, block, TAIL_BYTES);
    this.bytes += block.length;
  }

  /**
   * Returns the changes since the last call, and releases their texts. At the end of the file, a
   * last line without LF is read as well, but is not included in `readTo`: it may be torn. Nothing
   * may be fed afterwards.
   */
  take(isEnd: boolean): FoldedPiece {
    const snapshot = this.#state.snapshot({ resume: true, copy: false });
    const { history, emptied } = lightened(snapshot, this.#emptied);
    const outputs = [...this.#outputs].filter(([id]) => !emptied.has(id));
    const { bytes, checkpoint } = packed({
      history,
      rules: this.#records.save(),
      emptied: [...emptied],
      time: this.#now,
      shifts: this.#ids.map((id) => (this.#rows.get(id) ?? id) - id),
      ownRows: this.#ownRows,
      nextRow: this.#nextRow,
      outputs,
    });
    const hasMore = isEnd && this.#readTo < this.bytes;
    if (isEnd) this.#records.flush(this.#apply);
    const changes = this.#changes(
      hasMore
        ? this.#state.snapshot({ copy: false }).records
        : snapshot.records,
    );
    this.#touched.clear();
    this.#removed = [];
    this.#own = [];
    this.#emptied = emptied;
    this.#outputs = new Map(outputs);
    if (!isEnd) this.#state = HistoryState.restore(history);
    this.#pieceEnd = this.bytes +
      Math.max(PIECE_BYTES, PIECE_PER_CHECKPOINT * bytes);
    return {
      ...changes,
      readTo: this.#readTo,
      tail: this.#tail,
      checkpoint,
      lastTime: this.#now ?? undefined,
    };
  }

  readonly #apply = (outcome: Outcome<unknown>): void => {
    if (!outcome.ok) return;
    const record = fieldsOf(outcome.value);
    const offset = this.#base + outcome.offset;
    this.#timestamp = timestampOf(record.timestamp) ?? this.#timestamp;
    const place = { text: outcome.text, offset };
    this.#state.applyEvents(record, place, (event, mutations) => {
      const output = readFullOutput(event, mutations);
      // Before the records: the text of the event is in this message, not in the explore record.
      if (output !== undefined && output.record === undefined) {
        this.#addExplored(output.text, offset);
      }
      for (const mutation of mutations) this.#note(mutation, offset);
      if (output?.record === undefined) return;
      this.#outputs.set(output.record, output.text);
      this.#change(output.record);
    });
  };

  /** The time of the last line that has one, in milliseconds since 1970. */
  get #now(): number | null {
    if (this.#timestamp !== undefined) this.#time = msOf(this.#timestamp);
    this.#timestamp = undefined;
    return this.#time;
  }

  #note(mutation: HistoryMutation, offset: number): void {
    switch (mutation.type) {
      case "inserted":
        this.#ids.splice(mutation.index, 0, mutation.id);
        this.#rows.set(mutation.id, this.#nextRow++);
        this.#touched.set(mutation.id, this.#placeAt(offset));
        break;
      case "removed":
        this.#ids.splice(mutation.index, 1);
        this.#remove(mutation.id);
        break;
      case "truncated":
        this.#truncate(mutation.index);
        break;
      default:
        this.#change(mutation.id);
    }
  }

  /** Adds a command with its output, which is a part of an explore record. */
  #addExplored(text: string, offset: number): void {
    const row = this.#nextRow++;
    this.#ownRows.push(row);
    this.#own.push({
      role: "command",
      kind: "explore",
      text,
      toolName: "exec",
      place: this.#placeAt(offset),
      row,
    });
  }

  #change(id: number): void {
    if (!this.#touched.has(id)) this.#touched.set(id, undefined);
  }

  #placeAt(offset: number): MessagePlace {
    this.#inLine = offset === this.#lastOffset ? this.#inLine + 1 : 0;
    this.#lastOffset = offset;
    return { offset, inLine: this.#inLine, time: this.#now ?? this.#start };
  }

  #remove(id: number): void {
    const row = this.#rows.get(id);
    if (row !== undefined) this.#removed.push(row);
    this.#rows.delete(id);
    this.#touched.delete(id);
    this.#outputs.delete(id);
    this.#emptied.delete(id);
  }

  /** Removes the records from an index on, and the other messages between and behind them. */
  #truncate(index: number): void {
    let first = index === 0 ? 0 : Infinity;
    for (const id of this.#ids.splice(index)) {
      first = Math.min(first, this.#rows.get(id) ?? Infinity);
      this.#remove(id);
    }
    this.#removed = this.#removed.concat(
      this.#ownRows.filter((row) => row >= first),
    );
    this.#ownRows = this.#ownRows.filter((row) => row < first);
    this.#own = this.#own.filter(({ row }) => row < first);
  }

  #changes(
    records: readonly AnyHistoryRecord[],
  ): Pick<FoldedPiece, "messages" | "removed"> {
    const messages = this.#own;
    for (const record of records) {
      const { id, type: kind } = record;
      const row = this.#rows.get(id);
      if (row === undefined || !this.#touched.has(id)) continue;
      const place = this.#touched.get(id);
      const isEmptied = place === undefined && this.#emptied.has(id);
      const output = this.#outputs.get(id);
      // Its texts were left out, and it has no others now.
      if (isEmptied && output === undefined && isEmpty(record)) continue;
      const text = searchableText(record, output) ?? NO_TEXT;
      messages.push({ ...text, place, row, kind });
    }
    const isRow = (row: number): boolean => row < ROWS_PER_FILE;
    return {
      messages: messages.filter(({ row }) => isRow(row))
        .sort((a, b) => a.row - b.row),
      removed: this.#removed.filter(isRow),
    };
  }
}

/** The text of a record in which there is nothing to search. */
const NO_TEXT: SearchableText = { role: "notice", text: "", toolName: null };

// The checkpoint of a session that was folded in part.

/** How many of the last records are kept whole: later events may still change them. */
const WHOLE_RECORDS = 8;
/** How many of the last records are kept without long texts; older ones become placeholders. */
const FORGOTTEN_RECORDS = 1_000;

/** The state of a session that was folded in part. */
interface SavedFold {
  /** The history, without the long texts of old records. */
  readonly history: HistorySnapshot;
  readonly rules: unknown;
  /** The ids of the records whose texts were left out. */
  readonly emptied: readonly number[];
  /** The time of the last line that has one. */
  readonly time: number | null;
  /** By how much the row of each record is greater than its id: mostly by the same. */
  readonly shifts: readonly number[];
  /** The rows of the messages that are no records, in order. */
  readonly ownRows: readonly number[];
  readonly nextRow: number;
  /** The outputs of the calls of records whose texts were not left out, by the ids of the records. */
  readonly outputs: readonly (readonly [number, string])[];
}

/** Leaves the long texts out of a history, except those of open and of recent records. */
function lightened(
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
      return record.payload.entries.some(isWithoutEnd);
    case "patch":
      return isOpenPatch(record);
    case "reasoning":
      return record.payload.in_progress;
    case "tool_call":
      // Its result may come late.
      return record.payload.error_message === INTERRUPTED;
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
  // The output of its call is left out.
  image: {},
  // Stands for any record.
  loading: {},
};

/** Whether a record has none of the texts that checkpoints leave out. */
function isEmpty(record: AnyHistoryRecord): boolean {
  return isKnownRecord(record) && record.type in EMPTY &&
    JSON.stringify(emptyRecord(record)) === JSON.stringify(record);
}

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

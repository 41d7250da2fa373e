/**
 * Reads a session into the messages that the index has, piece by piece.
 *
 * @module
 */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { HistoryState } from "../history/history_state.ts";
import { fieldsOf, parseJson } from "../history/mapping/json_fields.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import {
  type AnyHistoryRecord,
  type HistoryRecord,
  isKnownRecord,
} from "../history/records.ts";
import type { HistoryLookup, HistorySnapshot } from "../history/snapshot.ts";
import { LF } from "../json/bytes.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { LineAnswers } from "../line_answers.ts";
import { RECORDS_PER_FILE } from "./session_index_tables.ts";
import { type SearchableText, searchableText } from "./_searchable_text.ts";

/** A message as it goes into the index; one without text only has its place there. */
export interface FoldedMessage extends SearchableText {
  /** The number of its record in the history. */
  readonly record: number;
  /** The type of its record. */
  readonly kind: string;
  /** Whether its record is new; else one that is in the index keeps its offset and time. */
  readonly isNew: boolean;
  /** Where the line is that it came with, in bytes, plus how many others came with it before. */
  readonly offset: number;
  /** When it was made, in milliseconds since 1970. */
  readonly time: number;
}

/** What a piece of a session changes in the index. */
export interface FoldedPiece {
  /** Messages that are new or have another text now. */
  readonly messages: readonly FoldedMessage[];
  /** The numbers of records that are gone. */
  readonly removed: readonly number[];
  /** Up to where the file has been read, in bytes: the end of its last whole line. */
  readonly readTo: number;
  /** The last bytes before that place: they tell whether the file still is the same. */
  readonly tail: Uint8Array;
  /** What it takes to read on from there. */
  readonly checkpoint: Uint8Array;
  /** The time of the last line that had one, in milliseconds since 1970. */
  readonly lastTime: number | undefined;
}

/** Where to read on. */
export interface FoldStart {
  /** The bytes before are known. */
  readonly readTo: number;
  /** What {@linkcode FoldedPiece} says it takes. */
  readonly checkpoint: Uint8Array;
  /** The last bytes before. */
  readonly tail: Uint8Array;
}

/** Options for {@linkcode SessionFold}. */
export interface SessionFoldOptions {
  /** The name of the file. */
  readonly fileName: string;
  /** The time of what comes before any line has one, in milliseconds since 1970. */
  readonly start: number;
  /**
   * Where to read on.
   *
   * @default {undefined} The beginning.
   */
  readonly from?: FoldStart | undefined;
}

/** How many bytes before a place tell a file apart. */
export const TAIL_BYTES = 4096;
/** How many of the last records are kept whole: events may still say more of them. */
const WHOLE_RECORDS = 8;
/** How many of the last records are known at all; of older ones, only that there were some. */
const FORGOTTEN_RECORDS = 1_000;
/** How many bytes are read before what they changed is asked for. */
const PIECE_BYTES = 8 << 20;
/** What is read at once grows with what it takes to go on, so that this stays a small part. */
const PIECE_PER_CHECKPOINT = 2;
const BUFFER = 1 << 16;
const NOTHING = new Uint8Array(0);

/** What a checkpoint holds. */
interface Saved {
  /** The history, without the texts of what is long past. */
  readonly history: HistorySnapshot;
  /** What the rules of lines remember. */
  readonly rules: unknown;
  /** The numbers of the records whose texts were left out. */
  readonly emptied: readonly number[];
  /** The time of the last line that had one. */
  readonly time: number | null;
}

/** Reads a session, and says after each piece what that changes in the index. */
export class SessionFold {
  readonly #start: number;
  readonly #answers: LineAnswers;
  #state: HistoryState;
  /** The numbers of the records, in order. */
  readonly #ids: number[];
  /** The records that have changed, and where and when they first did. */
  readonly #touched = new Map<
    number,
    Pick<FoldedMessage, "isNew" | "offset" | "time">
  >();
  readonly #removed = new Set<number>();
  #emptied: ReadonlySet<number>;
  #time: number | null;
  #lastOffset = -1;
  #inLine = 0;
  #bytes: number;
  #readTo: number;
  #tail: Uint8Array;
  #recent: Uint8Array;
  #pieceEnd: number;
  /**
   * From which number on the records that the index has are void: they were made of a last line
   * that had no end, and may be something else now.
   */
  readonly voidFrom: number;

  /**
   * Constructs a new instance.
   *
   * @throws {Error} If what it is to go on from cannot be understood.
   */
  constructor({ fileName, start, from }: SessionFoldOptions) {
    const base = from?.readTo ?? 0;
    const saved = from && unpacked(from.checkpoint);
    this.#start = start;
    this.#bytes = this.#readTo = base;
    this.#pieceEnd = base + PIECE_BYTES;
    this.#tail = this.#recent = from?.tail ?? NOTHING;
    this.#state = saved === undefined
      ? new HistoryState()
      : HistoryState.restore(saved.history);
    this.#ids = saved?.history.records.map(({ id }) => id) ?? [];
    this.#emptied = new Set(saved?.emptied);
    this.#time = saved?.time ?? null;
    this.voidFrom = saved?.history.next_id ?? 0;
    this.#answers = new LineAnswers(
      {
        from: "rollout",
        onError: "drop",
        fileName,
        ...(saved === undefined ? {} : { resume: saved.rules }),
      },
      {
        record: (out, from, _line, offset): undefined => {
          const text = decodeUtf8(out.view(), from, out.length);
          out.truncate(from);
          this.#apply(parseJson(text), base + offset);
        },
        failure(): void {},
      },
      BUFFER,
    );
  }

  /** How many bytes have been read, from the beginning of the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether so much was read that it is time to ask what has changed. */
  get isFull(): boolean {
    return this.#bytes >= this.#pieceEnd;
  }

  /** Takes a block; it may be used again afterwards. */
  feed(block: Uint8Array): void {
    this.#answers.feed(block);
    const end = block.lastIndexOf(LF) + 1;
    if (end > 0) {
      this.#readTo = this.#bytes + end;
      this.#tail = lastBytes(this.#recent, block.subarray(0, end));
    }
    this.#recent = lastBytes(this.#recent, block);
    this.#bytes += block.length;
  }

  /**
   * Says what has changed since the last time, and lets go of the texts.
   *
   * @param isEnd Whether the file ends here. A last line without an end is read then, but does
   *   not count as read: it may be torn. Nothing may be fed afterwards.
   */
  take(isEnd: boolean): FoldedPiece {
    const snapshot = this.#state.snapshot({ resume: true });
    const { history, emptied } = lightened(snapshot, this.#emptied);
    const { bytes, checkpoint } = packed({
      history,
      rules: this.#answers.save(),
      emptied: [...emptied],
      time: this.#time,
    });
    const hasMore = isEnd && this.#readTo < this.#bytes;
    if (hasMore) this.#answers.flush();
    const changes = this.#changes(
      hasMore ? this.#state.snapshot().records : snapshot.records,
    );
    this.#touched.clear();
    this.#removed.clear();
    this.#emptied = emptied;
    if (!isEnd) this.#state = HistoryState.restore(history);
    this.#pieceEnd = this.#bytes +
      Math.max(PIECE_BYTES, PIECE_PER_CHECKPOINT * bytes);
    return {
      ...changes,
      readTo: this.#readTo,
      tail: this.#tail,
      checkpoint,
      lastTime: this.#time ?? undefined,
    };
  }

  #apply(value: unknown, offset: number): void {
    this.#time = timeOf(value) ?? this.#time;
    for (const mutation of this.#state.apply(value)) {
      this.#note(mutation, offset);
    }
  }

  #note(mutation: HistoryMutation, offset: number): void {
    switch (mutation.type) {
      case "inserted":
        this.#ids.splice(mutation.index, 0, mutation.id);
        this.#touch(mutation.id, offset, true);
        break;
      case "removed":
        this.#ids.splice(mutation.index, 1);
        this.#remove(mutation.id);
        break;
      case "truncated":
        for (const id of this.#ids.splice(mutation.index)) this.#remove(id);
        break;
      default:
        if (!this.#touched.has(mutation.id)) {
          this.#touch(mutation.id, offset, false);
        }
    }
  }

  #touch(id: number, offset: number, isNew: boolean): void {
    this.#inLine = offset === this.#lastOffset ? this.#inLine + 1 : 0;
    this.#lastOffset = offset;
    this.#touched.set(id, {
      isNew,
      offset: offset + this.#inLine,
      time: this.#time ?? this.#start,
    });
  }

  #remove(id: number): void {
    this.#touched.delete(id);
    this.#removed.add(id);
  }

  #changes(
    records: readonly AnyHistoryRecord[],
  ): Pick<FoldedPiece, "messages" | "removed"> {
    const messages: FoldedMessage[] = [];
    for (const record of records) {
      const { id, type: kind } = record;
      const touched = this.#touched.get(id);
      if (touched === undefined || id >= RECORDS_PER_FILE) continue;
      const { isNew } = touched;
      // What an emptied record grows by is not its text.
      if (!isNew && this.#emptied.has(id) && GROWING_TYPES.has(kind)) continue;
      const text = searchableText(record) ??
        (isNew || !this.#emptied.has(id) ? NO_TEXT : undefined);
      if (text === undefined) continue;
      messages.push({ ...text, ...touched, record: id, kind });
    }
    return { messages, removed: [...this.#removed] };
  }
}

/** What a record has in which there is nothing to search. */
const NO_TEXT: SearchableText = { role: "notice", text: "", toolName: null };

/** The types of records that what comes later adds to; other ones are said anew as a whole. */
const GROWING_TYPES: ReadonlySet<string> = new Set([
  "exec",
  "patch",
  "reasoning",
]);

/** Leaves the texts out of a history, but for what is not done, or not long past. */
function lightened(
  snapshot: HistorySnapshot,
  before: ReadonlySet<number>,
): { history: HistorySnapshot; emptied: ReadonlySet<number> } {
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

/** Gives a record without its text, if that is long. */
function emptyRecord(record: HistoryRecord): HistoryRecord {
  switch (record.type) {
    case "plain_message":
      return { ...record, payload: { ...record.payload, lines: [] } };
    case "assistant_message":
      return { ...record, payload: { ...record.payload, markdown: "" } };
    case "reasoning":
      return { ...record, payload: { ...record.payload, sections: [] } };
    case "exec":
      return {
        ...record,
        payload: { ...record.payload, stdout_chunks: [], stderr_chunks: [] },
      };
    case "tool_call":
      return {
        ...record,
        payload: { ...record.payload, arguments: [], result_preview: null },
      };
    case "patch":
      return { ...record, payload: { ...record.payload, changes: {} } };
    case "diff":
      return { ...record, payload: { ...record.payload, hunks: [] } };
    case "notice":
      return { ...record, payload: { ...record.payload, body: [] } };
    default:
      return record;
  }
}

function packed(saved: Saved): { bytes: number; checkpoint: Uint8Array } {
  const json = JSON.stringify(saved);
  // The fastest level: most of it is the same few names, which any level packs well.
  return { bytes: json.length, checkpoint: deflateRawSync(json, { level: 1 }) };
}

function unpacked(checkpoint: Uint8Array): Saved {
  // The boundary: it is what `packed` made, or the version of the index would be another.
  return JSON.parse(inflateRawSync(checkpoint).toString()) as Saved;
}

function lastBytes(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= TAIL_BYTES) return bytes.slice(-TAIL_BYTES);
  const kept = before.subarray(
    Math.max(0, before.length + bytes.length - TAIL_BYTES),
  );
  const last = new Uint8Array(kept.length + bytes.length);
  last.set(kept);
  last.set(bytes, kept.length);
  return last;
}

function timeOf(value: unknown): number | undefined {
  const { timestamp } = fieldsOf(value);
  if (typeof timestamp !== "string") return undefined;
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}

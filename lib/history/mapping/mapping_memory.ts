/**
 * What the mapping remembers beside the records.
 *
 * @module
 */

import {
  fieldsOf,
  idOf,
  listOf,
  numberOf,
  textOf,
  wholeOf,
} from "./json_fields.ts";
import { CallLog } from "./call_log.ts";
import { Utf8Decoder } from "../../json/utf8_decoder.ts";
import { Pairing } from "./pairing.ts";
import { RecordLinks, savedField, savedPairs } from "./record_links.ts";
import { timestampOf } from "./times.ts";
import { TurnLog } from "./turn_log.ts";

/** How a rollout tells its history. */
export type HistoryMode = "legacy" | "paginated";

/** The ways in which releases tell it; another word is not understood (rollout.md D.3). */
export const HISTORY_MODES: ReadonlySet<string> = new Set<HistoryMode>([
  "legacy",
  "paginated",
]);

/** The part of another file that a rollout goes on from. */
export interface HistoryBase {
  /** The thread whose file it is. */
  readonly thread_id: string;
  /** Before which ordinal the part ends; `null` if that is not said. */
  readonly end_ordinal_exclusive: number | null;
  /** Before which byte the part ends; `null` if that is not said. */
  readonly end_byte_offset: number | null;
}

/** A compaction whose other line may still come. */
export interface PendingCompaction {
  /** The record that shows it. */
  readonly id: number;
  /** Whether the line with the text made it, or the event. */
  readonly from: "line" | "event";
}

/** The explore record that commands may still join. */
export interface OpenExplore {
  /** Its number. */
  readonly id: number;
  /** Where each command is in it. */
  readonly entries: Map<string, number>;
}

/** The version of what {@linkcode MappingMemory.save} gives. */
const VERSION = 1;

/** Everything that the next events depend on and that no record says. */
export class MappingMemory {
  /** The time of the last event that had one. */
  now: string | null;
  /** How many runs of the producer the stream has seen. */
  run: number;
  /** The thread. */
  threadId: string | null;
  /** Whether the header of the rollout has been read. */
  hasHeader: boolean;
  /** How the rollout tells its history. */
  mode: HistoryMode;
  /** What the header says of that, if it is a word that nobody knows. */
  unknownMode: string | null;
  /** The ordinal before which lines are inherited from another thread. */
  firstOrdinal: number | null;
  /** What the rollout goes on from. */
  base: HistoryBase | null;
  /** The turns. */
  readonly turns: TurnLog;
  /** The copies of messages that are alone. */
  readonly pairing: Pairing;
  /** The records of things. */
  readonly links: RecordLinks;
  /** The calls. */
  readonly calls: CallLog;
  /** Records of work that is under way, with the ids of their calls. */
  readonly working: Map<number, string | null>;
  /** The text of each answer that is being written. */
  readonly streams: Map<string, string>;
  /** The answer that a message without an id ends. */
  liveStream: string | null;
  /** How many answers without an id there were. */
  streamCount: number;
  /** The parts that are being written, by the record they are in. */
  readonly thinking: Map<number, Set<string>>;
  /** The text of each part of a reasoning that is being written. */
  readonly thoughts: Map<string, string>;
  /** How many sections each part has, for records of more than one part. */
  readonly parts: Map<number, number[]>;
  /** The text of each plan that is being written. */
  readonly plans: Map<string, string>;
  /** How many parts without an id there were. */
  thoughtCount: number;
  /** Whether the next piece of reasoning begins another part. */
  isThoughtBroken: boolean;
  /** The explore record that commands may still join. */
  explore: OpenExplore | null;
  /** What the commands do that run in explore records. */
  readonly exploring: Map<string, string>;
  /** The decoders of output that ended inside a character. */
  readonly decoders: Map<string, Utf8Decoder>;
  /** How many thresholds each window has crossed. */
  readonly crossed: { primary: number; secondary: number };
  /** How many images the model asked for that it may still be handed as the user's. */
  viewedImages: number;
  /** What is being reviewed. */
  reviewHint: string | null;
  /** What was reviewed, by the record that shows the end of the review. */
  readonly reviewHints: Map<number, string>;
  /** The last prompt of the review that is going on; `null` if there is no review. */
  reviewPrompt: string | null;
  /** The compaction whose other line may still come. */
  compaction: PendingCompaction | null;

  /**
   * Constructs a new instance.
   *
   * @param saved What {@linkcode MappingMemory.save} gave; anything else is nothing.
   */
  constructor(saved?: unknown) {
    const field = (name: string): unknown => savedField(saved, name);
    this.now = timestampOf(field("now")) ?? null;
    this.run = wholeOf(field("run")) ?? 0;
    this.threadId = textOf(field("thread_id")) ?? null;
    this.hasHeader = field("has_header") === true;
    this.mode = field("mode") === "paginated" ? "paginated" : "legacy";
    this.unknownMode = textOf(field("unknown_mode")) ?? null;
    this.firstOrdinal = numberOf(field("first_ordinal")) ?? null;
    this.base = readHistoryBase(field("base"));
    this.turns = new TurnLog(field("turns"));
    this.pairing = new Pairing(field("pairing"));
    this.links = new RecordLinks(field("links"));
    this.calls = new CallLog(field("calls"));
    this.working = new Map(
      readMap(field("working"), wholeOf, (id) => textOf(id) ?? null),
    );
    this.streams = new Map(readMap(field("streams"), textOf, textOf));
    this.liveStream = textOf(field("live_stream")) ?? null;
    this.streamCount = wholeOf(field("stream_count")) ?? 0;
    this.thinking = new Map(
      readMap(
        field("thinking"),
        wholeOf,
        (keys) =>
          new Set(listOf(keys).filter((key) => typeof key === "string")),
      ),
    );
    this.thoughts = new Map(readMap(field("thoughts"), textOf, textOf));
    this.plans = new Map(readMap(field("plans"), textOf, textOf));
    this.parts = new Map(
      readMap(
        field("parts"),
        wholeOf,
        (sizes) => listOf(sizes).map((size) => wholeOf(size) ?? 0),
      ),
    );
    this.thoughtCount = wholeOf(field("thought_count")) ?? 0;
    this.isThoughtBroken = field("is_thought_broken") === true;
    this.explore = readExplore(field("explore"));
    this.exploring = new Map(readMap(field("exploring"), textOf, textOf));
    this.decoders = new Map(
      readMap(field("decoders"), textOf, (pending) =>
        new Utf8Decoder(
          listOf(pending).map((byte) => wholeOf(byte) ?? 0),
        )),
    );
    const crossed = fieldsOf(field("crossed"));
    this.crossed = {
      primary: wholeOf(crossed.primary) ?? 0,
      secondary: wholeOf(crossed.secondary) ?? 0,
    };
    this.viewedImages = wholeOf(field("viewed_images")) ?? 0;
    this.reviewHint = textOf(field("review_hint")) ?? null;
    this.reviewHints = new Map(
      readMap(field("review_hints"), wholeOf, textOf),
    );
    this.reviewPrompt = textOf(field("review_prompt")) ?? null;
    this.compaction = readCompaction(field("compaction"));
  }

  /** Tells whether something is what {@linkcode MappingMemory.save} gives. */
  static isSaved(saved: unknown): boolean {
    return savedField(saved, "version") === VERSION;
  }

  /** Forgets everything about a record that is gone. */
  forget(id: number): void {
    this.links.forget(id);
    this.calls.forget(id);
    this.working.delete(id);
    for (const key of this.thinking.get(id) ?? []) this.thoughts.delete(key);
    this.thinking.delete(id);
    this.parts.delete(id);
    this.reviewHints.delete(id);
    if (this.explore?.id === id) this.explore = null;
    if (this.compaction?.id === id) this.compaction = null;
    if (this.turns.messageId === id) this.turns.messageId = null;
    if (this.turns.diffId === id) this.turns.diffId = null;
  }

  /** Gives everything as plain JSON. */
  save(): unknown {
    return {
      version: VERSION,
      now: this.now,
      run: this.run,
      thread_id: this.threadId,
      has_header: this.hasHeader,
      mode: this.mode,
      unknown_mode: this.unknownMode,
      first_ordinal: this.firstOrdinal,
      base: this.base === null ? null : { ...this.base },
      turns: this.turns.save(),
      pairing: this.pairing.save(),
      links: this.links.save(),
      calls: this.calls.save(),
      working: [...this.working],
      streams: [...this.streams],
      live_stream: this.liveStream,
      stream_count: this.streamCount,
      thinking: [...this.thinking].map(([id, keys]) => [id, [...keys]]),
      thoughts: [...this.thoughts],
      parts: [...this.parts].map(([id, sizes]) => [id, [...sizes]]),
      plans: [...this.plans],
      thought_count: this.thoughtCount,
      is_thought_broken: this.isThoughtBroken,
      explore: this.explore === null
        ? null
        : { id: this.explore.id, entries: [...this.explore.entries] },
      exploring: [...this.exploring],
      decoders: [...this.decoders].map((
        [key, decoder],
      ) => [key, decoder.pending]),
      crossed: { ...this.crossed },
      viewed_images: this.viewedImages,
      review_hint: this.reviewHint,
      review_hints: [...this.reviewHints],
      review_prompt: this.reviewPrompt,
      compaction: this.compaction === null ? null : { ...this.compaction },
    };
  }
}

/**
 * Reads what a rollout goes on from.
 *
 * @param value The field `history_base` of its header.
 * @returns What it says, or `null` if it names no thread.
 */
export function readHistoryBase(value: unknown): HistoryBase | null {
  const fields = fieldsOf(value);
  const threadId = idOf(fields.thread_id);
  return threadId === undefined ? null : {
    thread_id: threadId,
    end_ordinal_exclusive: numberOf(fields.end_ordinal_exclusive) ?? null,
    end_byte_offset: numberOf(fields.end_byte_offset) ?? null,
  };
}

function readMap<K, V>(
  saved: unknown,
  readKey: (key: unknown) => K | undefined,
  readValue: (value: unknown) => V | undefined,
): [K, V][] {
  const entries: [K, V][] = [];
  for (const [savedKey, savedValue] of savedPairs(saved)) {
    const key = readKey(savedKey);
    const value = readValue(savedValue);
    if (key !== undefined && value !== undefined) entries.push([key, value]);
  }
  return entries;
}

function readExplore(saved: unknown): OpenExplore | null {
  const id = wholeOf(savedField(saved, "id"));
  return id === undefined ? null : {
    id,
    entries: new Map(readMap(savedField(saved, "entries"), textOf, wholeOf)),
  };
}

function readCompaction(saved: unknown): PendingCompaction | null {
  const id = wholeOf(savedField(saved, "id"));
  if (id === undefined) return null;
  return { id, from: savedField(saved, "from") === "event" ? "event" : "line" };
}

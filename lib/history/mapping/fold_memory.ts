/**
 * What the fold remembers beside the records.
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
} from "../../json/fields.ts";
import { RecordLinks, savedField, savedPairs } from "./record_links.ts";
import { timestampOf } from "../../events/times.ts";
import { TurnLog } from "./turn_log.ts";

/** The ways in which session files tell their history; another word is not understood. */
export const HISTORY_MODES: ReadonlySet<string> = new Set([
  "legacy",
  "paginated",
]);

/** The part of another file that a session file goes on from. */
export interface HistoryBase {
  /** The thread whose file it is. */
  readonly thread_id: string;
  /** Before which ordinal the part ends; `null` if that is not said. */
  readonly end_ordinal_exclusive: number | null;
  /** Before which byte the part ends; `null` if that is not said. */
  readonly end_byte_offset: number | null;
}

/** The explore record that commands may still join. */
export interface OpenExplore {
  /** Its number. */
  readonly id: number;
  /** Where each command is in it. */
  readonly entries: Map<string, number>;
}

/** Everything that the next events depend on and that no record says. */
export class FoldMemory {
  /** The time of the last event that had one. */
  now: string | null;
  /** How many runs of the producer the stream has seen. */
  run: number;
  /** The thread. */
  threadId: string | null;
  /** Whether the events are of a session file, as far as is known. */
  isSession: boolean;
  /** Whether what was copied from another thread is left out. */
  skipsInherited: boolean;
  /** The word for how the session file tells its history, if it is none that is known. */
  unknownMode: string | null;
  /** What the session file goes on from. */
  base: HistoryBase | null;
  /** The turns. */
  readonly turns: TurnLog;
  /** The records of items. */
  readonly links: RecordLinks;
  /** Records of work that is under way, with the ids of their calls. */
  readonly working: Map<number, string | null>;
  /** The text of each answer that is being written. */
  readonly streams: Map<string, string>;
  /** The parts that are being written, by the record they are in. */
  readonly thinking: Map<number, Set<string>>;
  /** The text of each part of a reasoning that is being written. */
  readonly thoughts: Map<string, string>;
  /** How many sections each part has, for records of more than one part. */
  readonly parts: Map<number, number[]>;
  /** The text of each plan that is being written. */
  readonly plans: Map<string, string>;
  /** The explore record that commands may still join. */
  explore: OpenExplore | null;
  /** What the commands do that run in explore records. */
  readonly exploring: Map<string, string>;
  /** How many thresholds each window has crossed. */
  readonly crossed: { primary: number; secondary: number };
  /** What is being reviewed. */
  reviewHint: string | null;
  /** What was reviewed, by the record that shows the end of the review. */
  readonly reviewHints: Map<number, string>;

  /**
   * Constructs a new instance.
   *
   * @param saved What {@linkcode FoldMemory.save} gave; anything else is nothing.
   */
  constructor(saved?: unknown) {
    const field = (name: string): unknown => savedField(saved, name);
    this.now = timestampOf(field("now")) ?? null;
    this.run = wholeOf(field("run")) ?? 0;
    this.threadId = textOf(field("thread_id")) ?? null;
    this.isSession = field("is_session") === true;
    this.skipsInherited = field("skips_inherited") === true;
    this.unknownMode = textOf(field("unknown_mode")) ?? null;
    this.base = readHistoryBase(field("base"));
    this.turns = new TurnLog(field("turns"));
    this.links = new RecordLinks(field("links"));
    this.working = new Map(
      readMap(field("working"), wholeOf, (id) => textOf(id) ?? null),
    );
    this.streams = new Map(readMap(field("streams"), textOf, textOf));
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
    this.explore = readExplore(field("explore"));
    this.exploring = new Map(readMap(field("exploring"), textOf, textOf));
    const crossed = fieldsOf(field("crossed"));
    this.crossed = {
      primary: wholeOf(crossed.primary) ?? 0,
      secondary: wholeOf(crossed.secondary) ?? 0,
    };
    this.reviewHint = textOf(field("review_hint")) ?? null;
    this.reviewHints = new Map(
      readMap(field("review_hints"), wholeOf, textOf),
    );
  }

  /** Forgets everything about a record that is gone. */
  forget(id: number): void {
    this.links.forget(id);
    this.working.delete(id);
    for (const key of this.thinking.get(id) ?? []) this.thoughts.delete(key);
    this.thinking.delete(id);
    this.parts.delete(id);
    this.reviewHints.delete(id);
    if (this.explore?.id === id) this.explore = null;
    if (this.turns.messageId === id) this.turns.messageId = null;
    if (this.turns.diffId === id) this.turns.diffId = null;
  }

  /** Gives everything as plain JSON. */
  save(): unknown {
    return {
      now: this.now,
      run: this.run,
      thread_id: this.threadId,
      is_session: this.isSession,
      skips_inherited: this.skipsInherited,
      unknown_mode: this.unknownMode,
      base: this.base === null ? null : { ...this.base },
      turns: this.turns.save(),
      links: this.links.save(),
      working: [...this.working],
      streams: [...this.streams],
      thinking: [...this.thinking].map(([id, keys]) => [id, [...keys]]),
      thoughts: [...this.thoughts],
      parts: [...this.parts].map(([id, sizes]) => [id, [...sizes]]),
      plans: [...this.plans],
      explore: this.explore === null
        ? null
        : { id: this.explore.id, entries: [...this.explore.entries] },
      exploring: [...this.exploring],
      crossed: { ...this.crossed },
      review_hint: this.reviewHint,
      review_hints: [...this.reviewHints],
    };
  }
}

/**
 * Reads what a session file goes on from.
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

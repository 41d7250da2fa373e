/**
 * What the fold remembers beside the records.
 *
 * @module
 */

import { timestampOf } from "../../events/times.ts";
import {
  booleanOf,
  fieldsOf,
  idOf,
  listOf,
  numberOf,
  textOf,
  wholeOf,
} from "../../json/fields.ts";
import { savedField } from "../../json/saved.ts";

// Which record an item has become, where the lookups of the contract do not say it.

export interface RecordLink {
  /** The number of the record. */
  readonly id: number;
  /** Its place in the record: of an entry in an explore, of a part in a reasoning. */
  readonly at: number;
  /** Whether an `item.started` told of it. */
  hasBegun: boolean;
}

/**
 * What is linked. Calls share one kind: what begins as a command may turn out to be a patch.
 * Other items have their type, since some producers count the items of each type from 0.
 */
export type LinkKind =
  /** A command, a tool, a patch, a plan or an image. */
  | "call"
  /** A command in an explore record, by the id of its call. */
  | "explored"
  /** Work that a bare snapshot shows as under way, by the id of its call. */
  | "restored"
  | "background_event"
  | "context_compaction"
  | "entered_review_mode"
  | "exited_review_mode"
  | "plan"
  | "reasoning"
  /** What the end of a review says besides. */
  | "review_notice"
  | "speech"
  | "sub_agent_activity"
  | "user_image"
  | "user_message";

/** A link that knows the one before it of the same record: most records have one. */
interface ChainedLink extends RecordLink {
  readonly kind: LinkKind;
  readonly item: string;
  readonly before: ChainedLink | undefined;
}

/** Links from items to records, and back: records that go take their links along. */
class RecordLinks {
  /** Most links are to calls. */
  readonly #calls = new Map<string, ChainedLink>();
  readonly #links = new Map<string, Map<string, ChainedLink>>([
    ["call", this.#calls],
  ]);
  /** The newest link of each record. */
  readonly #newest = new Map<number, ChainedLink>();

  constructor(saved?: unknown) {
    for (const entry of listOf(saved)) {
      const [kind, item, id, at, hasBegun] = listOf(entry);
      const number = wholeOf(id);
      if (typeof kind !== "string" || typeof item !== "string") continue;
      if (number === undefined) continue;
      // Of another kind nothing asks.
      const link = this.set(kind as LinkKind, item, number, wholeOf(at) ?? 0);
      link.hasBegun = booleanOf(hasBegun) ?? false;
    }
  }

  get(kind: LinkKind, item: string): RecordLink | undefined {
    return kind === "call"
      ? this.#calls.get(item)
      : this.#links.get(kind)?.get(item);
  }

  set(kind: LinkKind, item: string, id: number, at = 0): RecordLink {
    const before = this.#newest.get(id);
    const link = { id, at, hasBegun: false, kind, item, before };
    this.#newest.set(id, link);
    let links = this.#links.get(kind);
    if (links === undefined) this.#links.set(kind, links = new Map());
    links.set(item, link);
    return link;
  }

  drop(kind: LinkKind, item: string): void {
    this.#links.get(kind)?.delete(item);
  }

  forget(id: number): void {
    let link = this.#newest.get(id);
    for (; link !== undefined; link = link.before) {
      const { kind, item } = link;
      // The item may have the link of another record by now.
      if (this.get(kind, item) === link) this.drop(kind, item);
    }
    this.#newest.delete(id);
  }

  save(): unknown {
    return [...this.#links].flatMap(([kind, links]) =>
      [...links].map(([item, { id, at, hasBegun }]) =>
        hasBegun ? [kind, item, id, at, true] : [kind, item, id, at]
      )
    );
  }
}

function savedPairs(saved: unknown): (readonly [unknown, unknown])[] {
  return listOf(saved).map((pair) => [listOf(pair)[0], listOf(pair)[1]]);
}

// The turns of a session: where they begin, and what the present one has.

/** Remembers where turns begin, so that they can be rolled back. */
export class TurnLog {
  /** How many records there were when each turn began. */
  #starts: number[];
  /** Whether an event opened the present turn and none has closed it. */
  #isOpen: boolean;
  /** How many records there were when the prompt that opened the turn had been shown. */
  #promptEnd: number | null;
  /** The last answer of the turn. */
  messageId: number | null = null;
  /** The item that it is of. */
  messageItem: string | null = null;
  /** Whether a count of tokens has told what an answer of the turn took. */
  isCounted = false;
  /** The diff of the turn. */
  diffId: number | null = null;
  /** The last error of the turn. */
  errorMessage: string | null = null;

  constructor(saved?: unknown) {
    this.#starts = listOf(savedField(saved, "starts")).map(wholeOf)
      .filter((start) => start !== undefined);
    this.#isOpen = booleanOf(savedField(saved, "open")) ?? false;
    this.#promptEnd = wholeOf(savedField(saved, "prompt_end")) ?? null;
    this.messageId = wholeOf(savedField(saved, "message_id")) ?? null;
    this.messageItem = textOf(savedField(saved, "message_item")) ?? null;
    this.isCounted = booleanOf(savedField(saved, "is_counted")) ?? false;
    this.diffId = wholeOf(savedField(saved, "diff_id")) ?? null;
    this.errorMessage = textOf(savedField(saved, "error_message")) ?? null;
  }

  /**
   * Begins a turn because an event says so. A turn that has nothing but its prompt yet is the
   * same one.
   *
   * @param length How many records there are.
   */
  open(length: number): void {
    if (this.#isOpen || this.#promptEnd !== length) this.#begin(length);
    this.#promptEnd = null;
    this.#isOpen = true;
  }

  /**
   * Begins a turn because the user says something, unless that is said within one.
   *
   * @param length How many records there are.
   */
  prompt(length: number): void {
    if (!this.#isOpen) this.#begin(length);
  }

  /**
   * Takes note that a prompt has been shown.
   *
   * @param length How many records there are now.
   */
  prompted(length: number): void {
    if (!this.#isOpen) this.#promptEnd = length;
  }

  /** Ends the turn; what belongs to it may still come. */
  close(): void {
    this.#isOpen = false;
    this.#promptEnd = null;
  }

  /** Takes note that a record is gone. */
  removed(index: number): void {
    for (let at = this.#starts.length - 1; at >= 0; at--) {
      const start = this.#starts[at] ?? 0;
      if (start <= index) break;
      this.#starts[at] = start - 1;
    }
    if (this.#promptEnd !== null && this.#promptEnd > index) {
      this.#promptEnd -= 1;
    }
  }

  /**
   * Takes note that many records are gone.
   *
   * @param indexes The places that they had, in order.
   */
  forgotten(indexes: readonly number[]): void {
    let before = 0;
    const moved = (place: number): number => {
      while (before < indexes.length && (indexes[before] ?? 0) < place) {
        before += 1;
      }
      return place - before;
    };
    this.#starts = this.#starts.map(moved);
    if (this.#promptEnd !== null) this.#promptEnd = moved(this.#promptEnd);
  }

  /**
   * Forgets the last turns.
   *
   * @param count How many.
   * @returns How many records remain, or `undefined` if there is nothing to forget.
   */
  rollBack(count: number): number | undefined {
    if (!(count > 0)) return undefined;
    const kept = Math.max(0, this.#starts.length - count);
    const length = count > this.#starts.length ? 0 : this.#starts[kept] ?? 0;
    this.#starts.length = kept;
    this.close();
    this.#clear();
    return length;
  }

  /** Gives the turns as plain JSON. */
  save(): unknown {
    return {
      starts: [...this.#starts],
      open: this.#isOpen,
      prompt_end: this.#promptEnd,
      message_id: this.messageId,
      message_item: this.messageItem,
      is_counted: this.isCounted,
      diff_id: this.diffId,
      error_message: this.errorMessage,
    };
  }

  #begin(length: number): void {
    this.#starts.push(length);
    this.#promptEnd = null;
    this.#clear();
  }

  #clear(): void {
    this.messageId = null;
    this.messageItem = null;
    this.isCounted = false;
    this.diffId = null;
    this.errorMessage = null;
  }
}

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
interface OpenExplore {
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

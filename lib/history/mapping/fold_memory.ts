/** The state of the fold that no record holds. */

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
import { savedMap } from "../../json/saved.ts";
import { ReasoningText } from "./reasoning_text.ts";
import { TextLines } from "./text_lines.ts";

export interface RecordLink {
  readonly id: number;
  /** The index inside the record: of an entry in an explore, of a part in a reasoning. */
  readonly at: number;
  /** The kind (`ExecAction`) of a command in an explore record. */
  action: string | null;
}

/**
 * The kind of a link. All calls share one kind, since a call that begins as a command may turn out
 * to be a patch. Other items have a kind for each type, since some producers count the items of
 * each type from 0.
 */
export type LinkKind =
  /** A command, a tool, a patch, a plan or an image. */
  | "call"
  | "background_event"
  | "context_compaction"
  | "entered_review_mode"
  | "exited_review_mode"
  | "plan"
  | "reasoning"
  /** The explanation at the end of a review. */
  | "review_notice"
  | "speech"
  | "sub_agent_activity"
  | "user_image"
  | "user_message";

/** A link in the list of links to the same record. Most records have one link. */
interface ChainedLink extends RecordLink {
  readonly kind: LinkKind;
  readonly item: string;
  readonly before: ChainedLink | undefined;
}

/** Links from items to records, and back, so that the links of a removed record can be removed. */
class RecordLinks {
  readonly #links = new Map<string, Map<string, ChainedLink>>();
  readonly #newest = new Map<number, ChainedLink>();

  constructor(saved?: unknown) {
    for (const entry of listOf(saved)) {
      const [kind, item, id, at, action] = listOf(entry);
      const number = wholeOf(id);
      if (typeof kind !== "string" || typeof item !== "string") continue;
      if (number === undefined) continue;
      // A link of an unknown kind is never looked up.
      const link = this.set(kind as LinkKind, item, number, wholeOf(at) ?? 0);
      link.action = textOf(action) ?? null;
    }
  }

  get(kind: LinkKind, item: string): RecordLink | undefined {
    return this.#links.get(kind)?.get(item);
  }

  set(kind: LinkKind, item: string, id: number, at = 0): RecordLink {
    const before = this.#newest.get(id);
    const link = { id, at, action: null, kind, item, before };
    this.#newest.set(id, link);
    let links = this.#links.get(kind);
    if (links === undefined) this.#links.set(kind, links = new Map());
    links.set(item, link);
    return link;
  }

  drop(kind: LinkKind, item: string): void {
    const links = this.#links.get(kind);
    links?.delete(item);
    // Saved states have no empty maps, and the order of kinds is saved.
    if (links?.size === 0) this.#links.delete(kind);
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
      [...links].map(([item, { id, at, action }]) =>
        action === null ? [kind, item, id, at] : [kind, item, id, at, action]
      )
    );
  }
}

/** The starts of all turns, so that they can be rolled back, and the state of the last turn. */
export class TurnLog {
  /** For each turn, the id of its first record: a turn has all ids up to that of the next one. */
  #starts: number[];
  #isOpen: boolean;
  /** The next id after the prompt that opened the turn; `null` if none did. */
  #promptEnd: number | null;
  /** The record id of the last assistant message of the turn. */
  messageId: number | null;
  /** The item id of that message. */
  messageItem: string | null;
  diffId: number | null;
  errorMessage: string | null;

  constructor(saved?: unknown) {
    const field = fieldsOf(saved);
    this.#starts = wholesOf(field.starts);
    this.#isOpen = booleanOf(field.open) ?? false;
    this.#promptEnd = wholeOf(field.prompt_end) ?? null;
    this.messageId = wholeOf(field.message_id) ?? null;
    this.messageItem = textOf(field.message_item) ?? null;
    this.diffId = wholeOf(field.diff_id) ?? null;
    this.errorMessage = textOf(field.error_message) ?? null;
  }

  /** Whether an event has opened the last turn and none has closed it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Starts a turn at its start event. If the last turn has only a prompt so far, the event belongs
   * to that turn.
   *
   * @param nextId The id of the next record.
   */
  open(nextId: number): void {
    if (this.#isOpen || this.#promptEnd !== nextId) this.#begin(nextId);
    this.#promptEnd = null;
    this.#isOpen = true;
  }

  /** Starts a turn at a prompt outside of an open turn. */
  prompt(nextId: number): void {
    if (!this.#isOpen) this.#begin(nextId);
  }

  /** Notes that the records of a prompt were added. */
  prompted(nextId: number): void {
    if (!this.#isOpen) this.#promptEnd = nextId;
  }

  /** Notes that the next start event does not belong to the last prompt. */
  leavePrompt(): void {
    this.#promptEnd = null;
  }

  /** Closes the turn; later events may still belong to it. */
  close(): void {
    this.#isOpen = false;
    this.#promptEnd = null;
  }

  /**
   * Drops the last turns. Returns the id from which on records are dropped; nothing if `count` is
   * not above 0.
   */
  rollBack(count: number): number | undefined {
    if (!(count > 0)) return undefined;
    const hasAll = count <= this.#starts.length;
    const dropped = this.#starts.splice(-count);
    this.close();
    this.#clear();
    // After a rollback, turns may start at lower ids than the ones before.
    return hasAll ? dropped.reduce((a, b) => Math.min(a, b)) : 0;
  }

  save(): unknown {
    return {
      starts: [...this.#starts],
      open: this.#isOpen,
      prompt_end: this.#promptEnd,
      message_id: this.messageId,
      message_item: this.messageItem,
      diff_id: this.diffId,
      error_message: this.errorMessage,
    };
  }

  #begin(nextId: number): void {
    this.#starts.push(nextId);
    this.#promptEnd = null;
    this.#clear();
  }

  #clear(): void {
    this.messageId = null;
    this.messageItem = null;
    this.diffId = null;
    this.errorMessage = null;
  }
}

function wholesOf(saved: unknown): number[] {
  return listOf(saved).map(wholeOf).filter((each) => each !== undefined);
}

/** The known values of `history_mode` in session files. */
export const HISTORY_MODES: ReadonlySet<string> = new Set([
  "legacy",
  "paginated",
]);

/** The part of another file that a session file continues. */
export interface HistoryBase {
  /** The id of the thread of that file. */
  readonly thread_id: string;
  /** The ordinal before which the part ends; `null` if the header has none. */
  readonly end_ordinal_exclusive: number | null;
  /** The byte offset before which the part ends; `null` if the header has none. */
  readonly end_byte_offset: number | null;
}

/** The state on which the next events depend and that no record holds. */
export class FoldMemory {
  /** The time of the last event that had one. */
  now: string | null;
  /** The number of runs of the producer in the stream so far. */
  run: number;
  threadId: string | null;
  /** Whether the events are those of a session file, as far as is known. */
  isSession: boolean;
  /** Whether the stream has token counts of requests. */
  isCounted: boolean;
  /** Whether events that were copied from another thread are skipped. */
  skipsInherited: boolean;
  /** The `history_mode` of the session file, if it is unknown. */
  unknownMode: string | null;
  base: HistoryBase | null;
  readonly turns: TurnLog;
  readonly links: RecordLinks;
  /** The ids of the records of unfinished calls. */
  readonly working: Set<number>;
  /** The texts of the unfinished parts of a reasoning, by record id and item id. */
  readonly thinking: Map<number, Map<string, ReasoningText>>;
  /** The number of sections of each part, by record id, for records with several parts. */
  readonly parts: Map<number, number[]>;
  /** The texts of unfinished plans, by item id. */
  readonly plans: Map<string, TextLines>;
  /** The number of thresholds that each window of the rate limits has crossed. */
  readonly crossed: { primary: number; secondary: number };
  reviewHint: string | null;

  constructor(saved?: unknown) {
    const field = fieldsOf(saved);
    this.now = timestampOf(field.now) ?? null;
    this.run = wholeOf(field.run) ?? 0;
    this.threadId = textOf(field.thread_id) ?? null;
    this.isSession = field.is_session === true;
    this.isCounted = field.is_counted === true;
    this.skipsInherited = field.skips_inherited === true;
    this.unknownMode = textOf(field.unknown_mode) ?? null;
    this.base = readHistoryBase(field.base);
    this.turns = new TurnLog(field.turns);
    this.links = new RecordLinks(field.links);
    this.working = new Set(wholesOf(field.working));
    this.thinking = savedMap(
      field.thinking,
      wholeOf,
      (texts) =>
        savedMap(
          texts,
          textOf,
          (text) => new ReasoningText(textOf(text) ?? ""),
        ),
    );
    this.plans = savedMap(
      field.plans,
      textOf,
      (text) => new TextLines(textOf(text) ?? ""),
    );
    this.parts = savedMap(field.parts, wholeOf, wholesOf);
    const crossed = fieldsOf(field.crossed);
    this.crossed = {
      primary: wholeOf(crossed.primary) ?? 0,
      secondary: wholeOf(crossed.secondary) ?? 0,
    };
    this.reviewHint = textOf(field.review_hint) ?? null;
  }

  /** Returns an item id that is unique over all runs: ids restart in every process. */
  scopedId(id: string): string {
    return this.run >= 2 ? `${this.run}:${id}` : id;
  }

  /** Drops the memory of a record that was removed. */
  forget(id: number): void {
    this.links.forget(id);
    this.working.delete(id);
    this.thinking.delete(id);
    this.parts.delete(id);
    if (this.turns.messageId === id) this.turns.messageId = null;
    if (this.turns.diffId === id) this.turns.diffId = null;
  }

  save(): unknown {
    return {
      now: this.now,
      run: this.run,
      thread_id: this.threadId,
      is_session: this.isSession,
      is_counted: this.isCounted,
      skips_inherited: this.skipsInherited,
      unknown_mode: this.unknownMode,
      base: this.base === null ? null : { ...this.base },
      turns: this.turns.save(),
      links: this.links.save(),
      working: [...this.working],
      thinking: [...this.thinking].map(([id, texts]) => [
        id,
        [...texts].map(([key, { text }]) => [key, text]),
      ]),
      parts: [...this.parts].map(([id, sizes]) => [id, [...sizes]]),
      plans: [...this.plans].map(([id, { text }]) => [id, text]),
      crossed: { ...this.crossed },
      review_hint: this.reviewHint,
    };
  }
}

/** Reads the `history_base` of a session header; `null` if it names no thread. */
export function readHistoryBase(value: unknown): HistoryBase | null {
  const fields = fieldsOf(value);
  const threadId = idOf(fields.thread_id);
  return threadId === undefined ? null : {
    thread_id: threadId,
    end_ordinal_exclusive: numberOf(fields.end_ordinal_exclusive) ?? null,
    end_byte_offset: numberOf(fields.end_byte_offset) ?? null,
  };
}

/**
 * The tokens that a session file counts.
 */

import {
  type Fields,
  fieldsOf,
  firstIdOf,
  idOf,
  textOf,
} from "../history/mapping/json_fields.ts";
import { eventOf } from "../history/mapping/line_events.ts";
import {
  firstOrdinalOf,
  isForkHeader,
  isInherited,
} from "../history/mapping/inherited_lines.ts";
import { ownText } from "../json/own_text.ts";
import {
  type CountPlace,
  type SourceLedger,
  timeOf,
} from "./_source_ledger.ts";
import {
  type Addition,
  type TokenCount,
  TokenCounter,
} from "./token_counter.ts";
import { readTokens } from "./tokens.ts";
import { readTokenCount } from "./token_counts.ts";
import { timeInUuid } from "./_uuid_time.ts";

/**
 * How long a pause tells a thread's own lines from those that it copied when it began, where
 * nothing else does (before turns had ids), in milliseconds: copies are written in one go,
 * and the first line that is the thread's own is a prompt.
 */
const PAUSE_BEFORE_PROMPT = 25;
const PAUSE_BEFORE_OTHERS = 1000;

/** The names by which events about turns go. */
const TURN_STARTS: ReadonlySet<unknown> = new Set([
  "task_started",
  "turn_started",
]);

/** A review that a thread does, or that another one does for it. */
interface Review {
  /** When it began. */
  readonly began: number | undefined;
  /** What counts in it, once there has been a count: the thread's own, or another one. */
  counter: TokenCounter | undefined;
}

/** Reads the lines of one session file. */
export class RolloutCounts {
  readonly #ledger: SourceLedger;
  #counter = new TokenCounter();
  #thread: string | null = null;
  #hasHeader = false;
  #model: string | null = null;
  #cwd: string | null = null;
  #turn: string | null = null;
  /** The time of the line, or else of the last one that has one. */
  #time: string | undefined;
  /** Whether the turn has an id of its own, and so an event that begins it. */
  #isNamedTurn = false;
  /** Whether any turn has had an id of its own (0.104 and later). */
  #hasTurnIds = false;
  /** Whether the thread has been asked anything, as far as the file has it. */
  #isBegun = false;
  /** How many turns have been given an id because they had none. */
  #turns = 0;
  /** Whether the thread began with what another one had. */
  #isFork = false;
  /** The ordinal of the first line that is the thread's own; `null` if all are. */
  #firstOrdinal: number | null = null;
  /** When the last line was copied from another thread, while nothing else tells. */
  #copiedAt: number | undefined;
  /** The review that is going on. */
  #review: Review | undefined;
  /** What counted in the review before, until the thread itself counts again. */
  #reviewCounter: TokenCounter | undefined;

  /** Constructs a new instance. */
  constructor(ledger: SourceLedger) {
    this.#ledger = ledger;
  }

  /**
   * Takes a line.
   *
   * @param record The line, as it was decoded.
   * @param text Its text.
   * @param line Its number.
   */
  take(record: Fields, text: string, line: number): void {
    const payload = fieldsOf(record.payload);
    this.#time = textOf(record.timestamp) ?? this.#time ??
      (record.type === "session_meta" ? textOf(payload.timestamp) : undefined);
    if (this.#copiedAt !== undefined) {
      this.#followCopies(eventOf(record)?.type === "user_message");
    }
    switch (record.type) {
      case "session_meta":
        return this.#header(payload);
      case "turn_context":
        return this.#context(payload);
      case "event_msg":
        return this.#event(record, payload, ["payload"], { text, line });
      case "event":
        return this.#event(record, fieldsOf(payload.msg), ["payload", "msg"], {
          text,
          line,
        });
      case "token_usage_record":
        return this.#record(record, payload, { text, line });
    }
  }

  #header(meta: Fields): void {
    const id = firstIdOf(meta.id, meta.session_id) ?? null;
    if (!this.#hasHeader) {
      this.#hasHeader = true;
      this.#thread = id;
      this.#cwd = textOf(meta.cwd) ?? null;
      this.#firstOrdinal = firstOrdinalOf(meta);
      this.#isFork = isForkHeader(meta);
      const thread = this.#ledger.thread(id);
      thread.isFile = true;
      thread.parent = parentOf(meta) ?? null;
      if (fieldsOf(meta.source).subagent === "review") {
        thread.reviews = timeOf(meta.timestamp);
      }
    } else if (id !== this.#thread) {
      // Copied, with what follows, from the thread that this one was forked from.
      this.#isFork = true;
      this.#copiedAt = timeOf(this.#time);
    }
  }

  #context(context: Fields): void {
    // The thread itself goes on, whatever became of a review.
    this.#leaveReview();
    this.#isBegun = true;
    this.#model = renewed(this.#model, context.model);
    this.#cwd = renewed(this.#cwd, context.cwd);
    const turn = idOf(context.turn_id);
    if (turn !== undefined) this.#begin(turn);
  }

  #event(
    record: Fields,
    event: Fields,
    path: readonly string[],
    at: { readonly text: string; readonly line: number },
  ): void {
    if (TURN_STARTS.has(event.type)) {
      if (this.#review === undefined) this.#begin(idOf(event.turn_id));
    } else if (event.type === "user_message") {
      // Up to 0.98 nothing but the prompt begins a turn.
      const isReview = this.#review !== undefined;
      if (!this.#isNamedTurn && !isReview) this.#begin(undefined);
    } else if (event.type === "entered_review_mode") {
      this.#enterReview();
    } else if (event.type === "exited_review_mode") {
      this.#leaveReview();
    } else if (event.type === "token_count") {
      const count = readTokenCount(event, at.text, path);
      const isBefore = this.#isFork && !this.#isBegun;
      if (this.#turn === null && !isBefore) this.#begin(undefined);
      const counter = this.#counterOf(count);
      const addition = counter.count(count, {
        turn: this.#turn,
        isFork: this.#isFork,
        hasTurnIds: this.#hasTurnIds,
        hasOrdinal: record.ordinal !== undefined,
      });
      // Nothing has been asked yet: what is known is what the other thread used.
      const isOthers = isBefore && addition.tokens !== undefined;
      this.#add(
        record,
        at.line,
        this.#turn,
        isOthers ? { rule: "replayed" } : addition,
      );
    }
  }

  #record(
    record: Fields,
    usage: Fields,
    { text, line }: { readonly text: string; readonly line: number },
  ): void {
    const path = ["payload", "usage"];
    const tokens = readTokens(usage.usage, text, path);
    if (tokens === undefined) return;
    const turn = idOf(usage.turn_id) ?? this.#turn;
    const thread = idOf(usage.thread_id);
    const isOther = thread !== undefined && thread !== this.#thread;
    if (isOther || this.#isCopied(record, turn)) {
      this.#add(record, line, turn, { rule: "replayed" });
      return;
    }
    this.#counter.recorded();
    this.#add(record, line, turn, { rule: "record", tokens });
  }

  #begin(turn: string | undefined): void {
    this.#isBegun = true;
    if (turn === undefined) this.#turns += 1;
    this.#isNamedTurn = turn !== undefined;
    this.#hasTurnIds ||= this.#isNamedTurn;
    this.#turn = turn ?? `synthetic-turn-${this.#turns}`;
  }

  #add(
    record: Fields,
    line: number,
    turn: string | null,
    addition: Addition,
  ): void {
    const isCopied = addition.tokens !== undefined &&
      this.#isCopied(record, turn);
    const place: CountPlace = {
      line,
      thread: this.#thread,
      turn,
      model: this.#model,
      cwd: this.#cwd,
      timestamp: this.#time,
      reviewed: this.#review?.counter === this.#counter
        ? undefined
        : this.#review?.began,
    };
    this.#ledger.add(place, isCopied ? { rule: "replayed" } : addition);
  }

  /** Whether a line was copied from another thread when this one began. */
  #isCopied(record: Fields, turn: string | null): boolean {
    if (!this.#isFork) return false;
    if (isInherited(record, this.#firstOrdinal)) return true;
    // Ids tell when they were made: a turn older than the thread is not the thread's own.
    const began = timeInUuid(this.#thread);
    const turnBegan = timeInUuid(turn);
    if (began !== undefined && turnBegan !== undefined) {
      return turnBegan < began;
    }
    return this.#copiedAt !== undefined;
  }

  /** Tells whether a line is still one of those that were copied in one go. */
  #followCopies(isPrompt: boolean): void {
    const time = timeOf(this.#time);
    const pause = (time ?? Infinity) - (this.#copiedAt ?? 0);
    const limit = isPrompt ? PAUSE_BEFORE_PROMPT : PAUSE_BEFORE_OTHERS;
    this.#copiedAt = pause >= limit ? undefined : time;
  }

  /** A review begins. Up to 0.77 what it uses is written down here. */
  #enterReview(): void {
    this.#review ??= { began: timeOf(this.#time), counter: undefined };
    this.#begin(undefined);
  }

  #leaveReview(): void {
    if (this.#review === undefined) return;
    this.#reviewCounter = this.#review.counter;
    this.#review = undefined;
  }

  /**
   * Gives what follows the totals that a count belongs to. In some releases a review is a
   * thread of its own with totals of its own; in others it goes on with those of the thread.
   */
  #counterOf(count: TokenCount): TokenCounter {
    if (this.#review !== undefined) {
      this.#review.counter ??= this.#counter.isContinuedBy(count)
        ? this.#counter
        : new TokenCounter();
      return this.#review.counter;
    }
    // Nothing had been counted before the review, which was the thread's own after all.
    if (!this.#counter.hasTotal && this.#reviewCounter?.isContinuedBy(count)) {
      this.#counter = this.#reviewCounter;
    }
    this.#reviewCounter = undefined;
    return this.#counter;
  }
}

/** A text, or what it was before if it is none; the same text is not kept twice. */
function renewed(before: string | null, value: unknown): string | null {
  const text = textOf(value);
  return text === undefined || text === before ? before : ownText(text);
}

/** The thread that spawned another one, by the header of that one. */
function parentOf(meta: Fields): string | undefined {
  const { subagent } = fieldsOf(meta.source);
  const { thread_spawn } = fieldsOf(subagent);
  return firstIdOf(
    meta.parent_thread_id,
    fieldsOf(thread_spawn).parent_thread_id,
  );
}

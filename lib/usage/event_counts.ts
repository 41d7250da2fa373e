/** Finds the token counts in the events of one file or stream, with their thread and turn. */

import { realId } from "../events/ids.ts";
import { isForkHeader } from "../events/inherited_lines.ts";
import { eventMs, eventTime, timeOf } from "../events/times.ts";
import { TurnSettings } from "../events/turn_settings.ts";
import { type Fields, fieldsOf, idOf, textOf } from "../json/fields.ts";
import type { CountPlace, CountTaker } from "./source_ledger.ts";
import {
  type Addition,
  readTokenCount,
  type TokenCount,
  TokenCounter,
} from "./token_counter.ts";
import { isNothing, readTokens } from "./tokens.ts";

/** The types of events and items that {@linkcode EventCounts} reads. */
export const TYPES_OF_COUNTS = [
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn_context",
  "user_message",
  "entered_review_mode",
  "exited_review_mode",
  "token_count",
  "token_usage_record",
] as const;

/** Stands for the thread and turn ids that an input without its beginning lacks. */
export const UNKNOWN_ID = "unknown";

/** A review in progress, done by the thread itself or by another thread for it. */
interface Review {
  /** When it began, in milliseconds since 1970. */
  readonly began: number | undefined;
  /** The counter of its totals: the thread's own or a new one. Set at its first count. */
  counter: TokenCounter | undefined;
}

/** The state of one thread of a stream. The stream of an app-server has many threads. */
interface ThreadState {
  readonly counter: TokenCounter;
  readonly settings: TurnSettings;
  /** The turn in progress; null outside of turns. */
  turn: string | null;
  turnTime: string | undefined;
  /** Whether the thread is resumed or forked: its totals include earlier usage. */
  readonly isResumed: boolean;
  /** Whether its next count may repeat earlier usage. */
  mayRepeat: boolean;
  /** Whether the process writes a count for each request (app-servers, and exec up to 0.42). */
  hasCounts: boolean;
}

/**
 * Reads the events of one file or stream and passes their token counts to a ledger. Session
 * files, and exec streams up to 0.42, have counts of requests; exec streams since then have
 * the usage at the ends of turns.
 */
export class EventCounts {
  readonly #ledger: CountTaker;
  readonly #threads = new Map<string | null, ThreadState>();
  #counter = new TokenCounter();
  readonly #settings = new TurnSettings();
  /** The turn that began last; null before the first one. */
  #turn: string | null = null;
  /** Whether any turn has had an id in the input (0.104 and later). */
  #hasTurnIds = false;
  /** Whether the file has had a prompt, a turn with an id, or a `turn_context`. */
  #isBegun = false;
  #isFork = false;
  /** Whether the lines of the session file have ordinals (0.148 and later). */
  #hasOrdinals = false;
  #review: Review | undefined;
  /** The counter of the review before, until the thread itself counts again. */
  #reviewCounter: TokenCounter | undefined;

  constructor(ledger: CountTaker) {
    this.#ledger = ledger;
  }

  /** Reads an event. Those of session files have a `line`. */
  take(event: Fields, line: number): void {
    if (event.line === undefined) this.#takeExec(event, line);
    else this.#takeSession(event, line);
  }

  #takeExec(event: Fields, line: number): void {
    const state = this.#stateOf(event);
    switch (event.type) {
      case "thread.started":
        return state.settings.take(event);
      case "item.completed": {
        if (event.item_type !== "token_count") {
          return state.settings.take(event);
        }
        state.hasCounts = true;
        const count = readTokenCount(fieldsOf(event.content));
        const place = this.#execPlace(event, state, line);
        const isOfServer = textOf(event.method) !== undefined;
        if (state.mayRepeat && isOfServer) {
          state.mayRepeat = false;
          state.counter.goOnFrom(count);
          this.#ledger.add(place, { rule: "repeated" });
          return;
        }
        const addition = state.counter.count(count, {
          turn: place.turn,
          isFork: state.isResumed,
          goesOn: isOfServer,
        });
        this.#ledger.add(place, addition);
        return;
      }
      case "turn.started":
        // Since 0.130, whose turns have `items_view`, counts repeat earlier usage before the first
        // turn only; not at all in a thread that has no usage yet, and in 0.148 to 0.152, whose
        // processes count from zero.
        if (event.items_view !== undefined) state.mayRepeat = false;
        state.turn = knownId(event.turn_id);
        state.turnTime = eventTime(event);
        return state.settings.take(event);
      case "turn.completed":
      case "turn.failed": {
        state.turn = null;
        const usage = readTokens(event.usage);
        if (usage === undefined) return;
        const place = this.#execPlace(event, state, line);
        if (state.hasCounts) this.#ledger.add(place, { rule: "summed" });
        else if (isNothing(usage)) this.#ledger.add(place, { rule: "empty" });
        else this.#ledger.run(place, usage);
        return;
      }
    }
  }

  /** Returns the state of the event's thread; `thread.started` makes a new one. */
  #stateOf(event: Fields): ThreadState {
    const id = threadOf(event);
    const known = this.#threads.get(id);
    // A new process counts from zero.
    if (known !== undefined && event.type !== "thread.started") return known;
    // An app-server resumes or forks the thread; some releases have no preview of a fork.
    const isResumed =
      (idOf(event.preview) ?? idOf(event.forked_from_id)) !== undefined;
    const state: ThreadState = {
      counter: new TokenCounter(),
      settings: new TurnSettings(),
      turn: null,
      turnTime: undefined,
      isResumed,
      mayRepeat: isResumed,
      hasCounts: false,
    };
    this.#threads.set(id, state);
    return state;
  }

  #execPlace(
    event: Fields,
    { settings, turn, turnTime }: ThreadState,
    line: number,
  ): CountPlace {
    return {
      line,
      thread: threadOf(event),
      // Notices of `codex mcp-server` do not name their turn.
      turn: knownId(event.turn_id) ?? turn,
      model: settings.model ?? null,
      cwd: settings.cwd ?? null,
      // Counts of app-servers have no time of their own before 0.145.
      timestamp: eventTime(event) ?? turnTime,
    };
  }

  #takeSession(event: Fields, line: number): void {
    this.#isFork ||= event.inherited === true;
    switch (event.type) {
      case "thread.started":
        return this.#header(event);
      case "turn.started":
        return this.#begin(event);
      case "item.completed":
        return this.#takeItem(event, line);
    }
  }

  #takeItem(event: Fields, line: number): void {
    const content = fieldsOf(event.content);
    switch (event.item_type) {
      case "user_message":
        this.#isBegun = true;
        return;
      case "turn_context":
        // It belongs to the thread itself, so a review without an end is over.
        this.#leaveReview();
        this.#settings.take(event);
        return this.#begin(event);
      case "entered_review_mode":
        // Up to 0.77 this file has the review's counts, too.
        this.#review ??= { began: eventMs(event), counter: undefined };
        this.#isBegun = true;
        this.#turn = null;
        return;
      case "exited_review_mode":
        return this.#leaveReview();
      case "token_count":
        return this.#count(event, content, line);
      case "token_usage_record":
        return this.#record(event, content, line);
    }
  }

  #header(header: Fields): void {
    this.#settings.take(header);
    this.#isFork = isForkHeader(header);
    this.#hasOrdinals = header.history_mode === "paginated";
    const thread = this.#ledger.thread(threadOf(header));
    thread.isFile = true;
    thread.parent = idOf(header.parent_thread_id) ?? null;
    if (fieldsOf(header.source).subagent === "review") {
      thread.reviews = timeOf(header.started_at);
    }
  }

  #count(event: Fields, content: Fields, line: number): void {
    const count = readTokenCount(content);
    const isBefore = this.#isFork && !this.#isBegun;
    const addition = this.#counterOf(count).count(count, {
      turn: this.#turn,
      isFork: this.#isFork,
      // All releases with turn ids, except 0.148 to 0.152, whose lines have ordinals.
      goesOn: this.#hasTurnIds && !this.#hasOrdinals,
    });
    // Before the fork's first prompt, a count is that of the thread it was forked from.
    const isOthers = isBefore && addition.tokens !== undefined;
    this.#add(
      event,
      line,
      this.#turn,
      isOthers ? { rule: "replayed" } : addition,
    );
  }

  #record(event: Fields, content: Fields, line: number): void {
    const tokens = readTokens(content.usage);
    if (tokens === undefined) return;
    const turn = realId(event.turn_id) ?? this.#turn;
    const thread = idOf(content.thread_id);
    const isOther = thread !== undefined && thread !== threadOf(event);
    if (!isOther && event.inherited !== true) this.#counter.recorded();
    this.#add(
      event,
      line,
      turn,
      isOther ? { rule: "replayed" } : { rule: "record", tokens },
    );
  }

  #begin(event: Fields): void {
    this.#isBegun = true;
    this.#turn = knownId(event.turn_id) ?? this.#turn;
    this.#hasTurnIds ||= realId(this.#turn) !== undefined;
  }

  #add(
    event: Fields,
    line: number,
    turn: string | null,
    addition: Addition,
  ): void {
    const { tokens } = addition;
    const isCopied = tokens !== undefined && event.inherited === true;
    const place: CountPlace = {
      line,
      thread: threadOf(event),
      turn,
      model: this.#settings.model ?? null,
      cwd: this.#settings.cwd ?? null,
      timestamp: eventTime(event),
      reviewed: this.#review?.counter === this.#counter
        ? undefined
        : this.#review?.began,
    };
    this.#ledger.add(
      place,
      isCopied ? { rule: "replayed", copied: tokens } : addition,
    );
  }

  #leaveReview(): void {
    if (this.#review === undefined) return;
    this.#reviewCounter = this.#review.counter;
    this.#review = undefined;
  }

  /**
   * Returns the counter that follows the totals of a count. In some releases a review has
   * totals of its own; in others it continues those of the thread.
   */
  #counterOf(count: TokenCount): TokenCounter {
    if (this.#review !== undefined) {
      this.#review.counter ??= this.#counter.isContinuedBy(count)
        ? this.#counter
        : new TokenCounter();
      return this.#review.counter;
    }
    // The thread had no total before the review and now continues the review's: they are the
    // same totals.
    if (!this.#counter.hasTotal && this.#reviewCounter?.isContinuedBy(count)) {
      this.#counter = this.#reviewCounter;
    }
    this.#reviewCounter = undefined;
    return this.#counter;
  }
}

function threadOf(event: Fields): string | null {
  return knownId(event.thread_id);
}

function knownId(id: unknown): string | null {
  return id === UNKNOWN_ID ? null : idOf(id) ?? null;
}

/** The tokens that the events of one file or stream count. */

import {
  type Fields,
  fieldsOf,
  firstIdOf,
  idOf,
  textOf,
} from "../json/fields.ts";
import { ownText } from "../json/utf8.ts";
import { type CountPlace, type CountTaker, timeOf } from "./source_ledger.ts";
import {
  type Addition,
  readTokenCount,
  type TokenCount,
  TokenCounter,
} from "./token_counter.ts";
import { isNothing, readTokens } from "./tokens.ts";

/** What stands for the ids that an input without its beginning does not have. */
export const UNKNOWN_ID = "unknown";

/** The ids of turns that the input itself does not name. */
const MADE_UP_TURN_REGEXP = /^synthetic-turn-\d+$/;

/** A review that a thread does, or that another one does for it. */
interface Review {
  /** When it began. */
  readonly began: number | undefined;
  /** What counts in it, once there has been a count: the thread's own, or another one. */
  counter: TokenCounter | undefined;
}

/** What is known of a thread of a stream, of which an app-server has many. */
interface ThreadState {
  readonly counter: TokenCounter;
  readonly model: string | null;
  readonly cwd: string | null;
  /** Whether it had turns before it was taken up, and nothing has been counted since then. */
  isResumed: boolean;
  /** Whether the process counts request by request (app-servers, and exec up to 0.42). */
  hasCounts: boolean;
}

/**
 * Reads the events of one file or stream. A session file counts by what its requests used; an
 * exec stream does so up to 0.42, and by what is said at the ends of its turns since then.
 */
export class EventCounts {
  readonly #ledger: CountTaker;
  /** The threads of a stream. */
  readonly #threads = new Map<string | null, ThreadState>();
  #counter = new TokenCounter();
  #model: string | null = null;
  #cwd: string | null = null;
  #turn: string | null = null;
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
  /** Whether its file is of those that number their lines (0.148 and later). */
  #hasOrdinals = false;
  /** The review that is going on. */
  #review: Review | undefined;
  /** What counted in the review before, until the thread itself counts again. */
  #reviewCounter: TokenCounter | undefined;

  constructor(ledger: CountTaker) {
    this.#ledger = ledger;
  }

  /** Takes an event of an exec stream. */
  takeExec(event: Fields, line: number): void {
    const state = this.#stateOf(event);
    switch (event.type) {
      case "item.completed": {
        if (event.item_type !== "token_count") return;
        state.hasCounts = true;
        const count = readTokenCount(fieldsOf(event.content));
        const place = this.#execPlace(event, state, line);
        const isOfServer = textOf(event.method) !== undefined;
        if (state.isResumed && isOfServer) {
          // First of all, an app-server says once more what the thread used before.
          state.isResumed = false;
          state.counter.goOnFrom(count);
          this.#ledger.add(place, { rule: "repeated" });
          return;
        }
        const addition = state.counter.count(count, {
          turn: place.turn,
          isFork: false,
          hasTurnIds: isOfServer,
          hasOrdinal: false,
        });
        this.#ledger.add(place, addition);
        return;
      }
      case "turn.completed":
      case "turn.failed": {
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

  /** What is known of the thread of an event; of one that begins, what that says. */
  #stateOf(event: Fields): ThreadState {
    const id = threadOf(event);
    const known = this.#threads.get(id);
    // A process that begins counts anew.
    if (known !== undefined && event.type !== "thread.started") return known;
    const state: ThreadState = {
      counter: new TokenCounter(),
      model: textOf(event.model) ?? null,
      cwd: firstIdOf(event.workdir, event.cwd) ?? null,
      // Some releases have no preview of a fork.
      isResumed: (idOf(event.preview) ?? idOf(event.forked_from_id)) !==
        undefined,
      hasCounts: false,
    };
    this.#threads.set(id, state);
    return state;
  }

  #execPlace(
    event: Fields,
    { model, cwd }: ThreadState,
    line: number,
  ): CountPlace {
    return {
      line,
      thread: threadOf(event),
      turn: knownId(event.turn_id),
      model,
      cwd,
      timestamp: textOf(event.timestamp),
    };
  }

  /** Takes an event of a session file. */
  takeSession(event: Fields, line: number): void {
    this.#isFork ||= event.inherited === true;
    switch (event.type) {
      case "thread.started":
        return this.#header(event);
      case "turn.started": {
        const isImplied = event.implied === true;
        if (isImplied || this.#review !== undefined) return;
        return this.#begin(namedTurnOf(event));
      }
      case "item.completed":
        return this.#takeItem(event, line);
    }
  }

  #takeItem(event: Fields, line: number): void {
    const content = fieldsOf(event.content);
    switch (event.item_type) {
      case "user_message":
        // Up to 0.98 nothing but the prompt begins a turn.
        if (this.#isNamedTurn || this.#review !== undefined) return;
        return this.#begin(undefined);
      case "turn_context":
        return this.#context(event, content);
      case "entered_review_mode":
        return this.#enterReview(event);
      case "exited_review_mode":
        return this.#leaveReview();
      case "token_count":
        return this.#count(event, content, line);
      case "token_usage_record":
        return this.#record(event, content, line);
    }
  }

  #header(header: Fields): void {
    this.#cwd = textOf(header.cwd) ?? null;
    this.#isFork = idOf(header.forked_from_id) !== undefined ||
      header.history_base !== undefined ||
      header.subagent_history_start_ordinal !== undefined;
    this.#hasOrdinals = header.history_mode === "paginated";
    const thread = this.#ledger.thread(threadOf(header));
    thread.isFile = true;
    thread.parent = idOf(header.parent_thread_id) ?? null;
    if (fieldsOf(header.source).subagent === "review") {
      thread.reviews = timeOf(header.started_at);
    }
  }

  #context(event: Fields, { model, cwd }: Fields): void {
    // The thread itself goes on, whatever became of a review.
    this.#leaveReview();
    this.#isBegun = true;
    this.#model = renewed(this.#model, model);
    this.#cwd = renewed(this.#cwd, cwd);
    const turn = namedTurnOf(event);
    if (turn !== undefined) this.#begin(turn);
  }

  #count(event: Fields, content: Fields, line: number): void {
    const count = readTokenCount(content);
    const isBefore = this.#isFork && !this.#isBegun;
    if (this.#turn === null && !isBefore) this.#begin(undefined);
    const addition = this.#counterOf(count).count(count, {
      turn: this.#turn,
      isFork: this.#isFork,
      hasTurnIds: this.#hasTurnIds,
      hasOrdinal: this.#hasOrdinals,
    });
    // Nothing has been asked yet: what is known is what the other thread used.
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
    const turn = namedTurnOf(event) ?? this.#turn;
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

  #begin(turn: string | undefined): void {
    this.#isBegun = true;
    if (turn === undefined) this.#turns += 1;
    this.#isNamedTurn = turn !== undefined;
    this.#hasTurnIds ||= this.#isNamedTurn;
    this.#turn = turn ?? `synthetic-turn-${this.#turns}`;
  }

  #add(
    event: Fields,
    line: number,
    turn: string | null,
    addition: Addition,
  ): void {
    const isCopied = addition.tokens !== undefined && event.inherited === true;
    const place: CountPlace = {
      line,
      thread: threadOf(event),
      turn,
      model: this.#model,
      cwd: this.#cwd,
      timestamp: textOf(event.timestamp),
      reviewed: this.#review?.counter === this.#counter
        ? undefined
        : this.#review?.began,
    };
    this.#ledger.add(place, isCopied ? { rule: "replayed" } : addition);
  }

  /** A review begins. Up to 0.77 what it uses is written down here. */
  #enterReview(event: Fields): void {
    this.#review ??= { began: timeOf(event.timestamp), counter: undefined };
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

function threadOf(event: Fields): string | null {
  return knownId(event.thread_id);
}

function knownId(id: unknown): string | null {
  return id === UNKNOWN_ID ? null : idOf(id) ?? null;
}

/** The turn of an event, if the input names it. */
function namedTurnOf(event: Fields): string | undefined {
  const turn = idOf(event.turn_id);
  return turn === undefined || MADE_UP_TURN_REGEXP.test(turn)
    ? undefined
    : turn;
}

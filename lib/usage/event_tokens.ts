/** The tokens that each event adds, told at once. */

import type { Fields } from "../json/fields.ts";
import type { CountPlace, CountTaker, ThreadEntry } from "./source_ledger.ts";
import { EventCounts } from "./event_counts.ts";
import type { Addition } from "./token_counter.ts";
import { addTokens, growth, NO_TOKENS, type Tokens } from "./tokens.ts";

/** What the ends of the exec turns of a thread have said. */
interface ThreadRuns {
  last: Tokens;
  /** All together. */
  sum: Tokens;
  /** Whether none was less than the one before: then they count the whole thread. */
  isThread: boolean;
}

/**
 * Tells what each event of one file or stream adds to what was used. All together that is what
 * {@linkcode UsageMeter} counts of the file or stream.
 *
 * Whether the turns of an exec stream count their thread or their process may turn out at a later
 * one: that one is given what was missing until then.
 */
export class EventTokens {
  readonly #taken = new TakenCounts();
  readonly #counts = new EventCounts(this.#taken);

  /**
   * Takes an event.
   *
   * @param event The event; one of a session file says which line it is of.
   * @returns What it adds, and to which turn; nothing if it adds nothing.
   */
  take(event: Fields): TokensOfTurn | undefined {
    this.#taken.tokens = undefined;
    const { line } = event;
    if (typeof line === "number") this.#counts.takeSession(event, line);
    else this.#counts.takeExec(event, 0);
    return this.#taken.tokens;
  }
}

/** Tokens, and the turn and the model that used them. */
export interface TokensOfTurn {
  readonly tokens: Tokens;
  /** The turn, as far as it is known. */
  readonly turn: string | null;
  /** The model, as far as it is known. */
  readonly model: string | null;
}

/** Keeps what the last event has added. */
class TakenCounts implements CountTaker {
  tokens: TokensOfTurn | undefined;
  readonly #threads = new Map<string | null, ThreadRuns>();

  thread(): Omit<ThreadEntry, "turns"> {
    return { parent: null, isFile: false, reviews: undefined };
  }

  add({ turn, model }: CountPlace, { tokens }: Addition): void {
    this.tokens = tokens && { tokens, turn, model };
  }

  run({ thread, turn, model }: CountPlace, usage: Tokens): void {
    const runs = this.#threads.get(thread);
    if (runs === undefined) {
      this.#threads.set(thread, { last: usage, sum: usage, isThread: true });
      this.tokens = { tokens: usage, turn, model };
      return;
    }
    const grown = growth(runs.last, usage);
    const missing = runs.isThread && grown === undefined
      ? growth(runs.last, runs.sum) ?? NO_TOKENS
      : NO_TOKENS;
    runs.isThread &&= grown !== undefined;
    const tokens = runs.isThread && grown !== undefined
      ? grown
      : addTokens(usage, missing);
    runs.last = usage;
    runs.sum = addTokens(runs.sum, usage);
    this.tokens = { tokens, turn, model };
  }
}

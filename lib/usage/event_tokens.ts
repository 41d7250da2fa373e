/** The tokens that each event adds, told at once. */

import type { Fields } from "../json/fields.ts";
import type { CountPlace } from "./source_ledger.ts";
import { EventCounts } from "./event_counts.ts";
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
  readonly #counts = new EventCounts({
    thread: () => ({ parent: null, isFile: false, reviews: undefined }),
    add: ({ turn, model }, { tokens }) =>
      this.#added = tokens && { tokens, turn, model },
    run: (place, usage) => this.#run(place, usage),
  });
  /** What the last event has added. */
  #added: TokensOfTurn | undefined;
  readonly #threads = new Map<string | null, ThreadRuns>();

  /**
   * Takes an event.
   *
   * @param event The event; one of a session file says which line it is of.
   * @returns What it adds, and to which turn; nothing if it adds nothing.
   */
  take(event: Fields): TokensOfTurn | undefined {
    this.#added = undefined;
    const { line } = event;
    if (typeof line === "number") this.#counts.takeSession(event, line);
    else this.#counts.takeExec(event, 0);
    return this.#added;
  }

  #run({ thread, turn, model }: CountPlace, usage: Tokens): void {
    const runs = this.#threads.get(thread);
    if (runs === undefined) {
      this.#threads.set(thread, { last: usage, sum: usage, isThread: true });
      this.#added = { tokens: usage, turn, model };
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
    this.#added = { tokens, turn, model };
  }
}

/** Tokens, and the turn and the model that used them, as far as these are known. */
export interface TokensOfTurn extends Pick<CountPlace, "turn" | "model"> {
  readonly tokens: Tokens;
}

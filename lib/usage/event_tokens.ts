/** Computes the tokens that each event adds, at once instead of at the end of the input. */

import type { Fields } from "../json/fields.ts";
import type { CountPlace } from "./source_ledger.ts";
import { EventCounts } from "./event_counts.ts";
import { addTokens, growth, NO_TOKENS, type Tokens } from "./tokens.ts";

/** The usage at the ends of the exec turns of a thread, so far. */
interface ThreadRuns {
  last: Tokens;
  sum: Tokens;
  /** Whether no usage was less than the one before: then they count the whole thread. */
  isThread: boolean;
}

/**
 * Computes the tokens that each event of one file or stream adds. Their sum is what
 * {@linkcode UsageMeter} counts for the file or stream.
 *
 * Whether the usage of exec turns counts the thread or the process may be known only at a later
 * turn: that turn then adds the tokens that were missing until then, too.
 */
export class EventTokens {
  readonly #counts = new EventCounts({
    thread: () => ({ parent: null, isFile: false, reviews: undefined }),
    add: (_, { tokens, copied }) => {
      this.#added = tokens;
      this.copied = copied;
    },
    run: (place, usage) => this.#run(place, usage),
  });
  /** The tokens of the last event, if it is a copy: the thread it was copied from counts them. */
  copied: Tokens | undefined;
  #added: Tokens | undefined;
  readonly #threads = new Map<string | null, ThreadRuns>();

  /** Reads an event; returns the tokens that it adds, if any. */
  take(event: Fields): Tokens | undefined {
    this.#added = undefined;
    this.copied = undefined;
    this.#counts.take(event, 0);
    return this.#added;
  }

  #run({ thread }: CountPlace, usage: Tokens): void {
    const runs = this.#threads.get(thread);
    if (runs === undefined) {
      this.#threads.set(thread, { last: usage, sum: usage, isThread: true });
      this.#added = usage;
      return;
    }
    const { isThread, last, sum } = runs;
    const grown = isThread ? growth(last, usage) : undefined;
    const missing = isThread ? growth(last, sum) : undefined;
    this.#added = grown ?? addTokens(usage, missing ?? NO_TOKENS);
    runs.isThread = grown !== undefined;
    runs.last = usage;
    runs.sum = addTokens(sum, usage);
  }
}

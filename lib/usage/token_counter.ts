/** Computes the tokens that each `token_count` of a stream adds. */

import { type Fields, fieldsOf } from "../json/fields.ts";
import type { UsageRule } from "./derivations.ts";
import {
  growth,
  isNothing,
  readTokens,
  sameTokens,
  type Tokens,
} from "./tokens.ts";

/** The counts of one `token_count`: none if its `info` is null. */
export interface TokenCount {
  /** The usage of the thread, or of the process, so far. */
  readonly total: Tokens | undefined;
  /** The usage of the last request. */
  readonly last: Tokens | undefined;
}

/** The context of a `token_count`, as far as a decision depends on it. */
export interface CountContext {
  readonly turn: unknown;
  /** Whether the thread began with earlier usage: that of another thread, or of another process. */
  readonly isFork: boolean;
  /** Whether a process that resumes the thread continues its total, as far as is known. */
  readonly goesOn: boolean;
}

/** The tokens that a line adds, and the rule that decided it. */
export interface Addition {
  readonly rule: UsageRule;
  readonly tokens?: Tokens | undefined;
  /** The tokens of a copied line, which only the thread that it was copied from counts. */
  readonly copied?: Tokens | undefined;
}

/**
 * How many totals are remembered for several processes that count in the same file: between two
 * counts of one process there may be this many counts of the others.
 */
const MAX_REMEMBERED = 256;

interface SeenTotal extends TokenCount {
  readonly total: Tokens;
}

/**
 * Follows the totals of one file or stream.
 *
 * It counts the growth of the total and not the last request, because Codex writes a
 * `token_count` again with each update of the rate limits (0.42 and later), and after a
 * compaction with an estimate in place of the last request. A total that shrinks, or that equals
 * the last request, was begun by a new process. If several processes resume a session at once,
 * each continues from the total that it knows.
 */
export class TokenCounter {
  #total: Tokens | undefined;
  #turn: unknown;
  /** Whether the stream has counts with `"info":null` (0.42 and later). */
  #writesUnknown = false;
  /** Whether requests since the last total have been counted by their records. */
  #isRecorded = false;
  /** Whether requests have records (0.153 and later): then totals add nothing. */
  #hasRecords = false;
  /** The latest totals, without repetitions of the one before. */
  readonly #seen: SeenTotal[] = [];
  /** Whether the stream repeats counts, as some releases do at each request. */
  #writesAgain = false;

  get hasTotal(): boolean {
    return this.#total !== undefined;
  }

  /** Whether a count continues the last total: equals it, or has grown by its last request. */
  isContinuedBy({ total, last }: TokenCount): boolean {
    if (this.#total === undefined || total === undefined) return false;
    const grown = growth(this.#total, total);
    return grown !== undefined && last !== undefined &&
      (sameTokens(grown, last) || isNothing(grown) && !sameTokens(last, total));
  }

  /** Notes that a record has counted requests that the next total includes. */
  recorded(): void {
    this.#isRecorded = true;
    this.#hasRecords = true;
  }

  count(count: TokenCount, context: CountContext): Addition {
    if (count.total === undefined && count.last === undefined) {
      this.#total = undefined;
      this.#writesUnknown = true;
      return { rule: "unknown" };
    }
    const addition = this.#addition(count, context);
    this.goOnFrom(count);
    this.#turn = context.turn;
    this.#isRecorded = false;
    return addition;
  }

  #addition({ total, last }: TokenCount, context: CountContext): Addition {
    if (this.#isRecorded) return { rule: "recorded" };
    if (total === undefined) {
      return last === undefined || isNothing(last)
        ? { rule: "empty" }
        : { rule: "request", tokens: last };
    }
    // A request that exceeds the context window sets the total to zero.
    if (isNothing(total)) return { rule: "empty" };
    const isNew = last === undefined || sameTokens(last, total);
    const before = this.#total;
    if (before === undefined) {
      if (isNew) return { rule: "first", tokens: total };
      // The `"info":null` before it may be of another process, so it may continue a total
      // from before that.
      const isSeen = this.#seen.some((seen) => sameTokens(seen.total, total));
      const other: Addition | undefined = isSeen
        ? { rule: "repeated" }
        : this.#additionOfOther(total, last);
      if (other !== undefined) return other;
      return context.isFork
        ? { rule: "inherited", tokens: last }
        : { rule: "unwritten", tokens: total };
    }
    const grown = growth(before, total);
    if (grown === undefined) {
      return this.#additionOfOther(total, last) ??
        { rule: "restarted", tokens: total };
    }
    if (isNothing(grown)) {
      return last !== undefined && isNew && this.#isRestart(context)
        ? { rule: "restarted", tokens: total }
        : { rule: "repeated" };
    }
    if (last === undefined || sameTokens(grown, last)) {
      return { rule: "grown", tokens: last ?? grown };
    }
    return this.#additionOfOther(total, last) ??
      (isNew
        ? { rule: "restarted", tokens: total }
        : { rule: "missed", tokens: grown });
  }

  /** Continues from a count; one of earlier usage adds nothing. */
  goOnFrom({ total, last }: TokenCount): void {
    if (total === undefined) return;
    this.#total = total;
    const before = this.#seen.at(-1);
    if (before !== undefined && isSameCount(before, { total, last })) {
      this.#writesAgain = true;
      return;
    }
    if (this.#seen.length === MAX_REMEMBERED) this.#seen.shift();
    this.#seen.push({ total, last });
  }

  /**
   * Returns the tokens of a count that continues an earlier total than the last one: then
   * another process writes to the file as well (up to 0.145 Codex does not prevent that).
   */
  #additionOfOther(
    total: Tokens,
    last: Tokens | undefined,
  ): Addition | undefined {
    if (last === undefined) return undefined;
    const isNew = sameTokens(last, total);
    // Without counts of `"info":null` that announce new processes, this is a new process.
    if (isNew && !this.#writesUnknown) return undefined;
    const wasSaid = this.#writesAgain &&
      this.#seen.some((seen) => isSameCount(seen, { total, last }));
    if (wasSaid) return { rule: "repeated" };
    const base = growth(last, total);
    const goesOn = base !== undefined &&
      this.#seen.some((seen) => sameTokens(seen.total, base));
    return goesOn ? { rule: "grown", tokens: last } : undefined;
  }

  /**
   * Tests whether a total that equals the one before, and its own last request, is that of a new
   * process that used as much. It is not in releases that repeat counts in later turns: those
   * write `"info":null` too, or have processes that continue the total. Nor is it in a fork, which
   * begins with copied totals.
   */
  #isRestart({ turn, isFork, goesOn }: CountContext): boolean {
    return !this.#writesUnknown && !this.#hasRecords && !goesOn && !isFork &&
      turn !== this.#turn;
  }
}

function isSameCount(one: SeenTotal, other: SeenTotal): boolean {
  if (!sameTokens(one.total, other.total)) return false;
  return one.last === undefined || other.last === undefined
    ? one.last === other.last
    : sameTokens(one.last, other.last);
}

export function readTokenCount({ info }: Fields): TokenCount {
  const { total_token_usage, last_token_usage } = fieldsOf(info);
  return {
    total: readTokens(total_token_usage),
    last: readTokens(last_token_usage),
  };
}

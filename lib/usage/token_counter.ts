/** Tells what each `token_count` of a stream adds to what was used. */

import { type Fields, fieldsOf } from "../json/fields.ts";
import type { UsageRule } from "./derivations.ts";
import {
  growth,
  isNothing,
  readTokens,
  sameTokens,
  type Tokens,
} from "./tokens.ts";

export interface TokenCount {
  /** What the thread, or the process, has used so far. */
  readonly total: Tokens | undefined;
  /** What the last request used. */
  readonly last: Tokens | undefined;
  /** Whether it says that nothing is known (`"info":null`). */
  readonly isUnknown: boolean;
}

export interface CountContext {
  readonly turn: unknown;
  /** Whether the thread began with what another one used. */
  readonly isFork: boolean;
  /** Whether turns have ids of their own (0.104 and later). */
  readonly hasTurnIds: boolean;
  /** Whether its line has a number of its own (0.148 and later). */
  readonly hasOrdinal: boolean;
}

export interface Addition {
  /** The rule that says so. */
  readonly rule: UsageRule;
  /** The tokens; `undefined` if nothing is added. */
  readonly tokens?: Tokens;
}

/**
 * How many totals are remembered for the processes that count in the same file: what one of them
 * says last stands that many counts of the others before what it says next.
 */
const MAX_REMEMBERED = 256;

/** A total, and what the last request of it used. */
interface SeenTotal {
  readonly total: Tokens;
  readonly last: Tokens | undefined;
}

/**
 * Follows the totals of one file or stream.
 *
 * What is counted is how much the total grows, because a `token_count` is written again
 * whenever the rate limits are heard of (0.42 and later), and after a compaction with an
 * estimate in place of the last request. A total that shrinks, or that is all of what the
 * last request used, was begun by a new process. If several processes resume a session at once,
 * each goes on from the total that it knows.
 */
export class TokenCounter {
  #total: Tokens | undefined;
  #turn: unknown;
  /** Whether the stream writes counts before anything is known (0.42 and later). */
  #writesUnknown = false;
  /** Whether requests since the last total have been counted by their records. */
  #isRecorded = false;
  /** Whether requests have records (0.155 and later): a total adds nothing of its own. */
  #hasRecords = false;
  /** The latest totals, each once in a row. */
  readonly #seen: SeenTotal[] = [];
  /** Whether the stream writes again what it said last, as some releases do at each request. */
  #writesAgain = false;

  /** Whether there has been a total. */
  get hasTotal(): boolean {
    return this.#total !== undefined;
  }

  /**
   * Tells whether a count goes on from the last total.
   *
   * @returns Whether its total is the last one, or has grown by what the last request used.
   */
  isContinuedBy({ total, last }: TokenCount): boolean {
    if (this.#total === undefined || total === undefined) return false;
    const grown = growth(this.#total, total);
    return grown !== undefined && last !== undefined &&
      (sameTokens(grown, last) || isNothing(grown) && !sameTokens(last, total));
  }

  /** Goes on from a count of what was used before, which adds nothing. */
  goOnFrom(count: TokenCount): void {
    this.#remember(count);
    this.#total = count.total ?? this.#total;
  }

  /** Takes note that the next total holds requests that have been counted. */
  recorded(): void {
    this.#isRecorded = true;
    this.#hasRecords = true;
  }

  /** Tells what a count adds. */
  count(count: TokenCount, context: CountContext): Addition {
    if (count.isUnknown) {
      this.#total = undefined;
      this.#writesUnknown = true;
      return { rule: "unknown" };
    }
    const addition = this.#addition(count, context);
    this.#remember(count);
    this.#total = count.total ?? this.#total;
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
    const isNew = last === undefined || sameTokens(last, total);
    const before = this.#total;
    if (before === undefined) {
      if (isNothing(total)) return { rule: "empty" };
      if (isNew) return { rule: "first", tokens: total };
      // That nothing is known was said by another process, or of something else.
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

  #remember({ total, last }: TokenCount): void {
    if (total === undefined) return;
    const before = this.#seen.at(-1);
    if (before !== undefined && isSameCount(before, { total, last })) {
      this.#writesAgain = true;
      return;
    }
    if (this.#seen.length === MAX_REMEMBERED) this.#seen.shift();
    this.#seen.push({ total, last });
  }

  /**
   * Tells what a count adds that does not go on from the last total, but from an earlier one:
   * then another process writes to the file as well (up to 0.145 nothing keeps it from that).
   */
  #additionOfOther(
    total: Tokens,
    last: Tokens | undefined,
  ): Addition | undefined {
    if (last === undefined) return undefined;
    const isNew = sameTokens(last, total);
    // Where nothing announces a process that begins anew, that is what this is.
    if (isNew && !this.#writesUnknown) return undefined;
    const wasSaid = this.#writesAgain &&
      this.#seen.some((seen) => isSameCount(seen, { total, last }));
    if (wasSaid) return { rule: "repeated" };
    const base = isNew ? undefined : growth(last, total);
    const goesOn = base !== undefined &&
      this.#seen.some((seen) => sameTokens(seen.total, base));
    return goesOn ? { rule: "grown", tokens: last } : undefined;
  }

  /**
   * Tells whether a total that is what it was before is that of a new process, which has used
   * as much in all. It is not where what is known is written again in a later turn: releases
   * that do so also write that nothing is known, or name turns and let processes go on
   * counting, as all that name them do but 0.148 to 0.152. A fork begins with what it copied.
   */
  #isRestart({ turn, isFork, hasTurnIds, hasOrdinal }: CountContext): boolean {
    const goesOn = this.#writesUnknown || this.#hasRecords ||
      (hasTurnIds && !hasOrdinal);
    return !goesOn && !isFork && turn !== this.#turn;
  }
}

function isSameCount(one: SeenTotal, other: SeenTotal): boolean {
  if (!sameTokens(one.total, other.total)) return false;
  return one.last === undefined || other.last === undefined
    ? one.last === other.last
    : sameTokens(one.last, other.last);
}

/**
 * Reads a `token_count`.
 *
 * @returns The counts; `info` is null as long as nothing is known.
 */
export function readTokenCount({ info }: Fields): TokenCount {
  const { total_token_usage, last_token_usage } = fieldsOf(info);
  const total = readTokens(total_token_usage);
  const last = readTokens(last_token_usage);
  return { total, last, isUnknown: total === undefined && last === undefined };
}

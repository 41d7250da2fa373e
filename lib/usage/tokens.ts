/** Numbers of tokens, exact however large they are. */

import { fieldsOf } from "../json/fields.ts";

/** The kinds of tokens, by the names that Codex gives them. */
export const TOKEN_KINDS = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
] as const;

/** A kind of tokens, by the name that Codex gives it. */
export type TokenKind = typeof TOKEN_KINDS[number];

/**
 * How many tokens of each kind were used. The numbers are `bigint`: Codex counts with 64
 * bits. A kind that a release does not report is 0.
 */
export interface Tokens {
  /** Tokens that were sent to the model. */
  readonly input_tokens: bigint;
  /** Those among them that the server had kept. */
  readonly cached_input_tokens: bigint;
  /** Those among them that the server keeps from now on (reported since 0.145). */
  readonly cache_write_input_tokens: bigint;
  /** Tokens that the model wrote. */
  readonly output_tokens: bigint;
  /** Those among them that are reasoning; exec streams since 0.44 report them only from 0.130. */
  readonly reasoning_output_tokens: bigint;
  /** Input and output together. */
  readonly total_tokens: bigint;
}

/** No tokens. */
export const NO_TOKENS: Tokens = tokensOf(() => 0n);

/**
 * Makes tokens of a number for each kind.
 *
 * @param count Gives the number of a kind.
 */
export function tokensOf(count: (kind: TokenKind) => bigint): Tokens {
  const input_tokens = count("input_tokens");
  const output_tokens = count("output_tokens");
  return {
    input_tokens,
    cached_input_tokens: count("cached_input_tokens"),
    cache_write_input_tokens: count("cache_write_input_tokens"),
    output_tokens,
    reasoning_output_tokens: count("reasoning_output_tokens"),
    total_tokens: input_tokens + output_tokens,
  };
}

/**
 * Adds tokens up.
 *
 * @param one Tokens.
 * @param other More of them.
 * @returns Both together.
 *
 * @example Two requests
 * ```ts
 * import { addTokens, NO_TOKENS } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const request = { ...NO_TOKENS, input_tokens: 1200n, output_tokens: 60n };
 *
 * assertEquals(addTokens(request, request).total_tokens, 2520n);
 * ```
 */
export function addTokens(one: Tokens, other: Tokens): Tokens {
  return tokensOf((kind) => one[kind] + other[kind]);
}

/** What there is more of in `later`; `undefined` if there is less of any kind. */
export function growth(earlier: Tokens, later: Tokens): Tokens | undefined {
  for (const kind of TOKEN_KINDS) {
    if (later[kind] < earlier[kind]) return undefined;
  }
  return tokensOf((kind) => later[kind] - earlier[kind]);
}

export function sameTokens(one: Tokens, other: Tokens): boolean {
  // Of the kinds, those that differ first: this is asked of every count.
  return one.input_tokens === other.input_tokens &&
    one.output_tokens === other.output_tokens &&
    TOKEN_KINDS.every((kind) => one[kind] === other[kind]);
}

export function isNothing(tokens: Tokens): boolean {
  return sameTokens(tokens, NO_TOKENS);
}

/**
 * Reads counts.
 *
 * @param value The object that has them; counts that are too large for a number are `bigint`.
 * @returns The counts; `undefined` if the object has none.
 */
export function readTokens(value: unknown): Tokens | undefined {
  const counts = fieldsOf(value);
  const hasAny = wholeCount(counts.input_tokens) !== undefined ||
    wholeCount(counts.output_tokens) !== undefined;
  return hasAny
    ? tokensOf((kind) => wholeCount(counts[kind]) ?? 0n)
    : undefined;
}

function wholeCount(count: unknown): bigint | undefined {
  // Each that is made takes memory, and many are none.
  if (count === 0) return 0n;
  if (typeof count === "number") {
    return count >= 0 && Number.isInteger(count) ? BigInt(count) : undefined;
  }
  return typeof count === "bigint" && count >= 0n ? count : undefined;
}

/** What one turn used on one day, of one model, in one directory. */
export interface UsageRow extends Tokens {
  /** The name of the file or stream that says so. */
  readonly source: string;
  /**
   * The thread; `synthetic-thread-N` where a release names none (up to 0.42), null in a
   * stream without its beginning.
   */
  readonly thread_id: string | null;
  /** The thread that spawned it, if it is a sub-agent. */
  readonly parent_thread_id: string | null;
  /** The turn; `synthetic-turn-N` where a release names none, null where none is known. */
  readonly turn_id: string | null;
  /** The model; null if nothing says it, as in exec streams since 0.44. */
  readonly model: string | null;
  /** The working directory; null if nothing says it, as in exec streams since 0.44. */
  readonly cwd: string | null;
  /** The day, `YYYY-MM-DD`; null if nothing says it, as in exec streams. */
  readonly day: string | null;
}

/** Whether other sources may have the same thread: an id that was made up is good for one. */
export function isShared(id: string | null): boolean {
  return id !== null && !/^synthetic-thread-\d+$/.test(id);
}

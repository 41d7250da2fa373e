/** Token counts as 64-bit integers. */

import { realId } from "../events/ids.ts";
import { fieldsOf } from "../json/fields.ts";

/** The kinds of tokens, by Codex's names. */
export const TOKEN_KINDS = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
] as const;

/** A kind of tokens, by Codex's name. */
export type TokenKind = typeof TOKEN_KINDS[number];

/**
 * Token counts of each kind. The numbers are `bigint`: Codex counts with 64 bits. A kind that a
 * release does not report is 0.
 */
export interface Tokens {
  /** Tokens sent to the model. */
  readonly input_tokens: bigint;
  /** Input tokens that the server read from its cache. */
  readonly cached_input_tokens: bigint;
  /** Input tokens that the server wrote to its cache (reported since 0.145). */
  readonly cache_write_input_tokens: bigint;
  /** Tokens that the model wrote. */
  readonly output_tokens: bigint;
  /** Output tokens of reasoning; exec streams since 0.44 report them only from 0.125. */
  readonly reasoning_output_tokens: bigint;
  /** Input and output together. */
  readonly total_tokens: bigint;
}

/** No tokens. */
export const NO_TOKENS: Tokens = tokensOf(() => 0n);

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
 * Adds two token counts.
 *
 * @param one The first counts.
 * @param other The second counts.
 * @returns The sum of each kind.
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

/** Returns `later` minus `earlier`, or `undefined` if any kind is less in `later`. */
export function growth(earlier: Tokens, later: Tokens): Tokens | undefined {
  for (const kind of TOKEN_KINDS) {
    if (later[kind] < earlier[kind]) return undefined;
  }
  return tokensOf((kind) => later[kind] - earlier[kind]);
}

export function sameTokens(one: Tokens, other: Tokens): boolean {
  // First the two kinds that differ most often: this runs for every count.
  return one.input_tokens === other.input_tokens &&
    one.output_tokens === other.output_tokens &&
    TOKEN_KINDS.every((kind) => one[kind] === other[kind]);
}

export function isNothing(tokens: Tokens): boolean {
  return sameTokens(tokens, NO_TOKENS);
}

/**
 * Reads token counts from an object of the wire, whose integers beyond 2^53 are `bigint`;
 * `undefined` if it has neither input nor output tokens.
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
  // Each `BigInt` call allocates, and many counts are zero.
  if (count === 0) return 0n;
  if (typeof count === "number") {
    return count >= 0 && Number.isInteger(count) ? BigInt(count) : undefined;
  }
  return typeof count === "bigint" && count >= 0n ? count : undefined;
}

/** The tokens that one turn used on one day, with one model, in one directory. */
export interface UsageRow extends Tokens {
  /** The name of the file or stream that the counts are from. */
  readonly source: string;
  /** The thread; `synthetic-thread-N` where a release names none (up to 0.42), null if unknown. */
  readonly thread_id: string | null;
  /** The thread that spawned it, if it is a sub-agent. */
  readonly parent_thread_id: string | null;
  /** The turn; `synthetic-turn-N` where a release names none, null if unknown. */
  readonly turn_id: string | null;
  /** The model; null if unknown, as in exec streams since 0.44. */
  readonly model: string | null;
  /** The working directory; null if unknown, as in exec streams since 0.44. */
  readonly cwd: string | null;
  /** The day, `YYYY-MM-DD`; null if unknown, as in exec streams. */
  readonly day: string | null;
}

/** Whether other sources may have the same thread: a made-up id is unique to one source only. */
export function isShared(id: string | null): boolean {
  return realId(id) !== undefined;
}

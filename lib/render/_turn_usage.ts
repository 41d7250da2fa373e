/**
 * The tokens of a turn, from counts that belong to requests, turns, processes or threads.
 *
 * @module
 */

import { type Fields, fieldsOf, numberOf } from "../json/fields.ts";
import {
  type CountContext,
  readTokenCount,
  TokenCounter,
} from "../usage/token_counter.ts";
import { addTokens, type Tokens } from "../usage/tokens.ts";
import type { TurnUsage } from "./parts.ts";

/** Counts the tokens of the turn that is going on. */
export class TurnUsageCounter {
  #counter = new TokenCounter();
  #turns = 0;
  #isFork = false;
  #hasTurnIds = false;
  /** What a record says of the turn. */
  #recorded: TurnUsage | null = null;
  /** What was counted of it. */
  #counted: Tokens | undefined;
  #hasCached = false;
  #hasReasoning = false;

  /** Begins a turn. */
  start(): void {
    this.#turns += 1;
    this.#recorded = null;
    this.#counted = undefined;
  }

  /** Begins a thread, whose count is another one. */
  reset(): void {
    this.#counter = new TokenCounter();
    this.#isFork = false;
    this.#hasTurnIds = false;
    this.#hasCached = false;
    this.#hasReasoning = false;
    this.start();
  }

  /** Takes note that turns have ids of their own. */
  nameTurns(): void {
    this.#hasTurnIds = true;
  }

  /** Takes note that the thread began with what another one used. */
  fork(): void {
    this.#isFork = true;
  }

  /** Takes in what a record says that the turn has used so far. */
  record(usage: TurnUsage): void {
    this.#recorded = usage;
    this.#counter.recorded();
  }

  /**
   * Takes in a count; what it adds is told by the rules that count usage anywhere.
   *
   * @param content The content of a `token_count`.
   * @param context Whether the lines of the file have numbers of their own.
   */
  count(
    content: Fields,
    { hasOrdinal }: Pick<CountContext, "hasOrdinal">,
  ): void {
    const { last_token_usage, total_token_usage } = fieldsOf(content.info);
    const has = (kind: keyof Tokens) =>
      [last_token_usage, total_token_usage].some((counts) =>
        isCount(fieldsOf(counts)[kind])
      );
    const { tokens } = this.#counter.count(readTokenCount(content), {
      turn: this.#turns,
      isFork: this.#isFork,
      hasTurnIds: this.#hasTurnIds,
      hasOrdinal,
    });
    this.#hasCached ||= has("cached_input_tokens");
    this.#hasReasoning ||= has("reasoning_output_tokens");
    if (tokens === undefined) return;
    this.#counted = this.#counted === undefined
      ? tokens
      : addTokens(this.#counted, tokens);
  }

  /** What the turn has used so far; `null` if nothing said so. */
  get usage(): TurnUsage | null {
    if (this.#recorded !== null) return this.#recorded;
    const counted = this.#counted;
    if (counted === undefined) return null;
    const {
      input_tokens,
      cached_input_tokens,
      output_tokens,
      reasoning_output_tokens,
    } = counted;
    return {
      input_tokens: Number(input_tokens),
      cached_input_tokens: this.#hasCached ? Number(cached_input_tokens) : null,
      output_tokens: Number(output_tokens),
      reasoning_output_tokens: this.#hasReasoning
        ? Number(reasoning_output_tokens)
        : null,
    };
  }
}

/** Tells whether something is a count; large ones are exact. */
function isCount(value: unknown): boolean {
  return typeof value === "bigint" || numberOf(value) !== undefined;
}

/** Reads the tokens of a turn. */
export function readTurnUsage(value: unknown): TurnUsage | undefined {
  const fields = fieldsOf(value);
  const count = (name: string): number | undefined =>
    isCount(fields[name]) ? Number(fields[name]) : undefined;
  const input = count("input_tokens");
  const output = count("output_tokens");
  if (input === undefined && output === undefined) return undefined;
  return {
    input_tokens: input ?? 0,
    cached_input_tokens: count("cached_input_tokens") ?? null,
    output_tokens: output ?? 0,
    reasoning_output_tokens: count("reasoning_output_tokens") ?? null,
  };
}

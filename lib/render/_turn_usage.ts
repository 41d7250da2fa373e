/**
 * The tokens of a turn, from counts that belong to requests, turns, processes or threads.
 *
 * @module
 */

import { type CountContext, TokenCounter } from "../usage/token_counter.ts";
import { addTokens, type Tokens } from "../usage/tokens.ts";
import type { TokenCountFact } from "./_beside_events.ts";
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

  /** Takes in a count; what it adds is told by the rules that count usage anywhere. */
  count(
    { count, hasCached, hasReasoning }: TokenCountFact,
    { hasOrdinal }: Pick<CountContext, "hasOrdinal">,
  ): void {
    const { tokens } = this.#counter.count(count, {
      turn: this.#turns,
      isFork: this.#isFork,
      hasTurnIds: this.#hasTurnIds,
      hasOrdinal,
    });
    this.#hasCached ||= hasCached;
    this.#hasReasoning ||= hasReasoning;
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

/**
 * The tokens of a turn, from counts that belong to requests, turns or the whole thread.
 *
 * @module
 */

import type { UsageFact } from "./_beside_events.ts";
import type { TurnUsage } from "./parts.ts";

/** Counts the tokens of the turn that is going on. */
export class TurnUsageCounter {
  /** What the thread had used when the turn began. */
  #base: TurnUsage | null = null;
  #thread: TurnUsage | null = null;
  #turn: TurnUsage | null = null;
  #requests: TurnUsage | null = null;

  /** Begins a turn. */
  start(): void {
    this.#base = this.#thread;
    this.#turn = null;
    this.#requests = null;
  }

  /** Begins a thread, whose count is another one. */
  reset(): void {
    this.#thread = null;
    this.start();
  }

  /** Takes in a count. Counts that are repeated, as rollouts do, change nothing. */
  count({ scope, usage }: UsageFact): void {
    if (scope === "turn") this.#turn = usage;
    else if (scope === "thread") this.#thread = usage;
    else this.#requests = combined(this.#requests, usage, 1);
  }

  /** What the turn has used so far; `null` if nothing said so. */
  get usage(): TurnUsage | null {
    if (this.#turn !== null) return this.#turn;
    const { input_tokens: total } = this.#thread ?? { input_tokens: 0 };
    if (this.#thread === null || this.#thread === this.#base) {
      return this.#requests;
    }
    // A process that resumes a thread may count from 0 again.
    if (total < (this.#base?.input_tokens ?? 0)) return this.#thread;
    const used = combined(this.#thread, this.#base, -1);
    return used?.input_tokens === 0 && used.output_tokens === 0 ? null : used;
  }
}

function combined(
  a: TurnUsage | null,
  b: TurnUsage | null,
  sign: 1 | -1,
): TurnUsage | null {
  if (a === null || b === null) return a ?? b;
  const each = (x: number | null, y: number | null): number | null =>
    x === null ? y : x + sign * (y ?? 0);
  return {
    input_tokens: a.input_tokens + sign * b.input_tokens,
    cached_input_tokens: each(a.cached_input_tokens, b.cached_input_tokens),
    output_tokens: a.output_tokens + sign * b.output_tokens,
    reasoning_output_tokens: each(
      a.reasoning_output_tokens,
      b.reasoning_output_tokens,
    ),
  };
}

/**
 * The tokens of each request of a turn.
 *
 * @module
 */

import type { RequestUsage, TurnUsage } from "./parts.ts";

/** How many requests of a turn are kept apart; of more, neighbours become one. */
const MAX_REQUESTS = 240;

/** Takes note of how the tokens of a turn grow. */
export class RequestLog {
  #requests: RequestUsage[] = [];
  #input = 0;
  #output = 0;

  /** The requests of the turn, in order. */
  get requests(): readonly RequestUsage[] {
    return this.#requests;
  }

  /** Begins a turn. */
  start(): void {
    this.#requests = [];
    this.#input = 0;
    this.#output = 0;
  }

  /**
   * Takes in what the turn has used so far: what is new is a request.
   *
   * @param usage What it has used so far; `null` if that is not known.
   * @param at When that was said, if it is known.
   */
  note(usage: TurnUsage | null, at: string | null): void {
    if (usage === null) return;
    const request: RequestUsage = {
      at,
      input_tokens: usage.input_tokens - this.#input,
      output_tokens: usage.output_tokens - this.#output,
    };
    this.#input = usage.input_tokens;
    this.#output = usage.output_tokens;
    // A count that is repeated is no request, and one that begins anew tells of none.
    if (request.input_tokens < 0 || request.output_tokens < 0) return;
    if (request.input_tokens + request.output_tokens === 0) return;
    if (this.#requests.length >= MAX_REQUESTS) {
      this.#requests = joined(this.#requests);
    }
    this.#requests.push(request);
  }
}

/** Joins neighbours, two and two. */
function joined(requests: readonly RequestUsage[]): RequestUsage[] {
  const pairs: RequestUsage[] = [];
  for (let i = 0; i < requests.length; i += 2) {
    const [a, b] = requests.slice(i, i + 2);
    if (a === undefined) break;
    pairs.push(
      b === undefined ? a : {
        at: b.at,
        input_tokens: a.input_tokens + b.input_tokens,
        output_tokens: a.output_tokens + b.output_tokens,
      },
    );
  }
  return pairs;
}

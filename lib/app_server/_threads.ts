/**
 * What is remembered of the threads of an app-server.
 */

import type { JsonSlice } from "../json/value.ts";
import { savedField, savedPairs, savedText, valueOf } from "../json/saved.ts";
import { decodeUtf8 } from "../json/utf8.ts";

/**
 * How many threads are remembered. The one that has been idle for longest is forgotten: if it
 * goes on, its turns end without the tokens that were counted before.
 */
const MAX_THREADS = 4096;

/** What is remembered of a thread. */
export interface ThreadMemory {
  /** Whether it has been said that it begins. */
  isStarted: boolean;
  /** The id of the turn that is open. */
  turn: JsonSlice | undefined;
  /** Whether a turn of it has been seen from its beginning, so that no count is no tokens. */
  hasTurn: boolean;
  /** What it has used so far, as events say it. */
  usage: JsonSlice | undefined;
  /** The turn whose plan has been told. */
  planTurn: string | undefined;
}

/** The threads, in the order in which they were last of use. */
export class Threads {
  readonly #threads = new Map<string, ThreadMemory>();

  /** Gives what is remembered of a thread, from now on if there is nothing yet. */
  of(id: string): ThreadMemory {
    const known = this.#threads.get(id);
    if (known !== undefined) this.#threads.delete(id);
    const memory = known ??
      {
        isStarted: false,
        turn: undefined,
        hasTurn: false,
        usage: undefined,
        planTurn: undefined,
      };
    this.#threads.set(id, memory);
    if (this.#threads.size > MAX_THREADS) {
      const [oldest] = this.#threads.keys();
      if (oldest !== undefined) this.#threads.delete(oldest);
    }
    return memory;
  }

  /** Forgets all. */
  clear(): void {
    this.#threads.clear();
  }

  /** Writes down what is remembered. */
  save(): unknown {
    return [...this.#threads].map(([id, memory]) => {
      const { isStarted, turn, hasTurn, usage, planTurn } = memory;
      return [id, {
        started: isStarted,
        turn: textOf(turn) ?? null,
        counted: hasTurn,
        usage: textOf(usage) ?? null,
        plan_turn: planTurn ?? null,
      }];
    });
  }

  /** Goes on from what was written down. */
  load(saved: unknown): void {
    this.clear();
    for (const [id, memory] of savedPairs({ threads: saved }, "threads")) {
      const usage = valueOf(savedText(memory, "usage") ?? "");
      const turn = valueOf(savedText(memory, "turn") ?? "");
      const thread = this.of(id);
      thread.isStarted = savedField(memory, "started") === true;
      thread.turn = turn?.kind === "string" ? turn : undefined;
      thread.hasTurn = savedField(memory, "counted") === true;
      thread.usage = usage?.kind === "object" ? usage : undefined;
      thread.planTurn = savedText(memory, "plan_turn");
    }
  }
}

/** The JSON text of a value. */
function textOf(value: JsonSlice | undefined): string | undefined {
  return value && decodeUtf8(value.bytes, value.start, value.end);
}

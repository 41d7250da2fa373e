/**
 * What is remembered of the threads of an app-server.
 */

import { lasting } from "../../json/literal.ts";
import { JsonReader } from "../../json/reader.ts";
import { type JsonNode, JsonSlice } from "../../json/value.ts";
import {
  savedField,
  savedPairs,
  savedText,
  valueOf,
} from "../../json/saved.ts";
import { decodeUtf8 } from "../../json/utf8.ts";

/**
 * How many threads are remembered. The one that has been idle for longest is forgotten: if it
 * goes on, its turns end without the tokens that were counted before.
 */
const MAX_THREADS = 4096;

/** What is remembered of a thread. */
export interface ThreadMemory {
  /** Whether it has been said that it begins. */
  isStarted: boolean;
  /** What it has used so far, as the app-server says it: as a value, or in the line that says it. */
  usage: JsonSlice | Uint8Array | undefined;
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
      const { isStarted, planTurn } = memory;
      const usage = totalOf(memory);
      return [id, {
        started: isStarted,
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
      const thread = this.of(id);
      thread.isStarted = savedField(memory, "started") === true;
      thread.usage = usage?.kind === "object" ? usage : undefined;
      thread.planTurn = savedText(memory, "plan_turn");
    }
  }
}

/** What a thread has used so far, as the app-server says it. */
export function totalOf(memory: ThreadMemory): JsonSlice | undefined {
  const { usage } = memory;
  if (!(usage instanceof Uint8Array)) return usage;
  const reader = new JsonReader(4);
  let node: JsonNode | undefined = reader.read(usage, 0, usage.length - 1);
  for (const name of ["params", "tokenUsage", "total"]) {
    node = node && reader.members(node).get(name);
  }
  const total = node instanceof JsonSlice && node.kind === "object"
    ? lasting(node)
    : undefined;
  memory.usage = total;
  return total;
}

/** The JSON text of a value. */
function textOf(value: JsonSlice | undefined): string | undefined {
  return value && decodeUtf8(value.bytes, value.start, value.end);
}

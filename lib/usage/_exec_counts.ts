/**
 * The tokens that a stream of `codex exec --json` counts.
 */

import {
  type Fields,
  firstIdOf,
  idOf,
  textOf,
} from "../history/mapping/json_fields.ts";
import type { CountPlace, SourceLedger } from "./_source_ledger.ts";
import { readTokenCount } from "./token_counts.ts";
import { TokenCounter } from "./token_counter.ts";
import { isNothing, readTokens } from "./tokens.ts";

/** What stands for the ids that a stream without its beginning does not have. */
export const UNKNOWN_ID = "unknown";

/** Reads the events of one stream. */
export class ExecCounts {
  readonly #ledger: SourceLedger;
  #counter = new TokenCounter();
  /** Whether the process counts request by request (up to 0.42). */
  #hasCounts = false;
  #model: string | null = null;
  #cwd: string | null = null;

  /** Constructs a new instance. */
  constructor(ledger: SourceLedger) {
    this.#ledger = ledger;
  }

  /**
   * Takes an event.
   *
   * @param event The event, normalized.
   * @param text Its text.
   * @param line The number of its line.
   */
  take(event: Fields, text: string, line: number): void {
    switch (event.type) {
      case "thread.started":
        // A process begins, and counts anew.
        this.#counter = new TokenCounter();
        this.#hasCounts = false;
        this.#model = textOf(event.model) ?? null;
        this.#cwd = firstIdOf(event.workdir, event.cwd) ?? null;
        return;
      case "item.completed": {
        if (event.item_type !== "token_count") return;
        this.#hasCounts = true;
        const count = readTokenCount(event, text, []);
        const place = this.#place(event, line);
        const addition = this.#counter.count(count, {
          turn: place.turn,
          isFork: false,
          hasTurnIds: false,
          hasOrdinal: false,
        });
        this.#ledger.add(place, addition);
        return;
      }
      case "turn.completed":
      case "turn.failed": {
        const usage = readTokens(event.usage, text, ["usage"]);
        if (usage === undefined) return;
        const place = this.#place(event, line);
        if (this.#hasCounts) this.#ledger.add(place, { rule: "summed" });
        else if (isNothing(usage)) this.#ledger.add(place, { rule: "empty" });
        else this.#ledger.run(place, usage);
        return;
      }
    }
  }

  #place(event: Fields, line: number): CountPlace {
    return {
      line,
      thread: knownId(event.thread_id),
      turn: knownId(event.turn_id),
      model: this.#model,
      cwd: this.#cwd,
      timestamp: textOf(event.timestamp),
    };
  }
}

function knownId(id: unknown): string | null {
  return id === UNKNOWN_ID ? null : idOf(id) ?? null;
}

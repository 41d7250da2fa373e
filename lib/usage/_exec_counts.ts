/**
 * The tokens that a stream of `codex exec --json` counts.
 */

import {
  type Fields,
  firstIdOf,
  idOf,
  isFields,
  textOf,
} from "../history/mapping/json_fields.ts";
import type { CountPlace, SourceLedger } from "./_source_ledger.ts";
import { readTokenCount } from "./token_counts.ts";
import { TokenCounter } from "./token_counter.ts";
import { isNothing, readTokens } from "./tokens.ts";

/** What stands for the ids that a stream without its beginning does not have. */
export const UNKNOWN_ID = "unknown";

/** What is known of a thread, of which there may be many in the stream of an app-server. */
interface ThreadState {
  readonly counter: TokenCounter;
  readonly model: string | null;
  readonly cwd: string | null;
  /** Whether it had turns before it was taken up, and nothing has been counted since then. */
  isResumed: boolean;
  /** Whether the process counts request by request (app-servers, and exec up to 0.42). */
  hasCounts: boolean;
}

/** Reads the events of one stream. */
export class ExecCounts {
  readonly #ledger: SourceLedger;
  readonly #threads = new Map<string | null, ThreadState>();

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
    const state = this.#stateOf(event);
    switch (event.type) {
      case "item.completed": {
        if (event.item_type !== "token_count") return;
        state.hasCounts = true;
        // What an app-server says is in the content, of exec up to 0.43 in the event.
        const { content } = event;
        const count = isFields(content)
          ? readTokenCount(content, text, ["content"])
          : readTokenCount(event, text, []);
        const place = this.#place(event, state, line);
        const isOfServer = textOf(event.method) !== undefined;
        if (state.isResumed && isOfServer) {
          // First of all, an app-server says once more what the thread used before.
          state.isResumed = false;
          state.counter.goOnFrom(count);
          this.#ledger.add(place, { rule: "repeated" });
          return;
        }
        const addition = state.counter.count(count, {
          turn: place.turn,
          isFork: false,
          hasTurnIds: isOfServer,
          hasOrdinal: false,
        });
        this.#ledger.add(place, addition);
        return;
      }
      case "turn.completed":
      case "turn.failed": {
        const usage = readTokens(event.usage, text, ["usage"]);
        if (usage === undefined) return;
        const place = this.#place(event, state, line);
        if (state.hasCounts) this.#ledger.add(place, { rule: "summed" });
        else if (isNothing(usage)) this.#ledger.add(place, { rule: "empty" });
        else this.#ledger.run(place, usage);
        return;
      }
    }
  }

  /** What is known of the thread of an event; of one that begins, what that says. */
  #stateOf(event: Fields): ThreadState {
    const id = knownId(event.thread_id);
    const known = this.#threads.get(id);
    // A process that begins counts anew.
    if (known !== undefined && event.type !== "thread.started") return known;
    const state: ThreadState = {
      counter: new TokenCounter(),
      model: textOf(event.model) ?? null,
      cwd: firstIdOf(event.workdir, event.cwd) ?? null,
      isResumed: idOf(event.preview) !== undefined,
      hasCounts: false,
    };
    this.#threads.set(id, state);
    return state;
  }

  #place(
    event: Fields,
    { model, cwd }: ThreadState,
    line: number,
  ): CountPlace {
    return {
      line,
      thread: knownId(event.thread_id),
      turn: knownId(event.turn_id),
      model,
      cwd,
      timestamp: textOf(event.timestamp),
    };
  }
}

function knownId(id: unknown): string | null {
  return id === UNKNOWN_ID ? null : idOf(id) ?? null;
}

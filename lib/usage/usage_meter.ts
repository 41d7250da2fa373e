/**
 * What was used, from any number of files and streams.
 *
 * @module
 */

import { checkedTime, checkedWord } from "../checked.ts";
import { Calendar } from "./calendar.ts";
import type { UsageDerivation } from "./derivations.ts";
import { EventCounts } from "./event_counts.ts";
import { Settlement } from "./_settlement.ts";
import { type LedgerOptions, SourceLedger } from "./_source_ledger.ts";
import { RUN_COUNTERS, type RunCounters } from "./usage_names.ts";
import type { UsageRow } from "./usage_row.ts";
import { UsageSource, type UsageSourceOptions } from "./usage_source.ts";

/** Options for {@linkcode UsageMeter}. */
export interface UsageMeterOptions {
  /**
   * The time zone of days: an IANA name, or `UTC`.
   *
   * @default {"UTC"}
   */
  readonly timeZone?: string | undefined;
  /**
   * When what is counted begins, in milliseconds since 1970. With this or `until`, what has
   * no time is not counted: exec streams have none.
   *
   * @default {-Infinity}
   */
  readonly since?: number | undefined;
  /**
   * When what is counted ends, in milliseconds since 1970; what was at that time is not
   * counted.
   *
   * @default {Infinity}
   */
  readonly until?: number | undefined;
  /**
   * Whether the usage that turns of an exec stream end with counts the whole `thread` (0.80
   * to 0.147, and since 0.155) or the `process` (up to 0.77, and 0.148 to 0.152). Nothing in
   * the stream says which; `auto` takes it for the thread's as long as it never shrinks.
   *
   * @default {"auto"}
   */
  readonly runCounters?: RunCounters | undefined;
  /**
   * Whether {@linkcode UsageMeter.derivations} is to say what became of each line. That
   * takes memory for each.
   *
   * @default {false}
   */
  readonly explain?: boolean | undefined;
}

/**
 * Begins with a file or stream whose events somebody else reads.
 *
 * @param meter What they are counted by.
 * @param name What the file or stream is called.
 * @returns What takes the events.
 */
export let openEvents: (meter: UsageMeter, name: string) => EventCounts;

/**
 * Counts tokens: each request once, whatever repeats it.
 *
 * It is fed exec streams and session files of every release, and tells apart counters that
 * go on from those that begin anew, totals that are written again, what forks and sub-agents
 * copied from the thread that they come from, several files with the same turns, and the
 * stream and the session file of one thread: the file says more, so the stream is left out.
 * {@linkcode UsageDerivation} says which rule each number comes from.
 *
 * Memory is bounded by the number of turns and the longest line.
 *
 * @example What a run used
 * ```ts
 * import { UsageMeter } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const log = `{"type":"thread.started","thread_id":"t"}
 * {"type":"turn.started"}
 * {"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1024,"output_tokens":60}}
 * `;
 * const meter = new UsageMeter();
 * const source = meter.open("run.jsonl");
 * source.feed(new TextEncoder().encode(log), ({ line, error }) => {
 *   throw new Error(`line ${line}: ${error.message}`);
 * });
 * source.flush(() => {});
 *
 * assertEquals(meter.rows().map((row) => row.total_tokens), [1260n]);
 * ```
 */
export class UsageMeter {
  readonly #options: LedgerOptions;
  readonly #runCounters: RunCounters;
  readonly #ledgers: SourceLedger[] = [];

  /**
   * Constructs a new instance.
   *
   * @param options The time zone, the time, and how to count.
   * @throws {RangeError} If there is no such time zone, a time is `NaN`, or `runCounters` none of
   *   its words.
   */
  constructor(options: UsageMeterOptions = {}) {
    this.#options = {
      calendar: new Calendar(options.timeZone ?? "UTC"),
      since: checkedTime("since", options.since ?? -Infinity),
      until: checkedTime("until", options.until ?? Infinity),
      explain: options.explain ?? false,
    };
    this.#runCounters = checkedWord(
      "runCounters",
      options.runCounters ?? "auto",
      RUN_COUNTERS,
    );
  }

  /**
   * Begins with a file or stream. The rows come in the order of these calls; what is counted
   * does not depend on it.
   *
   * @param name What it is called in rows and derivations.
   * @param options What to expect.
   * @returns What it is to be fed to.
   * @throws {RangeError} If the limit of lines is not a whole number from 1 to 2^29 - 24.
   */
  open(name: string, options: UsageSourceOptions = {}): UsageSource {
    const ledger = new SourceLedger(name, this.#options);
    const source = new UsageSource(ledger, options);
    this.#ledgers.push(ledger);
    return source;
  }

  static {
    openEvents = (meter, name): EventCounts => {
      const ledger = new SourceLedger(name, meter.#options);
      meter.#ledgers.push(ledger);
      return new EventCounts(ledger);
    };
  }

  /** How many counts were left out because nothing says when they were. */
  get untimed(): number {
    return this.#ledgers.reduce((sum, { untimed }) => sum + untimed, 0);
  }

  /**
   * Gives what was used, of all that has been fed so far.
   *
   * @returns The rows, in the order of files, threads and turns.
   */
  rows(): UsageRow[] {
    const settled = new Settlement(this.#ledgers, this.#runCounters);
    return this.#ledgers.flatMap((ledger) =>
      [...ledger.threads].flatMap(([thread, entry]) =>
        [...entry.turns].flatMap(([turn, { slices, run }]) => {
          if (settled.leftOut(ledger, thread, turn) !== undefined) return [];
          const ids = {
            source: ledger.name,
            thread_id: thread,
            parent_thread_id: entry.parent,
            turn_id: turn,
          };
          const parts = [...slices];
          const tokens = settled.additionOf(run)?.tokens;
          if (run !== undefined && tokens !== undefined) {
            const { model, cwd } = run.place;
            parts.push({ day: null, model, cwd, tokens });
          }
          return parts.map(({ day, model, cwd, tokens }) => ({
            ...ids,
            model,
            cwd,
            day,
            ...tokens,
          }));
        })
      )
    );
  }

  /**
   * Says what became of each line that has counts; of none, without the option `explain`.
   *
   * @returns The derivations, in the order of files and lines.
   */
  derivations(): UsageDerivation[] {
    const settled = new Settlement(this.#ledgers, this.#runCounters);
    return this.#ledgers.flatMap((ledger) =>
      ledger.steps.map((step) => settled.derivation(ledger, step))
    );
  }
}

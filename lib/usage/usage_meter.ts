/** Counts the tokens that were used, from any number of files and streams. */

import { checkedTime, checkedWord } from "../checked.ts";
import { countReason } from "../dialects/rollout/count_reason.ts";
import type { FailureReason } from "../errors.ts";
import { EventReader } from "../events/event_reader.ts";
import { LineSelection } from "../events/line_selection.ts";
import { fieldsOf } from "../json/fields.ts";
import type { Failure, Outcome } from "../outcome.ts";
import { JsonlRecords } from "../pipeline/jsonl_records.ts";
import type { JsonlOptions } from "../pipeline/line_answers.ts";
import type { Emit, Stage } from "../stage.ts";
import {
  Calendar,
  type CountTaker,
  type Ledger,
  type LedgerOptions,
  type RunEntry,
  type Slice,
  SourceLedger,
  type Step,
  type ThreadEntry,
  type TurnEntry,
} from "./source_ledger.ts";
import type { UsageDerivation, UsageRule } from "./derivations.ts";
import { EventCounts, TYPES_OF_COUNTS, UNKNOWN_ID } from "./event_counts.ts";
import type { Addition } from "./token_counter.ts";
import {
  growth,
  isShared,
  NO_TOKENS,
  readTokens,
  type UsageRow,
} from "./tokens.ts";
import { RUN_COUNTERS, type RunCounters } from "./usage_names.ts";

// Decisions that need all files and streams.

/** The greatest distance between the beginnings of a review and its thread, in milliseconds. */
const REVIEW_START = 5000;

/** Decides the counts that depend on all files and streams, after they have been read. */
class Settlement {
  /** The session file that counts for each turn, by thread and turn. */
  readonly #files = new Map<string | null, Map<string | null, Ledger>>();
  readonly #runs = new Map<RunEntry, Addition>();
  /** The times at which threads began that review for others. */
  readonly #reviews: number[] = [];

  constructor(ledgers: readonly Ledger[], counters: RunCounters) {
    const runs = new Map<string | null, LedgerRun[]>();
    for (const ledger of ledgers) {
      for (const [id, thread] of ledger.threads) {
        if (thread.reviews !== undefined) this.#reviews.push(thread.reviews);
        if (thread.isFile) this.#file(ledger, id, thread);
        else if (isShared(id)) {
          const list = runs.get(id) ?? [];
          for (const run of runsOf(ledger, thread)) list.push(run);
          runs.set(id, list);
        } else this.#settle(runsOf(ledger, thread), counters);
      }
    }
    for (const list of runs.values()) this.#settle(list, counters);
  }

  /** Returns the rule by which a turn in a file or stream is left out, if it is. */
  leftOut(
    ledger: Ledger,
    thread: string | null,
    turn: string | null,
  ): UsageRule | undefined {
    const turns = this.#files.get(thread);
    if (turns === undefined) return undefined;
    const entry = ledger.threads.get(thread);
    if (entry?.isFile !== true) return "filed";
    const reviewed = entry.turns.get(turn)?.reviewed;
    const isReviewed = reviewed !== undefined &&
      this.#reviews.some((time) => Math.abs(time - reviewed) <= REVIEW_START);
    if (isReviewed) return "reviewed";
    return (turns.get(turn) ?? ledger) === ledger ? undefined : "copied";
  }

  additionOf(run: RunEntry | undefined): Addition | undefined {
    return run && this.#runs.get(run);
  }

  derivation(ledger: Ledger, step: Step): UsageDerivation {
    const { line, thread, turn, run } = step;
    // Of a turn with several ends, the last replaces the others.
    const replaced = run === undefined ? step : { rule: "repeated" } as const;
    let { rule, tokens }: Addition = this.additionOf(run) ?? replaced;
    const leftOut = this.leftOut(ledger, thread, turn);
    if (tokens !== undefined && leftOut !== undefined) {
      rule = leftOut;
      tokens = undefined;
    }
    return {
      source: ledger.name,
      line,
      thread_id: thread,
      turn_id: turn,
      counted: tokens !== undefined,
      rule,
      tokens: tokens ?? NO_TOKENS,
    };
  }

  /** Chooses, among the files that have a turn, the one with the most tokens of it. */
  #file(ledger: Ledger, id: string | null, thread: ThreadEntry): void {
    const turns = this.#files.get(id) ?? new Map<string | null, Ledger>();
    this.#files.set(id, turns);
    for (const [turn, entry] of thread.turns) {
      const other = turns.get(turn)?.threads.get(id)?.turns.get(turn);
      const isMore = other === undefined || totalOf(entry) > totalOf(other);
      if (isMore) turns.set(turn, ledger);
    }
  }

  /** Computes the tokens of each exec turn of a thread. */
  #settle(unsorted: readonly LedgerRun[], counters: RunCounters): void {
    // Files are often given in the order of their names, not of time. The usage of a thread
    // never shrinks, so sorting by usage restores the order; that of processes adds up in any.
    const runs = inOrder(unsorted);
    const isThread = counters === "thread" ||
      (counters === "auto" && runs.every(isGrowing));
    for (const [i, { run }] of runs.entries()) {
      const { usage } = run;
      const before = isThread ? runs[i - 1] : undefined;
      const grown = before === undefined
        ? usage
        : growth(before.run.usage, usage);
      // With `runCounters: "thread"`, a counter that shrinks is one that began anew.
      const ofThread = grown === undefined ? "restarted" : "thread";
      const ofMany = isThread ? ofThread : "run";
      const rule = runs.length === 1 ? "turn" : ofMany;
      this.#runs.set(run, { rule, tokens: grown ?? usage });
    }
  }
}

interface LedgerRun {
  readonly ledger: Ledger;
  readonly run: RunEntry;
}

function runsOf(ledger: Ledger, { turns }: ThreadEntry): LedgerRun[] {
  return [...turns.values()].flatMap(({ run }) =>
    run === undefined ? [] : [{ ledger, run }]
  );
}

/** Sorts runs by total usage; those of one stream keep the order of their lines. */
function inOrder(runs: readonly LedgerRun[]): readonly LedgerRun[] {
  return runs.toSorted(({ ledger: a, run: one }, { ledger: b, run: other }) => {
    if (a === b) return one.place.line - other.place.line;
    const difference = one.usage.total_tokens - other.usage.total_tokens;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  });
}

/** Whether the usage of a run is at least that of the run before it, in each kind. */
function isGrowing(
  { run }: LedgerRun,
  i: number,
  runs: readonly LedgerRun[],
): boolean {
  const before = runs[i - 1];
  return before === undefined ||
    growth(before.run.usage, run.usage) !== undefined;
}

function totalOf({ slices }: TurnEntry): bigint {
  return slices.reduce((sum, { tokens }) => sum + tokens.total_tokens, 0n);
}

// Reading one file or stream.

/** Options for {@linkcode UsageMeter.open}. */
export type UsageSourceOptions = Pick<
  JsonlOptions,
  "from" | "maxLineBytes" | "thread"
>;

const LINES = new LineSelection(TYPES_OF_COUNTS);

/** Returns why the usage of a turn of an exec stream, if a record has one, cannot be read. */
function usageReason(value: unknown): FailureReason | undefined {
  const { type, usage } = fieldsOf(value);
  const isEnd = type === "turn.completed" || type === "turn.failed";
  if (!isEnd || usage === undefined || usage === null || readTokens(usage)) {
    return undefined;
  }
  const message =
    "Cannot count the tokens: usage has neither input_tokens nor output_tokens that is a whole number";
  return { kind: "typed", message };
}

/**
 * Reads one file or stream from blocks of bytes; {@linkcode UsageMeter.open} makes it. Its counts
 * go to the meter. It emits the failures of lines that may have had counts.
 *
 * @example The failure of a line that may have had counts
 * ```ts
 * import { UsageMeter } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const source = new UsageMeter().open("run.jsonl");
 * const lines: number[] = [];
 * const torn = '{"type":"turn.started"}\n{"type":"turn.completed","usage":{"inp\n';
 * source.feed(new TextEncoder().encode(torn), ({ line }) => lines.push(line));
 * source.flush(({ line }) => lines.push(line));
 *
 * assertEquals([lines, source.failures], [[2], 1]);
 * ```
 */
export class UsageSource implements Stage<Uint8Array, Failure> {
  readonly #lines: JsonlRecords;
  /** The reader, in the mode for a selection of lines. */
  readonly #reader = new EventReader(undefined, {
    initialThreadId: UNKNOWN_ID,
    isSelection: true,
  });
  readonly #counts: EventCounts;
  #failures = 0;

  /**
   * Constructs a new instance.
   *
   * @param ledger The ledger that receives the counts.
   * @param options The dialect, the limit of lines and the thread.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   */
  constructor(ledger: CountTaker, options: UsageSourceOptions = {}) {
    this.#lines = new JsonlRecords(
      {
        ...options,
        only: LINES.types,
        // The tokens of a log without its beginning count as well.
        initialThreadId: UNKNOWN_ID,
        initialTurnId: UNKNOWN_ID,
      },
      countReason,
      usageReason,
    );
    this.#counts = new EventCounts(ledger);
  }

  /** The number of failed lines that may have had counts. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Reads a block.
   *
   * @param block The bytes; the caller may reuse the buffer afterwards.
   * @param emit Called with each failure.
   */
  feed(block: Uint8Array, emit: Emit<Failure>): void {
    this.#lines.feed(block, (outcome) => this.#take(outcome, emit));
  }

  /**
   * Ends the input.
   *
   * @param emit Called with the failure of a last line without LF.
   */
  flush(emit: Emit<Failure>): void {
    this.#lines.flush((outcome) => this.#take(outcome, emit));
  }

  #take(outcome: Outcome<unknown>, emit: Emit<Failure>): void {
    const { line } = outcome;
    if (!outcome.ok) {
      if (!LINES.mayHaveTold(outcome.raw)) return;
      this.#failures += 1;
      emit(outcome);
      return;
    }
    const { value, text } = outcome;
    this.#reader.read(fieldsOf(value), { line, text }, (event) => {
      this.#counts.take(event, line);
    });
  }
}

/** The counts of a {@linkcode UsageMeter}, as data that `structuredClone` can copy. */
export interface UsageCounts {
  /** The counts of each file or stream. The form is private to this module. */
  readonly sources: readonly unknown[];
}

/** Options for {@linkcode UsageMeter}. */
export interface UsageMeterOptions {
  /**
   * The time zone of days: an IANA name, or `UTC`.
   *
   * @default {"UTC"}
   */
  readonly timeZone?: string | undefined;
  /**
   * The first time that is counted, in milliseconds since 1970. With `since` or `until`, lines
   * without a time are not counted: those of exec streams have none.
   *
   * @default {-Infinity}
   */
  readonly since?: number | undefined;
  /**
   * The end of the time that is counted, exclusive, in milliseconds since 1970.
   *
   * @default {Infinity}
   */
  readonly until?: number | undefined;
  /**
   * Whether the usage at the ends of exec turns counts the whole `thread` (0.79 to 0.147, and
   * since 0.155) or the `process` (up to 0.77, and 0.148 to 0.152). The stream does not show
   * which; `auto` assumes the thread's if the usage never shrinks.
   *
   * @default {"auto"}
   */
  readonly runCounters?: RunCounters | undefined;
  /**
   * Whether to keep a derivation of each line with counts, for
   * {@linkcode UsageMeter.derivations}. Each takes memory.
   *
   * @default {false}
   */
  readonly explain?: boolean | undefined;
}

/**
 * Counts tokens: each request once, however often its count is repeated.
 *
 * It reads exec streams and session files of every release. It distinguishes counters that
 * continue from those that begin anew, and recognizes totals that are written again, lines that
 * forks and sub-agents copied from the thread they come from, several files with the same turns,
 * and the stream and the session file of one thread: the file has more, so the stream is left
 * out. {@linkcode UsageDerivation} has the rule that each number comes from.
 *
 * Memory is bounded by the number of turns and the longest line.
 *
 * @example The tokens of a run
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
  #ledgers: Ledger[] = [];

  /**
   * Constructs a new instance.
   *
   * @param options The time zone, the range of time, and how to count.
   * @throws {RangeError} If there is no such time zone, a time is `NaN`, or `runCounters` is not
   *   one of {@linkcode RUN_COUNTERS}.
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
   * Opens a file or stream. The rows come in the order of these calls; the counts do not depend
   * on it.
   *
   * @param name The name of the file or stream in rows and derivations.
   * @param options The dialect, the limit of lines and the thread.
   * @returns The source, to feed the bytes to.
   * @throws {RangeError} If the limit of lines is not a whole number from 1 to 2^29 - 24.
   */
  open(name: string, options: UsageSourceOptions = {}): UsageSource {
    return new UsageSource(this.openLedger(name), options);
  }

  /** @ignore Opens a file or stream whose events the caller reads; returns its ledger. */
  openLedger(name: string): CountTaker {
    const ledger = new SourceLedger(name, this.#options);
    this.#ledgers.push(ledger);
    return ledger;
  }

  /**
   * Removes all counts from this meter and returns them, to be added to another meter with the
   * same options. So files can be read in several threads.
   *
   * @returns The counts of all that was fed; they no longer count here.
   *
   * @example From one thread to another
   * ```ts
   * import { UsageMeter } from "@codexpipe/codexpipe/usage";
   * import { assertEquals } from "@std/assert";
   *
   * const there = new UsageMeter();
   * const source = there.open("run.jsonl");
   * const line = '{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":1}}\n';
   * source.feed(new TextEncoder().encode(line), () => {});
   * source.flush(() => {});
   * const meter = new UsageMeter();
   * meter.add(structuredClone(there.take()));
   *
   * assertEquals(meter.rows().map((row) => row.total_tokens), [8n]);
   * ```
   */
  take(): UsageCounts {
    const sources = this.#ledgers;
    this.#ledgers = [];
    return { sources };
  }

  /**
   * Adds the counts of another meter, after those of this one.
   *
   * @param counts The result of {@linkcode UsageMeter.take} of the other meter.
   */
  add({ sources }: UsageCounts): void {
    // The boundary between meters: only `take` makes sources, and those are ledgers.
    for (const source of sources) this.#ledgers.push(source as Ledger);
  }

  /** The number of counts that were left out because their lines have no time. */
  get untimed(): number {
    return this.#ledgers.reduce((sum, { untimed }) => sum + untimed, 0);
  }

  /**
   * Returns the tokens of all that has been fed so far.
   *
   * @returns The rows, in the order of files, threads and turns.
   */
  rows(): UsageRow[] {
    const settled = new Settlement(this.#ledgers, this.#runCounters);
    const rows: UsageRow[] = [];
    for (const ledger of this.#ledgers) {
      for (const [thread, entry] of ledger.threads) {
        for (const [turn, { slices, run }] of entry.turns) {
          if (settled.leftOut(ledger, thread, turn) !== undefined) continue;
          const add = ({ day, model, cwd, tokens }: Slice): void => {
            rows.push({
              source: ledger.name,
              thread_id: thread,
              parent_thread_id: entry.parent,
              turn_id: turn,
              model,
              cwd,
              day,
              ...tokens,
            });
          };
          slices.forEach(add);
          const tokens = settled.additionOf(run)?.tokens;
          if (run !== undefined && tokens !== undefined) {
            add({ ...run.place, day: null, tokens });
          }
        }
      }
    }
    return rows;
  }

  /**
   * Returns the derivation of each line that has counts; none without the option `explain`.
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

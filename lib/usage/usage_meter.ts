/** What was used, from any number of files and streams. */

import { checkedTime, checkedWord } from "../checked.ts";
import type { Dialect } from "../dialects/dialect_names.ts";
import { countReason } from "../dialects/rollout/count_reason.ts";
import { EventReader } from "../events/event_reader.ts";
import { LineSelection } from "../events/line_selection.ts";
import { fieldsOf } from "../json/fields.ts";
import type { Failure, Outcome } from "../outcome.ts";
import { JsonlRecords } from "../pipeline/jsonl_records.ts";
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
  tokensOfTurn,
  type TurnEntry,
} from "./source_ledger.ts";
import type { UsageDerivation, UsageRule } from "./derivations.ts";
import { EventCounts, UNKNOWN_ID } from "./event_counts.ts";
import type { Addition } from "./token_counter.ts";
import { growth, isShared, NO_TOKENS, type UsageRow } from "./tokens.ts";
import { RUN_COUNTERS, type RunCounters } from "./usage_names.ts";

// What several files and streams say together.

/** How far apart a review and the thread that does it can begin, in milliseconds. */
const REVIEW_START = 5000;

/** Tells what can only be told when all files and streams have been read. */
class Settlement {
  /** Which session file counts for a turn. */
  readonly #files = new Map<string | null, Map<string | null, Ledger>>();
  readonly #runs = new Map<RunEntry, Addition>();
  /** When threads began that review for others. */
  readonly #reviews: number[] = [];

  /**
   * Constructs a new instance.
   *
   * @param counters What the usage of exec turns counts.
   */
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

  /** The rule by which a turn in a file or stream is left out, if it is. */
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

  /** What the end of a turn of an exec stream adds. */
  additionOf(run: RunEntry | undefined): Addition | undefined {
    return run === undefined ? undefined : this.#runs.get(run);
  }

  derivation(ledger: Ledger, step: Step): UsageDerivation {
    const { line, thread, turn, run } = step;
    // What the same turn said once more later on is all that counts of it.
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

  /** Of the files that have a turn, the one counts that has most of it. */
  #file(ledger: Ledger, id: string | null, thread: ThreadEntry): void {
    const turns = this.#files.get(id) ?? new Map<string | null, Ledger>();
    this.#files.set(id, turns);
    for (const [turn, entry] of thread.turns) {
      const other = turns.get(turn)?.threads.get(id)?.turns.get(turn);
      if (other === undefined || isMore(entry, other)) turns.set(turn, ledger);
    }
  }

  /** Tells what each of a thread's exec turns used. */
  #settle(given: readonly LedgerRun[], counters: RunCounters): void {
    // Files are often named in the order of their names, not of time. What a thread has used
    // never shrinks, so that order tells; what processes used can be added up in any.
    const runs = inOrder(given);
    const isThread = counters === "thread" ||
      (counters === "auto" && runs.every(isGrowing));
    for (const [i, { run }] of runs.entries()) {
      const { usage } = run;
      const before = isThread ? runs[i - 1] : undefined;
      const grown = before === undefined
        ? usage
        : growth(before.run.usage, usage);
      // With `runCounters: "thread"` the caller knows that a counter that shrinks began anew.
      const ofThread = grown === undefined ? "restarted" : "thread";
      const ofMany = isThread ? ofThread : "run";
      const rule = runs.length === 1 ? "turn" : ofMany;
      this.#runs.set(run, { rule, tokens: grown ?? usage });
    }
  }
}

/** The end of an exec turn, and where it stands. */
interface LedgerRun {
  readonly ledger: Ledger;
  readonly run: RunEntry;
}

function runsOf(ledger: Ledger, { turns }: ThreadEntry): LedgerRun[] {
  return [...turns.values()].flatMap(({ run }) =>
    run === undefined ? [] : [{ ledger, run }]
  );
}

/** Puts runs in the order of what they say was used; those of one stream stay in theirs. */
function inOrder(runs: readonly LedgerRun[]): readonly LedgerRun[] {
  return runs.toSorted(({ ledger: a, run: one }, { ledger: b, run: other }) => {
    if (a === b) return one.place.line - other.place.line;
    const difference = one.usage.total_tokens - other.usage.total_tokens;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  });
}

/** Whether a run says at least as much of each kind as the one before it. */
function isGrowing(
  { run }: LedgerRun,
  i: number,
  runs: readonly LedgerRun[],
): boolean {
  const before = runs[i - 1];
  return before === undefined ||
    growth(before.run.usage, run.usage) !== undefined;
}

function isMore(one: TurnEntry, other: TurnEntry): boolean {
  return tokensOfTurn(one).total_tokens > tokensOfTurn(other).total_tokens;
}

// Reads one file or stream for what was used.

/** Options for {@linkcode UsageMeter.open}. */
export interface UsageSourceOptions {
  /**
   * The dialects to expect. `auto` decides by the first line that is a JSON object.
   *
   * @default {"auto"}
   */
  readonly from?: Dialect | undefined;
  /**
   * How many bytes a line may have; longer ones fail.
   *
   * @default {268435456}
   */
  readonly maxLineBytes?: number | undefined;
  /**
   * The id of the only thread that counts, of the stream of an app-server.
   *
   * @default {undefined} All do.
   */
  readonly thread?: string | undefined;
}

/** The lines that say something of threads, turns, models or tokens. */
const LINES = new LineSelection([
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn_context",
  "user_message",
  "entered_review_mode",
  "exited_review_mode",
  "token_count",
  "token_usage_record",
]);

/**
 * Reads one file or stream, blocks of bytes in, and gives the failures of those lines that
 * would have counted; {@linkcode UsageMeter.open} makes it. What the lines say goes to the
 * meter.
 *
 * @example A line that would have counted
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
  /** Copes with a part of the lines. */
  readonly #reader = new EventReader(undefined, {
    initialThreadId: UNKNOWN_ID,
    isSelection: true,
  });
  readonly #counts: EventCounts;
  #failures = 0;

  /**
   * Constructs a new instance.
   *
   * @param ledger Takes what the lines say.
   * @param options What to expect.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   */
  constructor(ledger: SourceLedger, options: UsageSourceOptions = {}) {
    this.#lines = new JsonlRecords({
      from: options.from,
      maxLineBytes: options.maxLineBytes,
      thread: options.thread,
      only: LINES.types,
      // The tokens of a log without its beginning count as well.
      initialThreadId: UNKNOWN_ID,
      initialTurnId: UNKNOWN_ID,
    }, countReason);
    this.#counts = new EventCounts(ledger);
  }

  /** How many lines that would have counted could not be read. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Takes a block.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with each failure.
   */
  feed(block: Uint8Array, emit: Emit<Failure>): void {
    this.#lines.feed(block, (outcome) => this.#take(outcome, emit));
  }

  /**
   * Ends the input.
   *
   * @param emit Is called with the failure of a last line without LF.
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
      if (this.#reader.isSession) this.#counts.takeSession(event, line);
      else this.#counts.takeExec(event, line);
    });
  }
}

/** What a {@linkcode UsageMeter} was fed, as data that `structuredClone` can copy. */
export interface UsageCounts {
  /** What each file or stream adds, in a form that is nobody else's business. */
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
  #ledgers: Ledger[] = [];

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

  /** @ignore Begins with a file or stream whose events the caller reads, and takes their counts. */
  openLedger(name: string): CountTaker {
    const ledger = new SourceLedger(name, this.#options);
    this.#ledgers.push(ledger);
    return ledger;
  }

  /**
   * Gives away what has been fed so far, to be added to another meter with the same options:
   * files can so be read in several threads.
   *
   * @returns What was fed; it counts here no more.
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
   * Adds what another meter was fed, behind all that this one was.
   *
   * @param counts What {@linkcode UsageMeter.take} gave there.
   */
  add({ sources }: UsageCounts): void {
    // The boundary between meters: what is given away is given by a meter.
    for (const source of sources) this.#ledgers.push(source as Ledger);
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

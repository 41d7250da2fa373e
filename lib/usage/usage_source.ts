/**
 * Reads one file or stream for what was used.
 */

import type { Dialect } from "../dialects/dialect_names.ts";
import { EventReader } from "../events/event_reader.ts";
import { LineSelection } from "../events/line_selection.ts";
import { fieldsOf } from "../json/fields.ts";
import { JsonlRecords } from "../pipeline/jsonl_records.ts";
import type { LineProblem } from "../errors.ts";
import type { Outcome } from "../outcome.ts";
import type { Emit, Stage } from "../stage.ts";
import { countProblem } from "../dialects/rollout/count_problem.ts";
import { EventCounts, UNKNOWN_ID } from "./event_counts.ts";
import type { SourceLedger } from "./_source_ledger.ts";

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

/** A line that would have counted and could not be read. */
export interface UsageFailure {
  /** The number of the line, from 1. */
  readonly line: number;
  /** Why. */
  readonly error: LineProblem;
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
export class UsageSource implements Stage<Uint8Array, UsageFailure> {
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
    const { maxLineBytes } = options;
    this.#lines = new JsonlRecords({
      from: options.from ?? "auto",
      ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
      only: LINES.types,
      thread: options.thread,
      // The tokens of a log without its beginning count as well.
      initialThreadId: UNKNOWN_ID,
      initialTurnId: UNKNOWN_ID,
    }, countProblem);
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
  feed(block: Uint8Array, emit: Emit<UsageFailure>): void {
    this.#lines.feed(block, (outcome) => this.#take(outcome, emit));
  }

  /**
   * Ends the input.
   *
   * @param emit Is called with the failure of a last line without LF.
   */
  flush(emit: Emit<UsageFailure>): void {
    this.#lines.flush((outcome) => this.#take(outcome, emit));
  }

  #take(outcome: Outcome<unknown>, emit: Emit<UsageFailure>): void {
    const { line } = outcome;
    if (!outcome.ok) {
      if (!LINES.mayHaveTold(outcome.raw)) return;
      this.#failures += 1;
      emit({ line, error: outcome.error });
      return;
    }
    const { value, text } = outcome;
    this.#reader.read(fieldsOf(value), { line, text }, (event) => {
      if (this.#reader.isSession) this.#counts.takeSession(event, line);
      else this.#counts.takeExec(event, line);
    });
  }
}

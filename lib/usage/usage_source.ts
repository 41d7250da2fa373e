/**
 * Reads one file or stream for what was used.
 */

import type { Dialect } from "../dialect_names.ts";
import { fieldsOf } from "../history/mapping/json_fields.ts";
import { JsonlRecords } from "../jsonl_records.ts";
import type { LineProblem } from "../errors.ts";
import type { Failure, Outcome } from "../outcome.ts";
import type { Emit, Stage } from "../stage.ts";
import { countProblem } from "./_count_problem.ts";
import { ExecCounts, UNKNOWN_ID } from "./_exec_counts.ts";
import { RolloutCounts } from "./_rollout_counts.ts";
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

/** What says something of threads, turns, models or tokens. */
const TYPES: readonly string[] = [
  "thread.started",
  "item.completed/token_count",
  "turn.completed",
  "turn.failed",
  "session_meta",
  "turn_context",
  "token_usage_record",
  "event",
  "event_msg/task_started",
  "event_msg/turn_started",
  "event_msg/user_message",
  "event_msg/entered_review_mode",
  "event_msg/exited_review_mode",
  "event_msg/token_count",
];

/** What a line that failed has one of if it would have counted, in any dialect. */
const WORDS: readonly string[] = [
  '"session_meta"',
  '"session_configured"',
  '"session.created"',
  '"thread.started"',
  '"thread.resumed"',
  '"workdir":',
  '"turn_context"',
  '"task_started"',
  '"turn_started"',
  '"turn.started"',
  '"turn.completed"',
  '"turn.failed"',
  '"task_complete"',
  '"turn_complete"',
  '"turn_aborted"',
  '"user_message"',
  '"entered_review_mode"',
  '"exited_review_mode"',
  '"token_count"',
  '"thread/started"',
  '"turn/completed"',
  '"thread/tokenUsage/updated"',
  '"token_usage_record"',
  '"line.failed"',
];

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
  readonly #exec: ExecCounts;
  readonly #rollout: RolloutCounts;
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
      only: TYPES,
      thread: options.thread,
      // The tokens of a log without its beginning count as well.
      initialThreadId: UNKNOWN_ID,
      initialTurnId: UNKNOWN_ID,
    }, countProblem);
    this.#exec = new ExecCounts(ledger);
    this.#rollout = new RolloutCounts(ledger);
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
      if (!mayHaveCounted(outcome)) return;
      this.#failures += 1;
      emit({ line, error: outcome.error });
      return;
    }
    const { value, text = "" } = outcome;
    const record = fieldsOf(value);
    // The types of the two families have no name in common.
    this.#exec.take(record, text, line);
    this.#rollout.take(record, text, line);
  }
}

/** Whether a line that failed would have counted, as far as its text tells. */
function mayHaveCounted({ raw }: Failure): boolean {
  return raw === undefined || WORDS.some((word) => raw.includes(word));
}

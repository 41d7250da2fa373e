/**
 * The outcome of reading one line: a value, or a failure that still holds the line.
 *
 * @module
 */

import { checkOutcome } from "./checked.ts";
import type { FailureReason } from "./errors.ts";
import type { Emit, Stage } from "./stage.ts";

/** The outcome of a line that could be read so far. */
export interface Success<T> {
  /** Always `true`. */
  readonly ok: true;
  /** The physical line number, counted from 1; blank lines count. */
  readonly line: number;
  /** Where the line starts, in bytes from the start of the (decompressed) input. */
  readonly offset: number;
  /** The line in its present form: its text, its normalized text, or its event. */
  readonly value: T;
  /**
   * The exact JSON text that `value` was decoded from, where `value` is not text itself.
   * Encoding writes it back, so that numbers, key order and duplicate keys survive.
   */
  readonly text?: string;
  /** A success has none. */
  readonly error?: undefined;
}

/** The outcome of a line that could not be read. */
export interface Failure {
  /** Always `false`. */
  readonly ok: false;
  /** The physical line number, counted from 1; blank lines count. */
  readonly line: number;
  /** Where the line starts, in bytes from the start of the (decompressed) input. */
  readonly offset: number;
  /** The reason. */
  readonly error: FailureReason;
  /** A failure has none. */
  readonly value?: undefined;
  /**
   * The line, without its terminator; bytes that are not UTF-8 stand in it as U+FFFD.
   * Absent for `line_too_long`, whose length is `error.bytes`, and for a record that the caller
   * passed instead of a line and that has no JSON form (a `bigint` or a cycle in it).
   */
  readonly raw?: string;
  /** The bytes of a line that is not UTF-8. */
  readonly rawBytes?: Uint8Array;
  /**
   * The `line.failed` record by which an earlier run reported the failure in band. Encoding the
   * failure writes this record unchanged.
   */
  readonly inBand?: string;
}

/** The outcome of reading one line. */
export type Outcome<T> = Success<T> | Failure;

/**
 * Feeds `stage` the successes only; failures are emitted unchanged, in order. `feed` throws a
 * `TypeError` for a value that is no outcome, such as a line without a number.
 *
 * @typeParam A The type of the values that go in.
 * @typeParam B The type of the values that come out.
 * @param stage The stage for the successes.
 * @returns A stage for all outcomes.
 *
 * @example The length of each good line
 * ```ts
 * import { onSuccess, type Outcome } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const lengths = onSuccess<string, number>({
 *   feed: (line, emit) => emit({ ...line, value: line.value.length }),
 * });
 * const seen: Outcome<number>[] = [];
 * lengths.feed({ ok: true, line: 1, offset: 0, value: "abc" }, (o) => seen.push(o));
 *
 * assertEquals(seen, [{ ok: true, line: 1, offset: 0, value: 3 }]);
 * ```
 */
export function onSuccess<A, B>(
  stage: Stage<Success<A>, Outcome<B>>,
): Stage<Outcome<A>, Outcome<B>> {
  return {
    feed(outcome: Outcome<A>, emit: Emit<Outcome<B>>): void {
      checkOutcome(outcome);
      if (outcome.ok) stage.feed(outcome, emit);
      else emit(outcome);
    },
    flush(emit: Emit<Outcome<B>>): void {
      stage.flush?.(emit);
    },
  };
}

/**
 * What became of one line: a value, or a failure that still holds the line.
 *
 * @module
 */

import { checkOutcome } from "./checked.ts";
import type { FailureReason } from "./errors.ts";
import type { Emit, Stage } from "./stage.ts";

/** What became of one line that could be read so far. */
export interface Success<T> {
  /** Always `true`. */
  readonly ok: true;
  /** The physical line number, counted from 1; blank lines count. */
  readonly line: number;
  /** Where the line starts, in bytes from the start of the (decompressed) input. */
  readonly offset: number;
  /** What the line has become: its text, its normalized text, its event. */
  readonly value: T;
  /**
   * The exact JSON text that `value` was decoded from, where `value` is not text itself.
   * Encoding writes it back, so that numbers, key order and duplicate keys survive.
   */
  readonly text?: string;
  /** A success has none. */
  readonly error?: undefined;
}

/** What became of one line that could not be read. */
export interface Failure {
  /** Always `false`. */
  readonly ok: false;
  /** The physical line number, counted from 1; blank lines count. */
  readonly line: number;
  /** Where the line starts, in bytes from the start of the (decompressed) input. */
  readonly offset: number;
  /** Why. */
  readonly error: FailureReason;
  /** A failure has none. */
  readonly value?: undefined;
  /**
   * The line, without its terminator; bytes that are not UTF-8 stand in it as U+FFFD.
   * Absent for `line_too_long`, whose `error.bytes` says how long it was, and for a record
   * that was given instead of a line and has no JSON form (a `bigint` or a cycle in it).
   */
  readonly raw?: string;
  /** The bytes of a line that is not UTF-8. */
  readonly rawBytes?: Uint8Array;
  /**
   * The record of a failure that an earlier run reported in band (`line.failed`); it
   * stands for itself when it is encoded.
   */
  readonly inBand?: string;
}

/** What became of one line. */
export type Outcome<T> = Success<T> | Failure;

/**
 * Shows `stage` successes only; failures pass by unchanged, in order. What is no
 * outcome, such as a line that nothing has numbered, makes `feed` throw a `TypeError`.
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

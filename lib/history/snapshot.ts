/**
 * A history at one point, as plain JSON.
 *
 * @module
 */

import type { AnyHistoryRecord } from "./records.ts";

/** Which record an id of the producer belongs to: the number of the record by the id. */
export interface HistoryLookup {
  /** The number of the record. */
  readonly [id: string]: number;
}

/** A history at one point. Fields that are not listed here are kept. */
export interface HistorySnapshot {
  /** The records, in order. */
  readonly records: readonly AnyHistoryRecord[];
  /** The number that the next record gets. */
  readonly next_id: number;
  /** The commands, by the id of the call. */
  readonly exec_call_lookup: HistoryLookup;
  /** The tools, by the id of the call. */
  readonly tool_call_lookup: HistoryLookup;
  /** The answers that are still being written, by the id of the stream. */
  readonly stream_lookup: HistoryLookup;
  /** What it takes to go on exactly. Only in checkpoints; other readers ignore it. */
  readonly resume?: unknown;
  /** What a newer producer has put there. */
  readonly [name: string]: unknown;
}

/** A value that is no history snapshot, or no record of one. */
export class HistorySnapshotError extends TypeError {
  /** The name of the class. */
  override readonly name = "HistorySnapshotError";
  /** Where it goes wrong, such as `records[3].payload.status`; empty for the value itself. */
  readonly path: string;

  /**
   * Constructs a new instance.
   *
   * @param path Where it goes wrong.
   * @param state What is there, and what was expected.
   *
   * @example The place of a mistake
   * ```ts
   * import { HistorySnapshotError } from "@codexpipe/codexpipe/history";
   * import { assertEquals } from "@std/assert";
   *
   * const error = new HistorySnapshotError("next_id", "missing, expected a number");
   *
   * assertEquals(
   *   error.message,
   *   "Cannot read a history: next_id is missing, expected a number",
   * );
   * ```
   */
  constructor(path: string, state: string) {
    super(`Cannot read a history: ${path || "the value"} is ${state}`);
    this.path = path;
  }
}

/**
 * A history at one point, as plain JSON.
 *
 * @module
 */

import { quote } from "../json/problems.ts";
import { isObject } from "../json/fields.ts";

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

/** Options for {@linkcode HistoryState.snapshot}. */
export interface HistorySnapshotOptions {
  /**
   * Add what it takes to go on exactly as if nothing had happened.
   *
   * @default {false}
   */
  readonly resume?: boolean | undefined;
  /**
   * Copy the records. Without a copy they are to be read before the history changes, and not to
   * be changed.
   *
   * @default {true}
   */
  readonly copy?: boolean | undefined;
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

export function refuse(value: unknown, path: string, expected: string): never {
  throw new HistorySnapshotError(
    path,
    `${describe(value)}, expected ${expected}`,
  );
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? quote(value) : String(value);
}

const LOOKUPS = ["exec_call_lookup", "tool_call_lookup", "stream_lookup"];

/**
 * Checks that a value has the layout of a snapshot; payloads are not looked at.
 *
 * @throws {HistorySnapshotError} If it has not: it is the JSON of something else, or of the
 *   layout in the wild, which `readSnapshot` reads.
 */
export function checkSnapshot(value: unknown): void {
  if (!isObject(value)) return refuse(value, "", "an object");
  const { records } = value;
  if (!Array.isArray(records)) return refuse(records, "records", "a list");
  for (const [index, record] of records.entries()) {
    const path = `records[${index}]`;
    if (!isObject(record)) return refuse(record, path, "an object");
    const { id, type, payload } = record;
    if (typeof id !== "number") refuse(id, `${path}.id`, "a number");
    if (typeof type !== "string") refuse(type, `${path}.type`, "a string");
    if (!isObject(payload)) refuse(payload, `${path}.payload`, "an object");
  }
  if (typeof value.next_id !== "number") {
    refuse(value.next_id, "next_id", "a number");
  }
  for (const name of LOOKUPS) {
    if (!isObject(value[name])) refuse(value[name], name, "an object");
  }
}

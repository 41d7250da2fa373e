/** Snapshots: the state of a history as plain JSON. */

import { wordsOf } from "../checked.ts";
import { isObject } from "../json/fields.ts";
import { quote } from "../json/problems.ts";
import type { AnyHistoryRecord } from "./records.ts";

/** The ids of records, by the call id or stream id of the producer. */
export interface HistoryLookup {
  /** The id of the record. */
  readonly [id: string]: number;
}

/** The state of a history. Fields that are not listed here are kept. */
export interface HistorySnapshot {
  /** The records, in order. */
  readonly records: readonly AnyHistoryRecord[];
  /** The id of the next record. */
  readonly next_id: number;
  /** The records of commands, by call id. */
  readonly exec_call_lookup: HistoryLookup;
  /** The records of tool calls, by call id. */
  readonly tool_call_lookup: HistoryLookup;
  /** The records of unfinished assistant messages, by stream id. */
  readonly stream_lookup: HistoryLookup;
  /** The state of the mapping from events. Only in checkpoints; other readers ignore it. */
  readonly resume?: unknown;
  /** A field of a newer producer. */
  readonly [name: string]: unknown;
}

/** Options for {@linkcode HistoryState.snapshot}. */
export interface HistorySnapshotOptions {
  /**
   * Whether to add `resume`, with which a restored history continues exactly as this one would.
   *
   * @default {false}
   */
  readonly resume?: boolean | undefined;
  /**
   * Whether to copy the records. Without a copy, read them before the history changes, and do not
   * change them.
   *
   * @default {true}
   */
  readonly copy?: boolean | undefined;
}

/** The error for a value that is no history snapshot, or no record of one. */
export class HistorySnapshotError extends TypeError {
  /** The name of the class. */
  override readonly name = "HistorySnapshotError";
  /** The path of the mistake, such as `records[3].payload.status`; empty for the value itself. */
  readonly path: string;

  /**
   * Constructs a new instance.
   *
   * @param path The path of the mistake.
   * @param state The value that was found and the one that was expected.
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
  if (typeof value === "object") return wordsOf(value);
  return typeof value === "string" ? quote(value) : String(value);
}

const LOOKUPS = ["exec_call_lookup", "tool_call_lookup", "stream_lookup"];

/**
 * Checks that a value has the layout of a snapshot; payloads are not checked.
 *
 * @throws {HistorySnapshotError} If it has not. It may have the layout of another program, which
 *   `readSnapshot` reads.
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

/**
 * Whether a value looks like a history, bare or in one of its wrappers. The records are not
 * checked.
 *
 * @param value The value, as parsed JSON.
 * @returns Whether to read it with {@linkcode readSnapshot}.
 *
 * @example A snapshot and a line of a rollout
 * ```ts
 * import { isSnapshotLike } from "@codexpipe/codexpipe/history";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(isSnapshotLike({ records: [], next_id: 1 }), true);
 * assertEquals(isSnapshotLike({ type: "turn.started" }), false);
 * ```
 */
export function isSnapshotLike(value: unknown): boolean {
  const [history] = unwrap(value);
  return isObject(history) && Array.isArray(history.records);
}

/** Returns the history inside a wrapper, and its path in the wrapper. */
export function unwrap(value: unknown): [unknown, string] {
  if (!isObject(value) || Array.isArray(value.records)) return [value, ""];
  if (value.kind === "history_snapshot") return [value.history, "history"];
  return Object.hasOwn(value, "history_snapshot")
    ? [value.history_snapshot, "history_snapshot"]
    : [value, ""];
}

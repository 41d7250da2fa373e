/**
 * Whether a record will change any more.
 *
 * @module
 */

import { type AnyHistoryRecord, isKnownRecord } from "../history/records.ts";

/**
 * How far a record is: `open` while its work goes on; `settling` when its work is done but the
 * next records may still add to it; `turn` if it belongs to the turn as a whole; `done`.
 */
export type EntryState = "open" | "settling" | "turn" | "done";

/**
 * Tells how far a record is.
 *
 * @param record The record.
 * @returns How far it is.
 */
export function entryState(record: AnyHistoryRecord): EntryState {
  if (!isKnownRecord(record)) return "done";
  switch (record.type) {
    case "exec":
      return record.payload.status === "running" ? "open" : "done";
    case "running_tool":
    case "assistant_stream":
    case "loading":
      return "open";
    case "patch": {
      const { event } = record.payload;
      return event === "apply_begin" || event === "proposed" ? "open" : "done";
    }
    case "reasoning":
      // Its other parts may come as events of their own.
      return record.payload.in_progress ? "open" : "settling";
    case "explore": {
      const { entries, trailing } = record.payload;
      if (entries.some(({ status }) => status === "running")) return "open";
      return trailing ? "settling" : "done";
    }
    case "image":
      // The event beside the item may know the file that it came from.
      return "settling";
    case "diff":
      return "turn";
    default:
      // A plan too: each of its states is an entry of its own.
      return "done";
  }
}

/** The most that is looked at of one record; what is longer is heavy anyway. */
const MAX_PARTS = 10_000;

/**
 * Estimates how much memory a record takes, in units of UTF-16 and the like.
 *
 * @param record The record.
 * @returns About how much.
 */
export function weightOf(record: AnyHistoryRecord): number {
  let weight = 200;
  const left: unknown[] = [record.payload];
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const value = left.pop();
    if (value === undefined) break;
    weight += 16;
    if (typeof value === "string") weight += value.length;
    else if (typeof value === "object" && value !== null) {
      for (const each of Object.values(value)) left.push(each ?? null);
    }
  }
  return weight;
}

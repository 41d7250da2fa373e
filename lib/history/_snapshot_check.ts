/**
 * What is taken for a snapshot and is none, found before anything goes wrong with it.
 */

import { isObject } from "../json/fields.ts";
import { refuse } from "./_readers.ts";

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

/**
 * Lets somebody look at a record as the rules wrote it, and finds out what that was in the
 * record as it was read.
 */

import {
  type JsonReader,
  noObservations,
  type Observations,
} from "./reader.ts";
import type { WatchedRecord } from "./record_watch.ts";
import { JsonSlice } from "./value.ts";

/**
 * Has somebody look at a record as it was written.
 *
 * @param watched What was done with it.
 * @param reader Reads it.
 * @returns What was looked at, in the record as it was read; nothing if that is not there.
 */
export function lookAtOutput(
  watched: WatchedRecord,
  reader: JsonReader,
  look: (reader: JsonReader, record: JsonSlice) => void,
): Observations | undefined {
  const { output } = watched;
  // The text behind a value must be a control character.
  const bytes = new Uint8Array(output.length + 1);
  bytes.set(output);
  const record = reader.read(bytes, 0, output.length);
  if (record === undefined) return undefined;
  const seen = noObservations();
  reader.observe(seen);
  look(reader, record);
  reader.observe(undefined);
  return asRead(seen, bytes, watched);
}

/**
 * Finds what was looked at in an output in the record that it was made of; what is not from
 * there is always the same.
 *
 * @param bytes The output.
 * @returns Nothing if something else was looked at.
 */
function asRead(
  seen: Observations,
  bytes: Uint8Array,
  { root, copies }: WatchedRecord,
): Observations | undefined {
  if (seen.isOpaque) return undefined;
  const found = noObservations();
  for (const { start, end } of seen.words) {
    const copy = copies.find(({ to, length }) =>
      to < end && start < to + length
    );
    if (copy === undefined) continue;
    const { slot, to, length } = copy;
    if (slot !== -1 || start < to || end > to + length) return undefined;
    found.words.push(sliceAt(root, start - to + copy.start, end - start));
  }
  for (const { bytes: owner, start, end } of seen.opened) {
    if (owner !== bytes) continue;
    const copy = copies.find(({ slot, to, length }) =>
      slot === -1 && to <= start && end <= to + length
    );
    if (copy === undefined) continue;
    found.opened.push(
      sliceAt(root, start - copy.to + copy.start, end - start),
    );
  }
  return found;
}

function sliceAt(
  { bytes }: JsonSlice,
  start: number,
  length: number,
): JsonSlice {
  return new JsonSlice(bytes, start, start + length, "object", false, -1);
}

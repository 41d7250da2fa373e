/**
 * What was given of a record, and what it has gained since.
 *
 * @module
 */

import { fieldsOf } from "../json/fields.ts";
import type { AnyHistoryRecord, ExecChunk } from "../history/records.ts";
import { byteLength } from "../history/utf8_length.ts";
import type { EntryState } from "./_entry_state.ts";
import type { EntryPart } from "./parts.ts";

/** What was given of a record. */
export interface Given {
  /** The record as it was. */
  readonly record: AnyHistoryRecord;
  /** How far it was. */
  readonly state: EntryState;
  /** How much of its stdout there was, in bytes. */
  readonly stdoutEnd: number;
  /** How much of its stderr there was, in bytes. */
  readonly stderrEnd: number;
}

/** What was given of a record that was only announced. */
export const NOTHING_GIVEN: Given = {
  record: { id: 0, type: "none", payload: {} },
  state: "open",
  stdoutEnd: 0,
  stderrEnd: 0,
};

/** What is to be given of a record, and what its commands printed. */
export type Rest = Pick<EntryPart, "record" | "outputs">;

/** What commands printed that has not been given, by their places in an `explore` record. */
export type HeldOutputs = ReadonlyMap<number, string>;

/** Gives all of a record. */
export function allOf(record: AnyHistoryRecord, held?: HeldOutputs): Rest {
  if (held === undefined) return { record };
  const places = [...(listIn(record, "entries") ?? []).keys()];
  return { record, ...outputsAt(places, held) };
}

function outputsAt(
  places: readonly number[],
  held: HeldOutputs | undefined,
): Pick<Rest, "outputs"> {
  return held === undefined
    ? {}
    : { outputs: places.map((at) => held.get(at) ?? "") };
}

/** Takes note of what is given of a record. */
export function givenOf(record: AnyHistoryRecord, state: EntryState): Given {
  return {
    record,
    state,
    stdoutEnd: endOf(record, "stdout_chunks"),
    stderrEnd: endOf(record, "stderr_chunks"),
  };
}

/** Gives what a record has that was not given; `undefined` if that is nothing. */
export function newOf(
  record: AnyHistoryRecord,
  given: Given,
  held?: HeldOutputs,
): Rest | undefined {
  const { payload } = record;
  if (record.type === "exec" && "stdout_chunks" in payload) {
    if (given.state !== "open") return undefined;
    const rest = withPayload(record, {
      stdout_chunks: chunksFrom(payload.stdout_chunks, given.stdoutEnd),
      stderr_chunks: chunksFrom(payload.stderr_chunks, given.stderrEnd),
    });
    return { record: rest };
  }
  for (const name of ["sections", "entries"] as const) {
    const list = listIn(record, name);
    const known = listIn(given.record, name);
    if (list === undefined || known === undefined) continue;
    const places = [...list.keys()].filter((at) =>
      !isSame(list[at], known[at]) || (held?.get(at) ?? "") !== ""
    );
    if (places.length === 0) return undefined;
    const rest = places.map((at) => list[at]);
    return {
      record: withPayload(record, { [name]: rest }),
      ...outputsAt(places, held),
    };
  }
  return given.state === "open" ? { record } : undefined;
}

/** Tells whether two values are the same as JSON. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function listIn(
  { payload }: AnyHistoryRecord,
  name: "sections" | "entries",
): readonly unknown[] | undefined {
  const list = fieldsOf(payload)[name];
  return Array.isArray(list) ? list : undefined;
}

function withPayload(
  record: AnyHistoryRecord,
  changes: { readonly [name: string]: unknown },
): AnyHistoryRecord {
  // The boundary: a record with less in its lists has the type that it had.
  return {
    ...record,
    payload: { ...record.payload, ...changes },
  } as AnyHistoryRecord;
}

function endOf(
  { payload }: AnyHistoryRecord,
  name: "stdout_chunks" | "stderr_chunks",
): number {
  if (!("stdout_chunks" in payload) || !("stderr_chunks" in payload)) return 0;
  const chunks = payload[name];
  if (!Array.isArray(chunks)) return 0;
  const last: ExecChunk | undefined = chunks.at(-1);
  return last === undefined ? 0 : last.offset + byteLength(last.content);
}

/** Gives what comes behind a place of the output, as if that were its beginning. */
function chunksFrom(chunks: unknown, start: number): ExecChunk[] {
  const list: readonly ExecChunk[] = Array.isArray(chunks) ? chunks : [];
  const rest: ExecChunk[] = [];
  for (const { offset, content } of list) {
    const end = offset + byteLength(content);
    if (end <= start) continue;
    if (offset >= start) {
      rest.push({ offset: offset - start, content });
      continue;
    }
    const bytes = new TextEncoder().encode(content).subarray(start - offset);
    rest.push({ offset: 0, content: new TextDecoder().decode(bytes) });
  }
  return rest;
}

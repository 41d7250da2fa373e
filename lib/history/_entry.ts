/**
 * What a store keeps of a record.
 *
 * @module
 */

import { DeltaList } from "./_delta_list.ts";
import { OutputText } from "./exec_output.ts";
import { isObject } from "../json/fields.ts";
import {
  type AnyHistoryRecord,
  type HistoryRecordOf,
  isKnownRecord,
  type NewRecord,
} from "./records.ts";

/** A record that does not grow. It is never changed, only replaced, so that it can be shared. */
export interface PlainContent {
  readonly kind: "plain";
  readonly record: AnyHistoryRecord;
}

/** A command, whose output is kept beside it. */
export interface ExecContent {
  readonly kind: "exec";
  /** The command, with no output in it. */
  readonly record: HistoryRecordOf<"exec">;
  readonly stdout: OutputText;
  readonly stderr: OutputText;
}

/** An answer that is being written, whose pieces are kept beside it. */
export interface StreamContent {
  readonly kind: "stream";
  /** The answer, with no pieces in it. */
  readonly record: HistoryRecordOf<"assistant_stream">;
  readonly deltas: DeltaList;
}

/** What a store keeps of a record. */
export type Content = PlainContent | ExecContent | StreamContent;

/** A record in its place. */
export interface Entry {
  readonly id: number;
  /** Where it is. */
  index: number;
  /** The highest number of this record and those before it. */
  highest: number;
  /** Where the last record other than reasoning is, this one included, or -1. */
  solid: number;
  /** What it is. */
  content: Content;
  /** The call ids that a tool is found by. */
  callIds: readonly string[];
}

/** Gives a record its number and takes apart what grows. */
export function contentOf(id: number, record: NewRecord): Content {
  const numbered = { id, ...record };
  // A record that had a number all the same would have kept it.
  numbered.id = id;
  const whole: AnyHistoryRecord = numbered;
  if (!isKnownRecord(whole)) return { kind: "plain", record: whole };
  switch (whole.type) {
    case "exec": {
      const { stdout_chunks, stderr_chunks } = whole.payload;
      const payload = {
        ...whole.payload,
        stdout_chunks: [],
        stderr_chunks: [],
      };
      return {
        kind: "exec",
        record: { ...whole, payload },
        stdout: new OutputText(stdout_chunks),
        stderr: new OutputText(stderr_chunks),
      };
    }
    case "assistant_stream": {
      const { deltas } = whole.payload;
      const payload = { ...whole.payload, deltas: [] };
      return {
        kind: "stream",
        record: { ...whole, payload },
        deltas: new DeltaList(deltas),
      };
    }
    case "explore":
      return {
        kind: "plain",
        record: { ...whole, payload: { ...whole.payload, trailing: false } },
      };
    default:
      return { kind: "plain", record: whole };
  }
}

/** Gives the whole record. */
export function recordOf(content: Content): AnyHistoryRecord {
  switch (content.kind) {
    case "plain":
      return content.record;
    case "exec": {
      const { record, stdout, stderr } = content;
      const payload = {
        ...record.payload,
        stdout_chunks: stdout.chunks(),
        stderr_chunks: stderr.chunks(),
      };
      return { ...record, payload };
    }
    case "stream": {
      const { record, deltas } = content;
      return {
        ...record,
        payload: { ...record.payload, deltas: deltas.toArray() },
      };
    }
  }
}

/** Gives the call ids of commands that were put together, which only other producers write. */
export function segmentCallIds(content: Content): string[] {
  const { type, payload } = content.record;
  if (type !== "merged_exec") return [];
  const segments: unknown = "segments" in payload ? payload.segments : null;
  if (!Array.isArray(segments)) return [];
  return segments.flatMap((segment: unknown) =>
    isObject(segment) && typeof segment.call_id === "string"
      ? [segment.call_id]
      : []
  );
}

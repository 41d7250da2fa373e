/**
 * What records and lines are to a transcript.
 *
 * @module
 */

import { type Fields, fieldsOf, numberOf, textOf } from "../json/fields.ts";
import type { AnyHistoryRecord } from "../history/records.ts";
import type { FailurePart } from "./parts.ts";
import { linesText } from "./record_text.ts";

/** Reads a failure that was left in band. */
export function failedLine({ line, error }: Fields): FailurePart {
  const { kind, message } = fieldsOf(error);
  return {
    type: "failure",
    line: numberOf(line) ?? 0,
    kind: textOf(kind) ?? "",
    message: textOf(message) ?? "",
  };
}

/** Tells whether an event is an item of an exec stream that is an error, or rather a warning. */
export function isErrorItem({ type, item_type, content }: Fields): boolean {
  return type === "item.completed" && item_type === "error" &&
    fieldsOf(content).severity === undefined;
}

/** Tells whether a record is an error. */
export function isErrorRecord(record: AnyHistoryRecord): boolean {
  return record.type === "plain_message" && "kind" in record.payload &&
    record.payload.kind === "error";
}

/** Tells whether a record that came with the end of a turn says nothing but that. */
export function saysEnd(record: AnyHistoryRecord): boolean {
  return isErrorRecord(record) || (record.type === "background_event" &&
    "title" in record.payload && record.payload.title === "Turn aborted");
}

/** Gives the text of an error. */
export function textOfError(record: AnyHistoryRecord): string {
  const { lines } = fieldsOf(record.payload);
  return Array.isArray(lines) ? linesText(lines).trim() : "";
}

/** Messages about lines that are not JSON. */

import type { FailureReason } from "../errors.ts";
import type { JsonReader } from "./reader.ts";
import { shortened } from "./text_ends.ts";
import { isUtf8 } from "./utf8.ts";

/** The failure of a line that is not valid UTF-8; all such lines share it. */
export const UTF8_REASON: FailureReason = Object.freeze({
  kind: "utf8",
  message: "Cannot decode the line: its bytes are not valid UTF-8",
});

/**
 * Returns why a reader refused a line. Invalid UTF-8 anywhere in the line comes first (normalize.md
 * L7); otherwise it is not JSON.
 *
 * The byte in the message is counted from 1, as editors count columns.
 */
export function syntaxReason(
  reader: JsonReader,
  bytes: Uint8Array,
  start: number,
  end: number,
): FailureReason {
  if (!isUtf8(bytes, start, end)) return UTF8_REASON;
  const { problem, problemAt } = reader.tape;
  const at = Math.min(problemAt, end) - start + 1;
  return {
    kind: "json",
    message: `Cannot parse the line as JSON: ${problem} (byte ${at.toFixed()})`,
  };
}

/** Quotes a piece of input for a message: at most 40 characters, control characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(shortened(text, 40));
}

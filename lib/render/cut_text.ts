/** Cuts text by characters, regardless of lines, and notes the amount that was cut. */

import { startOf } from "../json/text_ends.ts";
import { countedText, countText } from "./quantity_text.ts";

/** Cuts text as `startOf` does, and appends a note with the number of characters cut. */
export function cutText(text: string, limit: number): string {
  const start = startOf(text, limit);
  const over = text.length - start.length;
  if (over === 0) return text;
  return `${start}…\n[${countText(over)} more characters are left out]`;
}

/** The note after a tool result of which the history holds only a part. */
export const SHORTENED_RESULT = "the result is shortened";

/** Writes the note on command output, in bytes, that the history dropped. */
export function lostOutput(bytes: number): string {
  return `${countedText(bytes, "byte")} of output not kept`;
}

/** Cuts text by characters, regardless of lines, and notes the amount that was cut. */

import { countedText, countText } from "./quantity_text.ts";

/** Returns the beginning of a text, in UTF-16 code units; surrogate pairs are never split. */
export function startOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
}

/** Returns the end of a text, in UTF-16 code units; surrogate pairs are never split. */
export function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(text.length - limit).replace(/^[\udc00-\udfff]/, "");
}

/** Cuts text that is too long, between characters, and puts `…` at its end. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${startOf(text, limit - 1)}…`;
}

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

/** Text that is too long, whatever its lines are, and words for the part that is gone. */

import { countedText, countText } from "./quantity_text.ts";

/**
 * Gives the beginning of a text.
 *
 * @param limit How many units of UTF-16 it has at most; a character is never cut in two.
 */
export function startOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
}

/**
 * Gives the end of a text.
 *
 * @param limit How many units of UTF-16 it has at most; a character is never cut in two.
 */
export function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(text.length - limit).replace(/^[\udc00-\udfff]/, "");
}

/**
 * Cuts the end off a text that is too long, and says so.
 *
 * @param limit How many units of UTF-16 remain; a character is never cut in two.
 */
export function cutText(text: string, limit: number): string {
  const start = startOf(text, limit);
  const over = text.length - start.length;
  if (over === 0) return text;
  return `${start}…\n[${countText(over)} more characters are left out]`;
}

/** What is said behind an answer of a tool of which the history has only the beginning. */
export const NO_MORE_RESULT = "the history keeps no more of it";

/**
 * Says how much of the output of a command the history did not keep.
 *
 * @param bytes How many bytes; not 0.
 */
export function lostOutput(bytes: number): string {
  return `${countedText(bytes, "byte")} of output not kept`;
}

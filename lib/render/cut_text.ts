/**
 * Text that is too long, whatever its lines are.
 */

import { countText } from "./quantity_text.ts";

/**
 * Gives the beginning of a text.
 *
 * @param text The text.
 * @param limit How many units of UTF-16 it has at most; a character is never cut in two.
 */
export function startOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
}

/**
 * Gives the end of a text.
 *
 * @param text The text.
 * @param limit How many units of UTF-16 it has at most; a character is never cut in two.
 */
export function endOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(text.length - limit).replace(/^[\udc00-\udfff]/, "");
}

/**
 * Cuts the end off a text that is too long, and says so.
 *
 * @param text The text.
 * @param limit How many units of UTF-16 remain; a character is never cut in two.
 */
export function cutText(text: string, limit: number): string {
  const start = startOf(text, limit);
  const over = text.length - start.length;
  if (over === 0) return text;
  return `${start}…\n[${countText(over)} more characters are left out]`;
}

/**
 * Text that is too long, whatever its lines are.
 */

import { countText } from "./quantity_text.ts";

/**
 * Cuts the end off a text that is too long, and says so.
 *
 * @param text The text.
 * @param limit How many units of UTF-16 remain; a character is never cut in two.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const code = text.charCodeAt(limit - 1);
  const end = code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, end)}…\n[${
    countText(text.length - end)
  } more characters are left out]`;
}

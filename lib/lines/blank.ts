/**
 * Blank lines and texts, by the Unicode property White_Space (normalize.md L4).
 *
 * JavaScript's `trim` and `\s` differ from it: they include U+FEFF and leave out U+0085.
 */

import { decodeUtf8 } from "../json/utf8.ts";

const BLANK_REGEXP =
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

/** Whether a text is empty or contains only characters that are white space in Unicode. */
export function isBlank(text: string): boolean {
  return BLANK_REGEXP.test(text);
}

/**
 * Whether a line is blank. For most lines the first byte decides; that of an empty one is its
 * terminator.
 */
export function isBlankLine(
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  const first = bytes[start] ?? 0;
  if (first > 0x20 && first < 0x80) return false;
  return isBlank(decodeUtf8(bytes, start, end));
}

/** Removes white space from both ends of a text. */
export function trimBlank(text: string): string {
  let start = 0;
  let end = text.length;
  // Not a regular expression: `[blank]+$` is quadratic in a run of blanks.
  while (start < end && isBlankAt(text, start)) start += 1;
  while (end > start && isBlankAt(text, end - 1)) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isBlankAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code > 0x20 && code < 0x80) return false;
  return BLANK_REGEXP.test(text.charAt(at));
}

/**
 * A text in pieces: the deltas of a message, the lines of an output. They are redacted as the one
 * text that they are, and what stands in place of a secret stands in the piece where that begins.
 */

import { PLACEHOLDER_REGEXP } from "./_placeholder.ts";
import { ASCII, characterSet } from "./_runs.ts";

/** No program breaks lines that are shorter. */
export const NARROWEST = 40;
/** What a line ends and the next one begins with where a secret goes on. */
const TOKEN = characterSet(/[\w+/.~=@:%$|-]/);
/** What words of a language do not have. */
const TELLING_REGEXP = /[\d_+~]|[a-z][A-Z]|[A-Z]{2}[a-z]/;
/** How much of the two words about the end of a line is looked at. */
const WORD_LENGTH = 24;

/**
 * Tells whether a line may go on in the next one: a word that is none of a language does.
 *
 * @param line The line, or its end.
 * @param next The next one, or its beginning.
 */
export function isBroken(line: string, next: string): boolean {
  if (!mayBreak(line, line.length, next, 0)) return false;
  const before = /\S*$/.exec(line.slice(-WORD_LENGTH))?.[0] ?? "";
  const after = /^\S*/.exec(next.slice(0, WORD_LENGTH))?.[0] ?? "";
  return TELLING_REGEXP.test(before) || TELLING_REGEXP.test(after);
}

/** Whether a word may go on from the end of one line, at an index, to the beginning of another. */
export function mayBreak(
  text: string,
  end: number,
  next: string,
  start: number,
): boolean {
  return isToken(text.charCodeAt(end - 1)) && isToken(next.charCodeAt(start));
}

function isToken(code: number): boolean {
  return TOKEN[Math.min(code, ASCII)] === 1;
}

/** Whether a place in a text is between the two halves of a pair of surrogates. */
export function isInPair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** A stretch of a text, and the end of what stands for it in the masked one. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly maskedStart: number;
  readonly maskedEnd: number;
}

/**
 * Divides a masked text as it was divided before.
 *
 * @param masked What became of them, joined.
 * @param separator What stands between two of them, and is in none.
 */
export function dividedLike(
  pieces: readonly string[],
  masked: string,
  separator = "",
): string[] {
  const spans = spansOf(pieces.join(separator), masked);
  let next = 0;
  /** Where a place of the text is in the masked one; within a secret, behind what stands for it. */
  const placeOf = (at: number): number => {
    for (let span = spans[next]; span !== undefined; span = spans[next]) {
      if (at <= span.start) return span.maskedStart - (span.start - at);
      if (at < span.end) return span.maskedEnd;
      next += 1;
    }
    const last = spans.at(-1);
    return last === undefined ? at : last.maskedEnd + (at - last.end);
  };
  let at = 0;
  return pieces.map((piece) => {
    const start = placeOf(at);
    const end = placeOf(at + piece.length);
    at += piece.length + separator.length;
    return masked.slice(start, end);
  });
}

/** Finds what was masked in a text. */
export function spansOf(text: string, masked: string): readonly Span[] {
  return alignedSpans(text, masked) ?? [changedSpan(text, masked)];
}

/** Goes by what was left between two secrets; `undefined` where that is not found again. */
function alignedSpans(text: string, masked: string): Span[] | undefined {
  const spans: Span[] = [];
  let at = 0;
  let maskedAt = 0;
  let open: { start: number; maskedStart: number } | undefined;
  /** Takes what was left, up to an index of the masked text. */
  const take = (end: number): boolean => {
    const left = masked.slice(maskedAt, end);
    if (open !== undefined) {
      // Between two secrets there is nothing that would tell where the one ends.
      if (left === "" && end < masked.length) return true;
      const found = end === masked.length
        ? text.endsWith(left) ? text.length - left.length : -1
        : text.indexOf(left, open.start + 1);
      if (found < open.start) return false;
      spans.push({ ...open, end: found, maskedEnd: maskedAt });
      open = undefined;
      at = found;
    } else if (!text.startsWith(left, at)) return false;
    at += left.length;
    maskedAt = end;
    return true;
  };
  for (const { 0: placeholder, index } of masked.matchAll(PLACEHOLDER_REGEXP)) {
    // A placeholder that the text had before it was masked stays where it is.
    const isOld = open === undefined &&
      text.startsWith(placeholder, at + index - maskedAt);
    if (isOld) continue;
    if (!take(index)) return undefined;
    open ??= { start: at, maskedStart: maskedAt };
    maskedAt = index + placeholder.length;
  }
  return take(masked.length) && at === text.length ? spans : undefined;
}

/** Everything between the first and the last difference. */
function changedSpan(text: string, masked: string): Span {
  const most = Math.min(text.length, masked.length);
  let start = 0;
  while (start < most && text[start] === masked[start]) start += 1;
  let same = 0;
  while (
    same < most - start &&
    text[text.length - 1 - same] === masked[masked.length - 1 - same]
  ) same += 1;
  return {
    start,
    end: text.length - same,
    maskedStart: start,
    maskedEnd: masked.length - same,
  };
}

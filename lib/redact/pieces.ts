/**
 * Texts in pieces, such as the deltas of a message or the lines of an output. They are redacted as
 * one text, and each placeholder is put into the piece in which its secret begins.
 */

import { PLACEHOLDER_REGEXP } from "./_placeholder.ts";
import { ASCII, characterSet } from "./_runs.ts";

/** The least length of a line that a program may have broken. */
export const NARROWEST = 40;
/** The characters on both sides of a line end within a secret. */
const TOKEN = characterSet(/[\w+/.~=@:%$|-]/);
/** Characters that a word of natural language does not contain. */
const TELLING_REGEXP = /[\d_+~]|[a-z][A-Z]|[A-Z]{2}[a-z]/;
/** The number of characters that are examined on each side of a line end. */
const WORD_LENGTH = 24;

/**
 * Returns whether a line may continue on the next one, within a word that is not natural language.
 * The end of the line and the beginning of the next one are enough.
 */
export function isBroken(line: string, next: string): boolean {
  if (
    !isToken(line.charCodeAt(line.length - 1)) || !isToken(next.charCodeAt(0))
  ) return false;
  const before = /\S*$/.exec(line.slice(-WORD_LENGTH))?.[0] ?? "";
  const after = /^\S*/.exec(next.slice(0, WORD_LENGTH))?.[0] ?? "";
  return TELLING_REGEXP.test(before) || TELLING_REGEXP.test(after);
}

function isToken(code: number): boolean {
  return TOKEN[Math.min(code, ASCII)] === 1;
}

/** Returns whether an index is between the two halves of a surrogate pair. */
export function isInPair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** A masked part of a text: its range, and the range of its placeholders in the masked text. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly maskedStart: number;
  readonly maskedEnd: number;
}

/**
 * Divides a masked text into the pieces that correspond to those of the original text. No piece
 * contains the separator between them.
 */
export function dividedLike(
  pieces: readonly string[],
  masked: string,
  separator = "",
): string[] {
  const spans = spansOf(pieces.join(separator), masked);
  let next = 0;
  /** Maps an index of the text to the masked text; within a secret, to the placeholder's end. */
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

/** Finds the masked parts of a text; if some cannot be told apart, that is the whole text. */
export function spansOf(text: string, masked: string): readonly Span[] {
  return alignedSpans(text, masked) ?? [{
    start: 0,
    end: text.length,
    maskedStart: 0,
    maskedEnd: masked.length,
  }];
}

/** Aligns a text by the unmasked parts between secrets; `undefined` if one of them is not found. */
function alignedSpans(text: string, masked: string): Span[] | undefined {
  const spans: Span[] = [];
  let at = 0;
  let maskedAt = 0;
  let open: { start: number; maskedStart: number } | undefined;
  /** Aligns the unmasked part up to an index of the masked text. */
  const take = (end: number): boolean => {
    const left = masked.slice(maskedAt, end);
    if (open !== undefined) {
      // Two placeholders without text between them: the border of their secrets is unknown.
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
    // A placeholder that the original text contains is not a secret.
    const isOld = open === undefined &&
      text.startsWith(placeholder, at + index - maskedAt);
    if (isOld) continue;
    if (!take(index)) return undefined;
    open ??= { start: at, maskedStart: maskedAt };
    maskedAt = index + placeholder.length;
  }
  return take(masked.length) && at === text.length ? spans : undefined;
}

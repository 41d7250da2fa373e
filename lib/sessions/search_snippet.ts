/** Cuts snippets out of messages: the part around the matches. */

import type { SearchMatch } from "./search_matcher.ts";

/** A piece of a snippet. */
export interface SnippetPart {
  /** The text, with all white space as single blanks. */
  readonly text: string;
  /** Whether the piece is a match. */
  readonly isMatch: boolean;
}

/** The default length of a snippet, about, in UTF-16 code units. */
const LENGTH = 200;
/** The share of the snippet before the first match. */
const BEFORE = 0.25;
/** How far a cut is moved to avoid cutting through a word. */
const WORD = 20;
const SPACES_REGEXP = /\s+/g;
const LOW_SURROGATE_REGEXP = /[\udc00-\udfff]/;

/**
 * Cuts the part around the matches, which are in order, out of a text.
 *
 * Of several parts it uses the one with the most different terms, of equal ones the first. White
 * space becomes single blanks; `…` marks text left out at either end. The `length` is approximate,
 * in UTF-16 code units.
 */
export function snippetOf(
  text: string,
  matches: readonly SearchMatch[],
  length: number = LENGTH,
): SnippetPart[] {
  const first = bestStart(matches, length * (1 - BEFORE));
  const match = matches[first]?.start ?? 0;
  const wanted = Math.floor(Math.max(0, match - length * BEFORE));
  const start = text.length <= length ? 0 : cutBefore(text, wanted, match);
  const matchEnd = matches[first]?.end ?? 0;
  const last = Math.max(start + length, matchEnd);
  const end = cutBehind(text, Math.min(last, start + 2 * length), matchEnd);
  const parts: SnippetPart[] = [];
  const add = (from: number, to: number, isMatch: boolean): void => {
    const piece = text.slice(from, to).replace(SPACES_REGEXP, " ");
    if (piece === "") return;
    const last = parts.at(-1);
    // Adjacent matches become one piece.
    if (last?.isMatch === isMatch) {
      parts[parts.length - 1] = { text: last.text + piece, isMatch };
    } else parts.push({ text: piece, isMatch });
  };
  let at = start;
  for (const match of matches) {
    if (match.start < at || match.start >= end) continue;
    add(at, match.start, false);
    at = Math.min(match.end, end);
    add(match.start, at, true);
  }
  add(at, end, false);
  return trimmed(parts, start > 0, end < text.length);
}

/** Returns the first match of the part that has the most different terms. */
function bestStart(matches: readonly SearchMatch[], length: number): number {
  let best = 0;
  let most = 0;
  for (const [at, { start }] of matches.entries()) {
    const terms = new Set<number>();
    for (let next = at; next < matches.length; next++) {
      const match = matches[next];
      if (match === undefined || match.end > start + length) break;
      terms.add(match.term);
    }
    if (terms.size > most) {
      most = terms.size;
      best = at;
    }
  }
  return best;
}

/** Moves a cut to the next word, but not into the first match. */
function cutBefore(text: string, at: number, match: number): number {
  if (at === 0) return 0;
  for (let start = at; start < Math.min(at + WORD, match); start++) {
    if (/\s/.test(text.charAt(start))) return start + 1;
  }
  return LOW_SURROGATE_REGEXP.test(text.charAt(at)) ? at + 1 : at;
}

/** Moves a cut to the word before, but not into the first match. */
function cutBehind(text: string, at: number, matchEnd: number): number {
  if (at >= text.length) return text.length;
  for (let end = at; end > Math.max(at - WORD, matchEnd); end--) {
    if (/\s/.test(text.charAt(end))) return end;
  }
  return LOW_SURROGATE_REGEXP.test(text.charAt(at)) ? at - 1 : at;
}

/** Trims the snippet, and marks text left out at its ends. */
function trimmed(
  parts: SnippetPart[],
  hasBefore: boolean,
  hasBehind: boolean,
): SnippetPart[] {
  const [first] = parts;
  if (first !== undefined && !first.isMatch) {
    parts[0] = { text: first.text.trimStart(), isMatch: false };
  }
  const last = parts.at(-1);
  if (last !== undefined && !last.isMatch) {
    parts[parts.length - 1] = { text: last.text.trimEnd(), isMatch: false };
  }
  if (hasBefore) parts.unshift({ text: "…", isMatch: false });
  if (hasBehind) parts.push({ text: "…", isMatch: false });
  return parts.filter(({ text }) => text !== "");
}

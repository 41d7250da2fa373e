/** Finds the terms of a search in texts. */

import {
  ASCII_WORD_REGEXP,
  LOWER_DOTTED_I,
  type SearchTerm,
  WORD_REGEXP,
  wordsOf,
} from "./search_query.ts";

/** A match of a term in a text, in UTF-16 code units. */
export interface SearchMatch {
  readonly start: number;
  readonly end: number;
  readonly term: number;
}

interface Pattern {
  /** The words as the index has them; none for a string. */
  readonly words: readonly string[];
  /** Whether the last word is only the beginning of a word. */
  readonly isBeginning: boolean;
  /** Matches a string in any text. */
  readonly string: RegExp | undefined;
  /** Matches words in a text of ASCII words, many times as fast as word by word. */
  readonly plain: RegExp | undefined;
}

const MARKS_REGEXP = /\p{M}+/gu;
const SPECIAL_REGEXP = /[\\^$.*+?()[\]{}|/]/g;
const NOT_ASCII_REGEXP = /[^\0-\x7f]/;
const OTHER_WORD_REGEXP = /(?![\0-\x7f])[\p{L}\p{N}\p{M}\p{Co}]/u;
/** The parameters of BM25: how little repeated terms add, and how much long texts lose. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
/** The assumed average length of a text, in UTF-16 code units. */
const USUAL_LENGTH = 1_000;

export class SearchMatcher {
  readonly #patterns: readonly Pattern[];

  constructor(terms: readonly SearchTerm[]) {
    this.#patterns = terms.map(patternOf);
  }

  /** Whether a message that the index found matches: it has all strings. */
  confirms(text: string): boolean {
    return this.#patterns.every(({ string }) =>
      string === undefined || text.search(string) !== -1
    );
  }

  /**
   * Computes the relevance of a text: higher for more matches of each term, lower for longer texts.
   * The number is to be compared with that of other texts only.
   */
  score(text: string): number {
    const isPlainText = isPlain(text);
    const weight = SATURATION *
      (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * text.length / USUAL_LENGTH);
    let score = 0;
    for (const pattern of this.#patterns) {
      let count = 0;
      for (const _ of matchesOf(pattern, text, isPlainText)) count += 1;
      score += count / (count + weight);
    }
    return score;
  }

  /** Finds the matches of all terms in a text, in order, without overlaps. */
  matches(text: string): SearchMatch[] {
    const isPlainText = isPlain(text);
    const matches: SearchMatch[] = [];
    for (const [term, pattern] of this.#patterns.entries()) {
      for (const [start, end] of matchesOf(pattern, text, isPlainText)) {
        matches.push({ start, end, term });
      }
    }
    matches.sort((a, b) => a.start - b.start || b.end - a.end);
    let end = 0;
    return matches.filter((match) => {
      if (match.start < end) return false;
      end = match.end;
      return true;
    });
  }
}

function patternOf({ kind, text, isBeginning }: SearchTerm): Pattern {
  const words = kind === "string" ? [] : wordsOf(text).map(folded);
  const isAscii = words.every((word) => ASCII_WORD_REGEXP.test(word));
  return {
    words,
    isBeginning,
    string: kind === "string" ? stringRegexp(text) : undefined,
    plain: isAscii ? plainRegexp(words, isBeginning) : undefined,
  };
}

function stringRegexp(text: string): RegExp {
  const pattern = text.split(/\s+/)
    .map((piece) => piece.replace(SPECIAL_REGEXP, "\\$&")).join("\\s+")
    // Ignoring case does not match one letter with two.
    .replaceAll(LOWER_DOTTED_I, `(?:${LOWER_DOTTED_I}|\u0130)`);
  return new RegExp(pattern, "giu");
}

function plainRegexp(words: readonly string[], isBeginning: boolean): RegExp {
  const end = isBeginning ? "[\\da-z]*" : "(?![\\da-z])";
  return new RegExp(`(?<![\\da-z])${words.join("[^\\da-z]+")}${end}`, "gi");
}

function isPlain(text: string): boolean {
  return !NOT_ASCII_REGEXP.test(text) || !OTHER_WORD_REGEXP.test(text);
}

function* matchesOf(
  { words, isBeginning, string, plain }: Pattern,
  text: string,
  isPlainText: boolean,
): Generator<readonly [start: number, end: number]> {
  const regexp = string ?? (isPlainText ? plain : undefined);
  if (regexp !== undefined) {
    for (const { 0: found, index } of text.matchAll(regexp)) {
      yield [index, index + found.length];
    }
    return;
  }
  const last: { word: string; start: number }[] = [];
  for (const { 0: found, index } of text.matchAll(WORD_REGEXP)) {
    last.push({ word: folded(found), start: index });
    if (last.length > words.length) last.shift();
    const [first] = last;
    if (first === undefined || last.length < words.length) continue;
    const isFound = words.every((word, at) => {
      const there = last[at]?.word ?? "";
      return isBeginning && at === words.length - 1
        ? there.startsWith(word)
        : there === word;
    });
    if (isFound) yield [first.start, index + found.length];
  }
}

function folded(word: string): string {
  return NOT_ASCII_REGEXP.test(word)
    ? word.normalize("NFD").replace(MARKS_REGEXP, "").toLowerCase()
    : word.toLowerCase();
}

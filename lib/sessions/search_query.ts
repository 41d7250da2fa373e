/**
 * What is searched in the index of sessions: words, phrases, beginnings of words, and strings.
 *
 * @module
 */

import {
  hasSymbol,
  type SymbolLookup,
  symbolLookups,
} from "./symbol_trigrams.ts";

/** A part of a query; all of them must be found in a message. */
export interface SearchTerm {
  /** What was asked for, in lower case. */
  readonly text: string;
  /**
   * `words`: words that follow each other, whatever stands between them; the last one may go on
   * if the term is a beginning. `string`: exactly this text, upper and lower case alike, with any
   * white space where it has some.
   */
  readonly kind: "words" | "string";
  /** Whether the last word is only the beginning of one. */
  readonly isBeginning: boolean;
}

/** Where a term was found in a text, in UTF-16 code units. */
export interface SearchMatch {
  /** Where it begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** Which term it is, counted from 0. */
  readonly term: number;
}

/** Words as the tokenizer of the index sees them: letters, digits and marks of any script. */
const WORD_REGEXP = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** A query with nothing but words in it. */
const PLAIN_REGEXP = /^[\p{L}\p{N}\p{M}\p{Co}\s]+$/u;
/** A phrase in quotation marks, which may end with the query; or anything up to white space. */
const PIECE_REGEXP = /"([^"]*)"(\*?)(?=\s|$)|(\S+)/gu;
const ASCII_WORD_REGEXP = /^[\da-z]+$/;
const MARKS_REGEXP = /\p{M}+/gu;
const SPECIAL_REGEXP = /[\\^$.*+?()[\]{}|/]/g;
/** How long the beginning of a word is, at the end of a string, that is looked up. */
const MIN_BEGINNING = 3;
/** How much of a string is looked up: more would hardly leave fewer messages. */
const MAX_LOOKUPS = 24;

/**
 * Reads a query. There is no query that is wrong: what means nothing else is searched as it
 * stands.
 *
 * - `word`: the word, upper and lower case, accents or not.
 * - `"two words"`: the words one after the other.
 * - `begin*`: words that begin so.
 * - `foo(bar)`, `C:\a\b`, `--flag`, `"error: no"`: exactly this text, also within words.
 *
 * @param query The query.
 * @returns Its terms; none if it is blank.
 *
 * @example Words and strings
 * ```ts
 * import { parseSearchQuery } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const terms = parseSearchQuery('flaky "unit test" src/main.rs');
 *
 * assertEquals(terms.map(({ kind, text }) => [kind, text]), [
 *   ["words", "flaky"],
 *   ["words", "unit test"],
 *   ["string", "src/main.rs"],
 * ]);
 * ```
 */
export function parseSearchQuery(query: string): SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (
    const [, phrase, star = "", piece = ""] of query.toWellFormed()
      .replaceAll("\0", "\ufffd").matchAll(PIECE_REGEXP)
  ) {
    const term = phrase === undefined
      ? pieceTerm(piece)
      : termOf(phrase.trim(), star !== "");
    if (term !== undefined) terms.set(`${term.kind} ${term.text}`, term);
  }
  return [...terms.values()];
}

function pieceTerm(piece: string): SearchTerm | undefined {
  const isBeginning = piece.endsWith("*") &&
    PLAIN_REGEXP.test(piece.slice(0, -1));
  return termOf(isBeginning ? piece.slice(0, -1) : piece, isBeginning);
}

function termOf(given: string, isBeginning: boolean): SearchTerm | undefined {
  const text = given.toLowerCase();
  if (text === "") return undefined;
  const isWords = PLAIN_REGEXP.test(text) && !hasSymbol(text);
  return isWords
    ? { text, kind: "words", isBeginning }
    : { text, kind: "string", isBeginning: false };
}

/** What of the index has to be looked up for a query; `undefined` is nothing. */
export interface SearchExpressions {
  /** For the words. */
  readonly words: string | undefined;
  /** For the symbols. */
  readonly symbols: string | undefined;
}

/**
 * Says what to look up for a query. Every message that the query is about is among those that
 * are found so; where there are strings, others may be, too.
 *
 * @param terms The terms.
 * @returns Expressions that FTS5 can always read.
 */
export function expressionsOf(
  terms: readonly SearchTerm[],
): SearchExpressions {
  const words = allOf(terms.map(wordsExpression));
  const lookups = terms.filter(({ kind }) => kind === "string")
    .flatMap(({ text }) => symbolLookups(text).slice(0, MAX_LOOKUPS));
  // What begins with one symbol is much, and said by nearly all: only if there is nothing else.
  const telling = lookups.filter(({ text }) => text.length > 1);
  const isOther = words !== undefined || telling.length > 0;
  return {
    words,
    symbols: allOf((isOther ? telling : lookups).map(symbolExpression)),
  };
}

function allOf(parts: readonly (string | undefined)[]): string | undefined {
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? undefined : given.join(" AND ");
}

function wordsExpression(
  { kind, text, isBeginning }: SearchTerm,
): string | undefined {
  if (kind === "words") return phraseExpression(text, isBeginning);
  // What stands alone within the string is a word of the message, and the last word may be the
  // beginning of one. Of other scripts the tokenizer may see other words.
  const words = [...text.matchAll(WORD_REGEXP)];
  if (!words.every(([word]) => ASCII_WORD_REGEXP.test(word))) return undefined;
  const whole = words.filter(({ index }) => index > 0).map(([word]) => word);
  if (whole.length === 0) return undefined;
  const last = words.at(-1);
  const isOpen = last !== undefined &&
    last.index + last[0].length === text.length;
  if (!isOpen) return phraseExpression(whole.join(" "), false);
  // To gather all words with a short beginning takes longer than to look at what the rest finds.
  if (last[0].length >= MIN_BEGINNING) {
    return phraseExpression(whole.join(" "), true);
  }
  return whole.length === 1
    ? undefined
    : phraseExpression(whole.slice(0, -1).join(" "), false);
}

function phraseExpression(words: string, isBeginning: boolean): string {
  return isBeginning ? `"${words}" *` : `"${words}"`;
}

function symbolExpression({ text, isBeginning }: SymbolLookup): string {
  const quoted = `"${text.replaceAll('"', '""')}"`;
  return isBeginning ? `${quoted} *` : quoted;
}

/** Finds the terms of a query in texts. */
export class SearchMatcher {
  readonly #terms: readonly {
    readonly words: readonly string[];
    readonly isBeginning: boolean;
    readonly regexp: RegExp | undefined;
  }[];

  /** Constructs a new instance. */
  constructor(terms: readonly SearchTerm[]) {
    this.#terms = terms.map(({ kind, text, isBeginning }) =>
      kind === "string"
        ? { words: [], isBeginning, regexp: stringRegexp(text) }
        : {
          words: [...text.matchAll(WORD_REGEXP)].map(([word]) => folded(word)),
          isBeginning,
          regexp: undefined,
        }
    );
  }

  /** Whether all strings of the query are in a text; its words are not looked for. */
  hasStrings(text: string): boolean {
    return this.#terms.every(({ regexp }) =>
      regexp === undefined || text.search(regexp) !== -1
    );
  }

  /**
   * Finds the terms in a text.
   *
   * @returns The matches, in order, none of which begins within another one.
   */
  matches(text: string): SearchMatch[] {
    const matches: SearchMatch[] = [];
    for (const [term, { regexp }] of this.#terms.entries()) {
      if (regexp === undefined) continue;
      for (const { 0: found, index } of text.matchAll(regexp)) {
        matches.push({ start: index, end: index + found.length, term });
      }
    }
    this.#matchWords(text, matches);
    matches.sort((a, b) => a.start - b.start || b.end - a.end);
    let end = 0;
    return matches.filter((match) => {
      if (match.start < end) return false;
      end = match.end;
      return true;
    });
  }

  #matchWords(text: string, matches: SearchMatch[]): void {
    const longest = Math.max(...this.#terms.map(({ words }) => words.length));
    if (longest <= 0) return;
    const last: { word: string; start: number }[] = [];
    for (const { 0: found, index } of text.matchAll(WORD_REGEXP)) {
      last.push({ word: folded(found), start: index });
      if (last.length > longest) last.shift();
      for (const [term, { words, isBeginning }] of this.#terms.entries()) {
        const first = last[last.length - words.length];
        if (words.length === 0 || first === undefined) continue;
        const isFound = words.every((word, at) => {
          const there = last[last.length - words.length + at]?.word ?? "";
          return isBeginning && at === words.length - 1
            ? there.startsWith(word)
            : there === word;
        });
        if (!isFound) continue;
        const end = index + found.length;
        matches.push({ start: first.start, end, term });
      }
    }
  }
}

function stringRegexp(text: string): RegExp {
  const pattern = text.split(/\s+/)
    .map((piece) => piece.replace(SPECIAL_REGEXP, "\\$&")).join("\\s+");
  return new RegExp(pattern, "giu");
}

/** A word as the index has it. */
function folded(word: string): string {
  return word.normalize("NFD").replace(MARKS_REGEXP, "").toLowerCase();
}

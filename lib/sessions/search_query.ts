/** What is searched in the index of sessions: words, phrases, beginnings of words, and strings. */

import { hasSymbol, symbolLookups } from "./symbol_grams.ts";

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

/** Words as the tokenizer of the index sees them: letters, digits and marks of any script. */
export const WORD_REGEXP = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** A query with nothing but words in it. */
const PLAIN_REGEXP = /^[\p{L}\p{N}\p{M}\p{Co}\s]+$/u;
/** A phrase in quotation marks, which may end with the query; or anything up to white space. */
const PIECE_REGEXP = /"([^"]*)"(\*?)(?=\s|$)|(\S+)/gu;
const ASCII_WORD_REGEXP = /^[\da-z]+$/;
/** The lower case of `İ`: no other letter becomes two. */
export const LOWER_DOTTED_I = "i\u0307";
const HALF_REGEXP = /[\ud800-\udbff]$/;
/** How much of a term is searched, in UTF-16 code units. */
const MAX_TERM = 1_000;
/** How long the beginning of a word is that is looked up: all words that begin so are gathered. */
const MIN_BEGINNING = 4;
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
 * Of a term of more than 1,000 characters, that many are searched.
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
    if (term !== undefined) terms.set(JSON.stringify(term), term);
  }
  return [...terms.values()];
}

function pieceTerm(piece: string): SearchTerm | undefined {
  const isBeginning = piece.endsWith("*") &&
    PLAIN_REGEXP.test(piece.slice(0, -1));
  return termOf(isBeginning ? piece.slice(0, -1) : piece, isBeginning);
}

function termOf(given: string, isBeginning: boolean): SearchTerm | undefined {
  const whole = given.toLowerCase();
  const text = whole.slice(0, MAX_TERM).replace(HALF_REGEXP, "");
  if (text === "") return undefined;
  const words = asIndexed(text);
  const isWords = PLAIN_REGEXP.test(words) && !hasSymbol(words);
  const isOpen = isBeginning || text.length < whole.length;
  return isWords
    ? { text: words, kind: "words", isBeginning: isOpen }
    : { text, kind: "string", isBeginning: false };
}

/**
 * Spells words as the index can have them, whose letters are without marks: those that are typed
 * as a letter and a mark are one, and the dot is gone that `İ` leaves behind in lower case.
 */
function asIndexed(words: string): string {
  return words.normalize("NFC").replaceAll(LOWER_DOTTED_I, "i");
}

/** What of the index has to be looked up for a query; `undefined` is nothing. */
export interface SearchExpressions {
  readonly words: string | undefined;
  readonly symbols: string | undefined;
  /**
   * For the words, if there is nothing else: beginnings that are so short that it takes longer
   * to look them up than to look at some messages.
   */
  readonly beginnings: string | undefined;
}

/**
 * Says what to look up for a query. Every message that the query is about is among those that
 * are found so; where there are strings or short beginnings, others may be, too.
 */
export function expressionsOf(
  terms: readonly SearchTerm[],
): SearchExpressions {
  const words = allOf(terms.map(wordsExpression));
  const symbols = allOf(
    terms.filter(({ kind }) => kind === "string")
      .flatMap(({ text }) => symbolLookups(text).slice(0, MAX_LOOKUPS))
      .map(quoted),
  );
  const beginnings = words === undefined && symbols === undefined
    ? allOf(terms.map(({ text }) => phraseExpression(text, true)))
    : undefined;
  return { words, symbols, beginnings };
}

/** Tells whether a term is not looked up as a whole, so that texts must be looked into for it. */
export function isLookedInto({ kind, text, isBeginning }: SearchTerm): boolean {
  return kind === "string" ||
    isBeginning && (wordsOf(text).at(-1) ?? "").length < MIN_BEGINNING;
}

function allOf(parts: readonly (string | undefined)[]): string | undefined {
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? undefined : given.join(" AND ");
}

function wordsExpression(
  { kind, text, isBeginning }: SearchTerm,
): string | undefined {
  if (kind === "words") return openPhrase(wordsOf(text), isBeginning);
  // What stands alone within the string is a word of the message, and the last word may be the
  // beginning of one. Of other scripts the tokenizer may see other words.
  const words = [...text.matchAll(WORD_REGEXP)];
  if (!words.every(([word]) => ASCII_WORD_REGEXP.test(word))) return undefined;
  const whole = words.filter(({ index }) => index > 0).map(([word]) => word);
  const last = words.at(-1);
  const isOpen = last !== undefined &&
    last.index + last[0].length === text.length;
  return openPhrase(whole, isOpen);
}

/** Words one after the other; to look up a short beginning takes longer than to do without. */
function openPhrase(
  words: readonly string[],
  isOpen: boolean,
): string | undefined {
  const isShort = isOpen && (words.at(-1) ?? "").length < MIN_BEGINNING;
  const telling = isShort ? words.slice(0, -1) : words;
  return telling.length === 0
    ? undefined
    : phraseExpression(telling.join(" "), isOpen && !isShort);
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD_REGEXP)].map(([word]) => word);
}

function phraseExpression(words: string, isBeginning: boolean): string {
  return isBeginning ? `"${words}" *` : `"${words}"`;
}

/** Quotes anything as one word of an expression. */
export function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

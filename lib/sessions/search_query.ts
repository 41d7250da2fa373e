/** Parses search queries: words, phrases, beginnings of words, and strings. */

import { startOf } from "../json/text_ends.ts";
import { hasSymbol, symbolLookups } from "./symbol_grams.ts";

/** A term of a query; a message has to match all of them. */
export interface SearchTerm {
  /** The text of the term, in lower case. */
  readonly text: string;
  /**
   * `words`: the words one after the other, separated by anything but words; the last one may be
   * the beginning of a word if `isBeginning` is set. `string`: exactly this text in any letter
   * case; its white space matches any white space.
   */
  readonly kind: "words" | "string";
  /** Whether the last word is only the beginning of a word. */
  readonly isBeginning: boolean;
}

/** Words as the tokenizer of the index splits them: letters, digits and marks of any script. */
export const WORD_REGEXP = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const PLAIN_REGEXP = /^[\p{L}\p{N}\p{M}\p{Co}\s]+$/u;
/** A phrase in quotation marks, even if it ends the query, or anything up to white space. */
const PIECE_REGEXP = /"([^"]*)"(\*?)(?=\s|$)|(\S+)/gu;
/** A word of ASCII letters and digits only. */
export const ASCII_WORD_REGEXP = /^[\da-z]+$/;
/** The lower case of `İ`, the only letter that becomes two. */
export const LOWER_DOTTED_I = "i\u0307";
/** How much of a term is searched, in UTF-16 code units. */
const MAX_TERM = 1_000;
/** The shortest last word of a string that is looked up: few words begin with a longer one. */
const MIN_BEGINNING = 4;
/** How many grams of a string are looked up: more would hardly leave fewer messages. */
const MAX_LOOKUPS = 24;

/** Parses a query, as `query` of `SearchSessionsOptions` describes it; a blank one has no terms. */
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

function termOf(wanted: string, isBeginning: boolean): SearchTerm | undefined {
  const whole = wanted.toLowerCase();
  const text = startOf(whole, MAX_TERM);
  if (text === "") return undefined;
  const words = asIndexed(text);
  const isWords = PLAIN_REGEXP.test(words) && !hasSymbol(words);
  const isOpen = isBeginning || text.length < whole.length;
  return isWords
    ? { text: words, kind: "words", isBeginning: isOpen }
    : { text, kind: "string", isBeginning: false };
}

/**
 * Spells words as the index does, whose letters have no marks: composes letters and marks, and
 * drops the dot that `İ` leaves behind in lower case.
 */
function asIndexed(words: string): string {
  return words.normalize("NFC").replaceAll(LOWER_DOTTED_I, "i");
}

/** The expressions to look up in the index for a query; `undefined` for none. */
export interface SearchExpressions {
  readonly words: string | undefined;
  readonly symbols: string | undefined;
}

/**
 * Returns the expressions to look up for a query. They find all messages that match the query; with
 * strings they may find others as well.
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
  return { words, symbols };
}

function allOf(parts: readonly (string | undefined)[]): string | undefined {
  const present = parts.filter((part) => part !== undefined);
  return present.length === 0 ? undefined : present.join(" AND ");
}

function wordsExpression(
  { kind, text, isBeginning }: SearchTerm,
): string | undefined {
  if (kind === "words") return phraseExpression(text, isBeginning);
  // Words within the string are words of the message, but the first may be the end of one, and the
  // last the beginning of one. Words of other scripts may be split differently by the tokenizer.
  const words = [...text.matchAll(WORD_REGEXP)];
  if (!words.every(([word]) => ASCII_WORD_REGEXP.test(word))) return undefined;
  const whole = words.filter(({ index }) => index > 0).map(([word]) => word);
  const last = words.at(-1);
  const isOpen = last !== undefined &&
    last.index + last[0].length === text.length;
  const isShort = isOpen && last[0].length < MIN_BEGINNING;
  const telling = isShort ? whole.slice(0, -1) : whole;
  return telling.length === 0
    ? undefined
    : phraseExpression(telling.join(" "), isOpen && !isShort);
}

export function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD_REGEXP)].map(([word]) => word);
}

function phraseExpression(words: string, isBeginning: boolean): string {
  return isBeginning ? `"${words}" *` : `"${words}"`;
}

/** Quotes a text as one word of an expression. */
export function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

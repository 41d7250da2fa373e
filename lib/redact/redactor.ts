/** Masks secrets in texts. */

import { checkedList, checkText, wordsOf } from "../checked.ts";
import { ownText } from "../json/utf8.ts";
import {
  isSecret,
  maskAssignments,
  maskCommands,
  maskHeaders,
  maskUrls,
  type Place,
  secretMember,
} from "./_named_secrets.ts";
import {
  type Mask,
  PLACEHOLDER,
  PLACEHOLDER_REGEXP,
  placeholderOf,
} from "./_placeholder.ts";
import { maskPrivateKeys, maskTokens } from "./_known_shapes.ts";
import {
  mayHaveControlSequence,
  withoutControlSequences,
} from "./control_sequences.ts";
import type { LinearPattern } from "./linear_pattern.ts";
import { isBroken, isInPair, NARROWEST, spansOf } from "./pieces.ts";

/** Options for {@linkcode Redactor}. */
export interface RedactorOptions {
  /**
   * Patterns of further secrets. Every match of one of them is masked, as kind `pattern`. Their
   * flags are kept except `g` and `y`. Empty matches are ignored, and a match of half a surrogate
   * pair is extended to the whole character. Linear time is only guaranteed for the built-in rules
   * and for a {@linkcode LinearPattern}. A text that is too long for a regular expression is
   * masked as a whole.
   *
   * @default {[]}
   */
  readonly patterns?: readonly (RegExp | LinearPattern)[] | undefined;
}

/** The least length of a secret together with its name. */
const SHORTEST = 8;

/** Times and UUIDs, which most records have, and in which no rule finds a secret. */
const INERT_REGEXP =
  /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]{0,10}Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** The maximum number of times that the rules are applied: the text is stable far earlier. */
const MAX_PASSES = 8;

type Counts = Map<string, number>;

/** The built-in rules, each of which is applied to the result of the one before. */
const RULES: readonly ((text: string, mask: Mask) => string)[] = [
  maskPrivateKeys,
  maskTokens,
  maskUrls,
  maskHeaders,
  maskCommands,
  maskAssignments,
];

/**
 * Masks the secrets in texts, and counts them by kind.
 *
 * Each secret is replaced by `[redacted:KIND]`. The rules find tokens of known shape (OpenAI,
 * Anthropic, GitHub, GitLab, Slack, AWS, Google, Azure, Stripe, npm, PyPI, Hugging Face and over a
 * hundred others, and JSON Web Tokens), private keys in PEM, credentials of `Authorization`
 * headers and cookies, passwords in URLs, values after the names of secrets
 * (`export FOO_TOKEN=…`, `"api_key": "…"`, `password: …`, `--password …`, `ENV KEY …` in a
 * Dockerfile, elements of XML), passwords of commands (`mysql -p…`), of `.pgpass` and of
 * `.netrc`, and the matches of `patterns`. Further kinds may be added.
 *
 * A secret that has neither a known shape nor a name is not found; nor is one whose parts are in
 * several texts. Commit hashes, UUIDs, paths, encrypted reasoning, images in base64 and stand-ins
 * for secrets (`$TOKEN`, `<token>`, `***`) are kept.
 *
 * The built-in rules take time linear in the length of the text. Redacting a text again changes
 * nothing.
 *
 * @example Mask and count
 * ```ts
 * import { Redactor } from "@codexpipe/codexpipe/redact";
 * import { assertEquals } from "@std/assert";
 *
 * const redactor = new Redactor({ patterns: [/ACME-\d+/] });
 *
 * assertEquals(
 *   redactor.redact("git clone https://me:hunter2@example.org/ACME-17.git"),
 *   "git clone https://me:[redacted:url_password]@example.org/[redacted:pattern].git",
 * );
 * assertEquals([...redactor.counts], [["pattern", 1], ["url_password", 1]]);
 * ```
 */
export class Redactor {
  readonly #patterns: readonly Searchable[];
  readonly #counts: Counts = new Map();
  readonly #mask = countingMask(this.#counts);
  /** Texts without a secret: redacting each again takes twice the time (case `redact/small`). */
  readonly #clean = new KnownTexts<true>();
  /** Names of members, with the context of their value; `null` if it is not a secret. */
  readonly #members = new KnownTexts<Place | null>();

  /**
   * Constructs a new instance.
   *
   * @param options Patterns of further secrets.
   * @throws {TypeError} If `patterns` is not a list of regular expressions.
   */
  constructor(options: RedactorOptions = {}) {
    const patterns = checkedList("patterns", options.patterns ?? []);
    this.#patterns = patterns.map(searchable);
  }

  /** The number of secrets masked so far, by kind, in the order of their first occurrence. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /**
   * Returns the counts and resets them.
   *
   * @returns The former value of {@linkcode Redactor.counts}.
   */
  takeCounts(): Map<string, number> {
    const counts = new Map(this.#counts);
    this.#counts.clear();
    return counts;
  }

  /**
   * Masks the secrets in a text. If terminal colours divide a secret, all colours are removed from
   * the text.
   *
   * @param text The whole text: a part of a secret may not be recognized.
   * @returns The text with its secrets masked; unchanged if there are none.
   * @throws {TypeError} If `text` is not a string.
   */
  redact(text: string): string {
    checkText(text);
    if (this.#patterns.length === 0 && isInert(text)) return text;
    if (this.#clean.get(text) === true) return text;
    if (mayHaveControlSequence(text)) return this.#redactColored(text);
    const masked = this.#redactPlain(text, this.#mask);
    // A text that contains placeholders may have secrets that were counted although masking did
    // not change it, and these are counted each time.
    if (masked === text && !text.includes(PLACEHOLDER)) {
      this.#clean.set(text, true);
    }
    return masked;
  }

  /** @ignore Masks the secrets in a text without counting them. */
  preview(text: string): string {
    const counts = this.takeCounts();
    const masked = this.redact(text);
    this.#counts.clear();
    addCounts(this.#counts, counts);
    return masked;
  }

  #redactColored(text: string): string {
    const spelled: Counts = new Map();
    const masked = this.#redactPlain(text, countingMask(spelled));
    // A terminal shows a word that colours divide as a whole.
    const shown: Counts = new Map();
    const plain = this.#redactPlain(
      withoutControlSequences(text),
      countingMask(shown),
    );
    const isSame = withoutControlSequences(masked) === plain;
    if (isSame || includesCounts(shown, spelled)) {
      addCounts(this.#counts, shown);
      return isSame ? masked : plain;
    }
    // Some secret is separated from the text beside it only by a colour or a cursor move.
    addCounts(this.#counts, spelled);
    return this.#redactPlain(withoutControlSequences(masked), this.#mask);
  }

  /** Masks the secrets in a text as it is spelled. */
  #redactPlain(text: string, mask: Mask): string {
    let masked = text;
    for (const pattern of this.#patterns) {
      try {
        masked = maskPattern(masked, pattern, mask);
      } catch (error) {
        // The stack of the expression engine overflowed, so the whole text is masked unseen.
        if (!(error instanceof RangeError)) throw error;
        return mask("pattern");
      }
    }
    if (masked.length < SHORTEST) return masked;
    if (masked.includes("\n")) masked = maskWrapped(masked, mask);
    // A secret directly after another one may be found only once that one is masked.
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const before = masked;
      for (const rule of RULES) masked = rule(masked, mask);
      if (masked === before) break;
    }
    return masked;
  }

  /**
   * Masks the secrets in the value of a named member or of a command-line flag. If the name is that
   * of a secret, the whole value is masked.
   *
   * @param name The name; a flag with its dashes.
   * @param text The value.
   * @returns The value with its secrets masked; unchanged if there are none.
   *
   * @example A value that only its name reveals as a secret
   * ```ts
   * import { Redactor } from "@codexpipe/codexpipe/redact";
   * import { assertEquals } from "@std/assert";
   *
   * const redactor = new Redactor();
   *
   * assertEquals(redactor.redactMember("db_password", "swordfish"), "[redacted:password]");
   * assertEquals(redactor.redactMember("title", "swordfish"), "swordfish");
   * ```
   */
  redactMember(name: string, text: string): string {
    const masked = this.redact(text);
    let place = this.#members.get(name);
    if (place === undefined) {
      place = secretMember(name) ?? null;
      this.#members.set(name, place);
    }
    return place !== null && isSecret(masked, place)
      ? this.#mask(place.name.kind)
      : masked;
  }
}

/** Returns whether no built-in rule can find a secret in a text: it is short, a time or a UUID. */
function isInert(text: string): boolean {
  const { length } = text;
  return length < SHORTEST ||
    length >= 20 && length <= 36 && INERT_REGEXP.test(text);
}

/** Masks the secrets in a text by the built-in rules, without counting them. */
function maskUncounted(text: string): string {
  return RULES.reduce((masked, rule) => rule(masked, placeholderOf), text);
}

type Searchable = Pick<LinearPattern, "matchesIn">;

function searchable(pattern: RegExp | LinearPattern): Searchable {
  if (pattern instanceof RegExp) {
    const flags = `${pattern.flags.replace(/[gy]/g, "")}g`;
    const regexp = new RegExp(pattern.source, flags);
    return {
      *matchesIn(text) {
        for (const { 0: found, index } of text.matchAll(regexp)) {
          yield [index, index + found.length];
        }
      },
    };
  }
  // Checks for the method, not the class, so that the class is only loaded for such patterns.
  if (typeof pattern?.matchesIn === "function") return pattern;
  const found = wordsOf(pattern);
  throw new TypeError(
    `Cannot use patterns: one is ${found}, expected regular expressions`,
  );
}

/** Masks the matches of a pattern, except those that overlap a placeholder. */
function maskPattern(
  text: string,
  pattern: Searchable,
  mask: Mask,
): string {
  const fixed = [...text.matchAll(PLACEHOLDER_REGEXP)];
  let next = 0;
  let masked = "";
  let from = 0;
  for (const [at, to] of pattern.matchesIn(text)) {
    if (at === to) continue;
    // Without the Unicode rules a match may begin or end between the halves of a pair.
    const index = Math.max(from, isInPair(text, at) ? at - 1 : at);
    const end = isInPair(text, to) ? to + 1 : to;
    if (index >= end) continue;
    let placeholder = fixed[next];
    while (
      placeholder !== undefined &&
      placeholder.index + placeholder[0].length <= index
    ) placeholder = fixed[++next];
    if (placeholder !== undefined && placeholder.index < end) continue;
    masked += text.slice(from, index) + mask("pattern");
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

function countingMask(counts: Counts): Mask {
  return (kind) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return placeholderOf(kind);
  };
}

function addCounts(counts: Counts, more: Counts): void {
  for (const [kind, count] of more) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
}

/** Returns whether `counts` has at least as many secrets of each kind as `others`. */
function includesCounts(counts: Counts, others: Counts): boolean {
  return [...others].every(([kind, count]) => count <= (counts.get(kind) ?? 0));
}

// A cache of results for repeated texts: all records have the same keys, types and words, and
// instructions are repeated in each turn and session.

/** The maximum length of a cached text: longer ones are data, which is hardly ever repeated. */
const LONGEST = 1 << 16;

/** The maximum number of cached texts. A full cache is cleared, and soon has common texts again. */
const MOST = 1024;
/** The maximum length of all cached texts together. */
const MOST_CHARACTERS = 1 << 20;

/** A cache of results by text, of bounded size. */
class KnownTexts<T> {
  readonly #known = new Map<string, T>();
  #characters = 0;

  get(text: string): T | undefined {
    return text.length > LONGEST ? undefined : this.#known.get(text);
  }

  /** Caches the result for a text, unless the text is too long. */
  set(text: string, found: T): void {
    if (text.length > LONGEST) return;
    this.#characters += text.length;
    if (this.#known.size === MOST || this.#characters > MOST_CHARACTERS) {
      this.#known.clear();
      this.#characters = text.length;
    }
    this.#known.set(ownText(text), found);
  }
}

// Secrets in lines that a terminal or a program broke because they were too long.

/** A word of natural language, or the name of a file, with which a new line may begin. */
const PLAIN_REGEXP =
  /^(?:[A-Z]?[a-z]*|[A-Z]*)(?:[./-](?:[A-Z]?[a-z]+|[A-Z]+)){0,8}[.-]?$/;
/** The beginning of a setting or a header, which has its own line. */
const SETTING_REGEXP =
  /^[+-]?(?:(?:[A-Z][A-Z_]*\d*|[a-z][a-z_.-]*\d*|[A-Z][A-Z\d]*_[A-Z\d_]*|[a-z][a-z\d]*_[a-z\d_]*)[=:]|[A-Za-z-]+[=:][ \t]*[^\s=]|[\w.-]{1,64}(?:[ \t]{1,16}[=:]|:[ \t]))/;

/** The start and end of consecutive lines of equal length; only the last one may be shorter. */
interface Paragraph {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Masks the secrets in a text that continue across line ends.
 *
 * A line counts as broken if it is at least as long as the next one, and a word that is not natural
 * language may continue there.
 */
function maskWrapped(text: string, mask: Mask): string {
  let masked = "";
  let from = 0;
  for (const { starts, ends } of paragraphsOf(text)) {
    const lines = starts.map((start, i) => text.slice(start, ends[i]));
    const joined = lines.join("");
    const maskedLines = maskUncounted(joined);
    if (maskedLines === joined) continue;
    const first = starts[0] ?? 0;
    const width = (ends[0] ?? 0) - first;
    /** Maps an index of the joined text to the text. */
    const placeOf = (at: number, isEnd: boolean): number => {
      const line = Math.floor((isEnd ? at - 1 : at) / width);
      return (starts[line] ?? 0) + at - line * width;
    };
    for (const span of spansOf(joined, maskedLines)) {
      let end = span.end;
      let last = Math.floor((end - 1) / width);
      const rest = joined.slice(last * width, end);
      if (SETTING_REGEXP.test(joined.slice(last * width))) continue;
      if (PLAIN_REGEXP.test(rest) && !isRest(joined, last * width, end)) {
        end = last * width;
        last -= 1;
      }
      if (Math.floor(span.start / width) >= last) continue;
      masked += text.slice(from, placeOf(span.start, false)) +
        maskedLines.slice(span.maskedStart, span.maskedEnd).replaceAll(
          PLACEHOLDER_REGEXP,
          (found) => mask(found.slice(found.indexOf(":") + 1, -1)),
        );
      from = placeOf(end, true);
    }
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** Returns whether the last line belongs to a secret: the text before it is not one by itself. */
function isRest(joined: string, start: number, end: number): boolean {
  const before = joined.slice(0, start);
  return end === joined.length && maskUncounted(before) === before;
}

/** Finds groups of lines that may have been one line. */
function* paragraphsOf(text: string): Generator<Paragraph> {
  let start = 0;
  let starts: number[] = [];
  let ends: number[] = [];
  for (let newline; (newline = text.indexOf("\n", start)) !== -1;) {
    const end = text.charAt(newline - 1) === "\r" ? newline - 1 : newline;
    const length = end - start;
    const isOpen = length >= NARROWEST &&
      goesOn(text, end, newline + 1, length);
    const isSame = isOpen && length === (ends[0] ?? 0) - (starts[0] ?? 0);
    if (starts.length > 0 && !isSame) {
      yield { starts: [...starts, start], ends: [...ends, end] };
      starts = [];
      ends = [];
    }
    if (isOpen) {
      starts.push(start);
      ends.push(end);
    }
    start = newline + 1;
  }
  if (starts.length > 0) {
    yield { starts: [...starts, start], ends: [...ends, text.length] };
  }
}

/** Returns whether a line may continue on the next one, which must not be longer. */
function goesOn(
  text: string,
  end: number,
  next: number,
  length: number,
): boolean {
  const nextEnd = text.indexOf("\n", next);
  const nextLength = (nextEnd === -1 ? text.length : nextEnd) - next;
  return nextLength <= length + 1 &&
    isBroken(
      text.slice(end - NARROWEST, end),
      text.slice(next, next + NARROWEST),
    );
}

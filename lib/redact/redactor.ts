/**
 * Secrets out of text.
 *
 * @module
 */

import { checkedList, checkText, wordsOf } from "../checked.ts";
import { ownText } from "../json/utf8.ts";
import {
  isSecretOf,
  maskAssignments,
  maskCommands,
  maskHeaders,
  maskUrls,
  type SecretMember,
  secretMember,
} from "./_named_secrets.ts";
import {
  type Mask,
  PLACEHOLDER,
  PLACEHOLDER_REGEXP,
  placeholderOf,
} from "./_placeholder.ts";
import { maskPrivateKeys, maskTokens } from "./_known_shapes.ts";
import type { LinearPattern } from "./linear_pattern.ts";
import { isBroken, isInPair, mayBreak, NARROWEST, spansOf } from "./pieces.ts";

/** Options for {@linkcode Redactor}. */
export interface RedactorOptions {
  /**
   * What else is a secret. Every match of one of them is masked, as kind `pattern`. Their
   * flags count but for `g` and `y`; a match of nothing is none, and one of half a character is
   * one of all of it. How long they take is
   * theirs to say: the promise of linear time is kept by the built-in rules, and by a
   * {@linkcode LinearPattern}. A text that is too long for one of them is masked whole.
   *
   * @default {[]}
   */
  readonly patterns?: readonly (RegExp | LinearPattern)[] | undefined;
}

/** No secret is shorter, its name included. */
const SHORTEST = 8;

/** Times and UUIDs, which most records have: no rule finds a secret in one. */
const INERT_REGEXP =
  /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]{0,10}Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** How often the rules are applied at most: what they leave is stable far earlier. */
const MAX_PASSES = 8;

/**
 * Colours and moves of the cursor, which show nothing themselves; with the escapes before one, or
 * they would begin another one without it.
 */
const CONTROL_SEQUENCE_REGEXP =
  // deno-lint-ignore no-control-regex
  /(?<!\u001b)\u001b+\[[\d;:?]*[A-HJKSTfhlmnsu]/g;

type Counts = Map<string, number>;

/** The built-in rules, each on what those before it left. */
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
 * In place of a secret stands `[redacted:KIND]`. What is found: tokens of known shape
 * (OpenAI, Anthropic, GitHub, GitLab, Slack, AWS, Google, Azure, Stripe, npm, PyPI, Hugging
 * Face and over a hundred others, and JSON Web Tokens), private keys in PEM, credentials of
 * `Authorization` headers and cookies, passwords in URLs, values behind names of secrets
 * (`export FOO_TOKEN=…`, `"api_key": "…"`, `password: …`, `--password …`, `ENV KEY …` in a
 * Dockerfile, elements of XML), passwords of commands (`mysql -p…`), of `.pgpass` and of
 * `.netrc`, and what `patterns` match. The kinds may become more.
 *
 * A secret of no known shape without a name is not found; nor is one whose parts are in
 * several texts. Commit hashes, UUIDs, paths, encrypted reasoning, images in base64 and
 * what only stands for a secret (`$TOKEN`, `<token>`, `***`) are left as they are.
 *
 * The built-in rules take time linear in the length of the text, whatever is in it.
 * Redacting a text again changes nothing.
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
  readonly #patterns: readonly (RegExp | LinearPattern)[];
  readonly #counts: Counts = new Map();
  readonly #mask = countingMask(this.#counts);
  /** Texts without a secret: looking at each again takes twice the time (case `redact/small`). */
  readonly #clean = new KnownTexts<true>();
  /** What the names of members say; `null` if that is nothing. */
  readonly #members = new KnownTexts<SecretMember | null>();

  /**
   * Constructs a new instance.
   *
   * @param options What else is a secret.
   * @throws {TypeError} If the patterns are no list of regular expressions.
   */
  constructor(options: RedactorOptions = {}) {
    const patterns = checkedList("patterns", options.patterns ?? []);
    this.#patterns = patterns.map((pattern) => {
      if (isLinear(pattern)) return pattern;
      if (!(pattern instanceof RegExp)) {
        throw new TypeError(
          `Cannot go by patterns: one is ${
            wordsOf(pattern)
          }, expected regular expressions`,
        );
      }
      return new RegExp(
        pattern.source,
        `${pattern.flags.replace(/[gy]/g, "")}g`,
      );
    });
  }

  /** How many secrets were masked so far, by kind, in the order of their first ones. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /**
   * Gives away the counts, and begins anew with none.
   *
   * @returns What {@linkcode Redactor.counts} was.
   */
  takeCounts(): Map<string, number> {
    const counts = new Map(this.#counts);
    this.#counts.clear();
    return counts;
  }

  /**
   * Masks the secrets in a text. Where colours for a terminal divide one, those of the text
   * are left out.
   *
   * @param text The text, whole: a secret that it holds a part of may not be known.
   * @returns The text without the secrets; the same one if there are none.
   * @throws {TypeError} If it is no text.
   */
  redact(text: string): string {
    checkText(text);
    if (this.#patterns.length === 0 && isInert(text)) return text;
    if (this.#clean.get(text) === true) return text;
    if (text.includes("\u001b[")) return this.#redactColored(text);
    const masked = this.#redactPlain(text, this.#mask);
    // What is masked as it stood is counted each time.
    if (masked === text && !text.includes(PLACEHOLDER)) {
      this.#clean.set(text, true);
    }
    return masked;
  }

  #redactColored(text: string): string {
    const spelled: Counts = new Map();
    const masked = this.#redactPlain(text, countingMask(spelled));
    // On a terminal, what colours divide is seen as one word.
    const shown: Counts = new Map();
    const plain = this.#redactPlain(withoutColors(text), countingMask(shown));
    const isSame = withoutColors(masked) === plain;
    if (isSame || includesCounts(shown, spelled)) {
      addCounts(this.#counts, shown);
      return isSame ? masked : plain;
    }
    // Something is told from what stands beside it by a colour or a move alone.
    addCounts(this.#counts, spelled);
    return this.#redactPlain(withoutColors(masked), this.#mask);
  }

  /** Masks the secrets in a text as it is spelled. */
  #redactPlain(text: string, mask: Mask): string {
    let masked = text;
    for (const pattern of this.#patterns) {
      try {
        masked = maskPattern(masked, pattern, mask);
      } catch (error) {
        // The stack of the expression engine is full. What cannot be looked at is hidden.
        if (!(error instanceof RangeError)) throw error;
        return mask("pattern");
      }
    }
    if (masked.length < SHORTEST) return masked;
    if (masked.includes("\n")) masked = maskWrapped(masked, mask);
    // What stood behind a secret without a gap may be one now.
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const before = masked;
      for (const rule of RULES) masked = rule(masked, mask);
      if (masked === before) break;
    }
    return masked;
  }

  /**
   * Masks the secrets in the value of a named member, or behind a flag of a command: all of
   * it if the name says that it is a secret.
   *
   * @param name The name; a flag with its dashes.
   * @param text The value.
   * @returns The value without the secrets; the same one if there are none.
   *
   * @example A value that nothing but its name gives away
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
    const member = this.#memberOf(name);
    return member !== null && isSecretOf(member, masked)
      ? this.#mask(member.kind)
      : masked;
  }

  #memberOf(name: string): SecretMember | null {
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const member = secretMember(name) ?? null;
    this.#members.set(name, member);
    return member;
  }
}

/** Whether a text is none that a rule of ours would find a secret in. */
function isInert(text: string): boolean {
  const { length } = text;
  return length < SHORTEST ||
    length >= 20 && length <= 36 && INERT_REGEXP.test(text);
}

/** Gives a text without its secrets, and counts none. */
function lookedAt(text: string): string {
  return RULES.reduce((masked, rule) => rule(masked, placeholderOf), text);
}

/** Masks what a pattern matches; what stands in place of a secret already is left. */
function maskPattern(
  text: string,
  pattern: RegExp | LinearPattern,
  mask: Mask,
): string {
  const fixed = [...text.matchAll(PLACEHOLDER_REGEXP)];
  let next = 0;
  let masked = "";
  let from = 0;
  for (const [at, to] of matchesOf(text, pattern)) {
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

/** Tells by what it can do: who has no such pattern need not load what it is made of. */
function isLinear(pattern: unknown): pattern is LinearPattern {
  return typeof pattern === "object" && pattern !== null &&
    "matchesIn" in pattern;
}

/** Where matches start and end. */
function* matchesOf(
  text: string,
  pattern: RegExp | LinearPattern,
): Iterable<readonly [start: number, end: number]> {
  if (isLinear(pattern)) {
    yield* pattern.matchesIn(text);
    return;
  }
  for (const { 0: found, index } of text.matchAll(pattern)) {
    yield [index, index + found.length];
  }
}

/** Makes what masks secrets, and counts them. */
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

/** Whether there are as many secrets of each kind in the one as in the other, or more. */
function includesCounts(counts: Counts, others: Counts): boolean {
  return [...others].every(([kind, count]) => count <= (counts.get(kind) ?? 0));
}

function withoutColors(text: string): string {
  return text.replace(CONTROL_SEQUENCE_REGEXP, "");
}

// What was found out about texts that come again: every record has the same keys, types and words,
// and instructions are told again with each turn and in each session.

/** How long a text is that may come again; longer ones are data, which hardly ever does. */
const LONGEST = 1 << 16;

/** How many texts are remembered; then all are forgotten, and the usual ones soon known again. */
const MOST = 1024;
/** How long they are together. */
const MOST_CHARACTERS = 1 << 20;

/** Remembers what was found out about texts, and bounds how many there are. */
class KnownTexts<T> {
  readonly #known = new Map<string, T>();
  #characters = 0;

  get(text: string): T | undefined {
    return text.length > LONGEST ? undefined : this.#known.get(text);
  }

  /** Remembers something of a text, if it may come again. */
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

/** A word of a language, which may begin the next line. */
const PLAIN_REGEXP = /^(?:[A-Z]?[a-z]*|[A-Z]*)[.-]?$/;
/** The beginning of a setting, which has a line of its own. */
const SETTING_REGEXP = /^(?:[A-Z][A-Z_]*|[a-z][a-z_.-]*)\d*[=:]/;

/** Lines, the last of which is the only one that may be shorter than the first. */
interface Paragraph {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Masks the secrets in a text that go on over the end of a line.
 *
 * A line is taken for broken where it is at least as long as the next one, and a word that is
 * none of a language goes on there.
 */
function maskWrapped(text: string, mask: Mask): string {
  let masked = "";
  let from = 0;
  for (const { starts, ends } of paragraphsOf(text)) {
    const lines = starts.map((start, i) => text.slice(start, ends[i]));
    const joined = lines.join("");
    const looked = lookedAt(joined);
    if (looked === joined) continue;
    const first = starts[0] ?? 0;
    const width = (ends[0] ?? 0) - first;
    /** Where a place of the joined text is in the text. */
    const placeOf = (at: number, isEnd: boolean): number => {
      const line = Math.floor((isEnd ? at - 1 : at) / width);
      return (starts[line] ?? 0) + at - line * width;
    };
    for (const span of spansOf(joined, looked)) {
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
        looked.slice(span.maskedStart, span.maskedEnd).replaceAll(
          PLACEHOLDER_REGEXP,
          (found) => mask(found.slice(found.indexOf(":") + 1, -1)),
        );
      from = placeOf(end, true);
    }
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** Whether a word that is all of a line is the rest of what is no secret without it. */
function isRest(joined: string, start: number, end: number): boolean {
  const before = joined.slice(0, start);
  return end === joined.length && lookedAt(before) === before;
}

/** Finds the lines that may have been one. */
function* paragraphsOf(text: string): Generator<Paragraph> {
  let start = 0;
  let starts: number[] = [];
  let ends: number[] = [];
  for (
    let newline = text.indexOf("\n");
    newline !== -1;
    newline = text.indexOf("\n", newline + 1)
  ) {
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

/** Whether a line that ends at an index goes on at another one, in a line that is no longer. */
function goesOn(
  text: string,
  end: number,
  next: number,
  length: number,
): boolean {
  if (!mayBreak(text, end, text, next)) return false;
  const nextEnd = text.indexOf("\n", next);
  const nextLength = (nextEnd === -1 ? text.length : nextEnd) - next;
  return nextLength <= length + 1 &&
    isBroken(
      text.slice(end - NARROWEST, end),
      text.slice(next, next + NARROWEST),
    );
}

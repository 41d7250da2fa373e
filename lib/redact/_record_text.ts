/**
 * Secrets out of the text of one record: its strings are looked at as what they mean, and
 * written anew only where one held a secret.
 */

import { latin1OfBase64 } from "../json/bytes.ts";
import { parseJson } from "../json/fields.ts";
import { numbered, PLACEHOLDER } from "./_placeholder.ts";
import { characterSet, endOfRun, JSON_SPACE } from "./_runs.ts";
import { dividedLike, isBroken, isInPair, NARROWEST } from "./pieces.ts";
import type { Redactor } from "./redactor.ts";

/** What masks secrets. */
export interface Redactors {
  /** Masks and counts. */
  readonly redactor: Redactor;
  /** Only looks: the same rules, and nobody asks for its counts. */
  readonly scout: Redactor;
}

/** What a secret of several lines begins with. */
const BEGINNING_REGEXP = /PRIVATE KEY|\bmachine\b|\blogin\b|<\/key>/;

/** Tells whether a secret may go on from one line to the next: few do. */
function mayGoOn(lines: readonly string[]): boolean {
  return lines.some((line, i) =>
    BEGINNING_REGEXP.test(line) ||
    line.length >= NARROWEST && isBroken(line, lines[i + 1] ?? "")
  );
}

/**
 * Redacts the pieces of a text, if there is a secret that goes on from one to the next.
 *
 * @param separator What stands between two of them.
 * @returns As many pieces; `undefined` if each can be redacted by itself.
 */
export function redactedPieces(
  pieces: readonly string[],
  separator: string,
  { redactor, scout }: Redactors,
): string[] | undefined {
  const joined = pieces.join(separator);
  const looked = scout.redact(joined);
  if (looked === joined) return undefined;
  // A secret may be in one of them, and its name in the one before.
  const divided = dividedLike(pieces, looked, separator);
  const goesOn = pieces.some((piece, i) => scout.redact(piece) !== divided[i]);
  return goesOn
    ? dividedLike(pieces, redactor.redact(joined), separator)
    : undefined;
}

/** Gives the keys of one record names that no two of them share. */
class MaskedKeys {
  /** The key that a name was given to. */
  readonly #owners = new Map<string, string>();
  /** The names, by key. */
  readonly #names = new Map<string, string>();
  /** The last number that was given behind a name. */
  readonly #numbers = new Map<string, number>();

  /**
   * Names a key in which something stands in place of a secret.
   *
   * @returns Its name: the same one for each key that is the same, and with a number if another
   *   key has it.
   */
  nameOf(key: string, masked: string): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    let name = masked;
    let number = this.#numbers.get(masked) ?? 1;
    while (this.#owners.has(name)) name = numbered(masked, ++number);
    this.#numbers.set(masked, number);
    this.#owners.set(name, key);
    this.#names.set(key, name);
    return name;
  }
}

/** The name of the member that holds output. */
export const CHUNK = "chunk";

/** The names of members that hold base64. */
const BASE64_NAMES: ReadonlySet<string> = new Set([CHUNK, "raw_base64"]);

/** What a list of numbers is made of. */
const LIST = characterSet(/[\d, ]/);

/**
 * Redacts the output that stands at an index as a list of numbers.
 *
 * @param start Where the list may start.
 * @param redact Redacts a text of bytes: U+0000 to U+00FF.
 * @returns Where the list ends, and what stands in its place if anything was redacted;
 *   `undefined` if there is none.
 */
function redactList(
  text: string,
  start: number,
  redact: (bytes: string) => string,
): { readonly end: number; readonly list: string | undefined } | undefined {
  if (text.charAt(start) !== "[") return undefined;
  const close = endOfRun(text, start + 1, LIST);
  if (text.charAt(close) !== "]") return undefined;
  const end = close + 1;
  let bytes = "";
  for (const number of text.slice(start + 1, close).split(",")) {
    const byte = Number(number);
    if (byte > 255) return { end, list: undefined };
    bytes += String.fromCharCode(byte);
  }
  const redacted = redact(bytes);
  if (redacted === bytes) return { end, list: undefined };
  const numbers = Array.from(redacted, (letter) => letter.charCodeAt(0));
  return { end, list: JSON.stringify(numbers) };
}

/** The member of a failed line's record that holds the line (see `LineFailed`). */
const RAW = "raw";
const FLAG_REGEXP = /^--[\w-]{3,64}$/;

/** What a string of a record becomes that holds a part of a text in several records. */
type MaskPiece = (name: string, value: string) => string | undefined;

/**
 * Redacts the strings of a JSON text.
 *
 * @param text One JSON value.
 * @param maskPiece Gives what is known already of a member, by its name and what it holds.
 */
export function redactRecordText(
  text: string,
  redactors: Redactors,
  maskPiece?: MaskPiece,
): string {
  const { redactor } = redactors;
  const redact = (text: string) => redactor.redact(text);
  let keys: MaskedKeys | undefined;
  const maskedKey = (key: string): string => {
    const masked = redact(key);
    if (!masked.includes(PLACEHOLDER)) return masked;
    keys ??= new MaskedKeys();
    return keys.nameOf(key, masked);
  };
  const edits: Edit[] = [];
  const runs = new Runs(text, redactors);
  /** The name of the member whose value starts at `valueStart`. */
  let name = "";
  let valueStart = -1;
  /** The end of the last string, which is called by `name` too. */
  let last = -1;
  for (
    let start = text.indexOf('"');
    start !== -1;
    start = text.indexOf('"', start)
  ) {
    const end = endOfString(text, start);
    if (end === -1) break;
    const colon = endOfRun(text, end, JSON_SPACE);
    const isKey = text.charAt(colon) === ":";
    // Of a command and its arguments, a flag names what stands behind it.
    const isNamed = !isKey && (valueStart === start ||
      FLAG_REGEXP.test(name) && isNext(text, last, start));
    const value = stringAt(text, start, end);
    const known = isNamed ? maskPiece?.(name, value) : undefined;
    const isElement = !isKey && valueStart !== start;
    if (known === undefined && (isElement || !isKey && GAPS.has(name))) {
      const own = isNamed ? name : undefined;
      const mask = (value: string) => maskedValue(own, value, redactors);
      const edit = { start, end, value, mask };
      edits.push(edit);
      runs.add(isElement ? "" : name, edit);
    } else {
      const masked = known ??
        (isKey
          ? maskedKey(value)
          : maskedValue(isNamed ? name : undefined, value, redactors));
      if (masked !== value) edits.push({ start, end, value, masked });
    }
    name = value;
    start = end;
    last = end;
    if (!isKey) continue;
    valueStart = endOfRun(text, colon + 1, JSON_SPACE);
    start = valueStart;
    if (name !== CHUNK) continue;
    const chunk = redactList(
      text,
      valueStart,
      (bytes) => maskPiece?.(CHUNK, bytes) ?? redact(bytes),
    );
    if (chunk === undefined) continue;
    if (chunk.list !== undefined) {
      edits.push({ start: valueStart, end: chunk.end, list: chunk.list });
    }
    start = chunk.end;
  }
  runs.end();
  let redacted = "";
  let from = 0;
  for (const { start, end, value = "", mask, masked, list } of edits) {
    const now = masked ?? mask?.(value) ?? value;
    if (list === undefined && now === value) continue;
    redacted += text.slice(from, start) + (list ?? stringText(now));
    from = end;
  }
  return from === 0 ? text : redacted + text.slice(from);
}

/** Redacts a string that is no key, as what it means. */
export function maskedValue(
  name: string | undefined,
  value: string,
  redactors: Redactors,
): string {
  return name === undefined
    ? redactors.redactor.redact(redactInside(value, redactors))
    : redactNamed(name, value, redactors);
}

/** What becomes of a string, or of a list of numbers. */
interface Edit {
  readonly start: number;
  readonly end: number;
  /** What the string means. */
  readonly value?: string;
  /** Masks it by itself. */
  readonly mask?: (value: string) => string;
  /** What it becomes, where that is known. */
  masked?: string;
  /** What stands in place of the list. */
  readonly list?: string;
}

/**
 * What stands between the texts of members that follow one another: a history keeps output in
 * chunks, and messages in lines.
 */
const GAPS: ReadonlyMap<string, string> = new Map([
  ["content", ""],
  ["delta", ""],
  ["text", "\n"],
]);

/** Strings that follow one another in a list, or as members of its objects, and are one text. */
class Runs {
  readonly #text: string;
  readonly #redactors: Redactors;
  #name = "";
  #edits: Edit[] = [];

  constructor(text: string, redactors: Redactors) {
    this.#text = text;
    this.#redactors = redactors;
  }

  /** Adds a string that has a name, or that is an element of a list. */
  add(name: string, edit: Edit): void {
    const before = this.#edits.at(-1);
    if (
      before === undefined || name !== this.#name ||
      !this.#isNext(name, before.end, edit.start)
    ) this.end();
    this.#name = name;
    this.#edits.push(edit);
  }

  /** Masks what goes on from one of the strings to the next one. */
  end(): void {
    const edits = this.#edits;
    this.#edits = [];
    if (edits.length < 2) return;
    const gap = GAPS.get(this.#name) ?? "\n";
    const pieces = edits.map(({ value = "" }) => value);
    if (gap !== "" && !mayGoOn(pieces)) return;
    const masked = redactedPieces(pieces, gap, this.#redactors);
    if (masked === undefined) return;
    for (const [i, edit] of edits.entries()) {
      const piece = masked[i] ?? "";
      edit.masked = edit.mask?.(piece) ?? piece;
    }
  }

  #isNext(name: string, end: number, start: number): boolean {
    if (name === "") return isNext(this.#text, end, start);
    if (start - end > MAX_GAP) return false;
    const between = this.#text.slice(end, start);
    const borders = between.split("]").length - 1;
    return borders === 0 || borders === 1 && name === "text";
  }
}

/** How much stands between the strings of one text at most. */
const MAX_GAP = 1000;

/** Redacts a string that has a name: what it is called, and how it is written. */
function redactNamed(
  name: string,
  value: string,
  redactors: Redactors,
): string {
  if (BASE64_NAMES.has(name)) {
    const bytes = latin1OfBase64(value) ?? "";
    const redacted = redactors.redactor.redact(bytes);
    if (redacted !== bytes) return btoa(redacted);
  }
  // A line that failed is mostly JSON that was cut, which says its strings all the same.
  const inside = name === RAW
    ? redactRecordText(value, redactors)
    : redactInside(value, redactors);
  return redactors.redactor.redactMember(name, inside);
}

/** Redacts the strings of the JSON that a string holds, as arguments of calls have it. */
function redactInside(value: string, redactors: Redactors): string {
  return isJson(value) ? redactRecordText(value, redactors) : value;
}

/** Whether a text is a JSON object or list with strings in it. */
function isJson(text: string): boolean {
  return /^[ \t\r\n]{0,64}[[{]/.test(text) && text.includes('"') &&
    parseJson(text) !== undefined;
}

/** Whether a string stands behind another one in a list. */
function isNext(text: string, end: number, start: number): boolean {
  const comma = endOfRun(text, end, JSON_SPACE);
  return text.charAt(comma) === "," &&
    endOfRun(text, comma + 1, JSON_SPACE) === start;
}

/** Finds the end of a string, behind its closing quote; -1 if it has none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1);;) {
    if (end === -1) return -1;
    let backslashes = 0;
    while (text.charAt(end - 1 - backslashes) === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
}

/** The value of a string; what is no JSON is taken as it stands. */
function stringAt(text: string, start: number, end: number): string {
  const inside = text.slice(start + 1, end - 1);
  if (!inside.includes("\\")) return inside;
  const value = parseJson(text.slice(start, end));
  return typeof value === "string" ? value : inside;
}

/** A longer text is escaped in pieces: `JSON.stringify` ends the process at 2^27 characters. */
const PIECE = 1 << 20;

function stringText(value: string): string {
  let text = '"';
  for (let at = 0; at < value.length;) {
    let end = Math.min(value.length, at + PIECE);
    if (isInPair(value, end)) end += 1;
    text += JSON.stringify(value.slice(at, end)).slice(1, -1);
    at = end;
  }
  return `${text}"`;
}

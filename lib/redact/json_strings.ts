/** Masks secrets in the strings of JSON texts. */

import { bytesOfList, latin1OfBase64, latin1OfBytes } from "../json/bytes.ts";
import { parseJson } from "../json/fields.ts";
import { closingQuote } from "../json/member_texts.ts";
import { mayBeCommand } from "./_named_secrets.ts";
import { numbered, PLACEHOLDER } from "./_placeholder.ts";
import { characterSet, endOfRun, JSON_SPACE } from "./_runs.ts";
import { dividedLike, isBroken, NARROWEST } from "./pieces.ts";
import type { Redactor } from "./redactor.ts";

/** The beginning of a secret of several lines. */
const BEGINNING_REGEXP =
  /PRIVATE KEY|\bmachine\b|\blogin\b|<\/key>|(?:[Kk]ey|[Nn]ame)["']?: ?["']?[\w-]{1,64}["']?,?$/;

/** Returns whether a secret may continue from one line to the next, which is rare. */
function mayGoOn(lines: readonly string[]): boolean {
  return lines.some((line, i) =>
    BEGINNING_REGEXP.test(line) ||
    line.length >= NARROWEST && isBroken(line, lines[i + 1] ?? "")
  );
}

/**
 * Redacts the pieces of a text, if a secret continues from one piece to the next.
 *
 * @param separator The text between two pieces.
 * @returns As many redacted pieces; `undefined` if each piece can be redacted by itself.
 */
export function redactedPieces(
  pieces: readonly string[],
  separator: string,
  redactor: Redactor,
): string[] | undefined {
  const joined = pieces.join(separator);
  const masked = redactor.preview(joined);
  if (masked === joined) return undefined;
  // Compares the results, as a secret may be in one piece, and its name in the piece before.
  const divided = dividedLike(pieces, masked, separator);
  const goesOn = pieces.some((piece, i) =>
    redactor.preview(piece) !== divided[i]
  );
  return goesOn
    ? dividedLike(pieces, redactor.redact(joined), separator)
    : undefined;
}

/**
 * Returns a function that names the masked keys of one record. Equal keys get the same name; a name
 * that a different key has already is numbered.
 */
function keyNames(): (key: string, masked: string) => string {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  return (key, masked) => {
    let name = names.get(key);
    if (name !== undefined) return name;
    name = masked;
    let number = names.size;
    while (taken.has(name)) name = numbered(masked, ++number);
    taken.add(name);
    names.set(key, name);
    return name;
  };
}

/** The name of the member with command output. */
export const CHUNK = "chunk";

/** The names of members with base64. */
const BASE64_NAMES: ReadonlySet<string> = new Set([CHUNK, "raw_base64"]);

/** The characters of a list of numbers. */
const LIST = characterSet(/[\d, ]/);

/**
 * Redacts command output that is written as a list of numbers: as a text with one character per
 * byte. Returns the end of the list, and its replacement if a secret was masked; `undefined` if
 * there is no list of bytes at `start`.
 */
function redactList(
  text: string,
  start: number,
  redact: (bytes: string) => string,
): { readonly end: number; readonly text: string | undefined } | undefined {
  if (text.charAt(start) !== "[") return undefined;
  const end = endOfRun(text, start + 1, LIST) + 1;
  const bytes = bytesOfList(parseJson(text.slice(start, end)));
  if (bytes === undefined) return undefined;
  const before = latin1OfBytes(bytes);
  const redacted = redact(before);
  const list = redacted === before
    ? undefined
    : JSON.stringify(Array.from(redacted, (letter) => letter.charCodeAt(0)));
  return { end, text: list };
}

/** The member with a name for the member after it: `{"name": "FOO_TOKEN", "value": "…"}`. */
const PAIR_NAME_REGEXP = /(?:key|name)$/i;
/** The end of the name of the member after it. */
const PAIR_VALUE = "alue";
/** The member of a `line.failed` record with the text of the line (see `LineFailed`). */
const RAW = "raw";
const FLAG_REGEXP = /^--?[\w-]{3,64}$/;
/** The name of a program, with which a list of arguments begins. */
const PROGRAM_REGEXP = /^[\w./-]{1,64}$/;
/** The maximum length of a list of arguments. */
const MAX_COMMAND = 1000;

/**
 * Masks the secrets in a JSON text, as {@linkcode JsonlRedactor} does in lines. Strings are
 * redacted without their escapes, and only those with a secret are written anew.
 *
 * @param text One JSON value.
 * @param redactor Masks and counts the secrets.
 * @returns The text with its secrets masked; unchanged if there are none.
 *
 * @example A value of which only a string changes
 * ```ts
 * import { redactJson, Redactor } from "@codexpipe/codexpipe/redact";
 * import { assertEquals } from "@std/assert";
 *
 * const redactor = new Redactor();
 *
 * assertEquals(
 *   redactJson('{"n":1.0,"password":"swordfish"}', redactor),
 *   '{"n":1.0,"password":"[redacted:password]"}',
 * );
 * ```
 */
export function redactJson(text: string, redactor: Redactor): string {
  return redactRecord(text, redactor);
}

/**
 * Redacts the strings of a JSON text.
 *
 * @param maskPiece Returns the masked string of a member, by its name and value, if the string was
 *   redacted before as a piece of a longer text.
 */
export function redactRecord(
  text: string,
  redactor: Redactor,
  maskPiece?: (name: string, value: string) => string | undefined,
): string {
  const redact = (text: string) => redactor.redact(text);
  let nameOf: ReturnType<typeof keyNames> | undefined;
  const maskedKey = (key: string): string => {
    const masked = redact(key);
    if (!masked.includes(PLACEHOLDER)) return masked;
    nameOf ??= keyNames();
    return nameOf(key, masked);
  };
  const edits: Edit[] = [];
  const runs = new Runs(text, redactor);
  /** The last string: the key whose value starts at `valueStart`, or another string. */
  let name = "";
  let valueStart = -1;
  /** The end of the last string. */
  let last = -1;
  /** The name and the value of the member before, until a key follows that is not a value's. */
  let before: { readonly name: string; readonly value: string } | undefined;
  for (let start = 0; (start = text.indexOf('"', start)) !== -1;) {
    const quote = closingQuote(text, start);
    if (quote === -1) break;
    const end = quote + 1;
    const colon = endOfRun(text, end, JSON_SPACE);
    const isKey = text.charAt(colon) === ":";
    // In a list of arguments, a flag is the name of the string after it.
    const isNamed = !isKey && (valueStart === start ||
      FLAG_REGEXP.test(name) && isNext(text, last, start));
    const value = stringAt(text, start, end);
    const known = isNamed ? maskPiece?.(name, value) : undefined;
    const isElement = !isKey && valueStart !== start;
    let memberName = isNamed ? name : undefined;
    if (isKey) {
      if (!value.endsWith(PAIR_VALUE)) before = undefined;
    } else {
      if (
        before !== undefined && !isElement && PAIR_NAME_REGEXP.test(before.name)
      ) memberName = before.value;
      before = isElement ? undefined : { name, value };
    }
    if (known === undefined && (isElement || !isKey && GAPS.has(name))) {
      const edit: Edit = { start, end };
      edits.push(edit);
      runs.add(isElement ? "" : name, { edit, name: memberName, value });
    } else {
      const masked = known ??
        (isKey ? maskedKey(value) : maskedValue(memberName, value, redactor));
      if (masked !== value) {
        edits.push({ start, end, text: stringText(masked) });
      }
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
    edits.push({ start, ...chunk });
    start = chunk.end;
  }
  runs.end();
  let redacted = "";
  let from = 0;
  for (const { start, end, text: edited } of edits) {
    if (edited === undefined) continue;
    redacted += text.slice(from, start) + edited;
    from = end;
  }
  return from === 0 ? text : redacted + text.slice(from);
}

/**
 * Masks the secrets in a string of a JSON text, which may itself be JSON.
 *
 * @param value The string without quotes and escapes. It is treated as a value without a key.
 * @param redactor Masks and counts the secrets.
 * @returns The string with its secrets masked; unchanged if there are none.
 *
 * @example Arguments of a call
 * ```ts
 * import { redactJsonString, Redactor } from "@codexpipe/codexpipe/redact";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   redactJsonString('{"password":"sword\\u0066ish"}', new Redactor()),
 *   '{"password":"[redacted:password]"}',
 * );
 * ```
 */
export function redactJsonString(value: string, redactor: Redactor): string {
  return maskedValue(undefined, value, redactor);
}

/** Masks the secrets in a string, which may be JSON or base64; `name` is that of its member. */
function maskedValue(
  name: string | undefined,
  value: string,
  redactor: Redactor,
): string {
  if (name !== undefined && BASE64_NAMES.has(name)) {
    const bytes = latin1OfBase64(value) ?? "";
    const redacted = redactor.redact(bytes);
    if (redacted !== bytes) return btoa(redacted);
  }
  // A failed line is mostly JSON that was cut off, whose strings can still be found.
  const inside = name === RAW || isJson(value)
    ? redactRecord(value, redactor)
    : value;
  return name === undefined
    ? redactor.redact(inside)
    : redactor.redactMember(name, inside);
}

/** The replacement of a string, or of a list of numbers. */
interface Edit {
  readonly start: number;
  readonly end: number;
  /** The new text, once it is known; `undefined` if the text stays. */
  text?: string | undefined;
}

interface RunPiece {
  readonly edit: Edit;
  readonly name: string | undefined;
  /** The string, without quotes and escapes. */
  readonly value: string;
}

/**
 * The separators of texts that are split into consecutive members of a name: histories keep output
 * in chunks, and messages in lines.
 */
const GAPS: ReadonlyMap<string, string> = new Map([
  ["content", ""],
  ["delta", ""],
  ["text", "\n"],
]);

/** Consecutive strings of a list, or of the objects in it, which are redacted as one text. */
class Runs {
  readonly #text: string;
  readonly #redactor: Redactor;
  #name = "";
  #pieces: RunPiece[] = [];

  constructor(text: string, redactor: Redactor) {
    this.#text = text;
    this.#redactor = redactor;
  }

  /** Adds a string: a member with a name, or an element of a list with an empty one. */
  add(name: string, piece: RunPiece): void {
    const before = this.#pieces.at(-1)?.edit;
    if (
      before === undefined || name !== this.#name ||
      !this.#isNext(name, before.end, piece.edit.start)
    ) this.end();
    this.#name = name;
    this.#pieces.push(piece);
  }

  /** Masks the strings, and secrets that continue from one to the next, and ends the run. */
  end(): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    const masked = pieces.length < 2
      ? undefined
      : this.#maskedTogether(pieces.map(({ value }) => value));
    pieces.forEach(({ edit, name, value }, i) => {
      const now = maskedValue(name, masked?.[i] ?? value, this.#redactor);
      if (now !== value) edit.text = stringText(now);
    });
  }

  /** Masks strings as one text; returns `undefined` if no secret continues in the next one. */
  #maskedTogether(texts: readonly string[]): readonly string[] | undefined {
    const gap = GAPS.get(this.#name) ?? "\n";
    const command = this.#name === "" ? texts.join(" ") : "";
    const isCommand = command.length <= MAX_COMMAND &&
      PROGRAM_REGEXP.test(texts[0] ?? "") && mayBeCommand(command);
    const masked = isCommand
      ? redactedPieces(texts, " ", this.#redactor)
      : undefined;
    return masked ??
      (gap === "" || mayGoOn(texts)
        ? redactedPieces(texts, gap, this.#redactor)
        : undefined);
  }

  #isNext(name: string, end: number, start: number): boolean {
    if (name === "") return isNext(this.#text, end, start);
    if (start - end > MAX_GAP) return false;
    const between = this.#text.slice(end, start);
    const borders = between.split("]").length - 1;
    return borders === 0 || borders === 1 && name === "text";
  }
}

/** The maximum distance between the strings of one text in the record. */
const MAX_GAP = 1000;

/** Returns whether a text is a JSON object or list with strings in it. */
function isJson(text: string): boolean {
  return /^[ \t\r\n]{0,64}[[{]/.test(text) && text.includes('"') &&
    parseJson(text) !== undefined;
}

/** Returns whether only a comma separates two strings, as in a list. */
function isNext(text: string, end: number, start: number): boolean {
  const comma = endOfRun(text, end, JSON_SPACE);
  return text.charAt(comma) === "," &&
    endOfRun(text, comma + 1, JSON_SPACE) === start;
}

/** Returns the value of a string; its text between the quotes, if that is not valid JSON. */
function stringAt(text: string, start: number, end: number): string {
  const inside = text.slice(start + 1, end - 1);
  if (!inside.includes("\\")) return inside;
  const value = parseJson(text.slice(start, end));
  return typeof value === "string" ? value : inside;
}

/** The length of pieces to escape: `JSON.stringify` aborts the process at 2^27 characters. */
const PIECE = 1 << 20;

function stringText(value: string): string {
  let text = '"';
  for (let at = 0; at < value.length; at += PIECE) {
    text += JSON.stringify(value.slice(at, at + PIECE)).slice(1, -1);
  }
  return `${text}"`;
}

/**
 * Secrets out of the text of one record: its strings are looked at as what they mean, and
 * written anew only where one held a secret.
 */

import { MaskedKeys } from "./_masked_keys.ts";
import {
  BASE64_NAMES,
  CHUNK,
  redactBase64,
  redactList,
} from "./_output_chunks.ts";
import { PLACEHOLDER } from "./_placeholder.ts";
import { endOfRun, JSON_SPACE } from "./_runs.ts";
import type { Redactor } from "./redactor.ts";

/** The member of a failed line's record that holds the line (see `LineFailed`). */
const RAW = "raw";
const FLAG_REGEXP = /^--[\w-]{3,64}$/;

/**
 * Redacts the strings of a JSON text.
 *
 * @param text One JSON value.
 * @param redactor Masks the secrets.
 * @returns The text without the secrets; the same one if there are none.
 */
export function redactRecordText(text: string, redactor: Redactor): string {
  const redact = (text: string) => redactor.redact(text);
  let keys: MaskedKeys | undefined;
  const maskedKey = (key: string): string => {
    const masked = redact(key);
    if (!masked.includes(PLACEHOLDER)) return masked;
    keys ??= new MaskedKeys();
    return keys.nameOf(key, masked);
  };
  let redacted = "";
  let from = 0;
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
    const isNamed = valueStart === start ||
      FLAG_REGEXP.test(name) && isNext(text, last, start);
    const value = stringAt(text, start, end);
    const masked = isKey
      ? maskedKey(value)
      : isNamed
      ? redactNamed(name, value, redactor)
      : redact(redactInside(value, redactor));
    if (masked !== value) {
      redacted += text.slice(from, start) + stringText(masked);
      from = end;
    }
    name = value;
    start = end;
    last = end;
    if (!isKey) continue;
    valueStart = endOfRun(text, colon + 1, JSON_SPACE);
    start = valueStart;
    if (name !== CHUNK) continue;
    const chunk = redactList(text, valueStart, redact);
    if (chunk === undefined) continue;
    if (chunk.list !== undefined) {
      redacted += text.slice(from, valueStart) + chunk.list;
      from = chunk.end;
    }
    start = chunk.end;
  }
  return from === 0 ? text : redacted + text.slice(from);
}

/**
 * Redacts a line that is no JSON: the strings in it, then all of it as text.
 *
 * @param text The line.
 * @param redactor Masks the secrets.
 * @returns The line without the secrets; the same one if there are none.
 */
export function redactTornText(text: string, redactor: Redactor): string {
  return redactor.redact(redactRecordText(text, redactor));
}

/** Redacts a string that has a name: what it is called, and how it is written. */
function redactNamed(name: string, value: string, redactor: Redactor): string {
  if (BASE64_NAMES.has(name)) {
    const decoded = redactBase64(value, (bytes) => redactor.redact(bytes));
    if (decoded !== undefined) return decoded;
  }
  // A line that failed is mostly JSON that was cut, which says its strings all the same.
  const inside = name === RAW
    ? redactRecordText(value, redactor)
    : redactInside(value, redactor);
  return redactor.redactMember(name, inside);
}

/** Redacts the strings of the JSON that a string holds, as arguments of calls have it. */
function redactInside(value: string, redactor: Redactor): string {
  return isJson(value) ? redactRecordText(value, redactor) : value;
}

/** Whether a text is a JSON object or list with strings in it. */
function isJson(text: string): boolean {
  if (!/^[ \t\r\n]{0,64}[[{]/.test(text) || !text.includes('"')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
  try {
    const value: unknown = JSON.parse(text.slice(start, end));
    return String(value);
  } catch {
    return inside;
  }
}

/** A longer text is escaped in pieces: `JSON.stringify` ends the process at 2^27 characters. */
const PIECE = 1 << 20;

/** The JSON text of a string. */
function stringText(value: string): string {
  let text = '"';
  for (let at = 0; at < value.length;) {
    let end = Math.min(value.length, at + PIECE);
    // Both halves of a pair stay together.
    if (isHighSurrogate(value.charCodeAt(end - 1)) && end < value.length) {
      end += 1;
    }
    text += JSON.stringify(value.slice(at, end)).slice(1, -1);
    at = end;
  }
  return `${text}"`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

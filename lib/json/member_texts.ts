/**
 * The members of an object in a JSON text, as the text spells them.
 *
 * @module
 */

import { JsonReader } from "./reader.ts";
import { ownText } from "./utf8.ts";
import { type JsonNode, JsonSlice } from "./value.ts";

const ENCODER = new TextEncoder();
/**
 * A reader keeps the last text alive, so longer texts (in UTF-16 units) get a reader of their own.
 */
const KEPT_LENGTH = 1 << 16;
/**
 * The shared reader. It takes 30 KB, which a new one for each call would leave as garbage. Created
 * on first use.
 */
let keptReader: JsonReader | undefined;

/**
 * Finds an object in a JSON text and returns the texts of its members. They keep what `JSON.parse`
 * loses: the digits of large numbers, `1.0`, and the order of keys like `"10"`.
 *
 * @param path The names that lead from the value of the text to the object.
 * @returns The texts by name, in order. Of a duplicate name, the last text, at the place of the
 *   first. Empty if the text is not JSON or has no object there.
 */
export function memberTexts(
  text: string,
  path: readonly string[] = [],
): Map<string, string> {
  const texts = new Map<string, string>();
  const reader = text.length > KEPT_LENGTH
    ? new JsonReader(1)
    : keptReader ??= new JsonReader(1);
  const bytes = ENCODER.encode(text + "\n");
  let node: JsonNode | undefined = reader.read(bytes, 0, bytes.length - 1);
  for (const name of path) node = reader.members(node).get(name);
  for (const [name, value] of reader.members(node)) {
    if (value instanceof JsonSlice) texts.set(name, reader.source(value));
  }
  return texts;
}

/**
 * Returns the text of one member without reading the whole text. Succeeds only if the member is an
 * array or an object, and no other member anywhere in the text has its name.
 *
 * @param text The JSON text.
 * @param name The name of the member, wherever it is: letters and `_`.
 * @returns The text of the member; `undefined` if the text must be read.
 */
export function soleMemberText(text: string, name: string): string | undefined {
  const key = `"${name}":`;
  const at = text.indexOf(key);
  const start = at + key.length;
  // A key that follows a backslash is the end of a longer name.
  const isSole = at > 0 && text[at - 1] !== "\\" && !text.includes(key, start);
  return isSole && (text[start] === "{" || text[start] === "[") &&
      !OTHER_NAME_REGEXP.test(text)
    ? ownText(text.slice(start, endOfValue(text, start)))
    : undefined;
}

/**
 * Matches a key that may be spelled differently: with an escaped letter, or a space before the
 * colon.
 */
const OTHER_NAME_REGEXP = /\\u00[4-7]|"\s+:/;

/**
 * Returns the index behind the JSON value at `start`; the length of the text if the value does not
 * end. A value that is no string, array or object ends at `,` or `)`.
 */
export function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth <= 0) return at + 1;
    } else if (depth === 0 && (char === "," || char === ")")) return at;
    at += 1;
  }
  return text.length;
}

/**
 * Returns the index behind the string at `start`, which may use any quote; the length of the text
 * if it does not end.
 */
export function endOfString(text: string, start: number): number {
  const end = closingQuote(text, start);
  return end === -1 ? text.length : end + 1;
}

/** Returns the index of the quote that ends the string at `start`; -1 if it does not end. */
export function closingQuote(text: string, start: number): number {
  const quote = text[start] ?? "";
  for (let end = text.indexOf(quote, start + 1); end !== -1;) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf(quote, end + 1);
  }
  return -1;
}

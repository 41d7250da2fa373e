/**
 * The members of an object inside a JSON text, as they are spelled.
 *
 * @module
 */

import { JsonReader } from "./reader.ts";
import { ownText } from "./utf8.ts";
import { type JsonNode, JsonSlice } from "./value.ts";

const ENCODER = new TextEncoder();
/** A reader keeps the last text, so that of longer ones is made anew. */
const KEPT_LENGTH = 1 << 16;
/** Made when it is needed: it takes 30 KB, of which each call would make garbage. */
let keptReader: JsonReader | undefined;

/**
 * Finds an object in a JSON text and gives the texts of its members: what `JSON.parse` does
 * not tell, such as the digits of large numbers, `1.0`, and the order of keys like `"10"`.
 *
 * @param path The names that lead from its value to the object.
 * @returns The texts by name, in order; of a name that comes twice the last, at the place of
 *   the first. None if the text is no JSON, or no object is there.
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
  for (const name of path) {
    node = node === undefined ? undefined : reader.members(node).get(name);
  }
  if (node === undefined) return texts;
  const members = reader.members(node);
  for (let place = 0; place < members.size; place++) {
    const value = members.valueAt(place);
    if (!(value instanceof JsonSlice)) continue;
    texts.set(members.nameAt(place), reader.source(value));
  }
  return texts;
}

/**
 * Gives what {@linkcode memberTexts} does of one member, where a look is enough: that is a list or
 * an object, and no other member in the text has its name.
 *
 * @param text The JSON text.
 * @param name The name of the member, wherever it is: letters and `_`.
 * @returns The text of the member; `undefined` if that takes more than a look.
 */
export function soleMemberText(text: string, name: string): string | undefined {
  const key = `"${name}":`;
  const at = text.indexOf(key);
  const start = at + key.length;
  // Behind a backslash, it is the end of another name.
  const isSole = at > 0 && text[at - 1] !== "\\" && !text.includes(key, start);
  return isSole && (text[start] === "{" || text[start] === "[") &&
      !OTHER_NAME_REGEXP.test(text)
    ? ownText(text.slice(start, endOfValue(text, start)))
    : undefined;
}

/** A name that may be spelled in another way: with an escaped letter, or a space behind it. */
const OTHER_NAME_REGEXP = /\\u00[4-7]|"\s+:/;
/** Gives where a JSON value ends, if it is one. */
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

/** Gives the end of a string, whatever quote it begins with. */
export function endOfString(text: string, start: number): number {
  const quote = text[start] ?? "";
  for (let end = text.indexOf(quote, start + 1); end !== -1;) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
    end = text.indexOf(quote, end + 1);
  }
  return text.length;
}

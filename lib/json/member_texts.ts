/**
 * The members of an object inside a JSON text, as they are spelled.
 *
 * @module
 */

import { JsonReader } from "./reader.ts";
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

/**
 * Writes JSON objects member by member, values as their source text.
 */

import { CLOSE_BRACE, COLON, COMMA, OPEN_BRACE } from "./bytes.ts";
import type { ByteWriter } from "./byte_writer.ts";
import { type JsonNode, JsonObject, JsonString } from "./value.ts";

const ENCODER = new TextEncoder();
/** Keys are few in a stream that Codex wrote; of more, the later ones are not kept. */
const MAX_KEYS = 1024;
const MAX_KEY_LENGTH = 64;
const KEYS = new Map<string, Uint8Array>();

/**
 * Writes a key with minimal escaping, its colon, and the comma before it if it is not the
 * first.
 */
export function writeKey(out: ByteWriter, name: string): void {
  if (out.last !== OPEN_BRACE) out.byte(COMMA);
  let key = KEYS.get(name);
  if (key === undefined) {
    if (KEYS.size === MAX_KEYS || name.length > MAX_KEY_LENGTH) {
      out.string(name);
      out.byte(COLON);
      return;
    }
    key = ENCODER.encode(`${JSON.stringify(name)}:`);
    KEYS.set(name, key);
  }
  out.all(key);
}

/** Writes a value: its source text, or what was put together. */
export function writeNode(out: ByteWriter, node: JsonNode): void {
  if (node instanceof JsonObject) {
    out.byte(OPEN_BRACE);
    writeMembers(out, node);
    out.byte(CLOSE_BRACE);
  } else if (node instanceof JsonString) out.string(node.text);
  else out.range(node.bytes, node.start, node.end);
}

/** Writes the members of an object, in their order, without its braces. */
export function writeMembers(out: ByteWriter, object: JsonObject): void {
  for (let place = 0; place < object.size; place++) {
    const value = object.valueAt(place);
    if (value === undefined) continue;
    writeKey(out, object.nameAt(place));
    writeNode(out, value);
  }
}

/** Writes JSON objects member by member, with the source text of their values. */

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
} from "./bytes.ts";
import { ByteWriter } from "./byte_writer.ts";
import { sliceAt } from "./literal.ts";
import {
  JsonList,
  type JsonNode,
  JsonObject,
  type JsonSlice,
} from "./value.ts";

/**
 * Writes a key with the fewest possible escapes and its colon, after a comma unless it is the
 * first.
 */
export function writeKey(out: ByteWriter, name: string): void {
  if (out.last !== OPEN_BRACE) out.byte(COMMA);
  out.string(name);
  out.byte(COLON);
}

/** Writes a value: its source text, or the text of a composed value. */
export function writeNode(out: ByteWriter, node: JsonNode): void {
  if (node instanceof JsonObject) {
    out.byte(OPEN_BRACE);
    writeMembers(out, node);
    out.byte(CLOSE_BRACE);
  } else if (node instanceof JsonList) {
    out.byte(OPEN_BRACKET);
    for (const [place, each] of node.nodes.entries()) {
      if (place > 0) out.byte(COMMA);
      writeNode(out, each);
    }
    out.byte(CLOSE_BRACKET);
  } else out.range(node.bytes, node.start, node.end);
}

/** Writes the members of an object, in order, without its braces. */
export function writeMembers(out: ByteWriter, object: JsonObject): void {
  for (let place = 0; place < object.size; place++) {
    const value = object.valueAt(place);
    if (value === undefined) continue;
    writeKey(out, object.nameAt(place));
    writeNode(out, value);
  }
}

/** Makes an array of values as one JSON text, so that it can be read like a value of the source. */
export function listValue(nodes: readonly JsonNode[]): JsonSlice {
  const out = new ByteWriter(256);
  writeNode(out, new JsonList(nodes));
  return sliceAt(out.view());
}

/** Writes JSON objects member by member, values as their source text. */

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "./bytes.ts";
import { ByteWriter } from "./byte_writer.ts";
import { sliceOf } from "./literal.ts";
import {
  JsonJoined,
  JsonList,
  type JsonNode,
  JsonObject,
  type JsonSlice,
  JsonString,
} from "./value.ts";

/**
 * Writes a key with minimal escaping, its colon, and the comma before it if it is not the
 * first.
 */
export function writeKey(out: ByteWriter, name: string): void {
  if (out.last !== OPEN_BRACE) out.byte(COMMA);
  out.string(name);
  out.byte(COLON);
}

/** Writes a value: its source text, or what was put together. */
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
  } else if (node instanceof JsonJoined) writeJoined(out, node);
  else if (node instanceof JsonString) out.string(node.text);
  else out.range(node.bytes, node.start, node.end);
}

/** Writes a string of several, each as it is spelled. */
function writeJoined(out: ByteWriter, { parts, between }: JsonJoined): void {
  const separator = JSON.stringify(between).slice(1, -1);
  out.byte(QUOTE);
  for (const [place, { bytes, start, end }] of parts.entries()) {
    if (place > 0) out.text(separator);
    out.range(bytes, start + 1, end - 1);
  }
  out.byte(QUOTE);
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

/** Makes a list of values that can be read. */
export function listOf(nodes: readonly JsonNode[]): JsonSlice {
  const out = new ByteWriter(256);
  writeNode(out, new JsonList(nodes));
  return sliceOf(out.view(), "array");
}

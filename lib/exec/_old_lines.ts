/**
 * What the rewriting of the old dialect puts lines together with.
 */

import type { LineProblem } from "../errors.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "../json/bytes.ts";
import { sliceOf, wordValue } from "../json/literal.ts";
import { writeNode } from "../json/object_writer.ts";
import { type JsonNode, JsonObject, type JsonSlice } from "../json/value.ts";

/** The type of a rewritten line, or why it cannot be rewritten. */
export type Rewritten = string | LineProblem;

/** The values of item types; there are as many as rules name. */
const TYPE_VALUES = new Map<string, JsonSlice>();

/** The JSON string of an item type. */
export function typeValue(itemType: string): JsonSlice {
  let value = TYPE_VALUES.get(itemType);
  if (value === undefined) {
    value = wordValue(itemType);
    TYPE_VALUES.set(itemType, value);
  }
  return value;
}

/** Sets a member to an object that holds one text. */
export function setText(
  line: JsonObject,
  name: string,
  field: string,
  text: JsonNode | undefined,
): void {
  const object = new JsonObject();
  if (text !== undefined) object.set(field, text);
  line.set(name, object);
}

/** Makes a list of objects. */
export function listOf(objects: readonly JsonObject[]): JsonSlice {
  const out = new ByteWriter(256);
  out.byte(OPEN_BRACKET);
  for (const object of objects) {
    if (out.length > 1) out.byte(COMMA);
    writeNode(out, object);
  }
  out.byte(CLOSE_BRACKET);
  return sliceOf(out.view(), "array");
}

/** The problem of a message that is not what its type asks for. */
export function refused(field: string, state: string): LineProblem {
  return {
    kind: "typed",
    message: `Cannot decode a message of the old dialect: ${field} is ${state}`,
    field,
  };
}

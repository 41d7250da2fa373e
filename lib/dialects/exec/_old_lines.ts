/**
 * What the rewriting of the old dialect puts lines together with.
 */

import type { FailureReason } from "../../errors.ts";
import { wordValue } from "../../json/literal.ts";
import { type JsonNode, JsonObject, type JsonSlice } from "../../json/value.ts";

/** The type of a rewritten line, or why it cannot be rewritten. */
export type Rewritten = string | FailureReason;

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

/** Why a message failed that is not what its type asks for. */
export function refused(field: string, state: string): FailureReason {
  return {
    kind: "typed",
    message: `Cannot decode a message of the old dialect: ${field} is ${state}`,
    field,
  };
}

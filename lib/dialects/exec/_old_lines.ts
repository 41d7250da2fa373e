/**
 * What the rewriting of the old dialect puts lines together with; items are called `item_0`,
 * `item_1`, and so on.
 */

import type { FailureReason } from "../../errors.ts";
import { QUOTE, ZERO } from "../../json/bytes.ts";
import { sliceOf, wordValue } from "../../json/literal.ts";
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

const PREFIX = new TextEncoder().encode('"item_');
const ITEM_ID_REGEXP = /^item_(\d{1,15})$/;

/** The id of an item. */
export function itemId(item: number): string {
  return `item_${item}`;
}

/** The number of the item that has an id; nothing, if it is no such id. */
export function itemOf(id: unknown): number | undefined {
  if (typeof id !== "string") return undefined;
  const [, item] = ITEM_ID_REGEXP.exec(id) ?? [];
  return item === undefined ? undefined : Number(item);
}

/**
 * The id of an item as a value.
 *
 * The engine keeps the texts of numbers for a while; with one for each line, the room for what
 * is new grew to 64 MB.
 */
export function itemIdValue(item: number): JsonSlice {
  let length = PREFIX.length + 2;
  for (let rest = item; rest >= 10; rest = Math.floor(rest / 10)) length += 1;
  const bytes = new Uint8Array(length);
  bytes.set(PREFIX);
  let at = length - 1;
  bytes[at--] = QUOTE;
  for (let rest = item; at >= PREFIX.length; rest = Math.floor(rest / 10)) {
    bytes[at--] = ZERO + rest % 10;
  }
  return sliceOf(bytes, "string");
}

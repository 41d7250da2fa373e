/**
 * The ids that items of the old dialect are given: `item_0`, `item_1`, and so on.
 */

import { QUOTE, ZERO } from "../../json/bytes.ts";
import { sliceOf } from "../../json/literal.ts";
import type { JsonSlice } from "../../json/value.ts";

const PREFIX = new TextEncoder().encode('"item_');
const ITEM_ID_REGEXP = /^item_(\d{1,15})$/;

/** The id of an item. */
export function itemId(item: number): string {
  return `item_${item}`;
}

/** The number of the item that has an id; nothing, if it is no such id. */
export function itemOf(id: unknown): number | undefined {
  const [, item] = ITEM_ID_REGEXP.exec(String(id)) ?? [];
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

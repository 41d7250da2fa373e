/**
 * Item lines: flattened, and their payloads gathered (normalize.md sections 3 and 4).
 */

import { TRUE_VALUE } from "../../json/literal.ts";
import type { JsonReader } from "../../json/reader.ts";
import { JsonObject } from "../../json/value.ts";
import type { ItemFields } from "./event_writer.ts";

/**
 * Moves the fields of a nested item to the top level, and its id under `item_id`.
 *
 * @returns Whether the item had two ids: the first one names it, the last one is left
 *   under `id` (E9).
 */
export function flatten(line: JsonObject, reader: JsonReader): boolean {
  const nested = line.get("item");
  if (nested?.kind !== "object") {
    moveId(line);
    return false;
  }
  line.take("item");
  const item = reader.members(nested);
  const innerId = item.live("id");
  const hasItemId = item.live("item_id") !== undefined;
  const first = hasItemId ? undefined : item.shadowed("id");
  // E6: `type` names the item type, unless it is null and `item_type` stands beside it.
  if (item.live("type") === undefined && item.has("item_type")) {
    item.take("type");
  } else item.rename("type", "item_type");
  line.setAll(item);
  if (first?.kind === "string") {
    line.set("item_id", first);
    dropNullId(line);
    return line.has("id");
  }
  if (!hasItemId && innerId !== undefined) {
    line.take("id");
    line.set("item_id", innerId);
  } else moveId(line);
  return false;
}

/** E7, for what is on one level: `item_id`, else `id`. */
function moveId(line: JsonObject): void {
  dropNullId(line);
  if (line.live("item_id") !== undefined) return;
  const id = line.take("id");
  if (id !== undefined) line.set("item_id", id);
}

/** E7: an `id` that does not name the item stays, unless it is null. */
export function dropNullId(line: JsonObject): void {
  if (line.get("id")?.kind === "null") line.take("id");
}

/**
 * Puts the payload of an item line under `content`, or `delta` of item.delta.
 *
 * @param payload The payload of the item type, if it is a known one.
 * @param options Whether the line is item.delta, and whether the payload has an `id`: that
 *   of the line.
 */
export function gatherPayload(
  line: JsonObject,
  payload: ItemFields | undefined,
  { isDelta, hasPayloadId }: {
    readonly isDelta: boolean;
    readonly hasPayloadId: boolean;
  },
): void {
  const name = isDelta ? "delta" : "content";
  if (isDelta && line.live("delta") === undefined) {
    // D1, D8: a line without an increment is a full picture of the item.
    if (line.live("content") !== undefined) line.rename("content", "delta");
    else {
      line.take("content");
      line.set("snapshot", TRUE_VALUE);
    }
  }
  if (payload === undefined) return;
  const value = line.live(name);
  if (value === undefined) {
    const gathered = gather(line, payload, hasPayloadId);
    if (gathered.size > 0) line.set(name, gathered);
  } else if (value.kind === "string" && payload.isText) {
    const wrapped = new JsonObject();
    wrapped.set("text", value);
    line.set(name, wrapped);
  }
}

/** S1 to S8: moves the fields that make a payload out of the line. */
function gather(
  line: JsonObject,
  { content, isText }: ItemFields,
  hasPayloadId: boolean,
): JsonObject {
  const gathered = new JsonObject();
  if (hasPayloadId) {
    const id = line.take("id");
    if (id !== undefined) gathered.set("id", id);
  }
  for (const { name, aliases, stays } of content.fields) {
    if (stays === true) continue;
    if (isText && line.live(name)?.kind !== "string") continue;
    move(line, name, gathered, name);
    if (aliases === undefined) continue;
    for (const alias of aliases) move(line, alias, gathered, name);
  }
  return gathered;
}

/** Moves a member, unless its new name is taken; nulls are dropped. */
function move(
  from: JsonObject,
  name: string,
  to: JsonObject,
  newName: string,
): void {
  const value = from.get(name);
  if (value === undefined) return;
  if (value.kind === "null") from.take(name);
  else if (!to.has(newName)) {
    from.take(name);
    to.set(newName, value);
  }
}

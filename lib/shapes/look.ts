/**
 * Walks a record along its shape: notes the parts that decide the outcome of the check, and finds
 * out whether the shape names a part.
 */

import type { JsonReader } from "../json/reader.ts";
import { type JsonNode, JsonSlice } from "../json/value.ts";
import { fits, sortOf } from "./check.ts";
import type { AnyShape, VariantShape } from "./shapes.ts";

/** The path from the top of a record to a part of it, as names and indexes. */
type Place = readonly (string | number)[];

/**
 * Reads the parts of a value that decide whether it has a shape.
 *
 * A reader that is being observed (`JsonReader.observe`) thereby notes the tags of the parts, and
 * the objects and lists that were opened. Records that agree in these get the same result from the
 * check. A part that is not read does no harm: plans then cannot prove its type, and it is checked
 * each time.
 */
export function lookAt(
  shape: AnyShape | string,
  value: JsonNode | undefined,
  reader: JsonReader,
): void {
  if (typeof shape === "string" || !(value instanceof JsonSlice)) return;
  const { kind } = value;
  switch (shape.kind) {
    case "literal":
    case "words":
      reader.wordOf(value);
      break;
    case "object": {
      if (kind !== "object") break;
      const object = reader.members(value);
      for (const { name, shape: member } of shape.members) {
        lookAt(member, object.get(name), reader);
      }
      break;
    }
    case "variant": {
      if (kind !== "object") break;
      const word = reader.wordOf(reader.members(value).get(shape.key));
      lookAt(shapeFor(shape, word), value, reader);
      break;
    }
    case "list":
      if (kind !== "array") break;
      for (const element of reader.elements(value)) {
        lookAt(shape.element, element, reader);
      }
      break;
    case "map": {
      if (kind !== "object" || shape.value.kind === "any") break;
      for (const [, member] of reader.members(value)) {
        lookAt(shape.value, member, reader);
      }
      break;
    }
    case "either":
      for (const one of shape.shapes) {
        if (sortOf(one) === kind) lookAt(one, value, reader);
      }
  }
}

/**
 * Returns whether a shape names a part of a value.
 *
 * @param value The value; it has the shape.
 * @param word The string at that path, if the shape has to name it too.
 * @returns Whether it does. Parts that the shape leaves open, such as `any`, are not named.
 */
export function isNamedPlace(
  shape: AnyShape | string,
  value: unknown,
  place: Place,
  word: unknown,
): boolean {
  if (typeof shape === "string") return false;
  const [key, ...rest] = place;
  switch (shape.kind) {
    case "variant": {
      const tag = memberOf(value, shape.key);
      if (rest.length === 0 && key === shape.key && word !== undefined) {
        return typeof tag === "string" && shape.shapes.has(tag);
      }
      return isNamedPlace(shapeFor(shape, tag), value, place, word);
    }
    case "either":
      return shape.shapes.some((one) => isNamedPlace(one, value, place, word));
    case "any":
    case "some":
      return false;
    case "literal":
    case "words":
      return key === undefined && (word === undefined || fits(shape, word));
  }
  // Where any text is allowed, a particular word is not named: nothing depends on it.
  if (key === undefined) return word === undefined;
  const inner = memberOf(value, key);
  switch (shape.kind) {
    case "object": {
      const member = shape.members.find(({ name }) => name === key);
      return member !== undefined &&
        (rest.length === 0 && word === undefined ||
          isNamedPlace(member.shape, inner, rest, word));
    }
    case "list":
      return typeof key === "number" &&
        isNamedPlace(shape.element, inner, rest, word);
    case "map":
      return isNamedPlace(shape.value, inner, rest, word);
    default:
      return false;
  }
}

function shapeFor(
  { shapes, others }: VariantShape,
  word: unknown,
): AnyShape | string {
  return (typeof word === "string" ? shapes.get(word) : undefined) ?? others;
}

/** Returns an own member of an object, or an element of a list; `undefined` for anything else. */
export function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null &&
      Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

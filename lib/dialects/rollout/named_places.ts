/**
 * Which places of lines the types of lines name.
 */

import { ROLLOUT_LINE } from "./_line_shapes.ts";
import type { AnyShape } from "./_shapes.ts";

/** A part of a line, by the names and places on the way to it. */
type Place = readonly (string | number)[];

/**
 * Says whether the types of lines name a part of one.
 *
 * @param line The line, normalized.
 * @param place The way to the part.
 * @param word The word there, if it has to be one that the types name.
 * @returns Whether they do; what they leave open, they do not name.
 */
export function isNamedPlace(
  line: unknown,
  place: Place,
  word: unknown,
): boolean {
  return isIn(ROLLOUT_LINE, line, place, word);
}

function isIn(
  shape: AnyShape,
  value: unknown,
  place: Place,
  word: unknown,
): boolean {
  switch (shape.kind) {
    case "tagged": {
      const type = memberOf(value, "type");
      const known = shape.shapes.get(String(type));
      if (place.length === 1 && place[0] === "type" && word !== undefined) {
        return known !== undefined;
      }
      return isIn(known ?? shape.open, value, place, word);
    }
    case "either":
      return shape.shapes.some((one) => isIn(one, value, place, word));
    case "any":
      return false;
    case "literal":
      return place.length === 0 && (word === undefined || word === shape.word);
  }
  const [key, ...rest] = place;
  // A word where any text may stand is passed on; nothing depends on it.
  if (key === undefined) return word === undefined;
  const inner = memberOf(value, key);
  switch (shape.kind) {
    case "object": {
      const member = shape.members.find(({ name }) => name === key);
      return member !== undefined &&
        (rest.length === 0 && word === undefined ||
          isIn(member.shape, inner, rest, word));
    }
    case "list":
      return typeof key === "number" &&
        isIn(shape.element, inner, rest, word);
    case "map":
      return isIn(shape.value, inner, rest, word);
    default:
      return false;
  }
}

function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null &&
      Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

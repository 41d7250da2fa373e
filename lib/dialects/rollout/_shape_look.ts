/**
 * Looks at those parts of a record that the check of its shape goes by.
 *
 * Who watches the reader learns so which words tell the types of its parts, and in which
 * objects and lists there are any: records that are alike there are alike to the check. What
 * is not looked at here is no harm; it is only not known to be right.
 */

import type { JsonReader } from "../../json/reader.ts";
import { type JsonNode, JsonSlice } from "../../json/value.ts";
import type { AnyShape } from "./_shapes.ts";
import { sortOf } from "./_shape_check.ts";

/** Looks at the parts of a value that say whether it is of a shape. */
export function lookAt(
  shape: AnyShape,
  value: JsonNode | undefined,
  reader: JsonReader,
): void {
  if (!(value instanceof JsonSlice)) return;
  const { kind } = value;
  switch (shape.kind) {
    case "literal":
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
    case "tagged": {
      if (kind !== "object") break;
      const type = reader.wordOf(reader.members(value).get("type"));
      lookAt(shape.shapes.get(type ?? "") ?? shape.open, value, reader);
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
      const object = reader.members(value);
      for (let place = 0; place < object.size; place++) {
        lookAt(shape.value, object.valueAt(place), reader);
      }
      break;
    }
    case "either":
      for (const one of shape.shapes) {
        if (sortOf(one) === kind) lookAt(one, value, reader);
      }
  }
}

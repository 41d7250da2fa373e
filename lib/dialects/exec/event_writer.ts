/**
 * Writes normalized events of every dialect: each known field is checked against its shape and
 * written under its own name and in its place; the unknown fields follow (normalize.md section 5,
 * O1, O2).
 */

import type { FailureReason } from "../../errors.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "../../json/bytes.ts";
import type { ByteWriter } from "../../json/byte_writer.ts";
import { stringValue, wordValue } from "../../json/literal.ts";
import { writeKey, writeMembers, writeNode } from "../../json/object_writer.ts";
import type { JsonReader } from "../../json/reader.ts";
import {
  type JsonNode,
  type JsonObject,
  type JsonSlice,
  KIND_WORDS,
} from "../../json/value.ts";
import { absentWith, expectedOf, sortOf } from "../../shapes/check.ts";
import {
  type AnyShape,
  either,
  list,
  type ListShape,
  type Member,
  type ObjectShape,
  STRING,
} from "../../shapes/shapes.ts";
import { untyped } from "../../lines/record_rules.ts";
import { shellWord } from "./command_line.ts";
import {
  EVENT_SHAPES,
  type EventType,
  ITEM_CONTENTS,
  ITEM_DELTAS,
  type KnownItemType,
  THREAD_ERROR,
  TODO_ENTRY,
} from "./events.ts";
import {
  EVENT_RULES,
  type FieldRule,
  ITEM_RULES,
  type ItemRules,
  TODO_RULES,
} from "./field_rules.ts";

/** A field: its shape and its rules. */
interface Field extends FieldRule {
  readonly name: string;
  readonly shape: AnyShape;
  /** Whether the object fails without it. */
  readonly isNeeded: boolean;
  /** The fields of its object, or of the objects in its list; without them the value is copied. */
  readonly object: ObjectFields | undefined;
}

export interface ObjectFields {
  readonly fields: readonly Field[];
  /** At least one of these fields must be present. */
  readonly oneOf: ObjectShape["oneOf"];
  /** Whether a string stands for an object with that text (normalize.md S6, D3). */
  readonly isText: boolean;
}

/** The fields of an event type, except the type itself, which is written first. */
interface EventFields {
  readonly value: JsonSlice;
  /** The fields of an event without a known item type. */
  readonly others: readonly Field[];
  /** The fields by known item type. */
  readonly items: ReadonlyMap<string, readonly Field[]>;
}

interface NamedRules {
  readonly [name: string]: FieldRule | undefined;
}

/** A command before it is written: a string or a list of words. */
const COMMAND = either(STRING, list(STRING));

/** The rules of objects in events that are rewritten, by shape; all others are copied. */
const OBJECT_RULES = new Map<AnyShape, ItemRules<NamedRules>>([
  [THREAD_ERROR, {}],
  [TODO_ENTRY, { fields: TODO_RULES }],
]);
/** The shape of the content by item type. */
const CONTENTS = new Map<string, ObjectShape>();
for (const type of Object.keys(ITEM_CONTENTS)) {
  // The boundary: `Object.keys` loses the type of the keys.
  const itemType = type as KnownItemType;
  const rules = ITEM_RULES[itemType] ?? {};
  CONTENTS.set(type, ITEM_CONTENTS[itemType]);
  OBJECT_RULES.set(ITEM_CONTENTS[itemType], rules);
  OBJECT_RULES.set(ITEM_DELTAS[itemType], rules);
}

// A stream has few types of events: tables are made on first use.
const OBJECTS = new Map<AnyShape, ObjectFields>();
const EVENT_FIELDS = new Map<EventType, EventFields>();

function fieldsOf(
  members: readonly Member[],
  rules: NamedRules = {},
): readonly Field[] {
  return members.map(({ name, shape, isOptional }) => ({
    name,
    shape,
    isNeeded: !isOptional,
    object: objectFields(shape.kind === "list" ? shape.element : shape),
    ...rules[name],
  }));
}

/** Returns the fields of an object; nothing if the object is copied. */
function objectFields(shape: AnyShape): ObjectFields | undefined {
  const rules = OBJECT_RULES.get(shape);
  if (rules === undefined || shape.kind !== "object") return undefined;
  const known = OBJECTS.get(shape);
  if (known !== undefined) return known;
  const object = {
    fields: fieldsOf(shape.members, rules.fields),
    oneOf: shape.oneOf,
    isText: rules.isText === true,
  };
  OBJECTS.set(shape, object);
  return object;
}

function eventFields(type: EventType): EventFields {
  const known = EVENT_FIELDS.get(type);
  if (known !== undefined) return known;
  const shape: AnyShape = EVENT_SHAPES[type];
  const shapes = shape.kind === "variant" ? [...shape.shapes] : [];
  const fieldsIn = (one: AnyShape | string): readonly Field[] =>
    typeof one === "object" && one.kind === "object"
      ? fieldsOf(one.members.slice(1), EVENT_RULES[type])
      : [];
  const fields: EventFields = {
    value: wordValue(type),
    others: fieldsIn(shape.kind === "variant" ? shape.others : shape),
    items: new Map(shapes.map(([itemType, one]) => [itemType, fieldsIn(one)])),
  };
  EVENT_FIELDS.set(type, fields);
  return fields;
}

/** Returns the fields of the content of an item type; nothing for an unknown type. */
export function itemFields(
  itemType: string | undefined,
): ObjectFields | undefined {
  const shape = itemType === undefined ? undefined : CONTENTS.get(itemType);
  return shape && objectFields(shape);
}

/** The largest number of item types that are cached as JSON values. */
const MAX_TYPES = 256;
const PLAIN_REGEXP = /^[\w.:-]{0,64}$/;
const TYPE_VALUES = new Map<string, JsonSlice>();

export function itemTypeValue(itemType: string): JsonSlice {
  const known = TYPE_VALUES.get(itemType);
  if (known !== undefined) return known;
  if (!PLAIN_REGEXP.test(itemType)) return stringValue(itemType);
  const value = wordValue(itemType);
  // Types of app-servers may be any word, and a new one each time: only the first ones are cached.
  if (TYPE_VALUES.size < MAX_TYPES) TYPE_VALUES.set(itemType, value);
  return value;
}

export class EventWriter {
  readonly #reader: JsonReader;
  /** The path of the field that made the last event fail. */
  #field = "";
  /** The actual value of that field and the expected one, as messages word them. */
  #state = "";

  /** @param reader The reader that the values come from. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /**
   * Writes an event.
   *
   * @param event The fields; the known ones are removed from it.
   * @param itemType The type of the item, for events of items.
   * @returns The reason of a failure; the caller then has to truncate the output.
   */
  write(
    out: ByteWriter,
    type: EventType,
    event: JsonObject,
    itemType?: string,
  ): FailureReason | undefined {
    const { value, others, items } = eventFields(type);
    const known = itemType === undefined ? undefined : items.get(itemType);
    out.byte(OPEN_BRACE);
    writeKey(out, "type");
    writeNode(out, value);
    if (!this.#members(out, event, known ?? others, "")) {
      return untyped(type, `${this.#field} is ${this.#state}`, this.#field);
    }
    out.byte(CLOSE_BRACE);
    return undefined;
  }

  #members(
    out: ByteWriter,
    object: JsonObject,
    fields: readonly Field[],
    path: string,
  ): boolean {
    for (const field of fields) {
      const { name, shape } = field;
      if (field.isPlaced === true) {
        const placed = object.get(name);
        if (placed === undefined) return this.#absent(shape, path + name);
        if (!this.#check(placed, shape, path, name)) return false;
        continue;
      }
      const value = takeLive(object, field);
      if (value !== undefined) {
        writeKey(out, name);
        if (!this.#value(out, value, field, path)) return false;
      } else if (field.default !== undefined) {
        writeKey(out, name);
        out.text(field.default);
      } else if (field.isNeeded) return this.#absent(shape, path + name);
    }
    writeMembers(out, object);
    return true;
  }

  #value(
    out: ByteWriter,
    node: JsonNode,
    { name, shape, object, isCommand }: Field,
    path: string,
  ): boolean {
    if (object !== undefined) {
      return shape.kind === "list"
        ? this.#list(out, node, shape, object, path + name)
        : this.#object(out, node, shape, object, path + name);
    }
    if (isCommand === true && node.kind !== "string") {
      return this.#command(out, node, shape, path + name);
    }
    if (!this.#check(node, shape, path, name)) return false;
    writeNode(out, node);
    return true;
  }

  #object(
    out: ByteWriter,
    node: JsonNode,
    shape: AnyShape,
    { fields, oneOf }: ObjectFields,
    path: string,
  ): boolean {
    if (node.kind !== "object") return this.#refuse(node, shape, path);
    const members = this.#reader.members(node);
    if (oneOf !== undefined && !hasOneOf(members, fields, oneOf)) {
      return this.#fail(`${path}.${oneOf[0]}`, absentWith(oneOf));
    }
    out.byte(OPEN_BRACE);
    if (!this.#members(out, members, fields, `${path}.`)) return false;
    out.byte(CLOSE_BRACE);
    return true;
  }

  #list(
    out: ByteWriter,
    node: JsonNode,
    shape: ListShape,
    object: ObjectFields,
    path: string,
  ): boolean {
    if (node.kind !== "array") return this.#refuse(node, shape, path);
    out.byte(OPEN_BRACKET);
    let place = 0;
    for (const element of this.#reader.elements(node)) {
      if (place > 0) out.byte(COMMA);
      const where = `${path}[${place}]`;
      if (!this.#object(out, element, shape.element, object, where)) {
        return false;
      }
      place += 1;
    }
    out.byte(CLOSE_BRACKET);
    return true;
  }

  /** Writes a list of words as a line, from which a shell reads the same words. */
  #command(
    out: ByteWriter,
    node: JsonNode,
    shape: AnyShape,
    path: string,
  ): boolean {
    if (node.kind !== "array") return this.#refuse(node, COMMAND, path);
    out.byte(QUOTE);
    let separator = "";
    for (const element of this.#reader.elements(node)) {
      const word = this.#reader.textOf(element);
      if (word === undefined) return this.#check(node, list(shape), path, "");
      // Written one by one, because a hostile line may have millions of words.
      const text = JSON.stringify(separator + shellWord(word));
      out.text(text.slice(1, -1));
      separator = " ";
    }
    out.byte(QUOTE);
    return true;
  }

  /** Returns whether a value that is copied has its shape. */
  #check(
    node: JsonNode,
    shape: AnyShape,
    path: string,
    name: string,
  ): boolean {
    switch (shape.kind) {
      case "any":
        return true;
      case "some":
        if (node.kind !== "null") return true;
        break;
      case "whole":
        if (node.kind === "number" && this.#reader.isWhole(node)) return true;
        break;
      case "either":
        if (shape.shapes.some((one) => sortOf(one) === node.kind)) return true;
        break;
      case "list": {
        if (node.kind !== "array") break;
        let place = 0;
        for (const element of this.#reader.elements(node)) {
          const where = `${name}[${place}]`;
          if (!this.#check(element, shape.element, path, where)) return false;
          place += 1;
        }
        return true;
      }
      case "object":
        if (node.kind !== "object") break;
        return this.#holds(this.#reader.members(node), shape, path, name);
      default:
        if (sortOf(shape) === node.kind) return true;
    }
    return this.#refuse(node, shape, path + name);
  }

  /** Returns whether an object that is copied has its members. */
  #holds(
    object: JsonObject,
    { members }: ObjectShape,
    path: string,
    name: string,
  ): boolean {
    return members.every((member) => {
      const { shape, isOptional } = member;
      const value = object.get(member.name);
      const where = `${name}.${member.name}`;
      if (value !== undefined) return this.#check(value, shape, path, where);
      return isOptional || this.#absent(shape, path + where);
    });
  }

  #refuse(node: JsonNode, shape: AnyShape, path: string): false {
    const state = `${KIND_WORDS[node.kind]}, expected ${expectedOf(shape)}`;
    return this.#fail(path, state);
  }

  #absent(shape: AnyShape, path: string): false {
    return this.#fail(path, `absent, expected ${expectedOf(shape)}`);
  }

  #fail(path: string, state: string): false {
    this.#field = path;
    this.#state = state;
    return false;
  }
}

/** Removes and returns the first live value among a field's names; removes nulls. */
export function takeLive(
  object: JsonObject,
  { name, aliases }: Field,
): JsonNode | undefined {
  let value = object.take(name);
  if (value?.kind === "null") value = undefined;
  if (aliases === undefined) return value;
  for (const alias of aliases) {
    const node = object.get(alias);
    if (node === undefined) continue;
    if (node.kind === "null") object.take(alias);
    else if (value === undefined) value = object.take(alias);
  }
  return value;
}

function hasOneOf(
  members: JsonObject,
  fields: readonly Field[],
  oneOf: readonly string[],
): boolean {
  return fields.some(({ name, aliases = [] }) =>
    oneOf.includes(name) &&
    [name, ...aliases].some((one) => members.live(one) !== undefined)
  );
}

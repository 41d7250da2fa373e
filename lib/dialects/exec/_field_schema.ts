/**
 * Makes schemas of the field tables.
 *
 * They are schemas of valibot's own sorts, so that its functions and
 * `@valibot/to-json-schema` know what to do with them.
 */

import * as v from "valibot";
import { quote } from "../../json/problems.ts";
import {
  absent,
  absentWith,
  EVENT_TYPE_WORDS,
  expectedOf,
  hasOneOf,
  isWhole,
  stateOf,
  wordState,
} from "./_field_check.ts";
import type {
  Described,
  DescribedEvent,
  DescribedItemEvent,
  Describing,
} from "./field_types.ts";
import type { FileChangeEntry, ThreadError, TodoEntry } from "./events.ts";
import {
  CHANGE_FIELDS,
  ERROR_FIELDS,
  EVENT_FIELDS,
  type EventType,
  EXPECTED,
  type Field,
  type FieldKind,
  ITEM_TYPE_ALIASES,
  PAYLOADS,
  TODO_FIELDS,
} from "./fields.ts";

/** A schema of values of type `T`. */
export type SchemaOf<T> = v.GenericSchema<unknown, T>;

type Message = (issue: v.BaseIssue<unknown>) => string;
type AnySchema = SchemaOf<unknown>;
type ItemEventType = "item.started" | "item.delta" | "item.completed";

/** A member of an object. */
interface Member {
  readonly name: string;
  readonly schema: AnySchema;
  /** What is said if it is missing. */
  readonly absent: string;
  readonly isNeeded: boolean;
}

/** All JSON but null, spelled out: JSON Schema has no shorter way to say it. */
const SOME_JSON: AnySchema = v.union([
  v.string(),
  v.number(),
  v.boolean(),
  v.looseObject({}),
  v.array(v.unknown()),
], must(EXPECTED.any));

/** Admits nothing, as a schema of objects does lists. */
const REFUSED: AnySchema = v.custom(() => false, must(EXPECTED.payload));

/** The schema of an entry of `changes`; what else it has is kept. */
export const FILE_CHANGE_ENTRY: SchemaOf<Pick<FileChangeEntry, "path">> =
  objectSchema(CHANGE_FIELDS);
/** The schema of an error. */
export const THREAD_ERROR: SchemaOf<ThreadError> = objectSchema(ERROR_FIELDS);
/** The schema of an entry of a todo list. */
export const TODO_ENTRY: SchemaOf<TodoEntry> = objectSchema(TODO_FIELDS);

/** Makes the schema of an object that a table describes. */
export function objectSchema<T, const F extends readonly Field[]>(
  fields: F & Describing<T, Described<F>>,
): SchemaOf<T> {
  return typed(openObject(fields.map(memberOf)));
}

/** Makes the schema of an object that a table describes and that has one of some fields. */
export function oneOfSchema<T, const F extends readonly Field[]>(
  fields: F & Describing<T, Described<F>>,
  oneOf: readonly string[],
): SchemaOf<T> {
  const members = fields.map(memberOf);
  const lacking = looseObject(members.map((member) => {
    const isFirst = member.name === oneOf[0];
    return isFirst
      ? { ...member, absent: absentWith(oneOf), isNeeded: true }
      : member;
  }));
  const object = openObject(
    members,
    (input) => hasOneOf(input, oneOf) ? undefined : lacking,
  );
  // valibot has no word for this; JSON Schema has.
  const anyOf = oneOf.map((name) => ({ required: [name] }));
  return typed(v.pipe(object, v.metadata({ anyOf })));
}

/** Makes the schema of an event that is not about an item. */
export function eventSchema<T, const E extends EventType>(
  type: E & Describing<T, DescribedEvent<E>>,
): SchemaOf<T> {
  const fields: readonly Field[] = EVENT_FIELDS[type];
  return typed(openObject([literal("type", type), ...fields.map(memberOf)]));
}

/** Makes the schema of an event that is about an item, of any type. */
export function itemEventSchema<T, P, const E extends ItemEventType>(
  type: E & Describing<T, DescribedItemEvent<E, P>>,
  payloads: { readonly [I in keyof P]: SchemaOf<P[I]> },
): SchemaOf<T> {
  const fields: readonly Field[] = EVENT_FIELDS[type];
  const eventOf = (itemType: Member, payload?: AnySchema): AnySchema =>
    openObject([
      literal("type", type),
      ...fields.map((field) => {
        if (field.name === itemType.name) return itemType;
        const member = memberOf(field);
        return field.kind === "payload" && payload !== undefined
          ? { ...member, schema: payload, isNeeded: true }
          : member;
      }),
    ]);
  const known = Object.entries<AnySchema>(payloads)
    .map(([name, payload]) => eventOf(literal("item_type", name), payload));
  return variantSchema("item_type", [...known, eventOf(unknownItemType())]);
}

/** Makes the schema of values that one of some schemas admits, told apart by a field. */
export function variantSchema<T>(
  key: "type" | "item_type",
  options: readonly AnySchema[],
): SchemaOf<T> {
  const message: Message = ({ input, path }) => {
    if (path === undefined) return stateOf(input, EXPECTED.payload);
    if (input === undefined) return absent(EXPECTED.string);
    if (typeof input !== "string") return stateOf(input, EXPECTED.string);
    const canonical = path[0]?.key === "item_type"
      ? ITEM_TYPE_ALIASES.get(input)
      : undefined;
    return wordState(
      input,
      canonical === undefined ? EVENT_TYPE_WORDS : quote(canonical),
    );
  };
  // The options are made in this file: objects, or variants of such.
  return typed(
    v.variant(key, options as v.VariantOptions<typeof key>, message),
  );
}

/**
 * Gives a schema the type that its table describes. {@linkcode Describing} has held the two
 * against each other; here a table is walked, and its types are lost.
 */
function typed<T>(schema: AnySchema): SchemaOf<T> {
  return schema as SchemaOf<T>;
}

function memberOf({ name, kind, required, default: text }: Field): Member {
  return {
    name,
    schema: schemaOf(kind),
    absent: absent(expectedOf(kind)),
    isNeeded: required === true || text !== undefined,
  };
}

function literal(name: string, value: string): Member {
  const expected = quote(value);
  const message: Message = ({ input }) =>
    typeof input === "string"
      ? wordState(input, expected)
      : stateOf(input, expected);
  return {
    name,
    schema: v.literal(value, message),
    absent: absent(expected),
    isNeeded: true,
  };
}

function unknownItemType(): Member {
  const others = [...PAYLOADS.keys(), ...ITEM_TYPE_ALIASES.keys()];
  const expected = EXPECTED.string;
  return {
    name: "item_type",
    schema: v.pipe(v.string(must(expected)), v.notValues(others)),
    absent: absent(expected),
    isNeeded: true,
  };
}

function schemaOf(kind: FieldKind): AnySchema {
  const message = must(expectedOf(kind));
  switch (kind) {
    case "string":
    case "command":
      return v.string(message);
    case "boolean":
      return v.boolean(message);
    case "whole":
      // valibot's own `integer` refuses the infinity that `1e400` is read as.
      return v.pipe(
        v.number(message),
        { ...v.integer(message), requirement: isWhole },
      );
    case "code":
      return v.union([v.string(), v.number()], message);
    case "any":
    case "payload":
      return SOME_JSON;
    case "changes":
      return v.array(FILE_CHANGE_ENTRY, message);
    case "error":
      return THREAD_ERROR;
    case "todos":
      return v.array(TODO_ENTRY, message);
  }
}

/**
 * Makes the schema of an object that may have more members than are known; its output is
 * its input.
 *
 * valibot's own open object takes a list for an object, and its output is a copy without
 * the members named `__proto__`, `prototype` and `constructor`.
 *
 * @param instead May give another schema to run for an object.
 */
function openObject(
  members: readonly Member[],
  instead: (input: object) => AnySchema | undefined = () => undefined,
): AnySchema {
  const object = looseObject(members);
  const check = object["~run"];
  const run: AnySchema["~run"] = (dataset, config) => {
    const input = dataset.value;
    if (Array.isArray(input)) return REFUSED["~run"](dataset, config);
    const other = typeof input === "object" && input !== null
      ? instead(input)
      : undefined;
    const result = other === undefined
      ? check.call(object, dataset, config)
      : other["~run"](dataset, config);
    return result.typed ? Object.assign(result, { value: input }) : result;
  };
  return Object.assign(object, { "~run": run });
}

function looseObject(members: readonly Member[]): AnySchema {
  const entries: Record<string, AnySchema> = {};
  const missing = new Map<unknown, string>();
  for (const member of members) {
    const { name, schema, isNeeded } = member;
    entries[name] = isNeeded ? schema : v.exactOptional(schema);
    missing.set(name, member.absent);
  }
  return v.looseObject(
    entries,
    ({ input, path }) =>
      path === undefined
        ? stateOf(input, EXPECTED.payload)
        : missing.get(path[0]?.key) ?? absent(EXPECTED.any),
  );
}

function must(expected: string): Message {
  return ({ input }) => stateOf(input, expected);
}

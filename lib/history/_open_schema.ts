/**
 * Schemas of objects that may have more fields than are known.
 *
 * @module
 */

import * as v from "valibot";

/** A schema of values of type `T`. */
export type SchemaOf<T> = v.GenericSchema<unknown, T>;

/** Admits nothing, as a schema of objects does lists. */
const REFUSED: SchemaOf<unknown> = v.custom(
  () => false,
  "Invalid type: Expected Object but received Array",
);

/**
 * Makes the schema of an object of which some fields are known.
 *
 * @param fields The schema of each field.
 * @param optional The fields that may be absent.
 */
export function open<T>(
  fields: {
    readonly [K in keyof T]-?: SchemaOf<Exclude<T[K], undefined>>;
  },
  optional: readonly (keyof T)[] = [],
): SchemaOf<T> {
  const entries: Record<string, SchemaOf<unknown>> = {};
  const absent = new Set<PropertyKey>(optional);
  for (const [name, schema] of Object.entries<SchemaOf<unknown>>(fields)) {
    entries[name] = absent.has(name) ? v.exactOptional(schema) : schema;
  }
  // The boundary: every field of the type has the schema of its type.
  return asGiven(v.looseObject(entries)) as SchemaOf<T>;
}

/**
 * Makes the schema of an object whose names are data.
 *
 * @param value The schema of each value.
 */
export function mapOf<T>(
  value: SchemaOf<T>,
): SchemaOf<{ readonly [name: string]: T }> {
  return asGiven(v.record(v.string(), value));
}

/**
 * Makes the schema of objects that a word tells apart.
 *
 * @param key The field with the word.
 * @param options The schema of each kind of object.
 */
export function variantOf<T>(
  key: string,
  options: readonly SchemaOf<T>[],
): SchemaOf<T> {
  // The boundary: all options are made of `open()` or are variants of such.
  const objects = options as unknown as v.VariantOptions<string>;
  return v.variant(key, objects) as unknown as SchemaOf<T>;
}

/**
 * Lets a schema of objects give back its very input, and take no list for an object.
 *
 * valibot's own give back a copy without the members named `__proto__`, `prototype` and
 * `constructor`.
 */
function asGiven<T>(schema: SchemaOf<T>): SchemaOf<T> {
  const check = schema["~run"];
  const run: SchemaOf<unknown>["~run"] = (dataset, config) => {
    const input = dataset.value;
    if (Array.isArray(input)) return REFUSED["~run"](dataset, config);
    const result = check.call(schema, dataset, config);
    return result.typed ? Object.assign(result, { value: input }) : result;
  };
  return Object.assign(schema, { "~run": run });
}

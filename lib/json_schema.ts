/**
 * JSON Schema of what codexpipe writes, for validators, editors and code generators.
 *
 * It is made from the valibot schemas of `@codexpipe/codexpipe/schema`, so it says the same.
 * What is known is described; what is not known is let through, as the formats are open.
 *
 * @example The schema of the events of a normalized stream
 * ```ts
 * import { jsonSchemaOf } from "@codexpipe/codexpipe/json-schema";
 * import { assertEquals } from "@std/assert";
 *
 * const schema = jsonSchemaOf("ThreadEvent");
 *
 * assertEquals(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
 * assertEquals(schema.$ref, "#/$defs/ThreadEvent");
 * ```
 *
 * @module
 */

import { toJsonSchemaDefs } from "@valibot/to-json-schema";
import { checkedWord } from "./checked.ts";
import { SCHEMAS } from "./schema.ts";
import { JSON_SCHEMA_NAMES, type JsonSchemaName } from "./schema_names.ts";

export * from "./schema_names.ts";

/** The edition of JSON Schema that is written. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

const REF_REGEXP = /^#\/\$defs\/(.+)$/;

/** A JSON Schema, with all that it refers to. */
export interface JsonSchema {
  /** The edition of JSON Schema. */
  readonly $schema: string;
  /** What it is about. */
  readonly title: string;
  /** What it admits, if that is one thing. */
  readonly $ref?: string;
  /** What it admits, if that is one of several things. */
  readonly anyOf?: readonly { readonly $ref: string }[];
  /** The schemas that are referred to, by name. */
  readonly $defs: Readonly<Record<string, unknown>>;
}

/**
 * Gives the JSON Schema of one thing that codexpipe writes.
 *
 * @param name The name of its type.
 * @returns A new schema.
 * @throws {RangeError} If there is no such type.
 *
 * @example A schema that stands by itself
 * ```ts
 * import { jsonSchemaOf } from "@codexpipe/codexpipe/json-schema";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(Object.keys(jsonSchemaOf("LineFailed").$defs), ["LineFailed"]);
 * ```
 */
export function jsonSchemaOf(name: JsonSchemaName): JsonSchema {
  return {
    $schema: DIALECT,
    title: checkedWord("name", name, JSON_SCHEMA_NAMES),
    $ref: refTo(name),
    $defs: reachableFrom([name]),
  };
}

/**
 * Gives one JSON Schema of all that codexpipe writes: a value is any of them.
 *
 * @returns A new schema.
 *
 * @example A schema for any line
 * ```ts
 * import { JSON_SCHEMA_NAMES, jsonSchemaOfAll } from "@codexpipe/codexpipe/json-schema";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(jsonSchemaOfAll().anyOf?.length, JSON_SCHEMA_NAMES.length);
 * ```
 */
export function jsonSchemaOfAll(): JsonSchema {
  return {
    $schema: DIALECT,
    title: "codexpipe",
    anyOf: JSON_SCHEMA_NAMES.map((name) => ({ $ref: refTo(name) })),
    $defs: reachableFrom(JSON_SCHEMA_NAMES),
  };
}

function refTo(name: string): string {
  return `#/$defs/${name}`;
}

/** The definitions that some of them need, in the order that they are found in. */
function reachableFrom(names: readonly string[]): Record<string, unknown> {
  const all = definitions();
  const reached = new Set(names);
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key !== "$ref" || typeof member !== "string") visit(member);
      else reached.add(REF_REGEXP.exec(member)?.[1] ?? member);
    }
  };
  // A set that grows while it is walked gives its new members too.
  for (const name of reached) visit(all[name]);
  return Object.fromEntries([...reached].map((name) => [name, all[name]]));
}

/** Every schema that has a name, as JSON Schema. */
function definitions(): Record<string, unknown> {
  const named: Parameters<typeof toJsonSchemaDefs>[0] = {};
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    if ("kind" in schema) named[name] = schema;
  }
  return toJsonSchemaDefs(named, { target: "draft-2020-12" });
}

/**
 * JSON Schema of the records and reports that codexpipe writes, for validators, editors and code
 * generators.
 *
 * It is generated from the valibot schemas of `@codexpipe/codexpipe/schema`. Known fields are
 * described; unknown ones are admitted, as the formats are open.
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

/** The edition of JSON Schema. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** A JSON Schema with the definitions of all schemas that it refers to. */
export interface JsonSchema {
  /** The edition of JSON Schema. */
  readonly $schema: string;
  /** The name of the type, or `codexpipe` for the schema of all types. */
  readonly title: string;
  /** The definition of the type, in a schema of one type. */
  readonly $ref?: string;
  /** The definitions of the types, in a schema of all types. */
  readonly anyOf?: readonly { readonly $ref: string }[];
  /** The schemas that are referred to, by name. */
  readonly $defs: Readonly<Record<string, unknown>>;
}

/**
 * Returns the JSON Schema of one type that codexpipe writes.
 *
 * @param name The name of its type.
 * @returns A new schema.
 * @throws {RangeError} If there is no such type.
 *
 * @example A schema with the only definition that it needs
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
 * Returns one JSON Schema that admits a value of any type that codexpipe writes.
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

/** Collects the definitions that the named ones refer to, in the order of their discovery. */
function reachableFrom(names: readonly string[]): Record<string, unknown> {
  const all = definitions();
  const reached = new Set(names);
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key !== "$ref" || typeof member !== "string") visit(member);
      else reached.add(member.slice(refTo("").length));
    }
  };
  // Iterating a set also visits the members that are added meanwhile.
  for (const name of reached) visit(all[name]);
  return Object.fromEntries([...reached].map((name) => [name, all[name]]));
}

/** Converts the schema of every type to JSON Schema. A map of schemas has no `kind`. */
function definitions(): Record<string, unknown> {
  const named: Parameters<typeof toJsonSchemaDefs>[0] = {};
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    if ("kind" in schema) named[name] = schema;
  }
  return toJsonSchemaDefs(named, { target: "draft-2020-12" });
}

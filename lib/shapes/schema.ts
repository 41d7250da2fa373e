/** Makes valibot schemas from shapes; JSON Schema is made from those. */

import * as v from "valibot";
import type { AnyShape, Member, ObjectShape, Shape } from "./shapes.ts";

export type SchemaOf<T> = v.GenericSchema<unknown, T>;

/**
 * One schema for each member of a type map.
 *
 * @typeParam M The type map.
 */
export type SchemasOf<M> = {
  readonly [W in keyof M]: v.GenericSchema<unknown, M[W]>;
};

const SCHEMAS = new WeakMap<AnyShape, SchemaOf<unknown>>();

/** Returns the schema of a shape; makes it on the first call. */
export function schemaOf<T>(shape: Shape<T>): SchemaOf<T> {
  let schema = SCHEMAS.get(shape);
  if (schema === undefined) SCHEMAS.set(shape, schema = newSchemaOf(shape));
  // It accepts exactly the values of the shape of `T`.
  return schema as SchemaOf<T>;
}

export function schemasOf<M>(
  shapes: { readonly [W in keyof M]: Shape<M[W]> },
): SchemasOf<M> {
  const schemas: { -readonly [W in keyof M]?: SchemaOf<M[W]> } = {};
  for (const word in shapes) schemas[word] = schemaOf(shapes[word]);
  // Every key of `M` has its schema by now.
  return schemas as SchemasOf<M>;
}

function newSchemaOf(shape: AnyShape): SchemaOf<unknown> {
  switch (shape.kind) {
    case "string":
      return v.string();
    case "number":
      return v.number();
    case "whole":
      return v.pipe(v.number(), v.integer());
    case "count":
      return v.pipe(v.number(), v.integer(), v.minValue(0));
    case "time":
      return v.pipe(v.string(), v.isoTimestamp());
    case "boolean":
      return v.boolean();
    case "null":
      return v.null();
    case "any":
      return v.unknown();
    case "some":
      // A union of all other kinds, since JSON Schema has no short form for "not null".
      return v.union([
        v.string(),
        v.number(),
        v.boolean(),
        v.looseObject({}),
        v.array(v.unknown()),
      ]);
    case "literal":
      return v.literal(shape.word);
    case "words":
      return v.picklist(shape.words);
    case "others":
      return v.pipe(v.string(), v.notValues([...shape.words]));
    case "list":
      return v.array(schemaOf(shape.element));
    case "map":
      return v.record(v.string(), schemaOf(shape.value));
    case "either":
      return v.union(shape.shapes.map((one) => schemaOf(one)));
    case "object":
      return objectSchema(shape);
    case "variant": {
      const { key, shapes, others } = shape;
      const options = [...new Set(shapes.values())].map((one) => schemaOf(one));
      if (typeof others !== "string") options.push(schemaOf(others));
      // Variants are built of object schemas or of other variants only.
      return v.variant(key, options as v.VariantOptions<string>);
    }
  }
}

function objectSchema({ members, oneOf }: ObjectShape): SchemaOf<unknown> {
  if (oneOf === undefined) return v.looseObject(entriesOf(members));
  return v.union(
    oneOf.map((needed) =>
      v.looseObject(
        entriesOf(members.map((member) =>
          member.name === needed ? { ...member, isOptional: false } : member
        )),
      )
    ),
  );
}

function entriesOf(
  members: readonly Member[],
): Record<string, SchemaOf<unknown>> {
  return Object.fromEntries(members.map(({ name, shape, isOptional }) => {
    const schema = schemaOf(shape);
    return [name, isOptional ? v.exactOptional(schema) : schema];
  }));
}

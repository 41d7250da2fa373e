/**
 * Makes schemas of shapes.
 *
 * They are built of valibot's own sorts, so that its functions and
 * `@valibot/to-json-schema` know what to do with them; what they check is what the shapes
 * say.
 */

import * as v from "valibot";
import { type Fault, fits, isObject } from "./_shape_check.ts";
import type { AnyShape, ObjectShape, Shape } from "./_shapes.ts";

/** A schema of values of type `T`. */
export type SchemaOf<T> = v.GenericSchema<unknown, T>;

const SCHEMAS = new WeakMap<AnyShape, SchemaOf<unknown>>();

/** Makes the schema of a shape. */
export function schemaOf<T>(shape: Shape<T>): SchemaOf<T> {
  // The shape is of type `T`, and the schema runs its check.
  return anySchemaOf(shape) as SchemaOf<T>;
}

function anySchemaOf(shape: AnyShape): SchemaOf<unknown> {
  let schema = SCHEMAS.get(shape);
  if (schema === undefined) {
    schema = checkedBy(shape, outlineOf(shape));
    SCHEMAS.set(shape, schema);
  }
  return schema;
}

/** Builds what a shape is of valibot's sorts. */
function outlineOf(shape: AnyShape): SchemaOf<unknown> {
  switch (shape.kind) {
    case "string":
      return v.string();
    case "number":
      return v.number();
    case "boolean":
      return v.boolean();
    case "null":
      return v.null();
    case "any":
      return v.unknown();
    case "literal":
      return v.literal(shape.word);
    case "list":
      return v.array(anySchemaOf(shape.element));
    case "map":
      return v.record(v.string(), anySchemaOf(shape.value));
    case "either":
      return v.union(shape.shapes.map(anySchemaOf));
    case "object":
      return v.looseObject(entriesOf(shape));
    case "tagged": {
      const words = [...shape.shapes.keys()].join("|");
      const other = v.regex(new RegExp(`^(?!(?:${words})$)`));
      const all = v.union([
        ...[...shape.shapes.values()].map(anySchemaOf),
        v.looseObject({
          ...entriesOf(shape.open),
          type: v.pipe(v.string(), other),
        }),
      ]);
      // Lazy, so that a JSON Schema has each union once, under `$defs`.
      return v.lazy(() => all);
    }
  }
}

function entriesOf(
  { members }: ObjectShape,
): Record<string, SchemaOf<unknown>> {
  return Object.fromEntries(members.map(({ name, shape, isOptional }) => {
    const schema = anySchemaOf(shape);
    return [name, isOptional ? v.exactOptional(schema) : schema];
  }));
}

/**
 * Gives a schema the check of a shape, and lets it give back its very input.
 *
 * valibot's own open object copies its input, leaves members named `__proto__`,
 * `prototype` and `constructor` behind, and takes a list for an object.
 */
function checkedBy<S extends SchemaOf<unknown>>(
  shape: AnyShape,
  schema: S,
): S {
  const run: SchemaOf<unknown>["~run"] = (dataset, config) => {
    const { value } = dataset;
    if (fits(shape, value)) return answerOf(dataset);
    const faults: Fault[] = [];
    fits(shape, value, faults);
    for (const { keys, message } of faults) {
      const path = pathOf(value, keys);
      v._addIssue(schema, "type", dataset, config, {
        message,
        input: path === undefined ? value : path.at(-1)?.value,
        ...(path && { path }),
      });
      if (config.abortEarly) break;
    }
    return answerOf(dataset);
  };
  return Object.assign(schema, { "~run": run });
}

/** Takes a dataset for what it has become by issues: a failure, or else a success. */
function answerOf(
  dataset: v.UnknownDataset | v.OutputDataset<unknown, v.BaseIssue<unknown>>,
): v.OutputDataset<unknown, v.BaseIssue<unknown>> {
  return dataset.issues ? dataset : { typed: true, value: dataset.value };
}

function pathOf(
  input: unknown,
  [first, ...rest]: Fault["keys"],
): [v.IssuePathItem, ...v.IssuePathItem[]] | undefined {
  if (first === undefined) return undefined;
  const item = itemOf(input, first);
  return [item, ...(pathOf(item.value, rest) ?? [])];
}

function itemOf(input: unknown, key: string | number): v.IssuePathItem {
  if (typeof key === "number") {
    const list: unknown[] = Array.isArray(input) ? input : [];
    return {
      type: "array",
      origin: "value",
      input: list,
      key,
      value: list[key],
    };
  }
  const object = isObject(input) ? { ...input } : {};
  return {
    type: "object",
    origin: "value",
    input: object,
    key,
    value: object[key],
  };
}

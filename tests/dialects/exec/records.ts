/**
 * Normalized records: captured, random, and damaged ones.
 *
 * @module
 */

import { EVENT_SHAPES } from "../../../lib/dialects/exec/events.ts";
import { type Fields, isObject } from "../../../lib/json/fields.ts";
import type { AnyShape, ObjectShape } from "../../../lib/shapes/shapes.ts";
import {
  linesOf,
  namesIn,
  readCaptures,
  readFixture,
  readJsonl,
} from "../../fixtures.ts";
import fc from "../../property_seed.ts";
import { normalizeBytes, normalizeLines } from "../../running.ts";

/** The captured outputs of `codex exec --json`, by path. */
export const CAPTURES: ReadonlyMap<string, Uint8Array<ArrayBuffer>> = new Map(
  readCaptures().map(({ path, bytes }) => [path, bytes]),
);

/** The bytes of the golden streams, by name. */
export const GOLDENS: ReadonlyMap<string, Uint8Array<ArrayBuffer>> = new Map(
  namesIn("vectors/normalize/golden/")
    .filter((name) => name.endsWith(".input.jsonl"))
    .map((name) => [name, readFixture(`vectors/normalize/golden/${name}`)]),
);

interface Vector {
  readonly input: readonly string[];
  readonly options?: { initialThreadId?: string; initialTurnId?: string };
}

/** The lines of the vectors, and the options of their normalizers. */
export const VECTORS = readJsonl(
  "vectors/normalize/vectors.jsonl",
) as readonly Vector[];

/** The texts of all normalized records of vectors and captures, each once. */
export const NORMALIZED: readonly string[] = [
  ...new Set([
    ...VECTORS.flatMap(({ input, options = {} }) =>
      normalizeLines(input, options).flatMap((outcome) =>
        outcome.ok ? [outcome.value] : []
      )
    ),
    ...[...GOLDENS.values(), ...CAPTURES.values()].flatMap((bytes) =>
      linesOf(normalizeBytes([bytes], { onError: "drop" }))
    ),
  ]),
];

/** Keys, some of them special in a plain object. */
const KEY = fc.constantFrom(
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "10",
  "",
  "text",
  "status",
  "item_type",
);

/** Any JSON value, also of types that no field has. */
const ANY_JSON: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: "records" },
      fc.constantFrom<unknown>(null, true, "", "a", 0, -1.5, 1e300, Infinity),
      fc.array(tie("value"), { maxLength: 2, depthIdentifier: "records" }),
      fc.array(fc.tuple(KEY, tie("value")), {
        maxLength: 2,
        depthIdentifier: "records",
      }).map(Object.fromEntries),
    ),
  }),
).value;

/** A value of a shape. */
function valueOf(shape: AnyShape | string): fc.Arbitrary<unknown> {
  if (typeof shape === "string") return fc.constant(shape);
  switch (shape.kind) {
    case "string":
      return fc.string({ maxLength: 3 });
    case "boolean":
      return fc.boolean();
    case "whole":
      return fc.constantFrom(0, -1, 137, 2 ** 60, Infinity, -Infinity);
    case "literal":
      return fc.constant(shape.word);
    case "either":
      return fc.constantFrom<unknown>("E", 0.5);
    case "object":
      return objectOf(shape);
    case "list":
      return fc.array(valueOf(shape.element), { maxLength: 2 });
    case "variant":
      return fc.oneof(
        ...[...shape.shapes.values(), shape.others].map(valueOf),
      );
    default:
      return ANY_JSON;
  }
}

/** An object of a shape: most members valid, some absent, some of any value. */
function objectOf({ members }: ObjectShape): fc.Arbitrary<Fields> {
  const known = members.map(({ name, shape, isOptional }) =>
    fc.oneof(
      { weight: 40, arbitrary: valueOf(shape).map((v) => [name, v]) },
      { weight: isOptional ? 20 : 1, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: ANY_JSON.map((value) => [name, value]) },
    )
  );
  const extra = fc.array(fc.tuple(KEY, ANY_JSON), { maxLength: 1 });
  return fc.tuple(fc.tuple(...known), extra).map(([known, unknown]) => ({
    ...Object.fromEntries(unknown),
    ...Object.fromEntries(known.filter((member) => member !== undefined)),
  }));
}

/** A record by the shapes, often a valid one. */
export const RECORD: fc.Arbitrary<unknown> = fc.oneof(
  ...Object.values(EVENT_SHAPES).map(valueOf),
);

/** A captured record with one value changed or removed. */
export const DAMAGED: fc.Arbitrary<unknown> = fc.tuple(
  fc.constantFrom(...NORMALIZED.filter(({ length }) => length < 2_000)),
  fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
  fc.option(ANY_JSON, { nil: undefined }),
).map(([text, path, value]) => {
  const record: unknown = JSON.parse(text);
  damage(record, path, value);
  return record;
});

/** Replaces the value at a path, or removes it if `value` is undefined. */
function damage(
  record: unknown,
  path: readonly number[],
  value: unknown,
): void {
  let at = record;
  for (const [depth, step] of path.entries()) {
    if (!isObject(at)) return;
    const names = Object.keys(at);
    const name = names[step % names.length];
    if (name === undefined) return;
    const next = at[name];
    if (depth < path.length - 1 && isObject(next)) at = next;
    else {
      if (value === undefined) Reflect.deleteProperty(at, name);
      else Reflect.set(at, name, value);
      return;
    }
  }
}

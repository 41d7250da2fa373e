/** Checks values against their shapes, and words the issues that it finds. */

import type { Issue } from "../errors.ts";
import { type Fields, isObject as isAnyObject } from "../json/fields.ts";
import { quote } from "../json/problems.ts";
import { KIND_WORDS } from "../json/value.ts";
import { Varying } from "../json/value_plan.ts";
import type { AnyShape, ObjectShape, Shape, VariantShape } from "./shapes.ts";

/**
 * The largest number of issues collected for one value: a list of millions of elements may be all
 * wrong.
 */
const MAX_ISSUES = 100;

/** The path from the top of a record to a value in it, as a linked list. */
interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

/** Collects issues. Without it, a check ends at the first one. */
type Issues = Issue[] | undefined;

/**
 * Returns whether a value has a shape.
 *
 * A model, which stands for many values and has {@linkcode Varying} where they differ, has the
 * shape only if all of those values do.
 *
 * @param issues Collects the issues, up to {@linkcode MAX_ISSUES}.
 */
export function fits<T>(
  shape: Shape<T>,
  value: unknown,
  issues?: Issues,
  path?: Path,
): value is T {
  switch (shape.kind) {
    case "any":
      return true;
    case "some": {
      const kind = kindOf(value);
      if (kind !== "null" && kind !== "none") return true;
      break;
    }
    case "string":
    case "number":
    case "boolean":
    case "null":
      if (kindOf(value) === shape.kind) return true;
      break;
    case "whole":
    case "count":
      if (typeof value !== "number" || !isWhole(value)) break;
      if (shape.kind === "whole" || value >= 0) return true;
      break;
    case "time":
      // Its form is only checked by the schemas.
      if (typeof value === "string") return true;
      break;
    case "literal":
      if (value === shape.word) return true;
      break;
    case "words":
    case "others":
      if (typeof value !== "string") break;
      if (shape.words.includes(value) === (shape.kind === "words")) return true;
      break;
    case "object":
      if (isObject(value)) return checkMembers(shape, value, issues, path);
      break;
    case "variant":
      if (isObject(value)) {
        if (value[shape.key] instanceof Varying) break;
        return checkVariant(shape, value, issues, path);
      }
      break;
    case "list":
      if (Array.isArray(value)) {
        return checkEach(shape.element, value.entries(), issues, path);
      }
      break;
    case "map":
      if (shape.value.kind === "any") {
        if (kindOf(value) === "object") return true;
      } else if (isObject(value)) {
        return checkEach(shape.value, Object.entries(value), issues, path);
      }
      break;
    case "either": {
      const kind = kindOf(value);
      const match = shape.shapes.find((one) => sortOf(one) === kind);
      if (match !== undefined) return fits(match, value, issues, path);
    }
  }
  return issue(issues, path, stateOf(value, expectedOf(shape)));
}

/** Returns whether a value is an object whose members are known. */
function isObject(value: unknown): value is Fields {
  return isAnyObject(value) && !(value instanceof Varying);
}

function checkMembers(
  { members, oneOf }: ObjectShape,
  object: Fields,
  issues: Issues,
  path: Path | undefined,
): boolean {
  let isGood = true;
  if (oneOf !== undefined && !oneOf.some((name) => name in object)) {
    const [key] = oneOf;
    isGood = issue(issues, { parent: path, key }, absentWith(oneOf));
    if (issues === undefined) return false;
  }
  for (const { name, shape, isOptional } of members) {
    const value = object[name];
    // Most members are strings; this shortcut saves a tenth of the time of a check.
    if (typeof value === "string" && shape.kind === "string") continue;
    const isAbsent = value === undefined && !(name in object);
    if (isAbsent && isOptional) continue;
    const at = issues && { parent: path, key: name };
    const isMember = isAbsent
      ? issue(issues, at, `absent, expected ${expectedOf(shape)}`)
      : fits(shape, value, issues, at);
    if (isMember) continue;
    if (issues === undefined || issues.length >= MAX_ISSUES) return false;
    isGood = false;
  }
  return isGood;
}

function checkVariant(
  { key, shapes, others }: VariantShape,
  object: Fields,
  issues: Issues,
  path: Path | undefined,
): boolean {
  const word = object[key];
  const known = typeof word === "string" ? shapes.get(word) : undefined;
  const shape = known ?? others;
  if (typeof shape !== "string") {
    return shape.kind === "object"
      ? checkMembers(shape, object, issues, path)
      : fits(shape, object, issues, path);
  }
  const state = typeof word === "string"
    ? `${quote(word)}, expected ${shape}`
    : key in object
    ? stateOf(word, KIND_WORDS.string)
    : `absent, expected ${KIND_WORDS.string}`;
  return issue(issues, { parent: path, key }, state);
}

function checkEach(
  shape: AnyShape,
  entries: Iterable<readonly [string | number, unknown]>,
  issues: Issues,
  path: Path | undefined,
): boolean {
  let isGood = true;
  for (const [key, value] of entries) {
    if (fits(shape, value, issues, issues && { parent: path, key })) continue;
    if (issues === undefined || issues.length >= MAX_ISSUES) return false;
    isGood = false;
  }
  return isGood;
}

function issue(issues: Issues, path: Path | undefined, message: string): false {
  issues?.push({ path: textOf(path), message });
  return false;
}

function textOf(path: Path | undefined): string {
  if (path === undefined) return "";
  const { parent, key } = path;
  const before = textOf(parent);
  if (typeof key === "number") return `${before}[${key}]`;
  return before === "" ? key : `${before}.${key}`;
}

/**
 * Returns whether a number is whole. A number beyond the range of a double, such as `1e400`, counts
 * as whole.
 */
function isWhole(value: number): boolean {
  return Number.isInteger(value) || Math.abs(value) === Infinity;
}

/** The kinds of values; `none` is not a JSON value. */
type Sort = keyof typeof KIND_WORDS | "none";

export function kindOf(value: unknown): Sort {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
      return Number.isNaN(value) ? "none" : "number";
    case "object":
      if (value === null) return "null";
      if (value instanceof Varying) return value.kind;
      return Array.isArray(value) ? "array" : "object";
    default:
      return "none";
  }
}

/** By kind of a shape, the kind of its values. */
const SORTS: Readonly<Record<AnyShape["kind"], Sort>> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  null: "null",
  whole: "number",
  count: "number",
  literal: "string",
  words: "string",
  others: "string",
  time: "string",
  list: "array",
  object: "object",
  map: "object",
  variant: "object",
  any: "none",
  some: "none",
  either: "none",
};

/** The kind of the values that a shape is for; `none` if there is no single one. */
export function sortOf({ kind }: AnyShape): Sort {
  return SORTS[kind];
}

/** The value that a shape expects, as messages word it. */
export function expectedOf(shape: AnyShape): string {
  switch (shape.kind) {
    case "literal":
      return quote(shape.word);
    case "boolean":
      return "true or false";
    case "whole":
      return "a whole number";
    case "count":
      return "a whole number from 0";
    case "time":
      return "a time with its zone";
    case "words":
      return shape.words.map(quote).join(" or ");
    case "either":
      return shape.shapes.map(expectedOf).join(" or ");
    case "list": {
      const sort = sortOf(shape.element);
      if (sort === "object" || sort === "string") return `a list of ${sort}s`;
    }
  }
  const sort = sortOf(shape);
  return sort === "none" ? "a value" : KIND_WORDS[sort];
}

/**
 * The message for the first of several members of which at least one is required and none is
 * present.
 */
export function absentWith([, ...others]: readonly string[]): string {
  return `absent, and so is ${others.join(", ")}, expected a string`;
}

/** Words the actual kind of a value and the expected one. */
function stateOf(value: unknown, expected: string): string {
  const kind = kindOf(value);
  const words = kind === "none" ? "no JSON value" : KIND_WORDS[kind];
  return `${
    kind === "string" && expected.startsWith('"') ? quote(String(value)) : words
  }, expected ${expected}`;
}

/**
 * Checks values by their shapes.
 *
 * The schemas are made from the same shapes and run this check; without them no schema
 * library has to be loaded.
 */

import type { Issue } from "../../errors.ts";
import { quote } from "../../json/problems.ts";
import { KIND_WORDS } from "../../json/value.ts";
import { Varying } from "../../json/varying.ts";
import type { AnyShape, ObjectShape, Shape } from "./_shapes.ts";

/** What is told of one value at most; a list of millions may have nothing right in it. */
const MAX_FAULTS = 100;

/** The members of an object; it may have any prototype, or none. */
interface Members {
  readonly [name: string]: unknown;
}

/** The way from the top of a record to a value in it. */
interface Path {
  /** The way to what holds the value. */
  readonly parent: Path | undefined;
  /** The name or place of the value there. */
  readonly key: string | number;
}

/** One complaint about a value: where in it, and what. */
export interface Fault {
  /** The names and places on the way to what is wrong. */
  readonly keys: readonly (string | number)[];
  /** What it is, and what was expected. */
  readonly message: string;
}

/**
 * Says whether a value is of a shape.
 *
 * What stands for many values ({@linkcode Varying} in it) is of the shape if all of them
 * are, whatever the strings, numbers, objects and lists are that are not told.
 *
 * @param faults Takes what is wrong with it, up to {@linkcode MAX_FAULTS}; without it, the
 *   check ends at the first fault.
 */
export function fits<T>(
  shape: Shape<T>,
  value: unknown,
  faults?: Fault[],
): value is T {
  return check(shape, value, faults, undefined);
}

/** Says what is wrong as issues do. */
export function issueOf({ keys, message }: Fault): Issue {
  let path = "";
  for (const key of keys) {
    if (typeof key === "number") path += `[${key}]`;
    else path += path === "" ? key : `.${key}`;
  }
  return { path, message };
}

/** Says whether a value is an object and no list. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null &&
    !Array.isArray(value) && !(value instanceof Varying);
}

function check(
  shape: AnyShape,
  value: unknown,
  faults: Fault[] | undefined,
  path: Path | undefined,
): boolean {
  switch (shape.kind) {
    case "any":
      return true;
    case "string":
    case "number":
    case "boolean":
    case "null":
      if (kindOf(value) === shape.kind) return true;
      break;
    case "literal":
      if (value === shape.word) return true;
      break;
    case "object":
      if (isObject(value)) return checkMembers(shape, value, faults, path);
      break;
    case "tagged":
      if (isObject(value)) {
        const { type } = value;
        if (type instanceof Varying) break;
        const known = typeof type === "string"
          ? shape.shapes.get(type)
          : undefined;
        return check(known ?? shape.open, value, faults, path);
      }
      break;
    case "list":
      if (Array.isArray(value)) {
        return checkEach(shape.element, value.entries(), faults, path);
      }
      break;
    case "map":
      if (shape.value.kind === "any") {
        if (kindOf(value) === "object") return true;
      } else if (isObject(value)) {
        return checkEach(shape.value, Object.entries(value), faults, path);
      }
      break;
    case "either": {
      const kind = kindOf(value);
      const match = shape.shapes.find((one) => sortOf(one) === kind);
      if (match !== undefined) return check(match, value, faults, path);
    }
  }
  return fault(faults, path, stateOf(value, expectedOf(shape)));
}

function checkMembers(
  { members }: ObjectShape,
  object: Members,
  faults: Fault[] | undefined,
  path: Path | undefined,
): boolean {
  let isGood = true;
  for (const { name, shape, isOptional } of members) {
    const value = object[name];
    const isAbsent = value === undefined && !(name in object);
    if (isAbsent && isOptional) continue;
    const at = faults && { parent: path, key: name };
    const isMember = isAbsent
      ? fault(faults, at, `absent, expected ${expectedOf(shape)}`)
      : check(shape, value, faults, at);
    if (isMember) continue;
    if (faults === undefined || faults.length >= MAX_FAULTS) return false;
    isGood = false;
  }
  return isGood;
}

function checkEach(
  shape: AnyShape,
  entries: Iterable<readonly [string | number, unknown]>,
  faults: Fault[] | undefined,
  path: Path | undefined,
): boolean {
  let isGood = true;
  for (const [key, value] of entries) {
    if (check(shape, value, faults, faults && { parent: path, key })) continue;
    if (faults === undefined || faults.length >= MAX_FAULTS) return false;
    isGood = false;
  }
  return isGood;
}

function fault(
  faults: Fault[] | undefined,
  path: Path | undefined,
  message: string,
): false {
  if (faults === undefined) return false;
  const keys: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) keys.push(at.key);
  faults.push({ keys: keys.reverse(), message });
  return false;
}

/** The sorts of values. */
type Sort = keyof typeof KIND_WORDS | "none";

function kindOf(value: unknown): Sort {
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

/** The sort of the values that a shape is for. */
export function sortOf(shape: AnyShape): Sort {
  switch (shape.kind) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return shape.kind;
    case "literal":
      return "string";
    case "list":
      return "array";
    case "object":
    case "map":
    case "tagged":
      return "object";
    case "any":
    case "either":
      return "none";
  }
}

/** What a value must be, as messages say it. */
function expectedOf(shape: AnyShape): string {
  if (shape.kind === "literal") return quote(shape.word);
  if (shape.kind === "any") return "a value";
  if (shape.kind === "either") return shape.shapes.map(expectedOf).join(" or ");
  const sort = sortOf(shape);
  if (sort === "boolean") return "true or false";
  return sort === "none" ? "a value" : KIND_WORDS[sort];
}

/** Says what a value is, and what was expected. */
function stateOf(value: unknown, expected: string): string {
  const kind = kindOf(value);
  const words = kind === "none" ? "no JSON value" : KIND_WORDS[kind];
  return `${
    kind === "string" && expected.startsWith('"') ? quote(String(value)) : words
  }, expected ${expected}`;
}

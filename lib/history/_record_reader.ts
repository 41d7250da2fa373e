/**
 * Reads values of records by their shapes. Absent values become `null`, `false` or empty, and
 * alternative spellings that can be recognized by themselves, such as those of file changes, become
 * the canonical one.
 *
 * @module
 */

import { durationMsOf, timestampOf, timestampOfMs } from "../events/times.ts";
import { type Fields, isObject } from "../json/fields.ts";
import { expectedOf, sortOf } from "../shapes/check.ts";
import type { AnyShape, ObjectShape } from "../shapes/shapes.ts";
import { setOwn } from "./plain_json.ts";
import {
  DURATION,
  EMPHASIS,
  FILE_CHANGE,
  FILE_CONTENT,
  INDENT,
  MARKER,
  PARSED_COMMAND,
  PARSED_LINE,
  STEP_STATUS,
  SUMMARY,
  TONE,
} from "./record_shapes.ts";
import { refuse } from "./snapshot.ts";

/** Rewrites a value to its canonical spelling; an unexpected value is returned unchanged. */
export type Rewrite = (value: unknown) => unknown;

/** The rewrites that are applied to values of some shapes before they are read. */
const SPELLINGS: ReadonlyMap<AnyShape, Rewrite> = new Map<AnyShape, Rewrite>([
  [TONE, absentAs("default")],
  [INDENT, absentAs(0)],
  [MARKER, absentAs("-")],
  [PARSED_LINE, absentAs("")],
  [FILE_CONTENT, absentAs("")],
  [EMPHASIS, (value) => value ?? {}],
  [SUMMARY, (value) => value ?? []],
  [STEP_STATUS, (value) => value === "completed" ? "complete" : value],
  [DURATION, (value) => durationMsOf(value) ?? value],
  [PARSED_COMMAND, tagInside],
  [FILE_CHANGE, canonicalChange],
]);

/**
 * Reads a value of a shape. Fields that the shape does not name are kept.
 *
 * @param shape The shape of the value.
 * @param given The parsed JSON value.
 * @param path The path of the value, for the error.
 * @throws {HistorySnapshotError} If the value does not match the shape.
 */
export function readAs(
  shape: AnyShape,
  given: unknown,
  path: string,
): unknown {
  const value = SPELLINGS.get(shape)?.(given) ?? given;
  switch (shape.kind) {
    case "any":
      return value === undefined ? null : value;
    case "boolean":
      if (value === undefined) return false;
      break;
    case "time": {
      const time = readTime(value);
      if (time !== undefined) return time;
      break;
    }
    case "words":
      if (typeof value === "string" && shape.words.includes(value)) {
        return value;
      }
      return refuse(value, path, expectedOf(shape));
    case "literal":
      if (value === shape.word) return value;
      break;
    case "either": {
      const sort = value === undefined ? "null" : sortOfValue(value);
      const one = shape.shapes.find((shape) => sortOf(shape) === sort);
      if (one?.kind === "null") return null;
      return readAs(one ?? shape.shapes[0] ?? shape, value, path);
    }
    case "list":
      if (value === undefined) return [];
      if (!Array.isArray(value)) break;
      return value.map((part: unknown, at) =>
        readAs(shape.element, part, `${path}[${at}]`)
      );
    case "map": {
      if (value !== undefined && !isObject(value)) break;
      const result: Fields = {};
      for (const [name, member] of Object.entries(value ?? {})) {
        setOwn(result, name, readAs(shape.value, member, join(path, name)));
      }
      return result;
    }
    case "object":
      if (!isObject(value)) break;
      return readObject(shape, value, path);
    case "variant": {
      if (!isObject(value)) break;
      const word = value[shape.key];
      const known = typeof word === "string"
        ? shape.shapes.get(word)
        : undefined;
      if (known !== undefined) return readAs(known, value, path);
      const words = [...shape.shapes.keys()].map((word) => `"${word}"`);
      return refuse(word, join(path, shape.key), words.join(" or "));
    }
  }
  return value !== undefined && sortOfValue(value) === sortOf(shape)
    ? value
    : refuse(value, path, expectedOf(shape));
}

function readObject(
  { members }: ObjectShape,
  value: Fields,
  path: string,
): Fields {
  const result: Fields = {};
  const known = new Set<string>();
  for (const { name, shape, isOptional } of members) {
    known.add(name);
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined && isOptional) continue;
    setOwn(result, name, readAs(shape, given, join(path, name)));
  }
  for (const [name, member] of Object.entries(value)) {
    if (!known.has(name)) setOwn(result, name, member);
  }
  return result;
}

/**
 * Reads a point in time, from RFC 3339 text with any offset, or from an object with
 * `secs_since_epoch` and `nanos_since_epoch`.
 */
export function readTime(value: unknown): string | undefined {
  if (isObject(value)) {
    const { secs_since_epoch: secs, nanos_since_epoch: nanos } = value;
    if (typeof secs === "number" && typeof nanos === "number") {
      return timestampOfMs(secs * 1000 + Math.floor(nanos / 1e6));
    }
  }
  return timestampOf(value);
}

function sortOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function absentAs(value: unknown): Rewrite {
  return (given) => given === undefined ? value : given;
}

/** Returns the path of a member. */
export function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Converts a name from PascalCase to snake_case. */
export function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

/** Returns the name and the value of the member of an object with exactly one. */
export function onlyMember(value: unknown): [string, unknown] | undefined {
  if (!isObject(value)) return undefined;
  const [member, ...others] = Object.entries(value);
  return others.length === 0 ? member : undefined;
}

/** Rewrites `{"Read": {"cmd": …}}` to `{"type": "read", "cmd": …}`. */
function tagInside(value: unknown): unknown {
  const [name, fields] = onlyMember(value) ?? [];
  if (name === undefined || !isObject(fields)) return value;
  return { type: toSnakeCase(name), ...fields };
}

/** Rewrites the spellings of a file change to `{"type": …, …}`. */
function canonicalChange(value: unknown): unknown {
  if (value === "delete") return { type: "delete" };
  const [type, fields] = onlyMember(value) ?? [];
  if (type === undefined || !isObject(fields)) return value;
  const { original_content: _before, new_content: _after, ...rest } = fields;
  return { type, ...rest };
}

/**
 * Exact counts of 64 bits, which `JSON.parse` rounds to the nearest number.
 *
 * @module
 */

import { memberTexts } from "../json/member_texts.ts";
import { type Fields, fieldsOf, isObject } from "../json/fields.ts";

const WHOLE_REGEXP = /^-?\d{1,40}$/;
/** The maximum depth of counts below the object that is passed. */
const MAX_DEPTH = 3;

/**
 * Replaces the numbers of an object that are too large for JavaScript by exact `bigint`s. Only if
 * there are any, the text of the record is read.
 *
 * @param value The object, as `JSON.parse` decoded it.
 * @param text The JSON text of the record that contains it; without it, nothing is replaced.
 * @param path The names that lead from the record to the object.
 * @returns The same object, or a copy of it with exact numbers.
 */
export function withExactCounts(
  value: Fields,
  text: string | undefined,
  path: readonly string[],
): Fields {
  if (text === undefined || !hasLargeCount(value, MAX_DEPTH)) return value;
  return exactCopy(value, text, path);
}

function hasLargeCount(value: Fields, depth: number): boolean {
  for (const name in value) {
    const each = value[name];
    if (typeof each === "number") {
      if (isLarge(each)) return true;
    } else if (depth > 0 && isObject(each) && hasLargeCount(each, depth - 1)) {
      return true;
    }
  }
  return false;
}

function exactCopy(
  value: Fields,
  text: string,
  path: readonly string[],
): Fields {
  const texts = memberTexts(text, path);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const digits = texts.get(name) ?? "";
      if (typeof each === "number") {
        const isExact = isLarge(each) && WHOLE_REGEXP.test(digits);
        return [name, isExact ? BigInt(digits) : each];
      }
      return [
        name,
        isObject(each) && hasLargeCount(each, MAX_DEPTH)
          ? exactCopy(each, text, [...path, name])
          : each,
      ];
    }),
  );
}

function isLarge(count: number): boolean {
  return Number.isInteger(count) && !Number.isSafeInteger(count);
}

/** Returns counts as plain JSON: a bigint becomes `{exact: digits}`. */
export function savedCounts(counts: unknown): unknown {
  if (!isObject(counts)) return null;
  return Object.fromEntries(
    Object.entries(counts).map(([name, each]) => [
      name,
      typeof each === "bigint" ? { exact: String(each) } : each,
    ]),
  );
}

/** Restores the counts that {@linkcode savedCounts} returned. */
export function readSavedCounts(saved: unknown): unknown {
  if (!isObject(saved)) return null;
  return Object.fromEntries(
    Object.entries(saved).map(([name, each]) => {
      const { exact } = fieldsOf(each);
      return [
        name,
        typeof exact === "string" && WHOLE_REGEXP.test(exact)
          ? BigInt(exact)
          : each,
      ];
    }),
  );
}

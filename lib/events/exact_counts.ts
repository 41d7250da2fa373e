/**
 * Counts of 64 bits, of which `JSON.parse` gives a number that is near them.
 *
 * @module
 */

import { memberTexts } from "../json/member_texts.ts";
import { type Fields, fieldsOf, isObject } from "../json/fields.ts";

const WHOLE_REGEXP = /^-?\d{1,40}$/;
/** How deep counts stand in what holds them. */
const MAX_DEPTH = 3;

/**
 * Gives the numbers of an object that are too large for JavaScript as `bigint`, from the text of
 * the record; that is only looked at if there is one.
 *
 * @param value The object, as it was decoded.
 * @param text The JSON text of the record that it stands in; without it nothing changes.
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

/** Gives counts as plain JSON: what is too large for it as text. */
export function savedCounts(counts: unknown): unknown {
  if (!isObject(counts)) return null;
  return Object.fromEntries(
    Object.entries(counts).map(([name, each]) => [
      name,
      typeof each === "bigint" ? { exact: String(each) } : each,
    ]),
  );
}

/** Reads what {@linkcode savedCounts} gave. */
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

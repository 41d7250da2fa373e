/**
 * Exact numbers: counts of 64 bits, which `JSON.parse` rounds, and arguments as they were spelled.
 */

import { memberTexts, soleMemberText } from "../json/member_texts.ts";
import { type Fields, fieldsOf, isObject } from "../json/fields.ts";

const WHOLE_REGEXP = /^-?\d{1,40}$/;
/** The maximum depth of counts below the object that is passed. */
const MAX_DEPTH = 3;

/**
 * Returns an object with exact `bigint`s in place of the numbers that are too large for JavaScript.
 * Only if there are any, the text of its record is read; `path` leads from there to the object.
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

/**
 * Returns the JSON text of the arguments of a call, if it holds more than the parsed arguments: the
 * spelling of numbers, or the order of keys. `path` leads from the record, whose text is given, to
 * the object that has them under `name`.
 */
export function argumentsText(
  args: unknown,
  text: string | undefined,
  path: readonly string[],
  name = "arguments",
): string | undefined {
  if (text === undefined || args === undefined) return undefined;
  if (!mayBeRespelled(args)) return undefined;
  return soleMemberText(text, name) ?? memberTexts(text, path).get(name);
}

/** The maximum number of values of arguments that are searched for numbers. */
const MAX_LOOKS = 1000;

/** Whether parsing may have changed the spelling of numbers or the order of keys. */
function mayBeRespelled(args: unknown): boolean {
  let looks = 0;
  const hasNumber = (value: unknown): boolean => {
    looks += 1;
    if (looks > MAX_LOOKS || typeof value === "number") return true;
    if (Array.isArray(value)) return value.some(hasNumber);
    return isObject(value) &&
      Object.entries(value).some(([name, each]) =>
        INDEX_REGEXP.test(name) || hasNumber(each)
      );
  };
  return hasNumber(args);
}

/** Matches keys that JavaScript orders before all others. */
export const INDEX_REGEXP = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Reads state that was saved as plain JSON. Each field is checked, because the file may have been
 * changed since.
 */

import { listOf } from "./fields.ts";
import { sliceAt } from "./literal.ts";
import type { JsonSlice } from "./value.ts";

const ENCODER = new TextEncoder();

/** Returns a field of saved state; `undefined` if it is missing. */
export function savedField(saved: unknown, name: string): unknown {
  return typeof saved === "object" && saved !== null &&
      Object.hasOwn(saved, name)
    ? Object.getOwnPropertyDescriptor(saved, name)?.value
    : undefined;
}

/** Returns a field that is a string; `undefined` if it is missing or has another type. */
export function savedText(saved: unknown, name: string): string | undefined {
  const value = savedField(saved, name);
  return typeof value === "string" ? value : undefined;
}

/** Returns a field that is a positive whole number; 0 if it is missing or has another value. */
export function savedCount(saved: unknown, name: string): number {
  const value = savedField(saved, name);
  return Number.isSafeInteger(value) && typeof value === "number" && value > 0
    ? value
    : 0;
}

/**
 * Returns a field that holds a map: a list of pairs that begin with a string. Other elements are
 * left out.
 */
export function savedPairs(
  saved: unknown,
  name: string,
): readonly (readonly [string, unknown])[] {
  const value = savedField(saved, name);
  if (!Array.isArray(value)) return [];
  return value.filter((pair) =>
    Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string"
  );
}

/** Reads a map that was saved as a list of pairs. Pairs of unexpected values are left out. */
export function savedMap<K, V>(
  saved: unknown,
  readKey: (key: unknown) => K | undefined,
  readValue: (value: unknown) => V | undefined,
): Map<K, V> {
  const map = new Map<K, V>();
  for (const pair of listOf(saved)) {
    const [savedKey, savedValue] = listOf(pair);
    const key = readKey(savedKey);
    const value = readValue(savedValue);
    if (key !== undefined && value !== undefined) map.set(key, value);
  }
  return map;
}

/** Makes a value of its JSON text; returns nothing if the text is not valid JSON. */
export function valueOf(text: string): JsonSlice | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const bytes = ENCODER.encode(text.trim());
  return sliceAt(bytes, 0, bytes.length);
}

/**
 * Reads state that was saved as plain JSON. Each field is checked, because the file may have been
 * changed since.
 */

import { listOf, wholeOf } from "./fields.ts";
import { valueOfText } from "./literal.ts";
import type { JsonSlice } from "./value.ts";

/** Returns a positive whole number; 0 for any other value. */
export function savedCount(value: unknown): number {
  const count = wholeOf(value) ?? 0;
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
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
  return valueOfText(text.trim());
}

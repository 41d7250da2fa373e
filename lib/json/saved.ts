/**
 * State that was saved as plain JSON, read back: a checkpoint may have been changed since, so each
 * value of it is checked.
 */

import { sliceAt } from "./literal.ts";
import type { JsonKind } from "./tape.ts";
import type { JsonSlice } from "./value.ts";

const ENCODER = new TextEncoder();

/** Gives a field of saved state; `undefined` if there is none. */
export function savedField(saved: unknown, name: string): unknown {
  return typeof saved === "object" && saved !== null &&
      Object.hasOwn(saved, name)
    ? Object.getOwnPropertyDescriptor(saved, name)?.value
    : undefined;
}

/** Gives a field that is a text. */
export function savedText(saved: unknown, name: string): string | undefined {
  const value = savedField(saved, name);
  return typeof value === "string" ? value : undefined;
}

/** Gives a field that is a count; 0 if it is none. */
export function savedCount(saved: unknown, name: string): number {
  const value = savedField(saved, name);
  return Number.isSafeInteger(value) && typeof value === "number" && value > 0
    ? value
    : 0;
}

/** Gives a field that is a list of pairs that begin with a text, as maps are saved. */
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

/** Makes a value of its JSON text; nothing of what is none. */
export function valueOf(text: string): JsonSlice | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const bytes = ENCODER.encode(text.trim());
  return sliceAt(bytes, 0, bytes.length);
}

/** Whether a text is JSON of a kind. */
export function isJsonText(text: string, kind: JsonKind): boolean {
  return valueOf(text)?.kind === kind;
}

/**
 * Saves the state of a reader or fold as plain JSON, and restores it.
 *
 * @module
 */

import { type Fields, isObject, snakeCase } from "./fields.ts";

/**
 * The fields of a state that are saved: of each, how its saved value is read, or its own fields. A
 * reader returns `undefined` for a value that it cannot use.
 */
export type SavedFields<T> = {
  readonly [K in keyof T]?:
    | ((saved: unknown) => T[K] | undefined)
    | SavedFields<T[K]>;
};

/**
 * Sets the fields of a state to their saved values. A field without a saved value, or with one of
 * the wrong type, keeps the value that it has.
 */
export function restoreState<T>(
  state: T,
  savedFields: SavedFields<T>,
  saved: unknown,
): void {
  if (!isObject(saved)) return;
  for (const name in savedFields) {
    const field = savedFields[name];
    const value = saved[snakeCase(name)];
    if (typeof field !== "function") {
      // The boundary: an entry that is no function has the fields of this field.
      restoreState(state[name], field as SavedFields<T[typeof name]>, value);
      continue;
    }
    const read = field(value);
    if (read !== undefined) state[name] = read;
  }
}

/** Returns the saved fields of a state as plain JSON, with their names in snake case. */
export function savedState<T extends object>(
  state: T,
  savedFields: SavedFields<T>,
): Fields {
  const saved: Record<string, unknown> = {};
  for (const name in savedFields) {
    saved[snakeCase(name)] = plainOf(state[name]);
  }
  return saved;
}

/** Copies a value as plain JSON; a bigint, which only counts are, becomes `{exact: digits}`. */
function plainOf(value: unknown): unknown {
  if (typeof value === "bigint") return { exact: String(value) };
  if (value instanceof Map) {
    return Array.from(value, ([key, each]) => [key, plainOf(each)]);
  }
  if (value instanceof Set) return [...value];
  if (Array.isArray(value)) return value.map(plainOf);
  if (!isObject(value)) return value ?? null;
  return typeof value.save === "function" ? value.save() : Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, plainOf(each)]),
  );
}

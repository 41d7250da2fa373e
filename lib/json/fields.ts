/**
 * Reading values that have not been checked.
 *
 * Rollout payloads are open, so every field is read as if it could be anything.
 *
 * @module
 */

/** The fields of a JSON object, unchecked. */
export interface Fields {
  /** The value of a field. */
  readonly [name: string]: unknown;
}

const NO_FIELDS: Fields = Object.freeze({});

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Gives the fields of an object, none for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : NO_FIELDS;
}

/** Gives a string, `undefined` for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Gives a string that can identify something: one that is not empty. */
export function idOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Gives the first of several values that can identify something. */
export function firstIdOf(...values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const id = idOf(value);
    if (id !== undefined) return id;
  }
  return undefined;
}

/**
 * Gives the id of a call: the first of several values that is a string. The empty one is an id
 * as well: some providers give no other, and outputs have the one that their call has.
 */
export function callIdOf(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string");
}

/** Gives a finite number, `undefined` for anything else; an exact large one is rounded. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" && Number.isFinite(value)
    ? value
    : undefined;
}

/** Gives a whole number, `undefined` for anything else. */
export function wholeOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return Number.isInteger(number) ? number : undefined;
}

/** Gives a truth value, `undefined` for anything else. */
export function booleanOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** Gives the elements of a list, none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Gives the strings in a list, in order. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((each) => typeof each === "string");
}

/** What JSON text begins with. */
const JSON_START_REGEXP = /^[ \t\r\n]*(?:[{["\d-]|true|false|null)/;

/** Parses JSON text; `undefined` if it is none. */
export function parseJson(text: string): unknown {
  // An error takes longer than what most texts are parsed in: scripts and patches are none.
  if (!JSON_START_REGEXP.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Encodes a value as JSON text.
 *
 * A value that nests deeper than the engine's stack has no text here; the empty string
 * stands in for it.
 */
export function jsonTextOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** Tells whether a status says that something did not work. */
export function isFailedWord(status: unknown): boolean {
  return status === "failed" || status === "declined";
}

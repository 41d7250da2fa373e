/**
 * Reads values that have not been checked: rollout payloads are open, so any field may have any
 * type. `textOf` and its like return the value if it is of their kind, otherwise `undefined`.
 *
 * @module
 */

/** The fields of a JSON object, unchecked. */
export interface Fields {
  readonly [name: string]: unknown;
}

const NO_FIELDS: Fields = Object.freeze({});

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an object as fields; any other value as no fields. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : NO_FIELDS;
}

/**
 * Returns the fields that are not `undefined`.
 *
 * @param fields Fields whose names this program writes: a name from the wire could be `__proto__`.
 */
export function knownFields(fields: Fields): Fields {
  const known: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) known[name] = value;
  }
  return known;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a string that is not empty and so can be an id, `undefined` for any other value. */
export function idOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Returns the id of a call: the first of two values that is a string. It may be empty: some
 * providers give all calls an empty id, and their outputs repeat it.
 */
export function callIdOf(id: unknown, other?: unknown): string | undefined {
  return textOf(id) ?? textOf(other);
}

/** Returns a finite number, `undefined` for any other value. A bigint is rounded to a number. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" && Number.isFinite(value)
    ? value
    : undefined;
}

export function wholeOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return Number.isInteger(number) ? number : undefined;
}

export function booleanOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export function arrayOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Returns the elements of an array, none for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the strings in an array, in order. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((each) => typeof each === "string");
}

/** Matches the beginning of JSON text. */
const JSON_START_REGEXP = /^[ \t\r\n]*(?:[{["\d-]|true|false|null)/;

/** Parses JSON text; returns `undefined` if it is not valid. */
export function parseJson(text: string): unknown {
  // Throwing an error takes longer than parsing most texts, and scripts and patches are no JSON.
  if (!JSON_START_REGEXP.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether arrays and objects nest in a value on more levels than some. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  return typeof value === "object" && value !== null &&
    (levels === 0 ||
      Object.values(value).some((member) => isDeeperThan(member, levels - 1)));
}

/**
 * Encodes a value as JSON text.
 *
 * Returns the empty string for a value that has no JSON form or nests deeper than the engine's
 * stack.
 */
export function jsonTextOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** Whether a status means failure. */
export function isFailedWord(status: unknown): boolean {
  return status === "failed" || status === "declined";
}

/** Converts a name from PascalCase or camelCase to snake_case, by the rule of Rust's serde. */
export function snakeCase(name: string): string {
  return name.replace(
    /[A-Z]/g,
    (letter, at) => (at === 0 ? "" : "_") + letter.toLowerCase(),
  );
}

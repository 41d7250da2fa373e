/**
 * Runtime checks of arguments, for mistakes that types do not catch: nothing compiles the calls of
 * a JavaScript program, and `NaN` is a number to the compiler.
 */

/** Throws a `TypeError` unless a chunk is bytes. */
export function checkBytes(chunk: unknown): void {
  // `instanceof` fails for a `Uint8Array` of another realm, so the tag is compared.
  const tag = typeof chunk === "object" && chunk !== null &&
    Symbol.toStringTag in chunk && chunk[Symbol.toStringTag];
  if (tag === "Uint8Array") return;
  throw unreadable("a chunk", chunk, "a Uint8Array");
}

/** Throws a `TypeError` unless a value is a string. */
export function checkText(text: unknown): void {
  if (typeof text !== "string") throw unreadable("a text", text, "a string");
}

/** Throws a `TypeError` unless a value is an outcome; a line without its number is none. */
export function checkOutcome(outcome: unknown): void {
  const isOutcome = typeof outcome === "object" && outcome !== null &&
    "ok" in outcome && typeof outcome.ok === "boolean";
  if (isOutcome) return;
  const expected = "an object with ok, such as LineSplitter emits";
  throw unreadable("an outcome", outcome, expected);
}

function unreadable(name: string, value: unknown, expected: string): TypeError {
  const state = wordsOf(value);
  return new TypeError(
    `Cannot read ${name}: it is ${state}, expected ${expected}`,
  );
}

// The checks below take the name of an option for their message, and return its value.

/** Throws a `RangeError` unless an option is one of the words it admits. */
export function checkedWord<W extends string>(
  name: string,
  word: W,
  words: readonly W[],
): W {
  if (words.includes(word)) return word;
  const state = typeof word === "string" ? `"${word}"` : wordsOf(word);
  const others = words.slice(0, -1).join(", ");
  throw new RangeError(misuse(name, state, `${others} or ${words.at(-1)}`));
}

/** Throws a `TypeError` unless an option is an array; a string would be iterated by characters. */
export function checkedList<T>(name: string, list: readonly T[]): readonly T[] {
  if (Array.isArray(list)) return list;
  throw new TypeError(misuse(name, wordsOf(list), "a list"));
}

/** Throws a `RangeError` unless an option is a whole number from `least`, or `Infinity`. */
export function checkedCount(name: string, count: number, least = 0): number {
  const isCount = count === Infinity || Number.isSafeInteger(count);
  if (isCount && count >= least) return count;
  throw new RangeError(
    misuse(name, numberOf(count), `a whole number from ${least}`),
  );
}

/**
 * Throws a `RangeError` unless an option is a time in milliseconds since 1970, or infinite.
 * `Date.parse` returns `NaN` for a text that it cannot parse, and every comparison with `NaN` is
 * false.
 */
export function checkedTime(name: string, time: number): number {
  if (typeof time === "number" && !Number.isNaN(time)) return time;
  throw new RangeError(misuse(name, numberOf(time), "milliseconds since 1970"));
}

function misuse(name: string, state: string, expected: string): string {
  return `Cannot use ${name}: it is ${state}, expected ${expected}`;
}

/**
 * Encodes a value as JSON. Throws a `TypeError` if the value has no JSON form, contains a cycle, or
 * a getter in it throws.
 *
 * @param name The name of the value in the error message, such as `a line`.
 */
export function checkedJson(name: string, value: unknown): string {
  let text: unknown;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // For a cycle, some engines draw a picture below the first line.
    const [why] = message.split("\n", 1);
    throw new TypeError(`Cannot encode ${name}: ${why}`, { cause });
  }
  if (typeof text === "string") return text;
  throw new TypeError(
    `Cannot encode ${name}: ${wordsOf(value)} has no JSON form`,
  );
}

/** Describes a value for a message: a number by its digits, any other value by its type. */
function numberOf(value: unknown): string {
  return typeof value === "number" ? String(value) : wordsOf(value);
}

/** Describes the type of a value for a message, such as "a list" or "a string". */
export function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value !== "object") return `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object"
    ? `a value of the class ${name}`
    : "an object";
}

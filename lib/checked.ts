/**
 * What callers give, checked where a type does not: nothing compiles the calls of a program in
 * JavaScript, and `NaN` is a number to the compiler.
 */

/**
 * Checks that a chunk is bytes.
 *
 * @throws {TypeError} If it is something else, text among it.
 */
export function checkBytes(chunk: unknown): void {
  // Bytes of another realm are no instances of the classes of this one.
  const tag = typeof chunk === "object" && chunk !== null &&
    Symbol.toStringTag in chunk && chunk[Symbol.toStringTag];
  if (tag === "Uint8Array") return;
  throw new TypeError(
    `Cannot read a chunk: it is ${wordsOf(chunk)}, expected a Uint8Array`,
  );
}

/**
 * Checks that something is text.
 *
 * @throws {TypeError} If it is something else, bytes among it.
 */
export function checkText(text: unknown): void {
  if (typeof text === "string") return;
  throw new TypeError(
    `Cannot read a text: it is ${wordsOf(text)}, expected a string`,
  );
}

/**
 * Checks that something is an outcome: a line or a record without its number is none.
 *
 * @throws {TypeError} If it is something else.
 */
export function checkOutcome(outcome: unknown): void {
  const isOutcome = typeof outcome === "object" && outcome !== null &&
    "ok" in outcome && typeof outcome.ok === "boolean";
  if (isOutcome) return;
  throw new TypeError(
    `Cannot read an outcome: it is ${
      wordsOf(outcome)
    }, expected an object with ok, such as LineSplitter gives`,
  );
}

/**
 * Checks that something is one of a few words.
 *
 * @param name What it is called.
 * @throws {RangeError} If it is none of them.
 */
export function checkedWord<W extends string>(
  name: string,
  word: W,
  words: readonly W[],
): W {
  if (words.includes(word)) return word;
  const state = typeof word === "string" ? `"${word}"` : wordsOf(word);
  const others = words.slice(0, -1).join(", ");
  throw new RangeError(
    `Cannot go by ${name}: it is ${state}, expected ${others} or ${
      words.at(-1)
    }`,
  );
}

/**
 * Checks that something is a list; the characters of a text would be taken for one.
 *
 * @param name What it is called.
 * @throws {TypeError} If it is none.
 */
export function checkedList<T>(name: string, list: readonly T[]): readonly T[] {
  if (Array.isArray(list)) return list;
  throw new TypeError(
    `Cannot go by ${name}: it is ${wordsOf(list)}, expected a list`,
  );
}

/**
 * Checks that a number is a count, or without end.
 *
 * @param name What it is called.
 * @throws {RangeError} If it is none.
 */
export function checkedCount(name: string, count: number): number {
  const isCount = count === Infinity || Number.isSafeInteger(count);
  if (isCount && count >= 0) return count;
  throw new RangeError(
    `Cannot go by ${name}: it is ${
      numberOf(count)
    }, expected a whole number from 0`,
  );
}

/**
 * Checks that a number is a time, or without end: what `Date.parse` makes of a text that it
 * cannot read is neither, and nothing comes before or after it.
 *
 * @param name What it is called.
 * @throws {RangeError} If it is none.
 */
export function checkedTime(name: string, time: number): number {
  if (typeof time === "number" && !Number.isNaN(time)) return time;
  throw new RangeError(
    `Cannot go by ${name}: it is ${
      numberOf(time)
    }, expected milliseconds since 1970`,
  );
}

/** A number as it is, and what is none in words. */
function numberOf(value: unknown): string {
  return typeof value === "number" ? String(value) : wordsOf(value);
}

/** Says in words what a value is. */
export function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value !== "object") return `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object"
    ? `a value of the class ${name}`
    : "an object";
}

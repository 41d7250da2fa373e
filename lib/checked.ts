/**
 * Runtime checks of arguments, for mistakes that types do not catch: nothing compiles the calls of
 * a JavaScript program, and `NaN` is a number to the compiler.
 */

/**
 * Checks that a chunk is bytes.
 *
 * @throws {TypeError} If it is any other value; a string is one too.
 */
export function checkBytes(chunk: unknown): void {
  // `instanceof` fails for a `Uint8Array` of another realm, so the tag is compared.
  const tag = typeof chunk === "object" && chunk !== null &&
    Symbol.toStringTag in chunk && chunk[Symbol.toStringTag];
  if (tag === "Uint8Array") return;
  throw new TypeError(
    `Cannot read a chunk: it is ${wordsOf(chunk)}, expected a Uint8Array`,
  );
}

/**
 * Checks that a value is a string.
 *
 * @throws {TypeError} If it is any other value; bytes are one too.
 */
export function checkText(text: unknown): void {
  if (typeof text === "string") return;
  throw new TypeError(
    `Cannot read a text: it is ${wordsOf(text)}, expected a string`,
  );
}

/**
 * Checks that a value is an outcome. A line or record without a line number is none.
 *
 * @throws {TypeError} If it is any other value.
 */
export function checkOutcome(outcome: unknown): void {
  const isOutcome = typeof outcome === "object" && outcome !== null &&
    "ok" in outcome && typeof outcome.ok === "boolean";
  if (isOutcome) return;
  throw new TypeError(
    `Cannot read an outcome: it is ${
      wordsOf(outcome)
    }, expected an object with ok, such as LineSplitter emits`,
  );
}

/**
 * Checks that an option is one of the words it admits.
 *
 * @param name The name of the option, for the message.
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
    `Cannot use ${name}: it is ${state}, expected ${others} or ${words.at(-1)}`,
  );
}

/**
 * Checks that an option is an array. A string would otherwise be iterated by characters.
 *
 * @param name The name of the option, for the message.
 * @throws {TypeError} If it is no array.
 */
export function checkedList<T>(name: string, list: readonly T[]): readonly T[] {
  if (Array.isArray(list)) return list;
  throw new TypeError(
    `Cannot use ${name}: it is ${wordsOf(list)}, expected a list`,
  );
}

/**
 * Checks that an option is a whole number from `least`, or `Infinity`.
 *
 * @param name The name of the option, for the message.
 * @throws {RangeError} If it is not.
 */
export function checkedCount(name: string, count: number, least = 0): number {
  const isCount = count === Infinity || Number.isSafeInteger(count);
  if (isCount && count >= least) return count;
  throw new RangeError(
    `Cannot use ${name}: it is ${
      numberOf(count)
    }, expected a whole number from ${least}`,
  );
}

/**
 * Checks that an option is a time in milliseconds since 1970, or infinite. `Date.parse` returns
 * `NaN` for a text that it cannot parse, and every comparison with `NaN` is false.
 *
 * @param name The name of the option, for the message.
 * @throws {RangeError} If it is `NaN` or no number.
 */
export function checkedTime(name: string, time: number): number {
  if (typeof time === "number" && !Number.isNaN(time)) return time;
  throw new RangeError(
    `Cannot use ${name}: it is ${
      numberOf(time)
    }, expected milliseconds since 1970`,
  );
}

/**
 * Encodes a value as JSON.
 *
 * @param name The name of the value in the error message, such as `a line`.
 * @throws {TypeError} If the value has no JSON form, contains a cycle, or a getter in it throws.
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

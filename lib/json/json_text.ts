/** Encodes values of callers as JSON text. */

import { wordsOf } from "../checked.ts";

/**
 * Encodes a value as JSON.
 *
 * @param name The name of the value in the error message, such as `a line`.
 * @throws {TypeError} If the value has no JSON form, contains a cycle, or a getter in it throws.
 */
export function jsonTextOf(name: string, value: unknown): string {
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

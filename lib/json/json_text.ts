/** Values that callers give, as JSON text. */

import { wordsOf } from "../checked.ts";

/**
 * Writes a value as JSON.
 *
 * @param name What it is, for the message.
 * @throws {TypeError} If it has no JSON form, or what is in it cannot be read.
 */
export function jsonTextOf(name: string, value: unknown): string {
  let text: unknown;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // Of a circle, some engines draw a picture below the first line.
    const [why] = message.split("\n", 1);
    throw new TypeError(`Cannot encode ${name}: ${why}`, { cause });
  }
  if (typeof text === "string") return text;
  throw new TypeError(
    `Cannot encode ${name}: ${wordsOf(value)} has no JSON form`,
  );
}

/**
 * Laws: properties that must hold for every stream.
 *
 * @module
 */

import type { Random } from "./random.ts";

/** Thrown if a law does not hold. */
export class LawBroken extends Error {
  /** The name of the class. */
  override readonly name = "LawBroken";
}

/** A property that must hold for every stream. */
export interface Law {
  /** The property, in words. */
  readonly name: string;
  /** Throws if the property does not hold. */
  check(
    stream: Uint8Array<ArrayBuffer>,
    random: Random,
  ): void | Promise<void>;
}

/** Throws if two texts differ, with the first difference in the message. */
export function mustBeSame(actual: string, expected: string): void {
  if (actual === expected) return;
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at += 1;
  const around = (text: string): string =>
    JSON.stringify(text.slice(Math.max(0, at - 100), at + 200));
  throw new LawBroken(
    `at ${at}\n  got      ${around(actual)}\n  expected ${around(expected)}`,
  );
}

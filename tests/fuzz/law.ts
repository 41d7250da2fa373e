/**
 * What a law is.
 *
 * @module
 */

import type { Random } from "./random.ts";

/** What does not hold. */
export class LawBroken extends Error {
  /** The name of the class. */
  override readonly name = "LawBroken";
}

/** Something that must hold for a stream. */
export interface Law {
  /** What it says. */
  readonly name: string;
  /** Throws if it does not hold. */
  check(
    stream: Uint8Array<ArrayBuffer>,
    random: Random,
  ): void | Promise<void>;
}

/** Fails, and shows where two texts part, unless they are the same. */
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

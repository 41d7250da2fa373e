/**
 * Secrets that go on from one string to the next.
 */

import { dividedLike, isBroken, NARROWEST } from "./pieces.ts";
import type { Redactor } from "./redactor.ts";

/** What masks secrets. */
export interface Redactors {
  /** Masks and counts. */
  readonly redactor: Redactor;
  /** Only looks: the same rules, and nobody asks for its counts. */
  readonly scout: Redactor;
}

/** What a secret of several lines begins with. */
const BEGINNING_REGEXP = /PRIVATE KEY|\bmachine\b|\blogin\b|<\/key>/;

/**
 * Tells whether a secret may go on from one line to the next: few do.
 *
 * @param lines The lines.
 */
export function mayGoOn(lines: readonly string[]): boolean {
  return lines.some((line, i) =>
    BEGINNING_REGEXP.test(line) ||
    line.length >= NARROWEST && isBroken(line, lines[i + 1] ?? "")
  );
}

/**
 * Redacts the pieces of a text, if there is a secret that goes on from one to the next.
 *
 * @param pieces The pieces.
 * @param separator What stands between two of them.
 * @param redactors Mask the secrets.
 * @returns As many pieces; `undefined` if each can be redacted by itself.
 */
export function redactedPieces(
  pieces: readonly string[],
  separator: string,
  { redactor, scout }: Redactors,
): string[] | undefined {
  const joined = pieces.join(separator);
  const looked = scout.redact(joined);
  if (looked === joined) return undefined;
  // A secret may be in one of them, and its name in the one before.
  const divided = dividedLike(pieces, looked, separator);
  const goesOn = pieces.some((piece, i) => scout.redact(piece) !== divided[i]);
  return goesOn
    ? dividedLike(pieces, redactor.redact(joined), separator)
    : undefined;
}

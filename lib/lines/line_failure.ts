/**
 * Faults that rules have found, as failures that last.
 */

import { copyOf } from "../json/bytes.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import type { Failure } from "../outcome.ts";
import type { LineFault } from "./line_rules.ts";

/** Where a line is. */
export interface Place {
  /** The physical line number, counted from 1. */
  readonly line: number;
  /** Where it starts, in bytes from the start of the input. */
  readonly offset: number;
}

/**
 * Makes the failure of a line, or of a part of one, that rules have found fault with.
 *
 * @param bytes The bytes that hold the line.
 * @param at The number of the line, and where the bytes start in the input.
 */
export function failureOf(
  { problem, start, end, inBand }: LineFault,
  bytes: Uint8Array,
  { line, offset }: Place,
): Failure {
  const raw = decodeUtf8(bytes, start, end);
  const failure = { ok: false, line, offset: offset + start, raw } as const;
  if (inBand) return { ...failure, error: problem, inBand: raw };
  if (problem.kind !== "utf8") return { ...failure, error: problem };
  return { ...failure, error: problem, rawBytes: copyOf(bytes, start, end) };
}

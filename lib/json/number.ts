/** Properties of JSON numbers of any size, from their text. */

import { DOT, MINUS, NINE, PLUS, ZERO } from "./bytes.ts";

/**
 * Exponents are limited to this. It is greater than the length of any line, so it alone decides
 * whether the value is an integer.
 */
const HUGE = 2 ** 40;

/**
 * Whether a JSON number is an integer, in any spelling: `1`, `1.0`, `120e-1`, `1e400`; not `1.5`.
 *
 * @param bytes The bytes that contain it; the range must be a JSON number.
 */
export function isWhole(
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  let at = bytes[start] === MINUS ? start + 1 : start;
  let zeros = 0;
  let fraction = 0;
  let isZero = true;
  let inFraction = false;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === DOT) inFraction = true;
    else if (byte > NINE) break;
    else {
      if (inFraction) fraction += 1;
      if (byte === ZERO) zeros += 1;
      else {
        zeros = 0;
        isZero = false;
      }
    }
  }
  if (isZero) return true;
  // The value is an integer times 10 to the power of `exponent + zeros - fraction`.
  return exponent(bytes, at + 1, end) + zeros - fraction >= 0;
}

function exponent(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS;
  let value = 0;
  let at = isNegative || bytes[start] === PLUS ? start + 1 : start;
  for (; at < end; at++) {
    value = Math.min(HUGE, 10 * value + (bytes[at] ?? ZERO) - ZERO);
  }
  return isNegative ? -value : value;
}

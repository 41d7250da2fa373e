/**
 * Exact decimal numbers.
 */

const DECIMAL_REGEXP = /^(\d{1,15})(?:\.(\d{1,12}))?$/;

/** How many digits behind the point a parsed number can have. */
export const DECIMAL_PLACES = 12;

/**
 * Parses a number that is not negative.
 *
 * @param text Digits, with a point and up to twelve more of them.
 * @returns How many times 10^-12 it is; `undefined` if it is no such number.
 */
export function parseDecimal(text: string): bigint | undefined {
  const [, whole, places = ""] = DECIMAL_REGEXP.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return BigInt(whole + places.padEnd(DECIMAL_PLACES, "0"));
}

/**
 * Writes a number.
 *
 * @param units How many times 10^-`scale` it is; not negative.
 * @param scale How many of its digits stand behind the point.
 * @param places How many digits it is rounded to, half up; all that are needed, if it is
 * left out.
 * @returns The number.
 */
export function decimalText(
  units: bigint,
  scale: number,
  places?: number,
): string {
  if (places !== undefined && places < scale) {
    const step = 10n ** BigInt(scale - places);
    return decimalText((units + step / 2n) / step, places, places);
  }
  const digits = String(units).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const behind = digits.slice(digits.length - scale);
  const shown = places === undefined ? behind.replace(/0+$/, "") : behind;
  return shown === "" ? whole : `${whole}.${shown}`;
}

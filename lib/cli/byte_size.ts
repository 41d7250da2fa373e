/** Numbers of bytes, as people write them. */

const SIZE_REGEXP = /^(\d+)([KMG]?)$/i;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["K", 2 ** 10],
  ["M", 2 ** 20],
  ["G", 2 ** 30],
]);

/**
 * Reads a number of bytes, such as `1000000` or `16M`.
 *
 * @returns The number, which may be larger than what can be told apart exactly;
 *   `undefined` if the text is none.
 */
export function parseByteSize(text: string): number | undefined {
  const [, digits = "", unit = ""] = SIZE_REGEXP.exec(text) ?? [];
  const factor = UNITS.get(unit.toUpperCase());
  return digits === "" || factor === undefined
    ? undefined
    : Number(digits) * factor;
}

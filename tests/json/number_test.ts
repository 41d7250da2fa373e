import { assertEquals } from "@std/assert";
import { isWhole } from "../../lib/json/number.ts";
import { JSON_NUMBER } from "../generators.ts";
import fc from "../property_seed.ts";
import { encode } from "../running.ts";

function isWholeText(text: string): boolean {
  // Neighbouring bytes that would change the answer if isWhole() read them.
  const bytes = encode(`5.${text}-5`);
  return isWhole(bytes, 2, bytes.length - 2);
}

const CASES = [
  ["0", true],
  ["-0", true],
  ["0.0", true],
  ["-0.000", true],
  ["0e5", true],
  ["0e-5", true],
  ["0.00e-3", true],
  ["1", true],
  ["-1", true],
  ["1.0", true],
  ["-3.000", true],
  ["1.5", false],
  ["0.5", false],
  ["-0.1", false],
  ["1.05", false],
  ["100", true],
  ["120e-1", true],
  ["120e-2", false],
  ["125e-2", false],
  ["100e-2", true],
  ["100e-3", false],
  ["1.5e1", true],
  ["1.50e1", true],
  ["1.05e1", false],
  ["1.05E+2", true],
  ["1.050e2", true],
  ["15.00e-1", false],
  ["10.00e-1", true],
  ["1e400", true],
  ["1e-400", false],
  ["1E+2", true],
  ["1e0", true],
  ["1e-0", true],
  ["1.5e0", false],
  ["12345678901234567890", true],
  ["4294967296", true],
  ["-2147483649", true],
  ["123456789012345678901234567890.5", false],
  ["9007199254740993.0", true],
  ["1e999999999999999999999", true],
  ["1e-999999999999999999999", false],
  [`1${"0".repeat(400)}e-400`, true],
  [`1${"0".repeat(400)}e-401`, false],
  [`0.${"0".repeat(399)}1e400`, true],
  [`0.${"0".repeat(400)}1e400`, false],
  ["0e999999999999999999999", true],
  ["0.0e-999999999999999999999", true],
] satisfies [string, boolean][];

for (const [text, expected] of CASES) {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  Deno.test(`isWhole() returns ${expected} for ${shown} (${text.length} characters)`, () => {
    assertEquals(isWholeText(text), expected);
  });
}

/** A reference implementation with exact integers. */
function isWholeExactly(text: string): boolean {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = BigInt(whole.replace("-", "") + fraction);
  const power = Number(exponent) - fraction.length;
  return power >= 0 || digits % 10n ** BigInt(-power) === 0n;
}

Deno.test("isWhole() agrees with exact arithmetic for any JSON number", () => {
  const numbers = fc.oneof(
    JSON_NUMBER,
    // Zeros and small exponents, at which whole numbers and fractions are close.
    fc.stringMatching(/^-?[1-9][01]{0,4}(?:\.[01]{1,4})?(?:e-?[0-6])?$/),
  );
  fc.assert(
    fc.property(numbers, (text) => {
      assertEquals(isWholeText(text), isWholeExactly(text), text);
    }),
    { numRuns: 1_000 },
  );
});

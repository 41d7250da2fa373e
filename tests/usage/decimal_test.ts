/** Exact decimal numbers. */

import { assertEquals } from "@std/assert";
import { decimalText, parseDecimal } from "../../lib/usage/decimal.ts";

const PARSED = [
  ["0", 0n],
  ["1.25", 1_250_000_000_000n],
  ["0.000000000001", 1n],
  ["015.50", 15_500_000_000_000n],
  ["1.0000000000001", undefined],
  ["-1", undefined],
  ["1e3", undefined],
  ["1.", undefined],
  [".5", undefined],
  ["", undefined],
  [" 1", undefined],
  ["NaN", undefined],
] satisfies [string, bigint | undefined][];

for (const [text, expected] of PARSED) {
  Deno.test(`parseDecimal() reads "${text}" as ${expected}`, () => {
    assertEquals(parseDecimal(text), expected);
  });
}

const WRITTEN = [
  [0n, 18, undefined, "0"],
  [1n, 3, undefined, "0.001"],
  [1500n, 3, undefined, "1.5"],
  [1000n, 3, undefined, "1"],
  [12_344n, 3, 2, "12.34"],
  [12_345n, 3, 2, "12.35"],
  [999_995n, 5, 4, "10.0000"],
  [5n, 3, 4, "0.005"],
  [7n, 0, undefined, "7"],
] satisfies [bigint, number, number | undefined, string][];

for (const [units, scale, places, expected] of WRITTEN) {
  Deno.test(`decimalText() writes ${units} of 10^-${scale} to ${places ?? "all"} places as ${expected}`, () => {
    assertEquals(decimalText(units, scale, places), expected);
  });
}

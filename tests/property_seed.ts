/**
 * Configures fast-check with a fixed seed, so that every run of a property test draws the same
 * values.
 *
 * Tests import fast-check from here. A module that is loaded before all tests would cost each of
 * the hundreds of test files without properties 45 ms.
 *
 * @module
 */

import fc from "fast-check";

fc.configureGlobal({ seed: 20_250_416 });

export default fc;

/** A character of any text: one code point, or several that are shown as one. */
const CHARACTER = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }).map(String.fromCodePoint),
  fc.integer({ min: 0, max: 0xd7ff }).map(String.fromCodePoint),
  fc.integer({ min: 0xe000, max: 0x10ffff }).map(String.fromCodePoint),
  fc.constantFrom("e\u0301", "\u{1f1e9}\u{1f1ea}", "\u{1f469}\u200d\u{1f680}"),
);

/**
 * Returns any texts. Those of `fc.string()` with its own unit `binary` or `grapheme` begin with a
 * second of work: it lists all characters of Unicode.
 */
export function anyText(
  constraints: fc.StringSharedConstraints = {},
): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: CHARACTER });
}

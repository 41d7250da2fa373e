/**
 * Random inputs for the laws that tests state.
 *
 * @module
 */

import fc from "fast-check";

/** Any of the ways to write one character of a JSON string. */
const CHARACTER = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."abcXYZ019 _-/{}[],:") },
  fc.constantFrom("é", "你", "😀", "\u2028", "\u007f", "\u0085", "\ufeff"),
  fc.constantFrom('\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"),
  fc.tuple(fc.nat(0xffff), fc.boolean()).filter(([unit]) =>
    unit < 0xd800 || unit > 0xdfff
  ).map(([unit, upper]) => unicodeEscape(unit, upper)),
  fc.integer({ min: 0x10000, max: 0x10ffff }).map((code) =>
    [...String.fromCodePoint(code).split("")].map((half) =>
      unicodeEscape(half.charCodeAt(0), false)
    ).join("")
  ),
);

const WHITE_SPACE = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  fc.constantFrom(" ", "\t", "\n", "\r", "  \t"),
);

/** A JSON string, in any spelling. */
export const JSON_STRING: fc.Arbitrary<string> = fc.array(CHARACTER, {
  maxLength: 8,
}).map((characters) => `"${characters.join("")}"`);

/** A key, sometimes one that a plain object would trip over. */
export const JSON_KEY: fc.Arbitrary<string> = fc.oneof(
  JSON_STRING,
  fc.constantFrom(
    '"a"',
    '"b"',
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"10"',
    '"2"',
    '""',
    `"${"k".repeat(70)}"`,
  ),
);

/** A JSON number, in any spelling. */
export const JSON_NUMBER: fc.Arbitrary<string> = fc.stringMatching(
  /^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,6})?(?:[eE][+-]?[0-9]{1,3})?$/,
);

/** The text of any JSON value, in any spelling. */
export const JSON_TEXT: fc.Arbitrary<string> = fc.letrec<{ value: string }>(
  (tie) => {
    const padded = fc.tuple(WHITE_SPACE, tie("value"), WHITE_SPACE).map(
      (parts) => parts.join(""),
    );
    const member = fc.tuple(WHITE_SPACE, JSON_KEY, WHITE_SPACE, padded).map(
      ([before, key, after, value]) => `${before}${key}${after}:${value}`,
    );
    return {
      value: fc.oneof(
        { maxDepth: 5, depthIdentifier: "json" },
        JSON_STRING,
        JSON_NUMBER,
        fc.constantFrom("true", "false", "null", "[]", "{}", "[ ]", "{\t}"),
        fc.array(padded, { maxLength: 5, depthIdentifier: "json" }).map(
          (elements) => `[${elements.join(",")}]`,
        ),
        fc.array(member, { maxLength: 6, depthIdentifier: "json" }).map(
          (members) => `{${members.join(",")}}`,
        ),
      ),
    };
  },
).value;

/** Bytes, and the same in chunks, empty ones among them. */
export interface Chunked {
  /** All of it. */
  readonly bytes: Uint8Array;
  /** The same in pieces. */
  readonly chunks: readonly Uint8Array[];
}

/** Any way to cut given bytes into chunks. */
export function chunkings(
  inputs: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<Chunked> {
  return fc.tuple(inputs, fc.array(fc.nat(1_000_000), { maxLength: 12 })).map(
    ([bytes, cuts]) => {
      const places = cuts.map((cut) => cut % (bytes.length + 1))
        .sort((a, b) => a - b);
      const ends = [...places, bytes.length];
      const chunks = ends.map((end, i) =>
        bytes.subarray(places[i - 1] ?? 0, end)
      );
      return { bytes, chunks };
    },
  );
}

/** One change of a byte: another one in its place, one more, or one less. */
export function mutations(
  inputs: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<Uint8Array> {
  const value = fc.oneof(
    fc.nat(255),
    fc.constantFrom(...'"\\{}[],:0-1.eEtfnu \n\r\0').map((c) =>
      c.charCodeAt(0)
    ),
  );
  return fc.tuple(
    inputs,
    fc.nat(1_000_000),
    value,
    fc.constantFrom("replace", "insert", "delete"),
  ).map(([bytes, place, byte, how]) => {
    const at = place % (bytes.length + (how === "insert" ? 1 : 0) || 1);
    const mutated = [...bytes];
    mutated.splice(
      at,
      how === "insert" ? 0 : 1,
      ...(how === "delete" ? [] : [byte]),
    );
    return Uint8Array.from(mutated);
  });
}

function unicodeEscape(unit: number, isUpper: boolean): string {
  const digits = unit.toString(16).padStart(4, "0");
  return `\\u${isUpper ? digits.toUpperCase() : digits}`;
}

import { assert, assertEquals } from "@std/assert";
import { isBlank, trimBlank } from "../../lib/lines/blank.ts";

/** The characters with the White_Space property, as normalize.md lists them. */
const BLANK = [
  0x09,
  0x0a,
  0x0b,
  0x0c,
  0x0d,
  0x20,
  0x85,
  0xa0,
  0x1680,
  ...Array.from({ length: 11 }, (_, i) => 0x2000 + i),
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
];

Deno.test("isBlank() counts the characters of the White_Space property, and no others", () => {
  const found: number[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (isBlank(String.fromCodePoint(code))) found.push(code);
  }
  assertEquals(found, BLANK);
});

Deno.test("isBlank() agrees with the Unicode tables of the engine", () => {
  for (let code = 0; code <= 0xffff; code++) {
    const text = String.fromCharCode(code);
    assertEquals(isBlank(text), /^\p{White_Space}$/u.test(text), `${code}`);
  }
});

for (
  const [name, text, expected] of [
    ["no characters", "", true],
    ["spaces and tabs", " \t \t", true],
    ["every blank character", String.fromCharCode(...BLANK), true],
    ["a letter among blanks", "  x  ", false],
    ["separators of C0", "\u001c\u001d\u001e\u001f", false],
  ] satisfies [string, string, boolean][]
) {
  Deno.test(`isBlank() returns ${expected} for ${name}`, () => {
    assertEquals(isBlank(text), expected);
  });
}

Deno.test("trimBlank() cuts every blank character off both ends", () => {
  const blanks = String.fromCharCode(...BLANK);
  for (const blank of [...blanks, blanks, ""]) {
    assertEquals(trimBlank(`${blank}a${blank}b${blank}`), `a${blank}b`);
    assertEquals(trimBlank(blank), "");
  }
});

Deno.test("trimBlank() keeps characters at the ends that are not blank", () => {
  for (const text of ["\ufeffa\ufeff", "\u200b", "\0 \0", "a", "", "\u001f"]) {
    assertEquals(trimBlank(text), text);
  }
});

Deno.test("trimBlank() reads a run of blanks in the middle once", () => {
  const text = `a${" ".repeat(1_000_000)}b`;
  // With `[blank]+$` this would take minutes.
  assert(trimBlank(text) === text);
});

/**
 * Tests which grams of a text are in the index.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import {
  hasSymbol,
  symbolGrams,
  symbolLookups,
} from "../../lib/sessions/symbol_grams.ts";
import fc, { anyText } from "../property_seed.ts";

const CASES = [
  { name: "of nothing", text: "", grams: "" },
  { name: "of words", text: "Some words and 12", grams: "" },
  {
    name: "of a call",
    text: "Foo(bar)",
    grams: "( ) o( oo( (b o(b (ba r) ar)",
  },
  { name: "of repeated calls", text: "a.b a.b A.B", grams: ". a. .b a.b" },
  {
    name: "across white space",
    text: "a-  b\n-c d",
    grams: "- a- -~b a-~b -c b~-",
  },
  { name: "across the end of a word", text: "é:  b", grams: ": é: :~b é:~b" },
  { name: "at both ends", text: " . a ", grams: ". .~a" },
  { name: "of words with accents", text: "été größe привет ΑΒΓ", grams: "" },
  {
    name: "of scripts without spaces",
    text: "a日本 語",
    grams: "日 本 語 a日 日本 a日本 本~語",
  },
  {
    name: "of halves of characters",
    text: "a😀",
    grams: "\ufffd \ufffd a\ufffd 😀 a😀",
  },
] satisfies { name: string; text: string; grams: string }[];

for (const { name, text, grams } of CASES) {
  Deno.test(`symbolGrams() returns the grams ${name}`, () => {
    const sorted = (list: string): string[] => list.split(" ").sort();
    assertEquals(
      sorted(symbolGrams(text)),
      sorted(grams.replaceAll("~", "\x01")),
    );
  });
}

Deno.test("symbolGrams() returns no gram of a part that the whole text lacks", () => {
  fc.assert(fc.property(
    anyText(),
    anyText(),
    anyText(),
    (before, part, behind) => {
      // The lower case of a letter can depend on the letter before it.
      if (/[Σİ]/.test(before + part + behind)) return;
      const whole = new Set(symbolGrams(before + part + behind).split(" "));
      const missing = symbolGrams(part).split(" ")
        .filter((gram) => gram !== "" && !whole.has(gram));
      assertEquals(missing, []);
    },
  ));
});

Deno.test("symbolLookups() returns only grams of every text that contains the string", () => {
  fc.assert(fc.property(
    fc.string({
      unit: fc.constantFrom("a", "B", "-", " ", "\n", "日", "é", "😀"),
      maxLength: 12,
    }),
    fc.nat(),
    fc.integer({ min: 1, max: 6 }),
    (text, at, size) => {
      const start = at % Math.max(1, text.length);
      const part = text.slice(start, start + size).toWellFormed().trim();
      // Half a surrogate pair is not a part of a text.
      if (part.includes("\ufffd")) return;
      const there = symbolGrams(text).split(" ");
      const lookups = symbolLookups(part);
      assertEquals(lookups.filter((one) => !there.includes(one)), []);
      assertEquals(lookups.length > 0, hasSymbol(part));
    },
  ));
});

Deno.test("symbolLookups() returns the most selective grams", () => {
  const CASES = [
    ["{", "{"],
    ["=>", "=>"],
    ["foo(b", "oo( o(b"],
    ["error: no", "or: :~n r:~n"],
    ["a b.", "b."],
    [") \n {", ") { )~{"],
    ["two words", ""],
  ] as const;
  for (const [text, lookups] of CASES) {
    assertEquals(
      symbolLookups(text).join(" "),
      lookups.replaceAll("~", "\x01"),
    );
  }
});

Deno.test("hasSymbol() is false for texts that words alone find", () => {
  assertEquals(
    ["word", "Größe", "two words", "a-b", "日本", ""].map(hasSymbol),
    [false, false, false, true, true, false],
  );
});

Deno.test("hasSymbol() recognizes the same white space and letters as regular expressions", () => {
  for (let unit = 0; unit < 1 << 16; unit++) {
    const text = String.fromCharCode(unit).toLowerCase();
    if (text.length > 1 || /\p{Cn}/u.test(text)) continue;
    // The tokenizer does not know letters of newer Unicode versions.
    const isLetter = /[\u00c0-\u024f\u0370-\u0527\u1e00-\u1eff]/.test(text) &&
      /\p{L}/u.test(text);
    const isPlain = /[\s\da-z]/.test(text) || isLetter;
    assertEquals(hasSymbol(text), !isPlain, `${unit}`);
  }
});

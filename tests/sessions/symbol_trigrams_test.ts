/**
 * Tests which trigrams of a text are in the index.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  hasSymbol,
  symbolLookups,
  symbolTrigrams,
} from "../../lib/sessions/symbol_trigrams.ts";

const CASES = [
  { name: "of nothing", text: "", trigrams: "" },
  { name: "of words", text: "Some words, 12", trigrams: "ds, s, ," },
  { name: "of a call", text: "Foo(bar)", trigrams: "oo( o(b (ba ar) r) )" },
  { name: "that come twice", text: "a.b a.b A.B", trigrams: "a.b .b" },
  { name: "across white space", text: "a- -b\t-\n-", trigrams: "- a- -b" },
  { name: "of words with accents", text: "été größe привет ΑΒΓ", trigrams: "" },
  {
    name: "of scripts without spaces",
    text: "a日本語",
    trigrams: "a日本 日本語 本語 語",
  },
  { name: "of both", text: "日本語 a.b", trigrams: "a.b .b 日本語 本語 語" },
  {
    name: "of halves of characters",
    text: "a😀b",
    trigrams: "a😀 😀b \ufffdb",
  },
  { name: "that are short", text: "=> 日本", trigrams: "> => 日本 本" },
] satisfies { name: string; text: string; trigrams: string }[];

for (const { name, text, trigrams } of CASES) {
  Deno.test(`symbolTrigrams() gives those ${name}`, () => {
    const sorted = (list: string): string[] => list.split(" ").sort();
    assertEquals(sorted(symbolTrigrams(text)), sorted(trigrams));
  });
}

Deno.test("symbolTrigrams() gives of a part nothing that the whole does not have", () => {
  fc.assert(fc.property(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "grapheme" }),
    (before, part, behind) => {
      // What a lower-case letter is can depend on the one before it.
      if (/[Σİ]/.test(before + part + behind)) return;
      const whole = new Set(symbolTrigrams(before + part + behind).split(" "));
      const missing = symbolTrigrams(part).split(" ")
        .filter((trigram) => trigram.length === 3 && !whole.has(trigram));
      assertEquals(missing, []);
    },
  ));
});

Deno.test("symbolLookups() finds every string with a symbol in what the text has", () => {
  fc.assert(fc.property(
    fc.string({
      unit: fc.constantFrom("a", "B", "-", " ", "日", "é"),
      maxLength: 12,
    }),
    fc.nat(),
    fc.integer({ min: 1, max: 6 }),
    (text, at, size) => {
      const start = at % Math.max(1, text.length);
      const there = symbolTrigrams(text).split(" ");
      const missing = symbolLookups(text.slice(start, start + size)).filter((
        { text, isBeginning },
      ) =>
        !there.some((one) => isBeginning ? one.startsWith(text) : one === text)
      );
      assertEquals(missing, []);
    },
  ));
});

Deno.test("hasSymbol() tells whether words alone find a text", () => {
  assertEquals(
    ["word", "Größe", "two words", "a-b", "日本", ""].map(hasSymbol),
    [false, false, false, true, true, false],
  );
});

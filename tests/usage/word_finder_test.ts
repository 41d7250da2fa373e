/** Finding words in bytes. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { WordFinder } from "../../lib/usage/word_finder.ts";
import { encode } from "../running.ts";

/** All places, the slow way. */
function placesOf(words: readonly string[], text: string): number[] {
  return Array.from({ length: text.length }, (_, at) => at).filter((at) =>
    words.some((word) => text.startsWith(word, at))
  );
}

function found(words: readonly string[], text: string): number[] {
  const finder = new WordFinder(words);
  const bytes = encode(text);
  const places: number[] = [];
  for (
    let at = finder.find(bytes, 0, bytes.length);
    at !== -1;
    at = finder.find(bytes, at + 1, bytes.length)
  ) {
    places.push(at);
  }
  return places;
}

const CASES = [
  { name: "nothing in nothing", words: ["ab"], text: "" },
  { name: "a word that is all", words: ["token_count"], text: "token_count" },
  { name: "a word at both ends", words: ["abc"], text: "abc-abc" },
  { name: "words that overlap", words: ["aba", "bab"], text: "ababab" },
  { name: "words of different lengths", words: ["ab", "abcd"], text: "xabcab" },
  { name: "words that end alike", words: ["xyz", "ayz"], text: "ayzxyz" },
  { name: "a word that is cut off", words: ["abcd"], text: "abcabc" },
] satisfies { name: string; words: string[]; text: string }[];

for (const { name, words, text } of CASES) {
  Deno.test(`WordFinder finds: ${name}`, () => {
    assertEquals(found(words, text), placesOf(words, text));
  });
}

Deno.test("WordFinder finds what a search at every place finds", () => {
  const letters = fc.constantFrom("a", "b", "_", '"');
  const word = fc.string({ unit: letters, minLength: 2, maxLength: 6 });
  fc.assert(fc.property(
    fc.array(word, { minLength: 1, maxLength: 4 }),
    fc.string({ unit: letters, maxLength: 60 }),
    (words, text) => assertEquals(found(words, text), placesOf(words, text)),
  ));
});

Deno.test("WordFinder looks at nothing outside of the range", () => {
  const finder = new WordFinder(["abc"]);
  const bytes = encode("abcabc");
  assertEquals(finder.find(bytes, 1, 6), 3);
  assertEquals(finder.find(bytes, 1, 5), -1);
});

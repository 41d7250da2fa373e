import { assert, assertEquals } from "@std/assert";
import { hashBytes, WordCache } from "../../lib/json/names.ts";
import { encode } from "../running.ts";

/** Looks up a word in the middle of other bytes. */
function lookUp(words: WordCache, word: string, hash?: number): string {
  const bytes = encode(`<<${word}>>`);
  const end = bytes.length - 2;
  return words.text(bytes, 2, end, hash ?? hashBytes(bytes, 2, end));
}

const WORDS = [
  "",
  "type",
  "__proto__",
  "constructor",
  "10",
  "é你😀",
  "\ufeff",
  "x".repeat(64),
  "x".repeat(65),
  "y".repeat(1_000),
];

Deno.test("WordCache.text() returns the text of any bytes, also when it is cached", () => {
  const words = new WordCache();
  for (let round = 0; round < 3; round++) {
    for (const word of WORDS) assertEquals(lookUp(words, word), word);
  }
});

Deno.test("WordCache.text() distinguishes words of one hash", () => {
  const words = new WordCache();
  for (let round = 0; round < 2; round++) {
    for (const word of ["aa", "ab", "a", "aaa", "", "aa"]) {
      assertEquals(lookUp(words, word, 7), word);
    }
  }
});

Deno.test("WordCache.text() compares only the bytes of the range", () => {
  const words = new WordCache();
  assertEquals(lookUp(words, "ab", 7), "ab");
  assertEquals(words.text(encode("bax"), 1, 3, 7), "ax");
});

Deno.test("WordCache.text() keeps no reference to the caller's bytes", () => {
  const words = new WordCache();
  const bytes = encode("first");
  assertEquals(words.text(bytes, 0, 5, 1), "first");
  bytes.set(encode("other"));
  assertEquals(words.text(bytes, 0, 5, 1), "other");
  assertEquals(lookUp(words, "first", 1), "first");
});

Deno.test("WordCache.text() returns 10,000 words, more than it caches", () => {
  const words = new WordCache();
  for (let i = 0; i < 10_000; i++) {
    assertEquals(lookUp(words, `word ${i}`), `word ${i}`);
  }
});

Deno.test("hashBytes() depends on the bytes and not on their offset", () => {
  const one = encode("abcdef");
  const other = encode("xxabcdefxx");
  assertEquals(hashBytes(one, 0, 6), hashBytes(other, 2, 8));
  assert(hashBytes(one, 0, 6) !== hashBytes(one, 0, 5));
  assert(hashBytes(one, 0, 2) !== hashBytes(one, 1, 3));
});

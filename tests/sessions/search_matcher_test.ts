/**
 * Tests how the terms of queries match texts.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { SearchMatcher } from "../../lib/sessions/search_matcher.ts";
import { parseSearchQuery } from "../../lib/sessions/search_query.ts";

const MATCHES = [
  { query: "STRASSE", text: "Straße — strasse", found: ["strasse"] },
  { query: "test", text: "“Test” … atest été", found: ["Test"] },
  { query: "test", text: "Test, tests and a test", found: ["Test", "test"] },
  {
    query: "tes*",
    text: "Test, tests and a test",
    found: ["Test", "tests", "test"],
  },
  {
    query: '"unit test"',
    text: "unit unit-test, unit\n test",
    found: [
      "unit-test",
      "unit\n test",
    ],
  },
  { query: '"a b"', text: "a a b a b", found: ["a b", "a b"] },
  { query: '"a b"*', text: "a a bc, Ä, b", found: ["a bc", "Ä, b"] },
  { query: "привет", text: "Привет! hi", found: ["Привет"] },
  { query: "cafe", text: "Café CAFE\u0301", found: ["Café", "CAFE\u0301"] },
  { query: "o(b", text: "foo(bar) FOO(BAR)", found: ["o(b", "O(B"] },
  { query: '"no: such"', text: "no:\n  such", found: ["no:\n  such"] },
  { query: ".*", text: "a.*b", found: [".*"] },
  { query: "a-b b", text: "a-b b", found: ["a-b", "b"] },
  { query: "😀", text: "x😀y", found: ["😀"] },
] satisfies { query: string; text: string; found: string[] }[];

for (const { query, text, found } of MATCHES) {
  Deno.test(`SearchMatcher finds ${query} in ${JSON.stringify(text)}`, () => {
    const matcher = new SearchMatcher(parseSearchQuery(query));
    assertEquals(
      matcher.matches(text).map(({ start, end }) => text.slice(start, end)),
      found,
    );
    assertEquals(matcher.confirms(text), true);
  });
}

Deno.test("SearchMatcher confirms a text only with all strings", () => {
  const matcher = new SearchMatcher(parseSearchQuery("a/b c/d word"));
  assertEquals(matcher.confirms("A/B then c/d"), true);
  assertEquals(matcher.confirms("a/b then word"), false);
});

Deno.test("SearchMatcher leaves words to the index, whose tokenizer may match more", () => {
  for (const query of ["word", "fo*"]) {
    const matcher = new SearchMatcher(parseSearchQuery(query));
    assertEquals(matcher.confirms(""), true);
  }
});

Deno.test("SearchMatcher scores a text higher with all terms, more matches and less other text", () => {
  const matcher = new SearchMatcher(parseSearchQuery("elephant a/b"));
  const texts = [
    "elephant a/b",
    "a/b elephant, and then another animal",
    "elephant elephant elephant elephant",
    `elephant a/b ${"and others ".repeat(100)}`,
    `elephant ${"and others ".repeat(100)}`,
    "lion",
  ];
  const scores = texts.map((text) => matcher.score(text));
  for (const [at, score] of scores.slice(1).entries()) {
    assert(score < (scores[at] ?? 0), texts[at + 1]);
  }
  assertEquals(scores.at(-1), 0);
});

/**
 * Tests which part of a message a snippet shows.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { SearchMatcher } from "../../lib/sessions/search_matcher.ts";
import { parseSearchQuery } from "../../lib/sessions/search_query.ts";
import { snippetOf } from "../../lib/sessions/search_snippet.ts";
import fc, { anyText } from "../property_seed.ts";

function shown(query: string, text: string, length: number): string {
  const matches = new SearchMatcher(parseSearchQuery(query)).matches(text);
  return snippetOf(text, matches, length)
    .map(({ text, isMatch }) => isMatch ? `[${text}]` : text).join("");
}

const FILL = "lorem ipsum dolor sit amet ".repeat(10);

const CASES = [
  {
    name: "adjacent matches as one",
    query: "=",
    text: "a == b = c",
    length: 40,
    expected: "a [==] b [=] c",
  },
  {
    name: "a short text unchanged",
    query: "b",
    text: "a b c",
    length: 40,
    expected: "a [b] c",
  },
  {
    name: "white space as one blank",
    query: "b",
    text: " a\n\n\tb  c\n",
    length: 40,
    expected: "a [b] c",
  },
  {
    name: "the text around the match",
    query: "here",
    text: `${FILL}it is here somewhere ${FILL}`,
    length: 40,
    expected: "…it is [here] somewhere lorem ipsum dolor…",
  },
  {
    name: "the match, even behind a long word",
    query: "needle",
    text: `${"x".repeat(100)}-needle in it ${FILL}`,
    length: 60,
    expected:
      "…xxxxxxxxxxxxxx-[needle] in it lorem ipsum dolor sit amet lorem…",
  },
  {
    name: "the match, even in a snippet shorter than the match",
    query: "needle",
    text: `${FILL}a needle in it ${FILL}`,
    length: 4,
    expected: "…[needle]…",
  },
  {
    name: "the place with the most terms",
    query: "one two",
    text: `one ${FILL}one two ${FILL}`,
    length: 40,
    expected: "…sit amet [one] [two] lorem ipsum dolor sit…",
  },
  {
    name: "the beginning of a text without a match",
    query: "nothing",
    text: FILL,
    length: 20,
    expected: "lorem ipsum dolor…",
  },
  {
    name: "a match longer than the snippet",
    query: `"${"a/".repeat(30)}"`,
    text: `x ${"a/".repeat(30)} y`,
    length: 20,
    expected: `x [${"a/".repeat(19)}]…`,
  },
] satisfies {
  name: string;
  query: string;
  text: string;
  length: number;
  expected: string;
}[];

for (const { name, query, text, length, expected } of CASES) {
  Deno.test(`snippetOf() shows ${name}`, () => {
    assertEquals(shown(query, text, length), expected);
  });
}

Deno.test("snippetOf() cuts no character in half in a text without blanks", () => {
  for (const start of ["", "x"]) {
    for (const end of ["", "x"]) {
      const text = `${start}${"😀".repeat(100)}needle${end}${"😀".repeat(100)}`;
      const parts = snippetOf(
        text,
        [{ start: start.length + 200, end: start.length + 206, term: 0 }],
        60,
      );
      const all = parts.map((part) => part.text).join("");
      assert(all.isWellFormed(), all);
      assert(all.startsWith("…😀") && all.endsWith("😀…"), all);
    }
  }
});

Deno.test("snippetOf() is short, cuts no character and has a match for every text", () => {
  fc.assert(fc.property(
    anyText({ maxLength: 400 }),
    fc.nat(),
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 20, max: 100 }),
    (text, at, size, length) => {
      const start = at % Math.max(1, text.length);
      const match = {
        start,
        end: Math.min(text.length, start + size),
        term: 0,
      };
      const parts = snippetOf(text, [match], length);
      const all = parts.map((part) => part.text).join("");
      assert(all.length <= 2 * length + 2, all);
      assert(!/\s\s/.test(all));
      const isBlank = text.slice(match.start, match.end) === "";
      assertEquals(parts.some(({ isMatch }) => isMatch), !isBlank);
    },
  ));
});

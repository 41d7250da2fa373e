/**
 * Tests how queries are read, and found in texts.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import {
  expressionsOf,
  parseSearchQuery,
  SearchMatcher,
} from "../../lib/sessions/search_query.ts";

const QUERIES = [
  { name: "nothing", query: "", terms: [] },
  { name: "white space", query: " \t\n", terms: [] },
  { name: "words", query: "Flaky TEST", terms: ["words flaky", "words test"] },
  { name: "a word twice", query: "a A a", terms: ["words a"] },
  { name: "a phrase", query: '"unit  test"', terms: ["words unit  test"] },
  { name: "an empty phrase", query: '"" " "', terms: [] },
  { name: "a beginning", query: "foo*", terms: ["words foo*"] },
  {
    name: "a phrase and its beginning",
    query: '"a fo"*',
    terms: ["words a fo*"],
  },
  { name: "a call", query: "foo(bar)", terms: ["string foo(bar)"] },
  { name: "a flag", query: "-x --long", terms: ["string -x", "string --long"] },
  { name: "a path of Windows", query: "C:\\a\\b", terms: ["string c:\\a\\b"] },
  {
    name: "an open quotation mark",
    query: '"unclosed one',
    terms: [
      'string "unclosed',
      "words one",
    ],
  },
  {
    name: "a quotation mark within",
    query: 'a"b" "c"d',
    terms: [
      'string a"b"',
      'string "c"d',
    ],
  },
  {
    name: "an apostrophe",
    query: "' don't",
    terms: ["string '", "string don't"],
  },
  {
    name: "words of FTS5",
    query: "NEAR(a b) AND NOT x",
    terms: [
      "string near(a",
      "string b)",
      "words and",
      "words not",
      "words x",
    ],
  },
  {
    name: "a column of FTS5",
    query: "text:foo ^a",
    terms: [
      "string text:foo",
      "string ^a",
    ],
  },
  {
    name: "stars",
    query: "* a*b ** x_*",
    terms: [
      "string *",
      "string a*b",
      "string **",
      "string x_*",
    ],
  },
  {
    name: "a string in quotation marks",
    query: '"error: no such"',
    terms: [
      "string error: no such",
    ],
  },
  {
    name: "words with accents",
    query: "Café ÉTÉ",
    terms: [
      "words café",
      "words été",
    ],
  },
  { name: "a language without spaces", query: "日本", terms: ["string 日本"] },
  {
    name: "what is no text",
    query: "\ud83d\0",
    terms: ["string \ufffd\ufffd"],
  },
] satisfies { name: string; query: string; terms: string[] }[];

for (const { name, query, terms } of QUERIES) {
  Deno.test(`parseSearchQuery() reads ${name}`, () => {
    assertEquals(
      parseSearchQuery(query).map(({ kind, text, isBeginning }) =>
        `${kind} ${text}${isBeginning ? "*" : ""}`
      ),
      terms,
    );
  });
}

const EXPRESSIONS = [
  { query: "one two", words: '"one" AND "two"', symbols: undefined },
  { query: '"one two"*', words: '"one two" *', symbols: undefined },
  { query: "a/bcd", words: '"bcd" *', symbols: '"a/b" AND "/bc"' },
  { query: "a/bc", words: undefined, symbols: '"a/b" AND "/bc"' },
  {
    query: "a/bcd/e",
    words: '"bcd"',
    symbols: '"a/b" AND "/bc" AND "cd/" AND "d/e"',
  },
  {
    query: "/a/bc/",
    words: '"a bc"',
    symbols: '"/a/" AND "a/b" AND "/bc" AND "bc/"',
  },
  { query: "x =", words: '"x"', symbols: undefined },
  { query: "=", words: undefined, symbols: '"=" *' },
  { query: "= a-b", words: undefined, symbols: '"a-b"' },
  { query: '"a => bar"', words: '"bar" *', symbols: '"=>" *' },
  { query: 'a""b', words: undefined, symbols: '"a""""" AND """""b"' },
  // What is a word in it, only the tokenizer knows.
  { query: "日本語", words: undefined, symbols: '"日本語"' },
] satisfies {
  query: string;
  words: string | undefined;
  symbols: string | undefined;
}[];

for (const { query, words, symbols } of EXPRESSIONS) {
  Deno.test(`expressionsOf() looks up ${query}`, () => {
    assertEquals(expressionsOf(parseSearchQuery(query)), { words, symbols });
  });
}

const MATCHES = [
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
    assertEquals(matcher.hasStrings(text), true);
  });
}

Deno.test("SearchMatcher wants all strings", () => {
  const matcher = new SearchMatcher(parseSearchQuery("a/b c/d word"));
  assertEquals(matcher.hasStrings("A/B then c/d"), true);
  assertEquals(matcher.hasStrings("a/b then word"), false);
});

/**
 * Tests how queries are parsed, and which lookups they need.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import {
  expressionsOf,
  parseSearchQuery,
} from "../../lib/sessions/search_query.ts";

const QUERIES = [
  { name: "nothing", query: "", terms: [] },
  { name: "white space", query: " \t\n", terms: [] },
  { name: "words", query: "Flaky TEST", terms: ["words flaky", "words test"] },
  { name: "a word twice", query: "a A a", terms: ["words a"] },
  {
    name: "a word and its beginning",
    query: "a* a A*",
    terms: ["words a*", "words a"],
  },
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
    name: "text that is not well-formed",
    query: "\ud83d\0",
    terms: ["string \ufffd\ufffd"],
  },
] satisfies { name: string; query: string; terms: string[] }[];

for (const { name, query, terms } of QUERIES) {
  Deno.test(`parseSearchQuery() parses ${name}`, () => {
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
  { query: '"one word"*', words: '"one word" *', symbols: undefined },
  { query: '"one two"*', words: '"one two" *', symbols: undefined },
  { query: "a* tes*", words: '"a" * AND "tes" *', symbols: undefined },
  { query: "a* =", words: '"a" *', symbols: '"="' },
  { query: "a/bcde", words: '"bcde" *', symbols: '"a/b" AND "/bc"' },
  { query: "a/bcd", words: undefined, symbols: '"a/b" AND "/bc"' },
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
  { query: "x =", words: '"x"', symbols: '"="' },
  { query: "=", words: undefined, symbols: '"="' },
  { query: "= }", words: undefined, symbols: '"=" AND "}"' },
  { query: "= a-b", words: undefined, symbols: '"=" AND "a-b"' },
  {
    query: '"a => bars"',
    words: '"bars" *',
    symbols: '"=>" AND "a\x01=" AND ">\x01b"',
  },
  { query: 'a""b', words: undefined, symbols: '"a""""" AND """""b"' },
  // Only the tokenizer knows where words begin and end in this script.
  { query: "日本語", words: undefined, symbols: '"日本語"' },
] satisfies {
  query: string;
  words: string | undefined;
  symbols: string | undefined;
}[];

for (const { query, words, symbols } of EXPRESSIONS) {
  Deno.test(`expressionsOf() looks up ${query}`, () => {
    assertEquals(expressionsOf(parseSearchQuery(query)), {
      words,
      symbols,
    });
  });
}

Deno.test("parseSearchQuery() cuts very long terms", () => {
  const long = "word ".repeat(1_000);
  assertEquals(
    parseSearchQuery(`"${long}" ${"x".repeat(5_000)} ${"😀".repeat(2_000)}`)
      .map(({ text, isBeginning }) => [text.length, isBeginning]),
    [[1_000, true], [1_000, true], [1_000, false]],
  );
});

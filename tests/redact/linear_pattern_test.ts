import { assertEquals, assertThrows } from "@std/assert";
import { LinearPattern } from "../../lib/redact/linear_pattern.ts";
import { Redactor } from "../../lib/redact/redactor.ts";

const PATTERNS = [
  ...["ACME-\\d{6}", "a*", "(a|ab)(c|bcd)(d*)", "x+?y", "\\bfoo\\b", "^a|b$"],
  ...["[^a-c]+", "a{2,3}?", "(?:ab)*c?", "\\p{L}+", "(?<n>a+)b", "a|ab|abc"],
  ...["(a*)*b", "(x+x+)+y", ".*?;", "token=(.*?);", "\\u{1F600}+", "[\\]a]+"],
  ...["a{0}b", "(?:)", "\\/x", "\\d+(?:\\.\\d+)?", "(|a)+b", ".", "\\S+@\\S+"],
  ...["\\Bo", "a{2,}", "\\x61", "\\ud83d\\ude00", "[\\u{1F600}x]"],
];
const TEXTS = [
  ...["", "abcd", "ACME-1234567 ACME-12345", "aaa b abab", "xxxy xxy"],
  ...["foo foobar barfoo foo", "token=abc;x;y", "ab😀😀é]a", "1.5 22 3."],
  ...["a@b c@@d", "\n\na\nb", "a/x"],
];

Deno.test("LinearPattern finds the same matches as a regular expression", () => {
  for (const pattern of PATTERNS) {
    for (const text of TEXTS) {
      const matches = [...text.matchAll(new RegExp(pattern, "gu"))]
        .filter(([found]) => found !== "")
        .map(({ 0: found, index }) => [index, index + found.length]);
      assertEquals(
        [...new LinearPattern(pattern).matchesIn(text)],
        matches as [number, number][],
        `${pattern} in ${text}`,
      );
    }
  }
});

Deno.test("LinearPattern refuses patterns that it cannot match in linear time, with the reason", () => {
  for (
    const [pattern, reason] of [
      ["a(?=b)", "a look ahead or behind"],
      ["(?!b)a", "a look ahead or behind"],
      ["(?<=b)a", "a look ahead or behind"],
      ["(?<!b)a", "a look ahead or behind"],
      ["(a)\\1", "a back reference"],
      ["(?<n>a)\\k<n>", "a back reference"],
      ["a{2000}", "a repetition of more than 1000"],
      ["(?:(?:a{30}){30}){30}", "repetitions of more than 1000 steps"],
      ["(", "Unterminated group"],
    ] as const
  ) {
    assertThrows(() => new LinearPattern(pattern), SyntaxError, reason);
  }
});

Deno.test("LinearPattern takes linear time where backtracking would take exponential time", () => {
  for (
    const [pattern, text] of [
      ["(x+x+)+y", "x"],
      ["(a|a)*b", "a"],
      ["(?:a?){20}a{20}b", "a"],
      ["(.*a){9}b", "a"],
      ["\\w+@", "a"],
    ] as const
  ) {
    const matches = new LinearPattern(pattern).matchesIn(text.repeat(20_000));
    assertEquals([...matches], []);
  }
});

Deno.test("LinearPattern takes linear time for many attempts that fail at the end of a text", () => {
  const text = "ACME-1 ".repeat(2000);
  const redactor = new Redactor({
    patterns: [new LinearPattern("ACME-\\d(.*END)?")],
  });
  const masked = redactor.redact(text);
  assertEquals(/^(?:\[redacted:pattern\] ?)+$/.test(masked), true);
});

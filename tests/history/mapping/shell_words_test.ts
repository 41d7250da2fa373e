import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { shellWords } from "../../../lib/history/mapping/shell_words.ts";

const CASES = [
  { name: "nothing", line: "", words: [] },
  { name: "white space only", line: " \t\n", words: [] },
  { name: "words", line: " a  b\tc ", words: ["a", "b", "c"] },
  { name: "quotes of both kinds", line: `'a b'"c d"`, words: ["a bc d"] },
  { name: "empty words", line: `'' ""`, words: ["", ""] },
  { name: "a quote in quotes", line: `'it'"'"'s'`, words: ["it's"] },
  { name: "escapes", line: `a\\ b "\\$x \\n"`, words: ["a b", "$x \\n"] },
  { name: "a continued line", line: "a\\\nb", words: ["ab"] },
  { name: "no comment", line: "a # b", words: ["a", "#", "b"] },
  { name: "an open quote", line: "echo 'a", words: ["echo 'a"] },
  { name: "an open double quote", line: 'echo "a', words: ['echo "a'] },
  { name: "an escaped end", line: 'echo "a\\"', words: ['echo "a\\"'] },
  { name: "an open escape", line: "a \\", words: ["a \\"] },
] satisfies { name: string; line: string; words: string[] }[];

for (const { name, line, words } of CASES) {
  Deno.test(`shellWords() splits: ${name}`, () => {
    assertEquals(shellWords(line), words);
  });
}

Deno.test("shellWords() undoes how Codex quotes words", () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: "grapheme" })), (words) => {
    const line = words.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`);
    assertEquals(shellWords(line.join(" ")), words);
  }));
});

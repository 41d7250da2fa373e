import { assertEquals } from "@std/assert";
import { escapeControls } from "../../lib/cli/escape.ts";

const CASES = [
  { name: "plain text", text: "a b~ä€😀", expected: "a b~ä€😀" },
  { name: "an escape sequence", text: "\x1b[31m", expected: "\\u001b[31m" },
  {
    name: "line ends and tabs",
    text: "\r\n\t",
    expected: "\\u000d\\u000a\\u0009",
  },
  { name: "NUL and DEL", text: "\0\x7f", expected: "\\u0000\\u007f" },
  { name: "C1 controls", text: "\x9b1m", expected: "\\u009b1m" },
  {
    name: "bidirectional overrides and isolates",
    text: "\u202eabc\u2066",
    expected: "\\u202eabc\\u2066",
  },
  {
    name: "the joiners of emoji and of Persian words",
    text: "👩\u200d💻 می\u200cخواهم",
    expected: "👩\u200d💻 می\u200cخواهم",
  },
  {
    name: "line and paragraph separators",
    text: "\u2028\u2029",
    expected: "\\u2028\\u2029",
  },
] satisfies { name: string; text: string; expected: string }[];

for (const { name, text, expected } of CASES) {
  Deno.test(`escapeControls() escapes or keeps: ${name}`, () => {
    assertEquals(escapeControls(text), expected);
  });
}

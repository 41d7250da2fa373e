import { assertEquals } from "@std/assert";
import {
  inertLine,
  inertText,
  plainTerminalText,
} from "../../lib/render/inert_text.ts";

const INERT_CASES = [
  { name: "colours", text: "\x1b[1;31mred\x1b[0m", inert: "red" },
  { name: "moves of the cursor", text: "a\x1b[2K\x1b[1Gb", inert: "ab" },
  { name: "modes", text: "\x1b[?2004hprompt", inert: "prompt" },
  {
    name: "the title of a window",
    text: "\x1b]0;owned\x07",
    inert: "\\u001b]0;owned\\u0007",
  },
  {
    name: "a link of a terminal",
    text: "\x1b]8;;http://x\x1b\\here",
    inert: "\\u001b]8;;http://x\\u001b\\here",
  },
  { name: "C1 controls", text: "\x9b31mred\x9d", inert: "red\\u009d" },
  {
    name: "a CR that would hide the text before it",
    text: "rm -rf /\rls",
    inert: "rm -rf /\nls",
  },
  { name: "CRLF", text: "a\r\nb", inert: "a\nb" },
  { name: "tabs", text: "a\tb", inert: "a    b" },
  { name: "backspaces and bells", text: "a\bb\x07", inert: "a\\u0008b\\u0007" },
  {
    name: "bidirectional controls",
    text: "a\u202eb\u2066c",
    inert: "a\\u202eb\\u2066c",
  },
  {
    name: "invisible characters",
    text: "a\u200bb\ufeff",
    inert: "a\\u200bb\\ufeff",
  },
  { name: "tags", text: "a\u{e0041}", inert: "a\\u{e0041}" },
  { name: "half of a surrogate pair", text: "a\ud83d", inert: "a\ufffd" },
  { name: "emoji of several characters", text: "👩‍💻é", inert: "👩‍💻é" },
  {
    name: "a workflow command anywhere in a line",
    text: "x ##[error]y",
    inert: "x #\\#[error]y",
  },
] satisfies { name: string; text: string; inert: string }[];

for (const { name, text, inert } of INERT_CASES) {
  Deno.test(`inertText() replaces ${name}`, () => {
    assertEquals(inertText(text), inert);
  });
}

Deno.test("inertLine() escapes workflow commands at the beginning of a line", () => {
  assertEquals(
    ["::error::x", "  ::set-output name=a::b", "a ::b"].map(inertLine),
    ["\\::error::x", "  \\::set-output name=a::b", "a ::b"],
  );
});

Deno.test("plainTerminalText() removes colours, modes and the erasure of line ends only", () => {
  assertEquals(
    plainTerminalText("\x1b[?2004h$ \x1b[31mred\x1b[0m\x1b[K\x1b[2J\x1b[2K"),
    "$ red\x1b[2J\x1b[2K",
  );
});

import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import {
  clipped,
  inertLine,
  inertText,
  widthOf,
  wrapped,
} from "../../lib/render/terminal_text.ts";

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
    name: "a CR that would hide what stands before it",
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
    name: "what hides text",
    text: "a\u200bb\ufeff",
    inert: "a\\u200bb\\ufeff",
  },
  { name: "tags", text: "a\u{e0041}", inert: "a\\u{e0041}" },
  { name: "half of a pair", text: "a\ud83d", inert: "a\ufffd" },
  { name: "emoji of several characters", text: "👩‍💻é", inert: "👩‍💻é" },
  {
    name: "a command of a runner anywhere",
    text: "x ##[error]y",
    inert: "x #\\#[error]y",
  },
] satisfies { name: string; text: string; inert: string }[];

for (const { name, text, inert } of INERT_CASES) {
  Deno.test(`inertText() makes harmless: ${name}`, () => {
    assertEquals(inertText(text), inert);
  });
}

Deno.test("inertLine() lets no line begin with a command of a runner", () => {
  assertEquals(
    ["::error::x", "  ::set-output name=a::b", "a ::b"].map(inertLine),
    ["\\::error::x", "  \\::set-output name=a::b", "a ::b"],
  );
});

const layout = (columns: number) => ({ columns, first: "$ ", rest: "  " });

const WRAP_CASES = [
  { name: "short lines", line: "a b", lines: ["$ a b"] },
  {
    name: "long lines between words",
    line: "aaaaaaaa bbbbbbbb cccccccc",
    lines: ["$ aaaaaaaa bbbbbbbb", "  cccccccc"],
  },
  {
    name: "a word that is too long",
    line: "abcdefghijklmnopqrstuvwxyz",
    lines: ["$ abcdefghijklmnopqr", "  stuvwxyz"],
  },
  {
    name: "wide characters by their width",
    line: "漢字漢字漢字漢字漢字漢字",
    lines: ["$ 漢字漢字漢字漢字漢", "  字漢字"],
  },
  {
    name: "indented lines with their indent",
    line: "    aaaaaaaa bbbbbbbb",
    lines: ["$     aaaaaaaa", "      bbbbbbbb"],
  },
] satisfies { name: string; line: string; lines: string[] }[];

for (const { name, line, lines } of WRAP_CASES) {
  Deno.test(`wrapped() breaks: ${name}`, () => {
    assertEquals(wrapped([line], layout(20)), lines);
  });
}

Deno.test("wrapped() and clipped() fit every text, and wrapped() loses none of it", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 120 });
  fc.assert(
    fc.property(text, fc.integer({ min: 24, max: 60 }), (raw, columns) => {
      const lines = inertText(raw).split("\n");
      const broken = wrapped(lines, layout(columns));
      for (const line of [...broken, ...clipped(lines, layout(columns))]) {
        assertEquals(widthOf(line) <= columns, true, line);
      }
      const squeezed = (parts: readonly string[]): string =>
        parts.join("").replace(/\s/g, "");
      assertEquals(
        squeezed(broken.map((line) => line.slice(2))),
        squeezed(lines),
      );
    }),
  );
});

Deno.test("clipped() says where it cut", () => {
  assertEquals(
    clipped(
      ["abcdefghijklmnopqrstuvwxyz", "漢字漢字漢字漢字漢字漢字"],
      layout(20),
    ),
    ["$ abcdefghijklmnopq…", "  漢字漢字漢字漢字…"],
  );
});

Deno.test("clipped() leaves what fits, however many units it has", () => {
  const line = "👩‍💻".repeat(9);
  assertEquals(clipped([line], layout(20)), [`$ ${line}`]);
});

Deno.test("wrapped() breaks a word of a megabyte without looking at all of it each time", () => {
  for (const [word, columns] of [["x", 1], ["漢", 2]] as const) {
    const lines = wrapped([word.repeat(200_000)], layout(82));
    assertEquals(lines.length, 200_000 * columns / 80);
  }
});

Deno.test("clipped() looks at no more of a long line than it shows", () => {
  const [line = ""] = clipped(["漢".repeat(5_000_000)], layout(20));
  assertEquals(widthOf(line) <= 20, true);
});

import { assertEquals } from "@std/assert";
import { inertText } from "../../lib/render/inert_text.ts";
import { clipped, widthOf, wrapped } from "../../lib/render/terminal_text.ts";
import fc, { anyText } from "../property_seed.ts";

const layout = (columns: number) => ({ columns, sign: "$ " });

const WRAP_CASES = [
  { name: "short lines", line: "a b", lines: ["$ a b"] },
  {
    name: "long lines between words",
    line: "aaaaaaaa bbbbbbbb cccccccc",
    lines: ["$ aaaaaaaa bbbbbbbb", "  cccccccc"],
  },
  {
    name: "a too long word",
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
  {
    name: "a too long word in an indented line",
    line: "    abcdefghijklmnopqrstuvwxyzabcdefgh x",
    lines: ["$     abcdefghijklmn", "      opqrstuvwxyzab", "      cdefgh x"],
  },
] satisfies { name: string; line: string; lines: string[] }[];

for (const { name, line, lines } of WRAP_CASES) {
  Deno.test(`wrapped() breaks ${name}`, () => {
    assertEquals(wrapped([line], layout(20)), lines);
  });
}

Deno.test("wrapped() and clipped() keep to the width, and wrapped() keeps all characters", () => {
  const text = anyText({ maxLength: 120 });
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

Deno.test("clipped() writes an ellipsis where it cuts", () => {
  assertEquals(
    clipped(
      ["abcdefghijklmnopqrstuvwxyz", "漢字漢字漢字漢字漢字漢字"],
      layout(20),
    ),
    ["$ abcdefghijklmnopq…", "  漢字漢字漢字漢字…"],
  );
});

Deno.test("clipped() measures graphemes, not UTF-16 units", () => {
  const line = "👩‍💻".repeat(9);
  assertEquals(clipped([line], layout(20)), [`$ ${line}`]);
});

Deno.test("wrapped() takes linear time for a word of many characters", () => {
  for (const [word, columns] of [["x", 1], ["漢", 2]] as const) {
    const lines = wrapped([word.repeat(200_000)], layout(82));
    assertEquals(lines.length, 200_000 * columns / 80);
  }
});

Deno.test("clipped() reads only the needed part of a long line", () => {
  const [line = ""] = clipped(["漢".repeat(5_000_000)], layout(20));
  assertEquals(widthOf(line) <= 20, true);
});

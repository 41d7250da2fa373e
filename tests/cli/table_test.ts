import { assertEquals } from "@std/assert";
import { COLORED_STYLE, PLAIN_STYLE } from "../../lib/render/text_style.ts";
import { type Column, numbers, tableText } from "../../lib/cli/table.ts";

type Row = readonly [id: string, tokens?: string, title?: string];

const COLUMNS: readonly Column<Row>[] = [
  { title: "ID", cell: ([id]) => id },
  numbers("TOKENS", ([, tokens = ""]) => tokens),
  { title: "TITLE", cut: "end", cell: ([, , title = ""]) => title },
];

/** A column of the first cells, with the title `T`. */
const ONE = [{ title: "T", cell: ([text]: Row) => text }];

const ROWS: readonly Row[] = [
  ["a1", "1,234", "Fix the flaky test in the parser"],
  ["b", "5", "天地玄黃宇宙洪荒"],
];

const CASES = [
  {
    name: "aligned columns, with numbers at the right",
    width: undefined,
    expected: `ID  TOKENS  TITLE
a1   1,234  Fix the flaky test in the parser
b        5  天地玄黃宇宙洪荒
`,
  },
  {
    name: "cells cut to the width",
    width: 24,
    expected: `ID  TOKENS  TITLE
a1   1,234  Fix the fla…
b        5  天地玄黃宇…
`,
  },
  {
    name:
      "whole columns if they cannot be cut, and a few characters of the others",
    width: 5,
    expected: `ID  TOKENS  TITLE
a1   1,234  Fix the…
b        5  天地玄…
`,
  },
] satisfies { name: string; width: number | undefined; expected: string }[];

for (const { name, width, expected } of CASES) {
  Deno.test(`tableText() prints ${name}`, async () => {
    assertEquals(
      await tableText(COLUMNS, ROWS, { width, style: PLAIN_STYLE }),
      expected,
    );
  });
}

Deno.test("tableText() leaves out spare columns once the others are cut to their kept width", async () => {
  const columns = COLUMNS.map((column, i) => ({
    ...column,
    ...(i === 1 ? { isSpare: true } : { keptWidth: 10 }),
  }));
  for (
    const { width, expected } of [
      { width: 22, expected: "ID  TOKENS  TITLE\na1   1,234  Fix the f…\n" },
      { width: 21, expected: "ID  TITLE\na1  Fix the flaky te…\n" },
    ]
  ) {
    assertEquals(
      await tableText(columns, ROWS.slice(0, 1), { width, style: PLAIN_STYLE }),
      expected,
    );
  }
});

Deno.test("tableText() escapes control characters", async () => {
  assertEquals(
    await tableText(ONE, [["a\x1b[31m\nb"]], {
      style: PLAIN_STYLE,
    }),
    "T\na\\u001b[31m\\u000ab\n",
  );
});

Deno.test("tableText() prints the same text with colours", async () => {
  const columns = COLUMNS.map((column, i) =>
    i === 0 ? { ...column, look: COLORED_STYLE.cyan } : column
  );
  const colored = await tableText(columns, ROWS, {
    width: 24,
    style: COLORED_STYLE,
  });
  assertEquals(
    // deno-lint-ignore no-control-regex
    colored.replace(/\x1b\[\d+m/g, ""),
    await tableText(COLUMNS, ROWS, { width: 24, style: PLAIN_STYLE }),
  );
});

Deno.test("tableText() prints only the titles without rows", async () => {
  assertEquals(
    await tableText(COLUMNS, [], { style: PLAIN_STYLE }),
    "ID  TOKENS  TITLE\n",
  );
});

Deno.test("tableText() prints more rows than a call may have arguments", async () => {
  const rows = new Array<Row>(200_000).fill(["a"]);
  const text = await tableText(ONE, rows, { style: PLAIN_STYLE });
  assertEquals(text.length, 2 * (1 + rows.length));
});

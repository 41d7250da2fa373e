import { assert, assertEquals } from "@std/assert";
import stringWidth from "string-width";
import { COLORED_STYLE } from "../../lib/render/text_style.ts";
import { terminalMarkdown } from "../../lib/render/terminal_markdown.ts";
import fc from "../property_seed.ts";
import { CONTROL_REGEXP } from "./sessions.ts";

/** Names for the escape sequences of styles. */
const NAMES = [
  ["\x1b[1m", "<b>"],
  ["\x1b[22m", "</>"],
  ["\x1b[3m", "<i>"],
  ["\x1b[23m", "</>"],
  ["\x1b[36m", "<c>"],
  ["\x1b[39m", "</>"],
  ["\x1b[2m", "<d>"],
  ["\x1b[32m", "<+>"],
  ["\x1b[31m", "<->"],
  ["\x1b]8;;\x1b\\", ""],
  ["\x1b]8;;", "<a "],
  ["\x1b\\\x1b[4m", ">"],
  ["\x1b[24m", "</>"],
];

const CASES = [
  {
    name: "headings and paragraphs with line breaks between words",
    text: "# One *two*\n\nthree **four five six** seven\neight",
    lines: [
      "<b>One </><b><i>two</></>",
      "",
      "three <b>four five six</>",
      "seven",
      "eight",
    ],
  },
  {
    name: "lists in lists, tight and loose, with boxes",
    text: "- a\n  1. b\n  2. [x] c\n- [ ] d\n\n3) e\n\n4) f",
    lines: [
      "• a",
      "  1. b",
      "  2. ☑ c",
      "• ☐ d",
      "",
      "3. e",
      "",
      "4. f",
    ],
  },
  {
    name: "code with line breaks in long lines",
    text: "`x y`\n\n```sh\nls -l /a/very/long/path/x\n\n  b\n```",
    lines: [
      "<c>x y</>",
      "",
      "  <c>ls -l</>",
      "  <c>/a/very/long/path/</>",
      "  <c>x</>",
      "",
      "  <c>  b</>",
    ],
  },
  {
    name: "diffs",
    text: "```diff\n@@ -1 +1 @@\n-a\n+b\n c\n```",
    lines: ["  <c>@@ -1 +1 @@</>", "  <->-a</>", "  <+>+b</>", "   c"],
  },
  {
    name: "quotations and rules",
    text: "> a\n>\n> b\n\n***",
    lines: [
      "<d>│ </>a",
      "<d>│ </>",
      "<d>│ </>b",
      "",
      `<d>${"─".repeat(20)}</>`,
    ],
  },
  {
    name: "tables that fit, with line breaks in cells",
    text: "|k|long|\n|-|-:|\n|a|one two three four|\n|b|1|",
    lines: [
      "<b>k</>               <b>long</>",
      "<d>─</>  <d>─────────────────</>",
      "a      one two three",
      "                four",
      "b                  1",
    ],
  },
  {
    name: "too wide tables row by row",
    text: "|a|b|c|\n|-|-|-|\n|123456789|123456789|123456789|\n|1|2|3|",
    lines: [
      "<b>a: </>123456789",
      "<b>b: </>123456789",
      "<b>c: </>123456789",
      "",
      "<b>a: </>1",
      "<b>b: </>2",
      "<b>c: </>3",
    ],
  },
  {
    name: "links with their addresses",
    text: "[a](https://x.org/é/b) https://y.org [b](/c.ts) ![d](https://z.org)",
    lines: [
      "<a https://x.org/%C3%A9/b>a</>",
      "<d>(https://x.org/é/b)</>",
      "<a https://y.org>https://y.org</> b",
      "(<c>/c.ts</>) [image] <a https://z.org>d</>",
      "<d>(https://z.org)</>",
    ],
  },
  {
    name: "addresses of other schemes as text",
    text: "[a](javascript:x) [](data:y)",
    lines: ["a (<c>javascript:x</>)", "data:y"],
  },
] satisfies { name: string; text: string; lines: string[] }[];

for (const { name, text, lines } of CASES) {
  Deno.test(`terminalMarkdown() writes ${name}`, () => {
    const found = terminalMarkdown(text, { columns: 20, style: COLORED_STYLE });
    const named = found.map((line) =>
      NAMES.reduce(
        (all, [code = "", name = ""]) => all.replaceAll(code, name),
        line,
      )
    );
    assertEquals(named, lines);
  });
}

/** The escape sequences of styles. */
const LOOK_REGEXP =
  // deno-lint-ignore no-control-regex
  /\x1b\[\d+m|\x1b\]8;;(?:(?:https?:\/\/|mailto:)[\x21-\x7e]+)?\x1b\\/g;

Deno.test("terminalMarkdown() keeps to its width, and writes no control characters of the text", () => {
  const piece = fc.constantFrom(
    ..."* ** _ ~~ ` ``` > - 1. # | |- [ ] ( ) ![ ]( <b> https://x.org/ \x1b[2J \x9b \x1b]8;;a\x07 &#155; 漢字 wörd"
      .split(" "),
    "\n",
    "\n\n",
    "\n|-|-|\n",
    "    ",
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const columns = 80;
      const lines = terminalMarkdown(pieces.join(""), {
        columns,
        style: COLORED_STYLE,
      });
      for (const line of lines) {
        assert(!CONTROL_REGEXP.test(line.replace(LOOK_REGEXP, "")), line);
        assert(stringWidth(line) <= columns, line);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("terminalMarkdown() takes linear time for repeated pieces", () => {
  // In quadratic time this would not end.
  const texts = [
    ...["[a](b) ", "*a* ", "> ", "- a\n", "|a", "a|b\n-|-\n", "漢"]
      .map((piece) => piece.repeat(2000)),
    `${"|a".repeat(4000)}\n${"|-".repeat(4000)}\n${"|b\n".repeat(15)}`,
    `${"|a".repeat(40)}${"a".repeat(9000)}\n${"|-".repeat(40)}\n${
      "|b\n".repeat(100)
    }`,
  ];
  for (const text of texts) {
    assert(
      terminalMarkdown(text, { columns: 80, style: COLORED_STYLE }).length > 0,
    );
  }
});

Deno.test("terminalMarkdown() writes a row of more cells than a call has arguments", () => {
  const row = (cell: string): string => `${`|${cell}`.repeat(130_000)}|\n`;
  const [head = ""] = terminalMarkdown(row("a") + row("-"), {
    columns: undefined,
    style: COLORED_STYLE,
  });
  assertEquals(head.match(/a/g)?.length, 130_000);
});

Deno.test("terminalMarkdown() does not repeat a long address in each line of a link", () => {
  const urlOf = (length: number): string =>
    "https://x.org/".padEnd(length, "y");
  for (const length of [200, 100_000]) {
    const layout = { columns: 80, style: COLORED_STYLE };
    const lines = terminalMarkdown(urlOf(length), layout);
    assertEquals(lines.join("").includes("\x1b]8;;"), length === 200);
    assert(lines.join("").length < 10 * length);
  }
});

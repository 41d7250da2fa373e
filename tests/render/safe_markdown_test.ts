import { assert, assertEquals } from "@std/assert";
import {
  codeBlock,
  codeSpan,
  htmlLine,
  plainLine,
  plainLines,
  safeMarkdown,
} from "../../lib/render/safe_markdown.ts";
import fc from "../property_seed.ts";

const CASES = [
  {
    name: "HTML as text",
    text: "a <script>x</script>",
    safe: ["a &lt;script>x&lt;/script>"],
  },
  {
    name: "HTML in code unchanged",
    text: "`<b>` and ``a`<b>``",
    safe: ["`<b>` and ``a`<b>``"],
  },
  {
    name: "a backtick without a second one",
    text: "a ` <b>\nc ` d",
    safe: ["a \\` &lt;b>", "c \\` d"],
  },
  {
    name: "an escaped backtick",
    text: "\\`<b>`",
    safe: ["\\`&lt;b>\\`"],
  },
  {
    name: "code directly behind a link",
    text: "https://x`<b>`",
    safe: ["https://x `<b>`"],
  },
  {
    name: "an escaped bracket directly behind a link",
    text: "https://x\\<b>",
    safe: ["https://x&lt;b>"],
  },
  {
    name: "links to the web and to files",
    text: "[a](https://x/y?z=(1)) [b](/src/a.ts:12) [c](src/b.ts)",
    safe: ["[a](https://x/y?z=(1)) [b](/src/a.ts:12) [c](src/b.ts)"],
  },
  {
    name: "other links as text",
    text: "[a](javascript:x) [b](java&#115;cript:x) [c](data:text/html,x) [d](",
    safe: [
      "[a]\\(javascript:x) [b]\\(java&#115;cript:x) [c]\\(data:text/html,x) [d]\\(",
    ],
  },
  {
    name: "a link whose target is escaped",
    text: "[a](\\javascript:x) [b](<javascript:x>)",
    safe: ["[a]\\(\\javascript:x) [b]\\(&lt;javascript:x>)"],
  },
  {
    name: "definitions of links and footnotes as text",
    text: "[a]: javascript:x\n[^1]: note",
    safe: ["[a]\\: javascript:x", "[^1]\\: note"],
  },
  {
    name: "images as links",
    text: "![i](https://x/p.png)",
    safe: ["\\![i](https://x/p.png)"],
  },
  {
    name: "headings three levels deeper",
    text: "# A\n## B\n> ### C\n- # D\n#no",
    safe: ["#### A", "##### B", "> ###### C", "- #### D", "#no"],
  },
  {
    name: "underlines of headings as text",
    text: "Turn 9\n------\nA\n===\n\n---",
    safe: ["Turn 9", "\\------", "A", "\\===", "", "---"],
  },
  {
    name: "code blocks with longer fences",
    text: "```js\na\n```",
    safe: ["```js", "a", "```"],
  },
  {
    name: "a code block with a fence in it",
    text: "~~~~md\n```\n<b>\n```\n~~~~",
    safe: ["````md", "```", "<b>", "```", "````"],
  },
  {
    name: "an unclosed code block",
    text: "```\n</details>",
    safe: ["```", "</details>", "```"],
  },
  {
    name: "a code block in a list that its next line would end",
    text: "- a\n  ```\n  b\n<script>\n  ```",
    safe: ["- a", "```", "b", "<script>", "```"],
  },
  {
    name: "indented code as fenced code",
    text:
      "see:\n\n    if (a < b) <x>\n\n      [c](javascript:d)\n    ```\n\ntext",
    safe: [
      "see:",
      "",
      "````",
      "if (a < b) <x>",
      "",
      "  [c](javascript:d)",
      "```",
      "````",
      "",
      "text",
    ],
  },
  {
    name: "indented lines of a paragraph as text",
    text: "see:\n    if (a < b)",
    safe: ["see:", "    if (a &lt; b)"],
  },
  {
    name: "indented lines that may belong to a list as text",
    text: "    <a>\n\n- b\n\n    <c>\n\n  d\n\n    <e>\n\n> - f\ng\n\n    <h>",
    safe: [
      "    &lt;a>",
      "",
      "- b",
      "",
      "    &lt;c>",
      "",
      "  d",
      "",
      "    &lt;e>",
      "",
      "> - f",
      "g",
      "",
      "    &lt;h>",
    ],
  },
  {
    name: "indented code behind a list and a paragraph",
    text: "- a\n\nb\n\n\t<c>",
    safe: ["- a", "", "b", "", "```", "<c>", "```"],
  },
  {
    name: "indented code behind a fence that ends a list",
    text: "- a\n  ```\n  b\n  ```\n\n    <c>",
    safe: ["- a", "```", "b", "```", "", "```", "<c>", "```"],
  },
  {
    name: "fences in indented code as code",
    text: "see:\n\n    ```js\n    a\n    ```\n\n    ~~~\n\nb",
    safe: ["see:", "", "````", "```js", "a", "```", "", "~~~", "````", "", "b"],
  },
  {
    name: "several fences in a list as fences",
    text:
      "1. a\n\n    ```js\n    b\n    ```\n\n    ~~~\n    c\n    ~~~\n\nd\n\n    ~~~",
    safe: [
      "1. a",
      "",
      "```js",
      "b",
      "```",
      "",
      "```",
      "c",
      "```",
      "",
      "d",
      "",
      "```",
      "~~~",
      "```",
    ],
  },
  {
    name: "control characters of terminals",
    text: "a\x1b]0;x\x07",
    safe: ["a\\u001b]0;x\\u0007"],
  },
  {
    name: "workflow commands, in code too",
    text: "::error::x\n```\n::error::y\n```",
    safe: ["\\::error::x", "```", "\\::error::y", "```"],
  },
  {
    name: "lists, emphasis and tables unchanged",
    text: "1. *a*\n2. **b**\n\n|a|b|\n|-|-|\n|1|2|",
    safe: ["1. *a*", "2. **b**", "", "|a|b|", "|-|-|", "|1|2|"],
  },
  {
    name: "code in tables with escaped bars",
    text: [
      "`a | b`",
      "",
      "a | `b | <i>`",
      "-|-",
      "`c | <img src=x>` | `d \\| e` `\\\\| f`",
      "",
      "`a | b`",
    ].join("\n"),
    safe: [
      "`a | b`",
      "",
      "a | `b \\| <i>`",
      "-|-",
      "`c \\| <img src=x>` | `d \\| e` `\\\\\\| f`",
      "",
      "`a | b`",
    ],
  },
] satisfies { name: string; text: string; safe: string[] }[];

for (const { name, text, safe } of CASES) {
  Deno.test(`safeMarkdown() writes ${name}`, () => {
    assertEquals(safeMarkdown(text), safe);
  });
}

const PIECES = [
  "<script>",
  "`",
  "```",
  "~~~",
  "\n",
  "  ",
  "- ",
  "> ",
  "# ",
  "](",
  "]:",
  "![",
  "[a",
  "javascript:",
  "https://x",
  "text ",
  "\n===",
  "<!--",
  "</details>",
];

Deno.test("safeMarkdown() writes matching fences, and no HTML outside of code", () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 20 })
    .map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (raw) => {
      let fence = "";
      for (const line of safeMarkdown(raw)) {
        const mark = /^`{3,}/.exec(line)?.[0] ?? "";
        if (fence !== "") {
          if (line === fence) fence = "";
          else assert(mark.length < fence.length, raw);
        } else if (mark !== "" && /^`+[\w+#.-]*$/.test(line)) fence = mark;
        else {
          const text = line.replace(/\\[\\`]/g, "").replace(
            /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g,
            "",
          );
          assert(!text.includes("<"), `${raw}\n${line}`);
          assert(!/(?<!\\)!\[/.test(text), raw);
        }
      }
      assertEquals(fence, "", raw);
    }),
    { numRuns: 500 },
  );
});

Deno.test("safeMarkdown() takes linear time for repeated pieces", () => {
  // In quadratic time this would not end.
  for (const piece of ["`a`:", "`", "[a](", "<", "# ", "```\n", "> "]) {
    assert(safeMarkdown(piece.repeat(200_000)).length > 0, piece);
  }
});

Deno.test("codeSpan() and codeBlock() use delimiters longer than those in the text", () => {
  assertEquals(codeSpan("a"), "`a`");
  assertEquals(codeSpan("`a``b`"), "``` `a``b` ```");
  assertEquals(codeSpan("a\nb"), "`a b`");
  assertEquals(codeSpan(" \n"), "");
  assertEquals(codeBlock(["````", "::x"], "text"), [
    "`````text",
    "````",
    "\\::x",
    "`````",
  ]);
});

Deno.test("plainLine() and htmlLine() escape all markup", () => {
  assertEquals(
    plainLine("1. *a* _b_ [c](d) <e> `f`\n# g"),
    "1\\. \\*a\\* \\_b\\_ &#91;c&#93;(d) &lt;e&gt; &#96;f&#96; \\# g",
  );
  assertEquals(plainLine("- a"), "\\- a");
  assertEquals(htmlLine('<a href="x">&\n'), '&lt;a href="x"&gt;&amp;');
});

const PLAIN_CASES = [
  { name: "quotations", text: ">> x <<", lines: ["\\>> x &lt;&lt;"] },
  {
    name: "headings and lists",
    text: "# a\n- b\n+ c\n* d\n1. e\n2) f",
    lines: [
      "\\# a  ",
      "\\- b  ",
      "\\+ c  ",
      "\\* d  ",
      "1\\. e  ",
      "2\\) f",
    ],
  },
  {
    name: "underlines of headings, and rules",
    text: "a\n===\nb\n---\n\n***",
    lines: ["a  ", "\\===  ", "b  ", "\\---", "", "\\*\\*\\*"],
  },
  {
    name: "fences and indented code",
    text: "```\na\n~~~\n\n    b\n\tc",
    lines: [
      "\\`\\`\\`  ",
      "a  ",
      "\\~\\~\\~",
      "",
      "   b  ",
      "   c",
    ],
  },
  {
    name: "tables",
    text: "a|b\n:-|-",
    lines: ["a\\|b  ", "\\:-\\|-"],
  },
  {
    name: "links, images, definitions",
    text: "[a](b) ![c](d)\n[e]: f",
    lines: ["[a]\\(b) \\![c]\\(d)  ", "[e]\\: f"],
  },
  {
    name: "emphasis, but not inside of words",
    text: "*a* _b_ snake_case `c` \\* \\n &amp; <b>",
    lines: [
      "\\*a\\* \\_b\\_ snake_case \\`c\\` \\\\\\* \\n &amp;amp; &lt;b>",
    ],
  },
  {
    name: "workflow commands",
    text: "::error::x\n  ::y\n##[group] a ##[b",
    lines: ["\\::error::x  ", "  \\::y  ", "\\#\\#[group] a #\\#[b"],
  },
] satisfies { name: string; text: string; lines: string[] }[];

for (const { name, text, lines } of PLAIN_CASES) {
  Deno.test(`plainLines() escapes ${name}`, () => {
    assertEquals(plainLines(text), lines);
  });
}

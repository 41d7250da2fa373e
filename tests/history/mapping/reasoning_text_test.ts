import { assertEquals } from "@std/assert";
import { ReasoningText } from "../../../lib/history/mapping/reasoning_text.ts";

/** Summarizes sections: heading, summary, and each block as its type and content. */
function sketch(text: string): unknown[] {
  return new ReasoningText(text).sections().map((
    { heading, summary, blocks },
  ) => [
    heading,
    summary.map((span) => span.text).join(""),
    ...blocks.map((block) => {
      if (block.type === "separator") return "---";
      if (block.type === "code") return `${block.language}: ${block.content}`;
      const words = block.spans.map((span) => span.text).join("");
      return block.type === "bullet"
        ? `${block.indent}${block.marker} ${words}`
        : `${block.type} ${words}`;
    }),
  ]);
}

const CASES = [
  { name: "blank text", text: " \n\n", expected: [] },
  {
    name: "text before a heading",
    text: "a\n\n\nb\n\n**H**\n\n",
    expected: [[null, "a", "paragraph a", "---", "paragraph b"], ["H", "H"]],
  },
  {
    name: "bold text that is not a heading",
    text: "**a** and **b**\n****\n**c d\ne f**",
    expected: [[
      null,
      "**a** and **b**",
      "paragraph **a** and **b**",
      "paragraph ****",
      "paragraph **c d",
      "paragraph e f**",
    ]],
  },
  {
    name: "marks inside a line",
    text: "a > b\na - b\na ```\na **b**",
    expected: [[
      null,
      "a > b",
      "paragraph a > b",
      "paragraph a - b",
      "paragraph a ```",
      "paragraph a **b**",
    ]],
  },
  {
    name: "bullets",
    text: "- a\n  * b\n    • c\n1) d\n2. e\n-f",
    expected: [[
      null,
      "a",
      "0- a",
      "1- b",
      "2• c",
      "01. d",
      "02. e",
      "paragraph -f",
    ]],
  },
  {
    name: "code first",
    text: "```sh\n\nls\n**x**\n```",
    expected: [[null, "ls", "sh: \nls\n**x**"]],
  },
  {
    name: "code without an end, and code without a body",
    text: "```\n \n```\n> q\n````\na\n```",
    expected: [[null, "q", "quote q", "null: a\n```"]],
  },
  {
    name: "code in three backticks, which starts no block",
    text: "a\n```ls -l``` lists\nb\n```pwd```",
    expected: [[
      null,
      "a",
      "paragraph a",
      "paragraph ```ls -l``` lists",
      "paragraph b",
      "paragraph ```pwd```",
    ]],
  },
] satisfies { name: string; text: string; expected: unknown[] }[];

for (const { name, text, expected } of CASES) {
  Deno.test(`ReasoningText splits: ${name}`, () => {
    assertEquals(sketch(text), expected);
  });
}

for (const { name, text } of CASES) {
  Deno.test(`ReasoningText splits deltas like the whole text: ${name}`, () => {
    const grown = new ReasoningText("");
    for (let end = 0; end <= text.length; end++) {
      const whole = new ReasoningText(text.slice(0, end)).sections();
      assertEquals(grown.sections(), whole, `up to ${end}`);
      grown.add(text.charAt(end));
    }
  });
}

Deno.test("ReasoningText shares the blocks of earlier lines with the sections before a delta", () => {
  const text = new ReasoningText("**A**\na\n```\nb\n```\nc");
  const before = text.sections().flatMap(({ blocks }) => blocks);
  text.add("d\ne");
  const after = text.sections().flatMap(({ blocks }) => blocks);
  assertEquals(before.map((block, at) => block === after[at]), [
    true,
    true,
    false,
  ]);
});

Deno.test("ReasoningText splits a line of 400 kB in linear time", () => {
  const line = `**${"a ".repeat(200_000)}`;
  assertEquals(new ReasoningText(line).sections().length, 1);
});

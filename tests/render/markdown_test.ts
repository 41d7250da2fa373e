import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Redactor } from "../../lib/redact/redactor.ts";
import {
  MarkdownRenderer,
  MarkdownRendererStream,
} from "../../lib/render/markdown.ts";
import type { RenderOptions } from "../../lib/render/render_options.ts";
import { pagedLine, PAGINATED } from "../session_lines.ts";
import {
  assertGolden,
  CONTROL_REGEXP,
  GOLDEN_SESSIONS,
  hostileSession,
  readSession,
} from "./sessions.ts";
import {
  command,
  DONE,
  item,
  itemsOf,
  look,
  message,
  partsOf,
  partsOfLines,
  SECRET,
  THREAD,
  TURN,
  valuesOf,
  writtenBy,
} from "./transcripts.ts";

const START = '---\nid: "t1"\n---\n\n# Codex session\n\n## Turn 1\n\n';
const END = "\n*✓ done (1,234 in / 567 out)*\n";

/** The text of a turn, without the beginning and end that all documents share. */
function turnOf(
  lines: readonly (string | Record<string, unknown>)[],
  options: RenderOptions = {},
): string {
  const parts = partsOfLines([THREAD, TURN, ...lines, DONE]);
  const text = writtenBy(new MarkdownRenderer(options), parts);
  assert(text.startsWith(START) && text.endsWith(END), text);
  return text.slice(START.length, -END.length);
}

const prompt = (text: string): Record<string, unknown> => ({
  type: "item.completed",
  thread_id: "t1",
  turn_id: "x",
  item_id: "u",
  item_type: "user_message",
  status: "completed",
  content: { text },
});

const edit = (diff: string): Record<string, unknown> => ({
  type: "item.completed",
  thread_id: "t1",
  turn_id: "x",
  item_id: "e",
  item_type: "file_change",
  status: "completed",
  content: { path: "src/a.ts", diff },
});

const CASES = [
  {
    name: "a message unchanged",
    lines: [message("It **works**:\n\n```ts\nf();\n```")],
    text: "It **works**:\n\n```ts\nf();\n```\n",
  },
  {
    name: "a prompt as a quotation that keeps its lines",
    lines: [
      prompt("Do\nthis.\n\n# Now"),
    ],
    text: "**User**\n\n> Do  \n> this.\n>\n> #### Now\n",
  },
  {
    name: "the line ends of a prompt behind inline code in three backticks",
    lines: [prompt("```ls``` it\na\nb")],
    text: "**User**\n\n> ```ls``` it  \n> a  \n> b\n",
  },
  {
    name: "the line ends of a prompt around a code block",
    lines: [prompt("a\n````\nx\n```\ny\nz\n````\nb\nc")],
    text:
      "**User**\n\n> a  \n> ````\n> x\n> ```\n> y\n> z\n> ````\n> b  \n> c\n",
  },
  {
    name: "a command and its output, folded",
    lines: [command("completed", { aggregated_output: "a <b>\n```\n" })],
    text:
      "<details>\n<summary><code>$ npm test</code> — ✓</summary>\n\n````text\na <b>\n```\n````\n\n</details>\n",
  },
  {
    name: "a command without output on one line",
    lines: [
      command("completed", {
        command: "bash -lc 'a `b` <c>'",
        aggregated_output: "",
        exit_code: 2,
        status: "failed",
      }),
    ],
    text: "``$ a `b` <c>`` — ✗ exit 2\n",
  },
  {
    name: "a command of several lines in a code block",
    lines: [
      command("completed", {
        command: 'bash -lc "a\nb"',
        aggregated_output: "",
      }),
    ],
    text:
      "<details>\n<summary><code>$ a …</code> — ✓</summary>\n\n```sh\na\nb\n```\n\n</details>\n",
  },
  {
    name: "a long command in a code block, cut in the summary",
    lines: [
      command("completed", {
        command: `bash -lc '${"x".repeat(300)}'`,
        aggregated_output: "",
      }),
    ],
    text: `<details>\n<summary><code>$ ${
      "x".repeat(240)
    } …</code> — ✓</summary>\n\n\`\`\`sh\n${
      "x".repeat(300)
    }\n\`\`\`\n\n</details>\n`,
  },
  {
    name: "a diff",
    lines: [edit("@@ -1 +1 @@\n-a\n+```\n")],
    text:
      "<details open>\n<summary>edit <code>src/a.ts</code> (+1 −1)</summary>\n\n````diff\n@@ -1 +1 @@\n-a\n+```\n````\n\n</details>\n",
  },
  {
    name: "a plan",
    lines: [
      item("completed", {
        id: "p",
        type: "todo_list",
        items: [{ text: "A *b*", completed: true }, {
          text: "C",
          completed: false,
        }],
      }),
    ],
    text: "**Plan** (1/2)\n\n- [x] A \\*b\\*\n- [ ] C\n",
  },
  {
    name: "a tool",
    lines: [
      item("completed", {
        id: "m",
        type: "mcp_tool_call",
        server: "demo",
        tool: "echo",
        arguments: { text: "hi", list: [1, 2] },
        error: { message: "No" },
        status: "failed",
      }),
    ],
    text:
      "<details>\n<summary><code>demo.echo text=hi list=[ 1, 2 ]</code> — ✗ failed</summary>\n\n`text`: `hi`\n\n`list`:\n\n```json\n[\n  1,\n  2\n]\n```\n\nerror:\n\n```text\nNo\n```\n\n</details>\n",
  },
  {
    name: "an error",
    lines: [{ type: "error", message: "No <b>" }],
    text: "> **Error**\n>\n> No &lt;b>\n",
  },
  {
    name: "an error whose text would be Markdown",
    lines: [{ type: "error", message: "> # Heading\n- list\n\n    *code*" }],
    text: "> **Error**\n>\n> \\> # Heading  \n> \\- list\n>\n>    \\*code\\*\n",
  },
  {
    name: "a failed line",
    lines: ["{torn"],
    text:
      '> **Line 3 could not be read** (json): Cannot parse the line as JSON: "t" stands where a key is expected (byte 2)\n',
  },
] satisfies {
  name: string;
  lines: (string | Record<string, unknown>)[];
  text: string;
}[];

for (const { name, lines, text } of CASES) {
  Deno.test(`MarkdownRenderer writes ${name}`, () => {
    assertEquals(turnOf(lines), text);
  });
}

Deno.test("MarkdownRenderer says that a tool ended after its turn, as it does of commands", () => {
  const call = { id: "m", type: "mcp_tool_call", server: "a", tool: "b" };
  const parts = partsOfLines([
    THREAD,
    TURN,
    item("started", { ...call, status: "in_progress" }),
    DONE,
    item("completed", { ...call, status: "completed" }),
  ]);
  const text = writtenBy(new MarkdownRenderer(), parts);
  assertStringIncludes(text, "\n`a.b` — … not finished\n");
  assertStringIncludes(text, "\n`a.b` — ✓ went on\n");
});

Deno.test("MarkdownRenderer escapes the error of a turn", () => {
  const parts = partsOfLines([
    THREAD,
    TURN,
    { type: "turn.failed", error: { message: "# No\n1. more" } },
  ]);
  assertEquals(
    writtenBy(new MarkdownRenderer(), parts),
    `${START}> \\# No  \n> 1\\. more\n\n**✗ failed**\n`,
  );
});

const LONG = command("completed", {
  aggregated_output: "1\n2\n3\n4\n5\n6\n",
});

const OPTION_CASES = [
  {
    name: "both ends of long output",
    lines: [LONG],
    options: { maxOutputLines: 3 },
    text:
      "<details>\n<summary><code>$ npm test</code> — ✓</summary>\n\n```text\n1\n```\n\n*… 3 lines left out …*\n\n```text\n5\n6\n```\n\n</details>\n",
  },
  {
    name: "the number of lines of output with a limit of 0",
    lines: [LONG],
    options: { maxOutputLines: 0 },
    text:
      "<details>\n<summary><code>$ npm test</code> — ✓</summary>\n\n*… 6 lines left out …*\n\n</details>\n",
  },
  {
    name: "only the names of tools and paths of edits on request",
    lines: [LONG, edit("@@ -1 +1 @@\n-a\n+b\n")],
    options: { tools: "names" },
    text: "`$ npm test` — ✓\n\n**edit** `src/a.ts` (+1 −1)\n",
  },
  {
    name: "no tools on request",
    lines: [LONG, edit("+b"), message("Hi")],
    options: { tools: "none" },
    text: "Hi\n",
  },
  {
    name: "no reasoning on request",
    lines: [
      item("completed", { id: "r", type: "reasoning", text: "**A**\n\nb" }),
      message("Hi"),
    ],
    options: { reasoning: "omit" },
    text: "Hi\n",
  },
  {
    name: "whole reasoning on request",
    lines: [
      item("completed", { id: "r", type: "reasoning", text: "**A**\n\nb" }),
    ],
    options: { reasoning: "include" },
    text: "> **Reasoning**\n>\n> **A**\n>\n> b\n",
  },
  {
    name: "folded reasoning on request",
    lines: [
      item("completed", { id: "r", type: "reasoning", text: "b</details>" }),
    ],
    options: { reasoning: "fold" },
    text:
      "<details>\n<summary>Reasoning</summary>\n\nb&lt;/details>\n\n</details>\n",
  },
] satisfies {
  name: string;
  lines: Record<string, unknown>[];
  options: RenderOptions;
  text: string;
}[];

for (const { name, lines, options, text } of OPTION_CASES) {
  Deno.test(`MarkdownRenderer writes ${name}`, () => {
    assertEquals(turnOf(lines, options), text);
  });
}

Deno.test("MarkdownRenderer writes valid YAML front matter for hostile fields", () => {
  const text = writtenBy(new MarkdownRenderer(), [{
    type: "session",
    thread_id: 't1"\n---\n# x',
    startedAt: "2026-11-20T15:14:14.500Z",
    cwd: "C:\\a: b # c",
    model: "m\x1b[31m",
    cli_version: "0.169.0",
  }]);
  assertEquals(
    text,
    '---\nid: "t1\\"\\n---\\n# x"\ntime: "2026-11-20T15:14:14.500Z"\ncwd: "C:\\\\a: b # c"\nmodel: "m"\nversion: "0.169.0"\n---\n\n# Codex session\n',
  );
});

Deno.test("MarkdownRenderer writes front matter without Markdown in it", () => {
  const text = writtenBy(new MarkdownRenderer(), [{
    type: "session",
    thread_id: "<script>alert(1)</script>",
    startedAt: null,
    cwd: "/w/![x](https://x/y.png)&lt;",
    model: null,
    cli_version: null,
  }]);
  assertEquals(/[<>&[\]]/.test(text), false, text);
  const [, id, cwd] = text.split("\n");
  assertEquals(
    id?.slice(4),
    String.raw`"\u003cscript\u003ealert(1)\u003c/script\u003e"`,
  );
  assertEquals(JSON.parse(cwd?.slice(5) ?? ""), "/w/![x](https://x/y.png)&lt;");
});

Deno.test("MarkdownRenderer writes a second session into the same document", () => {
  const text = writtenBy(
    new MarkdownRenderer(),
    partsOfLines([THREAD, TURN, DONE, { ...THREAD, thread_id: "t2" }]),
  );
  assertEquals(
    text,
    `${START.slice(0, -1)}${END}\n# Codex session\n\n- id: \`t2\`\n`,
  );
});

/**
 * Asserts that a document has no control characters, workflow commands, open fences or folds,
 * active HTML, foreign headings, images or definitions.
 */
function assertSound(text: string): void {
  let fence = "";
  let folds = 0;
  let before = "";
  for (const line of text.split("\n")) {
    // deno-lint-ignore no-control-regex
    assert(!/[\u0000-\u001f\u007f-\u009f\u202e]/.test(line), line);
    assert(!/^\s*::|##\[/.test(line), line);
    const inside = line.replace(/^> /, "");
    const mark = /^`{3,}/.exec(inside)?.[0] ?? "";
    if (fence !== "") {
      if (inside === fence) fence = "";
      continue;
    }
    if (mark !== "" && /^`+\w*$/.test(inside)) {
      fence = mark;
      continue;
    }
    assert(!/^#{1,3} /.test(inside), line);
    // Behind a line of text it would turn that line into a heading.
    assert(before.trim() === "" || !/^(?:-+|=+)\s*$/.test(inside), line);
    before = inside.replace(/^>$/, "");
    if (/^<details(?: open)?>$/.test(line)) folds += 1;
    else if (line === "</details>") folds -= 1;
    else {
      const html = line.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "")
        .replace(/<\/?(?:summary|code)>/g, "");
      assert(!/<[a-z/!]/i.test(html), line);
      // Text between HTML tags is not parsed as Markdown.
      if (line.startsWith("<summary>")) continue;
      assert(!/(?<!\\)!\[|\]\(javascript|\]:/.test(html), line);
    }
  }
  assertEquals([fence, folds], ["", 0]);
}

const HOSTILE = [
  "</details><script>x</script>",
  "```",
  "<img src=x onerror=y>",
  "[a](javascript:x) ![i](http://x/p.png) [r]: javascript:x",
  "# Turn 7",
  "Turn 8",
  "------",
  "\x1b]0;own\x07\u202e",
  "::error::x",
  "##[error]x",
].join("\n");

Deno.test("MarkdownRenderer writes hostile text without effects", () => {
  const text = turnOf([
    message(HOSTILE),
    prompt(HOSTILE),
    command("completed", {
      id: "c",
      command: HOSTILE,
      aggregated_output: HOSTILE,
    }),
    ...itemsOf(HOSTILE),
    { ...edit(HOSTILE), item_id: "g" },
    { type: "error", message: HOSTILE },
  ]);
  assertSound(text);
});

Deno.test("MarkdownRenderer redacts every text before it is cut", () => {
  const redactor = new Redactor();
  const lines = [
    { ...THREAD, thread_id: "t1" },
    TURN,
    command("completed", {
      command: `curl ${SECRET}`,
      aggregated_output: `a\n${SECRET}\nb\n`,
    }),
    message(SECRET, "m"),
    { type: "turn.failed", error: { message: `No ${SECRET}` } },
  ];
  const text = writtenBy(
    new MarkdownRenderer({ redactor, maxOutputLines: 2 }),
    partsOfLines(lines),
  );
  assert(!text.includes(SECRET.slice(8, 20)), text);
  assertEquals([...redactor.counts.values()], [4]);
});

Deno.test("MarkdownRenderer folds the output of explored commands like that of other commands", () => {
  const parts = partsOfLines([
    PAGINATED,
    look("a", ""),
    look("b", " \n", { exit_code: 2 }),
    look("c", `1\n2\n3\n\`\`\` ${SECRET}\n`),
    look("d", ""),
  ]);
  const bodyOf = (options: RenderOptions): string =>
    writtenBy(new MarkdownRenderer(options), parts).split("# Codex session\n")
      .at(-1) ?? "";
  const redactor = new Redactor();
  assertEquals(
    bodyOf({ redactor, maxOutputLines: 2 }),
    `
\`$ cat a\` — ✓

\`$ cat b\` — ✗ exit 2

<details>
<summary><code>$ cat c</code> — ✓</summary>

\`\`\`text
1
\`\`\`

*… 2 lines left out …*

\`\`\`\`text
\`\`\` [redacted:openai_key]
\`\`\`\`

</details>

\`$ cat d\` — ✓
`,
  );
  assertEquals([...redactor.counts.values()], [1]);
  assertEquals(
    bodyOf({ tools: "names" }),
    "\n`$ cat a` — ✓\n\n`$ cat b` — ✗ exit 2\n\n`$ cat c` — ✓\n\n`$ cat d` — ✓\n",
  );
});

Deno.test("MarkdownRenderer writes hostile output of explored commands without effects", () => {
  const text = writtenBy(
    new MarkdownRenderer(),
    partsOfLines([PAGINATED, look("a", HOSTILE), look(HOSTILE, HOSTILE)]),
  );
  const [, body = ""] = text.split("# Codex session\n\n");
  assert(body.includes("<summary>"), body);
  assertSound(body);
});

Deno.test("MarkdownRenderer writes an image without a path", () => {
  const text = writtenBy(
    new MarkdownRenderer(),
    partsOfLines([
      PAGINATED,
      pagedLine("ImageGeneration", { id: "i", status: "failed" }),
    ]),
  );
  assert(text.endsWith("\n**Image** failed\n"), text);
});

Deno.test("MarkdownRendererStream writes the same as MarkdownRenderer", async () => {
  const parts = partsOfLines([THREAD, TURN, message("Hi"), DONE]);
  const texts = await Array.fromAsync(
    ReadableStream.from(parts).pipeThrough(new MarkdownRendererStream()),
  );
  assertEquals(texts.join(""), writtenBy(new MarkdownRenderer(), parts));
});

for (const { name, folder, start } of GOLDEN_SESSIONS) {
  Deno.test(`MarkdownRenderer writes the golden document of ${name}`, () => {
    const parts = partsOf(valuesOf(readSession(folder, start)));
    assertGolden(`${name}.md`, writtenBy(new MarkdownRenderer(), parts));
  });
}

Deno.test("MarkdownRenderer writes a hostile session without effects", () => {
  const parts = partsOf(valuesOf(hostileSession()));
  for (const reasoning of ["fold", "include"] as const) {
    const text = writtenBy(new MarkdownRenderer({ reasoning }), parts);
    const [, matter = "", body = ""] =
      /^(---\n[^]*?\n---\n)\n# Codex session\n\n## Turn 1\n([^]*)$/
        .exec(text) ?? [];
    assertEquals(matter.split("\n").length, 8, matter);
    assert(body.length > 10_000);
    assert(!CONTROL_REGEXP.test(text));
    assertSound(body);
  }
});

/** All renderers, with more of everything than most logs have. */

import { assert } from "@std/assert";
import { GithubRenderer } from "../../lib/render/github.ts";
import { HtmlRenderer } from "../../lib/render/html.ts";
import { MarkdownRenderer } from "../../lib/render/markdown.ts";
import { TextRenderer } from "../../lib/render/text.ts";
import {
  DONE,
  item,
  partsOfLines,
  THREAD,
  TURN,
  writtenBy,
} from "./transcripts.ts";

/** So many lines or parts that a call cannot take each as an argument. */
const MANY = 150_000;
const lines = new Array(MANY).fill("line").join("\n");
const itemOf = (type: string, fields: Readonly<Record<string, unknown>>) => [
  item("completed", { id: "item_0", type, ...fields }),
];
const messageOf = (text: string) => itemOf("agent_message", { text });

const ENTRIES = [
  { name: "lines of a message", entry: messageOf(lines) },
  { name: "lines of a code block", entry: messageOf(`~~~\n${lines}\n~~~`) },
  {
    name: "line ends before a word",
    entry: messageOf(`a${"\n".repeat(MANY)}b`),
  },
  { name: "spaces before a word", entry: messageOf(`a${" ".repeat(MANY)}b`) },
  { name: "spaces in a heading", entry: messageOf(`# a${" ".repeat(MANY)}b`) },
  {
    name: "dots in an address",
    entry: messageOf(`http://a${".".repeat(MANY)}b`),
  },
  { name: "lines of reasoning", entry: itemOf("reasoning", { text: lines }) },
  { name: "lines of an error", entry: itemOf("error", { message: lines }) },
  {
    name: "steps of a plan",
    entry: itemOf("todo_list", {
      items: new Array(MANY).fill({ text: "step", completed: false }),
    }),
  },
  {
    name: "files of an edit",
    entry: itemOf("file_change", {
      changes: Array.from({ length: MANY }, (_, i) => ({
        path: `file${i}`,
        kind: "add",
      })),
      status: "completed",
    }),
  },
  {
    name: "turns",
    entry: new Array(MANY / 2).fill([DONE, TURN]).flat(),
  },
];

for (const { name, entry } of ENTRIES) {
  Deno.test(`every renderer writes ${MANY.toLocaleString("en")} ${name}`, () => {
    const parts = partsOfLines([THREAD, TURN, ...entry, DONE]);
    assert(writtenBy(new MarkdownRenderer(), parts).length > MANY);
    assert(writtenBy(new HtmlRenderer(), parts).length > 0);
    assert(writtenBy(new TextRenderer(), parts).length > 0);
    assert(writtenBy(new GithubRenderer(), parts).length > 0);
  });
}

const FORMS = [
  { form: "text", create: () => new TextRenderer({ maxOutputLines: 9 }) },
  {
    form: "markdown",
    create: () => new MarkdownRenderer({ maxOutputLines: 9 }),
  },
  { form: "html", create: () => new HtmlRenderer({ maxOutputLines: 9 }) },
  { form: "github", create: () => new GithubRenderer({ maxOutputLines: 9 }) },
] as const;

for (const { form, create } of FORMS) {
  Deno.test(`the ${form} renderer says how much of an output is not in the history`, () => {
    // The history keeps the last 32 MiB or so of an output.
    const output = "a line of output\n".repeat(2_500_000);
    const parts = partsOfLines([
      THREAD,
      TURN,
      ...itemOf("command_execution", {
        command: "x",
        aggregated_output: output,
        exit_code: 0,
        status: "completed",
      }),
      DONE,
    ]);
    const text = writtenBy(create(), parts);
    const [, lost = "", before = ""] =
      text.match(/(\d+(?:,\d+)+) bytes of output not kept([^]*)/) ?? [];
    assert(lost !== "", "nothing is said");
    assert(/[\d,]+ lines left out/.test(before));
  });

  Deno.test(`the ${form} renderer says that an answer was longer than the history keeps`, () => {
    const answer = { type: "text", text: "a line\n".repeat(1000) };
    const parts = partsOfLines([
      THREAD,
      TURN,
      ...itemOf("mcp_tool_call", {
        server: "s",
        tool: "t",
        arguments: {},
        result: { content: [answer], structured_content: null },
        error: null,
        status: "completed",
      }),
      DONE,
    ]);
    assert(
      /the history keeps no more of it|result, shortened:/.test(
        writtenBy(create(), parts),
      ),
    );
  });
}

/** Tests all renderers with long and unusual input. */

import { assert, assertEquals } from "@std/assert";
import type { HistorySnapshot } from "../../lib/history/snapshot.ts";
import { GithubRenderer } from "../../lib/render/github.ts";
import { HtmlRenderer } from "../../lib/render/html.ts";
import { MarkdownRenderer } from "../../lib/render/markdown.ts";
import { snapshotParts } from "../../lib/render/snapshot_parts.ts";
import { TextRenderer } from "../../lib/render/text.ts";
import {
  command,
  DONE,
  item,
  partsOfLines,
  THREAD,
  TURN,
  writtenBy,
} from "./transcripts.ts";

/** More lines or parts than a function call accepts as arguments. */
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

Deno.test("every renderer names the thread that started a sub-agent", () => {
  const [session] = partsOfLines([THREAD]);
  assert(session?.type === "session");
  const parts = [{ ...session, parent_thread_id: "parent-1" }];
  for (
    const renderer of [
      new MarkdownRenderer(),
      new HtmlRenderer(),
      new TextRenderer(),
      new GithubRenderer(),
    ]
  ) assert(writtenBy(renderer, parts).includes("parent-1"));
});

const FORMS = [
  { form: "text", create: () => new TextRenderer({ maxOutputLines: 9 }) },
  {
    form: "markdown",
    create: () => new MarkdownRenderer({ maxOutputLines: 9 }),
  },
  { form: "html", create: () => new HtmlRenderer({ maxOutputLines: 9 }) },
  { form: "github", create: () => new GithubRenderer({ maxOutputLines: 9 }) },
] as const;

Deno.test("every renderer writes how many bytes of an output were not kept", () => {
  // The history keeps about the last 32 MiB of an output.
  const output = `${"a line of output".repeat(10)}\n`.repeat(250_000);
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
  for (const { form, create } of FORMS) {
    const text = writtenBy(create(), parts);
    const [, lost = "", before = ""] =
      text.match(/(\d+(?:,\d+)+) bytes of output not kept([^]*)/) ?? [];
    assert(lost !== "", `${form}: no number of bytes`);
    assert(/[\d,]+ lines left out/.test(before), form);
  }
});

Deno.test("every renderer writes that a result is shortened", () => {
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
  for (const { form, create } of FORMS) {
    const text = writtenBy(create(), parts);
    assert(
      /the result is shortened|result, shortened:/.test(text),
      form,
    );
  }
});

/** A snapshot that another program may have written. */
function snapshotOf(
  ...records: readonly { readonly type: string; readonly payload: unknown }[]
): HistorySnapshot {
  // A cast at the boundary: the payload of a snapshot is not checked.
  return {
    records: records.map((record, at) => ({ id: at + 1, ...record })),
  } as unknown as HistorySnapshot;
}

/** A message with an author and a recipient. */
const messageFrom = (
  author: string,
  recipient: string | null,
  text: string,
): { type: string; payload: unknown } => ({
  type: "plain_message",
  payload: {
    role: "assistant",
    kind: "assistant",
    header: { label: author, badge: recipient },
    lines: [{
      kind: "paragraph",
      spans: [{ text, tone: "default", emphasis: {}, entity: null }],
    }],
  },
});

Deno.test("every renderer writes the author and the recipient of a message", () => {
  const parts = [...snapshotParts(
    snapshotOf(
      messageFrom("planner", "worker", "Go on"),
      messageFrom("worker", null, "No"),
    ),
  )];
  assertEquals(
    writtenBy(new TextRenderer(), parts),
    "planner → worker:\nGo on\n\nworker:\nNo\n",
  );
  const markdown = writtenBy(new MarkdownRenderer(), parts);
  assert(markdown.includes("**planner → worker**\n\nGo on\n"));
  assert(markdown.includes("**worker**\n\nNo\n"));
  const html = writtenBy(new HtmlRenderer(), parts);
  assert(html.includes(">planner → worker</a>"));
  assert(html.includes(">worker</a>"));
});

Deno.test("every renderer writes a record of an unknown type, unless tools are left out", () => {
  const parts = [...snapshotParts(
    snapshotOf({ type: "hologram", payload: { size: "</b>" } }),
  )];
  assertEquals(writtenBy(new TextRenderer(), parts), "· hologram\n");
  for (const start of ["", "x"]) {
    const type = start + "😀".repeat(200);
    const long = snapshotParts(snapshotOf({ type, payload: {} }));
    assert(writtenBy(new TextRenderer(), long).trimEnd().endsWith("😀"));
  }
  const markdown = writtenBy(new MarkdownRenderer(), parts);
  assert(
    markdown.includes(
      '<summary>hologram</summary>\n\n```json\n{\n  "size": "</b>"\n}\n```\n',
    ),
  );
  const html = writtenBy(new HtmlRenderer(), parts);
  assert(html.includes('<code class="one">hologram</code>'));
  assert(html.includes('{\n  "size": "&lt;/b&gt;"\n}</pre>'));
  for (
    const renderer of [
      new TextRenderer({ tools: "none" }),
      new MarkdownRenderer({ tools: "none" }),
      new HtmlRenderer({ tools: "none" }),
    ]
  ) assert(!writtenBy(renderer, parts).includes("hologram"));
  const named = writtenBy(new MarkdownRenderer({ tools: "names" }), parts);
  assert(named.endsWith("\n`hologram`\n"));
});

Deno.test("every renderer writes a step of an unknown status in a snapshot that was not checked", () => {
  const evil = '"><b>';
  for (const status of [evil, "constructor", undefined]) {
    const payload = { name: "Plan", steps: [{ description: "Go on", status }] };
    const parts = [...snapshotParts(
      snapshotOf({ type: "plan_update", payload }),
    )];
    for (
      const renderer of [
        new TextRenderer(),
        new MarkdownRenderer(),
        new HtmlRenderer(),
      ]
    ) {
      const text = writtenBy(renderer, parts);
      assert(text.includes("Go on") && !text.includes(evil), text);
    }
  }
});

const CHUNKS = { stdout_chunks: [], stderr_chunks: [] };
const INVALID = [
  { type: "plain_message", payload: "text" },
  { type: "assistant_message", payload: { markdown: null } },
  { type: "image", payload: { path: 1, caption: null, metadata: null } },
  { type: "exec", payload: { command: ["ls"], status: [], ...CHUNKS } },
  { type: "exec", payload: { command: ["ls"], exit_code: 2, ...CHUNKS } },
  { type: "patch", payload: { event: "constructor", changes: {} } },
  { type: "tool_call", payload: { title: "x", arguments: [] } },
  {
    type: "running_tool",
    payload: { title: "x", arguments: [{ value: { type: "text" } }] },
  },
  { type: "background_event", payload: { description: "", title: 1 } },
];

Deno.test("every renderer writes records with invalid fields, of a snapshot that was not checked, as of unknown types", () => {
  for (const record of INVALID) {
    const parts = [...snapshotParts(snapshotOf(record))];
    for (
      const renderer of [
        new TextRenderer(),
        new MarkdownRenderer(),
        new HtmlRenderer(),
      ]
    ) assert(writtenBy(renderer, parts).includes(record.type), record.type);
    assert(writtenBy(new GithubRenderer(), parts).length > 0);
  }
});

Deno.test("every renderer writes that an edit is proposed, or failed without a reason", () => {
  const changes = {
    "a.ts": { type: "update", unified_diff: "-x\n+y", move_path: null },
  };
  const editOf = (event: string): { type: string; payload: unknown } => ({
    type: "patch",
    payload: { event, changes, failure: null },
  });
  const parts = [...snapshotParts(
    snapshotOf(editOf("proposed"), editOf("apply_failure")),
  )];
  assertEquals(
    writtenBy(new TextRenderer(), parts),
    "? edit a.ts (+1 −1)\n✗ edit a.ts (+1 −1)\n  ✗ not applied\n",
  );
  const markdown = writtenBy(new MarkdownRenderer(), parts);
  assert(markdown.includes("(+1 −1) — ? proposed</summary>"));
  assert(markdown.includes("(+1 −1) — ✗ not applied</summary>"));
  const html = writtenBy(new HtmlRenderer(), parts);
  assert(html.includes('<b class="warn">proposed</b>'));
  assert(html.includes('<b class="bad">not applied</b>'));
});

Deno.test("no renderer writes a message without text, or leaves out an image with the tools", () => {
  const said = (markdown: string): { type: string; payload: unknown } => ({
    type: "assistant_message",
    payload: { markdown, citations: null },
  });
  const image = { type: "image", payload: { path: "a.png", caption: null } };
  const parts = [...snapshotParts(snapshotOf(said(" \n"), image))];
  assertEquals(
    writtenBy(new TextRenderer({ tools: "none" }), parts),
    "→ image a.png\n",
  );
  assertEquals(
    writtenBy(new MarkdownRenderer({ tools: "none" }), parts),
    "# Codex session\n\n**Image** `a.png`\n",
  );
  const page = writtenBy(new HtmlRenderer({ tools: "none" }), parts);
  assertEquals(page.match(/class="e [^"]*"/g), ['class="e box tool"']);
});

Deno.test("a command that fails after its turn counts in the total, and not in the next turn", () => {
  const parts = partsOfLines([
    THREAD,
    TURN,
    command("started"),
    DONE,
    command("completed", { status: "failed", exit_code: 1 }),
    TURN,
    command("completed", { id: "item_2" }),
    DONE,
  ]);
  const summary = writtenBy(new GithubRenderer(), parts);
  assertEquals(
    [...summary.matchAll(/<td>(\d commands?[^<]*)?<\/td>/g)].map(([, work]) =>
      work
    )
      .filter((work) => work !== undefined),
    ["1 command", "1 command", "2 commands, 1 failed"],
  );
  const page = writtenBy(new HtmlRenderer(), parts);
  assert(
    page.includes('<p>2 turns · 2 commands, <span class="bad">1 failed</span>'),
  );
});

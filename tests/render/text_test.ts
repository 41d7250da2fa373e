import { assert, assertEquals, assertLess } from "@std/assert";
import stringWidth from "string-width";
import { COLORED_STYLE, PLAIN_STYLE } from "../../lib/render/text_style.ts";
import { Redactor } from "../../lib/redact/redactor.ts";
import type { TranscriptPart } from "../../lib/render/parts.ts";
import {
  type TextOptions,
  TextRenderer,
  TextRendererStream,
} from "../../lib/render/text.ts";
import type { TextStyle } from "../../lib/render/text_style.ts";
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
  entriesOf,
  heap,
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

/** The live view of lines of JSON, without the session part. */
function viewOf(
  lines: readonly (string | Record<string, unknown>)[],
  options: TextOptions = {},
): string {
  const parts = partsOfLines([THREAD, TURN, ...lines], { live: true });
  return writtenBy(new TextRenderer(options), parts.slice(1));
}

const plan = (done: boolean): Record<string, unknown>[] => [
  { text: "Look", completed: true },
  { text: "Write", completed: done },
];

const CASES = [
  {
    name: "a message and the end of the turn",
    lines: [message("Hello.\n\n- one\n- two"), DONE],
    text: "Hello.\n\n- one\n- two\n\n✓ done (1,234 in / 567 out)\n",
  },
  {
    name: "no tokens for a turn whose tokens Codex does not know",
    lines: [{
      type: "turn.completed",
      usage: { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 },
    }],
    text: "✓ done\n",
  },
  {
    name: "messages without text as nothing",
    lines: [
      message("Hello."),
      message("", "item_1"),
      message(" \n", "item_2"),
      DONE,
    ],
    text: "Hello.\n\n✓ done (1,234 in / 567 out)\n",
  },
  {
    name: "a command, its output and its exit status",
    lines: [
      command("started"),
      command("completed", {
        aggregated_output: "1\n2\n3\n4\n5\n6\n7\n",
        exit_code: 1,
        status: "failed",
      }),
    ],
    text:
      "$ npm test\n  … 2 lines left out\n  3\n  4\n  5\n  6\n  7\n  ✗ exit 1\n\n… no end of the turn\n",
  },
  {
    name: "parallel commands, each with its own end",
    lines: [
      command("started"),
      command("started", { id: "item_2", command: "ls" }),
      command("completed", { aggregated_output: "" }),
      command("completed", {
        id: "item_2",
        command: "ls",
        aggregated_output: "a\n",
      }),
    ],
    text:
      "$ npm test\n$ ls\n$ npm test\n  ✓\n$ ls\n  a\n  ✓\n\n… no end of the turn\n",
  },
  {
    name: "a command of many lines",
    lines: [
      command("completed", {
        command: `bash -lc "${
          Array.from({ length: 15 }, (_, at) => `line ${at}`).join("\n")
        }"`,
        aggregated_output: "",
      }),
    ],
    text: `$ line 0\n${
      Array.from({ length: 11 }, (_, at) => `  line ${at + 1}\n`).join("")
    }  … 3 more lines\n  ✓\n\n… no end of the turn\n`,
  },
  {
    name: "edits with and without a diff",
    lines: [
      item("completed", {
        id: "e",
        type: "file_change",
        changes: [{ path: "a.ts", kind: "update" }, {
          path: "b.ts",
          kind: "add",
        }],
        status: "completed",
      }),
      {
        type: "item.completed",
        thread_id: "t1",
        turn_id: "x",
        item_id: "f",
        item_type: "file_change",
        status: "failed",
        content: {
          path: "c.ts",
          diff: "@@ -1 +1 @@\n-a\n+b\n",
          stderr: "no such line\n",
        },
      },
      item("completed", {
        id: "g",
        type: "file_change",
        changes: [{ path: "d.ts", kind: "delete" }],
        status: "failed",
      }),
    ],
    text:
      "→ edit a.ts\n→ add b.ts\n✗ edit c.ts (+1 −1)\n  no such line\n✗ delete d.ts\n  Patch application failed\n\n… no end of the turn\n",
  },
  {
    name: "every state of a plan",
    lines: [
      item("started", { id: "p", type: "todo_list", items: plan(false) }),
      item("updated", { id: "p", type: "todo_list", items: plan(true) }),
    ],
    text:
      "Plan (1/2)\n  ✓ Look\n  ○ Write\n\nPlan (2/2)\n  ✓ Look\n  ✓ Write\n\n… no end of the turn\n",
  },
  {
    name: "reasoning",
    lines: [
      item("completed", {
        id: "r",
        type: "reasoning",
        text: "**Planning**\n\nFirst this.",
      }),
    ],
    text: "· Planning\n\n  First this.\n\n… no end of the turn\n",
  },
  {
    name: "tools and searches",
    lines: [
      item("started", {
        id: "m",
        type: "mcp_tool_call",
        server: "demo",
        tool: "echo",
        arguments: { text: "hi\nthere", n: 1 },
        status: "in_progress",
      }),
      item("completed", {
        id: "m",
        type: "mcp_tool_call",
        server: "demo",
        tool: "echo",
        arguments: { text: "hi\nthere", n: 1 },
        result: {
          content: [{ type: "text", text: "hi" }],
          structured_content: null,
        },
        status: "completed",
      }),
      item("completed", { id: "s", type: "web_search", query: "codex jsonl" }),
    ],
    text:
      "» demo.echo text=hi there n=1\n  hi\n  ✓\n» web_search codex jsonl\n  ✓\n\n… no end of the turn\n",
  },
  {
    name: "an error that an entry shows once",
    lines: [
      { type: "error", message: "No" },
      { type: "turn.failed", error: { message: "No" } },
    ],
    text: "✗ No\n\n✗ failed\n",
  },
  {
    name: "an item of type error as a warning",
    lines: [item("completed", { id: "w", type: "error", message: "Old" })],
    text: "⚠ Old\n\n… no end of the turn\n",
  },
  {
    name: "the error of a turn that no entry shows",
    lines: [{ type: "turn.failed", error: { message: "No" } }],
    text: "✗ failed: No\n",
  },
  {
    name: "a failed line",
    lines: ["{torn", DONE],
    text:
      '✗ line 3: json: Cannot parse the line as JSON: "t" stands where a key is expected (byte 2)\n\n✓ done (1,234 in / 567 out)\n',
  },
  {
    name: "a command that ends after its turn",
    lines: [command("started"), DONE, command("completed")],
    text:
      "$ npm test\n  … not finished\n\n✓ done (1,234 in / 567 out)\n\n$ npm test\n  ok\n  ✓ went on\n",
  },
] satisfies {
  name: string;
  lines: (string | Record<string, unknown>)[];
  text: string;
}[];

for (const { name, lines, text } of CASES) {
  Deno.test(`TextRenderer writes ${name}`, () => {
    assertEquals(viewOf(lines), text);
  });
}

Deno.test("TextRenderer writes the fields of a session, a change of model and a rollback", () => {
  const session = {
    type: "session",
    thread_id: "t1",
    startedAt: "2026-11-20T15:14:14.500Z",
    cwd: "/home/dev",
    model: "m1",
    cli_version: "0.169.0",
  } as const;
  const turn = {
    type: "turn_started",
    turn_id: null,
    startedAt: null,
  } as const;
  const parts: TranscriptPart[] = [
    session,
    { ...turn, turn: 1, model: "m1", cwd: "/home/dev" },
    { ...turn, turn: 2, model: "m2", cwd: "/home/dev" },
    { type: "rolled_back", turns: 2 },
  ];
  assertEquals(
    writtenBy(new TextRenderer(), parts),
    "Codex 0.169.0 · m1 · /home/dev · 2026-11-20 15:14:14Z · t1\n\nm2\n\n↶ 2 turns taken back\n",
  );
});

Deno.test("TextRenderer writes a heading on one line, with any name of a folder", () => {
  const part = {
    type: "session",
    thread_id: null,
    startedAt: null,
    cwd: "/home\r\n\n$ rm",
    model: null,
    cli_version: null,
  } as const;
  assertEquals(writtenBy(new TextRenderer(), [part]), "/home $ rm\n");
});

Deno.test("TextRenderer writes how many bytes of output were not kept", () => {
  const entry = {
    type: "entry",
    phase: "final",
    id: 1,
    turn: null,
    startedAt: null,
    endedAt: null,
    durationMs: 61_000,
    record: {
      id: 1,
      type: "exec",
      payload: {
        call_id: null,
        command: ["ls"],
        parsed: [],
        action: "run",
        status: "success",
        stdout_chunks: [{ offset: 1200, content: "a\n" }],
        stderr_chunks: [{ offset: 0, content: "b\n" }],
        exit_code: 0,
        wait_total_ms: null,
        wait_active: false,
        wait_notes: [],
        started_at: "1970-01-01T00:00:00.000Z",
        completed_at: null,
      },
    },
  } as const;
  assertEquals(
    writtenBy(new TextRenderer(), [entry]),
    "$ ls\n  … 1,200 bytes of output not kept\n  a\n  b\n  ✓ 1m 01s\n",
  );
});

Deno.test("TextRenderer writes a command when it begins, and its output when it ends", () => {
  const writes: string[] = [];
  const renderer = new TextRenderer();
  const lines = [THREAD, TURN, command("started"), command("completed")];
  for (const part of partsOfLines(lines, { live: true }).slice(1)) {
    renderer.feed(part, (text) => writes.push(text));
  }
  assertEquals(writes.slice(0, 2), ["$ npm test\n", "  ok\n  ✓\n"]);
});

const MIXED = [
  item("completed", { id: "r", type: "reasoning", text: "**A**\n\nb" }),
  command("completed"),
  item("completed", {
    id: "e",
    type: "file_change",
    changes: [{ path: "a.ts", kind: "update" }],
    status: "completed",
  }),
  message("Done.", "m"),
];

const OPTION_CASES = [
  {
    name: "only the names of tools",
    options: { tools: "names" },
    text: "· A\n\n  b\n\n$ npm test\n  ✓\n→ edit a.ts\n\nDone.\n",
  },
  {
    name: "no tools",
    options: { tools: "none" },
    text: "· A\n\n  b\n\nDone.\n",
  },
  {
    name: "no reasoning and no output",
    options: { reasoning: "omit", maxOutputLines: 0 },
    text: "$ npm test\n  … 1 line left out\n  ✓\n→ edit a.ts\n\nDone.\n",
  },
  {
    name: "only the headings of folded reasoning",
    options: { reasoning: "fold", tools: "none" },
    text: "· A\n\nDone.\n",
  },
] satisfies { name: string; options: TextOptions; text: string }[];

for (const { name, options, text } of OPTION_CASES) {
  Deno.test(`TextRenderer writes on request ${name}`, () => {
    assertEquals(
      viewOf(MIXED, options),
      `${text}\n… no end of the turn\n`,
    );
  });
}

Deno.test("TextRenderer breaks text and cuts output at the width of the terminal", () => {
  const text = viewOf([
    message("The quick brown fox jumps over the lazy dog."),
    command("completed", { aggregated_output: "漢字".repeat(20) }),
    DONE,
  ], { columns: () => 24 });
  assertEquals(
    text,
    "The quick brown fox\njumps over the lazy dog.\n\n$ npm test\n  漢字漢字漢字漢字漢字…\n  ✓\n\n✓ done (1,234 in / 567\n  out)\n",
  );
});

const MARKS: TextStyle = {
  bold: (text) => `<b>${text}</b>`,
  red: (text) => `<red>${text}</red>`,
  green: (text) => `<green>${text}</green>`,
  yellow: (text) => `<yellow>${text}</yellow>`,
  cyan: (text) => `<cyan>${text}</cyan>`,
  dim: (text) => `<dim>${text}</dim>`,
  italic: (text) => `<i>${text}</i>`,
  strike: (text) => `<s>${text}</s>`,
  link: (text, target) => `<a ${target}>${text}</a>`,
};

Deno.test("TextRenderer styles each line by itself", () => {
  assertEquals(
    viewOf([command("completed"), message("a\nb"), DONE], { style: MARKS }),
    "<cyan>$ npm test</cyan>\n<dim>  ok</dim>\n<dim>  ✓</dim>\n\na\nb\n\n<green>✓ done (1,234 in / 567 out)</green>\n",
  );
});

Deno.test("TextRenderer redacts output before it is cut", () => {
  const text = viewOf([
    command("completed", { aggregated_output: `x ${SECRET}\n` }),
    message(`Use ${SECRET}.`, "m"),
    { type: "turn.failed", error: { message: SECRET } },
  ], { redactor: new Redactor(), columns: () => 30 });
  assert(!text.includes("sk-proj"), text);
  assert(text.includes("[redacted:"), text);
});

Deno.test("TextRenderer writes the output of explored commands like that of other commands", () => {
  const parts = partsOfLines([
    PAGINATED,
    look("a", `1\n2\n${SECRET}\n\x1b[2J= 4\n`),
    look("b", "", { exit_code: 2 }),
  ], { live: true }).slice(1);
  const redactor = new Redactor();
  assertEquals(
    writtenBy(new TextRenderer({ redactor, maxOutputLines: 2 }), parts),
    "$ cat a\n  … 2 lines left out\n  [redacted:openai_key]\n  = 4\n  ✓\n$ cat b\n  ✗ exit 2\n",
  );
  assertEquals([...redactor.counts.values()], [1]);
  for (const tools of ["names", "none"] as const) {
    const text = writtenBy(new TextRenderer({ tools }), parts);
    assertEquals(
      text,
      tools === "none" ? "" : "$ cat a\n  ✓\n$ cat b\n  ✗ exit 2\n",
    );
  }
});

Deno.test("TextRenderer writes one line of a command and of a call if only names are shown", () => {
  const parts = partsOfLines([
    THREAD,
    command("completed", { command: "bash -lc 'cat <<E\nx\ny\nE'" }),
    item("completed", {
      id: "t",
      type: "mcp_tool_call",
      server: "s",
      tool: "t",
      arguments: { a: 1 },
      error: { message: "No" },
      status: "failed",
    }),
  ], { live: true }).slice(1);
  assertEquals(
    writtenBy(new TextRenderer({ tools: "names" }), parts),
    "$ cat <<E\n  … 3 more lines\n  ✓\n» s.t\n  ✗ failed\n",
  );
});

Deno.test("TextRenderer frees the beginnings of old work that never ends", () => {
  const renderer = new TextRenderer();
  const lines = [THREAD, command("started")];
  const [part] = entriesOf(partsOfLines(lines, { live: true }));
  assert(part !== undefined);
  const before = heap();
  for (let id = 0; id < 20_000; id++) {
    const command = ["echo", `${id}`.padEnd(2000, "x")];
    const payload = { ...part.record.payload, command };
    const record = { ...part.record, payload } as typeof part.record;
    renderer.feed({ ...part, id, record }, () => {});
  }
  assertLess(heap() - before, 20_000_000);
  assert(renderer.running === undefined);
});

Deno.test("TextRenderer tells which work is running", () => {
  const renderer = new TextRenderer();
  const running: (string | undefined)[] = [];
  const lines = [
    THREAD,
    TURN,
    command("started", { command: "bash -lc 'make\nls'" }),
    command("started", { id: "item_2", command: "ls" }),
    command("completed", { id: "item_2", command: "ls" }),
    command("completed"),
    DONE,
  ];
  for (const part of partsOfLines(lines, { live: true })) {
    renderer.feed(part, () => {});
    running.push(renderer.running?.title);
  }
  assertEquals(running, [
    undefined,
    "working",
    "$ make",
    "$ ls",
    "$ make",
    "working",
    undefined,
  ]);
});

Deno.test("TextRenderer counts a secret in a command once, even if it writes the command twice", () => {
  const line = "curl -H 'Authorization: Bearer abcdefghijklmnop1234567890'";
  const redactor = new Redactor();
  const text = viewOf([
    command("started", { command: line }),
    command("started", { id: "item_2", command: "ls" }),
    command("completed", { command: line }),
    command("completed", { id: "item_2", command: "ls" }),
  ], { redactor });
  assertEquals([...redactor.counts.values()], [1]);
  assertEquals(text.match(/Bearer \[redacted/g)?.length, 2);
});

const HOSTILE =
  "\x1b]0;own\x07\x1b[31mred\u202e\x9b2J\r\n::error::x\n  ::stop-commands::y\n##[command]z\x00";

Deno.test("TextRenderer writes hostile text without effects", () => {
  const text = viewOf([
    message(HOSTILE),
    command("completed", {
      id: HOSTILE,
      command: HOSTILE,
      aggregated_output: HOSTILE,
    }),
    ...itemsOf(HOSTILE),
    { type: "error", message: HOSTILE },
    { type: "turn.failed", error: { message: `b${HOSTILE}` } },
  ], { columns: () => 40 });
  assert(text.includes("\\u001b]0;own\\u0007red\\u202e"), text);
  for (const line of text.split("\n")) {
    // deno-lint-ignore no-control-regex
    assert(!/[\u0000-\u001f\u007f-\u009f\u202e]/.test(line), line);
    assert(!/^\s*::|##\[/.test(line), line);
  }
});

Deno.test("TextRenderer writes the message in the JSON of an error without effects and secrets", () => {
  const secret = SECRET.replace("sk-", "\\u0073k-");
  for (const type of ["error", "turn.failed"]) {
    const message = String
      .raw`400: {"error":{"message":"\u001b]0;own\u0007 ${secret}\n::error::x"}}`;
    const redactor = new Redactor();
    const text = viewOf([{ type, message, error: { message } }], { redactor });
    assertEquals(text.replace("failed: ", "").split("\n").slice(0, 2), [
      "✗ 400: \\u001b]0;own\\u0007 [redacted:openai_key]",
      "  \\::error::x",
    ]);
    assertEquals([...redactor.counts.values()], [1]);
  }
});

Deno.test("TextRenderer joins the lines of names, so that none begins a workflow command", () => {
  const lines = [{ spans: [{ text: "Hi", styles: {} }] }];
  const unnamed = { role: "assistant", kind: "plain", lines } as const;
  const header = { label: "me\n::error::x", badge: null };
  const records = [
    { id: 1, type: "plain_message", payload: { ...unnamed, header } },
    { id: 2, type: "new\n::error::x", payload: {} },
  ] as const;
  const parts = records.map((record) => ({
    type: "entry" as const,
    phase: "final" as const,
    id: record.id,
    turn: null,
    record,
    startedAt: null,
    endedAt: null,
    durationMs: null,
  }));
  const line = "bash -lc 'echo\r::error::x'";
  const texts = [
    writtenBy(new TextRenderer(), parts),
    viewOf([
      command("started", { command: line }),
      message("Hi"),
      command("completed", { command: line }),
    ]),
  ];
  assertEquals(texts.join("").match(/^.*::error::x.*$/gm), [
    "me ::error::x:",
    "· new ::error::x",
    "  \\::error::x",
    "$ echo ::error::x",
  ]);
});

Deno.test("TextRenderer breaks the lines of a failure's reason, and cuts those of results", () => {
  const call = { type: "mcp_tool_call", server: "a", tool: "b" };
  const text = "one two three four five";
  const failed = {
    ...call,
    id: "f",
    status: "failed",
    error: { message: text },
  };
  const content = [{ type: "text", text }];
  const done = { ...call, id: "d", status: "completed", result: { content } };
  const parts = partsOfLines([
    THREAD,
    item("completed", failed),
    item("completed", done),
  ]);
  assertEquals(
    writtenBy(new TextRenderer({ columns: () => 20 }), parts).split("\n").slice(
      2,
    ),
    [
      "» a.b",
      "  one two three four",
      "  five",
      "  ✗ failed",
      "» a.b",
      "  one two three fou…",
      "  ✓",
      "",
    ],
  );
});

Deno.test("TextRendererStream writes the same as TextRenderer", async () => {
  const parts = partsOfLines([THREAD, TURN, message("Hi"), DONE]);
  const texts = await Array.fromAsync(
    ReadableStream.from(parts).pipeThrough(new TextRendererStream()),
  );
  assertEquals(texts.join(""), writtenBy(new TextRenderer(), parts));
});

/** The live view of a session on a terminal of 100 columns. */
function viewOfBytes(bytes: Uint8Array, options: TextOptions = {}): string {
  const parts = partsOf(valuesOf(bytes), { live: true });
  const renderer = new TextRenderer({ columns: () => 100, ...options });
  return writtenBy(renderer, parts);
}

for (const { name, folder, start } of GOLDEN_SESSIONS) {
  Deno.test(`TextRenderer writes the golden view of ${name}`, () => {
    assertGolden(`${name}.txt`, viewOfBytes(readSession(folder, start)));
  });
}

/** The sessions and widths of the golden views on terminals. */
const SCREENS = ["0.61-unicode", "0.130-review", "0.160-patch", "0.169-tui"]
  .flatMap((name) => [80, 120].map((columns) => ({ name, columns })));

for (const { name, columns } of SCREENS) {
  Deno.test(`TextRenderer writes the golden view of ${name} on a terminal of ${columns} columns`, () => {
    const { folder, start } = GOLDEN_SESSIONS.find((session) =>
      session.name === name
    ) ??
      { folder: "", start: "" };
    const text = viewOfBytes(readSession(folder, start), {
      columns: () => columns,
      style: COLORED_STYLE,
    });
    assertGolden(`${name}.${columns}.ansi`, text);
    for (const line of text.split("\n")) {
      assert(stringWidth(line) <= columns, line);
    }
    // Only colours that are readable on light and dark terminals, and no background.
    // deno-lint-ignore no-control-regex
    const codes = [...text.matchAll(/\x1b\[(\d+)m/g)].map(([, code]) => code);
    const known = "1 2 3 4 9 22 23 24 29 31 32 33 36 39".split(" ");
    assertEquals(codes.filter((code = "") => !known.includes(code)), []);
  });
}

Deno.test("TextRenderer writes the facts of a session on one line", () => {
  const start = { type: "thread.started", thread_id: "a\nb", cwd: "/c\r\nd" };
  const parts = partsOfLines([start]);
  assertEquals(writtenBy(new TextRenderer(), parts), "/c d · a b\n");
});

Deno.test("TextRenderer writes a hostile session without effects", () => {
  // The second one lays out the Markdown of answers, as any style but that of plain text.
  for (const style of [PLAIN_STYLE, { ...PLAIN_STYLE }]) {
    const text = viewOfBytes(hostileSession(), { style });
    assert(text.length > 10_000);
    for (const line of text.split("\n")) {
      assert(!CONTROL_REGEXP.test(line), line);
      assert(!/^\s*::|##\[/.test(line), line);
      assert(line.length <= 100, line);
    }
  }
});

Deno.test("TextRenderer writes the path, prompt and status of images", () => {
  const made = (id: string, fields: object) =>
    pagedLine("ImageGeneration", { id, ...fields });
  const parts = partsOfLines([
    PAGINATED,
    made("a", { saved_path: "/w/a.png", revised_prompt: "A square" }),
    made("b", { revised_prompt: "A square", status: "failed" }),
    made("c", {}),
  ]);
  assertEquals(
    writtenBy(new TextRenderer(), parts.slice(1)),
    "→ image /w/a.png (A square)\n→ image (failed: A square)\n→ image\n",
  );

  const item = { type: "imageGeneration", id: "i", status: "failed" };
  const params = { threadId: "t", turnId: "1", item };
  const ofServer = partsOfLines([{ method: "item/completed", params }]);
  assertEquals(
    writtenBy(new TextRenderer(), ofServer.slice(1)),
    "→ image (failed)\n",
  );
});

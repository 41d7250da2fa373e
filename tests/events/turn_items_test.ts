import { assert, assertEquals } from "@std/assert";
import {
  checkedSnapshot,
  historyOf,
  payloadsOf,
  snapshotOf,
} from "../history/histories.ts";
import {
  callLine,
  eventLine,
  itemLine,
  line,
  pagedLine,
  PAGINATED,
} from "../session_lines.ts";
import { fieldsOf, snakeCase } from "../../lib/json/fields.ts";
import { eventsOf, script } from "./reading.ts";

/** The fields of an item without its id. */
type Item = Readonly<Record<string, unknown>>;

const ADD = { a: { type: "add", content: "x" } };

/** For each type of item, a first item with many fields, and a second with fewer. */
const ITEMS: readonly (readonly [type: string, first: Item, second: Item])[] = [
  [
    "UserMessage",
    {
      content: [
        { type: "text", text: "a" },
        { type: "local_image", path: "/a.png" },
        { type: "local_image", path: "/b.png" },
      ],
    },
    {
      content: [
        { type: "text", text: "b" },
        { type: "local_image", path: "/c.png" },
      ],
    },
  ],
  [
    "AgentMessage",
    { content: [{ type: "Text", text: "a" }] },
    { content: [{ type: "Text", text: "b" }] },
  ],
  [
    "Reasoning",
    { summary_text: ["**A**\n\na"], raw_content: [] },
    { summary_text: ["b"], raw_content: [] },
  ],
  ["Plan", { text: "a" }, { text: "b" }],
  [
    "CommandExecution",
    {
      command: ["make", "a"],
      stdout: "o",
      stderr: "e",
      exit_code: 1,
      started_at_ms: 1,
    },
    { command: ["make", "b"], aggregated_output: "new", exit_code: 0 },
  ],
  [
    "CommandExecution",
    {
      command: ["cat", "a"],
      parsed_cmd: [{ type: "read", cmd: "cat a", name: "a" }],
      exit_code: 0,
    },
    {
      command: ["rg", "b"],
      parsed_cmd: [{ type: "search", cmd: "rg b" }],
      cwd: "/w",
      exit_code: 1,
    },
  ],
  [
    "FileChange",
    { changes: ADD, status: "failed", stderr: "no" },
    { changes: { b: { type: "delete", content: "" } }, status: "completed" },
  ],
  [
    "McpToolCall",
    { server: "s", tool: "a", arguments: { x: 1 }, error: { message: "no" } },
    { server: "s", tool: "b", arguments: { y: 2 } },
  ],
  ["WebSearch", { query: "q", status: "failed" }, { query: "r" }],
  ["ImageView", { path: "/a.png" }, { path: "/b.png" }],
  [
    "ImageGeneration",
    { revised_prompt: "p", saved_path: "/a.png", status: "completed" },
    { revised_prompt: "q", saved_path: "/b.png", status: "failed" },
  ],
  [
    "DynamicToolCall",
    { tool: "a", arguments: { x: 1 } },
    { tool: "b", arguments: { y: 2 } },
  ],
  [
    "CollabAgentToolCall",
    { tool: "wait", prompt: "p", agents_states: { a: "done" } },
    { tool: "wait", prompt: "q" },
  ],
  [
    "SubAgentActivity",
    { agent_path: "agents/a", kind: "started" },
    { agent_path: "agents/a", kind: "interrupted" },
  ],
  [
    "EnteredReviewMode",
    { user_facing_hint: "a" },
    { user_facing_hint: "b" },
  ],
  [
    "ExitedReviewMode",
    { review_output: { overall_explanation: "a" } },
    { review_output: { overall_explanation: "b" } },
  ],
  ["ContextCompaction", {}, {}],
  [
    "FunctionCallOutput",
    { name: "a", namespace: "n", output: "x" },
    { name: "b", output: [{ type: "input_text", text: "y" }] },
  ],
  [
    "Extension",
    { kind: "web.search", query: "q", action: null, results: null },
    { kind: "web.search", query: "r", action: { type: "search", query: "r" } },
  ],
  [
    "Extension",
    { kind: "image_gen.generation", status: "completed", savedPath: "/a.png" },
    { kind: "image_gen.generation", status: "failed", savedPath: "/b.png" },
  ],
];

const REVIEW = pagedLine("EnteredReviewMode", {
  id: "review",
  user_facing_hint: "the change",
});

for (const [type, first, second] of ITEMS) {
  Deno.test(`HistoryState.apply() replaces a ${type} by a later one of the same id: ${JSON.stringify(second)}`, () => {
    const start = [PAGINATED, REVIEW];
    const events = [
      ...start,
      pagedLine(type, { id: "x", ...first }),
      pagedLine("AgentMessage", { id: "m", content: "between" }),
      pagedLine(type, { id: "x", ...second }),
    ];
    const { records } = historyOf(events).snapshot();
    const alone = historyOf([
      ...start,
      pagedLine(type, { id: "x", ...second }),
    ]).snapshot().records;
    const contents = records.filter(({ payload }) =>
      Object(payload).markdown !== "between"
    ).map(({ type, payload }) => ({ type, payload }));
    assertEquals(
      contents,
      alone.map(({ type, payload }) => ({
        type,
        payload: type === "explore" ? { ...payload, trailing: false } : payload,
      })),
    );
    checkedSnapshot(events);
  });
}

for (const [type, item] of ITEMS) {
  Deno.test(`HistoryState.apply() shows each ${type} without an id separately: ${JSON.stringify(item)}`, () => {
    const contentsOf = (...items: readonly unknown[]) =>
      snapshotOf([
        PAGINATED,
        ...items.flatMap((id) => [
          pagedLine(type, { id, ...item }),
          pagedLine("Plan", { id: "between", text: "between" }),
        ]),
      ]).records.map(({ type, payload }) => {
        const { call_id: _callId, stream_id: _streamId, ...rest } = Object(
          payload,
        );
        return { type, payload: rest };
      });
    const named = contentsOf("a", "b");
    assert(named.length > 2);
    assertEquals(contentsOf(undefined, undefined), named);
    assertEquals(contentsOf("", 7), named);
    checkedSnapshot([
      PAGINATED,
      pagedLine(type, item),
      pagedLine(type, { ...item, id: "" }),
    ]);
  });
}

Deno.test("HistoryState.apply() shows raw reasoning if its summary is blank", () => {
  const item = { summary_text: [" "], raw_content: ["Why"] };
  const { records } = snapshotOf([PAGINATED, pagedLine("Reasoning", item)]);
  assertEquals(records.map(({ payload }) => Object(payload).sections.length), [
    1,
  ]);
});

Deno.test("HistoryState.apply() shows the text of a message without content", () => {
  const snapshot = snapshotOf([
    PAGINATED,
    pagedLine("UserMessage", { id: "u", text: "go" }),
    pagedLine("AgentMessage", { id: "a", text: "done" }),
  ]);
  assertEquals(
    snapshot.records.map(({ type, payload }) =>
      type === "plain_message"
        ? Object(payload).lines[0].spans[0].text
        : Object(payload).markdown
    ),
    ["go", "done"],
  );
});

Deno.test("EventReader reads items whose types are spelled as in exec streams and app-servers", () => {
  const items = [
    ["UserMessage", { content: [{ type: "text", text: "go" }] }],
    ["Reasoning", { summary_text: ["so"] }],
    ["CommandExecution", { command: ["ls"], aggregated_output: "a" }],
    ["AgentMessage", { content: [{ type: "Text", text: "done" }] }],
  ] as const;
  const read = (spell: (type: string) => string): unknown =>
    eventsOf([
      PAGINATED,
      ...items.map(([type, item], i) =>
        pagedLine(spell(type), { id: `i${i}`, ...item })
      ),
    ]).map(({ line: _, offset: __, ...event }) => event);
  const expected = read((type) => type);
  const camelCase = (type: string): string =>
    type.charAt(0).toLowerCase() + type.slice(1);
  assertEquals(read(camelCase), expected);
  assertEquals(read(snakeCase), expected);
});

Deno.test("HistoryState.apply() shows texts that are objects or lists of parts", () => {
  const text = { text: "go" };
  const snapshot = snapshotOf([
    PAGINATED,
    pagedLine("UserMessage", { id: "u", content: [{ type: "text", text }] }),
    pagedLine("UserMessage", { id: "v", content: [{ text: ["g", "o"] }] }),
    pagedLine("Reasoning", { id: "r", summary_text: [text] }),
    pagedLine("AgentMessage", { id: "a", content: { type: "Text", text } }),
    pagedLine("AgentMessage", { id: "b", text: [text] }),
  ]);
  assertEquals(
    snapshot.records.map(({ payload }) =>
      JSON.stringify(payload).includes('"go"')
    ),
    [true, true, true, true, true],
  );
});

Deno.test("HistoryState.apply() shows a prompt that resembles injected context (C.5)", () => {
  const prompts = [
    "Warning: apply_patch was requested via exec_command. Why?",
    "<skill>Is this tag right?</skill>",
  ];
  const snapshot = snapshotOf([
    PAGINATED,
    ...prompts.map((text) =>
      pagedLine("UserMessage", { id: text, content: [{ type: "text", text }] })
    ),
  ]);
  assertEquals(
    snapshot.records.map(({ payload }) =>
      Object(payload).lines[0].spans[0].text
    ),
    prompts,
  );
});

const SEARCHES: Readonly<Record<string, Item>> = {
  "a query": {
    query: "q",
    action: { type: "search", query: "q", queries: null },
  },
  "queries and results": {
    query: "deno fmt ...",
    action: { type: "search", queries: ["deno fmt", "deno lint"] },
    results: [{ title: "Deno", url: "https://example.com/" }],
  },
};

function recordsOf(type: string, item: Item) {
  return snapshotOf([PAGINATED, pagedLine(type, { id: "x", ...item })]).records;
}

for (const [name, search] of Object.entries(SEARCHES)) {
  Deno.test(`HistoryState.apply() shows a search of an extension like a WebSearch: ${name}`, () => {
    assertEquals(
      recordsOf("Extension", { kind: "web.search", ...search }),
      recordsOf("WebSearch", search),
    );
  });
}

Deno.test("HistoryState.apply() shows an image of an extension like an ImageGeneration", () => {
  const image = { status: "completed", result: "aGk=" };
  assertEquals(
    recordsOf("Extension", {
      kind: "image_gen.generation",
      revisedPrompt: "A red boat",
      savedPath: "/w/boat.png",
      failure: null,
      ...image,
    }),
    recordsOf("ImageGeneration", {
      revised_prompt: "A red boat",
      saved_path: "/w/boat.png",
      ...image,
    }),
  );
});

Deno.test("EventReader reads the pause of an extension like a Sleep, in both modes", () => {
  const pause = { id: "x", kind: "clock.sleep", durationMs: 5 };
  const call = callLine("sleep", { duration_ms: 5 }, "x");
  for (const head of [[], [PAGINATED]]) {
    const events = eventsOf([...head, call, pagedLine("Extension", pause)]);
    assertEquals(events.at(-1)?.item_type, "sleep");
  }
});

Deno.test("HistoryState.apply() shows no record for an unknown extension", () => {
  const kinds = ["clock.sleep", "calendar.add", "a.new_one", { a: 1 }, 7];
  // An object that cannot be converted to a text.
  for (const kind of [...kinds, { toString: 1 }, undefined]) {
    assertEquals(recordsOf("Extension", { kind, durationMs: 5 }), []);
  }
});

Deno.test("EventReader reads the path of a command's folder and of an image from a file URL", () => {
  const places = ["///w/a%20b", "///C:/w/a", "///%", "//server/w"];
  const contents = eventsOf([
    PAGINATED,
    ...places.map((place) => {
      const cwd = `file:${place}`;
      return pagedLine("CommandExecution", { id: place, command: ["ls"], cwd });
    }),
    pagedLine("ImageView", { id: "i", path: "file:///w/%C3%A9.png" }),
  ]).map(({ content }) => fieldsOf(content));
  assertEquals(
    contents.flatMap(({ cwd, path }) => cwd ?? path ?? []),
    ["/w/a b", "C:\\w\\a", "file:///%", "file://server/w", "/w/é.png"],
  );
});

Deno.test("HistoryState.apply() shows a function call output of a client as a tool call", () => {
  const { records: [record] } = snapshotOf([
    PAGINATED,
    pagedLine("FunctionCallOutput", {
      id: "fco_1",
      name: "create_thread",
      namespace: "codex_app",
      output: "Look at main",
    }),
  ]);
  assertEquals(record?.type, "tool_call");
  assertEquals(record?.payload, {
    status: "success",
    title: "codex_app.create_thread",
    duration_ms: null,
    arguments: [],
    result_preview: { lines: ["Look at main"], truncated: false },
    error_message: null,
  });
});

Deno.test("HistoryState.apply() shows an output that a client provided as failed only if it says so (C.6)", () => {
  const statusOf = (output: unknown): unknown => {
    const snapshot = snapshotOf([
      PAGINATED,
      pagedLine("FunctionCallOutput", { id: "fco_1", name: "a", output }),
    ]);
    return payloadsOf(snapshot, "tool_call")[0]?.status;
  };
  assertEquals(statusOf("Exit code: 1\nOutput:\nno"), "success");
  assertEquals(statusOf({ content: "no", success: false }), "failed");
});

/** Makes a `realtime_item` line: a segment of a voice transcript. */
function spoken(id: string | undefined, role: string, text: unknown) {
  const item = { id, realtime_session_id: "r", type: "transcript_segment" };
  return line("realtime_item", { ...item, role, text });
}

Deno.test("HistoryState.apply() shows the transcript of a voice conversation", () => {
  const events = [
    PAGINATED,
    line("realtime_item", { id: "0", type: "realtime_session_started" }),
    spoken("1", "user", "Look at main"),
    spoken("2", "assistant", "I am looking"),
    spoken("2", "assistant", "I have looked"),
    spoken(undefined, "user", "Thanks"),
    spoken("3", "assistant", " "),
    spoken("4", "assistant", 7),
    line("realtime_item", { id: "5", type: "realtime_session_closed" }),
  ];
  assertEquals(
    snapshotOf(events).records.map(({ payload }) => {
      const { role, header, lines } = Object(payload);
      const { label, badge } = header;
      return [role, label, badge, lines[0].spans[0].text];
    }),
    [
      ["user", "user", "voice", "Look at main"],
      ["assistant", "voice", null, "I have looked"],
      ["user", "user", "voice", "Thanks"],
    ],
  );
  checkedSnapshot(events);
});

Deno.test("HistoryState.apply() does not count a voice segment as a turn of a rollback", () => {
  const turn = (text: string) => [
    eventLine("task_started"),
    pagedLine("AgentMessage", { content: text }),
    eventLine("task_complete"),
  ];
  const state = historyOf([
    PAGINATED,
    ...turn("a"),
    ...turn("b"),
    spoken("1", "user", "Not that"),
    eventLine("thread_rolled_back", { num_turns: 1 }),
  ]);
  assertEquals(
    state.snapshot().records.map(({ payload }) => Object(payload).markdown),
    ["a"],
  );
});

Deno.test("HistoryState.apply() removes records that a repeated paginated item lacks", () => {
  const review = (explanation: string) =>
    pagedLine("ExitedReviewMode", {
      id: "x",
      review_output: { overall_explanation: explanation },
    });
  const types = (events: readonly unknown[]) =>
    snapshotOf([PAGINATED, ...events]).records.map(({ type }) => type);
  assertEquals(types([review("a"), review(" ")]), ["background_event"]);
  const user = (...content: unknown[]) =>
    pagedLine("UserMessage", { id: "u", content });
  const text = { type: "text", text: "a" };
  const image = { type: "local_image", path: "/a.png" };
  assertEquals(types([user(text, image), user(image)]), ["image"]);
  assertEquals(types([user(text, image), user(text)]), ["plain_message"]);
  assertEquals(types([user(image), user(text, image)]), [
    "image",
    "plain_message",
  ]);
  assertEquals(types([user(text), user()]), ["plain_message"]);
  checkedSnapshot([PAGINATED, user(text, image), user(image), user(text)]);
});

Deno.test("HistoryState.apply() shows the hint of a review at a repeated end", () => {
  const end = pagedLine("ExitedReviewMode", { id: "b", review: "r" });
  const snapshot = snapshotOf([
    PAGINATED,
    pagedLine("EnteredReviewMode", { id: "a", user_facing_hint: "h" }),
    end,
    end,
  ]);
  assertEquals(
    payloadsOf(snapshot, "background_event").map((each) => each.description),
    [">> Code review started: h <<", "<< Code review finished: h >>"],
  );
});

Deno.test("HistoryState.apply() reads every mark of a failed paginated tool call (C.5)", () => {
  const ended = (fields: Record<string, unknown>) => {
    const item = { id: "t", server: "s", tool: "t", ...fields };
    const lines = [PAGINATED, pagedLine("McpToolCall", item)];
    return payloadsOf(snapshotOf(lines), "tool_call")[0]?.status;
  };
  assertEquals(ended({ status: "completed" }), "success");
  assertEquals(ended({ error: { message: "no" } }), "failed");
  assertEquals(ended({ status: "failed" }), "failed");
});

Deno.test("HistoryState.apply() keeps the command of a repeated item without a command (C.5)", () => {
  const command = (fields: Record<string, unknown>) =>
    pagedLine("CommandExecution", { id: "c", exit_code: 0, ...fields });
  const first = command({
    command: ["make", "all"],
    parsed_cmd: [{ type: "unknown", cmd: "make all" }],
    stdout: "old",
    exit_code: 1,
  });
  const shown = (fields: Record<string, unknown>) => {
    const lines = [PAGINATED, first, command({ stdout: "new", ...fields })];
    return payloadsOf(snapshotOf(lines), "exec").map((exec) => [
      exec.command,
      Object(exec.parsed).length,
      exec.stdout_chunks,
      exec.status,
    ]);
  };
  const output = [{ offset: 0, content: "new" }];
  assertEquals(shown({}), [[["make", "all"], 1, output, "success"]]);
  assertEquals(shown({ command: ["ls"] }), [[["ls"], 0, output, "success"]]);
});

Deno.test("HistoryState.apply() shows a repeated item in the record of a response item without an id (C.5)", () => {
  const search = itemLine("web_search_call", { action: { query: "q" } });
  const found = (query: string, id: string) =>
    pagedLine("WebSearch", { id, query });
  const snapshot = checkedSnapshot([
    PAGINATED,
    search,
    search,
    found("a", "1"),
    found("b", "1"),
    found("c", "2"),
    found("d", "1"),
  ]);
  assertEquals(
    payloadsOf(snapshot, "tool_call").map((each) => each.arguments),
    ["d", "c"].map((text) => [{
      name: "query",
      value: { type: "text", text },
    }]),
  );
});

Deno.test("HistoryState.restore() restores tools whose call id another tool has taken", () => {
  const snapshot = checkedSnapshot([
    PAGINATED,
    callLine("f", {}),
    callLine("g", {}),
    pagedLine("CommandExecution", { id: "c1", command: ["ls"] }),
    eventLine("turn_aborted", { reason: "interrupted" }),
  ]);
  assertEquals(snapshot.tool_call_lookup, {});
});

Deno.test("HistoryState.apply() keeps the call id of a script's tool when its item is repeated (C.5)", () => {
  const item = { id: "exec-1", server: "s", tool: "t" };
  const snapshot = checkedSnapshot([
    PAGINATED,
    script("await tools.mcp__s__t({})"),
    pagedLine("McpToolCall", item),
    pagedLine("McpToolCall", item),
  ]);
  assertEquals(snapshot.tool_call_lookup, { c1: 1 });
});

Deno.test("HistoryState.apply() renames an explored command that is repeated (C.5)", () => {
  const read = (path: string, fields: Record<string, unknown> = {}) =>
    pagedLine("CommandExecution", {
      id: "c",
      command: ["cat", path],
      parsed_cmd: [{ type: "read", cmd: `cat ${path}`, name: path }],
      exit_code: 0,
      ...fields,
    });
  const entries = (...lines: readonly unknown[]) =>
    payloadsOf(snapshotOf([PAGINATED, ...lines]), "explore")
      .flatMap((explore) => explore.entries);
  const entry = { command: ["cat", "b"], cwd: null, status: "success" };
  assertEquals(entries(read("a"), read("b")), [entry]);
  // A read of the new path is the same entry, a read of the old path is another.
  const other = { ...entry, command: ["cat", "a"] };
  assertEquals(entries(read("a"), read("b"), read("b", { id: "d" })), [entry]);
  assertEquals(entries(read("a"), read("b"), read("a", { id: "d" })), [
    entry,
    other,
  ]);
  const unnamed = read("a", { command: [] });
  assertEquals(entries(read("a"), unnamed), [other]);
});

Deno.test("EventReader pairs items of one turn that share no id, also after it was saved", () => {
  const generated = { status: "completed", result: "aGk=" };
  const lines = [
    PAGINATED,
    pagedLine("ImageGeneration", { id: "a", ...generated }),
    itemLine("image_generation_call", { id: "b", ...generated }),
    itemLine("image_generation_call", { id: "c", ...generated }),
    eventLine("task_complete", { turn_id: "t" }),
    pagedLine("ImageGeneration", { id: "d", ...generated }),
  ];
  for (const split of lines.keys()) {
    const ids = eventsOf(lines, split)
      .filter(({ item_type }) => item_type === "image_generation")
      .map(({ item_id }) => item_id);
    assertEquals(ids, ["a", "c", "d"], `saved before line ${split + 1}`);
  }
});

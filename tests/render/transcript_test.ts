import { assert, assertEquals, assertLess } from "@std/assert";
import { HistoryState } from "../../lib/history/history_state.ts";
import { fieldsOf } from "../../lib/json/fields.ts";
import { JsonlDecoder } from "../../lib/pipeline/event_pipeline.ts";
import { viewEntry } from "../../lib/render/entry_view.ts";
import { MarkdownRenderer } from "../../lib/render/markdown.ts";
import type { TranscriptPart, TurnUsage } from "../../lib/render/parts.ts";
import { snapshotParts } from "../../lib/render/snapshot_parts.ts";
import { TextRenderer } from "../../lib/render/text.ts";
import {
  TranscriptBuilder,
  TranscriptStream,
} from "../../lib/render/transcript.ts";
import { compose } from "../../lib/stage.ts";
import fc from "../property_seed.ts";
import { emitted, encodeJsonl, inChunks } from "../running.ts";
import {
  answerLine,
  callLine,
  eventLine,
  itemLine,
  line,
  messageLine,
  outputLine,
  pagedLine,
  PAGINATED,
  promptLine,
} from "../session_lines.ts";
import {
  command,
  DONE,
  entriesOf,
  heap,
  item,
  LEGACY,
  look,
  lookBegin,
  lookEnd,
  message,
  partsOf,
  partsOfLines,
  THREAD,
  TURN,
  valuesOf,
  writtenBy,
} from "./transcripts.ts";

/** One short text per part. */
function outline(parts: readonly TranscriptPart[]): string[] {
  return parts.map((part) => {
    switch (part.type) {
      case "entry":
        return `${part.phase} ${part.record.type} ${part.id}`;
      case "turn_ended":
        return `${part.status} ${part.turn}`;
      case "turn_started":
        return `turn ${part.turn}`;
      default:
        return part.type;
    }
  });
}

const META = line("session_meta", {
  id: "t1",
  timestamp: "2026-11-20T15:14:14.500Z",
  cwd: "/home/dev",
  cli_version: "0.104.0",
});

/** A message of the user in a turn of an app-server. */
function promptOfServer(turnId: string, text: string): Record<string, unknown> {
  const content = [{ type: "text", text }];
  const item = { type: "userMessage", id: text, content };
  return { method: "item/completed", params: { threadId: "t1", turnId, item } };
}

/** A line with the beginning of a turn. */
function turnStart(turn_id: string, time?: string): Record<string, unknown> {
  return eventLine("task_started", { turn_id }, time);
}

/** A line with the end of a turn. */
function turnEnd(turn_id: string, time?: string): Record<string, unknown> {
  return eventLine("task_complete", { turn_id }, time);
}

const IMAGE = "data:image/png;base64,iVBORw0KGgo=";

const CASES = [
  {
    name: "a turn of an exec stream",
    lines: [THREAD, TURN, command("started"), command("completed"), DONE],
    parts: ["session", "turn 1", "final exec 1", "completed 1"],
  },
  {
    name: "two commands in order of their beginnings",
    lines: [
      THREAD,
      TURN,
      command("started"),
      command("started", { id: "item_2" }),
      command("completed", { id: "item_2" }),
      command("completed"),
      DONE,
    ],
    parts: ["session", "turn 1", "final exec 1", "final exec 2", "completed 1"],
  },
  {
    name: "a command that ends after its turn twice",
    lines: [
      THREAD,
      TURN,
      command("started"),
      DONE,
      TURN,
      command("completed"),
      DONE,
    ],
    parts: [
      "session",
      "turn 1",
      "final exec 1",
      "completed 1",
      "turn 2",
      "late exec 1",
      "completed 2",
    ],
  },
  {
    name: "every state of a plan once",
    lines: [
      THREAD,
      TURN,
      item("started", {
        id: "p",
        type: "todo_list",
        items: [{ text: "A", completed: false }],
      }),
      item("updated", {
        id: "p",
        type: "todo_list",
        items: [{ text: "A", completed: true }],
      }),
      item("completed", {
        id: "p",
        type: "todo_list",
        items: [{ text: "A", completed: true }],
      }),
      DONE,
    ],
    parts: [
      "session",
      "turn 1",
      "final plan_update 1",
      "final plan_update 1",
      "completed 1",
    ],
  },
  {
    name: "a plan that begins before a turn and goes on in others",
    lines: [THREAD, "A", TURN, "B", DONE, TURN, "C", DONE].map((line) =>
      typeof line !== "string" ? line : item("updated", {
        id: "p",
        type: "todo_list",
        items: [{ text: line, completed: false }],
      })
    ),
    parts: [
      "session",
      "final plan_update 1",
      "turn 1",
      "final plan_update 1",
      "completed 1",
      "turn 2",
      "final plan_update 1",
      "completed 2",
    ],
  },
  {
    name: "refused plans and images as tool calls",
    lines: [
      META,
      turnStart("1"),
      ...["c1", "c2"].map((call_id) =>
        callLine("update_plan", { plan: [{ step: "A" }] }, call_id)
      ),
      ...["c3", "c4"].map((call_id) =>
        callLine("view_image", { path: `${call_id}.png` }, call_id)
      ),
      outputLine("Plan updated", "c1"),
      outputLine("unsupported call: update_plan", "c2"),
      outputLine("unable to locate image at `c3.png`", "c3"),
      outputLine("attached local image path", "c4"),
    ],
    parts: [
      "session",
      "turn 1",
      "final plan_update 1",
      "final tool_call 2",
      "final tool_call 3",
      "final image 4",
      "open 1",
    ],
  },
  {
    name: "the error of a turn with its end only",
    lines: [
      THREAD,
      TURN,
      { type: "turn.failed", error: { message: "No" } },
    ],
    parts: ["session", "turn 1", "failed 1"],
  },
  {
    name: "a turn without an end",
    lines: [THREAD, TURN, message("Hi")],
    parts: ["session", "turn 1", "final assistant_message 1", "open 1"],
  },
  {
    name: "an end for the turn of an earlier process",
    lines: [THREAD, TURN, command("started"), THREAD, TURN, DONE],
    parts: [
      "session",
      "turn 1",
      "final exec 1",
      "open 1",
      "session",
      "turn 2",
      "completed 2",
    ],
  },
  {
    name: "a streamed answer once",
    lines: [
      THREAD,
      TURN,
      item("started", { id: "m", type: "agent_message", text: "On" }),
      item("updated", { id: "m", type: "agent_message", text: "One" }),
      command("started"),
      item("completed", { id: "m", type: "agent_message", text: "One" }),
      command("completed"),
      DONE,
    ],
    parts: [
      "session",
      "turn 1",
      "final exec 2",
      "final assistant_message 3",
      "completed 1",
    ],
  },
  {
    name: "a streamed answer that the failure of its turn cuts off",
    lines: [
      THREAD,
      TURN,
      item("started", { id: "m", type: "agent_message", text: "On" }),
      { type: "turn.failed", error: { message: "No" } },
    ],
    parts: ["session", "turn 1", "final assistant_message 2", "failed 1"],
  },
  {
    name: "a failed line in its place",
    lines: [THREAD, TURN, message("Hi"), "{torn", DONE],
    parts: [
      "session",
      "turn 1",
      "final assistant_message 1",
      "failure",
      "completed 1",
    ],
  },
  {
    name: "an end without a beginning",
    lines: [{ ...DONE, thread_id: "t1", turn_id: "1" }],
    parts: ["session", "turn 1", "completed 1"],
  },
  {
    name: "turns of a session file without records of their borders",
    lines: [
      META,
      promptLine("One"),
      answerLine("First"),
      promptLine("Two"),
    ],
    parts: [
      "session",
      "turn 1",
      "final plain_message 1",
      "final assistant_message 2",
      "unknown 1",
      "turn 2",
      "final plain_message 3",
      "unknown 2",
    ],
  },
  {
    name: "a turn for an image as prompt, but none for an image beside text",
    lines: [
      META,
      eventLine("user_message", {
        message: "One",
        images: [IMAGE],
      }),
      answerLine("First"),
      itemLine("message", {
        role: "user",
        content: [{ type: "input_image", image_url: IMAGE }],
      }),
      eventLine("user_message", {
        message: "",
        images: [IMAGE],
      }),
      answerLine("Second"),
    ],
    parts: [
      "session",
      "turn 1",
      "final plain_message 1",
      "final image 2",
      "final assistant_message 3",
      "unknown 1",
      "turn 2",
      "final image 4",
      "final assistant_message 5",
      "unknown 2",
    ],
  },
  {
    name:
      "one turn for a message sent into it, of an app-server without turn/started",
    lines: [
      promptOfServer("0", "One"),
      promptOfServer("0", "Two"),
      {
        method: "turn/completed",
        params: { threadId: "t1", turn: { id: "0", status: "completed" } },
      },
      promptOfServer("1", "Three"),
    ],
    parts: [
      "session",
      "turn 1",
      "final plain_message 1",
      "final plain_message 2",
      "completed 1",
      "turn 2",
      "final plain_message 3",
      "open 2",
    ],
  },
  {
    name: "one turn of an app-server that reports its start after its prompt",
    lines: [
      promptOfServer("0", "One"),
      ...["started", "completed"].map((end) => ({
        method: `turn/${end}`,
        params: { threadId: "t1", turn: { id: "0", status: "completed" } },
      })),
    ],
    parts: ["session", "turn 1", "final plain_message 1", "completed 1"],
  },
  {
    name: "no turn for an image that a tool shows",
    lines: [
      META,
      promptLine("One"),
      callLine("view_image", { path: "/home/dev/a.png" }, "c"),
      outputLine("attached local image path", "c"),
      itemLine("message", {
        role: "user",
        content: [{ type: "input_image", image_url: IMAGE }],
      }),
    ],
    parts: [
      "session",
      "turn 1",
      "final plain_message 1",
      "final image 2",
      "unknown 1",
    ],
  },
  {
    name:
      "a turn that failed without a trace (0.93), and its next turn (0.118)",
    lines: [
      eventLine("user_message", { message: "One" }),
      line("turn_context", { model: "gpt-5" }),
      eventLine("task_started", { turn_id: "b" }),
      line("turn_context", { turn_id: "b", model: "gpt-5" }),
      eventLine("user_message", { message: "Two" }),
      eventLine("agent_message", { message: "Done" }),
      eventLine("task_complete", { turn_id: "b" }),
    ],
    parts: [
      "session",
      "turn 1",
      "final plain_message 1",
      "unknown 1",
      "turn 2",
      "final plain_message 2",
      "final assistant_message 3",
      "completed 2",
    ],
  },
  {
    name: "no turn for the start of an agent's turn in an exec stream",
    lines: [
      { type: "thread.started", thread_id: "t" },
      { type: "turn.started" },
      { type: "turn.started" },
      {
        type: "item.completed",
        item: { id: "item_0", type: "agent_message", text: "Done" },
      },
      { type: "turn.completed" },
    ],
    parts: ["session", "turn 1", "final assistant_message 1", "completed 1"],
  },
  {
    name: "a compaction whose summary is also written as an answer once",
    lines: [
      META,
      promptLine("One"),
      messageLine("assistant", "sum"),
      eventLine("token_count", { info: null }),
      line("compacted", { message: "So far:\nsum" }),
      eventLine("context_compacted"),
    ],
    parts: [
      "session",
      "turn 1",
      "final plain_message 1",
      "final background_event 2",
      "unknown 1",
    ],
  },
  {
    name: "a rollback behind the turns that it removes",
    lines: [
      META,
      promptLine("One"),
      answerLine("First"),
      eventLine("thread_rolled_back", { num_turns: 1 }),
      promptLine("Two"),
    ],
    parts: [
      "session",
      "turn 1",
      "final plain_message 1",
      "final assistant_message 2",
      "unknown 1",
      "rolled_back",
      "turn 2",
      "final plain_message 1",
      "unknown 2",
    ],
  },
  {
    name: "a session for no lines",
    lines: [],
    parts: ["session"],
  },
] satisfies {
  name: string;
  lines: (string | Record<string, unknown>)[];
  parts: string[];
}[];

for (const { name, lines, parts } of CASES) {
  Deno.test(`TranscriptBuilder emits ${name}`, () => {
    assertEquals(outline(partsOfLines(lines)), parts);
  });
}

Deno.test("TranscriptBuilder emits the oldest of thousands of open commands, and their late ends", () => {
  const builder = new TranscriptBuilder();
  const emittedParts: string[] = [];
  const feed = (value: unknown): void => {
    const outcome = { ok: true, line: 0, offset: 0, value } as const;
    builder.feed(outcome, (part) => emittedParts.push(...outline([part])));
  };
  const command = (type: string, i: number) => ({
    type,
    thread_id: "t",
    turn_id: "1",
    item_id: `item_${i}`,
    item_type: "command_execution",
    content: { command: `ls ${i}` },
  });
  feed({ type: "thread.started", thread_id: "t" });
  feed({ type: "turn.started", thread_id: "t", turn_id: "1" });
  for (let i = 0; i < 20_000; i++) feed(command("item.started", i));
  assertEquals(emittedParts.length, 2 + 20_000 - 1024);
  feed(command("item.completed", 0));
  builder.flush((part) => emittedParts.push(...outline([part])));
  assertEquals(
    emittedParts.filter((part) => part === "final exec 20001").length,
    1,
  );
});

Deno.test("TranscriptBuilder emits each part at once if it is live", () => {
  const parts = partsOfLines([
    THREAD,
    TURN,
    command("started"),
    command("started", { id: "item_2" }),
    command("completed", { id: "item_2" }),
    message("Hi", "item_3"),
    DONE,
    command("completed"),
  ], { live: true });
  assertEquals(outline(parts), [
    "session",
    "turn 1",
    "started exec 1",
    "started exec 2",
    "final exec 2",
    "final assistant_message 3",
    "final exec 1",
    "completed 1",
    "late exec 1",
  ]);
});

Deno.test("TranscriptBuilder emits the final state of a streamed answer once if it is live", () => {
  const parts = partsOfLines([
    THREAD,
    TURN,
    item("started", { id: "m", type: "agent_message", text: "On" }),
    item("updated", { id: "m", type: "agent_message", text: "One" }),
    item("completed", { id: "m", type: "agent_message", text: "One" }),
    DONE,
  ], { live: true });
  assertEquals(outline(parts), [
    "session",
    "turn 1",
    "started assistant_stream 1",
    "updated assistant_stream 1",
    "final assistant_message 2",
    "completed 1",
  ]);
});

Deno.test("TranscriptBuilder emits each part with the line that completes it", () => {
  const builder = new TranscriptBuilder({ live: true });
  const lines = [
    { type: "thread.started", thread_id: "t1" },
    { type: "turn.started", thread_id: "t1", turn_id: "1" },
    {
      type: "item.completed",
      thread_id: "t1",
      turn_id: "1",
      item_id: "i",
      status: "completed",
      item_type: "agent_message",
      content: { text: "Hi" },
    },
  ];
  const counts = lines.map((value) => {
    let count = 0;
    builder.feed({ ok: true, line: 1, offset: 0, value }, () => count += 1);
    return count;
  });
  assertEquals(counts, [1, 0, 2]);
});

Deno.test("TranscriptBuilder splits the output of a command that ends after its turn", () => {
  const parts = partsOfLines([
    THREAD,
    TURN,
    command("started"),
    item("updated", {
      id: "item_1",
      type: "command_execution",
      command: "/bin/bash -lc 'npm test'",
      aggregated_output: "é one\n",
      exit_code: null,
      status: "in_progress",
    }),
    DONE,
    command("completed", { aggregated_output: "é one\n\ufefftwo ü\n" }),
  ]);
  const chunks = entriesOf(parts).map(({ record }) =>
    "stdout_chunks" in record.payload && record.payload.stdout_chunks
  );
  assertEquals(chunks, [
    [{ offset: 0, content: "é one\n" }],
    [{ offset: 0, content: "\ufefftwo ü\n" }],
  ]);
});

Deno.test("TranscriptBuilder emits both outputs of a command that ends with them", () => {
  const call = { call_id: "c", command: ["make"], exit_code: 0 };
  for (const live of [false, true]) {
    const parts = partsOfLines([
      META,
      eventLine("exec_command_begin", call),
      eventLine("exec_command_end", { ...call, stdout: "out", stderr: "err" }),
    ], { live });
    const view = entriesOf(parts).filter(({ phase }) => phase === "final")
      .map((part) => viewEntry(part));
    assertEquals(
      view.map((each) => each.kind === "command" && [each.stdout, each.stderr]),
      [["out", "err"]],
    );
  }
});

/** One text per final or late explore entry, with the output of its commands. */
function looksOf(parts: readonly TranscriptPart[]): string[] {
  return entriesOf(parts).flatMap((part) => {
    const view = viewEntry(part);
    const isFinal = part.phase === "final" || part.phase === "late";
    return view.kind !== "explore" || !isFinal ? [] : [
      `${part.phase} ${
        view.looks.map(({ command, status, output }) =>
          `${command} ${status}: ${output}`
        ).join(", ")
      }`,
    ];
  });
}

const STARTED = eventLine("task_started", { turn_id: "1" });
const SAID = eventLine("item_completed", {
  item: {
    type: "AgentMessage",
    id: "m",
    content: [{ type: "Text", text: "x" }],
  },
});
const THOUGHT = eventLine("item_completed", {
  item: { type: "Reasoning", id: "r", summary_text: ["Hm"], raw_content: [] },
});
const SPOKEN = answerLine("x");
const ENDED = eventLine("task_complete", { turn_id: "1" });

const LOOKS = [
  {
    name: "for each command of a record",
    lines: [
      PAGINATED,
      look("a", "one"),
      THOUGHT,
      look("b", ""),
      look("c", "three"),
      SAID,
    ],
    looks: ["final cat a success: one, cat b success: , cat c success: three"],
    live: [
      "final cat a success: one",
      "late cat b success: ",
      "late cat c success: three",
    ],
  },
  {
    name: "for the last run of a repeated command",
    lines: [
      PAGINATED,
      look("a", "one"),
      look("b", "two"),
      look("a", "new", { id: "a2" }),
    ],
    looks: ["final cat a success: new, cat b success: two"],
    live: [
      "final cat a success: one",
      "late cat b success: two",
      "late cat a success: new",
    ],
  },
  {
    name: "once for an end that is recorded twice",
    lines: [PAGINATED, look("a", "one"), look("a", "one")],
    looks: ["final cat a success: one"],
    live: ["final cat a success: one"],
  },
  {
    name: "for parallel commands",
    lines: [
      LEGACY,
      lookBegin("a"),
      lookBegin("b"),
      SPOKEN,
      lookEnd("b", "two"),
      lookEnd("a", "one"),
    ],
    looks: ["final cat a success: one, cat b success: two"],
    live: ["final cat a success: one, cat b success: two"],
  },
  {
    name: "for a command that ends after its turn",
    lines: [
      LEGACY,
      STARTED,
      lookBegin("a"),
      lookEnd("a", "one"),
      lookBegin("b"),
      ENDED,
      lookEnd("b", "two"),
    ],
    looks: [
      "final cat a success: one, cat b running: ",
      "late cat b success: two",
    ],
    live: ["final cat a success: one", "late cat b success: two"],
  },
  {
    name: "from stdout and stderr",
    lines: [
      PAGINATED,
      look("a", "both", { stdout: "out\n", stderr: "err\n", exit_code: 2 }),
      look("b", "both", { stdout: " ", stderr: "err" }),
      look("c", "both", { stdout: "out", stderr: "" }),
    ],
    looks: [
      "final cat a failed: out\nerr\n, cat b success: err, cat c success: out",
    ],
    live: [
      "final cat a failed: out\nerr\n",
      "late cat b success: err",
      "late cat c success: out",
    ],
  },
] satisfies {
  name: string;
  lines: Record<string, unknown>[];
  looks: string[];
  live: string[];
}[];

for (const { name, lines, looks, live } of LOOKS) {
  Deno.test(`TranscriptBuilder emits the output of explored commands ${name}`, () => {
    assertEquals(looksOf(partsOfLines(lines)), looks);
    assertEquals(looksOf(partsOfLines(lines, { live: true })), live);
  });
}

Deno.test("TranscriptBuilder emits the output of explored commands for any chunks", () => {
  const lines = [
    PAGINATED,
    look("a", "one ü\n"),
    look("b", "two 😀\n"),
    SAID,
    look("c", "three\n"),
  ];
  const bytes = encodeJsonl(lines);
  for (const live of [false, true]) {
    const expected = partsOfLines(lines, { live });
    for (const length of [1, 2, 3, 7, 61, 500]) {
      const parts = emitted(
        compose(new JsonlDecoder(), new TranscriptBuilder({ live })),
        inChunks(bytes, length),
      );
      assertEquals(parts, expected, `${length}`);
    }
  }
});

Deno.test("TranscriptBuilder does not change explore records of the history", () => {
  const lines = [PAGINATED, STARTED, look("a", "one"), SAID];
  const state = new HistoryState();
  for (const value of lines) state.apply(value);
  const records = entriesOf(partsOfLines(lines)).map(({ record }) => record);
  assertEquals(records, state.snapshot().records);
});

for (const live of [false, true]) {
  Deno.test(`TranscriptBuilder limits the output of explored commands in memory, live: ${live}`, () => {
    const builder = new TranscriptBuilder({ live });
    const printed = "x".repeat(1 << 20);
    let emittedUnits = 0;
    let most = 0;
    const feed = (value: unknown): void => {
      builder.feed({ ok: true, line: 1, offset: 0, value }, (part) => {
        if (part.type !== "entry") return;
        for (const output of part.outputs ?? []) emittedUnits += output.length;
      });
    };
    // The first command never ends, so that the record stays open.
    for (const value of [LEGACY, STARTED, lookBegin("open")]) feed(value);
    for (let count = 1; count <= 22; count++) {
      feed(lookBegin(`file${count}`));
      feed(lookEnd(`file${count}`, printed));
      most = Math.max(most, count * printed.length - emittedUnits);
    }
    feed(ENDED);
    builder.flush((part) => {
      if (part.type !== "entry") return;
      for (const output of part.outputs ?? []) emittedUnits += output.length;
    });
    assertEquals(emittedUnits, 22 * printed.length);
    assert(most <= 5 * printed.length, `${most}`);
  });
}

Deno.test("TranscriptBuilder does not change an emitted part", () => {
  const parts: TranscriptPart[] = [];
  const builder = new TranscriptBuilder({ live: true });
  const feed = (value: unknown): void =>
    builder.feed(
      { ok: true, line: 1, offset: 0, value },
      (part) => parts.push(part),
    );
  const event = {
    thread_id: "t",
    item_id: "c",
    item_type: "command_execution",
  };
  feed({
    ...event,
    type: "item.started",
    status: "in_progress",
    content: { command: "ls", stdout: "a" },
  });
  const before = structuredClone(parts);
  feed({ ...event, type: "item.delta", delta: { stdout: "b" } });
  assertEquals(parts.length, before.length + 1);
  assertEquals(parts.slice(0, before.length), before);
});

Deno.test("TranscriptBuilder reads the session of an exec stream from its first line", () => {
  const [session] = partsOfLines([
    '{"reasoning effort":"none","approval":"never","workdir":"/w","provider":"p","model":"m","sandbox":"x"}',
    '{"prompt":"Go"}',
    '{"id":"0","msg":{"type":"agent_message","message":"Hi"}}',
  ]);
  assertEquals(session, {
    type: "session",
    thread_id: null,
    startedAt: null,
    cwd: "/w",
    model: "m",
    cli_version: null,
  });
});

Deno.test("TranscriptBuilder does not copy fields of a session to the next one", () => {
  const [first, second] = partsOfLines([
    { ...THREAD, model: "gpt-5", cwd: "/home/dev" },
    { type: "thread.started", thread_id: "t2" },
  ]).filter((part) => part.type === "session");
  assertEquals([first?.model, first?.cwd], ["gpt-5", "/home/dev"]);
  assertEquals(second, {
    type: "session",
    thread_id: "t2",
    startedAt: null,
    model: null,
    cwd: null,
    cli_version: null,
  });
});

Deno.test("TranscriptBuilder reads the model of a session file from a turn_context behind the first prompt", () => {
  const parts = partsOfLines([
    META,
    promptLine("One"),
    line("turn_context", { cwd: "/home/dev", model: "gpt-5.1-codex" }),
    answerLine("First"),
  ]);
  assertEquals(parts.slice(0, 2), [
    {
      type: "session",
      thread_id: "t1",
      startedAt: "2026-11-20T15:14:14.500Z",
      cwd: "/home/dev",
      model: "gpt-5.1-codex",
      cli_version: "0.104.0",
    },
    {
      type: "turn_started",
      turn: 1,
      turn_id: null,
      startedAt: "2026-11-20T15:14:15.000Z",
      model: "gpt-5.1-codex",
      cwd: "/home/dev",
    },
  ]);
});

const usage = (input: number, output: number): Record<string, number> => ({
  input_tokens: input,
  output_tokens: output,
});

Deno.test("TranscriptBuilder counts the tokens of each turn of a session file", () => {
  const count = (input: number, output: number): Record<string, unknown> =>
    eventLine("token_count", {
      info: {
        total_token_usage: usage(input, output),
        last_token_usage: usage(1, 1),
      },
    });
  const start = turnStart("a");
  const end = turnEnd("a", "2026-11-20T15:14:17.250Z");
  const ends = partsOfLines([
    META,
    start,
    count(100, 10),
    count(100, 10),
    count(250, 30),
    end,
    start,
    count(250, 30),
    count(300, 35),
    end,
    start,
    count(300, 35),
    end,
    // A new process counts from 0 again.
    start,
    count(40, 4),
    end,
  ]).filter((part) => part.type === "turn_ended");
  assertEquals(
    ends.map(({ usage }) => usage && [usage.input_tokens, usage.output_tokens]),
    [[250, 30], [50, 5], null, [40, 4]],
  );
  assertEquals(ends[0]?.durationMs, 2250);
});

Deno.test("TranscriptBuilder counts no total of before a review again after it (0.63)", () => {
  const count = (total: number, last: number): Record<string, unknown> =>
    eventLine("token_count", {
      info: {
        total_token_usage: usage(total, 0),
        last_token_usage: usage(last, 0),
      },
    });
  const ends = partsOfLines([
    META,
    promptLine("first"),
    count(1200, 1200),
    count(2200, 1000),
    eventLine("entered_review_mode"),
    promptLine("Review the changes"),
    eventLine("token_count", { info: null }),
    count(1200, 1200),
    eventLine("exited_review_mode", { review_output: null }),
    promptLine("second"),
    count(2200, 1000),
    count(3400, 1200),
  ]).filter((part) => part.type === "turn_ended");
  assertEquals(ends.map(({ usage }) => usage?.input_tokens), [
    2200,
    1200,
    1200,
  ]);
});

Deno.test("TranscriptBuilder emits the end of a command that began before the turns that are rolled back", () => {
  const call = { call_id: "c", command: ["sleep", "9"] };
  const parts = partsOfLines([
    META,
    eventLine("task_started", { turn_id: "1" }),
    eventLine("exec_command_begin", call),
    answerLine("It runs"),
    eventLine("task_complete", { turn_id: "1" }),
    eventLine("task_started", { turn_id: "2" }),
    eventLine("exec_command_begin", { ...call, call_id: "d" }),
    eventLine("task_complete", { turn_id: "2" }),
    eventLine("thread_rolled_back", { num_turns: 1 }),
    eventLine("task_started", { turn_id: "3" }),
    eventLine("exec_command_end", { ...call, exit_code: 0, stdout: "done" }),
    eventLine("exec_command_end", { ...call, call_id: "d", exit_code: 0 }),
    eventLine("task_complete", { turn_id: "3" }),
  ]);
  const late = parts.filter((part) =>
    part.type === "entry" && part.phase === "late"
  );
  assertEquals(late.length, 1);
});

Deno.test("TranscriptBuilder takes linear time for commands without an end", () => {
  // In quadratic time this would take half a minute and more.
  const values = Array.from({ length: 60_000 }, (_, at) => [
    eventLine("task_started", { turn_id: `${at}` }),
    eventLine("exec_command_begin", { call_id: `${at}`, command: ["sleep"] }),
    eventLine("task_complete", { turn_id: `${at}` }),
  ]).flat();
  assert(partsOf(values).length > 60_000);
});

Deno.test("TranscriptBuilder removes ends of turns from its history", () => {
  const { forget } = HistoryState.prototype;
  let forgotten = 0;
  HistoryState.prototype.forget = function (ids): void {
    forgotten += ids.size;
    forget.call(this, ids);
  };
  try {
    partsOf(Array.from({ length: 5000 }, () => eventLine("turn_aborted")));
  } finally {
    HistoryState.prototype.forget = forget;
  }
  assert(forgotten > 0);
});

Deno.test("TranscriptBuilder reads values or their JSON text", () => {
  const values = valuesOf(encodeJsonl([THREAD, TURN, message("Hi"), DONE]));
  assertEquals(
    partsOf(values.map((value) => JSON.stringify(value))),
    partsOf(values),
  );
});

const LONG = "x".repeat(2000);
const MANY_ITEMS = {
  plans: ["todo_list", (id: number) => ({ items: [{ text: `${id}${LONG}` }] })],
  images: ["image_view", (id: number) => ({ path: `${id}${LONG}` })],
  errors: ["error", (id: number) => ({ message: `${id}${LONG}` })],
} as const;

for (const [name, [item_type, contentOf]] of Object.entries(MANY_ITEMS)) {
  Deno.test(`TranscriptBuilder frees old ${name} of a turn`, () => {
    const builder = new TranscriptBuilder();
    const before = heap();
    builder.feed({ ok: true, line: 1, offset: 0, value: TURN }, () => {});
    for (let line = 0; line < 20_000; line++) {
      const content = contentOf(line);
      const value = {
        type: "item.completed",
        item_id: `${line}`,
        item_type,
        content,
      };
      builder.feed({ ok: true, line, offset: 0, value }, () => {});
    }
    // Up to 4096 plans are kept, since the turn may go on with them.
    assertLess(heap() - before, 15_000_000);
    builder.flush(() => {});
  });
}

Deno.test("TranscriptBuilder frees the output of ended commands", () => {
  const builder = new TranscriptBuilder();
  const before = heap();
  for (let line = 0; line < 400; line++) {
    const type = line % 2 === 0 ? "item.started" : "item.completed";
    const stdout = `${line}`.padEnd(line % 2 * 250_000, "x");
    const value = {
      type,
      item_id: `${line >> 1}`,
      item_type: "command_execution",
      content: { command: "ls", stdout, exit_code: line % 2 === 0 ? null : 0 },
    };
    builder.feed({ ok: true, line, offset: 0, value }, () => {});
  }
  // The output that is kept for late ends has at most 8 Mi UTF-16 units.
  assertLess(heap() - before, 20_000_000);
  builder.flush(() => {});
});

Deno.test("TranscriptBuilder counts the requests of a turn, not the usage of the thread at its end", () => {
  const tokensOf = (values: readonly unknown[]): unknown =>
    partsOf(values).filter((part) => part.type === "turn_ended")
      .map(({ usage }) => usage && [usage.input_tokens, usage.output_tokens]);
  const turn = (
    turn_id: string,
    tokens: Record<string, number>,
    place: Record<string, unknown>,
  ): unknown[] => {
    const info = { total_token_usage: tokens };
    const of = { thread_id: "t", turn_id, ...place };
    return [
      { type: "turn.started", ...of },
      {
        type: "item.completed",
        item_id: turn_id,
        item_type: "token_count",
        content: { info },
        ...of,
      },
      { type: "turn.completed", usage: tokens, ...of },
    ];
  };
  const turns = (place: Record<string, unknown>): unknown[] => [
    ...turn("1", usage(100, 10), place),
    ...turn("2", usage(150, 30), place),
    // Without a request.
    ...turn("3", usage(150, 30), place),
  ];
  const start = { type: "thread.started", thread_id: "t" };
  const counted = [[100, 10], [50, 20], null];
  // The events of a session file.
  const ofSession = [{ ...start, line: 1 }, ...turns({ line: 2 })];
  assertEquals(tokensOf(ofSession), counted);
  const ofServer = turns({ method: "thread/tokenUsage/updated" });
  assertEquals(tokensOf([start, ...ofServer]), counted);
  // The first count of a process that resumes the thread repeats those before.
  const resumed = [{ ...start, preview: "Hi" }, ...ofServer];
  assertEquals(tokensOf(resumed), [null, ...counted.slice(1)]);
  // Since 0.130 it comes before the first turn, or not at all.
  const since = turns({
    method: "thread/tokenUsage/updated",
    items_view: "notLoaded",
  });
  assertEquals(tokensOf([{ ...start, preview: "Hi" }, ...since]), counted);
});

Deno.test("TranscriptBuilder reports the usage fields of each process separately", () => {
  const run = (thread_id: string, counts: Record<string, number>) => [
    { type: "thread.started", thread_id },
    { type: "turn.started" },
    { type: "item.completed", item_type: "token_count", ...counts },
  ];
  const ends = partsOf([
    ...run("t", {
      ...usage(5, 1),
      cached_input_tokens: 2,
      reasoning_output_tokens: 1,
    }),
    ...run("u", usage(5, 1)),
  ]).filter((part) => part.type === "turn_ended");
  assertEquals(
    ends.map(({ usage }) => [
      usage?.cached_input_tokens,
      usage?.reasoning_output_tokens,
    ]),
    [[2, 1], [null, null]],
  );
});

Deno.test("TranscriptBuilder does not count the usage of a forked thread for its turns", () => {
  const count = (total: number, last: number): Record<string, unknown> =>
    eventLine("token_count", {
      info: {
        total_token_usage: usage(total, 0),
        last_token_usage: usage(last, 0),
      },
    });
  const start = turnStart("a");
  const other = line("session_meta", { id: "t0", cwd: "/home/dev" });
  const spawned = line("session_meta", {
    id: "t1",
    cwd: "/home/dev",
    history_mode: "paginated",
    subagent_history_start_ordinal: 3,
  });
  const numbered = (lines: readonly Record<string, unknown>[]) =>
    lines.map((fields, ordinal) => ({ ...fields, ordinal }));
  const files = [
    // Up to 0.98 only the header of the other thread marks the copied lines.
    [META, other, promptLine("One"), promptLine("Two"), count(1500, 500)],
    [
      META,
      other,
      promptLine("One"),
      count(1000, 1000),
      promptLine("Two"),
      count(1000, 1000),
      count(1500, 500),
    ],
    numbered([
      spawned,
      promptLine("One"),
      count(1000, 1000),
      start,
      count(1000, 1000),
      count(1500, 500),
    ]),
  ];
  for (const lines of files) {
    const end = partsOfLines(lines).findLast(({ type }) =>
      type === "turn_ended"
    );
    assert(end?.type === "turn_ended");
    assertEquals(end.usage?.input_tokens, 500);
  }
});

Deno.test("TranscriptBuilder ends a turn without an end record at its last event", () => {
  const at = (time: string) => `2026-11-20T${time}.000Z`;
  const parts = partsOfLines([
    META,
    promptLine("One", at("10:00:00")),
    answerLine("First", at("10:00:02")),
    eventLine("token_count", {
      info: { last_token_usage: { input_tokens: 5, output_tokens: 1 } },
    }, at("10:00:03")),
    // A line that the next process of the thread writes before its first turn.
    itemLine("message", {
      role: "developer",
      content: [{ type: "input_text", text: "Rules" }],
    }, at("12:00:00")),
    promptLine("Two", at("12:00:00")),
    answerLine("Second", at("12:00:04")),
    line("turn_context", { cwd: "/home/dev" }, at("12:30:00")),
  ]);
  assertEquals(
    parts.flatMap((part) =>
      part.type === "turn_ended" ? [[part.endedAt, part.durationMs]] : []
    ),
    [
      ["2026-11-20T10:00:03.000Z", 3000],
      ["2026-11-20T12:00:04.000Z", 4000],
    ],
  );
});

Deno.test("TranscriptBuilder knows no duration of a turn without an end record, with events at one time only", () => {
  const parts = partsOfLines([META, promptLine("One"), answerLine("First")]);
  const end = parts.at(-1);
  assert(end?.type === "turn_ended" && end.endedAt !== null);
  assertEquals(end.durationMs, null);
});

Deno.test("TranscriptBuilder reads the duration of a command from its output, if its end was recorded later", () => {
  const took = (seconds: number, output: string) => {
    const lines = [
      callLine("shell", { command: ["ls"] }, "c"),
      itemLine(
        "function_call_output",
        { call_id: "c", output },
        `2026-11-20T15:14:${15 + seconds}.000Z`,
      ),
    ];
    return entriesOf(partsOfLines([META, ...lines]))[0]?.durationMs;
  };
  const json =
    '{"output":"a","metadata":{"exit_code":0,"duration_seconds":2.5}}';
  assertEquals(took(0, json), 2500);
  assertEquals(took(3, json), 3000);
  assertEquals(took(0, json.replace("2.5", "0.0")), 0);
  assertEquals(
    took(0, "Exit code: 0\nWall time: 1.5 seconds\nOutput:\na"),
    1500,
  );
  assertEquals(took(0, "Wall time: 2.4 seconds\naborted by user"), 2400);
  assertEquals(took(0, "Wall time: 2.4 seconds"), 0);
});

Deno.test("TranscriptBuilder does not use the time of the header for lines without a time", () => {
  const header = {
    id: "0d6a0d0a-31a1-4e2c-8f0f-d5f1c2f8c0de",
    timestamp: "2025-09-01T10:00:00.000Z",
    instructions: null,
  };
  const call = {
    type: "function_call",
    name: "shell",
    call_id: "c",
    arguments: '{"command":["ls"]}',
  };
  const output = {
    type: "function_call_output",
    call_id: "c",
    output: '{"output":"a","metadata":{"exit_code":0,"duration_seconds":2.5}}',
  };
  const prompt = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "Go" }],
  };
  const parts = partsOfLines([header, prompt, call, output]);
  assertEquals(parts[0], {
    type: "session",
    thread_id: header.id,
    startedAt: header.timestamp,
    cwd: null,
    model: null,
    cli_version: null,
  });
  assertEquals(
    entriesOf(parts).map(({ startedAt, endedAt, durationMs }) => [
      startedAt,
      endedAt,
      durationMs,
    ]),
    [[null, null, null], [null, null, 2500]],
  );
  const turn = parts.findLast(({ type }) => type === "turn_ended");
  assert(turn?.type === "turn_ended");
  assertEquals([turn.endedAt, turn.durationMs], [null, null]);
});

Deno.test("TranscriptBuilder does not count the usage of a turn for the next one", () => {
  const count = {
    type: "token_count",
    info: { total_token_usage: usage(5, 1), last_token_usage: usage(5, 1) },
  };
  const turn = (turn_id: string): Record<string, unknown>[] => [
    turnStart(turn_id),
    line("event_msg", count),
    turnEnd(turn_id),
  ];
  const record = line("token_usage_record", { turn_token_usage: usage(5, 1) });
  const [started = {}, ...rest] = turn("a");
  const numbered = [started, record, ...rest, ...turn("b")].map((fields) => ({
    ordinal: 1,
    ...fields,
  }));
  for (const lines of [[...turn("a"), ...turn("b")], numbered]) {
    const ends = partsOfLines([META, ...lines]).filter((part) =>
      part.type === "turn_ended"
    );
    assertEquals(ends.map(({ usage }) => usage?.input_tokens ?? null), [
      5,
      null,
    ]);
  }
});

Deno.test("TranscriptBuilder emits no times for input without times", () => {
  const parts = partsOfLines([
    THREAD,
    TURN,
    command("started"),
    command("completed"),
    DONE,
  ]);
  const [entry] = entriesOf(parts);
  assertEquals(
    [entry?.startedAt, entry?.endedAt, entry?.durationMs],
    [null, null, null],
  );
});

Deno.test("TranscriptBuilder reports whether an entry shows the error of a turn", () => {
  const failed = { type: "turn.failed", error: { message: "No" } };
  const isShown = (lines: Record<string, unknown>[]): boolean | undefined => {
    const last = partsOfLines([THREAD, TURN, ...lines, failed]).at(-1);
    return last?.type === "turn_ended" ? last.isErrorShown : undefined;
  };
  assertEquals(isShown([]), false);
  assertEquals(isShown([{ type: "error", message: "No" }]), true);
  assertEquals(isShown([{ type: "error", message: "Maybe" }]), false);
  const warning = item("completed", { id: "w", type: "error", message: "Old" });
  assertEquals(isShown([{ type: "error", message: "No" }, warning]), true);
});

Deno.test("TranscriptBuilder emits the plan of a turn in plan mode once, with its whole text", () => {
  const ids = { threadId: "t1", turnId: "u1" };
  const plan = (method: string, text: string) => ({
    method: `item/${method}`,
    params: { ...ids, item: { type: "plan", id: "u1-plan", text } },
  });
  const delta = (text: string) => ({
    method: "item/plan/delta",
    params: { ...ids, itemId: "u1-plan", delta: text },
  });
  const turn = (method: string, status: string) => ({
    method: `turn/${method}`,
    params: { threadId: "t1", turn: { id: "u1", status } },
  });
  const begun = [turn("started", "inProgress"), plan("started", "")];
  const streamed = [delta("# Plan\n1. Re"), delta("ad\n")];
  const ended = plan("completed", "# Plan\n1. Read");
  const textsOf = (...lines: Record<string, unknown>[]) =>
    [false, true].map((live) =>
      entriesOf(partsOfLines(lines, { live }))
        .filter(({ phase }) => phase === "final" || phase === "late")
        .map((part) => fieldsOf(viewEntry(part)).text)
    );
  const both = (...texts: string[]) => [texts, texts];
  const whole = both("# Plan\n1. Read");

  assertEquals(
    textsOf(...begun, ...streamed, ended, turn("completed", "completed")),
    whole,
  );
  // Codex sent the request again, and the plan begins anew.
  assertEquals(
    textsOf(
      ...begun,
      delta("# Lost"),
      plan("started", ""),
      ...streamed,
      ended,
      turn("completed", "completed"),
    ),
    whole,
  );
  assertEquals(
    textsOf(...begun, ...streamed, turn("completed", "interrupted")),
    whole,
  );
  assertEquals(textsOf(...begun, turn("completed", "interrupted")), both());
});

Deno.test("TranscriptBuilder emits an image once it is made, also in live transcripts", () => {
  const image = (method: string, fields: object) => ({
    method: `item/${method}`,
    params: {
      threadId: "t1",
      turnId: "u1",
      item: { type: "imageGeneration", id: "i", ...fields },
    },
  });
  const lines = [
    image("started", { status: "in_progress", result: "" }),
    image("completed", { status: "completed", savedPath: "/a.png" }),
  ];
  for (const live of [false, true]) {
    const paths = entriesOf(partsOfLines(lines, { live }))
      .filter(({ phase }) => phase === "final")
      .map((part) => fieldsOf(viewEntry(part)).path);
    assertEquals(paths, ["/a.png"]);
  }
});

Deno.test("TranscriptBuilder emits items of unknown types as tool calls, but no notices", () => {
  const deploy = { id: "d", type: "deploy", target: "prod" };
  const notified = (method: string, params: object) => ({
    method,
    params: { threadId: "t1", turnId: "u1", ...params },
  });
  const times = { startedAtMs: 1, completedAtMs: 2 };
  const browse = { ...times, id: "b", type: "browserAction", target: "prod" };
  const logs = {
    exec: [
      THREAD,
      TURN,
      item("started", { ...deploy, status: "in_progress" }),
      item("completed", { ...deploy, status: "failed" }),
    ],
    rollout: [
      PAGINATED,
      turnStart("u1"),
      pagedLine("Sketch", { id: "s", target: "prod" }),
      itemLine("deploy_call", { id: "d", call_id: "c1", target: "prod" }),
      pagedLine("Sleep", { id: "z", duration_ms: 5 }),
      eventLine("something_new", { target: "prod" }),
    ],
    "app-server": [
      { method: "thread/started", params: { thread: { id: "t1" } } },
      notified("item/completed", { item: browse }),
      notified("thread/somethingNew", { target: "prod" }),
    ],
    old: [
      { id: "0", msg: { type: "task_started" } },
      { id: "0", msg: { type: "something_new", target: "prod" } },
    ],
  };
  const shown = Object.entries(logs).flatMap(([name, lines]) =>
    entriesOf(partsOfLines(lines)).map(({ record }) => {
      const { title, arguments: args, status } = fieldsOf(record.payload);
      const [{ name: field, value }] = args as [Record<string, unknown>];
      return `${name}: ${title} ${field}=${fieldsOf(value).text} ${status}`;
    })
  );
  assertEquals(shown, [
    "exec: deploy target=prod failed",
    "rollout: sketch target=prod success",
    "rollout: deploy_call target=prod success",
    "app-server: browser_action target=prod success",
  ]);
});

Deno.test("TranscriptBuilder emits later entries before the end of a long-running command", () => {
  const builder = new TranscriptBuilder();
  const emittedParts: string[] = [];
  const feed = (value: unknown): void =>
    builder.feed(
      { ok: true, line: 1, offset: 0, value },
      (part) => emittedParts.push(...outline([part])),
    );
  const event = { type: "item.completed", thread_id: "t", turn_id: "1" };
  feed({ ...event, type: "turn.started" });
  feed({
    ...event,
    type: "item.started",
    item_id: "bg",
    status: "in_progress",
    item_type: "command_execution",
    content: { command: "sleep 1000", stdout: "" },
  });
  for (let at = 0; at < 3000; at++) {
    feed({
      ...event,
      item_id: `m${at}`,
      status: "completed",
      item_type: "agent_message",
      content: { text: "Hi" },
    });
  }
  assertEquals(emittedParts.slice(0, 3), ["session", "turn 1", "final exec 1"]);
  assert(emittedParts.length > 1900, `${emittedParts.length}`);
  feed({
    ...event,
    item_id: "bg",
    status: "completed",
    item_type: "command_execution",
    content: { command: "sleep 1000", stdout: "", exit_code: 0 },
  });
  assertEquals(emittedParts.at(-1), "late exec 1");
});

Deno.test("TranscriptBuilder accepts invalid events", () => {
  const values = [
    null,
    1,
    "text",
    "{",
    [],
    {},
    { type: 1 },
    { type: "line.failed" },
    { type: "line.failed", line: "x", error: { kind: 3 } },
    JSON.parse(
      '{"type":"event_msg","payload":{"__proto__":1,"type":"token_count","info":[]}}',
    ),
    eventLine("task_started", { started_at: 1e300 }),
    { type: "session_meta", payload: { id: {}, timestamp: 5 } },
    { type: "turn.completed", usage: "many" },
    { type: "turn.failed" },
    { type: "thread.started" },
  ];
  for (const live of [false, true]) {
    assert(partsOf(values, { live }).length > 0);
  }
});

Deno.test("TranscriptStream emits the same as TranscriptBuilder", async () => {
  const values = [
    { type: "turn.started", thread_id: "t", turn_id: "1" },
    { type: "error", message: "No" },
  ];
  const outcomes = values.map((value) => ({
    ok: true as const,
    line: 0,
    offset: 0,
    value,
  }));
  const streamed = await Array.fromAsync(
    ReadableStream.from(outcomes).pipeThrough(new TranscriptStream()),
  );
  assertEquals(streamed, partsOf(values));
});

Deno.test("snapshotParts() starts a turn at each message of the user", () => {
  const state = new HistoryState();
  for (
    const event of [
      { type: "error", message: "Early" },
      { type: "turn.started", input_text: "One" },
      { type: "error", message: "Late" },
      { type: "turn.failed", error: { message: "Late" } },
      { type: "turn.started", input_text: "Two" },
    ]
  ) state.apply(event);
  assertEquals(outline([...snapshotParts(state.snapshot())]), [
    "session",
    "final plain_message 1",
    "turn 1",
    "final plain_message 2",
    "final plain_message 3",
    "unknown 1",
    "turn 2",
    "final plain_message 4",
    "unknown 2",
  ]);
});

const TYPES = [
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "item.started",
  "item.delta",
  "item.completed",
  "item.failed",
  "error",
  "line.failed",
  "session_meta",
  "turn_context",
  "event_msg",
  "response_item",
  "compacted",
  "token_usage_record",
];
const ITEM_TYPES = [
  "agent_message",
  "reasoning",
  "command_execution",
  "file_change",
  "mcp_tool_call",
  "web_search",
  "todo_list",
  "token_count",
  "turn_diff",
  "task_started",
  "task_complete",
  "turn_aborted",
  "user_message",
  "exec_command_begin",
  "exec_command_end",
  "patch_apply_end",
  "thread_rolled_back",
  "UserMessage",
];

Deno.test("TranscriptBuilder ends an aborted turn of the old dialect as interrupted, as the verdict does", () => {
  const endOf = (message: string) => {
    const end = partsOf([
      { type: "turn.started", turn_id: "0" },
      { type: "turn.failed", turn_id: "0", error: { message } },
    ]).find((part) => part.type === "turn_ended");
    return [end?.status, end?.error];
  };
  assertEquals(endOf("interrupted"), ["aborted", "interrupted"]);
  assertEquals(endOf("replaced"), ["aborted", "replaced"]);
  assertEquals(endOf("No route"), ["failed", "No route"]);
});

Deno.test("TranscriptBuilder and its renderers accept any events", () => {
  const field = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>("in_progress", "completed", "a", 3),
  );
  const type = fc.constantFrom(...ITEM_TYPES);
  const content = fc.record({
    type,
    text: field,
    message: field,
    command: field,
    stdout: field,
    changes: field,
    items: field,
    num_turns: field,
    call_id: fc.constantFrom("a", "b"),
    info: field,
  }, { requiredKeys: ["type"] });
  const event = fc.record({
    type: fc.constantFrom(...TYPES),
    item_type: type,
    item_id: fc.constantFrom("a", "b", "c"),
    thread_id: field,
    turn_id: field,
    status: field,
    timestamp: fc.constantFrom<unknown>(1, "2026-11-20T15:14:15Z"),
    usage: field,
    error: field,
    content,
    delta: content,
    payload: content,
  }, { requiredKeys: ["type"] });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      for (const live of [false, true]) {
        const parts = partsOf(events, { live });
        const open = new Set<number>();
        for (const part of parts) {
          if (part.type === "turn_started") open.add(part.turn);
          if (part.type === "turn_ended") assert(open.delete(part.turn));
        }
        assertEquals(open.size, 0);
        for (const renderer of [new TextRenderer(), new MarkdownRenderer()]) {
          const text = writtenBy(renderer, parts);
          assert(text === "" || text.endsWith("\n"));
        }
      }
    }),
    { numRuns: 300 },
  );
});

/** A count of the tokens of the thread. */
function counted(
  at: string,
  input: number,
  output: number,
): Record<string, unknown> {
  const total: TurnUsage = {
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: output,
    reasoning_output_tokens: 0,
  };
  const info = { total_token_usage: total };
  return eventLine("token_count", { info }, at);
}

const START = "2026-11-20T09:00:00.000Z";

/** Returns the requests of each turn of a session file. */
function requestsOf(lines: readonly Record<string, unknown>[]) {
  return partsOfLines(lines)
    .filter((part) => part.type === "turn_ended")
    .map(({ requests }) => requests);
}

Deno.test("TranscriptBuilder reports the requests of a turn, without repeated counts", () => {
  const later = START.replace("00.000", "05.000");
  assertEquals(
    requestsOf([
      turnStart("1", START),
      counted(START, 100, 10),
      counted(later, 250, 15),
      counted(later, 250, 15),
      turnEnd("1", later),
      turnStart("2", later),
      counted(later, 300, 20),
      turnEnd("2", later),
    ]),
    [
      [
        { at: START, input_tokens: 100, output_tokens: 10 },
        { at: later, input_tokens: 150, output_tokens: 5 },
      ],
      [{ at: later, input_tokens: 50, output_tokens: 5 }],
    ],
  );
});

Deno.test("TranscriptBuilder reports no requests of a turn with a total only", () => {
  const [ended] = partsOfLines([
    THREAD,
    TURN,
    command("completed"),
    message("Done."),
    { type: "turn.completed", usage: { input_tokens: 9, output_tokens: 1 } },
  ]).filter((part) => part.type === "turn_ended");
  assert(ended !== undefined && !("requests" in ended));
});

Deno.test("TranscriptBuilder joins requests of a turn to at most 240, with the same sums", () => {
  const [requests = []] = requestsOf([
    turnStart("1", START),
    ...Array.from(
      { length: 1000 },
      (_, i) => counted(START, 7 * (i + 1), i + 1),
    ),
    turnEnd("1", START),
  ]);
  assert(requests.length <= 240, `${requests.length} requests`);
  assertEquals(
    requests.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
    7000,
  );
});

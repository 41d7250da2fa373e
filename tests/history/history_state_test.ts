import { assert, assertEquals, assertThrows } from "@std/assert";
import { readSnapshot } from "../../lib/history/code_layout.ts";
import { HistoryState } from "../../lib/history/history_state.ts";
import { HistoryReducer } from "../../lib/history/history_stream.ts";
import { RecordStore } from "../../lib/history/record_store.ts";
import {
  type HistorySnapshot,
  HistorySnapshotError,
} from "../../lib/history/snapshot.ts";
import { fieldsOf, listOf } from "../../lib/json/fields.ts";
import { LineNumberer } from "../../lib/lines/line_numberer.ts";
import { Normalizer } from "../../lib/dialects/normalizer.ts";
import { compose } from "../../lib/stage.ts";
import { equalJson, namesIn, readJson } from "../fixtures.ts";
import fc from "../property_seed.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { emitted } from "../running.ts";
import {
  answerLine,
  eventLine,
  itemLine,
  line,
  messageLine,
  pagedLine,
  PAGINATED,
  promptLine,
} from "../session_lines.ts";
import {
  checkedSnapshot,
  historyOf,
  payloadsOf,
  readEvents,
  snapshotOf,
  summariesOf,
} from "./histories.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";
const ENDED = { stdout: "hello\n", exit_code: 0 };

for (const resume of [false, true]) {
  Deno.test(`HistoryState.snapshot() returns equal snapshots with and without a copy, resume: ${resume}`, () => {
    const command = { command: "ls", stdout: "a" };
    const state = historyOf([
      { type: "turn.started", input_text: "Hi" },
      {
        type: "item.completed",
        item_id: "item_0",
        item_type: "command_execution",
        content: command,
      },
    ]);
    assertEquals(
      state.snapshot({ resume, copy: false }),
      state.snapshot({ resume }),
    );
  });
}

/** A vector of events. */
interface StateVector {
  readonly source: "exec" | "rollout";
  readonly input: readonly unknown[];
  readonly expect_snapshot: unknown;
}

for (const name of namesIn("vectors/history/")) {
  if (!/^(?:exec|rollout)_/.test(name)) continue;
  Deno.test(`HistoryState.apply() follows ${name}`, () => {
    const { source, input, expect_snapshot } = readJson<StateVector>(
      `vectors/history/${name}`,
    );
    const reducer = new HistoryReducer();
    const stage = compose(
      compose(new LineNumberer(), new Normalizer({ from: source })),
      reducer,
    );
    const lines = input.map((event) => JSON.stringify(event));
    assert(emitted(stage, lines).every(({ ok }) => ok));
    assertEquals(reducer.state.snapshot(), expect_snapshot);
  });
}

/** Makes an item event of an exec stream. */
function item(
  type: "started" | "delta" | "completed" | "failed",
  item_type: string,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  return { type: `item.${type}`, item_id: "item_0", item_type, ...fields };
}

/** Returns the text of the lines of a message or notice. */
function textOf({ lines, body }: Record<string, unknown>): string {
  const text: string[] = [];
  for (const each of [lines, body].flat()) {
    const { spans } = { spans: [], ...Object(each) };
    text.push(...spans.map((span: { text: string }) => span.text));
  }
  return text.join("\n");
}

// Exec streams.

Deno.test("HistoryState.apply() appends deltas, or replaces the text by a snapshot that continues it", () => {
  const delta = (text_delta: string, snapshot?: boolean) =>
    item("delta", "agent_message", {
      delta: { text_delta },
      ...(snapshot === undefined ? {} : { snapshot }),
    });
  const previewOf = (events: unknown[]) =>
    payloadsOf(snapshotOf(events), "assistant_stream")[0]?.preview_markdown;
  assertEquals(previewOf([delta("a"), delta("ab")]), "ab");
  assertEquals(previewOf([delta("a"), delta("ab", false)]), "aab");
  assertEquals(previewOf([delta("ha"), delta("ha")]), "haha");
  assertEquals(previewOf([delta("abc"), delta("x", true)]), "x");
});

Deno.test("HistoryState.apply() replaces output that a snapshot does not continue", () => {
  const command = (type: "started" | "delta", stdout: string) => {
    const payload = { command: "make", stdout };
    return item(type, "command_execution", {
      ...(type === "delta"
        ? { delta: payload, snapshot: true }
        : { content: payload }),
    });
  };
  const snapshot = snapshotOf([
    command("started", "10%"),
    command("delta", "20%!"),
  ]);
  assertEquals(payloadsOf(snapshot, "exec")[0]?.stdout_chunks, [
    { offset: 0, content: "20%!" },
  ]);
});

Deno.test("HistoryState.apply() fills in a command that follows its output", () => {
  const delta = item("delta", "command_execution", {
    delta: { stdout: "hello\n" },
  });
  for (const type of ["started", "completed"] as const) {
    const named = item(type, "command_execution", {
      content: { command: "npm test", ...(type === "started" ? {} : ENDED) },
    });
    const [exec, ...others] = payloadsOf(snapshotOf([delta, named]), "exec");
    assertEquals([exec?.command, others.length], [["npm", "test"], 0]);
    assertEquals(exec?.stdout_chunks, [{ offset: 0, content: "hello\n" }]);
  }
});

Deno.test("HistoryState.apply() shows items with an empty id", () => {
  const events = [
    { type: "thread.started", thread_id: "t" },
    item("started", "agent_message", { content: { text: "Hel" } }),
    item("completed", "agent_message", { content: { text: "Hello" } }),
    item("completed", "reasoning", { content: { text: "Why" } }),
    item("started", "command_execution", { content: { command: "ls" } }),
    item("completed", "command_execution", { content: ENDED }),
    item("completed", "file_change", { content: { path: "a" } }),
    item("completed", "todo_list", { content: { items: [] } }),
    item("completed", "error", { content: { message: "No" } }),
    { type: "thread.started", thread_id: "t" },
    item("completed", "agent_message", { content: { text: "Bye" } }),
  ].map((event) => ({ ...event, item_id: "" }));
  const expected = snapshotOf(events);
  assertEquals(expected.records.map(({ type }) => type), [
    "assistant_message",
    "reasoning",
    "exec",
    "patch",
    "plan_update",
    "plain_message",
    "assistant_message",
  ]);
  const answers = payloadsOf(expected, "assistant_message");
  assertEquals(answers.map(({ stream_id }) => stream_id), ["", "2:"]);
  for (let at = 0; at < events.length; at++) {
    const saved = historyOf(events.slice(0, at)).snapshot({ resume: true });
    const state = HistoryState.restore(saved);
    assertEquals(historyOf(events.slice(at), state).snapshot(), expected);
  }
});

Deno.test("HistoryState.restore() restores a state whose kinds of links were all removed before", () => {
  checkedSnapshot([
    eventLine("reasoning_content_delta", { item_id: "a", delta: "Hm" }),
    eventLine("thread_rolled_back", { num_turns: 1 }),
    line("compacted", { message: "" }),
    itemLine("reasoning", { summary: [{ type: "summary_text", text: "Go" }] }),
  ]);
});

Deno.test("HistoryState.apply() shows a failed item in the place of its start", () => {
  const failed = item("failed", "", { error: { message: "boom" } });
  const started = item("started", "command_execution", {
    content: { command: "make", stderr: "w" },
  });
  const [exec] = payloadsOf(snapshotOf([started, failed]), "exec");
  assertEquals(exec?.status, "error");
  assertEquals(exec?.stderr_chunks, [{ offset: 0, content: "w\nboom" }]);
  const tool = item("started", "web_search", { content: { query: "q" } });
  const [call] = payloadsOf(snapshotOf([tool, failed]), "tool_call");
  assertEquals(call?.error_message, "boom");
  const [error] = payloadsOf(snapshotOf([failed]), "plain_message");
  assertEquals(error?.role, "error");
});

Deno.test("HistoryState.apply() lets the status decide whether a search or an agent call failed", () => {
  const error = { message: "boom" };
  const search = item("completed", "web_search", {
    content: { query: "q", error, duration_ms: 5 },
  });
  const agent = item("completed", "collab_tool_call", {
    content: { tool: "wait", error },
  });
  const [searched] = payloadsOf(snapshotOf([search]), "tool_call");
  assertEquals(searched?.status, "success");
  assertEquals(searched?.error_message, null);
  assertEquals(searched?.duration_ms, null);
  const [waited] = payloadsOf(snapshotOf([agent]), "tool_call");
  assertEquals(waited?.status, "success");
  assertEquals(waited?.error_message, "boom");
});

Deno.test("HistoryState.apply() shows an error once that also ends the turn", () => {
  const error = { type: "error", message: "no" };
  const failed = { type: "turn.failed", error: { message: "no" } };
  const count = (events: unknown[]) => snapshotOf(events).records.length;
  assertEquals(count([error, failed]), 1);
  assertEquals(count([failed]), 1);
  assertEquals(count([error, { type: "turn.started" }, failed]), 2);
});

Deno.test("HistoryState.apply() shows the items that only the old dialect has", () => {
  const completed = (item_type: string, fields: Record<string, unknown>) =>
    item("completed", item_type, fields);
  const snapshot = snapshotOf([
    completed("user_message", { content: { text: "Hi" } }),
    { type: "turn.started" },
    { ...completed("reasoning", { content: { text: "sum" } }), item_id: "r" },
    {
      ...completed("agent_reasoning_raw_content", { content: { text: "raw" } }),
      item_id: "w",
    },
    completed("turn_diff", { unified_diff: "@@ -1 +1 @@\n-a\n+b\n" }),
    completed("turn_diff", { unified_diff: "@@ -2 +2 @@\n" }),
    { ...completed("agent_message", { content: { text: "A" } }), item_id: "m" },
    completed("token_count", {
      input_tokens: 3,
      output_tokens: 4,
      rate_limits: { primary: { used_percent: 80, window_minutes: 300 } },
    }),
    completed("background_event", { message: "bg" }),
    completed("mcp_list_tools_response", { tools: {} }),
  ]);
  assertEquals(snapshot.records.map(({ type }) => type), [
    "plain_message",
    "reasoning",
    "diff",
    "assistant_message",
    "rate_limits",
    "background_event",
  ]);
  const [reasoning] = payloadsOf(snapshot, "reasoning");
  assertEquals(Object(reasoning?.sections).length, 2);
  const [diff] = payloadsOf(snapshot, "diff");
  assertEquals(diff?.hunks, [{ header: "@@ -2 +2 @@", lines: [] }]);
  const [answer] = payloadsOf(snapshot, "assistant_message");
  assertEquals(answer?.token_usage, { prompt: 3, completion: 4, total: 7 });
});

Deno.test("HistoryState.apply() reads the clock until an event has a time", () => {
  const answer = (id: string, timestamp?: string) => ({
    ...item("completed", "agent_message", { content: { text: "a" } }),
    item_id: id,
    ...(timestamp === undefined ? {} : { timestamp }),
  });
  const clock = () => "2026-01-01T01:00:00+01:00";
  const state = historyOf(
    [answer("1"), answer("2", "2027-01-01T00:00:00.1234Z"), answer("3")],
    new HistoryState({ clock }),
  );
  assertEquals(
    payloadsOf(state.snapshot(), "assistant_message").map((each) =>
      each.created_at
    ),
    [
      "2026-01-01T00:00:00.000Z",
      "2027-01-01T00:00:00.123Z",
      "2027-01-01T00:00:00.123Z",
    ],
  );
  const without = payloadsOf(snapshotOf([answer("1")]), "assistant_message");
  assertEquals(without[0]?.created_at, EPOCH);
});

// Rollouts.

const USER = promptLine("go");
const ANSWER = answerLine("done");

Deno.test("HistoryState.apply() appends deltas that repeat the beginning of the known text (C.3)", () => {
  const deltas = (type: string, fields: object = {}): unknown[] =>
    ["-", "--"].map((delta) => eventLine(type, { ...fields, delta }));
  const snapshot = snapshotOf([
    ...deltas("agent_message_delta"),
    ...deltas("agent_message_content_delta", { item_id: "a" }),
    ...deltas("agent_reasoning_delta"),
    ...deltas("reasoning_content_delta", { item_id: "r" }),
  ]);
  assertEquals(
    payloadsOf(snapshot, "assistant_stream")
      .map(({ preview_markdown }) => preview_markdown),
    ["---", "---"],
  );
  const thoughts = JSON.stringify(payloadsOf(snapshot, "reasoning"));
  assertEquals(thoughts.match(/"---"/g)?.length, 4);
});

Deno.test("HistoryState.apply() rolls turns back and drops the calls in them", () => {
  const patch = eventLine("patch_apply_begin", {
    call_id: "p",
    changes: { a: { type: "add", content: "" } },
  });
  const state = historyOf([
    eventLine("warning", { message: "before" }),
    USER,
    ANSWER,
    eventLine("task_started"),
    USER,
    patch,
    eventLine("turn_aborted", { reason: "interrupted" }),
    USER,
    eventLine("task_started"),
    ANSWER,
    eventLine("task_complete"),
    eventLine("thread_rolled_back", { num_turns: 2 }),
  ]);
  assertEquals(state.snapshot().next_id, 4);
  const mutations = state.apply(patch);
  assertEquals(mutations.map(({ type }) => type), ["inserted"]);
  const all = state.apply(eventLine("thread_rolled_back", { num_turns: 9 }));
  assertEquals(all, [{ type: "truncated", index: 0 }]);
  assertEquals(state.snapshot().next_id, 1);
});

Deno.test("HistoryState.apply() keeps records before the first turn in a rollback", () => {
  const snapshot = snapshotOf([
    eventLine("warning", { message: "before" }),
    USER,
    ANSWER,
    eventLine("thread_rolled_back", { num_turns: 1 }),
  ]);
  assertEquals(snapshot.records.length, 1);
});

Deno.test("HistoryState.apply() shows a compaction once", () => {
  const compacted = line("compacted", { message: "sum" });
  const event = eventLine("context_compacted");
  const descriptions = (events: unknown[]) =>
    payloadsOf(snapshotOf(events), "background_event")
      .map(({ description }) => description);
  assertEquals(descriptions([compacted, event]), ["sum"]);
  assertEquals(descriptions([event, compacted]), ["sum"]);
  assertEquals(descriptions([compacted, ANSWER, event]), ["sum", ""]);
  const paged = pagedLine("ContextCompaction", { id: "c" });
  const answer = pagedLine("AgentMessage", { id: "a", content: "x" });
  assertEquals(descriptions([PAGINATED, compacted, answer, paged, paged]), [
    "sum",
  ]);
  const other = pagedLine("ContextCompaction", { id: "d" });
  assertEquals(descriptions([PAGINATED, paged, compacted]), ["", "sum"]);
  assertEquals(descriptions([PAGINATED, paged, compacted, other]), [
    "",
    "sum",
  ]);
});

Deno.test("HistoryState.apply() shows a patch in a shell once", () => {
  const snapshot = snapshotOf([
    itemLine("function_call", {
      name: "exec_command",
      call_id: "c",
      arguments: '{"cmd":"apply_patch <<EOF"}',
    }),
    eventLine("patch_apply_end", {
      call_id: "c",
      success: true,
      changes: { a: { type: "add", content: "1" } },
    }),
    itemLine("function_call_output", { call_id: "c", output: "Success." }),
  ]);
  assertEquals(snapshot.records.map(({ id, type }) => [id, type]), [[
    1,
    "patch",
  ]]);
  assertEquals(snapshot.exec_call_lookup, {});
});

Deno.test("HistoryState.apply() shows a patch as applied only for an output of success (C.6)", () => {
  const patched = (fields: Record<string, unknown>) =>
    payloadsOf(
      snapshotOf([
        itemLine("custom_tool_call", {
          name: "apply_patch",
          call_id: "p",
          input: "*** Begin Patch\n*** Delete File: a\n*** End Patch",
        }),
        itemLine("custom_tool_call_output", { call_id: "p", ...fields }),
      ]),
      "patch",
    )[0]?.event;
  const applied = ["Success. Updated the following files:\nM failed.txt\n"];
  for (const output of applied) {
    assertEquals(patched({ output }), "apply_success", output);
    const failed = { output, success: false };
    assertEquals(patched(failed), "apply_failure", output);
  }
  const refused = [
    "Success: error.txt",
    "Patch applied.",
    "",
    "\n \napply_patch verification failed: no such file\nd.txt",
    "patch rejected by user",
    "error: invalid hunk",
    "Permission denied",
    "aborted by user after 2.0s",
    "Exit code: 1\nWall time: 0 seconds\nOutput:\nPatch applied.",
  ];
  for (const output of refused) {
    assertEquals(patched({ output }), "apply_failure", output);
  }
  assertEquals(
    patched({ output: "Exit code: 0\nOutput:\nerror.txt" }),
    "apply_success",
  );
});

Deno.test("HistoryState.apply() keeps the steps of a plan that is refused", () => {
  const plan = [
    { step: "A", status: "completed" },
    { step: "B", status: "in_progress" },
    { step: "C", status: "pending" },
  ];
  const output = "unsupported call: update_plan";
  const [tool] = payloadsOf(
    snapshotOf(called("update_plan", "c", { plan }, output)),
    "tool_call",
  );
  assertEquals(tool?.error_message, output);
  assertEquals(tool?.arguments, [
    { name: "plan", value: { type: "json", value: plan } },
  ]);
});

Deno.test("HistoryState.apply() reads the success member of an output", () => {
  const ended = (name: string, args: unknown) =>
    snapshotOf([
      itemLine("function_call", {
        name,
        call_id: "c",
        arguments: JSON.stringify(args),
      }),
      itemLine("function_call_output", {
        call_id: "c",
        output: "x",
        success: false,
      }),
    ]);
  const [tool] = payloadsOf(ended("f", {}), "tool_call");
  assertEquals(tool?.status, "failed");
  const [exec] = payloadsOf(ended("shell", { command: ["x"] }), "exec");
  assertEquals([exec?.status, exec?.exit_code], ["error", null]);
});

Deno.test("HistoryState.apply() skips the inherited lines of a sub-agent", () => {
  const answer = (id: string, ordinal: number) => ({
    ...pagedLine("AgentMessage", { id, content: [{ type: "Text", text: id }] }),
    ordinal,
  });
  const header = line("session_meta", {
    id: "s",
    history_mode: "paginated",
    subagent_history_start_ordinal: 5,
    history_base: { thread_id: "p", end_ordinal_exclusive: 5 },
  });
  const state = historyOf([header, answer("a", 4), answer("b", 5)]);
  const [only, ...others] = payloadsOf(state.snapshot(), "assistant_message");
  assertEquals([only?.markdown, others.length], ["b", 0]);
  assertEquals(state.base, {
    thread_id: "p",
    end_ordinal_exclusive: 5,
    end_byte_offset: null,
  });
});

const PROMPT = { role: "user", content: [{ type: "input_text", text: "Hi" }] };
const COUNTED = [
  { ...itemLine("message", PROMPT), ordinal: 1 },
  {
    ...pagedLine("UserMessage", {
      id: "u",
      content: [{ type: "text", text: "Hi" }],
    }),
    ordinal: 2,
  },
  {
    ...pagedLine("CommandExecution", {
      id: "c",
      command: ["ls"],
      exit_code: 1,
    }),
    ordinal: 3,
  },
];

for (
  const { name, header, mode } of [
    { name: "without a header", header: [], mode: null },
    {
      name: "with an unknown history_mode",
      header: [line("session_meta", { id: "s", history_mode: "zork" })],
      mode: "zork",
    },
  ]
) {
  Deno.test(`HistoryState.apply() detects the mode of a rollout ${name} from its lines`, () => {
    const counted = historyOf([...header, ...COUNTED]);
    assertEquals(counted.unknownMode, mode);
    assertEquals(
      counted.snapshot().records.map(({ type }) => type),
      ["plain_message", "exec"],
    );
    const legacy = historyOf([
      ...header,
      itemLine("message", PROMPT),
      promptLine("Hi"),
      pagedLine("CommandExecution", { id: "c", command: ["ls"] }),
    ]);
    assertEquals(legacy.snapshot().records.length, 1);
    const [saved, ...rest] = [...header, ...COUNTED];
    const restored = HistoryState.restore(
      historyOf([saved]).snapshot({ resume: true }),
    );
    for (const event of rest) restored.apply(event);
    assertEquals(restored.snapshot(), counted.snapshot());
    assertEquals(restored.unknownMode, mode);
  });
}

Deno.test("HistoryState.apply() follows the history_mode of a header if it is known", () => {
  for (const history_mode of [undefined, "legacy"]) {
    const state = historyOf([
      line("session_meta", { id: "s", history_mode }),
      ...COUNTED,
    ]);
    assertEquals(state.unknownMode, null);
    assertEquals(state.snapshot().records.length, 1);
  }
});

Deno.test("HistoryState.apply() reads only the first header", () => {
  const state = historyOf([
    line("session_meta", { id: "child" }),
    line("session_meta", { id: "parent", history_mode: "paginated" }),
    ANSWER,
  ]);
  assertEquals(state.threadId, "child");
  assertEquals(state.snapshot().records.length, 1);
});

Deno.test("HistoryState.apply() keeps the ids of repeated paginated items", () => {
  const snapshot = snapshotOf([
    PAGINATED,
    ...["a", "b"].flatMap((text) => [
      pagedLine("UserMessage", { id: "u", content: [{ type: "text", text }] }),
      pagedLine("Reasoning", {
        id: "r",
        summary_text: [],
        raw_content: [text],
      }),
      pagedLine("AgentMessage", { id: "m", content: [{ type: "Text", text }] }),
      pagedLine("Plan", { id: "p", text }),
      pagedLine("McpToolCall", { id: "t", server: "s", tool: text }),
      pagedLine("FileChange", { id: "f", changes: {}, status: "completed" }),
    ]),
  ]);
  assertEquals(snapshot.records.map(({ id }) => id), [1, 2, 3, 4, 5, 6]);
  const [tool] = payloadsOf(snapshot, "tool_call");
  assertEquals(tool?.title, "s.b");
});

Deno.test("HistoryState.apply() joins reasoning until another record follows", () => {
  const thought = (text: string) => eventLine("agent_reasoning", { text });
  const snapshot = snapshotOf([
    eventLine("agent_reasoning_delta", { delta: "**A" }),
    eventLine("agent_reasoning_delta", { delta: "**" }),
    eventLine("agent_reasoning_section_break"),
    eventLine("agent_reasoning_delta", { delta: "**B**" }),
    thought("**A**"),
    thought("**B**"),
    itemLine("reasoning", {
      summary: [{ text: "**A**" }, { text: "**B**" }, { text: "**C**" }],
      encrypted_content: "x",
    }),
    ANSWER,
    thought("**D**"),
  ]);
  const headings = payloadsOf(snapshot, "reasoning").map((payload) =>
    Object(payload.sections).map(({ heading }: { heading: string }) => heading)
  );
  assertEquals(headings, [["A", "B", "C"], ["D"]]);
  assertEquals(payloadsOf(snapshot, "reasoning")[0]?.in_progress, false);
});

Deno.test("HistoryState.apply() ends the running records of an aborted turn", () => {
  const snapshot = snapshotOf([
    eventLine("task_started"),
    eventLine("exec_command_begin", {
      call_id: "e",
      command: ["ls"],
      parsed_cmd: [{ type: "list_files", cmd: "ls" }],
    }),
    eventLine("agent_reasoning_delta", { delta: "hm" }),
    eventLine("agent_message_delta", { delta: " " }),
    eventLine("exec_command_begin", { call_id: "c", command: ["make"] }),
    eventLine("turn_aborted", { reason: "interrupted" }),
  ]);
  assertEquals(payloadsOf(snapshot, "explore")[0]?.entries, [
    { command: ["ls"], cwd: null, status: { error: { exit_code: null } } },
  ]);
  assertEquals(payloadsOf(snapshot, "reasoning")[0]?.in_progress, false);
  assertEquals(payloadsOf(snapshot, "assistant_stream"), []);
  assertEquals(payloadsOf(snapshot, "exec")[0]?.status, "error");
});

Deno.test("HistoryState.apply() drops a partial answer whose request is retried, and empty items", () => {
  const snapshot = snapshotOf([
    item("delta", "agent_message", {
      item_id: "half",
      delta: { text_delta: "An ans" },
    }),
    item("started", "reasoning", { item_id: "r", content: { text: "" } }),
    { type: "error", will_retry: true, error: { message: "cut" } },
    item("completed", "reasoning", { item_id: "r", content: { text: "" } }),
    item("delta", "agent_message", {
      item_id: "whole",
      delta: { text_delta: "An answer" },
    }),
    item("completed", "agent_message", { item_id: "e", content: { text: "" } }),
    { type: "turn.completed" },
  ]);
  assertEquals(summariesOf(snapshot), ["error: cut", "answer: An answer"]);
});

Deno.test("HistoryState.apply() separates the parts of a reasoning that its turn cuts off", () => {
  const added = (text_delta: string) =>
    item("delta", "reasoning", { item_id: "r", delta: { text_delta } });
  const part = (item_id: string) =>
    item("completed", "agent_reasoning_section_break", {
      item_id,
      call_id: "r",
      content: {},
    });
  const start = { type: "thread.started", thread_id: "t" };
  const run = [
    start,
    part("item_1"),
    added("**A**\n\none"),
    part("item_2"),
    added("**B**\n\ntwo"),
    { type: "turn.failed", reason: "interrupted" },
    part("item_3"),
  ];
  const headings = payloadsOf(checkedSnapshot([...run, ...run]), "reasoning")
    .map(({ sections }) =>
      listOf(sections).map((each) => fieldsOf(each).heading)
    );
  assertEquals(headings, [["A", "B"], ["A", "B"]]);
});

Deno.test("HistoryState.placeOfExplored() finds commands that share a record, until a rollback", () => {
  const begin = (name: string, kind: string): Record<string, unknown> =>
    eventLine("exec_command_begin", {
      call_id: name,
      command: ["cat", name],
      parsed_cmd: [{ type: kind, cmd: `cat ${name}`, name }],
    });
  const state = historyOf([
    promptLine("a"),
    begin("a", "read"),
    begin("b", "read"),
    begin("c", "unknown"),
  ]);
  assertEquals(["a", "b", "c", "d"].map((id) => state.placeOfExplored(id)), [
    { id: 2, at: 0 },
    { id: 2, at: 1 },
    undefined,
    undefined,
  ]);
  state.apply(eventLine("thread_rolled_back", { num_turns: 1 }));
  assertEquals(state.placeOfExplored("a"), undefined);
});

Deno.test("HistoryState.placeOfExplored() finds the commands of a second run", () => {
  const read = (name: string) =>
    item("completed", "command_execution", {
      item_id: "item_0",
      content: {
        command: `cat ${name}`,
        parsed_cmd: [{ type: "read", cmd: `cat ${name}`, name }],
        exit_code: 0,
      },
    });
  const start = { type: "thread.started", thread_id: "t" };
  const error = { type: "error", message: "between" };
  const state = historyOf([start, read("a"), error, start]);
  assertEquals(state.placeOfExplored("item_0"), undefined);
  state.apply(read("b"));
  assertEquals(state.placeOfExplored("item_0"), { id: 3, at: 0 });
});

Deno.test("HistoryState.apply() keeps commands running when a turn completes", () => {
  const snapshot = snapshotOf([
    eventLine("task_started"),
    eventLine("exec_command_begin", { call_id: "c", command: ["make"] }),
    eventLine("task_complete"),
  ]);
  assertEquals(payloadsOf(snapshot, "exec")[0]?.status, "running");
});

Deno.test("HistoryState.apply() decodes output that is split inside a character", () => {
  const chunk = (bytes: number[]) =>
    eventLine("exec_command_output_delta", {
      call_id: "c",
      stream: "stdout",
      chunk: bytes,
    });
  const begin = eventLine("exec_command_begin", {
    call_id: "c",
    command: ["x"],
  });
  const snapshot = snapshotOf([
    begin,
    chunk([0xf0, 0x9f]),
    chunk([0x9a, 0x80, 0x61]),
  ]);
  assertEquals(payloadsOf(snapshot, "exec")[0]?.stdout_chunks, [
    { offset: 0, content: "🚀a" },
  ]);
});

Deno.test("HistoryState.apply() shows waits of the fork", () => {
  const wait = (type: string, fields: Record<string, unknown>) =>
    eventLine(`custom_tool_call_${type}`, {
      call_id: "w",
      tool_name: "wait",
      ...fields,
    });
  const ok = {
    duration: { secs: 2, nanos: 0 },
    result: { Ok: "a\n\na\nCancelled by user." },
  };
  const timed = snapshotOf([
    wait("begin", { parameters: { for: "npm test", timeout_ms: 9 } }),
    wait("end", { parameters: { for: "npm test", timeout_ms: 9 }, ...ok }),
  ]);
  assertEquals(timed.records.map(({ id, type }) => [id, type]), [
    [1, "wait_status"],
  ]);
  const begin = eventLine("exec_command_begin", {
    call_id: "c",
    command: ["x"],
  });
  const parameters = { call_id: "c" };
  const [exec] = payloadsOf(
    snapshotOf([
      begin,
      wait("begin", { parameters }),
      wait("end", { parameters, ...ok }),
    ]),
    "exec",
  );
  assertEquals([exec?.wait_total_ms, exec?.wait_active], [2000, false]);
  assertEquals(
    Object(exec?.wait_notes).map((
      { message, tone }: { message: string; tone: string },
    ) => [message, tone]),
    [["a", "info"], ["Cancelled by user.", "error"]],
  );
});

const VIEWED = itemLine("function_call", {
  name: "view_image",
  call_id: "v",
  arguments: '{"path":"/w/a.png"}',
});
const PIXEL = "data:image/png;base64,QQ==";

Deno.test("HistoryState.apply() shows a viewed image once", () => {
  const message = itemLine("message", {
    role: "user",
    content: [{ type: "input_image", image_url: PIXEL }],
  });
  const copy = eventLine("user_message", { message: "", images: [PIXEL] });
  const output = itemLine("function_call_output", {
    call_id: "v",
    output: "attached",
  });
  for (const copies of [[message], [message, copy], [copy, message]]) {
    const snapshot = snapshotOf([VIEWED, ...copies, output]);
    assertEquals(payloadsOf(snapshot, "image"), [
      { path: "/w/a.png", caption: null, metadata: null },
    ]);
  }
});

/** A call followed by its output, as 0.58 writes them. */
function called(
  name: string,
  id: string,
  args: object,
  output: unknown,
): Record<string, unknown>[] {
  return [
    itemLine("function_call", {
      name,
      call_id: id,
      arguments: JSON.stringify(args),
    }),
    itemLine("function_call_output", { call_id: id, output }),
  ];
}

Deno.test("HistoryState.apply() shows images once that were viewed beside other calls", () => {
  const message = itemLine("message", {
    role: "user",
    content: [{ type: "input_image", image_url: PIXEL }],
  });
  const attached = "attached local image path";
  const calls = [
    ...called("view_image", "a", { path: "/w/a.png" }, attached),
    ...called("view_image", "b", { path: "/w/b.png" }, attached),
    ...called("shell", "c", { command: ["ls"] }, "a.png"),
  ];
  const typesOf = (lines: readonly Record<string, unknown>[]) =>
    snapshotOf(lines).records.map(({ type }) => type);
  assertEquals(
    typesOf([...calls, message, message]),
    ["image", "image", "exec"],
  );
  assertEquals(
    typesOf([...calls, message, message, message]),
    ["image", "image", "exec", "image"],
  );
  const answer = messageLine("assistant", "Seen.");
  assertEquals(
    typesOf([...calls, answer, message]),
    ["image", "image", "exec", "assistant_message", "image"],
  );
  // A message of the response that makes the call.
  const [call, output] = called("view_image", "a", { path: "a" }, attached);
  assertEquals(
    typesOf([call, answer, output, message].map(fieldsOf)),
    ["image", "assistant_message"],
  );
});

Deno.test("HistoryState.apply() shows an image of the user after a viewed image without a message", () => {
  const outputs = [
    "unable to locate image at `/w/a.png`: No such file or directory",
    [{ type: "input_image", image_url: PIXEL }],
  ];
  for (const [at, output] of outputs.entries()) {
    const snapshot = snapshotOf([
      ...called("view_image", "a", { path: "/w/a.png" }, output),
      eventLine("user_message", { message: "", images: [PIXEL] }),
    ]);
    assertEquals(
      snapshot.records.map(({ type }) => type),
      [at === 0 ? "tool_call" : "image", "image"],
    );
  }
});

Deno.test("HistoryState.apply() shows an image of the user that follows a viewed image and a message", () => {
  const image = eventLine("user_message", { message: "", images: [PIXEL] });
  const count = (between: unknown) =>
    payloadsOf(snapshotOf([VIEWED, between, image]), "image").length;
  for (
    const message of [
      answerLine("m"),
      eventLine("agent_message_delta", { delta: "d" }),
      eventLine("agent_reasoning", { text: "t" }),
      eventLine("error", { message: "m" }),
    ]
  ) assertEquals(count(message), 2, JSON.stringify(message));
  for (
    const other of [
      eventLine("exec_command_begin", { call_id: "c", command: ["x"] }),
      eventLine("mcp_tool_call_end", { call_id: "c" }),
      eventLine("background_event", { message: "m" }),
    ]
  ) assertEquals(count(other), 1, JSON.stringify(other));
});

Deno.test("HistoryState.apply() shows an image of the user after the turn of a viewed image", () => {
  for (const type of ["task_complete", "turn_aborted", "task_started"]) {
    const snapshot = snapshotOf([
      VIEWED,
      eventLine(type),
      eventLine("user_message", { message: "", images: [PIXEL] }),
    ]);
    assertEquals(payloadsOf(snapshot, "image").length, 2, type);
  }
});

Deno.test("HistoryState.apply() shows every viewed image for every release", () => {
  for (const file of readCapturedFiles(/^rollout-.*\.jsonl$/)) {
    const [, minor = ""] = /^0\.(\d+)[^/]*\/viewimage\//.exec(file.path) ?? [];
    if (minor === "") continue;
    const snapshot = snapshotOf(readEvents(file).events);
    const failed = payloadsOf(snapshot, "tool_call")
      .filter(({ title }) => title === "view_image");
    // Old releases refuse every view; of the three files, one does not exist.
    const images = payloadsOf(snapshot, "image");
    assertEquals(images.length + failed.length, 3, file.path);
    assertEquals(failed.every(({ status }) => status === "failed"), true);
  }
});

Deno.test("HistoryState.apply() shows the hint of a review at its end", () => {
  const snapshot = snapshotOf([
    eventLine("entered_review_mode", { user_facing_hint: "x" }),
    eventLine("exited_review_mode", { review_output: null }),
    eventLine("entered_review_mode", { prompt: "p" }),
    eventLine("exited_review_mode", {
      review_output: { overall_explanation: " " },
    }),
  ]);
  assertEquals(
    payloadsOf(snapshot, "background_event").map((each) => each.description),
    [
      ">> Code review started: x <<",
      "<< Code review finished without a final response (x) >>",
      ">> Code review started <<",
      "<< Code review finished >>",
    ],
  );
});

Deno.test("HistoryState.apply() shows the prompt of a review once", () => {
  const snapshot = snapshotOf([
    eventLine("entered_review_mode", { user_facing_hint: "x" }),
    USER,
    USER,
    eventLine("exited_review_mode", { review_output: null }),
    USER,
    USER,
  ]);
  assertEquals(payloadsOf(snapshot, "plain_message").length, 3);
});

Deno.test("HistoryState.apply() shows each threshold of the rate limits once", () => {
  const count = (used_percent: number) =>
    eventLine("token_count", {
      info: null,
      rate_limits: { primary: { used_percent }, secondary: null },
    });
  const used = [49, 95, 96, 10, 60, 99].map(count);
  assertEquals(payloadsOf(snapshotOf(used), "rate_limits").length, 1);
  const slow = [50, 51, 75, 90].map(count);
  assertEquals(payloadsOf(snapshotOf(slow), "rate_limits").length, 3);
});

Deno.test("HistoryState.apply() shows warnings, notices and errors, each once", () => {
  const snapshot = snapshotOf([
    eventLine("warning", { message: "careful\nnow" }),
    eventLine("undo_completed", { message: "undone" }),
    eventLine("deprecation_notice", { summary: "old", details: "use new" }),
    eventLine("error", { message: "no" }),
    eventLine("task_complete", { error: { message: "no" } }),
  ]);
  const [warning, error, ...others] = payloadsOf(snapshot, "plain_message");
  assertEquals(textOf({ ...warning }), "⚠ careful\nnow");
  assertEquals([textOf({ ...error }), others.length], ["no", 0]);
  assertEquals(textOf({ ...payloadsOf(snapshot, "notice")[0] }), "use new");
});

Deno.test("HistoryState.apply() keeps the indentation of the first line of a warning (C.0)", () => {
  const shown = ["\n \r\n  careful\r\n\tnow\n", " "].map((message) => {
    const snapshot = snapshotOf([eventLine("warning", { message })]);
    return textOf({ ...payloadsOf(snapshot, "plain_message")[0] });
  });
  assertEquals(shown, ["⚠   careful\n\tnow", "⚠ "]);
});

Deno.test("HistoryState.apply() replaces a background event of the fork by its id", () => {
  const background = (id: string, message: string) =>
    line("event", { id, msg: { type: "background_event", message } });
  const snapshot = snapshotOf([
    background("1", "a"),
    background("2", "b"),
    background("1", "c"),
  ]);
  assertEquals(
    payloadsOf(snapshot, "background_event").map((each) => each.description),
    ["c", "b"],
  );
});

// Restoring, and hostile values.

Deno.test("HistoryState.restore() lets an abort end the running records of a bare snapshot", () => {
  const before = historyOf([
    eventLine("exec_command_begin", { call_id: "c", command: ["make"] }),
    eventLine("mcp_tool_call_begin", {
      call_id: "t",
      invocation: { server: "s", tool: "t" },
    }),
    eventLine("agent_message_delta", { delta: "x" }),
  ]);
  const state = HistoryState.restore(before.snapshot());
  state.apply(eventLine("turn_aborted", {}));
  assertEquals(state.snapshot().records.map(({ type }) => type), [
    "exec",
    "tool_call",
    "assistant_message",
    "background_event",
  ]);
  assertEquals(state.snapshot().tool_call_lookup, { t: 2 });
});

Deno.test("HistoryState.restore() lets a failure end what is open in a bare snapshot, beside records of unknown types", () => {
  const { records, ...rest } = snapshotOf([
    item("started", "command_execution", {
      content: {
        command: "cat a",
        parsed_cmd: [{ type: "read", cmd: "cat a", name: "a" }],
      },
    }),
    item("started", "reasoning", { content: { text: "Reading" } }),
  ]);
  const unknown = { id: 9, type: "hologram", payload: { depth: 3 } };
  const state = HistoryState.restore({
    ...rest,
    records: [unknown, ...records],
    exec_call_lookup: { item_0: 9 },
    next_id: 10,
  });
  state.apply({ type: "turn.failed", error: { message: "" } });
  const snapshot = state.snapshot();
  assertEquals(snapshot.records[0], unknown);
  assertEquals(payloadsOf(snapshot, "explore")[0]?.entries, [
    {
      command: ["cat", "a"],
      cwd: null,
      status: { error: { exit_code: null } },
    },
  ]);
  assertEquals(payloadsOf(snapshot, "reasoning")[0]?.in_progress, false);
});

Deno.test("HistoryState.restore() keeps the ended records of a bare snapshot", () => {
  const command = [
    eventLine("exec_command_begin", { call_id: "c", command: ["make"] }),
    eventLine("exec_command_end", { call_id: "c", exit_code: 1 }),
  ];
  const tool = eventLine("mcp_tool_call_end", {
    call_id: "t",
    invocation: { server: "s", tool: "t" },
  });
  const before = historyOf([...command, tool]).snapshot();
  const again = [
    ...command.slice(1),
    itemLine("function_call", {
      name: "shell",
      call_id: "c",
      arguments: '{"command":["ls"]}',
    }),
    itemLine("function_call_output", { call_id: "c", output: "x" }),
    tool,
  ];
  for (const events of [again, again.slice(1)]) {
    const state = historyOf(events, HistoryState.restore(before));
    const { records } = state.snapshot();
    assertEquals(records.slice(0, 2), before.records);
    assertEquals(records.slice(-2).map(({ type }) => type), [
      "exec",
      "tool_call",
    ]);
    const whole = state.snapshot({ resume: true });
    assert(
      equalJson(HistoryState.restore(whole).snapshot({ resume: true }), whole),
    );
  }
});

Deno.test("HistoryState.restore() keeps a record that the lookup of streams names by mistake", () => {
  const { records, ...rest } = snapshotOf([USER, ANSWER]);
  const state = HistoryState.restore({
    ...rest,
    records,
    stream_lookup: { s: 1, t: 9 },
  });
  state.apply(eventLine("task_complete"));
  assertEquals(state.snapshot().records, records);
});

Deno.test("HistoryState.restore() keeps the answers of a bare snapshot when the thread goes on in a new run", () => {
  const started = { type: "thread.started", thread_id: "t" };
  const run = (text: string) => [
    started,
    item("completed", "agent_message", { content: { text } }),
  ];
  let state = historyOf(run("a"));
  for (const text of ["b", "c"]) {
    state = historyOf(run(text), HistoryState.restore(state.snapshot()));
  }
  assertEquals(
    payloadsOf(state.snapshot(), "assistant_message"),
    payloadsOf(
      snapshotOf([...run("a"), ...run("b"), ...run("c")]),
      "assistant_message",
    ),
  );
});

Deno.test("HistoryState.restore() lets an item end its command of the last run of a bare snapshot", () => {
  const started = { type: "thread.started", thread_id: "t" };
  const command = (phase: "started" | "completed", content: object) =>
    item(phase, "command_execution", { content });
  const begun = historyOf([
    started,
    started,
    command("started", { command: "ls" }),
  ]);
  const state = HistoryState.restore(begun.snapshot());
  state.apply(command("completed", ENDED));
  const commands = payloadsOf(state.snapshot(), "exec");
  assertEquals(commands.map(({ status }) => status), ["success"]);
});

Deno.test("HistoryState.restore() lets outputs end the running records of a bare snapshot in their places", () => {
  const begun = historyOf([
    eventLine("exec_command_begin", { call_id: "c", command: ["make"] }),
    eventLine("mcp_tool_call_begin", {
      call_id: "t",
      invocation: { server: "s", tool: "t" },
    }),
  ]);
  const state = HistoryState.restore(begun.snapshot());
  for (const call_id of ["c", "t"]) {
    const output = "Exit code: 0\nOutput:\nx";
    state.apply(itemLine("function_call_output", { call_id, output }));
  }
  assertEquals(state.snapshot().records.map(({ type }) => type), [
    "exec",
    "tool_call",
  ]);
  assertEquals(payloadsOf(state.snapshot(), "exec")[0]?.status, "success");
});

Deno.test("HistoryState.restore() finds a repeated command with members in another order", () => {
  const command = {
    call_id: "c",
    command: ["rg", "x"],
    parsed_cmd: [{ path: "src", query: "x", cmd: "rg x src", type: "other" }],
  };
  const state = historyOf([
    eventLine("exec_command_begin", command),
    eventLine("exec_command_end", { ...command, exit_code: 0 }),
  ]);
  const snapshot = JSON.stringify(state.snapshot({ resume: true }));
  const restored = HistoryState.restore(readSnapshot(JSON.parse(snapshot)));
  const again = eventLine("exec_command_end", { ...command, exit_code: 0 });
  assertEquals(restored.apply(again), state.apply(again));
});

Deno.test("HistoryState.apply() keeps names of inherited members", () => {
  const change = JSON.parse(
    '{"__proto__":{"type":"add","content":"x"},"constructor":{"type":"delete"}}',
  );
  const snapshot = snapshotOf([
    eventLine("patch_apply_end", {
      call_id: "__proto__",
      success: true,
      changes: change,
    }),
    eventLine("mcp_tool_call_begin", {
      call_id: "__proto__",
      invocation: JSON.parse('{"server":"s","arguments":{"__proto__":1}}'),
    }),
    eventLine("toString"),
    line("constructor", {}),
    itemLine("__proto__"),
  ]);
  const [patch] = payloadsOf(snapshot, "patch");
  assertEquals(Object.keys(Object(patch?.changes)), [
    "__proto__",
    "constructor",
  ]);
  assertEquals(Object.keys(snapshot.tool_call_lookup), ["__proto__"]);
});

/** Checks the mutations of events, and a checkpoint in the middle. */
function checkHistory(events: readonly unknown[], where: string): void {
  checkedSnapshot(events, where, [Math.floor(events.length / 2)]);
}

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e300,
  "",
  " \n",
  "**a**",
  "item_0",
  "c",
  "2025-10-01T12:00:00.000Z",
  [],
  [null],
  {},
  { type: "text", text: "x" },
  { secs: -1, nanos: 1e12 },
];

Deno.test("HistoryState.apply() continues a checkpoint with a shell call without a command", () => {
  const snapshot = checkedSnapshot([
    itemLine("local_shell_call", { call_id: "c" }),
  ]);
  assertEquals(payloadsOf(snapshot, "running_tool")[0]?.arguments, []);
});

Deno.test("HistoryState.apply() accepts captures with any value in any field", () => {
  const files = readCapturedFiles(/^(?:stdout|rollout-.*)\.jsonl$/)
    .filter(({ bytes }) => bytes.length < 60_000);
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.infiniteStream(
        fc.tuple(fc.nat(8), fc.constantFrom(...HOSTILE)),
      ),
      (file, dice) => {
        const { events, path } = readEvents(file);
        const spoil = (value: unknown): unknown => {
          const [die, other] = dice.next().value;
          if (die === 0) return other;
          if (Array.isArray(value)) return value.map(spoil);
          if (typeof value !== "object" || value === null) return value;
          return Object.fromEntries(
            Object.entries(value).map(([name, field]) => [
              name,
              name === "type" || name === "payload" ? field : spoil(field),
            ]),
          );
        };
        const spoilt = events.map((event) => {
          const { payload, ...rest } = Object(event);
          const inner = payload === undefined
            ? {}
            : { payload: spoil(payload) };
          return { ...Object(spoil(rest)), ...inner };
        });
        checkHistory(spoilt, path);
      },
    ),
    { numRuns: 150 },
  );
});

Deno.test("HistoryState.apply() accepts any JSON value", () => {
  const { records, next_id } = snapshotOf([
    null,
    [],
    "x",
    1,
    {},
    { type: 1 },
    { type: "item.started" },
    { type: "event_msg", payload: [] },
    { payload: {} },
  ]);
  assertEquals([records, next_id], [[], 1]);
  fc.assert(fc.property(fc.array(fc.jsonValue()), (events) => {
    checkHistory(
      events.map((value) => ({ type: "event_msg", payload: value })),
      "",
    );
    checkHistory(events, "");
  }));
});

Deno.test("HistoryState.apply() accepts values nested 100,000 deep", () => {
  const depth = 100_000;
  const deep = JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const state = historyOf([
    eventLine("mcp_tool_call_begin", {
      call_id: "t",
      invocation: { server: "s", tool: "t", arguments: { deep } },
    }),
    eventLine("exec_command_begin", {
      call_id: "c",
      command: ["x"],
      parsed_cmd: [{ type: "unknown", cmd: "x", deep }],
    }),
    eventLine("exec_command_end", { call_id: "c", command: ["y"], deep }),
    itemLine("function_call_output", {
      call_id: "t",
      output: "[".repeat(depth) + "]".repeat(depth),
    }),
  ]);
  assertEquals(state.snapshot().records.length, 2);
});

Deno.test("HistoryState.apply() accepts texts and outputs nested 10,000 deep", () => {
  const levels = 10_000;
  for (
    const [open, close] of [["[", "]"], ['{"text":', "}"], ['{"content":', "}"]]
  ) {
    const deep = JSON.parse(
      `${open?.repeat(levels)}"x"${close?.repeat(levels)}`,
    );
    const call = { name: "shell", arguments: "{}", call_id: "c" };
    const state = historyOf([
      itemLine("message", { role: "user", content: [{ text: deep }] }),
      itemLine("message", { role: "user", content: deep }),
      itemLine("message", { role: "assistant", content: deep }),
      itemLine("reasoning", { summary: deep }),
      itemLine("function_call", call),
      itemLine("function_call_output", { call_id: "c", output: deep }),
    ]);
    assertEquals(state.snapshot().records.length, 1);
  }
});

Deno.test("HistoryState.restore() and RecordStore.restore() refuse other values and layouts", () => {
  const good = new HistoryState().snapshot();
  const cases: readonly [unknown, string][] = [
    [null, "the value is null, expected an object"],
    [[], "the value is a list, expected an object"],
    [{}, "records is missing, expected a list"],
    [{ ...good, next_id: "1" }, 'next_id is "1", expected a number'],
    [
      { ...good, next_id: `${"x".repeat(38)}😀 and more` },
      `next_id is "${"x".repeat(38)}…", expected a number`,
    ],
    [
      { ...good, exec_call_lookup: null },
      "exec_call_lookup is null, expected an object",
    ],
    [
      { ...good, records: [{ Loading: { id: 1, message: "m" } }] },
      "records[0].id is missing, expected a number",
    ],
    [
      { ...good, records: [{ id: 1, type: "loading" }] },
      "records[0].payload is missing, expected an object",
    ],
  ];
  for (const [value, state] of cases) {
    for (const kind of [HistoryState, RecordStore]) {
      assertThrows(
        // Values of JSON may have another type than the caller declares.
        () => kind.restore(value as HistorySnapshot),
        HistorySnapshotError,
        `Cannot read a history: ${state}`,
      );
    }
  }
});

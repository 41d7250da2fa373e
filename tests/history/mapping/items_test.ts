/** The records of plans, and of items of exec streams (history.md C.1). */

import { assertEquals } from "@std/assert";
import {
  checkedSnapshot,
  historyOf,
  payloadsOf,
  snapshotOf,
} from "../histories.ts";
import { eventLine, itemLine, promptLine } from "../../session_lines.ts";

function plan(...statuses: readonly string[]) {
  return { plan: statuses.map((status) => ({ step: "a", status })) };
}

function planCall(args: unknown) {
  return itemLine("function_call", {
    name: "update_plan",
    arguments: JSON.stringify(args),
    call_id: "c",
  });
}

function planEvent(fields: Record<string, unknown>) {
  return eventLine("plan_update", { explanation: null, ...fields });
}

/** Counts the plans in the checked history of events. */
function countOf(events: readonly unknown[]): number {
  return payloadsOf(checkedSnapshot(events), "plan_update").length;
}

const OUTPUT = itemLine("function_call_output", {
  call_id: "c",
  output: "Plan updated",
});

Deno.test("HistoryState.apply() shows a plan once that has a call and an event", () => {
  const open = plan("pending");
  const done = plan("completed");
  assertEquals(countOf([planCall(open), planEvent(open), OUTPUT]), 1);
  assertEquals(countOf([planEvent(open), planCall(open), OUTPUT]), 1);
  assertEquals(
    countOf([
      planCall(open),
      planEvent(open),
      OUTPUT,
      planCall(done),
      planEvent(done),
    ]),
    2,
  );
});

Deno.test("HistoryState.apply() shows plans separately that are not copies of each other", () => {
  const open = plan("pending");
  const done = plan("completed");
  assertEquals(countOf([planCall(open), OUTPUT, planCall(open)]), 2);
  assertEquals(countOf([planEvent(open), planEvent(open)]), 2);
  assertEquals(countOf([planCall(open), planEvent(done)]), 2);
  assertEquals(countOf([planCall(open), planEvent({ ...open, name: "b" })]), 2);
  const again = [planCall(open), planEvent(open)];
  assertEquals(countOf([...again, ...again]), 2);
  const prompt = promptLine("x");
  assertEquals(countOf([planCall(open), prompt, planEvent(open)]), 2);
});

Deno.test("HistoryState.apply() reads the steps of a plan in every spelling (A.6)", () => {
  const steps = [
    { step: "a", status: "pending" },
    { title: "b", status: "in_progress" },
    { text: "c", status: "complete" },
    { step: "d", status: "completed" },
    { step: "e", status: "skipped" },
    { step: "f", completed: true },
    { step: 5, title: "g", status: "some day" },
    "h",
  ];
  const [shown] = payloadsOf(
    historyOf([planEvent({ plan: steps })]).snapshot(),
    "plan_update",
  );
  assertEquals(
    Object(shown?.steps).map((
      { description, status }: Record<string, string>,
    ) => `${description} ${status}`),
    [
      ...["a pending", "b in_progress", "c complete", "d complete"],
      ...["e skipped", "f complete", "g pending", " pending"],
    ],
  );
});

/** Makes an item event, normalized. */
function item(
  type: "started" | "delta" | "completed",
  item_type: string,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  return { type: `item.${type}`, item_id: "item_0", item_type, ...fields };
}

/** Makes deltas of an item. */
function deltas(
  item_type: string,
  ...pieces: readonly Record<string, unknown>[]
): Record<string, unknown>[] {
  return pieces.map((delta) => item("delta", item_type, { delta }));
}

function previewOf(events: readonly unknown[]): unknown {
  return payloadsOf(snapshotOf(events), "assistant_stream")[0]
    ?.preview_markdown;
}

Deno.test("HistoryState.apply() takes the output beside a command for all output so far (E.7)", () => {
  const whole = (stdout: string) =>
    item("delta", "command_execution", { delta: { command: "make", stdout } });
  const piece = item("delta", "command_execution", { delta: { stdout: "c" } });
  const [exec] = payloadsOf(
    snapshotOf([whole("a"), whole("ab"), piece]),
    "exec",
  );
  assertEquals(exec?.stdout_chunks, [{ offset: 0, content: "abc" }]);
});

Deno.test("HistoryState.apply() appends deltas of an answer, and replaces it by text that repeats its beginning (E.7)", () => {
  const messages = (...texts: readonly string[]) =>
    deltas("agent_message", ...texts.map((text_delta) => ({ text_delta })));
  assertEquals(previewOf(messages("a", "bcd")), "abcd");
  assertEquals(previewOf(messages("a", "abc")), "abc");
});

Deno.test("HistoryState.apply() appends deltas of reasoning (C.1)", () => {
  const events = deltas("reasoning", { text_delta: "Let" }, {
    text_delta: " me see",
  });
  const [reasoning] = payloadsOf(snapshotOf(events), "reasoning");
  const text = JSON.stringify(reasoning);
  assertEquals([text.includes('"Let me see"'), reasoning?.in_progress], [
    true,
    true,
  ]);
});

Deno.test("HistoryState.apply() keeps the complete text of reasoning when a delta of it comes late", () => {
  const complete = [
    ...deltas("reasoning", { text_delta: "Let" }),
    item("completed", "reasoning", { content: { text: "Let me see" } }),
  ];
  const late = deltas("reasoning", { text_delta: " me" });
  assertEquals(
    checkedSnapshot([...complete, ...late]).records,
    snapshotOf(complete).records,
  );
});

Deno.test("HistoryState.apply() appends deltas of output, also equal ones (C.1)", () => {
  const [exec] = payloadsOf(
    snapshotOf([
      item("started", "command_execution", { content: { command: "yes" } }),
      ...deltas("command_execution", { stdout: "y\n" }, { stdout: "y\n" }),
    ]),
    "exec",
  );
  assertEquals(exec?.stdout_chunks, [{ offset: 0, content: "y\ny\n" }]);
});

Deno.test("HistoryState.apply() keeps the failure of a command whose end still comes (C.1)", () => {
  const command = { command: "make", stdout: "a" };
  const [exec] = payloadsOf(
    checkedSnapshot([
      item("started", "command_execution", { content: command }),
      { type: "item.failed", item_id: "item_0", error: { message: "lost" } },
      item("completed", "command_execution", { content: command }),
    ]),
    "exec",
  );
  assertEquals(exec?.stderr_chunks, [{ offset: 0, content: "lost" }]);
});

Deno.test("HistoryState.apply() shows no command for the output of a patch", () => {
  const patch = { changes: [{ path: "a", kind: "add" }] };
  const snapshot = snapshotOf([
    item("started", "file_change", { content: patch }),
    item("delta", "command_execution", { delta: { stdout: "Success." } }),
    item("completed", "command_execution", {
      content: { command: "", stdout: "Success.", exit_code: 0 },
    }),
  ]);
  assertEquals(snapshot.records.map(({ type }) => type), ["patch"]);
});

Deno.test("HistoryState.apply() shows the start of a file change (C.1)", () => {
  const content = { changes: [{ path: "a", kind: "delete" }] };
  const [patch] = payloadsOf(
    snapshotOf([item("started", "file_change", { content })]),
    "patch",
  );
  assertEquals([patch?.event, patch?.auto_approved], ["apply_begin", null]);
});

Deno.test("HistoryState.apply() begins a new call at a start with the id of one that only ended (C.1)", () => {
  const content = { server_name: "s", tool_name: "t" };
  const snapshot = snapshotOf([
    item("completed", "web_search", { content: { query: "q" } }),
    item("started", "mcp_tool_call", { content }),
    item("completed", "mcp_tool_call", { content }),
  ]);
  assertEquals(
    payloadsOf(snapshot, "tool_call").map(({ title }) => title),
    ["web_search", "s.t"],
  );
});

Deno.test("HistoryState.apply() reads every mark of a failed tool call (C.1)", () => {
  const ended = (
    content: Record<string, unknown>,
    fields: Record<string, unknown> = {},
  ) =>
    payloadsOf(
      snapshotOf([
        item("completed", "mcp_tool_call", {
          ...fields,
          content: { server_name: "s", tool_name: "t", ...content },
        }),
      ]),
      "tool_call",
    )[0]?.status;
  assertEquals(ended({}), "success");
  assertEquals(ended({ error: { message: "no" } }), "failed");
  assertEquals(ended({ result: { is_error: true } }), "failed");
  assertEquals(ended({ result: { isError: true } }), "failed");
  assertEquals(ended({ status: "failed" }), "failed");
  assertEquals(ended({}, { status: "failed" }), "failed");
});

Deno.test("HistoryState.apply() shows a running and an ended call to agents (C.1)", () => {
  const fields = { tool: "wait", prompt: null, receiver_thread_ids: ["a"] };
  const started = item("started", "collab_tool_call", fields);
  const ended = (agents_states: unknown) =>
    payloadsOf(
      snapshotOf([
        started,
        item("completed", "collab_tool_call", { ...fields, agents_states }),
      ]),
      "tool_call",
    )[0];
  const [running] = payloadsOf(snapshotOf([started]), "running_tool");
  assertEquals(running?.title, "collab.wait");
  assertEquals(running?.arguments, [
    { name: "receiver_thread_ids", value: { type: "json", value: ["a"] } },
  ]);
  assertEquals(ended({})?.result_preview, null);
  assertEquals(ended(undefined)?.result_preview, null);
  const preview = Object(ended({ a: "done" })?.result_preview);
  assertEquals(preview.truncated, false);
  assertEquals(JSON.stringify(preview).includes("done"), true);
});

Deno.test("HistoryState.apply() shows the error of a failed item on a line of its own (C.1)", () => {
  const failed = (stderr: string) =>
    payloadsOf(
      snapshotOf([
        item("started", "command_execution", {
          content: { command: "make", stderr },
        }),
        {
          type: "item.failed",
          item_id: "item_0",
          item_type: "command_execution",
          error: { message: "killed" },
        },
      ]),
      "exec",
    ).map(({ status, stderr_chunks }) => [status, stderr_chunks])[0];
  assertEquals(failed(""), ["error", [{ offset: 0, content: "killed" }]]);
  assertEquals(failed("no"), [
    "error",
    [{ offset: 0, content: "no\nkilled" }],
  ]);
});

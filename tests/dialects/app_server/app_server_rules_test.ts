/** Holds the rules for app-servers to what each kind of message is to become. */

import { assertEquals } from "@std/assert";
import { isObject } from "../../../lib/json/fields.ts";
import { linesOf } from "../../fixtures.ts";
import fc from "../../property_seed.ts";
import { answers, encode, isJson, normalizeBytes } from "../../running.ts";
import { readServerRuns, threadOf } from "./sessions.ts";

function of(...messages: readonly unknown[]): string[] {
  const lines = messages.map((message) =>
    typeof message === "string" ? message : JSON.stringify(message)
  );
  return answers(lines, { from: "app-server" });
}

/** The last of what becomes of messages. */
function last(...messages: readonly unknown[]): unknown {
  const text = of(...messages).at(-1) ?? "";
  return isJson(text) ? JSON.parse(text) : text;
}

const IDS = { threadId: "t", turnId: "1" };

function item(type: string, fields: object, method = "item/completed"): object {
  return { method, params: { item: { type, id: "i", ...fields }, ...IDS } };
}

function completed(itemType: string, fields: object): object {
  return {
    type: "item.completed",
    thread_id: "t",
    turn_id: "1",
    item_id: "i",
    status: "completed",
    item_type: itemType,
    ...fields,
  };
}

/** Each kind of line, and what becomes of it. */
const CASES: readonly [name: string, message: unknown, event: unknown][] = [
  ["a response", { id: 1, result: {} }, {
    type: "rpc.response",
    id: 1,
    result: {},
  }],
  ["an error", { error: { code: -1 }, id: null }, {
    type: "rpc.error",
    error: { code: -1 },
    id: null,
  }],
  ["a request of the client", { id: 3, method: "turn/start", params: IDS }, {
    type: "rpc.request",
    id: 3,
    method: "turn/start",
    params: IDS,
  }],
  ["what is of no thread", { method: "skills/changed" }, {
    type: "rpc.notification",
    method: "skills/changed",
  }],
  ["a twin", { method: "codex/event/task_started", params: IDS }, {
    type: "rpc.notification",
    method: "codex/event/task_started",
    params: IDS,
  }],
  ["a thread", {
    method: "thread/started",
    params: { thread: { id: "t", cliVersion: "1", status: { type: "idle" } } },
    emittedAtMs: 5,
  }, {
    type: "thread.started",
    thread_id: "t",
    cli_version: "1",
    thread_status: { type: "idle" },
    emittedAtMs: 5,
  }],
  ["a thread that only an answer names", {
    id: 2,
    result: {
      thread: { id: "t", cwd: "/a", model: null },
      model: "m",
      cwd: "/b",
    },
  }, {
    type: "thread.started",
    thread_id: "t",
    cwd: "/a",
    model: "m",
    result_cwd: "/b",
    request_id: 2,
  }],
  ["a thread that is only read", {
    id: 2,
    result: { thread: { id: "t", status: { type: "notLoaded" } } },
  }, {
    type: "rpc.response",
    id: 2,
    result: { thread: { id: "t", status: { type: "notLoaded" } } },
  }],
  ["a piece of an answer", {
    method: "item/agentMessage/delta",
    params: { ...IDS, itemId: "i", delta: "a\u0000" },
  }, {
    type: "item.delta",
    thread_id: "t",
    turn_id: "1",
    item_id: "i",
    item_type: "agent_message",
    delta: { text_delta: "a\u0000" },
  }],
  ["a piece of reasoning", {
    method: "item/reasoning/textDelta",
    params: { ...IDS, itemId: "i", delta: "a", contentIndex: 0 },
  }, {
    type: "item.delta",
    thread_id: "t",
    turn_id: "1",
    item_id: "i",
    item_type: "agent_reasoning_raw_content",
    delta: { text_delta: "a" },
    contentIndex: 0,
  }],
  [
    "reasoning",
    item("reasoning", { summary: ["a", "b"], content: ["c"] }),
    completed("reasoning", {
      content: { text: "a\nb", summary: ["a", "b"], raw_content: ["c"] },
    }),
  ],
  [
    "a command",
    item("commandExecution", {
      command: "ls",
      exitCode: 1,
      aggregatedOutput: null,
      status: "declined",
      durationMs: 2,
      commandActions: [{ type: "listFiles", command: "ls" }],
    }),
    completed("command_execution", {
      status: "declined",
      content: {
        command: "ls",
        exit_code: 1,
        parsed_cmd: [{ type: "list_files", cmd: "ls" }],
        stdout: "",
        duration_ms: 2,
      },
    }),
  ],
  [
    "a change of files",
    item("fileChange", {
      changes: [{
        path: "a",
        kind: { type: "update", move_path: "b" },
        diff: "d\n\n\nMoved to: b",
      }, { path: "c", kind: { type: "add" }, diff: "e" }],
      status: "declined",
    }),
    completed("file_change", {
      status: "failed",
      content: {
        changes: [
          { path: "a", kind: "update", diff: "d\n", move_path: "b" },
          { path: "c", kind: "add", content: "e" },
        ],
        declined: true,
      },
    }),
  ],
  [
    "a search",
    item("webSearch", { query: "q", action: { type: "openPage", url: null } }),
    completed("web_search", {
      content: { query: "q", action: { type: "open_page" } },
    }),
  ],
  [
    "a prompt",
    item("userMessage", {
      content: [{ type: "text", text: "a" }, { type: "image", url: "b" }],
    }),
    completed("user_message", {
      content: {
        text: "a",
        images: [{ url: "b" }],
        parts: [{ type: "text", text: "a" }, { type: "image", url: "b" }],
      },
    }),
  ],
  [
    "an item that nobody knows",
    item("someNewThing", { aField: 1, status: { a: 1 }, item: 2 }),
    completed("some_new_thing", {
      content: { a_field: 1, status: { a: 1 }, item: 2 },
    }),
  ],
  ["a request for approval", {
    method: "item/commandExecution/requestApproval",
    id: 0,
    params: { ...IDS, itemId: "i", command: "ls" },
  }, {
    type: "item.completed",
    thread_id: "t",
    turn_id: "1",
    item_id: "item_1",
    status: "completed",
    item_type: "exec_approval_request",
    call_id: "i",
    content: { command: "ls" },
    method: "item/commandExecution/requestApproval",
    request_id: 0,
  }],
  ["something new of a thread", {
    method: "thread/newThing/updated",
    params: { threadId: "t", status: 1 },
  }, {
    type: "item.completed",
    thread_id: "t",
    item_id: "item_1",
    status: "completed",
    item_type: "thread_new_thing_updated",
    content: { status: 1 },
    method: "thread/newThing/updated",
  }],
  ["a diff", {
    method: "turn/diff/updated",
    params: { ...IDS, diff: "d" },
  }, {
    type: "item.completed",
    thread_id: "t",
    turn_id: "1",
    item_id: "item_1",
    status: "completed",
    item_type: "turn_diff",
    content: { unified_diff: "d" },
    method: "turn/diff/updated",
  }],
  ["a warning", {
    method: "warning",
    params: { threadId: "t", message: "w" },
  }, {
    type: "item.completed",
    thread_id: "t",
    item_id: "item_1",
    status: "completed",
    item_type: "error",
    content: { message: "w" },
    method: "warning",
  }],
  ["an error that is tried again", {
    method: "error",
    params: {
      ...IDS,
      willRetry: true,
      error: {
        message: "m",
        additionalDetails: "d",
        codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 5 } },
      },
    },
  }, {
    type: "error",
    message: "m (d)",
    code: "responseStreamDisconnected",
    additional_details: "d",
    codex_error_info: { responseStreamDisconnected: { httpStatusCode: 5 } },
    thread_id: "t",
    turn_id: "1",
    will_retry: true,
  }],
  ["a turn that was interrupted", {
    method: "turn/completed",
    params: { threadId: "t", turn: { id: "1", status: "interrupted" } },
  }, {
    type: "turn.failed",
    thread_id: "t",
    turn_id: "1",
    error: { message: "interrupted" },
    reason: "interrupted",
    status: "interrupted",
  }],
  ["a turn that failed", {
    method: "turn/completed",
    params: {
      threadId: "t",
      turn: {
        id: "1",
        status: "failed",
        error: { message: "m", codexErrorInfo: "badRequest" },
      },
    },
  }, {
    type: "turn.failed",
    thread_id: "t",
    turn_id: "1",
    error: { message: "m", code: "badRequest" },
    status: "failed",
  }],
  ["an event of codex mcp-server", {
    jsonrpc: "2.0",
    method: "codex/event",
    params: {
      _meta: { threadId: "t" },
      id: "3",
      msg: { type: "agent_message", message: "a" },
    },
  }, {
    type: "item.completed",
    thread_id: "t",
    item_id: "item_0",
    status: "completed",
    item_type: "agent_message",
    content: { text: "a" },
    _meta: { threadId: "t" },
    id: "3",
  }],
  ["one that exec never printed", {
    method: "codex/event",
    params: { _meta: { threadId: "t" }, msg: { type: "item_started" } },
  }, {
    type: "rpc.notification",
    method: "codex/event",
    params: { _meta: { threadId: "t" }, msg: { type: "item_started" } },
  }],
  ["a method that is no text", { method: 1 }, "normalize"],
  ["nothing that is known", { id: 1 }, "normalize"],
  ["a turn without an id", {
    method: "turn/started",
    params: { threadId: "t", turn: {} },
  }, "normalize"],
  ["an item without an id", {
    method: "item/started",
    params: { ...IDS, item: { type: "plan" } },
  }, "normalize"],
  [
    "a blank thread",
    { method: "warning", params: { threadId: " ", message: "w" } },
    {
      type: "rpc.notification",
      method: "warning",
      params: { threadId: " ", message: "w" },
    },
  ],
];

for (const [name, message, event] of CASES) {
  Deno.test(`AppServerRules give their event: ${name}`, () => {
    assertEquals(last(message), event);
  });
}

const USAGE = {
  method: "thread/tokenUsage/updated",
  params: {
    ...IDS,
    tokenUsage: {
      total: { totalTokens: 3, inputTokens: 2, outputTokens: 1 },
      last: { totalTokens: 3 },
    },
  },
};
const STARTED = {
  method: "turn/started",
  params: { threadId: "t", turn: { id: "1" } },
};
const ENDED = {
  method: "turn/completed",
  params: { threadId: "t", turn: { id: "1", status: "completed" } },
};

function usageOf(event: unknown): unknown {
  return isObject(event) ? event.usage : undefined;
}

Deno.test("a turn ends with what its thread has used, to the digit", () => {
  const text = JSON.stringify(USAGE)
    .replace('"inputTokens":2', '"inputTokens":9007199254740993');
  const [, , end = ""] = of(STARTED, text, ENDED);
  assertEquals(
    end.includes('"usage":{"input_tokens":9007199254740993,"output_tokens":1}'),
    true,
  );
  const other = {
    method: "turn/completed",
    params: { threadId: "u", turn: { id: "1", status: "completed" } },
  };
  assertEquals(usageOf(last(STARTED, USAGE, other)), undefined);
});

Deno.test("a turn of which no count is known has used nothing, as exec says, if all of it was seen", () => {
  const thread = { method: "thread/started", params: { thread: { id: "t" } } };
  const usage = usageOf(last(thread, STARTED, ENDED));
  assertEquals(isObject(usage) && Object.values(usage), [0, 0, 0, 0, 0]);
  assertEquals(usageOf(last(STARTED, ENDED)), undefined);
});

Deno.test("a thread begins once: what says so again stays a message", () => {
  const thread = { id: "t", cwd: "/a" };
  const lines = of(
    { id: 1, result: { thread } },
    { method: "thread/started", params: { thread } },
    { id: 2, result: { thread } },
  );
  assertEquals(lines.map((line) => JSON.parse(line).type), [
    "thread.started",
    "rpc.notification",
    "rpc.response",
  ]);
});

Deno.test("the first plan of a turn begins an item, the others are pictures of it", () => {
  const plan = (turnId: string): object => ({
    method: "turn/plan/updated",
    params: {
      threadId: "t",
      turnId,
      explanation: null,
      plan: [{ step: "a", status: "inProgress" }],
    },
  });
  const events = of(plan("1"), plan("1"), plan("2"))
    .map((line) => JSON.parse(line));
  assertEquals(
    events.map(({ type, item_id, content, delta }) => [
      type,
      item_id,
      (content ?? delta).items,
    ]),
    [["item.started", "plan-1"], ["item.delta", "plan-1"], [
      "item.started",
      "plan-2",
    ]].map((each) => [
      ...each,
      [{ title: "a", completed: false, status: "in_progress" }],
    ]),
  );
});

Deno.test("what is told of a thread without a turn is of none, also if it is read once more", () => {
  const notice = { method: "thread/status/changed", params: { threadId: "t" } };
  const lines = of(STARTED, notice, ENDED, notice);
  assertEquals(lines.map((line) => JSON.parse(line).turn_id), [
    "1",
    undefined,
    "1",
    undefined,
  ]);
  assertEquals(answers(lines, { from: "exec" }), lines);
});

Deno.test("what codex mcp-server says of a thread is of no turn of another one, also if it is read once more", () => {
  const said = (threadId: string, msg: unknown): unknown => ({
    jsonrpc: "2.0",
    method: "codex/event",
    params: { _meta: { requestId: 1, threadId }, id: threadId, msg },
  });
  const lines = of(
    said("a", { type: "task_started", turn_id: "1" }),
    said("b", {
      type: "exec_command_output_delta",
      call_id: "c",
      stream: "stdout",
      chunk: "aGk=",
    }),
  );
  const [, piece = ""] = lines;
  assertEquals(JSON.parse(piece).turn_id, undefined);
  assertEquals(answers(lines, { from: "exec" }), lines);
});

// Streams that are damaged.

const LINES = readServerRuns().filter(({ stdout }) => stdout.length < 60_000)
  .map(({ stdout }) => linesOf(stdout).filter((line) => line !== ""));

/** Lines of several runs among one another, some of them cut, glued or doubled. */
const DAMAGED = fc.tuple(
  fc.constantFrom(...LINES),
  fc.constantFrom(...LINES),
  fc.array(fc.tuple(fc.nat(), fc.nat(5), fc.nat()), { maxLength: 40 }),
).map(([one, other, harms]) => {
  const lines: string[] = [];
  for (let i = 0; i < Math.max(one.length, other.length); i++) {
    lines.push(...[one[i], other[i]].filter((line) => line !== undefined));
  }
  for (const [at, harm, size] of harms) {
    const place = at % lines.length;
    const line = lines[place] ?? "";
    const next = lines[place + 1] ?? "";
    const to = size % lines.length;
    if (harm === 0) lines[place] = line.slice(0, size % (line.length + 1));
    else if (harm === 1) lines.splice(place, 2, line + next);
    else if (harm === 2) lines.splice(place, 0, line);
    else if (harm === 3) lines.splice(place, 1);
    else lines.splice(to, 0, ...lines.splice(place, 1));
  }
  return lines.filter((line) => line !== "");
});

Deno.test("lines that are cut, glued, doubled and moved never tell of another thread", () => {
  fc.assert(
    fc.property(DAMAGED, (lines) => {
      const text = linesOf(
        normalizeBytes([encode(lines.join("\n"))], { from: "app-server" }),
      );
      assertEquals(text.length, lines.length);
      for (const [place, line] of lines.entries()) {
        const event = JSON.parse(text[place] ?? "");
        if (String(event.type).startsWith("rpc.")) continue;
        if (event.type === "line.failed") continue;
        assertEquals(event.thread_id, threadOf(JSON.parse(line)), line);
      }
      const again = normalizeBytes([encode(text.join("\n"))], { from: "exec" });
      assertEquals(linesOf(again), text);
      const engines = normalizeBytes([encode(lines.join("\n"))], {
        from: "app-server",
        engine: "wasm",
      });
      assertEquals(linesOf(engines), text);
    }),
    { numRuns: 150 },
  );
});

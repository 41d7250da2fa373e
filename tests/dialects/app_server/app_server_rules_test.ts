/** Holds the rules for app-servers to what each kind of message is to become. */

import { assertEquals } from "@std/assert";
import { isObject } from "../../../lib/json/fields.ts";
import { linesOf } from "../../fixtures.ts";
import fc from "../../property_seed.ts";
import { answers, encode, isJson, normalizeBytes } from "../../running.ts";
import { testCases } from "../cases.ts";
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

testCases("app_server.txt", "AppServerRules", { from: "app-server" });

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

/** The events that the rules for app-servers make of messages. */

import { assertEquals } from "@std/assert";
import { AppServerRules } from "../../../lib/dialects/app_server/app_server_rules.ts";
import { ByteWriter } from "../../../lib/json/byte_writer.ts";
import { isObject, snakeCase } from "../../../lib/json/fields.ts";
import { linesOf } from "../../fixtures.ts";
import fc from "../../property_seed.ts";
import {
  answers,
  decode,
  encode,
  isJson,
  normalizeBytes,
} from "../../running.ts";
import { testCases } from "../cases.ts";
import { readServerRuns, threadOf } from "./sessions.ts";

/** Normalizes messages; returns the texts of events, and the kinds of failures. */
function normalized(...messages: readonly unknown[]): string[] {
  const lines = messages.map((message) =>
    typeof message === "string" ? message : JSON.stringify(message)
  );
  return answers(lines, { from: "app-server" });
}

/** The last event of messages, or the kind of its failure. */
function last(...messages: readonly unknown[]): unknown {
  const text = normalized(...messages).at(-1) ?? "";
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

Deno.test("AppServerRules writes the usage of the thread into turn.completed, exactly", () => {
  const text = JSON.stringify(USAGE)
    .replace('"inputTokens":2', '"inputTokens":9007199254740993');
  const [, , end = ""] = normalized(STARTED, text, ENDED);
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

Deno.test("AppServerRules writes a usage of zeros, like exec, for a completed turn without counts of a thread that it saw start", () => {
  const thread = { method: "thread/started", params: { thread: { id: "t" } } };
  const usage = usageOf(last(thread, STARTED, ENDED));
  assertEquals(isObject(usage) && Object.values(usage), [0, 0, 0, 0, 0]);
  assertEquals(usageOf(last(STARTED, ENDED)), undefined);
  const turn = { id: "1", status: "failed" };
  const failed = { ...ENDED, params: { threadId: "t", turn } };
  assertEquals(usageOf(last(thread, STARTED, failed)), undefined);
});

Deno.test("AppServerRules writes the usage of a failed turn, and none without counts, with either engine", () => {
  const lines = ["a", "b", "c", "d"].flatMap((threadId, at) => [
    { method: "thread/started", params: { thread: { id: threadId } } },
    ...(at % 2 === 0 ? [] : [{
      ...USAGE,
      params: { ...USAGE.params, threadId },
    }]),
    {
      method: "turn/completed",
      params: { threadId, turn: { id: "1", status: "interrupted" } },
    },
  ]).map((message) => JSON.stringify(message));
  const bytes = encode(`${lines.join("\n")}\n`);
  for (const engine of ["js", "wasm"] as const) {
    const options = { from: "app-server", engine } as const;
    const usages = linesOf(normalizeBytes([bytes], options))
      .map((text) => JSON.parse(text))
      .filter(({ type }) => type === "turn.failed").map(usageOf);
    const usage = { input_tokens: 2, output_tokens: 1 };
    assertEquals(usages, [undefined, usage, undefined, usage], engine);
  }
});

Deno.test("AppServerRules reads items whose types are spelled as in exec streams and session files", () => {
  const items = [
    { type: "userMessage", content: [{ type: "text", text: "go" }] },
    { type: "fileChange", changes: [{ path: "a", kind: { type: "add" } }] },
    { type: "collabAgentToolCall", tool: "wait", receiverThreadIds: ["r"] },
  ];
  const read = (spell: (type: string) => string): unknown =>
    normalized(...items.map(({ type, ...item }) => ({
      method: "item/completed",
      params: { ...IDS, item: { type: spell(type), id: "i", ...item } },
    })));
  const expected = read((type) => type);
  assertEquals(read(snakeCase), expected);
  const pascalCase = (type: string): string =>
    type.charAt(0).toUpperCase() + type.slice(1);
  assertEquals(read(pascalCase), expected);
});

Deno.test("AppServerRules starts a thread once, and keeps repeated starts as rpc events", () => {
  const thread = { id: "t", cwd: "/a" };
  const lines = normalized(
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

Deno.test("AppServerRules starts an item with the first plan of a turn, and writes later plans as deltas", () => {
  const plan = (turnId: string): object => ({
    method: "turn/plan/updated",
    params: {
      threadId: "t",
      turnId,
      explanation: null,
      plan: [{ step: "a", status: "inProgress" }],
    },
  });
  const events = normalized(plan("1"), plan("1"), plan("2"))
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

Deno.test("AppServerRules makes increments also of items of unknown types", () => {
  const events = normalized(
    ...["item/voiceNote/delta", "item/voiceNote/captionDelta"].map((
      method,
    ) => ({
      method,
      params: { ...IDS, itemId: "v", delta: "a" },
    })),
  );
  const event = '{"type":"item.delta","thread_id":"t","turn_id":"1",' +
    '"item_id":"v","item_type":"voice_note","delta":{"text_delta":"a"}}';
  assertEquals(events, [event, event]);
});

Deno.test("AppServerRules adds no turn to a notification without a turn, and normalizing it again adds none", () => {
  const notice = { method: "thread/status/changed", params: { threadId: "t" } };
  const lines = normalized(STARTED, notice, ENDED, notice);
  assertEquals(lines.map((line) => JSON.parse(line).turn_id), [
    "1",
    undefined,
    "1",
    undefined,
  ]);
  assertEquals(answers(lines, { from: "exec" }), lines);
});

Deno.test("AppServerRules adds no turn of another thread to an event of codex mcp-server, and normalizing it again adds none", () => {
  const event = (threadId: string, msg: unknown): unknown => ({
    jsonrpc: "2.0",
    method: "codex/event",
    params: { _meta: { requestId: 1, threadId }, id: threadId, msg },
  });
  const lines = normalized(
    event("a", { type: "task_started", turn_id: "1" }),
    event("b", {
      type: "exec_command_output_delta",
      call_id: "c",
      stream: "stdout",
      chunk: "aGk=",
    }),
  );
  const [, delta = ""] = lines;
  assertEquals(JSON.parse(delta).turn_id, undefined);
  assertEquals(answers(lines, { from: "exec" }), lines);
});

Deno.test("AppServerRules gives a reply that names no thread to the only thread of a codex mcp-server", () => {
  // The events of 0.40.
  const event = (requestId: number, msg: unknown): unknown => ({
    jsonrpc: "2.0",
    method: "codex/event",
    params: { _meta: { requestId }, id: "0", msg },
  });
  const begun = (requestId: number, session_id: string): unknown =>
    event(requestId, { type: "session_configured", session_id });
  const ended = { type: "task_complete", last_agent_message: "Second." };
  const threadsOf = (...messages: readonly unknown[]): unknown[] =>
    normalized(...messages).map((text) => JSON.parse(text).thread_id);
  const reply = [event(4, { type: "task_started" }), event(4, ended)];
  assertEquals(threadsOf(begun(3, "a"), ...reply), ["a", "a", "a"]);
  assertEquals(threadsOf(begun(3, "a"), begun(5, "b"), ...reply), [
    "a",
    "b",
    undefined,
    undefined,
  ]);
  assertEquals(
    threadsOf(begun(3, "a"), reply[0], begun(5, "b"), reply[1]),
    ["a", "a", "b", "a"],
  );
});

Deno.test("AppServerRules gives events that name no request to the last thread of a codex mcp-server", () => {
  // The events of 0.5.
  const event = (msg: unknown): unknown => ({
    jsonrpc: "2.0",
    method: "codex/event",
    params: { id: "0", msg },
  });
  const begun = (session_id: string): unknown =>
    event({ type: "session_configured", session_id });
  const said = event({ type: "agent_message", message: "Hello." });
  const threads = normalized(said, begun("a"), said, begun("b"), said)
    .map((text) => JSON.parse(text).thread_id);
  assertEquals(threads, [undefined, "a", "a", "b", "b"]);
});

Deno.test("AppServerRules gives no id twice in a thread of codex mcp-server that goes on after many others", () => {
  const event = (threadId: string): unknown => ({
    method: "codex/event",
    params: {
      _meta: { threadId },
      msg: { type: "agent_message", message: "a" },
    },
  });
  const others = Array.from({ length: 20 }, (_, i) => event(`other ${i}`));
  const ids = normalized(event("a"), event("a"), ...others, event("a"))
    .map((text) => JSON.parse(text))
    .filter(({ thread_id }) => thread_id === "a")
    .map(({ item_id }) => item_id);
  assertEquals(ids, ["item_0", "item_1", "item_2"]);
});

Deno.test("AppServerRules keeps the tokens of the 4096 threads that were used last", () => {
  const started = Array.from({ length: 4097 }, (_, i) => ({
    method: "thread/started",
    params: { thread: { id: `${i}` } },
  }));
  const ended = (threadId: string): unknown => ({
    method: "turn/completed",
    params: { threadId, turn: { id: "1", status: "completed" } },
  });
  assertEquals(usageOf(last(...started, ended("0"))), undefined);
  assertEquals(isObject(usageOf(last(...started, ended("1")))), true);
});

Deno.test("AppServerRules gives a reply that names no thread to none of two threads, however many replies one of them has had", () => {
  const event = (requestId: number, session_id?: string): object => ({
    method: "codex/event",
    params: {
      _meta: { requestId },
      msg: { type: "agent_message", message: "a", session_id },
    },
  });
  const replies = Array.from({ length: 20 }, (_, i) => event(2 + i, "b"));
  const reply = JSON.parse(JSON.stringify(event(30)));
  assertEquals(last(event(1, "a"), ...replies, reply), {
    type: "rpc.notification",
    ...reply,
  });
});

Deno.test("AppServerRules stores no ids and counts of a megabyte", () => {
  const long = "x".repeat(1 << 20);
  const params = {
    threadId: "t",
    turnId: long,
    plan: [],
    tokenUsage: { total: { inputTokens: long } },
    _meta: { requestId: long },
    msg: { type: "task_started" },
  };
  const rules = new AppServerRules({});
  const out = new ByteWriter();
  for (
    const [method, threadId] of [
      ["turn/plan/updated", "t"],
      ["thread/tokenUsage/updated", "t"],
      ["thread/tokenUsage/updated", long],
      ["codex/event", "t"],
    ]
  ) {
    const text = JSON.stringify({ method, params: { ...params, threadId } });
    rules.apply(encode(text), 0, text.length, out);
  }
  assertEquals(JSON.stringify(rules.save()).length < 10_000, true);
});

Deno.test("AppServerRules makes events of codex/event/ messages of releases whose other messages name no thread", () => {
  // The messages of 0.63; 0.47 sends only those of the old protocol.
  const answer = (release: string): unknown => ({
    id: 1,
    result: { userAgent: `codex_vscode/${release} (Debian 12.0.0; x86_64)` },
  });
  const conversation = {
    id: 2,
    result: { conversationId: "a", model: "m", rolloutPath: "/r.jsonl" },
  };
  const twin = (msg: { readonly type: string }): unknown => ({
    method: `codex/event/${msg.type}`,
    params: { id: "0", msg, conversationId: "a" },
  });
  const turn = [
    twin({ type: "task_started" }),
    { method: "item/started", params: { item: { type: "userMessage" } } },
    twin({ type: "task_complete" }),
  ];
  const typesOf = (...messages: readonly unknown[]): unknown[] =>
    normalized(...messages).map((text) => {
      const { type, thread_id } = JSON.parse(text);
      return thread_id === "a" ? type : `${type} of no thread`;
    });
  const message = "rpc.notification of no thread";
  const begun = ["rpc.response of no thread", "thread.started"];
  const told = [...begun, "turn.started", message, "turn.completed"];
  assertEquals(typesOf(answer("0.63.0"), conversation, ...turn), told);
  // The answers of `codex mcp` of 0.29.
  const server = { name: "codex-mcp-server", version: "0.29.0" };
  const initialized = { id: 1, result: { serverInfo: server } };
  const { result: { rolloutPath: _, ...result } } = conversation;
  assertEquals(typesOf(initialized, { id: 2, result }, ...turn), told);
  // Since 0.64, the current protocol tells the same.
  for (const release of ["0.64.0", "0.98.0", "unknown"]) {
    const types = typesOf(answer(release), conversation, ...turn);
    assertEquals(types, [...begun, message, message, message]);
  }
  const both = typesOf(...turn, answer("0.63.0"), ...turn);
  assertEquals(both, [
    message,
    message,
    message,
    begun[0],
    ...both.slice(0, 3),
  ]);
});

Deno.test("AppServerRules makes events of codex/event/ messages after a stream of another release, with either engine", () => {
  const answer = (release: string): unknown => ({
    id: 1,
    result: { userAgent: `codex_vscode/${release} (x)` },
  });
  const twin = {
    method: "codex/event/agent_message",
    params: {
      id: "0",
      msg: { type: "agent_message", message: "m" },
      conversationId: "a",
    },
  };
  const typesOf = (
    engine: "js" | "wasm",
    ...messages: readonly unknown[]
  ): unknown[] => {
    const text = messages.map((message) => `${JSON.stringify(message)}\n`);
    const options = { from: "app-server", engine } as const;
    return linesOf(normalizeBytes([encode(text.join(""))], options))
      .map((line) => JSON.parse(line).type);
  };
  for (const engine of ["js", "wasm"] as const) {
    const twins = Array.from({ length: 50 }, () => twin);
    const [, ...passed] = typesOf(engine, answer("0.80.0"), ...twins);
    assertEquals(passed, twins.map(() => "rpc.notification"), engine);
    const [, ...made] = typesOf(engine, answer("0.47.0"), twin, twin);
    assertEquals(made, ["item.completed", "item.completed"], engine);
    const mixed = typesOf(engine, ...twins, answer("0.47.0"), twin);
    assertEquals(mixed.at(-1), "rpc.notification", engine);
  }
});

Deno.test("AppServerRules goes on with codex/event/ messages after its state was saved", () => {
  const rules = new AppServerRules({});
  const apply = (target: AppServerRules, message: unknown): string => {
    const bytes = encode(JSON.stringify(message));
    const out = new ByteWriter();
    target.apply(bytes, 0, bytes.length, out);
    return JSON.parse(decode(out.view())).type;
  };
  apply(rules, { id: 1, result: { userAgent: "codex_vscode/0.47.0 (x)" } });
  const loaded = new AppServerRules({});
  loaded.load(JSON.parse(JSON.stringify(rules.save())));
  const params = {
    id: "0",
    msg: { type: "task_started" },
    conversationId: "a",
  };
  const started = { method: "codex/event/task_started", params };
  assertEquals(apply(loaded, started), "turn.started");
});

Deno.test("AppServerRules removes the new path of a moved file from the end of its diff, in any spelling", () => {
  const diffOf = (diff: string, path: string): unknown => {
    const change =
      `{"path":"a","kind":{"type":"update","move_path":${path}},"diff":"${diff}"}`;
    const [text = ""] = normalized(
      `{"method":"item/started","params":{"threadId":"t","turnId":"1","item":{"type":"fileChange","id":"c","changes":[${change}]}}}`,
    );
    return JSON.parse(text).content.changes[0].diff;
  };
  const end = "\\n\\nMoved to: b";
  assertEquals(diffOf(`-x\\n+y${end}`, '"b"'), "-x\n+y");
  assertEquals(diffOf(`\\u001b\\"é${end}`, '"b"'), '\u001b"é');
  assertEquals(diffOf(`x${end}`, '"\\u0062"'), "x");
  assertEquals(diffOf(end, '"b"'), "");
  assertEquals(diffOf(`x${end}${end}`, '"b"'), "x\n\nMoved to: b");
  assertEquals(diffOf(`x\\${end}`, '"b"'), "x\\n\nMoved to: b");
  assertEquals(diffOf(`x${end}c`, '"b"'), "x\n\nMoved to: bc");
  assertEquals(diffOf(`x${end}`, "null"), "x\n\nMoved to: b");
});

// Damaged streams.

const LINES = readServerRuns().filter(({ stdout }) => stdout.length < 60_000)
  .map(({ stdout }) => linesOf(stdout).filter((line) => line !== ""));

/** Interleaved lines of two runs, some of them cut, glued, doubled, dropped or moved. */
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

Deno.test("AppServerRules writes no event of another thread for cut, glued, doubled and moved lines", () => {
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

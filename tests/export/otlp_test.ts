/** Traces of captured sessions and of handmade events. */

import { assert, assertEquals } from "@std/assert";
import type { ThreadEvent } from "../../lib/dialects/exec/events.ts";
import {
  type ExporterOptions,
  type ExportPiece,
  OtlpExporter,
} from "../../lib/export/export.ts";
import type { Outcome } from "../../lib/outcome.ts";
import type { TokenKind } from "../../lib/usage/usage.ts";
import { Redactor } from "../../lib/redact/redact.ts";
import { eventsIn } from "../events/reading.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { tokensIn } from "../usage/meters.ts";
import { faultsOf, type SpanJson, spansOf, valueOf } from "./otlp_faults.ts";

/** Exports inputs of events; returns the text, or the reason why the last input was refused. */
function textOf(
  inputs: readonly (readonly unknown[])[],
  options?: ExporterOptions,
): string {
  let text = "";
  const write = ({ data }: ExportPiece): void => void (text += data);
  const exporter = new OtlpExporter(options);
  for (const events of inputs) {
    exporter.begin({ name: "a", stem: "a" });
    for (const value of events) {
      // OtlpExporter does not validate events, so the test events may be incomplete.
      const outcome = { ok: true, line: 1, offset: 0, value } as const;
      exporter.feed(outcome as Outcome<ThreadEvent>, write);
    }
    exporter.end(write);
  }
  exporter.flush();
  return exporter.refusal ?? text;
}

const TOKENS: readonly (readonly [TokenKind, string])[] = [
  ["input_tokens", "gen_ai.usage.input_tokens"],
  ["output_tokens", "gen_ai.usage.output_tokens"],
  ["cached_input_tokens", "gen_ai.usage.cache_read.input_tokens"],
  ["cache_write_input_tokens", "gen_ai.usage.cache_creation.input_tokens"],
  ["reasoning_output_tokens", "gen_ai.usage.reasoning.output_tokens"],
];

/** The tokens that UsageMeter counts in a file, in the order of TOKENS. */
function usageOf(content: Uint8Array): bigint[] {
  const tokens = tokensIn([{ name: "a", content }]);
  return TOKENS.map(([kind]) => tokens[kind]);
}

function tokensOf(spans: readonly SpanJson[]): bigint[] {
  return TOKENS.map(([, key]) =>
    spans.reduce(
      (sum, span) => sum + BigInt(String(valueOf(span, key) ?? 0)),
      0n,
    )
  );
}

/** One release for each form of sessions: bare lines, and counts before, amid or after items. */
const RELEASES = ["0.29.0", "0.44.0", "0.148.0", "0.169.0"];
/** The files whose lines have no times. */
const UNTIMED_REGEXP = /^0\.29\.|stdout[^/]*$/;

Deno.test("OtlpExporter writes closed trees of captures, which sum up to their usage", () => {
  const files = readCapturedFiles(
    /^(?:(?:archived-)?rollout-.*|stdout)\.jsonl$/,
  ).filter(({ version }) => RELEASES.includes(version));
  assert(files.length > 100);
  let now = 1.8e12;
  const clock = (): number => now += 5;
  for (const { path, bytes } of files) {
    const isTimed = !UNTIMED_REGEXP.test(path);
    const events = eventsIn(bytes);
    const plain = textOf([events]);
    const text = isTimed ? plain : textOf([events], { clock, content: true });
    const spans = spansOf(text);
    assertEquals(faultsOf(spans), [], path);
    assertEquals(tokensOf(spans), usageOf(bytes), path);
    if (isTimed || text === "") continue;
    assertEquals(plain, "it has no times", path);
  }
});

const BEGIN = Date.parse("2026-01-01T00:00:00Z");

/** An event of a session file, `at` milliseconds after BEGIN. */
function event(at: number, type: string, fields: object = {}): object {
  const timestamp = new Date(BEGIN + at).toISOString();
  return { type, thread_id: "t", timestamp, line: 1, ...fields };
}

function item(at: number, item_type: string, fields: object = {}): object {
  const item_id = `${item_type}-${at}`;
  return event(at, "item.completed", { item_id, item_type, ...fields });
}

const turn = (at: number, fields = {}) =>
  event(at, "turn.started", { turn_id: "u", ...fields });
const end = (at: number, fields = {}) =>
  event(at, "turn.completed", { turn_id: "u", ...fields });
const prompt = (at: number, text = "Do it") =>
  item(at, "user_message", { content: { text } });
const answer = (at: number, text = "Done") =>
  item(at, "agent_message", { content: { text } });
const count = (at: number, input_tokens: number) =>
  item(at, "token_usage_record", { content: { usage: { input_tokens } } });

/** A count as of releases without records, which may come anywhere among the items. */
const plainCount = (at: number, input_tokens: number) =>
  item(at, "token_count", {
    content: { info: { last_token_usage: { input_tokens } } },
  });

/** The start of a command or, with an exit code, its end. */
function command(at: number, item_id: string, exit_code?: number): object {
  return event(
    at,
    exit_code === undefined ? "item.started" : "item.completed",
    {
      item_id,
      item_type: "command_execution",
      call_id: item_id,
      status: exit_code === undefined || exit_code === 0
        ? "completed"
        : "failed",
      content: { command: "make", exit_code, stdout: "API_TOKEN=abc123def" },
    },
  );
}

/** A text for each line: the name, times and special attributes of its spans. */
function traceLines(
  inputs: readonly (readonly object[])[],
  options?: ExporterOptions,
): string[] {
  const lines = textOf(inputs, options).split("\n").slice(0, -1);
  return lines.map((line) => spansOf(line).map(shown).join("; "));
}

/** The attributes that every span has, or that are equal in all cases. */
const COMMON_REGEXP =
  /^(?:gen_ai\.(?:agent|conversation|operation|provider|request|tool\.(?:call\.id|name|type))|gen_ai\.usage\.output|codex\.turn\.id|error\.type)/;

function shown(span: SpanJson): string {
  const ms = (nanos: number | string): number =>
    Math.round(Number(nanos) / 1e6) - BEGIN;
  const special = span.attributes.filter(({ key }) => !COMMON_REGEXP.test(key))
    .map(({ key, value }) =>
      `${key.split(".").at(-1)}=${Object.values(value)[0]}`
    );
  return [
    span.name.replace("invoke_agent codex", "turn")
      .replace("execute_tool ", ""),
    `${ms(span.startTimeUnixNano)}-${ms(span.endTimeUnixNano)}`,
    ...special,
    ...(span.status === undefined ? [] : [
      `${valueOf(span, "error.type")}!${span.status.message ?? ""}`,
    ]),
    ...(span.events ?? []).map((each) =>
      `@${ms(each.timeUnixNano)} ${each.name}`
    ),
    ...(span.links ?? []).map(({ spanId }) => `-> ${spanId}`),
  ].join(" ");
}

/** The events of a session, and the spans of each line of its trace. */
const CASES: Readonly<
  Record<
    string,
    { events: object[]; lines: string[]; options?: ExporterOptions }
  >
> = {
  "calls as failed by their exit code or error, whatever the word of their status":
    {
      events: [
        turn(0),
        item(10, "command_execution", {
          item_id: "a",
          status: "errored",
          content: { command: "make", exit_code: 2 },
        }),
        item(20, "mcp_tool_call", {
          item_id: "b",
          status: "errored",
          content: {
            server_name: "s",
            tool_name: "t",
            error: { message: "No" },
          },
        }),
        end(60),
      ],
      lines: [
        "turn 0-60 status=completed; shell 10-10 code=2 exit_code!; mcp__s__t 20-20 tool_error!",
      ],
    },
  "a plan and an image that the tool refused as failed, with their arguments": {
    events: [
      turn(0),
      ...["todo_list", "image_view"].flatMap((item_type) => [
        event(10, "item.started", {
          item_id: item_type,
          item_type,
          content: { items: [], path: "a.png" },
        }),
        event(20, "item.failed", {
          item_id: item_type,
          item_type,
          error: { message: "No" },
        }),
      ]),
      end(60),
    ],
    lines: [
      'turn 0-60 status=completed; update_plan 10-20 arguments={"plan":[]} result=No tool_error!; view_image 10-20 arguments={"path":"a.png"} result=No tool_error!',
    ],
    options: { content: true },
  },
  "an answer that is nothing but a plan": {
    events: [turn(0), item(10, "plan", { content: { text: "Sow" } }), end(60)],
    lines: [
      'turn 0-60 status=completed messages=[{"role":"assistant","parts":[{"type":"text","content":"Sow"}],"finish_reason":"stop"}]',
    ],
    options: { content: true },
  },
  "items of unknown types as calls": {
    events: [
      turn(0),
      item(10, "browser_action", { item_id: "b", content: { url: "a.org" } }),
      end(60),
    ],
    lines: ["turn 0-60 status=completed; browser_action 10-10"],
  },
  "requests that begin at the turn, or at the result before them": {
    events: [
      turn(0),
      prompt(1),
      command(20, "a"),
      count(21, 5),
      command(30, "a", 0),
      answer(50),
      count(51, 6),
      end(60),
    ],
    lines: [
      "turn 0-60 status=completed; chat 1-21 input_tokens=5; chat 30-51 input_tokens=6; shell 20-30 code=0",
    ],
  },
  "requests one after the other, although the result of a plan is not in the log":
    {
      events: [
        turn(0),
        item(20, "todo_list", { content: { items: [] } }),
        plainCount(21, 5),
        command(50, "a"),
        plainCount(51, 6),
        command(60, "a", 0),
        end(60),
      ],
      options: { content: true, redactor: new Redactor() },
      lines: [
        'turn 0-60 status=completed; chat 0-21 input_tokens=5 messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"todo_list-20","name":"update_plan","arguments":{"plan":[]}}],"finish_reason":"tool_call"}]; chat 21-51 input_tokens=6 messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"a","name":"shell","arguments":{"command":"make"}}],"finish_reason":"tool_call"}]; update_plan 20-20 arguments={"plan":[]}; shell 50-60 code=0 arguments={"command":"make"} result=API_TOKEN=[redacted:token]',
      ],
    },
  "calls after the record of a request as those of the next, although no result is in between":
    {
      events: [
        turn(0),
        count(20, 5),
        command(30, "a"),
        count(31, 6),
        end(60),
      ],
      options: { content: true },
      lines: [
        'turn 0-60 status=completed; chat 0-20 input_tokens=5; chat 20-31 input_tokens=6 messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"a","name":"shell","arguments":{"command":"make"}}],"finish_reason":"tool_call"}]',
        'shell 30-60 arguments={"command":"make"} status=open',
      ],
    },
  "messages after the count of a request as those of the next": {
    events: [
      turn(0),
      plainCount(20, 5),
      answer(50),
      plainCount(51, 6),
      end(60),
    ],
    options: { content: true },
    lines: [
      'turn 0-60 status=completed messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; chat 0-20 input_tokens=5; chat 20-51 input_tokens=6 messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]',
    ],
  },
  "counts after the results of their requests": {
    events: [
      turn(0),
      command(20, "a"),
      command(30, "a", 0),
      count(31, 5),
      answer(50),
      count(51, 6),
      end(60),
    ],
    lines: [
      "turn 0-60 status=completed; chat 0-20 input_tokens=5; chat 30-51 input_tokens=6; shell 20-30 code=0",
    ],
  },
  "a request with a search of the provider": {
    events: [
      turn(0),
      item(20, "web_search", { content: { query: "x" } }),
      answer(50),
      count(51, 6),
      end(60),
    ],
    lines: [
      "turn 0-60 status=completed; chat 0-51 input_tokens=6; web_search 20-20",
    ],
  },
  "counts before their messages and calls": {
    events: [
      prompt(0),
      plainCount(20, 5),
      event(20, "turn.started", { turn_id: "synthetic-turn-1", implied: true }),
      command(20, "a"),
      command(30, "a", 0),
      command(30, "b"),
      command(40, "b", 0),
      plainCount(60, 6),
      answer(60),
    ],
    lines: [
      "turn 0-60 status=unknown; chat 0-20 input_tokens=5; chat 40-60 input_tokens=6; shell 20-30 code=0; shell 30-40 code=0",
    ],
  },
  "messages of a run without an id after a count as those of the next": {
    events: [turn(0), plainCount(20, 5), answer(50), plainCount(51, 6), end(60)]
      .map((event) => ({ ...event, thread_id: "synthetic-thread-1" })),
    options: { content: true },
    lines: [
      'turn 0-60 status=completed messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; chat 0-20 input_tokens=5; chat 20-51 input_tokens=6 messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]',
    ],
  },
  "a call before its count, after requests whose results are in no item": {
    events: [
      turn(0),
      command(20, "a"),
      plainCount(21, 5),
      plainCount(31, 6),
      command(40, "b"),
      plainCount(41, 7),
      end(60),
    ],
    options: { content: true },
    lines: [
      'turn 0-60 status=completed; chat 0-21 input_tokens=5 messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"a","name":"shell","arguments":{"command":"make"}}],"finish_reason":"tool_call"}]; chat 21-31 input_tokens=6; chat 31-41 input_tokens=7 messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"b","name":"shell","arguments":{"command":"make"}}],"finish_reason":"tool_call"}]',
      'shell 20-60 arguments={"command":"make"} status=open',
      'shell 40-60 arguments={"command":"make"} status=open',
    ],
  },
  "a message and a call after the count of a request without output as those of the next":
    {
      events: [
        turn(0),
        answer(10),
        plainCount(11, 5),
        plainCount(21, 6),
        answer(30),
        command(31, "a"),
        plainCount(32, 7),
        end(60),
      ],
      options: { content: true },
      lines: [
        'turn 0-60 status=completed messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; chat 0-11 input_tokens=5 messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; chat 11-21 input_tokens=6; chat 21-32 input_tokens=7 messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"},{"type":"tool_call","id":"a","name":"shell","arguments":{"command":"make"}}],"finish_reason":"tool_call"}]',
        'shell 31-60 arguments={"command":"make"} status=open',
      ],
    },
  "messages before their count, and calls behind it": {
    events: [
      turn(0),
      plainCount(20, 5),
      command(20, "a"),
      command(30, "a", 0),
      answer(50),
      plainCount(51, 6),
      end(60),
    ],
    options: { content: true },
    lines: [
      'turn 0-60 status=completed messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; chat 0-20 input_tokens=5 messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"a","name":"shell","arguments":{"command":"make"}}],"finish_reason":"tool_call"}]; chat 30-51 input_tokens=6 messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; shell 20-30 code=0 arguments={"command":"make"} result=API_TOKEN=abc123def',
    ],
  },
  "a request without counts": {
    events: [
      turn(0),
      answer(20),
      item(21, "token_count", { content: { info: null } }),
      end(30),
    ],
    lines: ["turn 0-30 status=completed; chat 0-21"],
  },
  "turns that start with a prompt": {
    events: [
      prompt(0),
      event(5, "turn.started", { turn_id: "synthetic-turn-1", implied: true }),
      answer(5),
      prompt(10),
      event(15, "turn.started", { turn_id: "synthetic-turn-2", implied: true }),
      answer(15),
    ],
    lines: ["turn 0-10 status=unknown", "turn 10-15 status=unknown"],
  },
  "calls that outlive their turn": {
    events: [
      turn(0),
      command(1, "a"),
      command(2, "b"),
      end(10),
      command(90, "a", 0),
    ],
    lines: [
      "turn 0-10 status=completed",
      "shell 1-90 code=0",
      "shell 2-10 status=open",
    ],
  },
  "a call whose end is repeated": {
    events: [
      turn(0),
      command(1, "a"),
      command(9, "a", 0),
      command(8, "a", 3),
      end(10),
    ],
    lines: ["turn 0-10 status=completed; shell 1-8 code=3 exit_code!"],
  },
  "errors, declined patches, approvals and failed turns": {
    events: [
      turn(0),
      event(1, "error", { message: "Reconnecting... 1/5" }),
      item(2, "file_change", { status: "declined", content: { changes: [] } }),
      item(3, "exec_approval_request", { content: {}, call_id: "c" }),
      item(4, "context_compaction", { content: {} }),
      event(9, "turn.failed", { turn_id: "u", error: { message: "No more" } }),
    ],
    lines: [
      "turn 0-9 status=failed turn_failed!No more @1 codex.retry @3 codex.approval_request @4 codex.compaction; apply_patch 2-2 declined!",
    ],
  },
  "a declined patch of an app-server": {
    events: [
      turn(0),
      item(2, "file_change", {
        status: "failed",
        content: { changes: [], declined: true },
      }),
      end(9),
    ],
    lines: ["turn 0-9 status=completed; apply_patch 2-2 declined!"],
  },
  "an error of an exec stream, which does not name its thread": {
    events: [
      turn(0),
      { type: "error", message: "Reconnecting... 1/5" },
      end(9),
    ],
    lines: ["turn 0-9 status=completed @0 codex.retry"],
  },
  "an interrupted turn of the old dialect": {
    events: [
      turn(0),
      event(9, "turn.failed", { error: { message: "interrupted" } }),
    ],
    lines: ["turn 0-9 status=aborted interrupted!interrupted"],
  },
  "an interrupted turn, and a turn without an end": {
    events: [
      turn(0),
      event(9, "turn.failed", {
        reason: "interrupted",
        error: { message: "" },
      }),
      turn(10, { turn_id: "v" }),
      event(11, "error", { message: "Gone" }),
    ],
    lines: [
      "turn 0-9 status=aborted interrupted!",
      "turn 10-11 status=open turn_failed!Gone",
    ],
  },
  "no copied turn": {
    events: [
      turn(0, { inherited: true }),
      { ...command(1, "a"), inherited: true },
      turn(5, { turn_id: "v" }),
      end(9, { turn_id: "v" }),
    ],
    lines: ["turn 5-9 status=completed"],
  },
  "content if requested, without secrets": {
    events: [
      turn(0),
      prompt(1),
      command(2, "a"),
      count(3, 5),
      command(4, "a", 0),
      end(9),
    ],
    options: { content: true, redactor: new Redactor() },
    lines: [
      'turn 0-9 status=completed messages=[{"role":"user","parts":[{"type":"text","content":"Do it"}]}]; chat 1-3 input_tokens=5 messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"a","name":"shell","arguments":{"command":"make"}}],"finish_reason":"tool_call"}]; shell 2-4 code=0 arguments={"command":"make"} result=API_TOKEN=[redacted:token]',
    ],
  },
  "the calls of a script, which are no output of the model": {
    events: [
      turn(0),
      event(10, "item.started", {
        item_id: "s",
        item_type: "tool_call",
        content: { name: "exec", arguments: { script: "…" } },
      }),
      count(11, 5),
      item(15, "command_execution", {
        call_id: "exec-1",
        content: { command: "ls" },
      }),
      item(20, "tool_call", {
        item_id: "s",
        content: { name: "exec", arguments: { script: "…" } },
      }),
      answer(50),
      count(51, 6),
      end(60),
    ],
    options: { content: true },
    lines: [
      'turn 0-60 status=completed messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; chat 0-11 input_tokens=5 messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"s","name":"exec","arguments":{"script":"…"}}],"finish_reason":"tool_call"}]; chat 20-51 input_tokens=6 messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; exec 10-20 arguments={"script":"…"}; shell 15-15 arguments={"command":"ls"}',
    ],
  },
  "commands of the user, which are no output of the model": {
    events: [
      turn(0),
      item(5, "command_execution", { content: { command: "ls" } }),
      // An app-server's has an id of a call.
      item(6, "command_execution", {
        call_id: "a",
        content: { command: "ls", source: "userShell" },
      }),
      answer(50),
      count(51, 6),
      end(60),
    ],
    options: { content: true },
    lines: [
      'turn 0-60 status=completed messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; chat 6-51 input_tokens=6 messages=[{"role":"assistant","parts":[{"type":"text","content":"Done"}],"finish_reason":"stop"}]; shell 5-5 arguments={"command":"ls"}; shell 6-6 arguments={"command":"ls"}',
    ],
  },
  "no content that is empty: a prompt of images, and arguments that a release leaves out":
    {
      events: [
        turn(0),
        prompt(1, ""),
        item(2, "mcp_tool_call", {
          content: { server_name: "s", tool_name: "t" },
        }),
        end(9),
      ],
      options: { content: true },
      lines: ["turn 0-9 status=completed; mcp__s__t 2-2"],
    },
  "a prompt once that is repeated with the path of its image": {
    events: [turn(0), prompt(1), prompt(1), end(9)],
    options: { content: true },
    lines: [
      'turn 0-9 status=completed messages=[{"role":"user","parts":[{"type":"text","content":"Do it"}]}]',
    ],
  },
  "the times at which an app-server sent its messages": {
    events: [
      {
        type: "turn.started",
        thread_id: "t",
        turn_id: "u",
        emittedAtMs: BEGIN,
      },
      {
        type: "turn.completed",
        thread_id: "t",
        turn_id: "u",
        emittedAtMs: BEGIN + 7,
      },
    ],
    lines: ["turn 0-7 status=completed"],
  },
};

for (const [name, { events, lines, options }] of Object.entries(CASES)) {
  Deno.test(`OtlpExporter writes ${name}`, () => {
    assertEquals(traceLines([events], options), lines);
  });
}

/** A session that spawns a sub-agent, and the session of the sub-agent. */
function family(child: object): object[][] {
  return [
    [
      turn(0),
      event(1, "item.started", {
        item_id: "a",
        item_type: "collab_tool_call",
        tool: "spawn_agent",
        receiver_thread_ids: ["child"],
      }),
      end(9),
    ],
    [
      event(2, "thread.started", { thread_id: "child", parent_thread_id: "t" }),
      turn(3, { thread_id: "child", turn_id: "v", ...child }),
      end(8, { thread_id: "child", turn_id: "v" }),
    ],
  ];
}

Deno.test("OtlpExporter links a sub-agent to the call that spawned it, or to its turn", () => {
  const [parent = [], child = []] = family({
    turn_attribution: { parent_turn_id: "u" },
  });
  const spans = spansOf(textOf([parent]));
  const ids = spans.map(({ spanId }) => spanId);
  assertEquals(traceLines([parent, child])[2]?.split("-> ")[1], ids[1]);
  assertEquals(traceLines([child])[0]?.split("-> ")[1], ids[0]);
});

Deno.test("OtlpExporter writes a turn once, with the same ids in any file", () => {
  const events = [turn(0), command(1, "a"), command(2, "a", 0), end(3)];
  const moved = [event(-5, "error", { turn_id: "x" }), ...events];
  assertEquals(traceLines([events, events]).length, 1);
  const [first, again] = [events, moved].map((each) => spansOf(textOf([each])));
  assertEquals(
    first?.map(({ spanId }) => spanId),
    again?.slice(-2).map(({ spanId }) => spanId),
  );
});

Deno.test("OtlpExporter writes all runs without ids that a clock stamps alike", () => {
  const run = ["turn.started", "turn.completed"].map((type) => ({
    type,
    thread_id: "synthetic-thread-1",
    turn_id: "0",
  }));
  assertEquals(traceLines([run, run], { clock: () => BEGIN }).length, 2);
});

Deno.test("OtlpExporter writes a turn that begins again, as in lines that are there twice, with other ids", () => {
  const spans = spansOf(textOf([[
    turn(0),
    command(1, "a"),
    command(2, "a", 0),
    end(3),
    turn(4),
    command(5, "a"),
    end(6),
  ]]));
  assertEquals(faultsOf(spans), []);
  assertEquals(
    spans.map(({ name }) => name),
    ["invoke_agent codex", "execute_tool shell", "invoke_agent codex"],
  );
});

Deno.test("OtlpExporter writes the calls of each process of a thread, which number them alike", () => {
  const run = (at: number, turn_id: string) => [
    event(at, "thread.started"),
    turn(at + 1, { turn_id }),
    { ...command(at + 2, "item_0", 0), turn_id },
    end(at + 3, { turn_id }),
  ];
  const spans = spansOf(textOf([[...run(0, "u"), ...run(10, "v")]]));
  assertEquals(faultsOf(spans), []);
  const calls = spans.filter(({ name }) => name === "execute_tool shell");
  assertEquals(calls.length, 2);
});

Deno.test("OtlpExporter ignores a second end of a call that comes two turns later", () => {
  const spans = spansOf(textOf([[
    turn(0),
    { ...command(1, "a", -1), turn_id: "u" },
    end(2),
    turn(3, { turn_id: "v" }),
    end(4, { turn_id: "v" }),
    { ...command(5, "a", -1), turn_id: "u" },
  ]]));
  assertEquals(
    spans.map(({ name }) => name),
    ["invoke_agent codex", "execute_tool shell", "invoke_agent codex"],
  );
});

Deno.test("OtlpExporter remembers the calls of the last 64 turns", () => {
  const turns = Array.from({ length: 66 }, (_, at) => [
    turn(at, { turn_id: `u${at}` }),
    { ...command(at, `c${at}`, 0), turn_id: `u${at}` },
    end(at, { turn_id: `u${at}` }),
  ]);
  const again = [1, 2].map((at) => ({
    ...command(99, `c${at}`, 0),
    turn_id: `u${at}`,
  }));
  const spans = spansOf(textOf([[...turns.flat(), ...again]]));
  const calls = spans.filter(({ name }) => name === "execute_tool shell");
  assertEquals(calls.length, 66 + 1);
});

Deno.test("OtlpExporter ignores a second end of a turn", () => {
  const spans = spansOf(textOf([[turn(0), end(1), end(2), end(3)]]));
  assertEquals(spans.length, 1);
});

Deno.test("OtlpExporter names the models that turns began with, whose settings change for the next turn", () => {
  const spans = spansOf(textOf([[
    event(0, "thread.started", { model: "a" }),
    turn(1),
    item(2, "turn_context", {
      method: "thread/settings/updated",
      content: { model: "b" },
    }),
    item(3, "token_count", { content: { info: null } }),
    end(4),
    turn(5, { turn_id: "v" }),
    end(6, { turn_id: "v" }),
  ]]));
  assertEquals(
    spans.map((span) => valueOf(span, "gen_ai.request.model")),
    ["a", "b"],
  );
});

Deno.test("OtlpExporter splits the request of a long turn, whose calls may still be repeated", () => {
  const calls = Array.from({ length: 2500 }, (_, i) => [
    command(i, `c${i}`),
    command(i + 1, `c${i}`, 0),
  ]);
  const events = [
    turn(0),
    ...calls.flat(),
    command(9999, "c0", 1),
    end(10_000),
  ];
  const text = textOf([events]);
  assertEquals(faultsOf(spansOf(text)), []);
  assertEquals(spansOf(text).length, 2501);
  assert(text.trimEnd().split("\n").length > 1);
});

Deno.test("OtlpExporter splits the request of a turn with long contents, but writes no empty one", () => {
  const output = "x".repeat(1 << 21);
  const command = (at: number, item_id: string, type: string, stdout: string) =>
    event(at, type, {
      item_id,
      item_type: "command_execution",
      content: { command: output, stdout },
    });
  const events = [
    turn(0),
    command(1, "a", "item.started", ""),
    command(2, "b", "item.completed", output),
    end(3),
  ];
  const text = textOf([events], { content: true });
  assertEquals(
    text.trimEnd().split("\n").map((line) => spansOf(line).length),
    [1, 1, 1],
  );
});

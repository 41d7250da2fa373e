import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type DriftFinding,
  DriftMeter,
  type DriftMeterOptions,
  driftText,
} from "../../lib/drift/drift.ts";
import fc from "../property_seed.ts";
import { eventLine, line } from "../session_lines.ts";

const ENCODER = new TextEncoder();

/** Returns the findings in one session. */
function findingsIn(
  lines: readonly unknown[],
  options: DriftMeterOptions = {},
): readonly DriftFinding[] {
  return meterOf([lines], options).findings();
}

/** Returns a meter that has read sessions; a line that is a string stands as it is. */
function meterOf(
  sessions: readonly (readonly unknown[])[],
  options: DriftMeterOptions = {},
): DriftMeter {
  const meter = new DriftMeter(options);
  for (const lines of sessions) {
    const source = meter.open("run.jsonl");
    const text = lines.map((line) =>
      `${typeof line === "string" ? line : JSON.stringify(line)}\n`
    ).join("");
    source.feed(ENCODER.encode(text));
    source.flush();
  }
  return meter;
}

function baselineOf(sessions: readonly (readonly unknown[])[]): string {
  return meterOf(sessions, { isRecording: true }).baseline();
}

/** Returns the fields of a finding that the tables below compare. */
function rowOf(
  { kind, path, change, types, word, treatment }: DriftFinding,
) {
  return [change, kind, path, word ?? types.join(), treatment];
}

const STARTED = { type: "thread.started", thread_id: "t" };

const OUTPUT = "response_item/function_call_output";

const CASES: readonly {
  readonly name: string;
  readonly lines: readonly unknown[];
  readonly found: readonly (readonly unknown[])[];
}[] = [
  {
    name: "nothing in known records",
    lines: [STARTED, { type: "turn.started" }],
    found: [],
  },
  {
    name: "nothing in what an app-server says of an account",
    lines: [
      { method: "account/updated", params: { authMode: "chatgpt" } },
      {
        id: 1,
        result: {
          account: { type: "chatgpt", email: "a@example.com", planType: "pro" },
          requiresOpenaiAuth: true,
        },
      },
      {
        id: 2,
        result: {
          rateLimits: {
            primary: { usedPercent: 7, windowDurationMins: 300, resetsAt: 1 },
            credits: { hasCredits: false, unlimited: false, balance: "0" },
            planType: "pro",
          },
        },
      },
    ],
    found: [],
  },
  {
    name:
      "nothing in hooks, questions, plans and tools of an app-server's user",
    lines: [
      ["hook/completed", {
        turnId: null,
        run: {
          eventName: "stop",
          source: "project",
          status: "failed",
          entries: [{ kind: "error", text: "exit 1" }],
        },
      }],
      ["item/tool/requestUserInput", {
        questions: [{ id: "drink", options: [{ label: "Tea" }] }],
      }],
      ["item/plan/delta", { itemId: "t-plan", delta: "1. Boil" }],
      ["item/completed", { item: { type: "plan", text: "1. Boil" } }],
      ["item/completed", {
        item: {
          type: "dynamicToolCall",
          namespace: null,
          contentItems: [{ type: "inputText", text: "pong" }],
          success: true,
        },
      }],
      ["item/started", {
        item: {
          type: "userMessage",
          content: [{ type: "skill", name: "tea", path: "/tea/SKILL.md" }],
        },
      }],
      ["thread/started", {
        thread: {
          gitInfo: { originUrl: "https://example.com/x.git" },
          reasoningEffort: "medium",
          source: { subAgent: { thread_spawn: { depth: 1 } } },
        },
      }],
      ["mcpServer/startupStatus/updated", { status: "failed", error: "no" }],
      ["item/started", { item: { type: "sleep", durationMs: 1000 } }],
      ["item/completed", {
        item: { type: "webSearch", results: [{ type: "text_result" }] },
      }],
      ["item/completed", {
        item: {
          type: "mcpToolCall",
          appContext: { connectorId: "c", linkId: null },
          pluginId: "p",
        },
      }],
    ].map(([method, params]) => ({ method, params })),
    found: [],
  },
  {
    name: "nothing in queues, sub-agents and paused goals of an app-server",
    lines: [
      ["thread/queue/changed", { threadId: "t" }],
      ["item/started", {
        item: {
          type: "subAgentActivity",
          model: null,
          reasoningEffort: null,
          startedAtMs: 1,
          completedAtMs: null,
        },
      }],
      ["item/completed", {
        contentTokenCount: null,
        item: { type: "collabAgentToolCall", completedAtMs: 1 },
      }],
      ["thread/goal/updated", { goal: { status: "budgetLimited" } }],
    ].map(([method, params]) => ({ method, params })),
    found: [],
  },
  {
    name: "nothing in prompts of hooks, cited memories and attached threads",
    lines: [
      ["session_meta", { attached_thread: true }],
      ...[
        {
          type: "HookPrompt",
          fragments: [{ text: "Go on.", hookRunId: "stop:1" }],
        },
        {
          type: "AgentMessage",
          memory_citation: {
            entries: [{ path: "M.md", lineStart: 1, lineEnd: 2, note: "n" }],
          },
        },
        { type: "UserMessage", content: [{ type: "mention", name: "app" }] },
      ].map((item) => ["event_msg", { type: "item_completed", item }]),
    ].map(([type, payload]) => ({ type, payload })),
    found: [],
  },
  {
    name: "nothing in the answers of a user, whose ids are data",
    lines: [{ id: 0, result: { answers: { drink: { answers: ["Tea"] } } } }],
    found: [],
  },
  {
    name: "nothing in a declined command, and in an agent that is shut down",
    lines: [
      { type: "command_execution", exit_code: null, status: "declined" },
      {
        type: "collab_tool_call",
        agents_states: { t: { status: "shutdown", message: null } },
      },
    ].map((item) => ({ type: "item.completed", item })),
    found: [],
  },
  {
    name: "nothing in the messages of a client that names its protocol",
    lines: [
      { method: "initialize", params: { capabilities: null } },
      { method: "initialized" },
      { method: "turn/steer", params: { expectedTurnId: "u" } },
    ].map((message) => ({ jsonrpc: "2.0", ...message })),
    found: [],
  },
  {
    name: "nothing in the settings of a codex mcp-server of a user",
    lines: [{
      method: "codex/event",
      params: {
        msg: {
          type: "session_configured",
          initial_messages: null,
          reasoning_effort: "medium",
          service_tier: null,
        },
      },
    }],
    found: [],
  },
  {
    name: "nothing in a search that an extension made, and in a plan",
    lines: [
      {
        id: "s",
        type: "Extension",
        kind: "web.search",
        query: "docs",
        results: [{ type: "text_result", url: "https://example.com" }],
      },
      { id: "p", type: "Plan", text: "1. Read" },
    ].map((item, ordinal) => ({
      timestamp: "2026-11-20T10:00:00.000Z",
      ordinal,
      type: "event_msg",
      payload: { type: "item_completed", item },
    })),
    found: [],
  },
  {
    name: "nothing in the session of a reviewer of approvals",
    lines: [{
      timestamp: "2026-11-20T10:00:00.000Z",
      type: "session_meta",
      payload: {
        parent_thread_id: "01a1f99a-16af-7690-9a01-16ca5e305cf0",
        source: { subagent: { other: "guardian" } },
        thread_source: "guardian_review",
      },
    }],
    found: [],
  },
  {
    name: "nothing in a local shell call, and in edits that were undone",
    lines: [
      line("response_item", {
        type: "local_shell_call",
        call_id: "c",
        status: "completed",
        action: { type: "exec", command: ["ls"], timeout_ms: null, env: null },
      }),
      eventLine("undo_completed", { success: true, message: "Done" }),
    ],
    found: [],
  },
  {
    name: "nothing in the words of a command, which 0.21 lists one by one",
    lines: [{
      id: "0",
      msg: {
        type: "exec_command_begin",
        parsed_cmd: [{ Search: { cmd: ["rg", "x"], query: "x", path: null } }],
      },
    }],
    found: [],
  },
  {
    name: "nothing in a compaction of what an earlier release has written",
    lines: [
      line("compacted", {
        replacement_history: [{
          type: "ghost_snapshot",
          ghost_commit: { id: "c", preexisting_untracked_files: ["a.txt"] },
        }],
        replacement_history_metadata: [{
          mcp_attribution: { status: "attribution_error", error_reason: "x" },
        }],
        retained_context: { user_messages: [{ message_id: null }] },
      }),
    ],
    found: [],
  },
  {
    name: "nothing in a patch that waits for approval in a conversation",
    lines: [{
      id: 0,
      method: "applyPatchApproval",
      params: {
        conversationId: "t",
        callId: "c",
        fileChanges: { "/a": { add: { content: "x" } } },
      },
    }],
    found: [],
  },
  {
    name: "nothing in a history that the server has compacted",
    lines: [
      {
        timestamp: "2026-11-20T10:00:00.000Z",
        type: "response_item",
        payload: { type: "compaction", encrypted_content: "gAAA" },
      },
      {
        timestamp: "2026-11-20T10:00:00.000Z",
        type: "compacted",
        payload: {
          message: "",
          replacement_history: [
            { type: "compaction", encrypted_content: "gAAA" },
          ],
        },
      },
    ],
    found: [],
  },
  {
    name: "nothing in the settings of a user, and in the limits of an account",
    lines: [
      ...["minimal", "high", "xhigh", "max"].map((effort) => ({
        timestamp: "2026-11-20T10:00:00.000Z",
        type: "turn_context",
        payload: {
          approval_policy: "on-failure",
          approvals_reviewer: "auto_review",
          collaboration_mode: { mode: "plan" },
          effort,
          summary: "concise",
        },
      })),
      {
        timestamp: "2026-11-20T10:00:00.000Z",
        type: "session_meta",
        payload: { thread_source: "automation" },
      },
      {
        timestamp: "2026-11-20T10:00:00.000Z",
        type: "event_msg",
        payload: {
          type: "token_count",
          rate_limits: {
            credits: { has_credits: true, unlimited: false, balance: "12.5" },
            individual_limit: {
              limit: "100",
              used: "12",
              remaining_percent: 88,
              resets_at: 1796000000,
            },
            plan_type: "plus",
            rate_limit_reached_type: "primary",
            spend_control_reached: false,
          },
        },
      },
    ],
    found: [],
  },
  {
    name: "a new kind of event, which is refused",
    lines: [{ type: "turn.paused", usage: null }],
    found: [
      ["kind", "turn.paused", "", "", "refused"],
      ["field", "turn.paused", "usage", "null", "refused"],
    ],
  },
  {
    name: "a new kind of item, which is kept",
    lines: [{ type: "item.completed", item: { id: "i", type: "dream" } }],
    found: [
      ["kind", "item.completed/dream", "", "", "kept"],
      ["field", "item.completed/dream", "item.id", "string", "understood"],
    ],
  },
  {
    name: "a new field, with its types",
    lines: [{ ...STARTED, startedAtMs: 1 }, { ...STARTED, startedAtMs: null }],
    found: [["field", "thread.started", "startedAtMs", "integer,null", "kept"]],
  },
  {
    name: "a new type of a field, which is understood",
    lines: [{
      type: "session_meta",
      payload: { id: "i", timestamp: "2026", forked_from_id: null },
    }],
    found: [
      ["type", "session_meta", "payload.forked_from_id", "null", "understood"],
    ],
  },
  {
    name: "a new type of a field, which is refused",
    lines: [{ ...STARTED, thread_id: [1] }],
    found: [
      ["type", "thread.started", "thread_id", "array", "refused"],
      ["field", "thread.started", "thread_id[]", "integer", "refused"],
    ],
  },
  {
    name: "a new field of an object that may be a list, too, which is kept",
    lines: [{
      timestamp: "2026-11-20T15:49:48.041Z",
      type: "response_item",
      payload: {
        type: "function_call_output",
        call_id: "c",
        output: { content: "o", hue: 1 },
      },
    }],
    found: [
      ["type", OUTPUT, "payload.output", "object", "understood"],
      ["field", OUTPUT, "payload.output.content", "string", "understood"],
      ["field", OUTPUT, "payload.output.hue", "integer", "kept"],
    ],
  },
  {
    name: "a new field that holds an item, in a known kind",
    lines: [{
      timestamp: "2026-11-20T15:49:48.041Z",
      type: "event_msg",
      payload: { type: "agent_message", message: "m", item: { type: "Dream" } },
    }],
    found: [
      ["field", "event_msg/agent_message", "payload.item", "object", "kept"],
      [
        "field",
        "event_msg/agent_message",
        "payload.item.type",
        "string",
        "kept",
      ],
    ],
  },
  {
    name: "a fraction in a field of integers",
    lines: ['{"type":"turn.completed","usage":{"input_tokens":1.0}}'],
    found: [["type", "turn.completed", "usage.input_tokens", "number", "kept"]],
  },
  {
    name: "a new word in a field of known words",
    lines: [{
      type: "item.completed",
      item: {
        id: "i",
        type: "command_execution",
        command: "ls",
        aggregated_output: "",
        exit_code: 0,
        status: "postponed",
      },
    }],
    found: [[
      "word",
      "item.completed/command_execution",
      "item.status",
      "postponed",
      "kept",
    ]],
  },
  {
    name: "a new notification of the app-server",
    lines: [{ method: "turn/paused", params: { threadId: "t" } }],
    found: [
      ["kind", "turn/paused", "", ""],
      ["field", "turn/paused", "params.threadId", "string"],
    ],
  },
  {
    name:
      "nothing in the settings that an app-server reports (0.148 and later)",
    lines: [{
      method: "thread/settings/updated",
      params: { threadId: "t", threadSettings: { model: "m", cwd: "/w" } },
    }],
    found: [],
  },
  {
    name: "nothing in line.failed records and in lines that are not records",
    lines: [
      STARTED,
      {
        type: "line.failed",
        line: 1,
        offset: 0,
        error: { kind: "json", message: "m" },
        raw: "x",
      },
      "not JSON",
      "[]",
      "",
    ],
    found: [],
  },
  {
    name: "a new kind in a record that is glued to a torn line",
    lines: [
      `{"timestamp":"2026-11-20T15:4${
        JSON.stringify({
          timestamp: "2026-11-20T15:49:48.041Z",
          type: "event_msg",
          payload: { type: "dream" },
        })
      }`,
    ],
    found: [
      ["kind", "event_msg/dream", "", "", "kept"],
      ["field", "event_msg/dream", "timestamp", "string", "understood"],
    ],
  },
  {
    name:
      "a new kind of event in a session file of a fork of Codex, which is kept",
    lines: [{
      timestamp: "2025-09-20T15:49:48.041Z",
      type: "event",
      payload: { id: "0", event_seq: 1, msg: { type: "dream", hue: 1 } },
    }],
    found: [
      ["kind", "event/dream", "", "", "kept"],
      ["field", "event/dream", "payload.event_seq", "integer", "understood"],
      ["field", "event/dream", "payload.id", "string", "understood"],
      ["field", "event/dream", "payload.msg", "object", "understood"],
      ["field", "event/dream", "payload.msg.hue", "integer", "kept"],
      ["field", "event/dream", "payload.msg.type", "string", "understood"],
      ["field", "event/dream", "timestamp", "string", "understood"],
    ],
  },
  {
    name: "records without a type",
    lines: [STARTED, { hue: 1 }, { msg: { hue: 1 } }],
    found: [
      ["kind", "(no type)", "", "", "refused"],
      ["field", "(no type)", "hue", "integer", "refused"],
      ["kind", "msg/(no type)", "", "", "refused"],
      ["field", "msg/(no type)", "msg.hue", "integer", "refused"],
    ],
  },
  {
    name: "nothing in a normalized stream, known by its first line",
    lines: [
      { type: "thread.started", thread_id: "t", model: "m" },
      { type: "turn.started", thread_id: "t" },
      { type: "item.completed", item_type: "plan", content: { text: "p" } },
      { type: "turn.completed", colour: "red" },
    ],
    found: [],
  },
  {
    name: "nothing in a normalized stream of messages",
    lines: [{ type: "rpc.notification", method: "turn/paused", params: {} }],
    found: [],
  },
  {
    name: "nothing in a normalized stream without items",
    lines: [STARTED, { type: "turn.failed", thread_id: "t", error: {} }],
    found: [],
  },
  {
    name: "a thread_id in turn.started of a stream that is not normalized",
    lines: [
      { type: "turn.started", thread_id: "t" },
      {
        type: "item.completed",
        item: { id: "i", type: "agent_message", text: "" },
      },
    ],
    found: [["field", "turn.started", "thread_id", "string", "understood"]],
  },
  {
    name: "nothing in reviews of a commit, and in a sandbox with a network",
    lines: [
      {
        timestamp: "2026-11-20T10:00:00.000Z",
        type: "turn_context",
        payload: {
          permission_profile: { type: "managed", network: "enabled" },
        },
      },
      ...[
        { type: "commit", sha: "abc", title: "Fix it" },
        { type: "baseBranch", branch: "main" },
      ].map((target) => ({
        timestamp: "2026-11-20T10:00:00.000Z",
        type: "event_msg",
        payload: {
          type: "entered_review_mode",
          target,
          user_facing_hint: "x",
        },
      })),
    ],
    found: [],
  },
  {
    name:
      "nothing in what a policy refused, an agent that is gone, and a result of MCP",
    lines: [
      {
        id: "a",
        type: "command_execution",
        command: "rm -r x",
        aggregated_output: "",
        exit_code: null,
        status: "declined",
      },
      {
        id: "b",
        type: "collab_tool_call",
        tool: "wait",
        sender_thread_id: "t",
        receiver_thread_ids: ["u"],
        prompt: null,
        agents_states: { u: { status: "not_found", message: null } },
        status: "failed",
      },
      {
        id: "c",
        type: "mcp_tool_call",
        server: "docs",
        tool: "open",
        arguments: "x",
        result: {
          content: [{
            type: "text",
            text: "x",
            annotations: { audience: ["user"], priority: 0.5 },
          }],
          structured_content: null,
        },
        error: null,
        status: "completed",
      },
    ].map((item) => ({ type: "item.completed", item })),
    found: [],
  },
];

for (const { name, lines, found } of CASES) {
  Deno.test(`DriftMeter finds ${name}`, () => {
    assertEquals(
      findingsIn(lines).map((finding) =>
        rowOf(finding).slice(0, found[0]?.length)
      ),
      found,
    );
  });
}

Deno.test("DriftMeter finds nothing in a session of a subscription, with usual settings", () => {
  const limits = {
    limit_id: "codex",
    limit_name: null,
    credits: { has_credits: false, unlimited: false, balance: null },
    plan_type: "plus",
  };
  const plan = { type: "Plan", id: "p", text: "- step" };
  for (const effort of ["high", "xhigh"]) {
    assertEquals(
      findingsIn([
        line("session_meta", { id: "t", cli_version: "0.130.0" }),
        line("turn_context", {
          effort,
          summary: "concise",
          collaboration_mode: { mode: "plan", settings: { model: "m" } },
        }),
        eventLine("token_count", { info: null, rate_limits: limits }),
        eventLine("item_completed", { turn_id: "1", item: plan }),
      ]),
      [],
    );
  }
});

Deno.test("DriftMeter counts a finding, and keeps the line of the first", () => {
  const line = { ...STARTED, colour: "red" };
  const [finding, ...others] = findingsIn([STARTED, line, line, line]);
  assertEquals(others, []);
  assertEquals([finding?.count, finding?.line], [3, 2]);
});

Deno.test("DriftMeter takes the release from a session file and from an app-server", () => {
  const sessions = [
    [
      {
        type: "session_meta",
        payload: { id: "i", cli_version: "0.170.0-alpha.3" },
      },
      { type: "event_msg", payload: { type: "dream" } },
    ],
    [
      {
        id: 1,
        result: { userAgent: "ide/0.171.0 (Linux; x86_64) dumb (ide; 1.0)" },
      },
      { method: "dream", params: {} },
    ],
  ];
  assertEquals(
    meterOf(sessions).findings().map(({ kind, release }) => [kind, release]),
    [["dream", "0.171.0"], ["event_msg/dream", "0.170.0"]],
  );
});

Deno.test("DriftMeter finds a kind that is back after many releases, but not after few", () => {
  const session = (cli_version: string) => [
    { type: "session_meta", payload: { cli_version } },
    { type: "event_msg", payload: { type: "agent_reasoning", text: "t" } },
  ];
  // The last release that is known to write it is 0.150.
  assertEquals(findingsIn(session("0.155.0")), []);
  const [finding, ...others] = findingsIn(session("0.180.0"));
  assertEquals(others, []);
  assertEquals(
    finding && driftText(finding),
    "run.jsonl:2: 0.180.0 rollout event_msg/agent_reasoning: " +
      "kind of record seen only in 0.34.0 to 0.150.0, once: understood",
  );
});

Deno.test("DriftMeter finds a field, a type and a word that are back after many releases", () => {
  const old = { status: "asleep", hue: 1, size: "1" };
  const baseline = baselineOf(
    Array.from({ length: 6 }, (_, i) => [
      { type: "session_meta", payload: { cli_version: `0.${100 + i}.0` } },
      { type: "dream", payload: i === 0 ? old : { status: "awake", size: 1 } },
    ]),
  );
  const again = [
    { type: "session_meta", payload: { cli_version: "0.105.0" } },
    { type: "dream", payload: old },
    { type: "dream", payload: { status: "numb" } },
  ];
  assertEquals(
    findingsIn(again, { baseline }).map((finding) =>
      driftText(finding).replace("run.jsonl:", "")
    ),
    [
      "2: 0.105.0 rollout dream payload.hue: field (integer) seen only in 0.100.0 to 0.100.0, once: kept",
      "2: 0.105.0 rollout dream payload.size: field (string) seen only in 0.100.0 to 0.100.0, once: kept",
      '2: 0.105.0 rollout dream payload.status: word "asleep" seen only in 0.100.0 to 0.100.0, once: kept',
      '3: 0.105.0 rollout dream payload.status: new word "numb", once: kept',
    ],
  );
});

Deno.test("DriftMeter returns the findings of a path with the latest release first", () => {
  const sessions = ["0.98.0", "0.169.0", "0.120.0"].map((cli_version) => [
    { type: "session_meta", payload: { cli_version } },
    { type: "dream", payload: {} },
  ]);
  assertEquals(
    meterOf(sessions).findings().map(({ release }) => release),
    ["0.169.0", "0.120.0", "0.98.0"],
  );
});

Deno.test("DriftMeter finds nothing in the session that its baseline was made from", () => {
  const lines = [
    { ...STARTED, "a/path.txt": { b: [1, { c: null }] } },
    { type: "dream", payload: { "x y": 1, word: "w", status: "asleep" } },
    { type: "dream", payload: { status: "hm hm" } },
  ];
  const baseline = baselineOf([lines]);
  assertEquals(findingsIn(lines, { baseline }), []);
  const again = meterOf([lines], { baseline, isRecording: true }).baseline();
  assertEquals(
    JSON.parse(again.replaceAll(/"(?:#|sessions)":\d+,?/g, "")),
    JSON.parse(baseline.replaceAll(/"(?:#|sessions)":\d+,?/g, "")),
  );
});

Deno.test("DriftMeter records nothing of a normalized stream, and runs without items", () => {
  const empty = JSON.parse(baselineOf([])).dialects;
  const turn = { type: "turn.started", thread_id: "t", turn_id: "1" };
  const item = { type: "item.completed", item_type: "plan" };
  const failed = { type: "turn.failed", error: { message: "m" } };
  const session = [STARTED, { type: "turn.started" }, failed];
  const baseline = baselineOf([session]);
  for (const own of [[STARTED, turn, item], [STARTED, turn]]) {
    const { kinds } = JSON.parse(baselineOf([own])).dialects.exec;
    assertEquals([empty, kinds], [{}, {}]);
    assertEquals(baselineOf([session, own]), baseline);
  }
  assertEquals(findingsIn(session, { baseline }), []);
  const other = baselineOf([[{ type: "event_msg", payload: {} }]]);
  assertEquals(findingsIn(session, { baseline: other }).length > 0, true);
});

Deno.test("DriftMeter adds what it found to a baseline, recorded or not", () => {
  const meter = meterOf([[{ ...STARTED, hue: 1 }]]);
  assertEquals(meter.count, 1);
  const options = { baseline: meter.baseline() };
  assertEquals(findingsIn([{ ...STARTED, hue: 1 }], options), []);
});

Deno.test("DriftMeter finds a kind missing that all sessions of the baseline had", () => {
  const session = [STARTED, { type: "turn.started" }];
  const baseline = baselineOf(Array.from({ length: 5 }, () => session));
  const meter = meterOf([[STARTED], session, [STARTED]], { baseline });
  assertEquals(meter.count, 1);
  assertEquals(meter.findings().map(driftText), [
    "run.jsonl: - exec turn.started: not in 2 sessions",
  ]);
  const few = baselineOf([session]);
  assertEquals(meterOf([[STARTED]], { baseline: few }).findings(), []);
});

Deno.test("DriftMeter refuses a text that is not a baseline", () => {
  for (const baseline of ["", "{}", "[]", '{"codexpipe":"wire","version":9}']) {
    assertThrows(() => new DriftMeter({ baseline }), SyntaxError);
  }
});

Deno.test("DriftMeter ignores what it cannot read in a baseline that was edited", () => {
  let deep: unknown = "s";
  for (let level = 0; level < 1000; level++) deep = { "": "o", a: deep };
  const kinds = {
    "turn.paused": {
      "": 5,
      a: null,
      b: [],
      c: { "": "q@x-y =w s@0.9.0- @" },
      deep,
    },
    "[]": "o",
    "turn.resumed": 7,
  };
  const exec = { releases: [5, null, "x"], sessions: "many", kinds };
  const baseline = JSON.stringify({
    codexpipe: "wire",
    version: 1,
    dialects: { exec, rollout: [] },
  });
  const types = ["turn.paused", "[]", "turn.resumed"];
  const found = findingsIn(types.map((type) => ({ type, c: "w", b: 1 })), {
    baseline,
  });
  assertEquals(found.some(({ path }) => path === "c"), true);
  assert(meterOf([], { baseline, isRecording: true }).baseline().length > 0);
});

Deno.test("DriftMeter skips a file that is not a stream", () => {
  const meter = new DriftMeter();
  const source = meter.open("history.jsonl");
  source.feed(ENCODER.encode('{"session_id":"s","ts":1,"text":"x"}\n'));
  source.flush();
  assertEquals([source.other, meter.count], ["history.jsonl", 0]);
});

Deno.test("DriftMeter keeps at most 10,000 findings, and counts the other occurrences", () => {
  const nameOf = (i: number): string =>
    String.fromCharCode(97 + i % 26, 97 + i / 26 % 26, 97 + i / 676);
  const fields = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`f_${nameOf(i)}`, 1]),
  );
  const lines = Array.from({ length: 60 }, (_, i) => ({
    type: `t.${nameOf(i)}`,
    ...fields,
  }));
  const meter = meterOf([lines]);
  assertEquals([meter.count, meter.more], [10_000, 60 * 201 - 10_000]);
});

Deno.test("DriftMeter notes at most 50,000 paths and words that are new", () => {
  const names = ["id", "type", "text", "status", "item", "command", "path"];
  const lines = Array.from({ length: 3000 }, (_, i) => {
    let value: unknown = { status: `w${i.toString(36)}` };
    for (const digit of i.toString(7).padStart(30, "0")) {
      value = { [names[Number(digit)] ?? ""]: value };
    }
    return { type: "thread.started", thread_id: "t", hue: value };
  });
  const baseline = baselineOf([lines]);
  const parts = baseline.match(/"\w+":|=/g)?.length ?? 0;
  assert(parts > 40_000 && parts < 60_000, `${parts}`);
});

Deno.test("DriftMeter reads values that nest as deep as a line may, and long lists", () => {
  const deep = `${"[".repeat(9900)}${"]".repeat(9900)}`;
  const wide = JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ i })));
  const found = findingsIn([
    STARTED,
    `{"type":"thread.started","thread_id":"t","deep":${deep},"wide":${wide}}`,
  ]);
  assertEquals(found.slice(0, 2).map(({ path, count }) => [path, count]), [
    ["deep", 1],
    ["deep[]", 1],
  ]);
  assertEquals(found.at(-1)?.count, 5000);
});

Deno.test("DriftMeter tries 16 MB of records of a file to find out the treatment of their parts", () => {
  const text = "x".repeat(1 << 22);
  const lines = Array.from({ length: 6 }, (_, i) => ({
    type: `dream.${String.fromCharCode(97 + i)}`,
    text,
  }));
  const kinds = findingsIn(lines).filter(({ change }) => change === "kind");
  assertEquals(
    [...new Set(kinds.map(({ treatment }) => treatment))],
    ["refused", "kept"],
  );
});

/** A text that must not be printed; no part of it is a name or word of Codex. */
const SECRET = "hunter2Q";

/** Strings of user data that hold the secret. */
const secretText = fc.constantFrom(
  `${SECRET} is my password`,
  `/home/${SECRET}/notes.txt`,
  `${SECRET}@example.com`,
  `sk-proj-${SECRET}1234567890`,
  `"${SECRET}"`,
  `${SECRET}\u0000`,
);
const leaf = fc.oneof(
  secretText,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

Deno.test("DriftMeter reads a line with over a million values", () => {
  const numbers = Array.from({ length: 1_100_000 }, () => 1);
  const found = findingsIn([STARTED, { type: "turn.mended", numbers }]);
  assertEquals(found[0]?.kind, "turn.mended");
});

Deno.test("DriftMeter prints no value and no name of user data", () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(secretText, tie("value"), { maxKeys: 3 }),
      fc.record({ text: tie("value"), status: secretText }),
    ),
  }));
  const field = fc.constantFrom(
    "text",
    "status",
    "type",
    "kind",
    "changes",
    "arguments",
    "new_field",
    "payload",
  );
  const record = fc.record({
    type: fc.constantFrom("item.completed", "event_msg", "turn.completed"),
    item: fc.dictionary(field, value),
    payload: fc.dictionary(field, value),
    usage: value,
  });
  fc.assert(fc.property(fc.array(record, { maxLength: 4 }), (lines) => {
    const meter = meterOf([lines]);
    const printed = JSON.stringify(meter.findings()) +
      meter.findings().map(driftText).join("\n") + baselineOf([lines]);
    assertEquals(printed.includes(SECRET), false, printed);
  }));
});

Deno.test("DriftMeter replaces words in parentheses, and escape codes, in the names of kinds by *", () => {
  for (
    const type of ["(a secret", "(a secret)", "(\x1b[31mred", "(\x1b[31mred)"]
  ) {
    const event = { type: "event_msg", payload: { type } };
    const found = [...findingsIn([STARTED, { type }]), ...findingsIn([event])];
    const kinds = new Set(found.map(({ kind }) => kind));
    assertEquals([...kinds], ["*", "event_msg/*"], type);
  }
});

Deno.test("DriftMeter replaces a path that stands as a type by one *", () => {
  const type = "/home/alice/notes";
  const found = [
    ...findingsIn([STARTED, { type: "item.completed", item: { type } }]),
    ...findingsIn([{ type: "event_msg", payload: { type } }]),
    ...findingsIn([STARTED, { type }]),
  ];
  const kinds = new Set(found.map(({ kind }) => kind));
  assertEquals([...kinds], ["item.completed/*", "event_msg/*", "*"]);
});

Deno.test("DriftMeter replaces the names of members of a new object by *", () => {
  const found = findingsIn([{
    ...STARTED,
    quota: { alice: 1, bob: { carol: "x" }, acme_corp: [{ dave: 1 }] },
  }]);
  assertEquals(found.map(({ path }) => path), [
    "quota",
    "quota.*",
    "quota.*.*",
    "quota.*[]",
    "quota.*[].*",
  ]);
});

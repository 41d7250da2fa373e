/** The records of each event of a rollout (history.md C.3). */

import { assertEquals } from "@std/assert";
import { snapshotOf, summariesOf } from "../history/histories.ts";
import { eventLine, itemLine, PAGINATED } from "../session_lines.ts";
import { eventsOf } from "./reading.ts";

const CALL = { call_id: "c" };
const MCP = { ...CALL, invocation: { server: "s", tool: "t" } };
const LASTED = { duration: { secs: 2, nanos: 0 } };
const ADDED = { ...CALL, changes: { a: { type: "add", content: "x" } } };

/** An event of each type, and the summaries of the records that it makes by itself. */
const EVENTS: readonly (readonly [
  type: string,
  fields: Readonly<Record<string, unknown>>,
  shown: readonly string[],
])[] = [
  ["task_complete", { error: { message: "no" } }, ["error: no"]],
  ["turn_complete", { error: { message: "no" } }, ["error: no"]],
  ["turn_aborted", { reason: "replaced" }, [
    "background Turn aborted: replaced",
  ]],
  [
    "token_count",
    { rate_limits: { primary: { used_percent: 80 } } },
    ["rate_limits"],
  ],
  ["turn_diff", { unified_diff: "@@ -1 +1 @@\n-a\n+b" }, ["diff"]],
  ["agent_message_content_delta", { item_id: "i", delta: "d" }, [
    "stream i: d",
  ]],
  ["reasoning_content_delta", { item_id: "i", delta: "d" }, ["reasoning: d"]],
  ["reasoning_raw_content_delta", { item_id: "i", delta: "d" }, [
    "reasoning: d",
  ]],
  ["plan_delta", { item_id: "i", delta: "d" }, ["notice Plan: d"]],
  ["background_event", { message: "m" }, ["background : m"]],
  ["stream_error", { message: "m" }, ["background : m"]],
  ["undo_completed", { message: "m" }, ["background Undo: m"]],
  ["warning", { message: "m" }, ["notice: ⚠ m"]],
  ["guardian_warning", { message: "m" }, ["notice: ⚠ m"]],
  ["error", { message: "m" }, ["error: m"]],
  ["deprecation_notice", { summary: "s", details: "d" }, ["notice s: d"]],
  ["item_completed", { item: { type: "Plan", text: "p" } }, [
    "notice Plan: p",
  ]],
];

/** The same for messages and tools, which paginated files have as items. */
const LEGACY_EVENTS: typeof EVENTS = [
  ["user_message", { message: "m" }, ["user: m"]],
  ["agent_message", { message: "m" }, ["answer: m"]],
  ["agent_message_delta", { delta: "d" }, ["stream stream-1: d"]],
  ["agent_reasoning", { text: "t" }, ["reasoning: t"]],
  ["agent_reasoning_raw_content", { text: "t" }, ["reasoning: t"]],
  ["agent_reasoning_delta", { delta: "d" }, ["reasoning: d"]],
  ["agent_reasoning_raw_content_delta", { delta: "d" }, ["reasoning: d"]],
  ["context_compacted", {}, ["background Context compacted: "]],
  ["exec_command_begin", { ...CALL, command: ["ls"] }, ["exec ls: running"]],
  [
    "exec_command_end",
    { ...CALL, command: ["ls"], stdout: "a", exit_code: 0 },
    ["exec ls: success a"],
  ],
  ["mcp_tool_call_begin", MCP, ["tool s.t: running"]],
  [
    "mcp_tool_call_end",
    { ...MCP, ...LASTED, result: { Err: "no" } },
    ["tool s.t: failed 2000 ms no"],
  ],
  ["web_search_begin", CALL, ["tool web_search: running"]],
  ["web_search_end", { ...CALL, query: "q" }, ["tool web_search: success"]],
  ["view_image_tool_call", { ...CALL, path: "file:///a.png" }, [
    "image /a.png",
  ]],
  ["image_generation_end", { ...CALL, saved_path: "/a.png" }, [
    "image /a.png",
  ]],
  ["patch_apply_begin", ADDED, ["patch a: apply_begin"]],
  ["patch_apply_end", { ...ADDED, success: true }, ["patch a: apply_success"]],
  ["apply_patch_approval_request", ADDED, ["patch a: proposed"]],
  ["plan_update", { plan: [{ step: "s", status: "pending" }] }, [
    "plan_update",
  ]],
  [
    "dynamic_tool_call_request",
    { ...CALL, namespace: "n", tool: "t" },
    ["tool n.t: running"],
  ],
  [
    "dynamic_tool_call_response",
    { ...CALL, ...LASTED, tool: "t", error: "no" },
    ["tool t: failed 2000 ms no"],
  ],
  ["custom_tool_call_begin", { ...CALL, tool_name: "t" }, ["tool t: running"]],
  ["custom_tool_call_update", { ...CALL, tool_name: "t" }, [
    "tool t: running",
  ]],
  [
    "custom_tool_call_end",
    { ...CALL, ...LASTED, tool_name: "t", result: { Ok: "a" } },
    ["tool t: success 2000 ms a"],
  ],
  [
    "custom_tool_call_end",
    { ...CALL, tool_name: "t", result: { Err: "no" } },
    ["tool t: failed no"],
  ],
  ["sub_agent_activity", { agent_path: "a", kind: "started" }, [
    "background Sub-agent: a started",
  ]],
  ["entered_review_mode", { user_facing_hint: "h" }, [
    "background : >> Code review started: h <<",
  ]],
  ["exited_review_mode", { review_output: { overall_explanation: "e" } }, [
    "notice Code review: e",
    "background : << Code review finished >>",
  ]],
  ...[
    ["agent_spawn", "spawn_agent"],
    ["agent_interaction", "send_input"],
    ["waiting", "wait"],
    ["close", "close_agent"],
    ["resume", "resume_agent"],
  ].flatMap(([name, tool]): [string, typeof CALL, string[]][] => [
    [`collab_${name}_begin`, CALL, [`tool collab.${tool}: running`]],
    [`collab_${name}_end`, CALL, [`tool collab.${tool}: success`]],
  ]),
];

for (const [type, fields, shown] of EVENTS) {
  Deno.test(`HistoryState.apply() shows a ${type} in both modes (C.3)`, () => {
    const event = eventLine(type, fields);
    assertEquals(summariesOf(snapshotOf([event])), shown);
    assertEquals(summariesOf(snapshotOf([PAGINATED, event])), shown);
  });
}

for (const [type, fields, shown] of LEGACY_EVENTS) {
  Deno.test(`HistoryState.apply() shows a ${type} only in legacy mode: ${shown} (C.3, C.5)`, () => {
    const event = eventLine(type, fields);
    assertEquals(summariesOf(snapshotOf([event])), shown);
    assertEquals(summariesOf(snapshotOf([PAGINATED, event])), []);
  });
}

for (const mode of ["legacy", "paginated"]) {
  const header = mode === "legacy" ? [] : [PAGINATED];
  for (const began of ["task_started", "turn_started"]) {
    Deno.test(`HistoryState.apply() starts a turn with ${began} in ${mode} mode`, () => {
      const turns = ["a", "b"].flatMap((message) => [
        eventLine(began),
        eventLine("warning", { message }),
      ]);
      const back = eventLine("thread_rolled_back", { num_turns: 1 });
      assertEquals(summariesOf(snapshotOf([...header, ...turns, back])), [
        "notice: ⚠ a",
      ]);
    });
  }
}

for (
  const [live, whole, other] of [
    ["agent_reasoning_delta", "agent_reasoning", "agent_reasoning_raw_content"],
    [
      "reasoning_content_delta",
      "agent_reasoning",
      "agent_reasoning_raw_content",
    ],
    [
      "agent_reasoning_raw_content_delta",
      "agent_reasoning_raw_content",
      "agent_reasoning",
    ],
    [
      "reasoning_raw_content_delta",
      "agent_reasoning_raw_content",
      "agent_reasoning",
    ],
  ] as const
) {
  Deno.test(`HistoryState.apply() completes reasoning of ${live} only with ${whole}`, () => {
    const begun = eventLine(live, { delta: "a" });
    const shown = (type: string) =>
      summariesOf(snapshotOf([begun, eventLine(type, { text: "ab" })]));
    assertEquals(shown(whole), ["reasoning: ab"]);
    assertEquals(shown(other), ["reasoning: a ab"]);
  });
}

Deno.test("HistoryState.apply() shows the updated changes of a patch before it is applied", () => {
  const changes = { b: { type: "delete", content: "" } };
  const events = [
    eventLine("patch_apply_begin", ADDED),
    eventLine("patch_apply_updated", { ...CALL, changes }),
  ];
  assertEquals(summariesOf(snapshotOf(events)), ["patch b: apply_begin"]);
});

Deno.test("HistoryState.apply() starts a section of reasoning after a break", () => {
  const think = (delta: string) =>
    eventLine("agent_reasoning_delta", { delta });
  const events = [
    think("a"),
    eventLine("agent_reasoning_section_break"),
    think("b"),
    think("c"),
  ];
  assertEquals(summariesOf(snapshotOf(events)), ["reasoning: a bc"]);
});

Deno.test("EventReader names the agent of a call between agents, in any of its fields", () => {
  for (
    const fields of [
      { new_thread_id: "t" },
      { receiver_thread_id: "t" },
      { receiver_thread_ids: ["t"] },
    ]
  ) {
    const [end] = eventsOf([eventLine("collab_close_end", fields)]);
    assertEquals(end?.receiver_thread_ids, ["t"]);
  }
});

Deno.test("EventReader tells the state of the only agent of a call between agents", () => {
  const states = [
    { new_thread_id: "t", status: "pending_init" },
    { receiver_thread_id: "t", status: { completed: "Seen." } },
    { receiver_thread_id: "t", status: { errored: "No credit." } },
    { receiver_thread_id: "t" },
  ].map((fields) => {
    const [end] = eventsOf([eventLine("collab_close_end", fields)]);
    return [end?.status, end?.agents_states];
  });
  assertEquals(states, [
    ["completed", { t: "pending_init" }],
    ["completed", { t: { completed: "Seen." } }],
    ["failed", { t: { errored: "No credit." } }],
    ["completed", undefined],
  ]);
});

Deno.test("EventReader tells that the generation of an image failed, by its event as by its item", () => {
  const image = { status: "failed", result: "" };
  const statuses = [
    eventLine("image_generation_end", { call_id: "c", ...image }),
    itemLine("image_generation_call", { id: "c", ...image }),
  ].map((line) => eventsOf([line])[0]?.status);
  assertEquals(statuses, ["failed", "failed"]);
});

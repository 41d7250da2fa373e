import { assert, assertEquals } from "@std/assert";
import { HistoryState } from "../../lib/history/history_state.ts";
import { applyMutation } from "../../lib/history/mutations.ts";
import type { AnyHistoryRecord } from "../../lib/history/records.ts";
import { equalJson } from "../fixtures.ts";
import {
  eventLine,
  historyOf,
  itemLine,
  pagedLine,
  PAGINATED,
  snapshotOf,
  tell,
} from "../history/histories.ts";

const ID = "call_0";

function item(type: string, fields: Record<string, unknown> = {}) {
  return itemLine(type, { call_id: ID, ...fields });
}

function event(type: string, fields: Record<string, unknown> = {}) {
  return eventLine(type, { call_id: ID, ...fields });
}

function functionCall(name: string, args: unknown) {
  return item("function_call", { name, arguments: JSON.stringify(args) });
}

function output(text: string) {
  return item("function_call_output", {
    output: `Exit code: 0\nWall time: 0 seconds\nOutput:\n${text}`,
  });
}

function execItem(phase: string, type: string, content: unknown) {
  return { type: `item.${phase}`, item_id: ID, item_type: type, content };
}

function explored(command: string) {
  return {
    command: [command],
    parsed_cmd: [{ type: "read", cmd: command, name: command }],
  };
}

function envelope(path: string): string {
  return `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
}

/** What a checkpoint says of the fold. */
function foldOf(state: HistoryState) {
  return Object(state.snapshot({ resume: true }).resume).fold;
}

/** What is told twice of calls of one id, and what becomes of it. */
const REPEATED: readonly {
  readonly name: string;
  readonly events: readonly unknown[];
  readonly shown: readonly string[];
}[] = [
  {
    name: "two commands of response items",
    events: [
      functionCall("shell", { command: ["ls"] }),
      output("a"),
      functionCall("shell", { command: ["rm", "-rf", "x"] }),
      output("b"),
    ],
    shown: ["exec ls: success a", "exec rm -rf x: success b"],
  },
  {
    name: "a command of response items that never ended, and another one",
    events: [
      functionCall("shell", { command: ["ls"] }),
      functionCall("shell", { command: ["pwd"] }),
      output("b"),
    ],
    shown: ["exec ls: running", "exec pwd: success b"],
  },
  {
    name: "two local shell calls",
    events: ["ls", "pwd"].flatMap((command) => [
      item("local_shell_call", { action: { command: [command] } }),
      output(command),
    ]),
    shown: ["exec ls: success ls", "exec pwd: success pwd"],
  },
  {
    name: "two functions",
    events: ["one", "two"].flatMap((name) => [
      functionCall(name, {}),
      output(name),
    ]),
    shown: ["tool one: success one", "tool two: success two"],
  },
  {
    name: "two equal functions",
    events: [1, 2].flatMap(() => [functionCall("f", {}), output("x")]),
    shown: ["tool f: success x", "tool f: success x"],
  },
  {
    name: "two patches of custom tools",
    events: ["a", "b"].flatMap((path) => [
      item("custom_tool_call", { name: "apply_patch", input: envelope(path) }),
      item("custom_tool_call_output", { output: "Success. Updated" }),
    ]),
    shown: ["patch a: apply_success", "patch b: apply_success"],
  },
  {
    name: "two images",
    events: ["/a.png", "/b.png"].flatMap((path) => [
      functionCall("view_image", { path }),
      event("view_image_tool_call", { path }),
      output("attached"),
    ]),
    shown: ["image /a.png", "image /b.png"],
  },
  {
    name: "two images of events",
    events: ["/a.png", "/b.png"].map((path) =>
      event("view_image_tool_call", { path })
    ),
    shown: ["image /a.png", "image /b.png"],
  },
  {
    name: "a command and a function",
    events: [
      functionCall("shell", { command: ["ls"] }),
      output("a"),
      functionCall("f", {}),
      output("b"),
    ],
    shown: ["exec ls: success a", "tool f: success b"],
  },
  {
    name: "a running command and a plan, whose output is nobody's",
    events: [
      functionCall("shell", { command: ["ls"] }),
      functionCall("update_plan", { plan: [] }),
      output("Plan updated"),
    ],
    shown: ["exec ls: running", "plan_update"],
  },
  {
    name: "two commands that both sources tell of",
    events: ["ls", "pwd"].flatMap((command) => [
      functionCall("shell", { command: [command] }),
      event("exec_command_begin", { command: [command] }),
      event("exec_command_end", { exit_code: 0, stdout: command }),
      output(command),
    ]),
    shown: ["exec ls: success ls", "exec pwd: success pwd"],
  },
  {
    name: "two commands that the events tell of first",
    events: ["ls", "pwd"].flatMap((command) => [
      event("exec_command_begin", { command: [command] }),
      event("exec_command_end", { exit_code: 0, stdout: command }),
      functionCall("shell", { command: [command] }),
      output(command),
    ]),
    shown: ["exec ls: success ls", "exec pwd: success pwd"],
  },
  {
    name: "two commands of events",
    events: ["ls", "pwd"].flatMap((command) => [
      event("exec_command_begin", { command: [command] }),
      event("exec_command_output_delta", {
        stream: "stdout",
        chunk: btoa(command),
      }),
      event("exec_command_end", { exit_code: 0, stdout: command }),
    ]),
    shown: ["exec ls: success ls", "exec pwd: success pwd"],
  },
  {
    name: "one command that an event tells of again while it runs",
    events: [
      event("exec_command_begin", { command: ["ls"] }),
      event("exec_command_begin", { command: ["ls", "-l"] }),
    ],
    shown: ["exec ls -l: running"],
  },
  {
    name: "two commands that only look at things",
    events: ["a", "b"].flatMap((name) => [
      event("exec_command_begin", {
        command: ["cat", name],
        parsed_cmd: [{ type: "read", cmd: `cat ${name}`, name }],
      }),
      event("exec_command_end", { exit_code: name === "a" ? 0 : 2 }),
    ]),
    shown: [
      'explore cat a: "success", explore cat b: {"error":{"exit_code":2}}',
    ],
  },
  {
    name: "two MCP calls",
    events: ["one", "two"].flatMap((tool) => {
      const invocation = { server: "s", tool };
      const content = [{ type: "text", text: tool }];
      return [
        event("mcp_tool_call_begin", { invocation }),
        event("mcp_tool_call_end", { invocation, result: { Ok: { content } } }),
      ];
    }),
    shown: ["tool s.one: success one", "tool s.two: success two"],
  },
  {
    name: "two patches of events",
    events: ["a", "b"].flatMap((path) => [
      event("patch_apply_begin", { changes: { [path]: { type: "add" } } }),
      event("patch_apply_end", { success: true }),
    ]),
    shown: ["patch a: apply_success", "patch b: apply_success"],
  },
  {
    name: "one patch that is proposed and applied",
    events: [
      event("apply_patch_approval_request", {
        changes: { a: { type: "add" } },
      }),
      event("patch_apply_begin", { changes: { a: { type: "add" } } }),
      event("patch_apply_end", { success: true }),
    ],
    shown: ["patch a: apply_success"],
  },
  {
    name: "one patch whose beginning is told after its end",
    events: [
      event("patch_apply_end", { success: false, stderr: "No" }),
      event("patch_apply_begin", { changes: { a: { type: "add" } } }),
      event("patch_apply_updated", { changes: { b: { type: "add" } } }),
    ],
    shown: ["patch a: apply_failure"],
  },
  {
    name: "one patch of an exec stream whose beginning is told after its end",
    events: ["completed", "started"].map((phase) =>
      execItem(phase, "file_change", {
        changes: [{ path: phase, kind: "add" }],
      })
    ),
    shown: ["patch completed: apply_success"],
  },
  {
    name: "two commands of an exec stream",
    events: ["ls", "pwd"].flatMap((command) => [
      execItem("started", "command_execution", { command }),
      execItem("completed", "command_execution", {
        command,
        stdout: command,
        exit_code: 0,
      }),
    ]),
    shown: ["exec ls: success ls", "exec pwd: success pwd"],
  },
  {
    name:
      "two explored commands, of which the first is run by another call, too",
    events: [
      event("exec_command_begin", explored("ls")),
      event("exec_command_end", { exit_code: 0 }),
      event("exec_command_begin", { ...explored("ls"), call_id: "other" }),
      event("exec_command_begin", explored("pwd")),
      event("exec_command_end", { exit_code: 2 }),
    ],
    shown: [
      'explore ls: "running", explore pwd: {"error":{"exit_code":2}}',
    ],
  },
  {
    name: "a command and a tool of an exec stream",
    events: [
      execItem("started", "command_execution", { command: "ls" }),
      execItem("completed", "command_execution", { exit_code: 0 }),
      execItem("started", "mcp_tool_call", {
        server_name: "s",
        tool_name: "t",
      }),
      execItem("completed", "mcp_tool_call", {
        server_name: "s",
        tool_name: "t",
      }),
    ],
    shown: ["exec ls: success", "tool s.t: success"],
  },
];

for (const { name, events, shown } of REPEATED) {
  Deno.test(`HistoryState.apply() tells calls of the same id apart: ${name}`, () => {
    const state = new HistoryState();
    const records: AnyHistoryRecord[] = [];
    for (const each of events) {
      for (const mutation of state.apply(each)) {
        applyMutation(records, mutation);
      }
    }
    const expected = state.snapshot({ resume: true });
    assertEquals(tell(expected), shown);
    assert(equalJson(records, expected.records));
    for (let at = 0; at <= events.length; at++) {
      const saved = JSON.stringify(
        historyOf(events.slice(0, at)).snapshot({ resume: true }),
      );
      const restored = historyOf(
        events.slice(at),
        HistoryState.restore(JSON.parse(saved)),
      );
      assert(equalJson(restored.snapshot({ resume: true }), expected));
    }
  });
}

Deno.test("HistoryState.apply() takes an empty id of a call for an id like any other", () => {
  for (const { name, events, shown } of REPEATED) {
    const text = JSON.stringify(events).replaceAll(`"${ID}"`, '""');
    assertEquals(tell(snapshotOf(JSON.parse(text))), shown, name);
  }
  // Some providers clear the id of the call, but not that of the item.
  const ids = { call_id: "", id: "fc_1" };
  const snapshot = snapshotOf([
    functionCall("shell", { command: ["ls"] }),
    output("a"),
    itemLine("function_call", { name: "f", arguments: "{}", ...ids }),
    itemLine("function_call_output", { output: "b", ...ids, id: "fco_1" }),
  ]);
  assertEquals(tell(snapshot), ["exec ls: success a", "tool f: success b"]);
  assertEquals(snapshot.tool_call_lookup, { "": 2 });
});

Deno.test("HistoryState.apply() leaves the id of a call with the newest of them", () => {
  const snapshot = snapshotOf([
    eventLine("task_started"),
    functionCall("one", {}),
    functionCall("two", {}),
    eventLine("turn_aborted", { reason: "interrupted" }),
  ]);
  assertEquals(tell(snapshot), [
    "tool one: failed interrupted",
    "tool two: failed interrupted",
    "background Turn aborted: interrupted",
  ]);
  assertEquals(snapshot.tool_call_lookup, { [ID]: 2 });
});

Deno.test("HistoryState.apply() takes a call for its first one when that is rolled back", () => {
  const turn = (command: string) => [
    eventLine("task_started"),
    functionCall("shell", { command: [command] }),
    output(command),
    eventLine("task_complete"),
  ];
  const state = historyOf([
    ...turn("ls"),
    ...turn("rm"),
    eventLine("thread_rolled_back", { num_turns: 1 }),
    event("exec_command_begin", { command: ["pwd"] }),
    event("exec_command_end", { exit_code: 0, stdout: "x" }),
    functionCall("shell", { command: ["pwd"] }),
  ]);
  assertEquals(tell(state.snapshot()), [
    "exec ls: success ls",
    "exec pwd: success x",
  ]);
});

Deno.test("HistoryState.apply() knows what an explored command does when a later turn is rolled back", () => {
  const search = { type: "search", cmd: "rg x", query: "x", path: null };
  const start = { command: ["rg", "x"], parsed_cmd: [search] };
  const state = historyOf([
    eventLine("task_started"),
    event("exec_command_begin", start),
    eventLine("task_complete"),
    eventLine("task_started"),
    eventLine("agent_message", { message: "x" }),
    event("exec_command_begin", { ...explored("ls"), call_id: "other" }),
    eventLine("thread_rolled_back", { num_turns: 1 }),
    event("exec_command_begin", start),
    event("exec_command_end", { exit_code: 1 }),
  ]);
  assertEquals(tell(state.snapshot()), ['explore rg x: "not_found"']);
  const { exploring } = foldOf(state);
  assertEquals(exploring, []);
});

Deno.test("HistoryState.apply() knows what an explored command does when its end is told twice", () => {
  const search = { type: "search", cmd: "rg x", query: "x", path: null };
  const begin = event("exec_command_begin", {
    command: ["rg", "x"],
    parsed_cmd: [search],
  });
  const end = event("exec_command_end", { exit_code: 1 });
  const shown = ['explore rg x: "not_found"'];
  assertEquals(tell(snapshotOf([begin, end, end])), shown);
  const other = event("exec_command_end", { exit_code: 2 });
  assertEquals(tell(snapshotOf([begin, end, other])), [
    'explore rg x: {"error":{"exit_code":2}}',
  ]);
  const aborted = [
    eventLine("task_started"),
    begin,
    eventLine("turn_aborted", { reason: "interrupted" }),
    event("exec_command_end", { exit_code: 1, parsed_cmd: [search] }),
  ];
  assertEquals(tell(snapshotOf(aborted)), [
    ...shown,
    "background Turn aborted: interrupted",
  ]);
});

Deno.test("HistoryState.apply() keeps what a command does when its end does not say it", () => {
  const command = ["bash", "-lc", "ls"];
  const { records } = snapshotOf([
    functionCall("shell", { command }),
    event("exec_command_begin", {
      command,
      parsed_cmd: [{ type: "list_files", cmd: "ls", path: null }],
    }),
    event("exec_command_end", { command, exit_code: 0 }),
  ]);
  assertEquals(records.map(({ payload }) => Object(payload).action), ["list"]);
});

Deno.test("HistoryState.apply() keeps why a patch failed when its beginning is told late", () => {
  const { records } = snapshotOf([
    event("patch_apply_end", { success: false, stderr: "No" }),
    event("patch_apply_begin", {
      auto_approved: true,
      changes: { a: { type: "delete" } },
    }),
  ]);
  assertEquals(records.map(({ payload }) => payload), [{
    event: "apply_failure",
    auto_approved: true,
    changes: { a: { type: "delete", content: "" } },
    failure: { message: "No", stdout_excerpt: null, stderr_excerpt: "No" },
  }]);
});

Deno.test("HistoryState.forget() forgets the calls of records that are gone", () => {
  const state = historyOf([
    functionCall("shell", { command: ["ls"] }),
    output("a"),
    functionCall("shell", { command: ["pwd"] }),
    output("b"),
  ]);
  const empty = new HistoryState().snapshot({ resume: true });
  state.forget(new Set([1, 2]));
  assertEquals(foldOf(state).links, Object(empty.resume).fold.links);
});

Deno.test("HistoryState.forget() leaves nothing that names a record that is gone (B.4)", () => {
  const begin = (call_id: string, parsed_cmd: unknown[] = []) =>
    eventLine("exec_command_begin", { call_id, command: ["x"], parsed_cmd });
  const state = historyOf([
    eventLine("task_started"),
    eventLine("turn_diff", { unified_diff: "@@ -1 +1 @@\n-a\n+b" }),
    eventLine("agent_message", { message: "m" }),
    eventLine("agent_reasoning", { text: "r" }),
    eventLine("agent_reasoning_delta", { delta: "d" }),
    begin("command"),
    begin("read", [{ type: "read", cmd: "x", name: "x" }]),
    eventLine("patch_apply_begin", { call_id: "patch", changes: {} }),
    eventLine("view_image_tool_call", { call_id: "image", path: "/a" }),
    eventLine("context_compacted"),
  ]);
  const named = () => {
    const {
      turns,
      links,
      working,
      thinking,
      thoughts,
      parts,
      explore,
    } = foldOf(state);
    const ids = [turns.message_id, turns.diff_id, explore];
    const lists = [links, working, thinking, thoughts, parts];
    return [ids.map((id) => id !== null), lists.map(({ length }) => length)];
  };
  assertEquals(named(), [[true, true, true], [8, 2, 1, 1, 1]]);
  state.forget(new Set(state.snapshot().records.map(({ id }) => id)));
  assertEquals(named(), [[false, false, false], [0, 0, 0, 0, 0]]);
});

Deno.test("HistoryState.forget() knows how a review was called until its end is gone", () => {
  const state = historyOf([
    PAGINATED,
    pagedLine("EnteredReviewMode", { id: "a", user_facing_hint: "h" }),
    pagedLine("ExitedReviewMode", { id: "b" }),
  ]);
  const hints = () => foldOf(state).review_hints;
  assertEquals(hints(), [[2, "h"]]);
  state.forget(new Set([2]));
  assertEquals(hints(), []);
});

Deno.test("HistoryState.apply() shows a search for tools as done that the server made", () => {
  const search = (id: string, fields: Record<string, unknown> = {}) =>
    itemLine("tool_search_call", {
      id,
      call_id: null,
      execution: "server",
      status: "completed",
      arguments: { paths: ["crm"] },
      ...fields,
    });
  const found = itemLine("tool_search_output", {
    call_id: null,
    execution: "server",
    status: "completed",
    tools: [],
  });
  const events = [
    eventLine("task_started"),
    search("tsc_1"),
    found,
    search("tsc_2", { id: null, status: "failed" }),
    found,
    eventLine("turn_aborted", { reason: "interrupted" }),
  ];
  assertEquals(tell(snapshotOf(events)), [
    "tool tool_search: success",
    "tool tool_search: failed",
    "background Turn aborted: interrupted",
  ]);
});

for (
  const { name, status, statuses, expected } of [
    { name: "runs", status: "running", expected: "success" },
    { name: "is done", status: { completed: "ok" }, expected: "success" },
    { name: "failed", status: { errored: "no" }, expected: "failed" },
    { name: "is not there", status: "not_found", expected: "failed" },
    {
      name: "failed while another one did not",
      statuses: { a: "running", b: { errored: "no" } },
      expected: "failed",
    },
  ]
) {
  Deno.test(`HistoryState.apply() tells how a call to an agent ended that ${name}`, () => {
    const { records } = snapshotOf([
      event("collab_waiting_end", { status, statuses }),
    ]);
    assertEquals(records.map(({ payload }) => Object(payload).status), [
      expected,
    ]);
  });
}

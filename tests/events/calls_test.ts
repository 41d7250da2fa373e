import { assertEquals } from "@std/assert";
import { HistoryState } from "../../lib/history/history_state.ts";
import {
  checkedSnapshot,
  historyOf,
  payloadsOf,
  snapshotOf,
  summariesOf,
} from "../history/histories.ts";
import { answerLine, eventLine, itemLine } from "../session_lines.ts";

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

/** The state of the fold in a checkpoint. */
function foldOf(state: HistoryState) {
  return Object(state.snapshot({ resume: true }).resume).fold;
}

/** Calls that share one id, and the summaries of their records. */
const SAME_ID: readonly {
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
    name: "a running command and a plan, whose output belongs to neither",
    events: [
      functionCall("shell", { command: ["ls"] }),
      functionCall("update_plan", { plan: [] }),
      output("Plan updated"),
    ],
    shown: ["exec ls: running", "plan_update"],
  },
  {
    name: "two commands in response items and events",
    events: ["ls", "pwd"].flatMap((command) => [
      functionCall("shell", { command: [command] }),
      event("exec_command_begin", { command: [command] }),
      event("exec_command_end", { exit_code: 0, stdout: command }),
      output(command),
    ]),
    shown: ["exec ls: success ls", "exec pwd: success pwd"],
  },
  {
    name: "two commands in events, then in response items",
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
    name: "one command with a second begin event while it runs",
    events: [
      event("exec_command_begin", { command: ["ls"] }),
      event("exec_command_begin", { command: ["ls", "-l"] }),
    ],
    shown: ["exec ls -l: running"],
  },
  {
    name: "two commands that only read",
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
    name: "one patch whose begin event follows its end",
    events: [
      event("patch_apply_end", {
        success: false,
        changes: { a: { type: "add" } },
      }),
      event("patch_apply_begin", { changes: { b: { type: "add" } } }),
      event("patch_apply_updated", { changes: { b: { type: "add" } } }),
    ],
    shown: ["patch a: apply_failure"],
  },
  {
    name: "a patch of an exec stream that only ended, and one that starts",
    events: ["completed", "started"].map((phase) =>
      execItem(phase, "file_change", {
        changes: [{ path: phase, kind: "add" }],
      })
    ),
    shown: ["patch completed: apply_success", "patch started: apply_begin"],
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
    name: "two explored commands, of which another call runs the first again",
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

for (const { name, events, shown } of SAME_ID) {
  Deno.test(`HistoryState.apply() separates calls of the same id: ${name}`, () => {
    assertEquals(summariesOf(checkedSnapshot(events)), shown);
  });
}

Deno.test("HistoryState.apply() treats an empty call id like any other id", () => {
  for (const { name, events, shown } of SAME_ID) {
    const text = JSON.stringify(events).replaceAll(`"${ID}"`, '""');
    assertEquals(summariesOf(snapshotOf(JSON.parse(text))), shown, name);
  }
  // Some providers clear the call id, but not the id of the item.
  const ids = { call_id: "", id: "fc_1" };
  const snapshot = snapshotOf([
    functionCall("shell", { command: ["ls"] }),
    output("a"),
    itemLine("function_call", { name: "f", arguments: "{}", ...ids }),
    itemLine("function_call_output", { output: "b", ...ids, id: "fco_1" }),
  ]);
  assertEquals(summariesOf(snapshot), [
    "exec ls: success a",
    "tool f: success b",
  ]);
  assertEquals(snapshot.tool_call_lookup, { "": 2 });
});

Deno.test("HistoryState.apply() maps a repeated call id to the newest call", () => {
  const snapshot = snapshotOf([
    eventLine("task_started"),
    functionCall("one", {}),
    functionCall("two", {}),
    eventLine("turn_aborted", { reason: "interrupted" }),
  ]);
  assertEquals(summariesOf(snapshot), [
    "tool one: failed interrupted",
    "tool two: failed interrupted",
    "background Turn aborted: interrupted",
  ]);
  assertEquals(snapshot.tool_call_lookup, { [ID]: 2 });
});

Deno.test("HistoryState.apply() does not interrupt a call of a turn that was killed or inherited", () => {
  const snapshot = snapshotOf([
    eventLine("task_started"),
    functionCall("one", {}),
    eventLine("task_started"),
    eventLine("turn_aborted", { reason: "interrupted" }),
  ]);
  assertEquals(summariesOf(snapshot), [
    "tool one: running",
    "background Turn aborted: interrupted",
  ]);
});

Deno.test("HistoryState.apply() starts a repeated call id anew after a rollback", () => {
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
  assertEquals(summariesOf(state.snapshot()), [
    "exec ls: success ls",
    "exec pwd: success x",
  ]);
});

Deno.test("HistoryState.apply() keeps the action of an explored command when a later turn is rolled back", () => {
  const search = { type: "search", cmd: "rg x", query: "x", path: null };
  const start = { command: ["rg", "x"], parsed_cmd: [search] };
  const state = historyOf([
    eventLine("task_started"),
    event("exec_command_begin", start),
    eventLine("task_complete"),
    eventLine("task_started"),
    answerLine("x"),
    event("exec_command_begin", { ...explored("ls"), call_id: "other" }),
    eventLine("thread_rolled_back", { num_turns: 1 }),
    event("exec_command_begin", start),
    event("exec_command_end", { exit_code: 1 }),
  ]);
  assertEquals(summariesOf(state.snapshot()), ['explore rg x: "not_found"']);
  assertEquals(foldOf(state).links, [
    ["call", ID, 1, 0, "search"],
  ]);
});

Deno.test("HistoryState.apply() adds to an explore record that a rollback has made trailing again (B.11)", () => {
  const state = historyOf([
    eventLine("task_started"),
    event("exec_command_begin", explored("a")),
    event("exec_command_end", { exit_code: 0 }),
    eventLine("task_complete"),
    eventLine("task_started"),
    eventLine("agent_message", { message: "x" }),
    event("exec_command_begin", { ...explored("b"), call_id: "b" }),
    eventLine("thread_rolled_back", { num_turns: 1 }),
    event("exec_command_begin", { ...explored("d"), call_id: "d" }),
  ]);
  assertEquals(summariesOf(state.snapshot()), [
    'explore a: "success", explore d: "running"',
  ]);
});

Deno.test("HistoryState.apply() keeps the action of an explored command when its end is repeated", () => {
  const search = { type: "search", cmd: "rg x", query: "x", path: null };
  const begin = event("exec_command_begin", {
    command: ["rg", "x"],
    parsed_cmd: [search],
  });
  const end = event("exec_command_end", { exit_code: 1 });
  const shown = ['explore rg x: "not_found"'];
  assertEquals(summariesOf(snapshotOf([begin, end, end])), shown);
  const other = event("exec_command_end", { exit_code: 2 });
  assertEquals(summariesOf(snapshotOf([begin, end, other])), [
    'explore rg x: {"error":{"exit_code":2}}',
  ]);
  const aborted = [
    eventLine("task_started"),
    begin,
    eventLine("turn_aborted", { reason: "interrupted" }),
    event("exec_command_end", { exit_code: 1, parsed_cmd: [search] }),
  ];
  assertEquals(summariesOf(snapshotOf(aborted)), [
    ...shown,
    "background Turn aborted: interrupted",
  ]);
});

Deno.test("HistoryState.apply() keeps the action of a command whose end has no parsed_cmd", () => {
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

Deno.test("HistoryState.apply() keeps a patch that failed as it is when its begin event follows", () => {
  const { records } = snapshotOf([
    event("patch_apply_end", {
      success: false,
      stderr: "No",
      changes: { a: { type: "delete" } },
    }),
    event("patch_apply_begin", { changes: { b: { type: "delete" } } }),
  ]);
  assertEquals(records.map(({ payload }) => payload), [{
    event: "apply_failure",
    auto_approved: null,
    changes: { a: { type: "delete", content: "" } },
    failure: { message: "No", stdout_excerpt: null, stderr_excerpt: "No" },
  }]);
});

Deno.test("HistoryState.forget() drops the calls of forgotten records", () => {
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

Deno.test("HistoryState.forget() drops all references to forgotten records (B.4)", () => {
  const begin = (call_id: string, parsed_cmd: unknown[] = []) =>
    eventLine("exec_command_begin", { call_id, command: ["x"], parsed_cmd });
  const state = historyOf([
    eventLine("task_started"),
    eventLine("turn_diff", { unified_diff: "@@ -1 +1 @@\n-a\n+b" }),
    answerLine("m"),
    eventLine("agent_reasoning", { text: "r" }),
    eventLine("agent_reasoning_delta", { delta: "d" }),
    begin("command"),
    begin("read", [{ type: "read", cmd: "x", name: "x" }]),
    eventLine("patch_apply_begin", { call_id: "patch", changes: {} }),
    eventLine("view_image_tool_call", { call_id: "image", path: "/a" }),
    eventLine("context_compacted"),
  ]);
  const references = () => {
    const {
      turns,
      links,
      working,
      thinking,
      parts,
    } = foldOf(state);
    const ids = [turns.message_id, turns.diff_id];
    const lists = [links, working, thinking, parts];
    return [ids.map((id) => id !== null), lists.map(({ length }) => length)];
  };
  assertEquals(references(), [[true, true], [7, 2, 1, 1]]);
  state.forget(new Set(state.snapshot().records.map(({ id }) => id)));
  assertEquals(references(), [[false, false], [0, 0, 0, 0]]);
});

Deno.test("HistoryState.apply() counts a wait for a command that a response item states too (C.3)", () => {
  const wait = { call_id: "w" };
  const custom = (phase: string, fields: Record<string, unknown> = {}) =>
    eventLine(`custom_tool_call_${phase}`, {
      ...wait,
      tool_name: "wait",
      parameters: { call_id: ID },
      ...fields,
    });
  const snapshot = snapshotOf([
    functionCall("shell", { command: ["sleep"] }),
    itemLine("function_call", {
      ...wait,
      name: "wait",
      arguments: JSON.stringify({ call_id: ID }),
    }),
    custom("begin"),
    custom("end", { duration: { secs: 2, nanos: 0 }, result: { Ok: "" } }),
    itemLine("function_call_output", { ...wait, output: "" }),
    event("exec_command_end", { exit_code: 0 }),
  ]);
  const [command] = payloadsOf(snapshot, "exec");
  assertEquals(
    [command?.status, command?.wait_active, command?.wait_total_ms],
    ["success", false, 2000],
  );
  assertEquals(snapshot.records.map(({ type }) => type), [
    "exec",
    "wait_status",
  ]);
});

Deno.test("HistoryState.apply() shows a tool search of the server as done", () => {
  const search = (id: string, fields: Record<string, unknown> = {}) =>
    itemLine("tool_search_call", {
      id,
      call_id: null,
      execution: "server",
      status: "completed",
      arguments: { paths: ["crm"] },
      ...fields,
    });
  const result = itemLine("tool_search_output", {
    call_id: null,
    execution: "server",
    status: "completed",
    tools: [],
  });
  const events = [
    eventLine("task_started"),
    search("tsc_1"),
    result,
    search("tsc_2", { id: null, status: "failed" }),
    result,
    eventLine("turn_aborted", { reason: "interrupted" }),
  ];
  assertEquals(summariesOf(snapshotOf(events)), [
    "tool tool_search: success",
    "tool tool_search: failed",
    "background Turn aborted: interrupted",
  ]);
});

for (
  const { name, status, statuses, expected } of [
    { name: "a running agent", status: "running", expected: "success" },
    {
      name: "a completed agent",
      status: { completed: "ok" },
      expected: "success",
    },
    { name: "a failed agent", status: { errored: "no" }, expected: "failed" },
    { name: "an unknown agent", status: "not_found", expected: "failed" },
    {
      name: "an agent with a failed call",
      status: "failed",
      expected: "failed",
    },
    {
      name: "a running and a failed agent",
      statuses: { a: "running", b: { errored: "no" } },
      expected: "failed",
    },
  ]
) {
  Deno.test(`HistoryState.apply() shows ${expected} for a wait on ${name}`, () => {
    const { records } = snapshotOf([
      event("collab_waiting_end", { status, statuses }),
    ]);
    assertEquals(records.map(({ payload }) => Object(payload).status), [
      expected,
    ]);
  });
}

/** The records of response items (history.md C.3). */

import { assert, assertEquals } from "@std/assert";
import {
  readPatchEnvelope,
  readScriptOutput,
  scriptedCall,
} from "../../lib/events/response_items.ts";
import { type Fields, fieldsOf, listOf } from "../../lib/json/fields.ts";
import { payloadsOf, snapshotOf, summariesOf } from "../history/histories.ts";
import {
  callLine,
  eventLine,
  itemLine,
  messageLine,
  outputLine,
} from "../session_lines.ts";
import { eventsOf } from "./reading.ts";

Deno.test("readPatchEnvelope() reads every kind of section", () => {
  const envelope = [
    "*** Begin Patch",
    "*** Add File: a b.txt",
    "+one",
    "+",
    "*** Update File: c.txt\r",
    "*** Move to: d.txt\r",
    "@@ def f():",
    " x",
    "-y",
    "*** End of File",
    "*** Delete File: e.txt",
    "*** End Patch",
    "+not part of it",
  ].join("\n");
  assertEquals(readPatchEnvelope(envelope), [
    { path: "a b.txt", kind: "add", content: "one\n\n" },
    {
      path: "c.txt",
      kind: "update",
      unified_diff: "@@ def f():\n x\n-y\n",
      move_path: "d.txt",
    },
    { path: "e.txt", kind: "delete" },
  ]);
});

Deno.test("readPatchEnvelope() returns no change for other text", () => {
  assertEquals(readPatchEnvelope("this is not a patch"), []);
});

Deno.test("readPatchEnvelope() adds no line for the end of a truncated envelope", () => {
  for (const end of ["", "\n", "\r\n", "\n*** End Patch"]) {
    const envelope = `*** Begin Patch\n*** Add File: a\n+x${end}`;
    assertEquals(readPatchEnvelope(envelope), [
      { path: "a", kind: "add", content: "x\n" },
    ]);
  }
});

Deno.test("readPatchEnvelope() reads added lines that look like markers as content", () => {
  const lines = [
    "*** Begin Patch",
    "*** Add File: b",
    "*** Delete File: b",
    "*** Move to: b",
    "*** End of File",
    "*** End Patch",
  ];
  const added = lines.map((line) => `+${line}`).join("\n");
  const other = "*** End Patch notes\n*** End of Filename";
  const envelope = `*** Add File: a\n${added}\n${other}\n*** End Patch`;
  assertEquals(readPatchEnvelope(envelope), [
    { path: "a", kind: "add", content: `${lines.join("\n")}\n${other}\n` },
  ]);
});

const CASES = [
  { name: "one call", script: 'await tools.f({"a":[1,"}"]});', call: "f" },
  {
    name: "a string",
    script: 'tools.apply_patch("a)\\"b")',
    call: "apply_patch",
  },
  {
    name: "strings with escaped quotes",
    script: `const a = 'it\\'s', b = "\\\\"; tools.f({"b":"\\\\"})`,
    call: "f",
  },
  { name: "a division", script: "tools.f({}); 1 / 2", call: "f" },
  { name: "no argument", script: "tools.f()", call: undefined },
  { name: "two arguments", script: "tools.f({}, 1)", call: undefined },
  { name: "no JSON", script: "tools.f({a: 1})", call: undefined },
  { name: "two calls", script: "tools.f({});tools.g({})", call: undefined },
  {
    name: "a call in a string",
    script: "text('tools.f({})')",
    call: undefined,
  },
  {
    name: "a call in a comment",
    script: "// tools.g({})\ntools.f({})",
    call: "f",
  },
  { name: "another object", script: "my.tools.f({})", call: undefined },
  { name: "an open string", script: 'tools.f("', call: undefined },
] as const;

for (const { name, script, call } of CASES) {
  Deno.test(`scriptedCall() reads ${name}`, () => {
    assertEquals(scriptedCall(script)?.name, call);
  });
}

Deno.test("readScriptOutput() reads the result, texts and duration of a script", () => {
  const head = "Wall time 1.5 seconds\nOutput:\n";
  assertEquals(readScriptOutput([{ text: `Script completed\n${head}` }, "x"]), {
    state: "completed",
    cell: undefined,
    texts: ["x"],
    seconds: 1.5,
  });
  assertEquals(readScriptOutput(`Script failed\n${head}Script error:\nno`), {
    state: "failed",
    cell: undefined,
    texts: ["no"],
    seconds: 1.5,
  });
  assertEquals(readScriptOutput(`Script running\n${head}`)?.state, "running");
  assertEquals(readScriptOutput("x"), undefined);
});

const CALL = { call_id: "c" };
const TEXT = [{ type: "output_text", text: "a" }];
const PATCH = "*** Begin Patch\n*** Delete File: a\n*** End Patch";

/** Response items, the summaries of their records, and a line before the item if it needs one. */
const ITEMS: readonly (readonly [
  type: string,
  fields: Readonly<Record<string, unknown>>,
  shown: readonly string[],
  before?: unknown,
])[] = [
  ["message", { role: "user", content: TEXT }, ["user: a"]],
  ["message", { role: "assistant", content: TEXT }, ["answer: a"]],
  ["message", { role: "developer", content: TEXT }, []],
  ["message", { role: "system", content: TEXT }, []],
  ["agent_message", { author: "b", content: TEXT }, ["assistant: a"]],
  ["agent_message", { author: "b", content: [{ encrypted_content: "x" }] }, []],
  ["reasoning", { summary: TEXT, encrypted_content: "x" }, ["reasoning: a"]],
  ["reasoning", { summary: [{ text: { text: "a" } }] }, ["reasoning: a"]],
  ["message", { role: "user", content: { text: "a" } }, ["user: a"]],
  ["message", { role: "assistant", content: ["a"] }, ["answer: a"]],
  [
    "local_shell_call",
    { id: "c", action: { command: ["ls"] } },
    ["exec ls: running"],
  ],
  ...["shell", "container.exec", "local_shell", "shell_command"].flatMap((
    name,
  ): typeof ITEMS => [
    ["function_call", { ...CALL, name, arguments: '{"command":["ls","-a"]}' }, [
      "exec ls -a: running",
    ]],
    ["function_call", { ...CALL, name, arguments: { command: "ls -a" } }, [
      "exec ls -a: running",
    ]],
    ["function_call", { ...CALL, name, arguments: '{"cmd":"ls"}' }, [
      `tool ${name}: running`,
    ]],
  ]),
  ["function_call", {
    ...CALL,
    name: "exec_command",
    arguments: '{"cmd":"ls"}',
  }, [
    "exec ls: running",
  ]],
  ["function_call", {
    ...CALL,
    name: "apply_patch",
    arguments: JSON.stringify(PATCH),
  }, [
    "patch a: apply_begin",
  ]],
  ["function_call", {
    ...CALL,
    name: "apply_patch",
    arguments: { patch: PATCH },
  }, [
    "patch a: apply_begin",
  ]],
  ["function_call", { ...CALL, name: "update_plan", arguments: { plan: [] } }, [
    "plan_update",
  ]],
  ["function_call", { ...CALL, name: "update_plan", arguments: {} }, [
    "tool update_plan: running",
  ]],
  [
    "function_call",
    { ...CALL, name: "view_image", arguments: { path: "/a" } },
    [
      "image /a",
    ],
  ],
  ["function_call", { ...CALL, name: "view_image", arguments: {} }, [
    "tool view_image: running",
  ]],
  ["custom_tool_call", { ...CALL, name: "apply_patch", input: PATCH }, [
    "patch a: apply_begin",
  ]],
  ["custom_tool_call", { ...CALL, name: "t", input: "a" }, ["tool t: running"]],
  ...["function_call", "local_shell_call", "custom_tool_call"].map((
    type,
  ): typeof ITEMS[number] => [
    `${type}_output`,
    { ...CALL, output: "a" },
    ["tool t: success a"],
    itemLine("function_call", { ...CALL, name: "t", arguments: "{}" }),
  ]),
  ...["function_call", "custom_tool_call"].map((
    type,
  ): typeof ITEMS[number] => [
    type,
    { ...CALL, name: "t", arguments: "{}" },
    ["tool t: running"],
    eventLine("dynamic_tool_call_request", { ...CALL, tool: "t" }),
  ]),
  ["web_search_call", { id: "c", status: "failed" }, [
    "tool web_search: failed",
  ]],
  ["tool_search_call", { ...CALL, execution: "server" }, [
    "tool tool_search: running",
  ]],
  ["tool_search_call", { id: "c", execution: "client" }, [
    "tool tool_search: running",
  ]],
  [
    "tool_search_output",
    { ...CALL, status: "failed" },
    ["tool tool_search: failed"],
    itemLine("tool_search_call", CALL),
  ],
  ["tool_search_output", CALL, []],
  ["image_generation_call", { id: "c", saved_path: "/a" }, ["image /a"]],
  ...[
    "ghost_snapshot",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "additional_tools",
    "compaction_trigger",
    "other",
  ].map((type): typeof ITEMS[number] => [type, { content: TEXT }, []]),
];

for (const [type, fields, shown, before] of ITEMS) {
  Deno.test(`HistoryState.apply() shows a ${type}: ${JSON.stringify(fields)} (C.3)`, () => {
    const events = [before ?? [], itemLine(type, fields)].flat();
    assertEquals(summariesOf(snapshotOf(events)), shown);
  });
}

function functionCall(
  name: string,
  args: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return itemLine("function_call", {
    name,
    call_id: "c",
    arguments: JSON.stringify(args),
    ...fields,
  });
}

Deno.test("HistoryState.apply() shows a shell call of apply_patch as a patch (C.3)", () => {
  const envelope = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
  const snapshot = snapshotOf([
    functionCall("shell", { command: ["apply_patch", envelope] }),
  ]);
  assertEquals(snapshot.records.map(({ type }) => type), ["patch"]);
  assertEquals(payloadsOf(snapshot, "patch")[0]?.changes, {
    a: { type: "add", content: "x\n" },
  });
});

Deno.test("EventReader reads a patch that is passed to a shell, by both names of its tool, with the folder of the paths (C.7)", () => {
  const envelope = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
  const heredoc = (name: string) => `${name} <<'EOF'\n${envelope}\nEOF\n`;
  const endOf = (args: Fields, text = "Success.") => {
    const end = eventsOf([callLine("shell", args), outputLine(text)]).at(-1);
    const { changes } = fieldsOf(end?.content);
    const paths = listOf(changes).map((change) => fieldsOf(change).path);
    return [end?.item_type, end?.status, ...paths];
  };
  const lineOf = (script: string) => ({ command: ["bash", "-lc", script] });
  const applied = (path: string) => ["file_change", "completed", path];
  for (const name of ["apply_patch", "applypatch"]) {
    assertEquals(endOf({ command: [name, envelope] }), applied("a"));
    assertEquals(endOf(lineOf(heredoc(name))), applied("a"));
    const moved = lineOf(`cd 'b c' && ${heredoc(name)}`);
    assertEquals(endOf(moved), applied("b c/a"));
    assertEquals(endOf({ ...moved, workdir: "/w" }), applied("/w/b c/a"));
  }
  const whole = { command: ["apply_patch", envelope], workdir: "/w/" };
  assertEquals(endOf(whole), applied("/w/a"));
  assertEquals(
    endOf(
      lineOf(heredoc("apply_patch")),
      "apply_patch verification failed: no",
    ),
    ["file_change", "failed", "a"],
  );
  assertEquals(
    endOf(lineOf(heredoc("my_apply_patch")), "Exit code: 0\nOutput:\nhi"),
    ["command_execution", "completed"],
  );
});

Deno.test("HistoryState.apply() names a tool after its server (C.3)", () => {
  const titleOf = (name: string, fields: Record<string, unknown> = {}) =>
    payloadsOf(
      snapshotOf([functionCall(name, {}, fields)]),
      "running_tool",
    )[0]?.title;
  assertEquals(titleOf("mcp__srv__do__it"), "srv.do__it");
  assertEquals(titleOf("srv__do"), "srv.do");
  assertEquals(titleOf("lookup"), "lookup");
  assertEquals(titleOf("mcp__a", { namespace: "n" }), "n.mcp__a");
  assertEquals(titleOf("do", { namespace: "mcp__srv" }), "srv.do");
  assertEquals(titleOf("do", { namespace: "mcp__srv__" }), "srv.do");
});

Deno.test("HistoryState.apply() keeps arguments and results that nest too deep as text", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const blocks = `[{"type":"text","a":${deep}}]`;
  const script = `await tools.x({"a":${deep}})`;
  const snapshot = snapshotOf([
    itemLine("function_call", { name: "x", arguments: deep, call_id: "1" }),
    itemLine("function_call_output", { call_id: "1", output: blocks }),
    itemLine("custom_tool_call", { name: "exec", input: script, call_id: "2" }),
  ]);
  assertEquals(
    payloadsOf(snapshot, "tool_call")[0]?.arguments,
    [{ name: "args", value: { type: "text", text: deep } }],
  );
  assert(JSON.stringify(snapshot).includes("tools.x("));
});

Deno.test("HistoryState.apply() reads the error in the text of a failed MCP call", () => {
  const text = "tool call error: tool call failed for `srv/do`";
  const endOf = (words: string) => {
    const blocks = JSON.stringify([{ type: "text", text: words }]);
    const [tool] = payloadsOf(
      snapshotOf([
        functionCall("mcp__srv__do", {}),
        itemLine("function_call_output", {
          ...CALL,
          output: `Wall time: 0.1 seconds\nOutput:\n${blocks}`,
        }),
      ]),
      "tool_call",
    );
    return [tool?.status, tool?.error_message];
  };
  assertEquals(endOf(text), ["failed", text]);
  assertEquals(endOf(`no ${text}`), ["success", null]);
});

Deno.test("EventReader gives the error of an MCP call without quotes, as streams do (0.80 to 0.104)", () => {
  const text =
    "tool call error: tool call failed for `srv/do`\n\nCaused by: it";
  const refused = "err: key must be a string at line 1 column 2";
  for (
    const [output, message] of [
      [text, text],
      [`err: ${JSON.stringify(text)}`, text],
      [refused, refused],
    ]
  ) {
    const [, end] = eventsOf([
      functionCall("mcp__srv__do", {}),
      itemLine("function_call_output", { ...CALL, output }),
    ]);
    assertEquals(fieldsOf(end?.content).error, { message });
  }
});

Deno.test("EventReader gives the content of an MCP result as a list of blocks, in any form of the output (C.7)", () => {
  const said = { type: "text", text: "a" };
  for (
    const [output, content] of [
      ["[]", []],
      [JSON.stringify([said]), [said]],
      ['{"v":1}', [{ type: "text", text: '{"v":1}' }]],
      ["[1]", [{ type: "text", text: "[1]" }]],
      [[said, { type: "input_image" }], [said, { type: "input_image" }]],
    ] as const
  ) {
    const [, end] = eventsOf([
      functionCall("mcp__srv__do", {}),
      itemLine("function_call_output", { ...CALL, output }),
    ]);
    assertEquals(fieldsOf(fieldsOf(end?.content).result).content, content);
  }
});

Deno.test("EventReader keeps the image of a result that has a header", () => {
  const image = { type: "input_image", image_url: "data:image/png;base64,AA" };
  const header = { type: "input_text", text: "Wall time: 1 seconds\nOutput:" };
  const [, end] = eventsOf([
    functionCall("f", {}),
    itemLine("function_call_output", { ...CALL, output: [header, image] }),
  ]);
  assertEquals(fieldsOf(end?.content).output, ["", image]);
});

Deno.test("EventReader reads a call between agents whose output is a list of parts", () => {
  const spawn = (text: string) =>
    eventsOf([
      functionCall("spawn_agent", { message: "Go" }),
      itemLine("function_call_output", {
        ...CALL,
        output: [{ type: "input_text", text }],
      }),
    ]).at(-1);
  assertEquals(spawn('{"agent_id":"t"}')?.receiver_thread_ids, ["t"]);
  assertEquals(spawn("too many agents")?.status, "failed");
});

Deno.test("EventReader takes linear time for a message that repeats the head of a command's result", () => {
  const head = "\n</command>\n<result>\nExit code: 0\nDuration: 1 seconds\n" +
    "Output:\n";
  // In quadratic time this would take minutes.
  const text = `<user_shell_command>\n<command>\n${head.repeat(40_000)}` +
    "</user_shell_command>";
  const [said] = eventsOf([messageLine("user", text)]);
  assertEquals(said?.item_type, "injected_context");
});

Deno.test("EventReader keeps the path of an image whose event comes before its call", () => {
  const events = eventsOf([
    eventLine("image_generation_end", { call_id: "c", saved_path: "/a.png" }),
    itemLine("image_generation_call", { id: "c", result: "AAAA" }),
  ]);
  const [last] = events.slice(-1);
  assertEquals(fieldsOf(last?.content).saved_path, "/a.png");
});

Deno.test("HistoryState.apply() keeps the record of an event when its call follows (C.3)", () => {
  const envelope = "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch";
  const patch = eventLine("patch_apply_begin", {
    call_id: "c",
    changes: { a: { type: "add", content: "1" } },
  });
  const command = (type: string) =>
    eventLine("exec_command_begin", {
      call_id: "c",
      command: ["cat", "a"],
      parsed_cmd: [{ type, cmd: "cat a", name: "a" }],
    });
  const shell = (command: readonly string[]) =>
    functionCall("shell", { command });
  for (
    const [event, call, type] of [
      [patch, functionCall("apply_patch", { input: envelope }), "patch"],
      [patch, shell(["apply_patch", envelope]), "patch"],
      [command("unknown"), shell(["bash", "-lc", "cat a"]), "exec"],
      [command("read"), shell(["bash", "-lc", "cat a"]), "explore"],
    ] as const
  ) {
    const before = snapshotOf([event]);
    assertEquals(before.records.map((record) => record.type), [type]);
    assertEquals(snapshotOf([event, call]), before);
  }
});

Deno.test("HistoryState.apply() reads every mark of a failed call (C.3)", () => {
  const tool = (fields: Record<string, unknown>) =>
    payloadsOf(
      snapshotOf([
        eventLine("dynamic_tool_call_response", { call_id: "c", ...fields }),
      ]),
      "tool_call",
    )[0]?.status;
  assertEquals(tool({}), "success");
  assertEquals(tool({ success: false }), "failed");
  assertEquals(tool({ status: "failed" }), "failed");
  assertEquals(tool({ error: "no" }), "failed");
  const patch = (fields: Record<string, unknown>) =>
    payloadsOf(
      snapshotOf([
        eventLine("patch_apply_end", { call_id: "c", changes: {}, ...fields }),
      ]),
      "patch",
    )[0]?.event;
  assertEquals(patch({ status: "completed" }), "apply_success");
  assertEquals(patch({ status: "failed" }), "apply_failure");
  assertEquals(patch({ success: true, status: "failed" }), "apply_success");
});

Deno.test("HistoryState.apply() shows a call between agents that was refused, or whose agent failed, as failed", () => {
  for (
    const { name, output, expected = "failed" } of [
      { name: "spawn_agent", output: "agent path `/a` already exists" },
      { name: "spawn_agent", output: "Provide one of: message or items" },
      { name: "send_message", output: "live agent path `/a` not found" },
      { name: "send_message", output: "", expected: "success" },
      {
        name: "spawn_agent",
        output: '{"task_name":"/a"}',
        expected: "success",
      },
      {
        name: "wait_agent",
        output: '{"status":{"a":{"errored":"no"}},"timed_out":false}',
      },
      { name: "wait", output: '{"status":{"a":"not_found"}}' },
      {
        name: "wait",
        output: '{"status":{"a":{"completed":null}},"timed_out":false}',
        expected: "success",
      },
      { name: "close_agent", output: '{"status":{"errored":"no"}}' },
      {
        name: "close_agent",
        output: '{"status":"running"}',
        expected: "success",
      },
    ]
  ) {
    const lines = [
      itemLine("function_call", { arguments: "{}", ...CALL, name }),
      itemLine("function_call_output", { ...CALL, output }),
    ];
    const [tool] = payloadsOf(snapshotOf(lines), "tool_call");
    assertEquals(tool?.status, expected, `${name}: ${output}`);
  }
});

Deno.test("HistoryState.apply() shows calls between agents alike, with and without their namespace (0.130, 0.140)", () => {
  const titles = [{}, { namespace: "multi_agent_v1" }].map((namespace) => {
    const call = { ...CALL, ...namespace, name: "wait_agent", arguments: "{}" };
    const lines = [itemLine("function_call", call)];
    return payloadsOf(snapshotOf(lines), "running_tool")[0]?.title;
  });
  assertEquals(titles, ["collab.wait", "collab.wait"]);
});

Deno.test("HistoryState.apply() shows every tool whose output denies its success as failed (C.6)", () => {
  for (
    const call of [
      { name: "lookup" },
      { name: "mcp__docs__search" },
      { name: "spawn_agent" },
      { name: "write_stdin", arguments: '{"session_id":1,"chars":"a"}' },
    ]
  ) {
    const lines = [
      itemLine("function_call", { arguments: "{}", ...CALL, ...call }),
      itemLine("function_call_output", {
        ...CALL,
        output: { content: "no", success: false },
      }),
    ];
    const [tool] = payloadsOf(snapshotOf(lines), "tool_call");
    assertEquals(tool?.status, "failed", call.name);
    assertEquals(tool?.result_preview, { lines: ["no"], truncated: false });
  }
});

Deno.test("HistoryState.apply() shows a tool as done though a command in its output failed (C.6)", () => {
  const output = "Exit code: 1\nWall time: 1 seconds\nOutput:\nno";
  const [tool] = payloadsOf(
    snapshotOf([callLine("deploy", {}), outputLine(output)]),
    "tool_call",
  );
  assertEquals([tool?.status, tool?.error_message], ["success", null]);
  assertEquals(tool?.result_preview, { lines: ["no"], truncated: false });
});

Deno.test("HistoryState.apply() shows a rejected local shell call as failed (C.6)", () => {
  const statusOf = (output: string): unknown => {
    const lines = [
      itemLine("local_shell_call", { ...CALL, action: { command: ["ls"] } }),
      itemLine("function_call_output", { ...CALL, output }),
    ];
    return payloadsOf(snapshotOf(lines), "exec")[0]?.status;
  };
  assertEquals(statusOf("a"), "success");
  for (
    const output of [
      "patch rejected: writing outside of the project; rejected by user approval settings",
      "exec command rejected by user",
    ]
  ) assertEquals(statusOf(output), "error", output);
});

Deno.test("EventReader tells by the output whether a command with unknown arguments failed (C.6)", () => {
  const status = (output: string) => {
    const lines = [
      callLine("exec_command", { line: "ls" }),
      outputLine(output),
    ];
    return eventsOf(lines).at(-1)?.status;
  };
  assertEquals(status("Process exited with code 0\nOutput:\n"), "completed");
  assertEquals(status("Process exited with code 3\nOutput:\n"), "failed");
  assertEquals(status("execution error: no such folder"), "failed");
  assertEquals(status("of another tool with that name"), "completed");
});

Deno.test("EventReader gives the folder of a local shell call", () => {
  const command = ["ls"];
  const folders = ["/w", null].map((working_directory) => {
    const action = { type: "exec", command, working_directory };
    const [begin] = eventsOf([
      itemLine("local_shell_call", { call_id: "c", action }),
    ]);
    return fieldsOf(begin?.content).cwd;
  });
  assertEquals(folders, ["/w", undefined]);
});

Deno.test("EventReader reads commands and patches that the user, a reviewer, a rule or a hook rejected as declined", () => {
  const statusOf = (request: Fields, text: string): unknown =>
    eventsOf([request, outputLine(text)]).at(-1)?.status;
  const command = callLine("exec_command", { cmd: "ls" });
  const patch = callLine("apply_patch", { input: PATCH });
  const tool = callLine("get_goal", {});
  for (
    const [each, text, status] of [
      [command, "exec command rejected by user", "declined"],
      [
        command,
        'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
        "declined",
      ],
      [
        command,
        'exec_command failed: CreateProcess { message: "Rejected(\\"Automatic approval review failed: x\\")" }',
        "declined",
      ],
      [
        command,
        "`ls` rejected: policy forbids commands starting with `ls`",
        "declined",
      ],
      [
        command,
        "`bash -lc 'ls\nrm x'` rejected: blocked by policy",
        "declined",
      ],
      [
        command,
        'exec_command failed for `bash -lc "ls\nrm x"`: CreateProcess { message: "Rejected(\\"blocked by policy\\")" }',
        "declined",
      ],
      [
        command,
        'exec_command failed for `grep \'"Rejected(\' x`: CreateProcess { message: "No such file" }',
        "failed",
      ],
      ...["", " for `ls`"].map((place) =>
        [
          command,
          `exec_command failed${place}: CreateProcess { message: "Rejected(\\"Failed to create unified exec process: No such file or directory (os error 2)\\")" }`,
          "failed",
        ] as const
      ),
      [
        command,
        "This action was rejected due to unacceptable risk.\nReason: x",
        "declined",
      ],
      [
        command,
        "approval required by policy, but AskForApproval is set to Never",
        "declined",
      ],
      [
        command,
        "Exit code: 1\nWall time: 1 seconds\nOutput:\nrejected by user",
        "failed",
      ],
      [
        command,
        "Exit code: 0\nWall time: 1 seconds\nOutput:\nrejected by user",
        "completed",
      ],
      [command, "failed in sandbox\nrejected by user", "failed"],
      ...[command, patch].map((each) =>
        [
          each,
          "Command blocked by PreToolUse hook: no. Command: ls",
          "declined",
        ] as const
      ),
      [tool, "Tool call blocked by PreToolUse hook: no. Tool: x", "failed"],
      [tool, "write_stdin rejected: no", "failed"],
      [patch, "patch rejected by user", "declined"],
      [
        patch,
        "patch rejected: writing outside of the project; rejected by user approval settings",
        "failed",
      ],
    ] as const
  ) assertEquals(statusOf(each, text), status, text);
});

Deno.test("EventReader keeps response items of unknown types, without those that Codex did not know", () => {
  const events = eventsOf([
    itemLine("deploy_call", { id: "d", call_id: "c", target: "prod" }),
    itemLine("deploy_output", { call_id: "c", output: "done" }),
    itemLine("other"),
    itemLine("ghost_snapshot", { ghost_commit: {} }),
  ]);
  assertEquals(
    events.map(({ item_type, item_id, call_id, content }) => [
      [item_type, item_id, call_id],
      content,
    ]),
    [
      [["deploy_call", "d", "c"], { target: "prod" }],
      [["deploy_output", "deploy_output:c", "c"], { output: "done" }],
    ],
  );
});

import { assert, assertEquals } from "@std/assert";
import { isThreadEvent } from "../../lib/dialects/exec/decoder.ts";
import { EventReader, eventText } from "../../lib/events/event_reader.ts";
import { type Fields, fieldsOf, knownFields } from "../../lib/json/fields.ts";
import { equalJson } from "../fixtures.ts";
import { payloadsOf, readEvents, snapshotOf } from "../history/histories.ts";
import { readCapturedFiles } from "../rollouts.ts";
import {
  answerLine,
  callLine,
  eventLine,
  itemLine,
  line,
  messageLine,
  outputLine,
  pagedLine,
  PAGINATED,
  promptLine,
} from "../session_lines.ts";
import { eventsOf, script, summaryOf } from "./reading.ts";

const RUNNING = "Wall time: 0.5 seconds\nProcess running with session ID 7\n" +
  "Output:\n";
const EXITED = "Wall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n";

const SHELL_PATCH =
  "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF";

const WRITTEN_PATCH = SHELL_PATCH.replace("apply_patch", "./test");

const UNREAD =
  "Codex could not read the local image at `/w/a.md`: unsupported MIME type";

/** A token_count with the total of the thread and its last request. */
function counted(total: number, last: number): Fields {
  return eventLine("token_count", {
    info: {
      total_token_usage: { input_tokens: total },
      last_token_usage: { input_tokens: last },
    },
  });
}

/** Lines, and the summaries of their events. */
const CASES: readonly {
  readonly name: string;
  readonly lines: readonly Fields[];
  readonly expected: readonly string[];
}[] = [
  {
    name: "a command with its exit status",
    lines: [
      callLine("shell", { command: ["ls"] }),
      outputLine('{"output":"a\\n","metadata":{"exit_code":0}}'),
    ],
    expected: [
      "started command_execution ls",
      "completed command_execution ls = 0 > a\n",
    ],
  },
  {
    name: "a command that did not complete (C.6)",
    lines: [
      callLine("shell", { command: ["ls"] }),
      outputLine("execution error: Sandbox(Signal(9))"),
    ],
    expected: [
      "started command_execution ls",
      "completed command_execution failed ls > execution error: Sandbox(Signal(9))",
    ],
  },
  {
    name: "a session of unified exec (C.6)",
    lines: [
      callLine("exec_command", { cmd: "bash" }),
      outputLine(`${RUNNING}one\n`),
      callLine("write_stdin", { session_id: 7, chars: "" }, "c2"),
      outputLine(`${RUNNING}two\n`, "c2"),
      // Codex takes absent `chars` for a poll too.
      callLine("write_stdin", { session_id: 7 }, "c4"),
      outputLine(`${RUNNING}and\n`, "c4"),
      callLine("write_stdin", { session_id: 7, chars: "exit 3\n" }, "c3"),
      outputLine(`${EXITED}three\n`, "c3"),
    ],
    expected: [
      "started command_execution bash",
      "delta command_execution > one\n",
      "delta command_execution > two\n",
      "delta command_execution > and\n",
      "started tool_call write_stdin",
      "completed tool_call write_stdin",
      "completed command_execution failed bash = 3 > one\ntwo\nand\nthree\n",
    ],
  },
  {
    name: "a session whose command has a call id that occurs again",
    lines: [
      callLine("exec_command", { cmd: "bash" }),
      outputLine(`${RUNNING}one\n`),
      callLine("write_stdin", { session_id: 7, chars: "exit 3\n" }),
      outputLine(`${EXITED}two\n`),
    ],
    expected: [
      "started command_execution bash",
      "delta command_execution > one\n",
      "started tool_call c1#2 write_stdin",
      "completed tool_call c1#2 write_stdin",
      "completed command_execution failed bash = 3 > one\ntwo\n",
    ],
  },
  {
    name: "a session whose command was rolled back (B.4)",
    lines: [
      callLine("exec_command", { cmd: "bash" }),
      outputLine(`${RUNNING}one\n`),
      eventLine("thread_rolled_back", { num_turns: 1 }),
      callLine("write_stdin", { session_id: 7, chars: "exit 3\n" }, "c2"),
      outputLine(`${EXITED}two\n`, "c2"),
    ],
    expected: [
      "started command_execution bash",
      "delta command_execution > one\n",
      "completed thread_rolled_back synthetic-item-1",
      "started tool_call write_stdin",
      "completed tool_call write_stdin",
    ],
  },
  {
    name: "a session while an aborted prompt after it was rolled back (B.4)",
    lines: [
      promptLine("a"),
      callLine("exec_command", { cmd: "bash" }),
      outputLine(`${RUNNING}one\n`),
      promptLine("b"),
      eventLine("turn_aborted", { reason: "interrupted" }),
      eventLine("thread_rolled_back", { num_turns: 1 }),
      promptLine("c"),
      callLine("write_stdin", { session_id: 7, chars: "" }, "c2"),
      outputLine(`${EXITED}two\n`, "c2"),
    ],
    expected: [
      "completed user_message synthetic-item-1 a",
      "turn.started",
      "started command_execution bash",
      "delta command_execution > one\n",
      "completed user_message synthetic-item-2 b",
      "turn.started",
      "turn.failed interrupted",
      "completed thread_rolled_back synthetic-item-3",
      "completed user_message synthetic-item-4 c",
      "turn.started",
      "completed command_execution failed bash = 3 > one\ntwo\n",
    ],
  },
  {
    name: "a write to an unknown session",
    lines: [
      callLine("write_stdin", { session_id: 9, chars: "" }),
      outputLine("write_stdin failed: Unknown process id 9"),
    ],
    expected: [
      "completed tool_call failed write_stdin write_stdin failed: Unknown process id 9",
    ],
  },
  ...[
    ["write_stdin", "unknown session id 9"],
    ["unified_exec", "unified exec failed: MissingCommandLine"],
    ["unified_exec", "invalid session_id: a due to error ParseIntError"],
  ].map(([tool = "", error = ""]) => ({
    name: `a session of 0.42: ${error}`,
    lines: [callLine(tool, { session_id: 9, chars: "a" }), outputLine(error)],
    expected: [
      `started tool_call ${tool}`,
      `completed tool_call failed ${tool} ${error}`,
    ],
  })),
  {
    name: "a patch that failed verification (C.6)",
    lines: [
      itemLine("custom_tool_call", {
        name: "apply_patch",
        input: "*** Begin Patch\n*** Delete File: a\n*** End Patch",
        call_id: "c1",
      }),
      outputLine("apply_patch verification failed: no"),
    ],
    expected: ["started file_change", "completed file_change failed"],
  },
  {
    name: "a patch in a shell",
    lines: [
      callLine("shell", {
        command: [
          "bash",
          "-lc",
          "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF",
        ],
      }),
      outputLine(
        "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated",
      ),
    ],
    expected: [
      "started command_execution bash -lc apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF",
      "completed file_change = 0 > Success. Updated",
    ],
  },
  {
    name: "a plan, and invalid plans (C.6)",
    lines: [
      callLine("update_plan", { plan: [{ step: "a", status: "pending" }] }),
      outputLine("Plan updated"),
      callLine("update_plan", { plan: [{ step: "a" }] }, "c2"),
      outputLine("failed to parse function arguments: x", "c2"),
      callLine("update_plan", { plan: "x" }, "c3"),
      outputLine("failed to parse function arguments: x", "c3"),
    ],
    expected: [
      "started todo_list",
      "completed todo_list",
      "started todo_list",
      "failed todo_list failed to parse function arguments: x",
      "started tool_call update_plan",
      "completed tool_call failed update_plan failed to parse function arguments: x",
    ],
  },
  {
    name: "an unsupported call (C.5)",
    lines: [
      PAGINATED,
      callLine("nothing", {}),
      outputLine("unsupported call: nothing"),
    ],
    expected: [
      "thread.started",
      "started tool_call nothing",
      "completed tool_call failed nothing unsupported call: nothing",
    ],
  },
  {
    name: "an item before the output of its call (C.5)",
    lines: [
      PAGINATED,
      callLine("exec_command", { cmd: "ls" }),
      pagedLine("CommandExecution", {
        id: "c1",
        command: ["bash", "-lc", "ls"],
        aggregated_output: "a",
        exit_code: 0,
      }),
      outputLine(`${EXITED}b`),
    ],
    expected: [
      "thread.started",
      "started command_execution ls",
      "completed command_execution bash -lc ls = 0 > a",
    ],
  },
  {
    name: "scripts with one call, in any order (C.5)",
    lines: [
      PAGINATED,
      script('await tools.exec_command({"cmd":"a"});', "c1"),
      script('await tools.exec_command({"cmd":"b"});', "c2"),
      pagedLine("CommandExecution", {
        id: "exec-1",
        command: ["b"],
        exit_code: 0,
      }),
      pagedLine("CommandExecution", {
        id: "exec-2",
        command: ["a"],
        exit_code: 1,
      }),
      outputLine(
        [{ text: "Script completed\nOutput:\n" }, { text: "{}" }],
        "c1",
      ),
    ],
    expected: [
      "thread.started",
      "started command_execution a",
      "started command_execution b",
      "completed command_execution b = 0 > ",
      "completed command_execution failed a = 1 > ",
    ],
  },
  {
    name: "a repeated item of a script's call, while another script runs (C.5)",
    lines: [
      PAGINATED,
      script('await tools.exec_command({"cmd":"a"});', "c1"),
      script('await tools.exec_command({"cmd":"b"});', "c2"),
      pagedLine("CommandExecution", {
        id: "exec-1",
        command: ["a"],
        exit_code: 1,
      }),
      pagedLine("CommandExecution", {
        id: "exec-1",
        command: ["a"],
        exit_code: 0,
      }),
      pagedLine("CommandExecution", {
        id: "exec-2",
        command: ["b"],
        exit_code: 2,
      }),
    ],
    expected: [
      "thread.started",
      "started command_execution a",
      "started command_execution b",
      "completed command_execution failed a = 1 > ",
      "completed command_execution a = 0 > ",
      "completed command_execution failed b = 2 > ",
    ],
  },
  {
    name: "the item of a script's call, when both are repeated (C.5)",
    lines: [
      PAGINATED,
      script('await tools.exec_command({"cmd":"a"});'),
      pagedLine("CommandExecution", { id: "exec-1", command: ["a"] }),
      script('await tools.exec_command({"cmd":"a"});'),
      pagedLine("CommandExecution", { id: "exec-1", command: ["a"] }),
    ],
    expected: [
      "thread.started",
      "started command_execution a",
      "completed command_execution a > ",
      "started command_execution c1#2 a",
      "completed command_execution c1#2 a > ",
    ],
  },
  {
    name: "an item after its script was aborted",
    lines: [
      PAGINATED,
      script('await tools.exec_command({"cmd":"a fork\'s"});', "c0"),
      script('await tools.exec_command({"cmd":"sleep 9"});'),
      outputLine("aborted by user after 1.0s"),
      eventLine("turn_aborted", { reason: "interrupted" }),
      pagedLine("CommandExecution", {
        id: "exec-1",
        command: ["sh", "-c", "sleep 9"],
        exit_code: 130,
      }),
      outputLine("aborted by user", "c0"),
    ],
    expected: [
      "thread.started",
      "started command_execution a fork's",
      "started command_execution sleep 9",
      "completed command_execution failed sleep 9 > aborted by user after 1.0s",
      "turn.failed interrupted",
      "completed command_execution failed sh -c sleep 9 = 130 > ",
      "completed command_execution failed a fork's > aborted by user",
    ],
  },
  {
    name: "a compaction after a summary that only the model has",
    lines: [
      PAGINATED,
      pagedLine("AgentMessage", { id: "a", content: "x" }),
      messageLine("assistant", "sum"),
      line("compacted", { message: "So far:\nsum" }),
    ],
    expected: [
      "thread.started",
      "completed agent_message a x",
      "completed context_compaction synthetic-item-1",
    ],
  },
  {
    name: "a script that is not a single call",
    lines: [
      PAGINATED,
      script("throw new Error('tools.x({})')"),
      outputLine([{ text: "Script failed\nOutput:\n" }, {
        text: "Script error:\nno",
      }]),
    ],
    expected: [
      "thread.started",
      "started tool_call exec",
      "completed tool_call failed exec no",
    ],
  },
  {
    name: "outputs of scripts that have no items",
    lines: [
      script('text(await tools.mcp__s__t({"a":1}))', "c1"),
      outputLine(
        'Script completed\nOutput:\n{"content":[],"isError":true}',
        "c1",
      ),
      script(
        `tools.exec_command({"cmd":${JSON.stringify(SHELL_PATCH)}})`,
        "c2",
      ),
      outputLine([
        { text: "Script completed\nOutput:\n" },
        {
          text: JSON.stringify({
            output: "Exit code: 0\nOutput:\nSuccess.",
            wall_time_seconds: 0,
          }),
        },
      ], "c2"),
    ],
    expected: [
      "started mcp_tool_call",
      "completed mcp_tool_call failed",
      `started command_execution ${SHELL_PATCH}`,
      "completed file_change = 0 > Success.",
    ],
  },
  {
    name: "commands whose output begins like that of a patch",
    lines: [
      callLine("exec_command", { cmd: "echo Success." }),
      outputLine("Exit code: 0\nOutput:\nSuccess."),
      callLine("exec_command", { cmd: `${SHELL_PATCH}\nmake` }, "c2"),
      outputLine("Exit code: 2\nOutput:\nSuccess.", "c2"),
      callLine("exec_command", { cmd: WRITTEN_PATCH }, "c3"),
      outputLine("Exit code: 0\nOutput:\nSuccess.", "c3"),
    ],
    expected: [
      "started command_execution echo Success.",
      "completed command_execution echo Success. = 0 > Success.",
      `started command_execution ${SHELL_PATCH}\nmake`,
      `completed command_execution failed ${SHELL_PATCH}\nmake = 2 > Success.`,
      `started command_execution ${WRITTEN_PATCH}`,
      `completed command_execution ${WRITTEN_PATCH} = 0 > Success.`,
    ],
  },
  {
    name: "scripts that go on while the model waits for them",
    lines: [
      PAGINATED,
      script("tools.f({}); tools.g({});", "c1"),
      script('await tools.exec_command({"cmd":"make"})', "c2"),
      outputLine("Script running with cell ID 1\nOutput:\none", "c1"),
      outputLine("Script running with cell ID 2\nOutput:\nsoon", "c2"),
      callLine("wait", { cell_id: "1" }, "w1"),
      outputLine("Script running with cell ID 1\nOutput:\n", "w1"),
      callLine("wait", { cell_id: "2" }, "w2"),
      pagedLine("CommandExecution", {
        id: "exec-1",
        command: ["make"],
        exit_code: 0,
      }),
      outputLine("Script completed\nOutput:\n", "w2"),
      callLine("wait", { cell_id: "1", terminate: true }, "w3"),
      outputLine("Script terminated\nOutput:\ntwo", "w3"),
      callLine("wait", { cell_id: "9" }, "w4"),
      outputLine("exec cell 9 not found", "w4"),
    ],
    expected: [
      "thread.started",
      "started tool_call exec",
      "started command_execution make",
      "completed command_execution make = 0 > ",
      "completed tool_call failed exec",
      "completed tool_call wait",
    ],
  },
  {
    name: "a script's command that goes on after another call has its id",
    lines: [
      PAGINATED,
      script('await tools.exec_command({"cmd":"make"})'),
      outputLine([{ text: "Script completed\nOutput:\n" }, {
        text: '{"output":"a","session_id":7,"wall_time_seconds":1}',
      }]),
      script('await tools.exec_command({"cmd":"ls"})'),
      pagedLine("CommandExecution", {
        id: "exec-1",
        process_id: "7",
        command: ["make"],
        exit_code: 0,
      }),
    ],
    expected: [
      "thread.started",
      "started command_execution make",
      "delta command_execution > a",
      "started command_execution c1#2 ls",
      "completed command_execution make = 0 > ",
    ],
  },
  {
    name: "a script that goes on after another one has its id and its call",
    lines: [
      PAGINATED,
      script("await tools.mcp__s__t({})"),
      outputLine("Script running with cell ID 1\nOutput:\n"),
      script("await tools.mcp__s__t({})"),
      pagedLine("McpToolCall", { id: "exec-1", server: "s", tool: "t" }),
    ],
    expected: [
      "thread.started",
      "started mcp_tool_call",
      "started mcp_tool_call c1#2",
      "completed mcp_tool_call",
    ],
  },
  {
    name: "a session that an earlier command takes over",
    lines: [
      callLine("exec_command", { cmd: "a" }, "c1"),
      callLine("exec_command", { cmd: "b" }, "c2"),
      outputLine("Process running with session ID 7\nOutput:\n1", "c2"),
      outputLine("Process running with session ID 7\nOutput:\n2", "c1"),
      callLine("write_stdin", { session_id: 7, chars: "" }, "c3"),
      outputLine("Process exited with code 3\nOutput:\n4", "c3"),
    ],
    expected: [
      "started command_execution a",
      "started command_execution b",
      "delta command_execution > 1",
      "delta command_execution > 2",
      "completed command_execution failed a = 3 > 24",
    ],
  },
  {
    name: "a command that has the name of the tool for patches, and no patch",
    lines: [
      callLine("exec_command", { cmd: "apply_patch" }),
      outputLine("Exit code: 2\nOutput:\nno patch"),
    ],
    expected: [
      "started command_execution apply_patch",
      "completed command_execution failed apply_patch = 2 > no patch",
    ],
  },
  {
    name: "a prompt that starts a turn (up to 0.98)",
    lines: [
      promptLine("Hi"),
      answerLine("Hello"),
      messageLine("assistant", "Hello"),
      promptLine("More"),
    ],
    expected: [
      "completed user_message synthetic-item-1 Hi",
      "turn.started",
      "completed agent_message synthetic-item-2 Hello",
      "completed user_message synthetic-item-3 More",
    ],
  },
  {
    name: "a message with an event for each part (up to 0.98)",
    lines: [
      eventLine("task_started", { turn_id: "1" }),
      answerLine("One, "),
      answerLine("two"),
      itemLine("message", {
        role: "assistant",
        content: [
          { type: "output_text", text: "One, " },
          { type: "output_text", text: "two" },
        ],
      }),
    ],
    expected: [
      "turn.started",
      "completed agent_message synthetic-item-1 One, ",
      "completed agent_message synthetic-item-2 two",
    ],
  },
  {
    name: "a turn without an answer (C.6)",
    lines: [
      eventLine("task_started", { turn_id: "1" }),
      promptLine("Hi"),
      eventLine("task_complete", { turn_id: "1", last_agent_message: null }),
    ],
    expected: [
      "turn.started",
      "completed user_message synthetic-item-1 Hi",
      "turn.failed ",
    ],
  },
  {
    name: "a turn without an answer whose last request succeeded",
    lines: [
      eventLine("task_started", { turn_id: "1" }),
      promptLine("Hi"),
      callLine("exec_command", { cmd: "ls" }),
      counted(10, 10),
      outputLine("Exit code: 0\nOutput:\n"),
      counted(20, 10),
      eventLine("task_complete", { turn_id: "1", last_agent_message: null }),
    ],
    expected: [
      "turn.started",
      "completed user_message synthetic-item-1 Hi",
      "started command_execution ls",
      "completed token_count synthetic-item-2",
      "completed command_execution ls = 0 > ",
      "completed token_count synthetic-item-3",
      "turn.completed",
    ],
  },
  {
    name:
      "a turn without an answer whose last request failed and was not counted",
    lines: [
      eventLine("task_started", { turn_id: "1" }),
      promptLine("Hi"),
      callLine("exec_command", { cmd: "ls" }),
      outputLine("Exit code: 0\nOutput:\n"),
      counted(10, 10),
      counted(10, 10),
      eventLine("task_complete", { turn_id: "1", last_agent_message: null }),
    ],
    expected: [
      "turn.started",
      "completed user_message synthetic-item-1 Hi",
      "started command_execution ls",
      "completed command_execution ls = 0 > ",
      "completed token_count synthetic-item-2",
      "completed token_count synthetic-item-3",
      "turn.failed ",
    ],
  },
  {
    name: "items without an event after an answer (C.6)",
    lines: [
      eventLine("task_started", { turn_id: "1" }),
      promptLine("Hi"),
      messageLine("assistant", ""),
      itemLine("ghost_snapshot"),
      eventLine("task_complete", { turn_id: "1", last_agent_message: null }),
    ],
    expected: [
      "turn.started",
      "completed user_message synthetic-item-1 Hi",
      "turn.completed",
    ],
  },
  {
    name: "blank answers that have an event, as the exec stream prints them",
    lines: [
      answerLine(""),
      itemLine("message", { role: "assistant", content: [] }),
      answerLine(""),
      messageLine("assistant", ""),
    ],
    expected: [
      "completed agent_message synthetic-item-1 ",
      "completed agent_message synthetic-item-2 ",
    ],
  },
  {
    name: "a summary that is also written as an answer",
    lines: [
      messageLine("assistant", "sum"),
      line("compacted", { message: "So far:\nsum" }),
      eventLine("context_compacted"),
    ],
    expected: [
      "completed agent_message synthetic-item-1 sum",
      "completed context_compaction synthetic-item-1",
    ],
  },
  ...["go", `${UNREAD}go`].map((message) => ({
    name: `a prompt with an unreadable image and the event ${message}`,
    lines: [
      itemLine("message", {
        role: "user",
        content: [UNREAD, "go"].map((text) => ({ type: "input_text", text })),
      }),
      eventLine("user_message", { message, local_images: ["/w/a.md"] }),
    ],
    expected: ["completed user_message synthetic-item-1 go"],
  })),
  ...[[], [promptLine(UNREAD)]].map((copies) => ({
    name: `a viewed image that is unreadable, with ${copies.length} events`,
    lines: [
      callLine("view_image", { path: "/w/a.md" }),
      outputLine("attached local image path"),
      messageLine("user", UNREAD),
      ...copies,
    ],
    expected: ["started image_view", "completed image_view"],
  })),
  {
    name: "a prompt that is only the text for an unreadable image",
    lines: [
      messageLine("user", UNREAD),
      promptLine(UNREAD),
    ],
    expected: [`completed user_message synthetic-item-1 ${UNREAD}`],
  },
  {
    name: "a command of the user",
    lines: [
      itemLine("message", {
        role: "user",
        content: [{
          type: "input_text",
          text: "<user_shell_command>\n<command>\nls\n</command>\n<result>\n" +
            "Exit code: 2\nDuration: 0.5 seconds\nOutput:\nx\n\n</result>\n" +
            "</user_shell_command>",
        }],
      }),
    ],
    expected: [
      "completed injected_context synthetic-item-1 <user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 2\nDuration: 0.5 seconds\nOutput:\nx\n\n</result>\n</user_shell_command>",
      "completed command_execution synthetic-item-2 failed ls = 2 > x\n",
    ],
  },
  {
    name: "a repeated call id",
    lines: [
      callLine("shell", { command: ["a"] }),
      outputLine("Exit code: 0\nOutput:\n"),
      callLine("shell", { command: ["b"] }),
      outputLine("Exit code: 0\nOutput:\n"),
    ],
    expected: [
      "started command_execution a",
      "completed command_execution a = 0 > ",
      "started command_execution c1#2 b",
      "completed command_execution c1#2 b = 0 > ",
    ],
  },
];

/** The lines of threads that requested a review, without the lines of the reviewer. */
const REVIEWS = {
  "0.110": [
    eventLine("entered_review_mode", { user_facing_hint: "h" }),
    eventLine("task_started", { turn_id: "reviewer" }),
    promptLine("h"),
    eventLine("exited_review_mode", { review_output: {} }),
    answerLine("x"),
    eventLine("task_complete", { turn_id: "own" }),
  ],
  "0.171": [
    PAGINATED,
    pagedLine("EnteredReviewMode", { id: "a" }, { turn_id: "own" }),
    eventLine("task_started", { turn_id: "reviewer" }),
    pagedLine("UserMessage", {
      id: "b",
      content: [{ type: "text", text: "h" }],
    }, {
      turn_id: "reviewer",
    }),
    pagedLine("ExitedReviewMode", { id: "a", review_output: {} }, {
      turn_id: "own",
    }),
    eventLine("task_complete", { turn_id: "own" }),
  ],
};

for (const [version, lines] of Object.entries(REVIEWS)) {
  Deno.test(`EventReader reads a review as one turn of its thread (${version})`, () => {
    const events = eventsOf(lines);
    const ids = events.map(({ turn_id }) => turn_id)
      .filter((id) => id !== undefined);
    assertEquals(new Set(ids).size, 1);
    const ends = events.map(({ type }) => type)
      .filter((type) => /^turn/.test(String(type)));
    assertEquals(ends, ["turn.started", "turn.completed"]);
    for (let split = 0; split < lines.length; split++) {
      assertEquals(eventsOf(lines, split), events, `split at ${split}`);
    }
  });
}

for (const { name, lines, expected } of CASES) {
  Deno.test(`EventReader reads: ${name}`, () => {
    assertEquals(eventsOf(lines).map(summaryOf), expected);
  });

  Deno.test(`EventReader continues from its saved state: ${name}`, () => {
    const whole = eventsOf(lines);
    for (let split = 0; split < lines.length; split++) {
      assertEquals(eventsOf(lines, split), whole, `split at ${split}`);
    }
  });
}

Deno.test("EventReader keeps all texts that a script printed", () => {
  const [, completed] = eventsOf([
    script("text(JSON.stringify(await tools.f({a: 1}))); text('and more');"),
    outputLine([
      { text: "Script completed\nOutput:\n" },
      { text: '{"output":"done\\n","exit_code":0,"wall_time_seconds":0.1}' },
      { text: "and more" },
    ], "c1"),
  ]);
  assertEquals(fieldsOf(completed?.content).output, ["done\n", "and more"]);
});

Deno.test("EventReader gives the duration of a script that printed nothing", () => {
  const [, completed] = eventsOf([
    script("store()"),
    outputLine("Script completed\nWall time 2 seconds\nOutput:\n"),
  ]);
  const { output, duration_ms } = fieldsOf(completed?.content);
  assertEquals([output, duration_ms], [[], 2000]);
});

for (
  const [header, text, expected] of [
    ["completed", "b", { output: ["a\n", "b"] }],
    ["terminated", "b", { output: ["a\n", "b"] }],
    ["failed", "Script error:\nno", { error: { message: "a\nno" } }],
  ] as const
) {
  Deno.test(`EventReader keeps what a script that ${header} has printed before the model waited for it`, () => {
    const events = eventsOf([
      script("text('a'); await later(); text('b');"),
      outputLine("Script running with cell ID 1\nOutput:\na"),
      callLine("wait", { cell_id: "1" }, "w"),
      outputLine(
        `Script ${header}\nWall time 2 seconds\nOutput:\n${text}`,
        "w",
      ),
    ]);
    const { output, error } = fieldsOf(events.at(-1)?.content);
    assertEquals(knownFields({ output, error }), expected);
  });
}

Deno.test("EventReader does not repeat the output of a continuing command in part if it is too long", () => {
  const long = "x".repeat(600_000);
  const outputs = [long, long, "a", "b"];
  const events = eventsOf([
    callLine("exec_command", { cmd: "watch" }),
    ...outputs.flatMap((text, at) => [
      outputLine(RUNNING + text, at === 0 ? "c1" : `p${at}`),
      callLine("write_stdin", { session_id: 7 }, `p${at + 1}`),
    ]),
    outputLine(`${EXITED}c`, "p4"),
  ]);
  const deltas = events.flatMap(({ delta }) => fieldsOf(delta).stdout ?? []);
  assertEquals(deltas.join(""), [...outputs, "c"].join(""));
  assertEquals(fieldsOf(events.at(-1)?.content).stdout, undefined);
});

Deno.test("EventReader gives no duration for a command that went on: its output has that of the last poll", () => {
  const events = eventsOf([
    callLine("exec_command", { cmd: "make" }),
    outputLine(RUNNING),
    callLine("write_stdin", { session_id: 7 }, "c2"),
    outputLine(EXITED, "c2"),
  ]);
  const { exit_code, duration_ms } = fieldsOf(events.at(-1)?.content);
  assertEquals([exit_code, duration_ms], [3, undefined]);
});

Deno.test("EventReader writes the turn of the call into a late end", () => {
  const events = eventsOf([
    eventLine("task_started", { turn_id: "1" }),
    callLine("exec_command", { cmd: "sleep" }),
    outputLine(RUNNING),
    eventLine("task_complete", { turn_id: "1", last_agent_message: "x" }),
    eventLine("task_started", { turn_id: "2" }),
    callLine("write_stdin", { session_id: 7, chars: "" }, "c2"),
    outputLine(EXITED, "c2"),
  ]);
  const end = events.at(-1);
  assertEquals([end?.item_id, end?.turn_id], ["c1", "1"]);
});

Deno.test("EventReader finds the script of an item in the turn, after others were killed (C.5)", () => {
  const again = 'await tools.exec_command({"cmd":"a"});';
  const events = eventsOf([
    PAGINATED,
    eventLine("task_started", { turn_id: "1" }),
    script('await tools.mcp__a__b({"c":1});', "c1"),
    script(again, "c2"),
    eventLine("task_started", { turn_id: "2" }),
    script('await tools.mcp__d__e({"f":2});', "c3"),
    script(again, "c4"),
    pagedLine("McpToolCall", { id: "exec-1", server: "d", tool: "e" }),
    pagedLine("CommandExecution", {
      id: "exec-2",
      command: ["a"],
      exit_code: 0,
    }),
  ]);
  assertEquals(
    events.slice(-2).map(({ type, item_id }) => [type, item_id]),
    [["item.completed", "c3"], ["item.completed", "c4"]],
  );
});

Deno.test("EventReader pairs searches and images by their id, and by type only without one (C.5)", () => {
  const events = eventsOf([
    PAGINATED,
    pagedLine("WebSearch", { id: "ws_1", query: "a" }),
    itemLine("web_search_call", { id: "ws_1", action: { query: "a" } }),
    itemLine("web_search_call", { action: { query: "b" } }),
    itemLine("image_generation_call", { id: "ig_1", revised_prompt: "c" }),
    pagedLine("ImageGeneration", { id: "ig_1", revised_prompt: "c" }),
    pagedLine("ImageGeneration", { id: "ig_2", revised_prompt: "d" }),
    itemLine("image_generation_call", { id: "ig_2", revised_prompt: "d" }),
  ]);
  assertEquals(
    events.slice(1).map(({ item_id }) => item_id),
    ["ws_1", "synthetic-item-1", "ig_1", "ig_1", "ig_2"],
  );
});

Deno.test("EventReader numbers turns by their prompts, and begins one at its first tokens (0.36 to 0.98)", () => {
  const tokens = eventLine("token_count", { info: null });
  const answer = eventLine("agent_message", { message: "Done" });
  const events = eventsOf([
    line("session_meta", { id: "t" }),
    eventLine("user_message", { message: "Unanswered" }),
    eventLine("user_message", { message: "Go" }),
    tokens,
    answer,
    itemLine("message", {
      role: "user",
      content: [
        { type: "input_text", text: "Look" },
        { type: "input_image", image_url: "data:image/png;base64,AA==" },
      ],
    }),
    eventLine("user_message", { message: "Look", local_images: ["/a.png"] }),
    tokens,
    answer,
  ]);
  assertEquals(events.map(({ type, turn_id }) => [type, turn_id]), [
    ["thread.started", undefined],
    ["item.completed", undefined],
    ["item.completed", undefined],
    ["turn.started", "synthetic-turn-2"],
    ["item.completed", "synthetic-turn-2"],
    ["item.completed", "synthetic-turn-2"],
    ["item.completed", undefined],
    ["item.completed", undefined],
    ["turn.started", "synthetic-turn-3"],
    ["item.completed", "synthetic-turn-3"],
    ["item.completed", "synthetic-turn-3"],
  ]);
});

Deno.test("EventReader takes a turn whose beginning is missing from its turn_context", () => {
  const events = eventsOf([
    line("turn_context", { turn_id: "a", model: "m" }),
    eventLine("user_message", { message: "Go" }),
    eventLine("agent_message", { message: "Done" }),
    eventLine("task_complete", { turn_id: "a", last_agent_message: "Done" }),
  ]);
  assertEquals(events.map(({ type, turn_id }) => [type, turn_id]), [
    ["item.completed", "a"],
    ["item.completed", "a"],
    ["item.completed", "a"],
    ["turn.completed", "a"],
  ]);
});

Deno.test("EventReader marks lines copied from another thread as inherited", () => {
  const header = { id: "t", subagent_history_start_ordinal: 3 };
  const lines = [
    line("session_meta", { ...header, history_mode: "paginated" }),
    pagedLine("AgentMessage", { id: "a", content: "old" }),
    pagedLine("AgentMessage", { id: "b", content: "new" }),
  ].map((each, at) => ({ ...each, ordinal: [0, 2, 3][at] }));
  assertEquals(eventsOf(lines).map(({ inherited }) => inherited), [
    undefined,
    true,
    undefined,
  ]);
});

Deno.test("EventReader marks no line of a later turn as inherited, though codex migrate-rollouts counts all as copies", () => {
  const header = {
    id: "01a1f998-0000-7000-8000-000000000000",
    history_mode: "paginated",
    subagent_history_start_ordinal: 4,
  };
  const marksOf = (turn_id: string) =>
    eventsOf([
      line("session_meta", header),
      messageLine("user", "<environment_context></environment_context>"),
      eventLine("task_started", { turn_id }),
      pagedLine("AgentMessage", { id: "a", content: "Hi" }),
    ].map((each, ordinal) => ({ ...each, ordinal })))
      .map(({ inherited }) => inherited);
  const older = "01a1f997-0000-7000-8000-000000000000";
  const later = "01a1f999-0000-7000-8000-000000000000";
  assertEquals(marksOf(older), [undefined, true, true, true]);
  for (const own of [later, "rollout-2"]) {
    assertEquals(marksOf(own), [undefined, true, undefined, undefined]);
  }
});

Deno.test("EventReader marks turns that codex migrate-rollouts made up as inherited in a fork up to a pause", () => {
  const turns = [
    ["rollout-1", "2026-11-20T15:14:15.000Z"],
    ["rollout-4", "2026-11-20T15:14:45.000Z"],
    ["01a1f999-0000-7000-8000-000000000000", "2026-11-20T15:15:45.000Z"],
  ] as const;
  const events = eventsOf([
    line("session_meta", {
      id: "01a1f998-0000-7000-8000-000000000000",
      forked_from_id: "01a1f980-0000-7000-8000-000000000000",
      history_mode: "paginated",
    }),
    ...turns.map(([turn_id, time]) =>
      eventLine("task_started", { turn_id }, time)
    ),
  ].map((each, ordinal) => ({ ...each, ordinal })));
  assertEquals(
    events.map(({ inherited }) => inherited),
    [undefined, true, undefined, undefined],
  );
});

Deno.test("EventReader marks turns that codex migrate-rollouts made up as inherited in an agent that copied them", () => {
  const id = "01a1f980-0000-7000-8000-000000000000";
  const events = eventsOf([
    line("session_meta", {
      id: "01a1f998-0000-7000-8000-000000000000",
      forked_from_id: id,
      history_mode: "paginated",
      subagent_history_start_ordinal: 4,
    }),
    line("session_meta", { id }),
    eventLine("task_started", { turn_id: "rollout-2" }),
    pagedLine("AgentMessage", { id: "a", content: "Hi" }),
    eventLine("task_started", { turn_id: "own" }),
  ].map((each, ordinal) => ({ ...each, ordinal })));
  assertEquals(
    events.map(({ inherited }) => inherited),
    [undefined, true, true, undefined],
  );
});

Deno.test("EventReader tells a command that turns out to be a patch as a patch alone", () => {
  const events = eventsOf([
    callLine("shell_command", { command: "apply_patch <<E\nE" }),
    eventLine("patch_apply_end", {
      call_id: "c1",
      success: true,
      changes: { a: { type: "add", content: "b" } },
    }),
  ]);
  const { item_type, content } = fieldsOf(events.at(-1));
  assertEquals(item_type, "file_change");
  assertEquals(content, {
    changes: [{ path: "a", kind: "add", content: "b" }],
  });
});

Deno.test("EventReader spells the result of an MCP call as exec streams do", () => {
  const result = { content: [], structuredContent: { n: 1 }, isError: true };
  const expected = {
    content: [],
    isError: true,
    structured_content: { n: 1 },
  };
  const call = { server: "s", tool: "t" };
  for (
    const lines of [
      [PAGINATED, pagedLine("McpToolCall", { id: "m", ...call, result })],
      [eventLine("mcp_tool_call_end", {
        call_id: "m",
        invocation: call,
        result: { Ok: result },
      })],
    ]
  ) {
    const { status, content } = fieldsOf(eventsOf(lines).at(-1));
    assertEquals(status, "failed");
    assertEquals(fieldsOf(content).result, expected);
  }
});

Deno.test("EventReader keeps the kind of the error that a turn failed with", () => {
  const errorOf = (error: unknown) =>
    fieldsOf(eventsOf([eventLine("task_complete", { error })]).at(-1)).error;
  const message = "No";
  assertEquals(errorOf({ message, codex_error_info: "other" }), {
    message,
    code: "other",
  });
  assertEquals(
    errorOf({
      message,
      codex_error_info: { http_connection_failed: { http_status_code: 500 } },
    }),
    { message, code: "http_connection_failed" },
  );
  assertEquals(errorOf({ message }), { message });
});

Deno.test("EventReader tells no end of a turn that is over, and none of the current turn by it", () => {
  const begin = (turn_id: string) => eventLine("task_started", { turn_id });
  const complete = (turn_id: string) =>
    eventLine("task_complete", { turn_id, last_agent_message: "Done" });
  const abort = (turn_id: string) =>
    eventLine("turn_aborted", { turn_id, reason: "replaced" });
  for (
    const [lines, expected] of [
      [[begin("a"), abort("a"), complete("a")], [["turn.failed", "a"]]],
      [[begin("a"), complete("a"), complete("a")], [["turn.completed", "a"]]],
      [
        [begin("a"), begin("b"), abort("a"), answerLine("Go"), complete("b")],
        [["item.completed", "b"], ["turn.completed", "b"]],
      ],
      // A line of an earlier turn continues that one, and must not hide the end of the later one.
      [
        [
          begin("a"),
          begin("b"),
          line("turn_context", { turn_id: "a" }),
          complete("b"),
        ],
        [["item.completed", "a"], ["turn.completed", "b"]],
      ],
      [
        [begin("a"), begin("b"), begin("a"), complete("b")],
        [["turn.completed", "b"]],
      ],
      // The id of an unknown turn is another name of the current one.
      [[begin("a"), abort("x")], [["turn.failed", "x"]]],
      // Up to 0.103, ids are numbers that each process counts.
      [
        [promptLine("Go"), abort("1"), promptLine("Go on"), abort("1")],
        [
          ["item.completed", undefined],
          ["turn.failed", "1"],
          ["item.completed", undefined],
          ["turn.failed", "1"],
        ],
      ],
    ] as const
  ) {
    const events = eventsOf(lines)
      .filter(({ type }) => type !== "turn.started")
      .map(({ type, turn_id }) => [type, turn_id]);
    assertEquals(events, expected.map((each) => [...each]));
  }
});

Deno.test("EventReader tells errors of requests that leave the turn as it is as warnings", () => {
  for (
    const codex_error_info of [
      "thread_rollback_failed",
      { active_turn_not_steerable: { turn_kind: "review" } },
    ]
  ) {
    const events = eventsOf([
      eventLine("task_started", { turn_id: "a" }),
      eventLine("error", { message: "No", codex_error_info }),
      eventLine("task_complete", { turn_id: "a", last_agent_message: "Done" }),
    ]);
    const { type, item_type, content } = fieldsOf(events[1]);
    assertEquals([type, item_type, content], [
      "item.completed",
      "error",
      { message: "No", severity: "warning", codex_error_info },
    ]);
    assertEquals(events[2]?.type, "turn.completed");
  }
});

Deno.test("EventReader tells a turn that codex migrate-rollouts made up as implied, and not its end", () => {
  const turn_id = "rollout-1";
  const events = eventsOf([
    PAGINATED,
    eventLine("task_started", { turn_id, started_at: 1795191255 }),
    pagedLine("UserMessage", { id: "a", content: [{ text: "Go" }] }),
    eventLine("task_complete", {
      turn_id,
      last_agent_message: null,
      completed_at: 1795191255,
    }),
  ]);
  assertEquals(
    events.map(({ type, turn_id, implied }) => [type, turn_id, implied]),
    [
      ["thread.started", undefined, undefined],
      ["turn.started", turn_id, true],
      ["item.completed", turn_id, undefined],
    ],
  );
});

Deno.test("EventReader tells prompts of a migrated file once, and no image that a model asked for as one", () => {
  const turn = (turn_id: string, ...lines: Fields[]) => [
    eventLine("task_started", { turn_id }),
    ...lines,
    eventLine("task_complete", { turn_id, last_agent_message: null }),
  ];
  const prompt = (id: string, ...content: Fields[]) =>
    pagedLine("UserMessage", { id, content });
  const text = (text: string) => ({ type: "text", text });
  const image = { type: "image", image_url: "data:image/png;base64,AAAA" };
  const promptsOf = (lines: readonly Fields[]) =>
    eventsOf([PAGINATED, ...lines])
      .filter(({ item_type }) => item_type === "user_message")
      .map(({ item_id }) => item_id);
  const viewed = (id: string) => [
    ...turn(
      "rollout-4",
      prompt("item-1", text("Look")),
      callLine("view_image", { path: "/w/a.png" }, "v1"),
      outputLine("attached local image path", "v1"),
      callLine("view_image", { path: "/w/a.md" }, "v2"),
      outputLine("attached local image path", "v2"),
    ),
    ...turn("rollout-8", prompt(id, image)),
    ...turn("rollout-12", prompt("item-3", text(UNREAD))),
    ...turn("rollout-16", prompt("item-4", image)),
  ];
  assertEquals(promptsOf(viewed("item-2")), ["item-1", "item-4"]);
  // A person has steered the turn with a picture.
  assertEquals(promptsOf(viewed("u2")).slice(0, 2), ["item-1", "u2"]);
  assertEquals(
    promptsOf([
      ...turn("rollout-1", pagedLine("EnteredReviewMode", { id: "item-1" })),
      ...turn(
        "t1",
        prompt("item-2", text("Review")),
        prompt("item-3", text("Review")),
        pagedLine("ExitedReviewMode", { id: "item-4" }),
        prompt("item-5", text("Review")),
      ),
    ]),
    ["item-2", "item-5"],
  );
});

Deno.test("EventReader takes the images of a prompt of a paginated session from its response item", () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const text = "Look";
  const events = eventsOf([
    PAGINATED,
    itemLine("message", {
      role: "user",
      content: [
        { type: "input_text", text: '<image name=[Image #1] path="a.png">' },
        { type: "input_image", image_url: url },
        { type: "input_text", text: "</image>" },
        { type: "input_text", text },
      ],
    }),
    pagedLine("UserMessage", {
      id: "a",
      content: [{ type: "local_image", path: "a.png" }, { type: "text", text }],
    }),
  ]);
  const prompts = events.filter((each) => each.item_type === "user_message");
  assertEquals(prompts.map(({ content }) => content), [
    { text, images: [{ url, path: "a.png" }] },
  ]);
});

Deno.test("EventReader ends copied lines at the first copy of a prompt after a pause, before turns had ids", () => {
  const at = (milliseconds: string, line: Fields): Fields => ({
    ...line,
    timestamp: `2026-11-27T23:51:11.${milliseconds}Z`,
  });
  const say = (text: string): Fields => messageLine("user", text);
  const prompt = (message: string) => promptLine(message);
  // The pauses are those of a fork of 0.87, whose program writes the context again.
  const lines = [
    at("000", line("session_meta", { id: "b" })),
    at("011", line("session_meta", { id: "a" })),
    at("011", say("Old")),
    at("011", prompt("Old")),
    at("041", say("<environment_context></environment_context>")),
    at("070", say("New")),
    at("075", prompt("New")),
  ];
  const [, ...events] = eventsOf(lines);
  assertEquals(
    events.map(({ item_type, inherited }) => [item_type, inherited]),
    [
      ["user_message", true],
      ["injected_context", true],
      ["user_message", undefined],
    ],
  );
});

Deno.test("EventReader returns events of exec streams unchanged", () => {
  const started = { type: "thread.started", thread_id: "t", extra: 1 };
  assert(eventsOf([started])[0] === started);
});

Deno.test("EventReader fails the turn of an exec stream that ends with an error or a status of failure", () => {
  const ends = [
    { error: { message: "No", code: 7 } },
    { error: "No", status: "completed" },
    { error: { message: { text: "No" } } },
    { error: { message: null }, status: "failed" },
    { status: "interrupted" },
    { status: "completed", error: null },
    { status: "success" },
  ];
  const events = eventsOf(
    ends.map((end) => ({ type: "turn.completed", turn_id: "u", ...end })),
  );
  assertEquals(events.map(({ type, error }) => [type, error]), [
    ["turn.failed", { message: "No", code: 7 }],
    ["turn.failed", { message: "No" }],
    ["turn.failed", { message: "" }],
    ["turn.failed", { message: "failed" }],
    ["turn.failed", { message: "interrupted" }],
    ["turn.completed", null],
    ["turn.completed", undefined],
  ]);
});

Deno.test("EventReader adds the content to notices of the old protocol", () => {
  const notice = {
    type: "item.completed",
    thread_id: "t",
    item_id: "item_0",
    status: "completed",
    item_type: "token_count",
    id: "0",
    input_tokens: 1,
    total_tokens: 2,
  };
  assertEquals(eventsOf([notice])[0], {
    type: "item.completed",
    thread_id: "t",
    item_id: "item_0",
    status: "completed",
    item_type: "token_count",
    id: "0",
    content: {
      info: { last_token_usage: { input_tokens: 1, total_tokens: 2 } },
    },
  });
});

for (
  const { name, text } of [
    {
      name: "the old protocol",
      text:
        '{"type":"item.completed","item_type":"get_history_entry_response","log_id":18446744073709551615}',
    },
    {
      name: "session files",
      text:
        '{"type":"event_msg","payload":{"type":"get_history_entry_response","log_id":18446744073709551615}}',
    },
  ]
) {
  Deno.test(`EventReader keeps large integers in notices of ${name} exact`, () => {
    const texts: string[] = [];
    const place = { line: 1, offset: 0, text };
    new EventReader().read(JSON.parse(text), place, (event) => {
      texts.push(eventText({ content: event.content }));
    });
    assertEquals(texts, ['{"content":{"log_id":18446744073709551615}}']);
  });
}

Deno.test("EventReader marks a turn without an id as implied while one of its thread is open", () => {
  const turn = { type: "turn.started", thread_id: "t" };
  const call = {
    type: "item.started",
    thread_id: "t",
    item_id: "item_0",
    item_type: "collab_tool_call",
  };
  const isImplied = (...records: Fields[]) => {
    const reader = new EventReader();
    const events: Fields[] = [];
    for (const record of records) {
      reader.read(record, {}, (event) => events.push(event));
    }
    return events.at(-1)?.implied === true;
  };
  const ended = { ...call, type: "item.completed" };
  const made = { ...turn, turn_id: "synthetic-turn-2" };
  assertEquals(isImplied(turn), false);
  assertEquals(isImplied(turn, turn), true);
  assertEquals(isImplied(turn, call, made), true);
  // An agent may begin after the call that made it has ended.
  assertEquals(isImplied(turn, call, ended, turn), true);
  for (const type of ["turn.failed", "turn.completed", "thread.started"]) {
    assertEquals(isImplied(turn, call, { ...turn, type }, turn), false);
  }
  assertEquals(isImplied({ ...turn, thread_id: "u" }, turn), false);
  assertEquals(isImplied({ ...turn, line: 1 }, turn), false);
  assertEquals(isImplied(turn, { ...turn, turn_id: "t2" }), false);
  const snapshot = snapshotOf([turn, { ...turn, input_text: "Go on" }]);
  assertEquals(payloadsOf(snapshot, "plain_message").length, 1);
});

Deno.test("eventText() keeps the JSON text of arguments", () => {
  const args = '{"n":1.0,"big":9007199254740993}';
  const [started] = eventsOf([
    itemLine("function_call", { name: "f", arguments: args, call_id: "c" }),
  ]);
  assert(started !== undefined && eventText(started).includes(args));
  const [long] = eventsOf([
    itemLine("function_call", { name: "f", arguments: '{\r\n  "n": 1.0\n}' }),
  ]);
  const text = '"arguments":{    "n": 1.0 }';
  assert(long !== undefined && eventText(long).includes(text));
});

for (const args of ["", "{not json", "wait", '{"a":1} x', '"a']) {
  Deno.test(`eventText() writes arguments that are not JSON as a string: ${args}`, () => {
    for (const type of ["function_call", "tool_search_call"]) {
      const [started] = eventsOf([
        itemLine(type, { name: "f", arguments: args, call_id: "c" }),
      ]);
      const { content } = fieldsOf(JSON.parse(eventText(started ?? {})));
      assertEquals(fieldsOf(content).arguments, args);
    }
  });
}

Deno.test("EventReader saves less than 4 MB for 20,000 calls without an end", () => {
  const reader = new EventReader();
  for (let at = 0; at < 20_000; at++) {
    const made = callLine("shell", { command: ["ls"] }, `c${at}`);
    reader.read(made, { text: "x".repeat(200) }, () => {});
  }
  assert(JSON.stringify(reader.save()).length < 4_000_000);
});

const LONG = "x".repeat(1_000_000);

for (
  const { name, lines } of [
    {
      name: "commands that lost their id and their session to others",
      lines: Array(40).fill([
        callLine("exec_command", { cmd: LONG }, ""),
        outputLine("Process running with session ID 7\nOutput:\n", ""),
      ]).flat(),
    },
    {
      name: "an output that is too long to be repeated",
      lines: [
        callLine("exec_command", { cmd: "x" }, "c"),
        outputLine(RUNNING + LONG.repeat(40), "c"),
      ],
    },
  ]
) {
  Deno.test(`EventReader counts no characters of ${name}`, () => {
    const events = eventsOf([
      callLine("f", { LONG }, "c1"),
      ...lines,
      callLine("f", { LONG }, "c2"),
      outputLine("done", "c1"),
    ]);
    assertEquals(events.at(-1)?.type, "item.completed");
  });
}

Deno.test("EventReader takes linear time for a command that states another session each time", () => {
  const reader = new EventReader();
  reader.read(callLine("exec_command", { cmd: "x" }), {}, () => {});
  for (let session = 0; session < 100_000; session++) {
    const header = `Process running with session ID ${session}\nOutput:\n`;
    reader.read(outputLine(header), {}, () => {});
  }
  reader.read(
    callLine("write_stdin", { session_id: 99_999 }, "w"),
    {},
    () => {},
  );
  const ends: unknown[] = [];
  reader.read(outputLine(EXITED, "w"), {}, ({ type }) => ends.push(type));
  assertEquals(ends, ["item.completed"]);
});

for (
  const { name, lines } of [
    {
      name: "commands that run on in sessions",
      lines: (at: number) => [
        callLine("exec_command", { cmd: LONG }, `c${at}`),
        outputLine(
          `Process running with session ID ${at}\nOutput:\n`,
          `c${at}`,
        ),
      ],
    },
    {
      name: "outputs of commands that run on",
      lines: (at: number) => [
        callLine("exec_command", { cmd: "x" }, `c${at}`),
        outputLine(
          `Process running with session ID ${at}\nOutput:\n${LONG}`,
          `c${at}`,
        ),
      ],
    },
    {
      name: "commands whose id other calls take",
      lines: (at: number) => [
        callLine("exec_command", { cmd: LONG }, ""),
        outputLine(`Process running with session ID ${at}\nOutput:\n`, ""),
      ],
    },
    {
      name: "patches that grow",
      lines: (at: number) =>
        ["", LONG].map((content) =>
          eventLine("patch_apply_updated", {
            call_id: `c${at}`,
            changes: { a: { type: "add", content } },
          })
        ),
    },
  ]
) {
  Deno.test(`EventReader keeps at most 32 Mi characters of ${name}`, () => {
    const reader = new EventReader();
    for (let at = 0; at < 40; at++) {
      for (const each of lines(at)) {
        reader.read(each, { text: JSON.stringify(each) }, () => {});
      }
    }
    // The words of a command are its text once more; in memory they are one string.
    const { length } = JSON.stringify(
      reader.save(),
      (name, value) => name === "argv" ? undefined : value,
    );
    assert(length < 1.1 * 2 ** 25, `${length}`);
  });
}

Deno.test("EventReader does not throw for fields of any type", () => {
  const values: unknown[] = [null, 0, "x", [], {}, [[]], { id: {} }];
  const types = ["function_call", "message", "reasoning", "web_search_call"];
  const events = ["item_completed", "token_count", "exec_command_end", "x"];
  for (const value of values) {
    const fields = {
      item: value,
      content: value,
      arguments: value,
      call_id: value,
      changes: value,
      info: value,
      output: value,
    };
    eventsOf([
      ...types.map((type) => itemLine(type, fields)),
      ...events.map((type) => eventLine(type, fields)),
      line("session_meta", { id: value }),
      line("event", { msg: value }),
      { type: "response_item", payload: value },
    ]);
  }
});

/** Returns copies of a value, each with another member set to null, by their paths. */
function* withNull(value: unknown): Generator<readonly [string, unknown]> {
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, part] of Object.entries(value)) {
    const path = isList ? "[]" : name;
    const changed = (by: unknown): unknown =>
      isList ? value.with(Number(name), by) : { ...value, [name]: by };
    yield [path, changed(null)];
    for (const [rest, by] of withNull(part)) {
      yield [`${path}.${rest}`, changed(by)];
    }
  }
}

Deno.test("EventReader emits complete events, whichever field of a captured line is null", () => {
  const seen = new Set<string>();
  for (const file of readCapturedFiles(/^rollout-.*\.jsonl$/)) {
    const [head = {}, ...lines] = readEvents(file).events.map(fieldsOf);
    for (const each of lines) {
      const { type, item } = fieldsOf(each.payload);
      const kind = `${each.type} ${type} ${fieldsOf(item).type}`;
      for (const [path, changed] of withNull(each)) {
        if (seen.has(`${kind} ${path}`)) continue;
        seen.add(`${kind} ${path}`);
        for (const event of eventsOf([head, fieldsOf(changed)])) {
          assert(isThreadEvent(event), JSON.stringify([path, event]));
        }
      }
    }
  }
});

Deno.test("EventReader continues from its saved state in every capture", () => {
  for (const file of readCapturedFiles(/^rollout-.*\.jsonl$/)) {
    const lines = readEvents(file).events.map(fieldsOf);
    const whole = eventsOf(lines);
    for (const part of [0.3, 0.6, 0.9]) {
      const split = Math.floor(lines.length * part);
      assert(equalJson(eventsOf(lines, split), whole), file.path);
    }
  }
});

/** Shell words, and the records of waits of the fork (history.md C.3). */

import { assertEquals } from "@std/assert";
import { readSnapshot } from "../../../lib/history/code_layout.ts";
import { HistoryState } from "../../../lib/history/history_state.ts";
import { shellWords } from "../../../lib/history/mapping/commands.ts";
import fc, { anyText } from "../../property_seed.ts";
import { payloadsOf, snapshotOf } from "../histories.ts";
import { eventLine } from "../../session_lines.ts";

const SHELL_LINES = [
  { name: "an empty line", line: "", words: [] },
  { name: "white space only", line: " \t\n", words: [] },
  { name: "words", line: " a  b\tc ", words: ["a", "b", "c"] },
  { name: "quotes of both kinds", line: `'a b'"c d"`, words: ["a bc d"] },
  { name: "empty words", line: `'' ""`, words: ["", ""] },
  { name: "a quote in quotes", line: `'it'"'"'s'`, words: ["it's"] },
  { name: "escapes", line: `a\\ b "\\$x \\n"`, words: ["a b", "$x \\n"] },
  { name: "a continued line", line: "a\\\nb", words: ["ab"] },
  {
    name: "a hash, which starts no comment",
    line: "a # b",
    words: ["a", "#", "b"],
  },
  { name: "an open quote", line: "echo 'a", words: ["echo 'a"] },
  { name: "an open double quote", line: 'echo "a', words: ['echo "a'] },
  { name: "an escaped end", line: 'echo "a\\"', words: ['echo "a\\"'] },
  { name: "an open escape", line: "a \\", words: ["a \\"] },
] satisfies { name: string; line: string; words: string[] }[];

for (const { name, line, words } of SHELL_LINES) {
  Deno.test(`shellWords() splits: ${name}`, () => {
    assertEquals(shellWords(line), words);
  });
}

Deno.test("shellWords() splits words that Codex quotes", () => {
  fc.assert(fc.property(fc.array(anyText()), (words) => {
    const line = words.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`);
    assertEquals(shellWords(line.join(" ")), words);
  }));
});

/** Makes an event of the command `c` of an exec stream. */
function commandEvent(
  type: string,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  return { type, item_id: "c", item_type: "command_execution", ...fields };
}

Deno.test("HistoryState.apply() keeps output that was streamed, if the end only has an error (C.1)", () => {
  const end = {
    status: "failed",
    content: { command: "x", stdout: "", stderr: "error: timed out" },
  };
  const [exec] = payloadsOf(
    snapshotOf([
      commandEvent("item.started", { content: { command: "x" } }),
      commandEvent("item.delta", { delta: { stdout: "begin\n" } }),
      commandEvent("item.completed", end),
    ]),
    "exec",
  );
  assertEquals(exec?.stdout_chunks, [{ offset: 0, content: "begin\n" }]);
  assertEquals(exec?.stderr_chunks, [
    { offset: 0, content: "error: timed out" },
  ]);
});

Deno.test("HistoryState.apply() replaces output whose beginning was dropped by the output of the end", () => {
  const state = new HistoryState({ limits: { streamBytes: 4 } });
  const output = (stdout: string) => ({
    content: { command: "x", stdout, exit_code: 0 },
  });
  state.apply(commandEvent("item.started", { content: { command: "x" } }));
  state.apply(commandEvent("item.delta", { delta: { stdout: "abcdef" } }));
  state.apply(commandEvent("item.completed", output("abcdefgh")));
  const [exec] = payloadsOf(state.snapshot(), "exec");
  assertEquals(exec?.stdout_chunks, [{ offset: 4, content: "efgh" }]);
});

Deno.test("HistoryState.apply() leaves fields of other types out of parsed commands, so that the snapshot can be read", () => {
  const parsed_cmd = [
    {
      type: "other",
      cmd: 1,
      query: null,
      path: { uri: "file:///a" },
      deep: [],
    },
    { type: "other", cmd: "cat a", name: 5 },
  ];
  const content = { command: "x", parsed_cmd };
  const snapshot = snapshotOf([commandEvent("item.started", { content })]);
  assertEquals(payloadsOf(snapshot, "exec")[0]?.parsed, [
    { type: "other", cmd: "", query: null, deep: [] },
    { type: "other", cmd: "cat a" },
  ]);
  assertEquals(readSnapshot(snapshot), snapshot);
});

/** Makes an event of a wait. */
function wait(
  type: "begin" | "end",
  parameters: Record<string, unknown>,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return eventLine(`custom_tool_call_${type}`, {
    call_id: "w",
    tool_name: "wait",
    parameters,
    ...fields,
  });
}

const BEGIN = eventLine("exec_command_begin", { call_id: "c", command: ["x"] });
const END = eventLine("exec_command_end", { call_id: "c", exit_code: 0 });
const LASTED = { duration: { secs: 2, nanos: 0 }, result: { Ok: "a" } };

Deno.test("HistoryState.apply() shows the target of a running wait (C.3)", () => {
  const waiting = (parameters: Record<string, unknown>) => {
    const lines = [wait("begin", parameters)];
    const [tool] = payloadsOf(snapshotOf(lines), "running_tool");
    return [
      tool?.wait_cap_ms,
      tool?.wait_has_target,
      tool?.wait_has_call_id,
    ];
  };
  assertEquals(waiting({}), [null, false, false]);
  assertEquals(waiting({ for: "tests", timeout_ms: 9 }), [9, true, false]);
  assertEquals(waiting({ call_id: "gone" }), [null, false, true]);
});

Deno.test("HistoryState.apply() adds up the waits for a running command (C.3)", () => {
  const parameters = { call_id: "c" };
  const begin = wait("begin", parameters);
  const end = wait("end", parameters, LASTED);
  const waited = (...lines: readonly unknown[]) =>
    payloadsOf(snapshotOf(lines), "exec").map((
      exec,
    ) => [exec.wait_total_ms, exec.wait_active, exec.status])[0];
  assertEquals(waited(BEGIN, begin), [null, true, "running"]);
  assertEquals(waited(BEGIN, begin, end), [2000, false, "running"]);
  assertEquals(waited(BEGIN, begin, end, begin), [2000, true, "running"]);
  assertEquals(waited(BEGIN, begin, end, begin, end), [4000, false, "running"]);
  const untimed = wait("end", parameters, { result: { Ok: "" } });
  assertEquals(waited(BEGIN, begin, end, untimed), [2000, false, "running"]);
});

Deno.test("HistoryState.apply() shows a wait for a command that has ended as a tool (C.3)", () => {
  const parameters = { call_id: "c" };
  const lines = [BEGIN, END, wait("begin", parameters)];
  assertEquals(
    snapshotOf(lines).records.map(({ type }) => type),
    ["exec", "running_tool"],
  );
});

Deno.test("HistoryState.apply() shows the result of a wait (C.3)", () => {
  const ended = (fields: Record<string, unknown>) => {
    const { records } = snapshotOf([
      wait("begin", { for: "tests" }),
      wait("end", { for: "tests" }, fields),
    ]);
    assertEquals(records.length, 1);
    return records[0];
  };
  assertEquals(ended(LASTED)?.payload, {
    header: {
      title: "Waited",
      title_tone: "success",
      summary: "2s",
      summary_tone: "dim",
    },
    details: [{ label: "for", value: "tests", tone: "dim" }],
  });
  const failed = ended({ result: { Err: "timed out" } });
  assertEquals(failed?.type, "tool_call");
  const { status, title, error_message } = Object(failed?.payload);
  assertEquals([status, title, error_message], ["failed", "wait", "timed out"]);
  const cancelled = ended({ result: { Err: "Cancelled by user." } });
  assertEquals(cancelled?.type, "plain_message");
  const text = JSON.stringify(cancelled);
  assertEquals(text.includes("Wait cancelled"), true);
});

Deno.test("HistoryState.apply() shows tools of other servers that are named wait as tools (C.3)", () => {
  const tools = [
    { name: "wait", namespace: "server", arguments: { timeout_ms: 5 } },
    { name: "wait", arguments: { ids: ["a"] } },
  ].map((content, at) => ({
    type: "item.completed",
    item_id: `${at}`,
    item_type: "tool_call",
    content,
  }));
  assertEquals(
    payloadsOf(snapshotOf(tools), "tool_call").map(({ title }) => title),
    ["server.wait", "wait"],
  );
});

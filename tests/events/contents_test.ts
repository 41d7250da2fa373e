/** The records of command events (history.md C.3). */

import { assertEquals } from "@std/assert";
import { plainPath } from "../../lib/events/contents.ts";
import { fieldsOf } from "../../lib/json/fields.ts";
import { historyOf, payloadsOf, snapshotOf } from "../history/histories.ts";
import { eventLine, itemLine, TIME } from "../session_lines.ts";
import { eventsOf } from "./reading.ts";

/** Folds events and returns the payload of the first command. */
function execOf(...events: readonly unknown[]): Record<string, unknown> {
  return payloadsOf(snapshotOf(events), "exec")[0] ?? {};
}

function event(
  type: string,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  return eventLine(`exec_command_${type}`, { call_id: "c", ...fields });
}

const BEGIN = event("begin", { command: ["make"] });

Deno.test("EventReader writes the command and the changes of a call whose end does not repeat them", () => {
  const changes = { a: { add: { content: "x" } } };
  const patch = (type: string, fields: Record<string, unknown>) =>
    eventLine(`patch_apply_${type}`, { call_id: "p", ...fields });
  const completed = (...lines: Record<string, unknown>[]) => {
    const event = eventsOf(lines).findLast(({ type }) =>
      type === "item.completed"
    );
    const { command, changes } = fieldsOf(event?.content);
    return command ?? changes;
  };
  assertEquals(completed(BEGIN, event("end", { exit_code: 0 })), "make");
  assertEquals(completed(event("end", { exit_code: 0 })), "");
  assertEquals(completed(event("end", { command: [] })), "");
  assertEquals(completed(event("end", { command: null })), "");
  assertEquals(
    completed(patch("begin", { changes }), patch("end", { success: true })),
    [{ path: "a", kind: "add", content: "x" }],
  );
  assertEquals(completed(patch("end", { success: true })), []);
});

Deno.test("HistoryState.apply() shows aggregated output only if stdout and stderr are blank (C.3)", () => {
  const printed = (
    stdout: string,
    stderr: string,
    aggregated_output: string | null = "all",
  ) => {
    const fields = { command: ["make"], stdout, stderr, exit_code: 0 };
    const exec = execOf(event("end", { ...fields, aggregated_output }));
    return [exec.stdout_chunks, exec.stderr_chunks];
  };
  const chunks = (content: string) => [{ offset: 0, content }];
  assertEquals(printed(" ", "\n"), [chunks("all"), []]);
  assertEquals(printed("a", ""), [chunks("a"), []]);
  assertEquals(printed("", "b"), [[], chunks("b")]);
  for (const none of ["", null]) {
    assertEquals(printed(" ", "\n", none), [chunks(" "), chunks("\n")]);
  }
});

Deno.test("HistoryState.apply() reads the times of a command from its end (C.0, C.3)", () => {
  const times = (fields: Record<string, unknown>) => {
    const exec = execOf(event("end", { command: ["make"], ...fields }));
    return [exec.started_at, exec.completed_at];
  };
  assertEquals(times({}), [TIME, TIME]);
  assertEquals(times({ duration: { secs: 2, nanos: 0 } }), [
    "2026-11-20T15:14:13.000Z",
    TIME,
  ]);
  assertEquals(times({ started_at_ms: 1_000, completed_at_ms: 2_000 }), [
    "1970-01-01T00:00:01.000Z",
    "1970-01-01T00:00:02.000Z",
  ]);
  // This duration is beyond the range of dates.
  assertEquals(times({ duration: { secs: 1e15, nanos: 0 } }), [TIME, TIME]);
  assertEquals(times({ started_at_ms: 0, completed_at_ms: 0 }), [TIME, TIME]);
  const begun = execOf(event("begin", { started_at_ms: 1_000 }));
  assertEquals(begun.started_at, "1970-01-01T00:00:01.000Z");
});

Deno.test("HistoryState.apply() reads chunks of output as base64 or as a list of bytes, and skips others (P6)", () => {
  const piece = (chunk: unknown, stream: unknown = "stdout") => {
    const exec = execOf(BEGIN, event("output_delta", { stream, chunk }));
    return [exec.stdout_chunks, exec.stderr_chunks];
  };
  const hi = [{ offset: 0, content: "hi" }];
  assertEquals(piece(btoa("hi")), [hi, []]);
  assertEquals(piece([0x68, 0x69], "stderr"), [[], hi]);
  const bad = ["?", [0x68, 256], [-1], [1.5], ["104"], { length: 0 }, null];
  for (const chunk of bad) assertEquals(piece(chunk), [[], []]);
  assertEquals(piece(btoa("hi"), "stdin"), [[], []]);
});

Deno.test("HistoryState.apply() saves only the bytes of an unfinished character of output (P6)", () => {
  const rest = (...chunks: readonly number[][]) => {
    const pieces = chunks.map((chunk) =>
      event("output_delta", { stream: "stdout", chunk })
    );
    const state = historyOf([BEGIN, ...pieces]);
    const { reader } = Object(state.snapshot({ resume: true }).resume);
    return reader.session.context.calls.calls[0].pending.stdout;
  };
  assertEquals(rest([0xf0, 0x9f]), [0xf0, 0x9f]);
  assertEquals(rest([0xf0, 0x9f], [0x9a, 0x80]), []);
  assertEquals(rest([0x61]), []);
});

Deno.test("HistoryState.apply() joins a character of output around a rollback of a later turn (P6)", () => {
  const piece = (...chunk: number[]) =>
    event("output_delta", { stream: "stdout", chunk });
  const { stdout_chunks } = execOf(
    eventLine("task_started", { turn_id: "a" }),
    BEGIN,
    piece(0xe2, 0x82),
    eventLine("task_complete", { turn_id: "a" }),
    eventLine("task_started", { turn_id: "b" }),
    eventLine("thread_rolled_back", { num_turns: 1 }),
    piece(0xac),
  );
  assertEquals(stdout_chunks, [{ offset: 0, content: "€" }]);
});

Deno.test("HistoryState.apply() separates equal explored commands of different folders (B.11)", () => {
  const read = (call_id: string, cwd?: string) =>
    event("begin", {
      call_id,
      cwd,
      command: ["cat", "a"],
      parsed_cmd: [{ type: "read", cmd: "cat a", name: "a" }],
    });
  const [explore] = payloadsOf(
    snapshotOf([read("1", "/w"), read("2", "/v"), read("3", "file:///w")]),
    "explore",
  );
  const entry = { command: ["cat", "a"], status: "running" };
  assertEquals(explore?.entries, [
    { ...entry, cwd: "/w" },
    { ...entry, cwd: "/v" },
  ]);
});

/** The type of a parsed command in both spellings, and its action. */
const PARSED = [
  ["read", "Read", "read"],
  ["list_files", "ListFiles", "list"],
  ["search", "Search", "search"],
  ["read_command", "ReadCommand", "run"],
  ["unknown", "Unknown", "run"],
] as const;

for (const [type, name, action] of PARSED) {
  Deno.test(`HistoryState.apply() reads a parsed command ${name} in both spellings (A.9)`, () => {
    const fields = { cmd: "x", name: "x" };
    const execOf = (parsed: unknown) => {
      const { records } = snapshotOf([
        itemLine("function_call", {
          name: "shell",
          call_id: "c",
          arguments: '{"command":["x"]}',
        }),
        event("begin", { command: ["x"], parsed_cmd: [parsed] }),
      ]);
      const { payload } = records[0] ?? {};
      return [Object(payload).parsed, Object(payload).action];
    };
    const expected = [[{ ...fields, type }], action];
    assertEquals(execOf({ type, ...fields }), expected);
    assertEquals(execOf({ [name]: fields }), expected);
    for (
      const bad of [{ [name]: fields, more: 1 }, { [name]: "x" }, {}, null]
    ) {
      assertEquals(execOf(bad), [[], "run"]);
    }
  });
}

const PATHS = [
  ["/a b.png", "/a b.png"],
  ["file:///w/a%20b.png", "/w/a b.png"],
  ["FILE:///w/a.png", "/w/a.png"],
  ["file:///C:/w/a.png", "C:\\w\\a.png"],
  ["file:///w/C:/a.png", "/w/C:/a.png"],
  ["/w/file://a.png", "/w/file://a.png"],
  ["https://example.com/a.png", "https://example.com/a.png"],
  ["file://server/a.png", "file://server/a.png"],
  ["file:///%", "file:///%"],
] as const;

for (const [url, path] of PATHS) {
  Deno.test(`plainPath() returns the path in ${url}`, () => {
    assertEquals(plainPath(url), path);
  });
}

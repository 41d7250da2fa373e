/** What lines of rollouts say of calls. */

import { assertEquals } from "@std/assert";
import { readCallLine } from "../../../lib/history/mapping/call_lines.ts";
import { eventLine, itemLine, pagedLine } from "../histories.ts";

const CALL = { call_id: "c" };

/** The text of an event, or an output, of a call. */
function textOf(line: unknown): unknown {
  return Object(readCallLine(line)).text;
}

Deno.test("readCallLine() reads what a call gave, wherever it stands", () => {
  for (
    const name of [
      ...["result", "output", "content_items", "contentItems", "statuses"],
      "agents_states",
    ]
  ) {
    const given = { [name]: [{ text: "a" }, { a: { b: "b" } }, "a"] };
    assertEquals(textOf(eventLine("some_end", { ...CALL, ...given })), "a\nb");
    assertEquals(textOf(pagedLine("Some", { id: "c", ...given })), "a\nb");
  }
  assertEquals(textOf(eventLine("some_end", { ...CALL, arguments: "a" })), "");
});

Deno.test("readCallLine() takes data and words for what it is for no text", () => {
  for (
    const name of [
      ...["_meta", "annotations", "blob", "data", "detail", "image_url"],
      ...["imageUrl", "mimeType", "type"],
    ]
  ) {
    const result = [{ [name]: "x", text: "a" }];
    assertEquals(textOf(eventLine("some_end", { ...CALL, result })), "a");
  }
  const structuredContent = { type: "x" };
  const line = eventLine("some_end", {
    ...CALL,
    result: { structuredContent },
  });
  assertEquals(textOf(line), '{"type":"x"}');
});

Deno.test("readCallLine() reads blocks of content that are the text of a list", () => {
  const texts = [
    ['[{"type":"text","text":"a"},{"type":"image","data":"b"}]', "a"],
    ['[{"text":"a"}]', '[{"text":"a"}]'],
    ['[{"type":"text"', '[{"type":"text"'],
  ] as const;
  for (const [output, text] of texts) {
    assertEquals(textOf(itemLine("some_output", { ...CALL, output })), text);
  }
});

Deno.test("readCallLine() knows what Codex puts before what a script printed", () => {
  const scripts = [
    ["Script completed\nWall time 1 seconds\nOutput:\n\na", "a", false],
    ["Script failed with code 1\nOutput:\na", "a", true],
    ["Script running\na", "a", false],
    ["My Script failed\na", "My Script failed\na", false],
    ["Scripts failed\na", "Scripts failed\na", false],
  ] as const;
  for (const [output, text, isFailedScript] of scripts) {
    assertEquals<unknown>(
      readCallLine(itemLine("custom_tool_call_output", { ...CALL, output })),
      { kind: "output", id: "c", text, isFailedScript },
    );
  }
});

Deno.test("readCallLine() reads a command and what it printed", () => {
  const shown = (stdout: string, stderr: string, command: unknown = ["x"]) =>
    readCallLine(
      eventLine("exec_command_end", {
        ...CALL,
        ...{ command, stdout, stderr, aggregated_output: "all" },
      }),
    );
  const call = { kind: "shown", id: "c", command: ["x"] } as const;
  assertEquals(shown("a\n", "b"), { ...call, text: "a\nb" });
  assertEquals(shown("a\n", " "), { ...call, text: "a\n" });
  assertEquals(shown(" ", "b", "x"), { ...call, text: "b" });
  assertEquals(shown("\n", ""), { ...call, text: "all" });
  assertEquals(
    readCallLine(pagedLine("CommandExecution", { id: "c", command: ["x"] })),
    { ...call, text: "" },
  );
});

Deno.test("readCallLine() reads calls, and nothing of what is about none", () => {
  assertEquals(
    readCallLine(itemLine("some_call", { id: "i", name: "n" })),
    { kind: "call", id: "i", name: "n" },
  );
  for (
    const line of [
      itemLine("some_call", {}),
      itemLine("message", CALL),
      itemLine("some_calls", CALL),
      itemLine("some_outputs", CALL),
      eventLine("agent_message", { message: "m" }),
      { type: "turn_context", payload: CALL },
      null,
    ]
  ) assertEquals(readCallLine(line), undefined);
});

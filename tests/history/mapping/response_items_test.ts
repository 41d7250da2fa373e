/** What the calls among response items become (history.md C.3). */

import { assertEquals } from "@std/assert";
import { eventLine, itemLine, payloadsOf, snapshotOf } from "../histories.ts";

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

Deno.test("HistoryState.apply() makes a patch of a shell call of apply_patch (C.3)", () => {
  const envelope = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
  const snapshot = snapshotOf([
    functionCall("shell", { command: ["apply_patch", envelope] }),
  ]);
  assertEquals(snapshot.records.map(({ type }) => type), ["patch"]);
  assertEquals(payloadsOf(snapshot, "patch")[0]?.changes, {
    a: { type: "add", content: "x\n" },
  });
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
});

Deno.test("HistoryState.apply() believes an event more than the call that it tells of (C.3)", () => {
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

Deno.test("HistoryState.apply() takes a call for failed that says so in any way (C.3)", () => {
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

/** Two copies of a text that are one record (history.md C.3). */

import { assertEquals } from "@std/assert";
import { Pairing } from "../../lib/events/pairing.ts";
import { snapshotOf, summariesOf } from "../history/histories.ts";
import {
  answerLine,
  eventLine,
  itemLine,
  promptLine,
} from "../session_lines.ts";

const CALL = { call_id: "c" };
const TEXT = [{ type: "output_text", text: "a" }];

function countOf(type: string, ...events: readonly unknown[]): number {
  return snapshotOf(events).records.filter((record) => record.type === type)
    .length;
}

/** Events between the two copies of a prompt, and whether they answer the first copy. */
const BETWEEN = [
  [answerLine("m"), true],
  [eventLine("agent_message_delta", { delta: "d" }), true],
  [eventLine("agent_reasoning", { text: "t" }), true],
  [eventLine("exec_command_begin", { ...CALL, command: ["x"] }), true],
  [
    eventLine("exec_command_begin", {
      ...CALL,
      parsed_cmd: [{ type: "read", cmd: "x", name: "x" }],
    }),
    true,
  ],
  [eventLine("patch_apply_begin", { ...CALL, changes: {} }), true],
  [eventLine("mcp_tool_call_begin", CALL), true],
  [eventLine("mcp_tool_call_end", CALL), true],
  [eventLine("background_event", { message: "m" }), false],
  [eventLine("warning", { message: "m" }), false],
  [eventLine("turn_diff", { unified_diff: "@@ -1 +1 @@\n-a\n+b" }), false],
  [eventLine("plan_update", { plan: [] }), false],
  [eventLine("view_image_tool_call", { ...CALL, path: "/a" }), false],
] as const;

for (const [between, isAnswer] of BETWEEN) {
  Deno.test(`HistoryState.apply() shows ${isAnswer ? "two prompts" : "one prompt"} around ${JSON.stringify(between.payload)}`, () => {
    const copies = [
      itemLine("message", { role: "user", content: TEXT }),
      promptLine("a"),
    ] as const;
    for (const [first, second] of [copies, copies.toReversed()]) {
      const shown = summariesOf(snapshotOf([first, between, second]));
      assertEquals(
        shown.filter((each) => each === "user: a").length,
        isAnswer ? 2 : 1,
      );
    }
  });
}

/** The two copies of parts of an answer. */
const COPIES = [
  [
    "assistant_message",
    itemLine("message", { role: "assistant", content: TEXT }),
    answerLine("a"),
  ],
  [
    "reasoning",
    itemLine("reasoning", { summary: TEXT }),
    eventLine("agent_reasoning", { text: "a" }),
  ],
  [
    "tool_call",
    itemLine("web_search_call", { action: { type: "search", query: "q" } }),
    eventLine("web_search_end", { query: "q", action: null }),
  ],
  [
    "plan_update",
    itemLine("function_call", { name: "update_plan", arguments: { plan: [] } }),
    eventLine("plan_update", { plan: [] }),
  ],
] as const;

for (const [type, item, event] of COPIES) {
  Deno.test(`HistoryState.apply() pairs a ${type} with its copy up to the next prompt`, () => {
    const prompt = promptLine("p");
    for (const [first, second] of [[item, event], [event, item]]) {
      assertEquals(countOf(type, first, second), 1);
      assertEquals(countOf(type, first, prompt, second), 2);
    }
  });
}

Deno.test("Pairing keeps the last 256 unmatched copies", () => {
  const pairing = new Pairing();
  for (let i = 0; i < 300; i++) {
    pairing.add("user", i % 2 ? "go on" : `${i}`, "event", { itemId: `${i}` });
  }
  const matched = [45, 44, 43].map((i) =>
    pairing.match("user", i % 2 ? "go on" : `${i}`, "item")?.itemId
  );
  assertEquals(matched, ["45", "44", "47"]);
  assertEquals(pairing.match("user", "42", "item"), undefined);
});

Deno.test("Pairing reads saved copies, whatever is in them", () => {
  const images = [{ path: "/a" }, { url: "u" }];
  const saved = new Pairing();
  saved.add("user", "a", "item", { itemId: "i", images });
  assertEquals(new Pairing(saved.save()), saved);

  const damaged = [
    ["a", null],
    ["a", { itemId: 1, images: [null, { path: 2 }] }],
    null,
  ];
  const pairing = new Pairing({ user: { item: damaged }, x: 1 });
  const matched = [1, 2, 3].map(() => pairing.match("user", "a", "event"));
  assertEquals(matched, [
    { itemId: "" },
    { itemId: "", images: [{}, {}] },
    undefined,
  ]);
});

/** Type guards of rollout lines, for the compiler and at run time. */

import { assert, assertEquals } from "@std/assert";
import {
  type EventMsg,
  isKnownEventMsg,
} from "../../../lib/dialects/rollout/event_msgs.ts";
import {
  isKnownRolloutLine,
  type RolloutLine,
  type RolloutLines,
  type UnknownRolloutLine,
} from "../../../lib/dialects/rollout/lines.ts";
import { isOfType } from "../../../lib/dialects/rollout/of_type.ts";
import {
  isKnownResponseItem,
  type MessageItem,
  type ResponseItem,
} from "../../../lib/dialects/rollout/response_items.ts";
import {
  isKnownTurnItem,
  type TurnItem,
} from "../../../lib/dialects/rollout/turn_items.ts";

/** Fails to compile unless the two types are the same. */
function assertType<Expected>() {
  return <Actual>(
    _:
      & Actual
      & ([Actual, Expected] extends [Expected, Actual] ? unknown : never),
  ): void => {};
}

const META: RolloutLine = {
  type: "session_meta",
  payload: { id: "i", timestamp: "t" },
};
const DREAM: RolloutLine = { type: "dream", payload: { deep: true } };

Deno.test("isOfType() narrows a line to a known type", () => {
  const lines: RolloutLine[] = [META, DREAM];
  const ids = lines.flatMap((line) => {
    if (!isOfType(line, "session_meta")) return [];
    assertType<RolloutLines["session_meta"]>()(line);
    return [line.payload.id];
  });
  assertEquals(ids, ["i"]);
});

Deno.test("isOfType() narrows a line of an unknown type to UnknownRolloutLine", () => {
  const line: RolloutLine = DREAM;
  assert(isOfType(line, "dream"));
  assertType<UnknownRolloutLine & { readonly type: "dream" }>()(line);
  assertEquals(line.payload.deep, true);
});

Deno.test("isOfType() narrows items and parts of messages", () => {
  const line: RolloutLine = {
    type: "response_item",
    payload: {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "hi" }, { type: "dream" }],
    },
  };
  assert(isOfType<RolloutLine, "response_item">(line, "response_item"));
  const item: ResponseItem = line.payload;
  assert(isOfType<ResponseItem, "message">(item, "message"));
  assertType<MessageItem & { readonly type: "message" }>()(item);
  const texts = item.content.flatMap((part) =>
    isOfType(part, "input_text") ? [part.text] : []
  );
  assertEquals(texts, ["hi"]);
});

Deno.test("isKnownRolloutLine() lets switch narrow, down to never", () => {
  const summary = (line: RolloutLine): string => {
    if (!isKnownRolloutLine(line)) return line.type;
    switch (line.type) {
      case "session_meta":
        return line.payload.id;
      case "response_item":
      case "event_msg":
        return line.payload.type;
      case "event":
        return line.payload.msg.type;
      case "turn_context":
        return line.payload.model;
      case "compacted":
        return line.payload.message;
      case "world_state":
        return String(line.payload.full);
      case "inter_agent_communication":
      case "inter_agent_communication_metadata":
        return String(line.payload.trigger_turn);
      case "token_usage_record":
        return String(line.payload.usage.input_tokens);
      default:
        return line satisfies never;
    }
  };
  assertEquals([META, DREAM].map(summary), ["i", "dream"]);
});

Deno.test("isKnown...() guards return false for unknown types, also with the names of inherited members", () => {
  const items: ResponseItem[] = [
    { type: "compaction" },
    { type: "constructor" },
    { type: "" },
  ];
  assertEquals(items.map(isKnownResponseItem), [true, false, false]);
  const events: EventMsg[] = [{ type: "context_compacted" }, {
    type: "__proto__",
  }];
  assertEquals(events.map(isKnownEventMsg), [true, false]);
  const turnItems: TurnItem[] = [
    { type: "ContextCompaction", id: "1" },
    { type: "contextCompaction" },
  ];
  assertEquals(turnItems.map(isKnownTurnItem), [true, false]);
  assertEquals(isKnownRolloutLine({ type: "toString", payload: {} }), false);
});

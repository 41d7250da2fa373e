/** The lines that hold certain events. */

import { assertEquals } from "@std/assert";
import { LineSelection } from "../../lib/events/line_selection.ts";

Deno.test("LineSelection lists the types of lines for events in all dialects, each once", () => {
  const { types } = new LineSelection(["token_count", "user_message"]);
  assertEquals(types, [
    "item.completed/token_count",
    "event_msg/token_count",
    "event",
    "event_msg/user_message",
    "item.completed/user_message",
  ]);
});

Deno.test("LineSelection.mayHaveTold() searches the text of a failed line", () => {
  const lines = new LineSelection(["token_count"]);
  assertEquals(lines.mayHaveTold('{"type":"token_count","inf'), true);
  assertEquals(lines.mayHaveTold('{"type":"user_message","mes'), false);
  assertEquals(lines.mayHaveTold('{"type":"line.failed"}'), true);
  assertEquals(lines.mayHaveTold(undefined), true);
});

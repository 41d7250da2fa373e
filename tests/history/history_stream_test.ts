import { assertEquals, assertStringIncludes } from "@std/assert";
import { HistoryState } from "../../lib/history/history_state.ts";
import {
  HistoryReducer,
  HistoryStream,
} from "../../lib/history/history_stream.ts";
import type { Outcome } from "../../lib/outcome.ts";
import { emitted } from "../running.ts";

const ERROR = { type: "error", message: "no" };
const FAILURE: Outcome<unknown> = {
  ok: false,
  line: 2,
  offset: 9,
  error: { kind: "json", message: "Cannot parse" },
  raw: "{",
};
const OUTCOMES: readonly Outcome<unknown>[] = [
  { ok: true, line: 1, offset: 0, value: ERROR },
  FAILURE,
  { ok: true, line: 3, offset: 20, value: JSON.stringify(ERROR) },
  { ok: true, line: 4, offset: 60, value: { type: "turn.started" } },
];

Deno.test("HistoryReducer emits each mutation with the line of its event, and passes failures on", () => {
  const seen = emitted(new HistoryReducer(), OUTCOMES);
  assertEquals(
    seen.map((outcome) => [
      outcome.line,
      outcome.offset,
      outcome.ok ? outcome.value.type : outcome,
    ]),
    [[1, 0, "inserted"], [2, 9, FAILURE], [3, 20, "inserted"]],
  );
});

Deno.test("HistoryReducer keeps the text of numbers, from events that are text or have a text", () => {
  const text =
    '{"type":"item.completed","thread_id":"t","turn_id":"u","item_id":"i","status":"completed","item_type":"mcp_tool_call","content":{"server_name":"s","tool_name":"x","arguments":{"b":12345678901234567890}}}';
  const outcome = { ok: true, line: 1, offset: 0 } as const;
  for (
    const input of [
      { ...outcome, value: text },
      { ...outcome, value: JSON.parse(text), text },
    ]
  ) {
    const reducer = new HistoryReducer();
    emitted(reducer, [input]);
    assertStringIncludes(
      JSON.stringify(reducer.state.snapshot()),
      '"12345678901234567890"',
    );
  }
});

Deno.test("HistoryStream emits the mutations of HistoryReducer and continues a given state", async () => {
  const state = new HistoryState();
  state.apply(ERROR);
  const stream = new HistoryStream(state);
  const seen = await Array.fromAsync(
    ReadableStream.from(OUTCOMES).pipeThrough(stream),
  );
  const other = new HistoryState();
  other.apply(ERROR);
  assertEquals(seen, emitted(new HistoryReducer(other), OUTCOMES));
  assertEquals(stream.state.snapshot().records.length, 3);
});

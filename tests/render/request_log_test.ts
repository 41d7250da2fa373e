import { assert, assertEquals } from "@std/assert";
import type { TurnUsage } from "../../lib/render/parts.ts";
import { command, message, partsOfLines, THREAD, TURN } from "./transcripts.ts";

/** A count of the tokens of the thread so far. */
function counted(at: string, input: number, output: number): unknown {
  const total: TurnUsage = {
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: output,
    reasoning_output_tokens: 0,
  };
  return {
    timestamp: at,
    type: "event_msg",
    payload: { type: "token_count", info: { total_token_usage: total } },
  };
}

function event(at: string, payload: Record<string, unknown>): unknown {
  return { timestamp: at, type: "event_msg", payload };
}

const START = "2026-11-20T09:00:00.000Z";

/** Gives the requests of each turn of a session file. */
function requestsOf(lines: readonly unknown[]) {
  return partsOfLines(lines.map((line) => JSON.stringify(line)))
    .filter((part) => part.type === "turn_ended")
    .map(({ requests }) => requests);
}

Deno.test("a turn that ends tells its requests apart, repeated counts left out", () => {
  const later = START.replace("00.000", "05.000");
  assertEquals(
    requestsOf([
      event(START, { type: "task_started", turn_id: "1" }),
      counted(START, 100, 10),
      counted(later, 250, 15),
      counted(later, 250, 15),
      event(later, { type: "task_complete", turn_id: "1" }),
      event(later, { type: "task_started", turn_id: "2" }),
      counted(later, 300, 20),
      event(later, { type: "task_complete", turn_id: "2" }),
    ]),
    [
      [
        { at: START, input_tokens: 100, output_tokens: 10 },
        { at: later, input_tokens: 150, output_tokens: 5 },
      ],
      [{ at: later, input_tokens: 50, output_tokens: 5 }],
    ],
  );
});

Deno.test("a turn of which only the whole is counted tells nothing of requests", () => {
  const [ended] = partsOfLines([
    THREAD,
    TURN,
    command("completed"),
    message("Done."),
    { type: "turn.completed", usage: { input_tokens: 9, output_tokens: 1 } },
  ]).filter((part) => part.type === "turn_ended");
  assert(ended !== undefined && !("requests" in ended));
});

Deno.test("a turn keeps 240 requests at most, and every token of them", () => {
  const [requests = []] = requestsOf([
    event(START, { type: "task_started", turn_id: "1" }),
    ...Array.from(
      { length: 1000 },
      (_, i) => counted(START, 7 * (i + 1), i + 1),
    ),
    event(START, { type: "task_complete", turn_id: "1" }),
  ]);
  assert(requests.length <= 240, `${requests.length} requests`);
  assertEquals(
    requests.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
    7000,
  );
});

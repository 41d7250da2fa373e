import { assertEquals } from "@std/assert";
import { eventLine, payloadsOf, snapshotOf } from "../histories.ts";

Deno.test("HistoryState.apply() crosses each threshold of both windows once (B.12)", () => {
  const counted = (...percents: readonly (readonly [number, number])[]) =>
    payloadsOf(
      snapshotOf(percents.map(([first, second]) =>
        eventLine("token_count", {
          rate_limits: {
            primary: { used_percent: first, window_minutes: 1 },
            secondary: { used_percent: second, window_minutes: 1 },
          },
        })
      )),
      "rate_limits",
    ).map((limits) => [
      limits.primary_used_percent,
      limits.secondary_used_percent,
    ]);
  assertEquals(counted([49, 49]), []);
  assertEquals(counted([1, 50], [60, 60], [74, 74]), [[1, 50], [60, 60]]);
  assertEquals(counted([50, 1], [40, 80], [80, 40]), [
    [50, 1],
    [40, 80],
    [80, 40],
  ]);
  assertEquals(counted([1, 95], [1, 10], [1, 95]), [[1, 95]]);
});

Deno.test("HistoryState.apply() says what was used by a turn that failed, too (C.1)", () => {
  const usage = { input_tokens: 3, output_tokens: 4 };
  for (const type of ["turn.completed", "turn.failed"]) {
    const events = [
      { type: "turn.started" },
      {
        type: "item.completed",
        item_id: "i",
        item_type: "agent_message",
        content: { text: "a" },
      },
      { type, usage, error: { message: "no" } },
    ];
    assertEquals(
      payloadsOf(snapshotOf(events), "assistant_message")
        .map(({ token_usage }) => token_usage),
      [{ prompt: 3, completion: 4, total: 7 }],
    );
  }
});

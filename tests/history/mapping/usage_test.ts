import { assertEquals } from "@std/assert";
import { payloadsOf, snapshotOf } from "../histories.ts";
import { answerLine, eventLine, promptLine } from "../../session_lines.ts";

function limitsOf(
  primary: Record<string, unknown>,
  secondary: Record<string, unknown>,
): Record<string, unknown> {
  const line = eventLine("token_count", {
    rate_limits: { primary, secondary },
  });
  return payloadsOf(snapshotOf([line]), "rate_limits")[0] ?? {};
}

Deno.test("HistoryState.apply() computes the ratio of windows only for known lengths (B.12)", () => {
  const ratio = (first: number, second: number) =>
    limitsOf({ used_percent: 50, window_minutes: first }, {
      window_minutes: second,
    }).primary_to_secondary_ratio_percent;
  assertEquals(ratio(5, 10), 50);
  assertEquals(ratio(20, 10), 100);
  assertEquals(ratio(0, 10), null);
  assertEquals(ratio(10, 0), null);
});

Deno.test("HistoryState.apply() reads the reset of a window in every form (C.3)", () => {
  const reset = (fields: Record<string, unknown>) => {
    const limits = limitsOf({ used_percent: 120, ...fields }, {});
    assertEquals(limits.primary_used_percent, 100);
    assertEquals(limits.secondary_used_percent, 0);
    return [limits.primary_reset_after_seconds, limits.primary_resets_at];
  };
  const at = "2026-11-20T15:14:20.000Z";
  assertEquals(reset({ resets_at: Date.parse(at) / 1000 }), [5, at]);
  assertEquals(reset({ resets_at: at }), [5, at]);
  assertEquals(reset({ resets_in_seconds: 5 }), [5, at]);
  assertEquals(reset({ resets_at: "2026-11-20T11:00:00Z" }), [
    0,
    "2026-11-20T11:00:00.000Z",
  ]);
  assertEquals(reset({}), [null, null]);
});

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

Deno.test("HistoryState.apply() shows the usage of completed and failed turns (C.1)", () => {
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

Deno.test("HistoryState.apply() gives no message the tokens of the thread where requests are counted (0.171)", () => {
  const answer = (item_id: string) => ({
    type: "item.completed",
    item_id,
    item_type: "agent_message",
    content: { text: item_id },
  });
  const usage = { input_tokens: 9, output_tokens: 4 };
  const events = [
    { type: "turn.started" },
    answer("a"),
    {
      type: "item.completed",
      item_id: "c",
      item_type: "token_count",
      content: { info: { last_token_usage: usage } },
    },
    { type: "turn.completed", usage },
    { type: "turn.started" },
    answer("b"),
    // Interrupted before its request was counted: the usage is that of the turn before.
    { type: "turn.failed", usage, error: { message: "" } },
  ];
  const usages = (all: readonly unknown[]) =>
    payloadsOf(snapshotOf(all), "assistant_message")
      .map(({ token_usage }) => token_usage);
  const counted = { prompt: 9, completion: 4, total: 13 };
  assertEquals(usages(events), [counted, null]);
  // Another process may count no requests.
  const other = [
    ...events,
    { type: "thread.started", thread_id: "t" },
    answer("d"),
    { type: "turn.completed", usage },
  ];
  assertEquals(usages(other), [counted, null, counted]);
});

Deno.test("HistoryState.apply() gives no message of a session file the tokens of the thread (C.3)", () => {
  const lines = [
    eventLine("token_count", {
      info: { total_token_usage: { input_tokens: 9, output_tokens: 9 } },
    }),
    promptLine("Go"),
    answerLine("Going"),
  ];
  for (const end of ["task_complete", "turn_aborted"]) {
    const events = [...lines, eventLine(end, { reason: "interrupted" })];
    assertEquals(
      payloadsOf(snapshotOf(events), "assistant_message")
        .map(({ token_usage }) => token_usage),
      [null],
    );
  }
});

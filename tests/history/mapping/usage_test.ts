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

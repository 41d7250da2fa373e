import { assertEquals } from "@std/assert";
import {
  durationMsOf,
  shortDuration,
  timestampOf,
  timestampOfMs,
} from "../../../lib/history/mapping/times.ts";

Deno.test("timestampOf() gives UTC with milliseconds, finer digits cut off", () => {
  for (
    const [text, expected] of [
      ["2025-10-01T12:00:00.123Z", "2025-10-01T12:00:00.123Z"],
      ["2025-10-01T14:00:02.5+02:00", "2025-10-01T12:00:02.500Z"],
      ["2025-10-01t12:00:00.9999999z", "2025-10-01T12:00:00.999Z"],
      ["2025-10-01 12:00:00Z", "2025-10-01T12:00:00.000Z"],
      ["2025-13-01T12:00:00Z", undefined],
      ["2025-10-01T12:00:00", undefined],
      // Days and hours that there are not, however they are spelled.
      ["2024-02-29T12:00:00.000Z", "2024-02-29T12:00:00.000Z"],
      ["2025-02-29T12:00:00.000Z", undefined],
      ["2025-02-29T12:00:00Z", undefined],
      ["2025-04-31T12:00:00+02:00", undefined],
      ["2025-10-01T24:00:00.000Z", undefined],
      ["2025-10-01T24:00:00Z", undefined],
      // Years of more digits are no RFC 3339.
      ["9999-12-31T23:59:59-01:00", undefined],
      ["0000-01-01T00:00:00+01:00", undefined],
      ["today", undefined],
      [1, undefined],
    ]
  ) assertEquals(timestampOf(text), expected);
  assertEquals(timestampOfMs(1e300), undefined);
});

Deno.test("durationMsOf() reads every spelling", () => {
  for (
    const [value, expected] of [
      [5, 5],
      [{ secs: 1, nanos: 999_999_999 }, 1999],
      ["PT1M0.29S", 60_290],
      ["P1DT2H", 93_600_000],
      ["PT", undefined],
      ["P", undefined],
      ["-PT2S", undefined],
      ["PT2S ago", undefined],
      [{ secs: -1, nanos: 0 }, undefined],
      [null, undefined],
    ]
  ) assertEquals(durationMsOf(value), expected);
});

Deno.test("shortDuration() says how long, for people", () => {
  assertEquals(
    [0, 850, 2000, 60_000, 65_000, 3_600_000, 3_720_000].map(shortDuration),
    ["0ms", "850ms", "2s", "1m 00s", "1m 05s", "1h 00m", "1h 02m"],
  );
});

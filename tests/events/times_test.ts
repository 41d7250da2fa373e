import { assertEquals } from "@std/assert";
import {
  durationMsOf,
  shortDuration,
  timeInUuid,
  timestampOf,
  timestampOfMs,
} from "../../lib/events/times.ts";

Deno.test("timestampOf() returns undefined for values that are not strings", () => {
  for (const value of [1, null, undefined, {}, ["2025-10-01T12:00:00Z"]]) {
    assertEquals(timestampOf(value), undefined);
  }
});

Deno.test("timestampOfMs() returns undefined beyond years of four digits", () => {
  const first = Date.parse("0000-01-01T00:00:00.000Z");
  const last = Date.parse("9999-12-31T23:59:59.999Z");
  assertEquals(
    [first, last].map(timestampOfMs),
    ["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  );
  for (const ms of [first - 1, last + 1, 1e300, NaN]) {
    assertEquals(timestampOfMs(ms), undefined);
  }
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

Deno.test("shortDuration() writes milliseconds for people", () => {
  assertEquals(
    [0, 850, 2000, 60_000, 65_000, 3_600_000, 3_720_000].map(shortDuration),
    ["0ms", "850ms", "2s", "1m 00s", "1m 05s", "1h 00m", "1h 02m"],
  );
});

Deno.test("timeInUuid() reads the time of a UUID v7, and returns undefined for other ids", () => {
  const time = timeInUuid("01a1f999-2cec-71a1-9c1b-906931b0a47d");
  assertEquals(time, 0x01a1f9992cec);
  for (const id of ["5973b6c0-94b8-487b-a530-2aeb6098ae0e", "", null]) {
    assertEquals(timeInUuid(id), undefined);
  }
});

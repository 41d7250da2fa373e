/** The day that a time is on. */

import { assertEquals, assertThrows } from "@std/assert";
import { Calendar } from "../../lib/usage/calendar.ts";

const CASES = [
  ["UTC", "2026-11-20T23:59:59.999Z", "2026-11-20"],
  ["utc", "2026-11-21T00:00:00.000Z", "2026-11-21"],
  ["Asia/Tokyo", "2026-11-20T14:59:59.999Z", "2026-11-20"],
  ["Asia/Tokyo", "2026-11-20T15:00:00.000Z", "2026-11-21"],
  ["America/New_York", "2026-03-08T04:59:59.000Z", "2026-03-07"],
  ["America/New_York", "2026-03-09T03:59:59.000Z", "2026-03-08"],
  ["Asia/Kathmandu", "2026-11-20T18:14:59.000Z", "2026-11-20"],
  ["Asia/Kathmandu", "2026-11-20T18:15:00.000Z", "2026-11-21"],
] satisfies [string, string, string][];

for (const [zone, time, day] of CASES) {
  Deno.test(`Calendar says that ${time} in ${zone} is ${day}`, () => {
    assertEquals(new Calendar(zone).dayOf(Date.parse(time)), day);
  });
}

Deno.test("Calendar refuses a time zone that there is none of", () => {
  assertThrows(() => new Calendar("Mars/Olympus"), RangeError);
});

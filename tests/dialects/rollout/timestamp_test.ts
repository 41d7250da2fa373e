import { assertEquals, assertMatch } from "@std/assert";
import { timestampOf } from "../../../lib/events/times.ts";
import {
  canonicalTimestamp,
  fileNameTimestamp,
} from "../../../lib/dialects/rollout/timestamp.ts";
import fc from "../../property_seed.ts";

const TIMES = [
  {
    name: "a canonical time",
    text: "2026-11-20T15:49:48.041Z",
    expected: "2026-11-20T15:49:48.041Z",
  },
  {
    name: "no fraction",
    text: "2026-11-20T15:49:48Z",
    expected: "2026-11-20T15:49:48.000Z",
  },
  {
    name: "one digit of a fraction",
    text: "2026-11-20T15:49:48.5Z",
    expected: "2026-11-20T15:49:48.500Z",
  },
  {
    name: "digits below a millisecond, which are truncated and not rounded",
    text: "2026-11-20T15:49:48.041999999Z",
    expected: "2026-11-20T15:49:48.041Z",
  },
  {
    name: "a zone east of Greenwich",
    text: "2026-11-20T02:19:48+05:30",
    expected: "2026-11-19T20:49:48.000Z",
  },
  {
    name: "a zone west of Greenwich",
    text: "2026-12-31T20:00:00.25-08:00",
    expected: "2027-01-01T04:00:00.250Z",
  },
  {
    name: "small letters",
    text: "2026-11-20t15:49:48z",
    expected: "2026-11-20T15:49:48.000Z",
  },
  {
    name: "a blank between day and hour",
    text: "2026-11-20 15:49:48Z",
    expected: "2026-11-20T15:49:48.000Z",
  },
  {
    name: "a zone without a colon",
    text: "2026-11-20T02:19:48+0530",
    expected: "2026-11-19T20:49:48.000Z",
  },
  {
    name: "a leap day",
    text: "2024-02-29T12:00:00.000Z",
    expected: "2024-02-29T12:00:00.000Z",
  },
  {
    name: "a leap second",
    text: "1990-12-31T23:59:60.250Z",
    expected: "1991-01-01T00:00:00.250Z",
  },
  {
    name: "a leap second west of Greenwich",
    text: "1990-12-31T15:59:60-08:00",
    expected: "1991-01-01T00:00:00.000Z",
  },
] satisfies { name: string; text: string; expected: string }[];

for (const { name, text, expected } of TIMES) {
  Deno.test(`canonicalTimestamp() and timestampOf() return UTC with milliseconds: ${name}`, () => {
    assertEquals(canonicalTimestamp(text), expected);
    assertEquals(timestampOf(text), expected);
  });
}

const NO_TIMES = [
  "",
  "yesterday",
  "2026-11-20",
  "2026-11-20T15:49:48",
  "2026-11-20T15:49Z",
  "2026-13-20T15:49:48Z",
  "2026-11-20T25:49:48Z",
  "2026-11-20T24:00:00Z",
  "2026-11-20T24:00:00.000Z",
  "2026-11-20T15:49:60Z",
  "2026-11-20T15:49:61Z",
  "2026-12-31T23:59:60+01:00",
  "2026-02-29T15:49:48Z",
  "2026-02-29T15:49:48.000Z",
  "2026-04-31T23:49:48+05:30",
  "2026-11-20Tnoon Z",
  "1795190988",
  "Fri, 20 Nov 2026 15:49:48 GMT",
  "2026-11-20T15:49:48Z and more",
  " 2026-11-20T15:49:48Z",
  // JavaScript has years of six digits, RFC 3339 does not.
  "+002026-11-20T15:49:48Z",
  // In UTC, the years of these times do not have four digits.
  "9999-12-31T23:59:59-01:00",
  "0000-01-01T00:00:00+01:00",
];

for (const text of NO_TIMES) {
  Deno.test(`canonicalTimestamp() returns "${text}" unchanged, and timestampOf() undefined`, () => {
    assertEquals(canonicalTimestamp(text), text);
    assertEquals(timestampOf(text), undefined);
  });
}

Deno.test("canonicalTimestamp() returns the same text for the same time in any zone", () => {
  const points = fc.date({
    min: new Date("1000-01-02T00:00:00Z"),
    max: new Date("9998-12-31T00:00:00Z"),
    noInvalidDate: true,
  });
  fc.assert(fc.property(
    points,
    fc.integer({ min: -14 * 60, max: 14 * 60 }),
    (point, minutes) => {
      const local = new Date(point.getTime() + minutes * 60_000);
      const size = Math.abs(minutes);
      const two = (n: number): string => `${n}`.padStart(2, "0");
      const zone = `${minutes < 0 ? "-" : "+"}${two(Math.trunc(size / 60))}:${
        two(size % 60)
      }`;
      assertEquals(
        canonicalTimestamp(local.toISOString().replace("Z", zone)),
        point.toISOString(),
      );
    },
  ));
});

Deno.test("canonicalTimestamp() is idempotent", () => {
  fc.assert(fc.property(fc.string(), fc.date(), (text, date) => {
    const inputs = [text, `${text}Z`, `2026-01-01T${text}Z`];
    if (!Number.isNaN(date.getTime())) inputs.push(date.toISOString());
    for (const input of inputs) {
      const once = canonicalTimestamp(input);
      assertEquals(canonicalTimestamp(once), once);
    }
  }));
});

const ID = "01a1f99d-5874-7011-9c38-b543d19d65ba";
const NAMES = [
  `rollout-2026-11-20T15-40-01-${ID}.jsonl`,
  `rollout-2026-11-20T15-40-01-${ID}.jsonl.zst`,
  `archived-rollout-2026-11-20T15-40-01-${ID}.jsonl`,
  `.codex/sessions/2025/01/02/rollout-2026-11-20T15-40-01-${ID}.jsonl`,
  `C:\\codex\\rollout-2026-11-20T15-40-01-${ID}.jsonl`,
  `rollout-2025-01-02T03-04-05-x/rollout-2026-11-20T15-40-01-${ID}`,
];

for (const name of NAMES) {
  Deno.test(`fileNameTimestamp() reads the time of ${name}`, () => {
    assertEquals(fileNameTimestamp(name), "2026-11-20T15:40:01.000Z");
  });
}

const NAMES_WITHOUT = [
  "",
  "-",
  "history.jsonl",
  `rollout-2026-11-20-${ID}.json`,
  `rollout-2026-11-20T15:40:01-${ID}.jsonl`,
  "rollout-2026-11-20T15-40-01.jsonl",
  `rollout-2026-11-20T15-40-01-${ID}/history.jsonl`,
  `rollout-2026-13-20T15-40-01-${ID}.jsonl`,
  `rollout-2026-02-29T15-40-01-${ID}.jsonl`,
  `rollout-2026-11-20T15-60-01-${ID}.jsonl`,
];

for (const name of NAMES_WITHOUT) {
  Deno.test(`fileNameTimestamp() finds no time in "${name}"`, () => {
    assertEquals(fileNameTimestamp(name), undefined);
  });
}

Deno.test("fileNameTimestamp() returns a canonical time or undefined", () => {
  const two = fc.nat(99).map((n) => `${n}`.padStart(2, "0"));
  fc.assert(fc.property(
    fc.tuple(two, two, two, two, two),
    ([month, day, hours, minutes, seconds]) => {
      const time = fileNameTimestamp(
        `rollout-2026-${month}-${day}T${hours}-${minutes}-${seconds}-${ID}.jsonl`,
      );
      if (time === undefined) return;
      assertMatch(time, /^2026-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      assertEquals(Number.isNaN(Date.parse(time)), false);
    },
  ));
});

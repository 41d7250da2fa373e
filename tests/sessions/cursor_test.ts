import { assertEquals, assertThrows } from "@std/assert";
import {
  CursorError,
  encodeCursor,
  isBehind,
  parseCursor,
} from "../../lib/sessions/cursor.ts";
import {
  compareNewestFirst,
  type SessionPlace,
} from "../../lib/sessions/session_start.ts";
import fc from "../property_seed.ts";

const V4 = "ad79bfaa-60af-4fa9-81ca-427559113a4c";
const V7 = "01a1f98d-a731-7180-b21a-e6e49dfe6c2b";
const V7_TIME = Date.parse("2026-11-20T15:22:52.593Z");

const CASES = [
  {
    name: "the format of encodeCursor()",
    text: `2026-11-20T15:40:01.123Z|${V4}`,
    start: Date.parse("2026-11-20T15:40:01.123Z"),
    key: V4,
  },
  {
    name: "the format of 2025, with the time of file names",
    text: `2026-11-20T15-40-01|${V4}`,
    start: Date.parse("2026-11-20T15:40:01.000Z"),
    key: V4,
  },
  {
    name: "the time of file names in another zone, corrected by the id",
    text: `2026-11-20T20-52-52|${V7}`,
    start: V7_TIME,
    key: V7,
  },
  {
    name: "RFC 3339 with an offset",
    text: "2026-11-20T16:40:01.5+01:00",
    start: Date.parse("2026-11-20T15:40:01.500Z"),
    key: undefined,
  },
  {
    name: "RFC 3339 alone, with nanoseconds",
    text: "2026-11-20T15:40:01.123456789Z",
    start: Date.parse("2026-11-20T15:40:01.123Z"),
    key: undefined,
  },
  {
    name: "a time without a zone, as UTC",
    text: "2026-11-20 15:40:01",
    start: Date.parse("2026-11-20T15:40:01.000Z"),
    key: undefined,
  },
  {
    name: "the time of file names alone, with white space around",
    text: " 2026-11-20T15-40-01 ",
    start: Date.parse("2026-11-20T15:40:01.000Z"),
    key: undefined,
  },
  {
    name: "a path for a key, with a bar in it",
    text: "2026-11-20T15:40:01.000Z|/a|b/rollout-1.jsonl",
    start: Date.parse("2026-11-20T15:40:01.000Z"),
    key: "/a|b/rollout-1.jsonl",
  },
] satisfies {
  name: string;
  text: string;
  start: number;
  key: string | undefined;
}[];

for (const { name, text, start, key } of CASES) {
  Deno.test(`parseCursor() reads ${name}`, () => {
    assertEquals(parseCursor(text), { start, key });
  });
}

for (
  const text of [
    "",
    "|",
    "abc",
    V4,
    `|${V4}`,
    "2026-11-20",
    "2026-11-20T15:40:01Z|",
    "2026-13-20T15:40:01Z",
  ]
) {
  Deno.test(`parseCursor() refuses ${JSON.stringify(text)}`, () => {
    const error = assertThrows(() => parseCursor(text), CursorError);
    assertEquals(error.cursor, text);
  });
}

/** Places that often have the same time. */
const PLACES = fc.uniqueArray(
  fc.record({
    start: fc.integer({ min: 0, max: 3 }),
    key: fc.constantFrom("a", "b", "c", "d"),
  }),
  { selector: ({ start, key }) => `${start}|${key}`, maxLength: 16 },
);

Deno.test("pages of every size join to the whole list, even if many places have the same time", () => {
  fc.assert(
    fc.property(PLACES, fc.integer({ min: 1, max: 17 }), (places, size) => {
      const list = places.toSorted(compareNewestFirst);
      const seen: SessionPlace[] = [];
      let cursor: string | undefined;
      do {
        const from = cursor === undefined ? undefined : parseCursor(cursor);
        const page = list.filter((place) =>
          from === undefined || isBehind(place, from)
        ).slice(0, size);
        seen.push(...page);
        const last = page.at(-1);
        cursor = last && encodeCursor(last);
      } while (cursor !== undefined);
      assertEquals(seen, list);
    }),
  );
});

Deno.test("isBehind() treats all sessions of its time as seen, if the cursor has no key", () => {
  const cursor = { start: 5, key: undefined };
  assertEquals(isBehind({ start: 5, key: "a" }, cursor), false);
  assertEquals(isBehind({ start: 4, key: "z" }, cursor), true);
  assertEquals(isBehind({ start: 6, key: "a" }, cursor), false);
});

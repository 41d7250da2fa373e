import { assertEquals } from "@std/assert";
import {
  compareNewestFirst,
  idInName,
  isSessionName,
  sessionIdInName,
  startedAt,
  startOf,
  timeInName,
} from "../../lib/sessions/session_start.ts";

const ID = "01a1f98d-a731-7180-b21a-e6e49dfe6c2b";
/** The time in the id. */
const ID_TIME = Date.parse("2026-11-20T15:22:52.593Z");

const NAMES = [
  {
    name: "a plain file",
    file: `rollout-2026-11-20T20-52-52-${ID}.jsonl`,
    id: ID,
    time: "2026-11-20T20:52:52.000Z",
  },
  {
    name: "a packed file, in upper case",
    file: `rollout-2026-11-20T20-52-52-${ID.toUpperCase()}.JSONL.ZST`,
    id: ID,
    time: "2026-11-20T20:52:52.000Z",
  },
  {
    name: "a file of the first CLI, which has a day only",
    file: `rollout-2025-05-01-${ID}.json`,
    id: ID,
    time: "2025-05-01T00:00:00.000Z",
  },
  {
    name: "no id",
    file: "rollout-2026-11-20T20-52-52-mine.jsonl",
    id: undefined,
    time: "2026-11-20T20:52:52.000Z",
  },
  {
    name: "no time",
    file: `rollout-${ID}.jsonl`,
    id: ID,
    time: undefined,
  },
  {
    name: "an invalid time",
    file: `rollout-2026-13-40T99-99-99-${ID}.jsonl`,
    id: ID,
    time: undefined,
  },
  {
    name: "an invalid day",
    file: `rollout-2025-02-29-${ID}.json`,
    id: ID,
    time: undefined,
  },
] satisfies {
  name: string;
  file: string;
  id: string | undefined;
  time: string | undefined;
}[];

for (const { name, file, id, time } of NAMES) {
  Deno.test(`idInName() and timeInName() read ${name}`, () => {
    assertEquals(idInName(file), id);
    assertEquals(sessionIdInName(file), id);
    assertEquals(timeInName(file), time);
  });
}

Deno.test("sessionIdInName() reads the id of the session that a file continues", () => {
  const fileId = "01a1f99d-5874-7011-9c38-b543d19d65ba";
  for (const suffix of ["", ".jsonl", ".jsonl.zst"]) {
    const name = `rollout-2026-11-20T20-52-52-${ID}_${fileId}${suffix}`;
    assertEquals([idInName(name), sessionIdInName(name)], [fileId, ID]);
  }
});

const STARTS = [
  {
    name: "returns the time of the id where the name is in UTC",
    nameTime: "2026-11-20T15:22:52.000Z",
    id: ID,
    expected: ID_TIME,
  },
  {
    name: "returns the time of the id for that time itself",
    nameTime: "2026-11-20T15:22:52.593Z",
    id: ID,
    expected: ID_TIME,
  },
  {
    name:
      "returns the time of the id where the name is five and a half hours ahead",
    nameTime: "2026-11-20T20:52:52.000Z",
    id: ID,
    expected: ID_TIME,
  },
  {
    name: "returns the time of the id where the name is eight hours behind",
    nameTime: "2026-11-20T07:22:52.000Z",
    id: ID,
    expected: ID_TIME,
  },
  {
    name: "returns the time of the name where no zone explains the difference",
    nameTime: "2026-11-20T15:25:52.000Z",
    id: ID,
    expected: Date.parse("2026-11-20T15:25:52.000Z"),
  },
  {
    name: "returns the time of the name where the id is a day away",
    nameTime: "2026-11-21T15:22:52.000Z",
    id: ID,
    expected: Date.parse("2026-11-21T15:22:52.000Z"),
  },
  {
    name: "returns the time of the name where the id is a UUID v4",
    nameTime: "2026-11-20T15:22:52.000Z",
    id: "01a1f98d-a731-4180-b21a-e6e49dfe6c2b",
    expected: Date.parse("2026-11-20T15:22:52.000Z"),
  },
  {
    name: "returns the time of the name where there is no id",
    nameTime: "2026-11-20T15:22:52.000Z",
    id: undefined,
    expected: Date.parse("2026-11-20T15:22:52.000Z"),
  },
] satisfies {
  name: string;
  nameTime: string;
  id: string | undefined;
  expected: number;
}[];

for (const { name, nameTime, id, expected } of STARTS) {
  Deno.test(`startOf() ${name}`, () => {
    assertEquals(startOf(Date.parse(nameTime), id), expected);
  });
}

Deno.test("startedAt() prefers a valid time in the header", () => {
  const place = { start: 5, key: "a" };
  assertEquals(startedAt(place, "1970-01-01T00:00:01.000Z"), 1_000);
  assertEquals(startedAt(place, "yesterday"), 5);
  assertEquals(startedAt(place, undefined), 5);
});

Deno.test("compareNewestFirst() sorts by time, then by id, both descending", () => {
  const places = [
    { start: 1, key: "a" },
    { start: 2, key: "a" },
    { start: 2, key: "b" },
    { start: 0, key: "c" },
  ];
  assertEquals(places.sort(compareNewestFirst), [
    { start: 2, key: "b" },
    { start: 2, key: "a" },
    { start: 1, key: "a" },
    { start: 0, key: "c" },
  ]);
});

Deno.test("isSessionName() accepts the names that Codex gives, and no names of files made from them", () => {
  for (const { file } of NAMES) assertEquals(isSessionName(file), true, file);
  const stem = `rollout-2026-11-20T20-52-52-${ID}`;
  for (
    const ending of [
      "snapshot.json",
      "atif.json",
      "otlp.jsonl",
      "1.png",
      "html",
      "jsonl.tmp",
    ]
  ) {
    assertEquals(isSessionName(`${stem}.${ending}`), false, ending);
  }
});

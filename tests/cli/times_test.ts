import { assertEquals } from "@std/assert";
import { ageText, parseTime } from "../../lib/cli/times.ts";

const NOW = Date.UTC(2026, 0, 31, 12);

const CASES = [
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["2026-01-31T12:30", "2026-01-31T12:30:00.000Z"],
  ["2026-01-31 12:30:05", "2026-01-31T12:30:05.000Z"],
  ["2026-01-31t12:30:05.25z", "2026-01-31T12:30:05.250Z"],
  ["2026-01-31T12:30:05+02:00", "2026-01-31T10:30:05.000Z"],
  ["2026-01-31T12:30:05-0930", "2026-01-31T22:00:05.000Z"],
  ["90m", "2026-01-31T10:30:00.000Z"],
  ["12h", "2026-01-31T00:00:00.000Z"],
  ["7d", "2026-01-24T12:00:00.000Z"],
  ["2w", "2026-01-17T12:00:00.000Z"],
] as const;

for (const [text, expected] of CASES) {
  Deno.test(`parseTime() parses ${text}`, () => {
    const time = parseTime(text, NOW);
    assertEquals(time && new Date(time).toISOString(), expected);
  });
}

const WRONG = [
  "",
  "yesterday",
  "7",
  "7x",
  "-7d",
  "1.5h",
  "2026-02-31",
  "2026-02-29T00:00",
  "2026-13-01",
  "2026-1-1",
  "2026-01-31T25:00",
  "2026-01-31T12",
  "2026-01-31T12:30 +02:00",
  "20260131",
];

for (const text of WRONG) {
  Deno.test(`parseTime() refuses ${JSON.stringify(text)}`, () => {
    assertEquals(parseTime(text, NOW), undefined);
  });
}

Deno.test("ageText() returns an age in its largest unit", () => {
  const DAY = 86_400_000;
  const cases: readonly (readonly [number, string])[] = [
    [-5_000, "just now"],
    [59_999, "just now"],
    [60_000, "1 min ago"],
    [3_599_999, "59 min ago"],
    [7_200_000, "2 h ago"],
    [DAY - 1, "23 h ago"],
    [30 * DAY, "30 d ago"],
    [31 * DAY, "1 mo ago"],
    [364 * DAY, "11 mo ago"],
    [800 * DAY, "2 y ago"],
  ];
  for (const [age, text] of cases) {
    assertEquals(ageText(1e12 - age, 1e12), text);
  }
});

import { assertEquals } from "@std/assert";
import {
  countedText,
  countText,
  durationText,
} from "../../lib/render/quantity_text.ts";

Deno.test("countText() writes a comma between thousands", () => {
  assertEquals(
    [0, 7, 999, 1000, 12345, 1234567].map(countText),
    ["0", "7", "999", "1,000", "12,345", "1,234,567"],
  );
});

Deno.test("countedText() writes singular and plural", () => {
  assertEquals(
    [0, 1, 2].map((count) => countedText(count, "line")),
    ["0 lines", "1 line", "2 lines"],
  );
});

const DURATIONS: readonly (readonly [ms: number, text: string])[] = [
  [0, "0ms"],
  [999, "999ms"],
  [999.6, "1.0s"],
  [59_940, "59.9s"],
  [59_960, "1m 00s"],
  [3_599_400, "59m 59s"],
  [3_599_600, "1h 00m"],
  [100 * 3_600_000, "100h 00m"],
];

for (const [ms, text] of DURATIONS) {
  Deno.test(`durationText() writes ${ms} ms as ${text}`, () => {
    assertEquals(durationText(ms), text);
  });
}

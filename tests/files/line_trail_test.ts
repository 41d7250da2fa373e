import { assertEquals } from "@std/assert";
import { LineTrail, type TrailComparison } from "../../lib/files/line_trail.ts";
import { byteByByte, encode, everySplit } from "../running.ts";

function compared(trail: LineTrail, text: string): TrailComparison {
  const comparison = trail.comparison();
  comparison.add(encode(text));
  return comparison;
}

const CASES = [
  { name: "the same", text: "a\nbb\nc\n", common: 7, is: "whole" },
  { name: "the same with more", text: "a\nbb\nc\nd", common: 7, is: "whole" },
  { name: "a beginning", text: "a\nbb\n", common: 5, is: "open" },
  { name: "a beginning and a torn line", text: "a\nb", common: 2, is: "open" },
  { name: "nothing", text: "", common: 0, is: "open" },
  { name: "another line", text: "a\nbx\nc\n", common: 2, is: "parted" },
  { name: "another first line", text: "x\nbb\nc\n", common: 0, is: "parted" },
  { name: "a shorter line", text: "a\nb\nc\n", common: 2, is: "parted" },
  { name: "a longer line", text: "a\nbbb", common: 2, is: "parted" },
] satisfies {
  name: string;
  text: string;
  common: number;
  is: "whole" | "open" | "parted";
}[];

for (const { name, text, common, is } of CASES) {
  Deno.test(`LineTrail compares what was read with ${name}`, () => {
    for (const chunks of everySplit(encode("a\nbb\nc\nrest"))) {
      const trail = new LineTrail();
      for (const chunk of chunks) trail.add(chunk);
      assertEquals(trail.end, 7);
      const whole = compared(trail, text);
      const pieces = trail.comparison();
      for (const byte of byteByByte(encode(text))) pieces.add(byte);
      for (const comparison of [whole, pieces]) {
        assertEquals(comparison.common, common);
        assertEquals(comparison.isWhole, is === "whole");
        assertEquals(comparison.hasParted, is === "parted");
      }
    }
  });
}

Deno.test("LineTrail goes on behind a cut", () => {
  const trail = new LineTrail();
  trail.add(encode("a\nbb\nc\n"));
  trail.cutTo(2);
  trail.add(encode("d\n"));
  assertEquals(trail.end, 4);
  assertEquals(compared(trail, "a\nd\n").isWhole, true);
  assertEquals(compared(trail, "a\nbb\n").common, 2);
});

Deno.test("LineTrail of many lines forgets older line ends, and never takes one for another", () => {
  const lines = Array.from({ length: 200_000 }, (_, i) => `${i}\n`);
  const trail = new LineTrail();
  for (let i = 0; i < lines.length; i += 1000) {
    trail.add(encode(lines.slice(i, i + 1000).join("")));
  }
  assertEquals(compared(trail, lines.join("")).isWhole, true);
  for (const at of [10, 100_000, 150_000, 199_990]) {
    const other = lines.toSpliced(at, 1, "x".repeat(lines[at]?.length ?? 0));
    const offset = lines.slice(0, at).join("").length;
    const comparison = compared(trail, other.join(""));
    assertEquals(comparison.hasParted, true);
    assertEquals(comparison.common <= offset, true);
    // Of the newest lines every one is known.
    if (at >= 180_000) assertEquals(comparison.common, offset);
  }
});

import { assertEquals } from "@std/assert";
import { TextLines } from "../../../lib/history/mapping/text_lines.ts";

Deno.test("TextLines splits deltas like the whole text", () => {
  const text = "\r\n \na\r\n\nb\rc\n\n";
  const grown = new TextLines("");
  for (let end = 0; end <= text.length; end++) {
    const whole = new TextLines(text.slice(0, end));
    assertEquals(grown.lines(), whole.lines(), `up to ${end}`);
    grown.add(text.charAt(end));
  }
});

Deno.test("TextLines shares the earlier lines with those before a delta", () => {
  const text = new TextLines("a\nb\nc");
  const before = text.lines();
  text.add("d\ne");
  const after = text.lines();
  assertEquals(before.map((line, at) => line === after[at]), [
    true,
    true,
    false,
  ]);
});

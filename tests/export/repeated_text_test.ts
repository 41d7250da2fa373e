import { assertEquals } from "@std/assert";
import { RepeatedText } from "../../lib/export/repeated_text.ts";

Deno.test("RepeatedText writes only values that differ from the value before", () => {
  const written: (string | undefined)[] = [];
  const texts = new RepeatedText((value: string | undefined) => {
    written.push(value);
    return `<${value}>`;
  });
  const values = [undefined, undefined, "a", "a", "b", "a"];

  assertEquals(
    values.map((value) => texts.of(value)).join(" "),
    values.map((value) => `<${value}>`).join(" "),
  );
  assertEquals(written, [undefined, "a", "b", "a"]);
});

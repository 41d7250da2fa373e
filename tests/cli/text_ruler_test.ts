import { assertEquals } from "@std/assert";
import { TextRuler } from "../../lib/cli/text_ruler.ts";

const FITTED = [
  ["short", 5, "end", "short"],
  ["longer", 5, "end", "long…"],
  ["longer", 5, "start", "…nger"],
  ["ab👨‍👩‍👧cd", 5, "end", "ab👨‍👩‍👧…"],
  ["天地玄", 4, "end", "天…"],
  ["天地玄", 4, "start", "…玄"],
] as const;

for (const [text, room, cut, expected] of FITTED) {
  Deno.test(`TextRuler fits ${text} into ${room} columns, cut at the ${cut}`, async () => {
    const ruler = await TextRuler.for([text]);
    assertEquals(ruler.fitted(text, room, cut), expected);
  });
}

Deno.test("TextRuler measures ASCII the same with and without wide characters among its texts", async () => {
  const texts = ["", "a b~", "longer than that"];
  const plain = await TextRuler.for(texts);
  const full = await TextRuler.for([...texts, "天"]);
  for (const text of texts) {
    assertEquals(plain.widthOf(text), full.widthOf(text));
    assertEquals(plain.fitted(text, 4), full.fitted(text, 4));
  }
});

Deno.test("TextRuler finds wide characters in any of its texts", async () => {
  const ruler = await TextRuler.for(["a", "b", "漢字"]);
  assertEquals(ruler.widthOf("漢字"), 4);
});

/** What texts end with. */

import { assertEquals } from "@std/assert";
import { withoutEnd } from "../../lib/render/text_end.ts";

for (
  const { text, letters, expected } of [
    { text: "", letters: "\n", expected: "" },
    { text: "\n\n", letters: "\n", expected: "" },
    { text: "a\n\n", letters: "\n", expected: "a" },
    { text: "\n\na", letters: "\n", expected: "\n\na" },
    { text: "a \t ", letters: " \t", expected: "a" },
    { text: "a. b!?", letters: ".!?", expected: "a. b" },
    { text: "a.", letters: "", expected: "a." },
  ]
) {
  Deno.test(`withoutEnd() makes ${JSON.stringify(expected)} of ${JSON.stringify(text)} without ${JSON.stringify(letters)}`, () => {
    assertEquals(withoutEnd(text, letters), expected);
  });
}

/** Pictures of terminals. */

import { assertEquals } from "@std/assert";
import { pictureOf } from "../../tools/picture.ts";

Deno.test("pictureOf() draws each line with its styles, and nothing that acts", () => {
  const picture = pictureOf(
    "codexpipe <a> & b",
    'plain\n\n  \x1b[31m✗ "no"\x1b[39m end \x1b[1m<script>\x1b[22m\n',
  );
  const texts = picture.split("\n").filter((line) => line.startsWith("<text"));
  assertEquals(texts, [
    '<text x="18" y="48"><tspan class="dim">$</tspan> <tspan class="bold">codexpipe &lt;a&gt; &amp; b</tspan></text>',
    '<text x="18" y="67">plain</text>',
    '<text x="18" y="105">  <tspan class="red">✗ &quot;no&quot;</tspan> end <tspan class="bold">&lt;script&gt;</tspan></text>',
  ]);
});

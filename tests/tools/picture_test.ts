import { assertEquals } from "@std/assert";
import { pagePictureOf, pictureOf } from "../../tools/picture.ts";

Deno.test("pictureOf() draws each line with its styles, and escapes markup", () => {
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

Deno.test("pagePictureOf() converts a page to XML, with its style and without its script", () => {
  const picture = pagePictureOf(
    '<html><head><style>\na>b{}</style></head><body>\n<input id="x" checked>' +
      '<p hidden title="an open b">a &amp; b</p><svg height="1"></svg>' +
      "<details open></details><script>1<2</script></body></html>",
  );
  assertEquals(
    picture.slice(picture.indexOf("<style>")),
    [
      "<style>",
      "a&gt;b{}</style>",
      '<foreignObject width="900" height="760">',
      '<body xmlns="http://www.w3.org/1999/xhtml">',
      '<input id="x" checked=""/><p hidden="" title="an open b">a &amp; b</p><svg xmlns="http://www.w3.org/2000/svg" height="1"></svg><details open=""></details></body></foreignObject></svg>',
      "",
    ].join("\n"),
  );
});

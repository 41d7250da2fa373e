import { assert, assertEquals } from "@std/assert";
import { attributeText, elementText } from "../../lib/render/html_text.ts";
import fc, { anyText } from "../property_seed.ts";
import { CONTROL_REGEXP } from "./sessions.ts";

/** A mark in the HTML of an element. */
function mark(text: string): string {
  return `<i class="mark">${text}</i>`;
}

const CASES = [
  {
    name: "tags and references",
    text: "<script>&amp;</script>",
    html: "&lt;script&gt;&amp;amp;&lt;/script&gt;",
  },
  { name: "quotes unchanged", text: `"it's"`, html: `"it's"` },
  { name: "backticks", text: "```", html: "&#96;&#96;&#96;" },
  {
    name: "escape sequences",
    text: "\x1b[31m\x1b]8;;http://x\x07",
    html: `${mark("␛")}[31m${mark("␛")}]8;;http://x${mark("␇")}`,
  },
  { name: "DEL and C1", text: "\x7f\x9b", html: mark("␡") + mark("U+009B") },
  {
    name: "bidirectional controls",
    text: "a\u202eb\u2066c\u200fd",
    html: `a${mark("U+202E")}b${mark("U+2066")}c${mark("U+200F")}d`,
  },
  {
    name: "invisible characters",
    text: "\u200b\ufeff\u00ad\u{e0041}",
    html: mark("U+200B") + mark("U+FEFF") + mark("U+00AD") + mark("U+E0041"),
  },
  {
    name: "the joiners of emoji unchanged",
    text: "👩\u200d💻",
    html: "👩\u200d💻",
  },
  { name: "line separators", text: "\u2028", html: mark("U+2028") },
  { name: "halves of surrogate pairs", text: "a\ud800", html: `a${mark("�")}` },
  { name: "every line end as LF", text: "a\r\nb\rc\n", html: "a\nb\nc\n" },
  {
    name: "workflow commands",
    text: "::error::x ##[group]y a::b",
    html: "&#58;:error&#58;:x #&#35;[group]y a&#58;:b",
  },
] satisfies { name: string; text: string; html: string }[];

for (const { name, text, html } of CASES) {
  Deno.test(`elementText() writes ${name}`, () => {
    assertEquals(elementText(text), html);
  });
}

Deno.test("attributeText() writes marks without tags, and quotes as references", () => {
  assertEquals(
    attributeText("\"'<\x1b\u202e"),
    "&quot;&#39;&lt;␛U+202E",
  );
});

Deno.test("elementText() writes no tags but marks, and no workflow commands", () => {
  const pieces = fc.array(
    fc.oneof(
      anyText(),
      fc.constantFrom(...'~~~ < > & :: : ##[ # " \r \x1b'.split(" ")),
    ),
    { maxLength: 20 },
  );
  fc.assert(fc.property(pieces, (list) => {
    const html = elementText(list.join(""));
    const rest = html.replaceAll(/<i class="mark">[^<>]+<\/i>/g, "");
    assert(!/[<>`]/.test(rest), html);
    assert(!/::|##\[|~~~/.test(html), html);
    assert(!/&(?!(?:amp|lt|gt|#\d+);)/.test(rest), html);
    assert(!CONTROL_REGEXP.test(html), html);
  }));
});

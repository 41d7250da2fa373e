import { assert, assertEquals } from "@std/assert";
import { codeHtml, languageOf } from "../../lib/render/html_code.ts";

/** Highlights code, with a letter and brackets in place of each span. */
function marked(code: string, language: string): string {
  const letters: Record<string, string> = {
    f7: "c",
    f2: "s",
    f4: "n",
    f5: "k",
  };
  return codeHtml(code, language)
    .replace(
      /<span class="(f\d)">([^<]*)<\/span>/g,
      (_, style, text) => `${letters[style]}[${text}]`,
    );
}

const CASES = [
  ["ts", "const a1 = 'b\\'c'; // d", "k[const] a1 = s['b\\'c']; c[// d]"],
  [
    "ts",
    "/* a\n * b */ c(0x1f, `x\ny`)",
    "c[/* a\n * b */] c(n[0x1f], s[&#96;x\ny&#96;])",
  ],
  ["ts", " * the middle of it's\nx * 2", " c[* the middle of it's]\nx * n[2]"],
  ["js", "a<b", "a&lt;b"],
  [
    "rs",
    "fn f<'a>(x: &'a str) -> 'c'",
    "k[fn] f&lt;'a&gt;(x: &amp;'a str) -&gt; s['c']",
  ],
  ["py", '"""a\nb""" # c\nd#e', 's["""a\nb"""] c[# c]\nd#e'],
  [
    "sh",
    'if [ $# -gt 1 ]; then echo "a',
    'k[if] [ $# -gt n[1] ]; k[then] k[echo] s["a]',
  ],
  ["SQL", "SELECT a -- b", "k[SELECT] a c[-- b]"],
  [
    "html",
    '<p class="x">it\'s</p>',
    'k[&lt;p] class=s["x"]&gt;it\'sk[&lt;/p]&gt;',
  ],
  ["ts", '"a\r\nb" //\r\n', 's["a]\nbs[" //]\n'],
  ["", "const a", "const a"],
  ["brainfuck", "const a", "const a"],
] as const;

Deno.test("codeHtml() marks comments, strings, numbers and keywords", () => {
  for (const [language, code, expected] of CASES) {
    assertEquals(marked(code, language), expected, `${language}: ${code}`);
  }
});

Deno.test("codeHtml() writes the whole code with unclosed tokens", () => {
  const pieces = '" \\" \' ` /* * # -- <!-- <a =" 1 $ """'.split(" ");
  for (const piece of [...pieces, " *", "\n "]) {
    const code = piece.repeat(500);
    for (const language of ["ts", "rs", "py", "sh", "sql", "html"]) {
      const shown = codeHtml(code, language).replaceAll(/<[^>]*>/g, "")
        .replaceAll("&#96;", "`").replaceAll("&lt;", "<");
      assertEquals(shown, code, language);
    }
  }
});

Deno.test("codeHtml() writes a string of 16 million characters", () => {
  const code = `"${"a".repeat(16_000_000)}`;
  assert(codeHtml(code, "ts") === code);
});

Deno.test("languageOf() returns the extension of a name, in lower case", () => {
  assertEquals(
    ["a/b.test.TS", "Dockerfile", "c:\\x.y\\z.py", ".bashrc", "", "a."].map(
      languageOf,
    ),
    ["ts", "dockerfile", "py", "bashrc", "", ""],
  );
});

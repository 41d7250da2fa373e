import { assert, assertEquals } from "@std/assert";
import {
  markdownBlocks,
  markdownHtml,
} from "../../lib/render/html_markdown.ts";
import fc from "../property_seed.ts";
import { assertClosed } from "./sound_pages.ts";

const CASES = [
  {
    name: "paragraphs",
    text: "one\ntwo\n\nthree",
    html: "<p>one<br>\ntwo</p>\n<p>three</p>",
  },
  { name: "CRLF", text: "one\r\n\r\ntwo", html: "<p>one</p>\n<p>two</p>" },
  { name: "headings", text: "# A\n### B ##", html: "<h4>A</h4>\n<h6>B</h6>" },
  {
    name: "marks that end a heading, and those within one",
    text: "# C#\n\n# C #",
    html: "<h4>C#</h4>\n<h4>C</h4>",
  },
  {
    name: "labels that repeat their path, and hosts of links",
    text:
      "[a.md](b.md) [b.md](/x/b.md) [me](mailto:a@b.c?subject=x) [x](http://h/p)",
    html:
      '<p>a.md (<code>b.md</code>) <code>/x/b.md</code> <a href="mailto:a@b.c?subject=x" rel="nofollow noopener noreferrer">me</a> <small>(a@b.c)</small> <a href="http://h/p" rel="nofollow noopener noreferrer">x</a> <small>(h)</small></p>',
  },
  {
    name: "emphasis",
    text: "**b** *i* _i_ ***both*** ~~s~~ snake_case_name 2 * 3 * 4",
    html:
      "<p><strong>b</strong> <em>i</em> <em>i</em> <em><strong>both</strong></em> <s>s</s> snake_case_name 2 * 3 * 4</p>",
  },
  {
    name: "emphasis that is not closed in order",
    text: "**a *b** c*",
    html: "<p><em><em>a <em>b</em></em> c</em></p>",
  },
  { name: "emphasis of nothing", text: "a **** b", html: "<p>a **** b</p>" },
  {
    name: "code",
    text: "`a < b` ``c ` d`` `open",
    html: "<p><code>a &lt; b</code> <code>c &#96; d</code> &#96;open</p>",
  },
  { name: "escapes", text: "\\*no\\* \\<b\\>", html: "<p>*no* &lt;b&gt;</p>" },
  {
    name: "fences that end with an equally long one",
    text: "````sh\n```\n<b>\n````\nafter",
    html: "<pre>&#96;&#96;&#96;\n&lt;b&gt;</pre>\n<p>after</p>",
  },
  { name: "a fence without an end", text: "~~~\na", html: "<pre>a</pre>" },
  {
    name: "code in as many backticks as a fence",
    text: "```npm test``` runs it\n\nb",
    html: "<p><code>npm test</code> runs it</p>\n<p>b</p>",
  },
  {
    name: "surplus and missing cells",
    text: "a|b\n-|-\n1|2|3|4\n5|6\n- c | d",
    html:
      '<table tabindex="0">\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2 | 3 | 4</td></tr>\n<tr><td>5</td><td>6</td></tr>\n</table>\n<ul>\n<li>c | d</li>\n</ul>',
  },
  {
    name: "blank lines in code as references",
    text: "```\n\na\n\n\nb\n```",
    html: "<pre>\n&#10;a\n&#10;&#10;b</pre>",
  },
  {
    name: "diffs",
    text: "```diff\n@@ -1 +1 @@\n-a\n+b\n```",
    html:
      '<pre class="diff"><b>@@ -1 +1 @@</b>\n<del>-a</del>\n<ins>+b</ins></pre>',
  },
  {
    name: "diffs of several files, with their names as headings",
    text:
      "```diff\n diff --git a/x b/x\n --- a/x\n +++ b/x\n@@ -1 +1 @@\n--- a\n+++ b\ndiff --git a/y b/y\n+++ b/y\n```",
    html:
      '<pre class="diff"><b> diff --git a/x b/x</b>\n<b> --- a/x</b>\n<b> +++ b/x</b>\n<b>@@ -1 +1 @@</b>\n<del>--- a</del>\n<ins>+++ b</ins>\n<b>diff --git a/y b/y</b>\n<b>+++ b/y</b></pre>',
  },
  {
    name: "lists in lists",
    text: "- a\n  - b\n\n  c\n- [x] d\n\n3. e",
    html:
      '<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n<p>c</p></li>\n<li>☑ d</li>\n</ul>\n<ol start="3">\n<li>e</li>\n</ol>',
  },
  {
    name: "quotations",
    text: "> a\n> > b\nc",
    html:
      "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b<br>\nc</p>\n</blockquote>\n</blockquote>",
  },
  {
    name: "tables",
    text: "| a | b |\n|---|--:|\n| 1 \\| 2 | `x` |\n| only |",
    html:
      '<table tabindex="0">\n<tr><th>a</th><th align="right">b</th></tr>\n<tr><td>1 | 2</td><td align="right"><code>x</code></td></tr>\n<tr><td>only</td><td align="right"></td></tr>\n</table>',
  },
  {
    name: "references, and definitions as text",
    text: "&lt;b&gt; &#10;&#10; c\n\n[error]: no such file",
    html: "<p>&lt;b&gt; <br>\n<br>\n c</p>\n<p>[error]: no such file</p>",
  },
  {
    name: "images in links, which are one link",
    text: "[![a](https://b.org/i.png)](https://c.org)",
    html:
      '<p><a href="https://c.org" rel="nofollow noopener noreferrer">[image] a (<code>https://b.org/i.png</code>)</a> <small>(c.org)</small></p>',
  },
  { name: "rules", text: "a\n\n---", html: "<p>a</p>\n<hr>" },
  {
    name: "HTML as text",
    text: '<img src=x onerror="alert(1)"><b>',
    html: '<p>&lt;img src=x onerror="alert(1)"&gt;&lt;b&gt;</p>',
  },
  {
    name: "links to the web, with their hosts",
    text:
      "[docs](https://example.org/a?b=1&c) <https://x.org> https://y.org/z.",
    html:
      '<p><a href="https://example.org/a?b=1&amp;c" rel="nofollow noopener noreferrer">docs</a> <small>(example.org)</small> <a href="https://x.org" rel="nofollow noopener noreferrer">https://x.org</a> <a href="https://y.org/z" rel="nofollow noopener noreferrer">https://y.org/z</a>.</p>',
  },
  {
    name: "other links as text",
    text:
      "[x](javascript:alert(1)) [y](data:text/html,z) [app.py](/src/app.py)",
    html:
      "<p>x (<code>javascript:alert(1)</code>) y (<code>data:text/html,z</code>) <code>/src/app.py</code></p>",
  },
  {
    name: "images as links",
    text: "![alt](https://t.example/pixel.png)",
    html:
      '<p>[image] <a href="https://t.example/pixel.png" rel="nofollow noopener noreferrer">alt</a> <small>(t.example)</small></p>',
  },
  {
    name: "addresses without control characters, and hidden ones as text",
    text: "https://x.org\x07b [a](https://x\u202e.org)",
    html:
      '<p><a href="https://x.org" rel="nofollow noopener noreferrer">https://x.org</a><i class="mark">␇</i>b a (<code>https://x<i class="mark">U+202E</i>.org</code>)</p>',
  },
  {
    name: "addresses with quotes, inside of the attribute",
    text: 'https://x/"onmouseover=alert(1) [a](https://x/"b)',
    html:
      '<p><a href="https://x/" rel="nofollow noopener noreferrer">https://x/</a>"onmouseover=alert(1) <a href="https://x/&quot;b" rel="nofollow noopener noreferrer">a</a> <small>(x)</small></p>',
  },
] satisfies { name: string; text: string; html: string }[];

for (const { name, text, html } of CASES) {
  Deno.test(`markdownHtml() writes ${name}`, () => {
    assertEquals(markdownHtml(text), html);
  });
}

Deno.test("markdownBlocks() writes addresses as text", () => {
  assertEquals(
    markdownBlocks("[a](https://x.org) ![b](https://y.org) https://z.org"),
    [
      "<p>a (<code>https://x.org</code>) [image] b (<code>https://y.org</code>) <code>https://z.org</code></p>",
    ],
  );
});

const TAGS = new Set(
  "a b blockquote br code del em h4 h5 h6 hr i ins li ol p pre s small span strong table td th tr ul"
    .split(" "),
);

/** The tags without links and highlighted code. */
const PLAIN_TAGS = new Set(TAGS).difference(new Set(["a", "span"]));

/** Asserts that HTML has known tags only, closed in order, and no blank lines. */
function assertSound(html: string, tags: ReadonlySet<string>): void {
  for (const [name, attributes] of assertClosed(html)) {
    assert(tags.has(name), `<${name}> in ${html}`);
    for (
      const [, key, value = ""] of attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)
    ) {
      if (key === "href") assert(/^(?:https?:\/\/|mailto:)/i.test(value), html);
      else if (key === "tabindex") assert(value === "0" && tags === TAGS, html);
      else assert(["align", "class", "rel", "start"].includes(key ?? ""), html);
    }
  }
  assert(!/^[ \t]*$/m.test(html) || html === "", html);
}

Deno.test("markdownHtml() and markdownBlocks() close every tag in order and write no blank line", () => {
  const pieces = fc.constantFrom(
    ..."* ** *** _ __ ~~ ` ``` ~~~ > - 1. # | |- [ ] ( ) ![ ]( <b> & : http://x ://"
      .split(" "),
    "\n",
    "\n\n",
    "\t",
    "    ",
    "\r",
    "a",
    "é",
    " ",
    "\n|-|-|\n",
    "\u00a0",
    "\n&nbsp;\n",
    "\x1b",
  );
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 60 }),
      (list) => {
        const text = list.join("");
        assertSound(markdownHtml(text), TAGS);
        assertSound(markdownBlocks(text).join("\n"), PLAIN_TAGS);
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("markdownHtml() writes every word, at any depth", () => {
  const piece = fc.constantFrom(
    ..."*a* **b ~~c~~ `d` | - > 1. # ``` ~~~ [e](f) [g]: <h> |-|- ![i](j) &"
      .split(" "),
    "\n",
    "\n\n",
    "    ",
    "> ".repeat(30),
    "- ".repeat(30),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join(" ");
      // The info string of a fence is left out.
      const words = text.replace(/[`~]{3}.*/g, "").match(/[a-j]/g) ?? [];
      const html = markdownBlocks(text).join("\n");
      const shown = html.replace(/<[^>]*>|&[#\w]+;|\[image\]/g, "");
      for (const word of new Set(words)) {
        const count = (letters: string): number => letters.split(word).length;
        assert(count(shown) >= count(words.join("")), `${word}: ${html}`);
      }
    }),
    { numRuns: 500 },
  );
});

const HEAVY = [
  "[",
  "![](",
  "[a](",
  "**a ",
  "*a_",
  "`a``",
  "> ",
  "- ",
  "  - a\n",
  "|",
  "|-",
  "~~~\n",
  "http://",
  "<http://a",
  "\\",
  "# ",
  "* * ",
  "1. ",
  "a\n|",
  "|a",
  "http://a ",
  "- a\n\n",
  "&#",
] as const;

const NESTED = [["*a ", " b*"], ["![", "](x)"], ["[", "](x)"], ["<", ">"]];

const HOSTILE = [
  ...HEAVY.map((piece) => ({
    name: `${JSON.stringify(piece)} repeated`,
    text: piece.repeat(Math.ceil(400_000 / piece.length)),
  })),
  ...NESTED.map(([open = "", close = ""]) => ({
    name: `${open}…${close} in each other`,
    text: open.repeat(20_000) + close.repeat(20_000),
  })),
];

for (const { name, text } of HOSTILE) {
  Deno.test(`markdownHtml() takes linear time for ${name}`, () => {
    // In quadratic time most texts would take minutes.
    assert(markdownHtml(text).length > 0);
  });
}

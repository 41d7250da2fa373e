/** Writes code and diffs as HTML that highlights comments, strings, numbers and keywords. */

import { diffLines } from "./diff_lines.ts";
import { elementText } from "./html_text.ts";

/**
 * Patterns and keywords that a family of languages shares. Matching takes linear time, because each
 * pattern either fails at once or matches all that it scanned, up to the end of the code if a
 * comment or string is not closed.
 */
interface Family {
  /** The names of the languages and their file extensions, separated by spaces. */
  readonly names: string;
  readonly comment: string;
  readonly string: string;
  readonly keywords: string;
}

const LINE = `"(?:\\\\[^\\n]|[^"\\\\\\n])*"?`;
const QUOTED = `${LINE}|'(?:\\\\[^\\n]|[^'\\\\\\n])*'?`;
/** In C, Rust and Go, single quotes hold one character; in Rust, a single one marks a lifetime. */
const CHARACTER = `${LINE}|'(?:\\\\[^\\n]|[^'\\\\\\n])'`;
/** The last alternative matches inner lines of a block comment whose start a diff does not show. */
const SLASHES =
  `//[^\\n]*|/\\*[^]*?(?:\\*/|$)|(?<=(?:^|\\n)[ \\t]*)\\*(?=[ /\\n]|$)[^\\n]*`;
const HASH = `(?<!\\S)#[^\\n]*`;

const SQL_WORDS =
  "add all alter and as asc begin by case create default delete desc distinct do drop else elseif end exists false for foreign from function group having if in index inner insert into is join key left limit local nil not null on or order outer primary references repeat return right select set table then true union unique until update values view when where while with";

const FAMILIES: readonly Family[] = [
  {
    names:
      "js mjs cjs jsx ts mts cts tsx javascript typescript java kt kotlin scala cs csharp swift dart php groovy json jsonc json5 css scss less",
    comment: SLASHES,
    string: `${QUOTED}|\`(?:\\\\[^]|[^\\\\\`])*\`?`,
    keywords:
      "abstract as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false final finally for from fun function get if implements import in instanceof int interface is let long namespace new null of override package private protected public readonly return satisfies set static string struct super switch this throw throws true try type typeof undefined unknown val var void while yield",
  },
  {
    names: "c h cc cpp cxx hpp hh rs rust go golang zig proto",
    comment: SLASHES,
    string: `${CHARACTER}|\`[^\`]*\`?`,
    keywords:
      "as async auto await bool break case chan char class const continue crate default defer do double else enum extern false fallthrough float fn for func go goto if impl import in int interface let long loop map match mod move mut namespace new nil null nullptr package private protected pub public range ref return select self signed sizeof static string struct super switch template this trait true type typedef typename union unsafe unsigned use using var virtual void where while",
  },
  {
    names: "py pyi python rb ruby ex exs elixir jl julia nix",
    comment: HASH,
    string: `"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|${QUOTED}`,
    keywords:
      "and as assert async await begin break case class continue def del do elif else elsif end ensure except False finally for from global if import in is lambda let match module None nonlocal nil not or pass raise require rescue return self then True try unless until when while with yield",
  },
  {
    names:
      "sh bash zsh shell console fish ps1 powershell yaml yml toml ini conf dockerfile makefile make mk tf hcl pl perl r cmake",
    comment: HASH,
    string: `${LINE}|'[^'\\n]*'?`,
    keywords:
      "case cd do done echo elif else esac exec exit export false fi for function if in local my return set source sub sudo then true unset until use while",
  },
  {
    names: "sql psql mysql sqlite lua hs haskell",
    comment: `--[^\\n]*|/\\*[^]*?(?:\\*/|$)`,
    string: QUOTED,
    keywords: `${SQL_WORDS} ${SQL_WORDS.toUpperCase()}`,
  },
  {
    names: "html htm xml svg vue svelte xhtml",
    comment: `<!--[^]*?(?:-->|$)`,
    // Only attribute values: elsewhere, quotes belong to prose.
    string: `(?<==)(?:${QUOTED})`,
    keywords: "",
  },
];

const READERS = new Map(
  FAMILIES.flatMap(({ names, comment, string, keywords }) => {
    // Markup has tag names in place of keywords.
    const [key, word] = keywords === ""
      ? ["</?[A-Za-z][\\w-]*", "(?!)"]
      : ["(?!)", "[A-Za-z_$][\\w$]*"];
    const reader = {
      tokens: new RegExp(
        `(?<f7>${comment})|(?<f2>${string})|(?<f4>\\d[\\w.]*)|(?<f5>${key})|${word}`,
        "g",
      ),
      keywords: new Set(keywords.split(" ")),
    };
    return names.split(" ").map((name) => [name, reader] as const);
  }),
);

/**
 * The maximum length of highlighted code, in UTF-16 code units: a string of some million characters
 * overflows the stack of the expression engine.
 */
const MAX_LENGTH = 1 << 20;

/** Returns the extension of a file, or the name of a file without one, in lower case. */
export function languageOf(path: string): string {
  return path.replace(/^[^]*[./\\]/, "").toLowerCase();
}

/**
 * Writes code as HTML with comments, strings, numbers and keywords in spans. The names of the
 * pattern's groups are the classes of the spans; terminal colours use the same classes. Code that is
 * too long, or in a language that is not listed by its name or a file extension, has no spans.
 */
export function codeHtml(code: string, language: string): string {
  const reader = READERS.get(language.toLowerCase());
  if (reader === undefined || code.length > MAX_LENGTH) {
    return elementText(code);
  }
  // Otherwise, a token could end between a carriage return and its line feed.
  const text = code.replace(/\r\n?/g, "\n");
  let html = "";
  let from = 0;
  for (const { 0: token, index, groups = {} } of text.matchAll(reader.tokens)) {
    const look = Object.keys(groups).find((name) => groups[name] !== undefined);
    if (look === undefined && !reader.keywords.has(token)) continue;
    html += `${elementText(text.slice(from, index))}<span class="${
      look ?? "f5"
    }">${elementText(token)}</span>`;
    from = index + token.length;
  }
  return html + elementText(text.slice(from));
}

/**
 * Writes a diff for a `<pre class="diff">`: added lines are `<ins>`, removed lines `<del>`, file
 * names and hunk headings `<b>`. The language is that of the file.
 */
export function diffHtml(diff: string, language = ""): string {
  const tags = { "+": "ins", "-": "del", "@": "b" } as const;
  return diffLines(diff).map(({ sign, text }) => {
    if (sign === "@") return `<b>${elementText(text)}</b>`;
    // Some inputs leave out the space before unchanged lines.
    const at = /^[-+ ]/.test(text) ? 1 : 0;
    const line = text.slice(0, at) + codeHtml(text.slice(at), language);
    return sign === " " ? line : `<${tags[sign]}>${line}</${tags[sign]}>`;
  }).join("\n");
}

/**
 * Code as HTML: comments, strings, numbers and keywords are told apart, and nothing else.
 *
 * @module
 */

import { elementText } from "./html_text.ts";

/**
 * What the languages of a family share. Each pattern either fails at once or takes what it has
 * looked at, up to the end of the code if nothing closes it: the time is linear.
 */
interface Family {
  /** The names of its languages, and what names of files end in. */
  readonly names: string;
  readonly comment: string;
  readonly string: string;
  readonly keywords: string;
}

const LINE = `"(?:\\\\[^\\n]|[^"\\\\\\n])*"?`;
const QUOTED = `${LINE}|'(?:\\\\[^\\n]|[^'\\\\\\n])*'?`;
/** In Rust, and in Go, a quote holds one character, or names a lifetime. */
const CHARACTER = `${LINE}|'(?:\\\\[^\\n]|[^'\\\\\\n])'`;
/** Of a diff, a comment may have its middle alone. */
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
    // Elsewhere, quotes stand in prose.
    string: `(?<==)(?:${QUOTED})`,
    keywords: "",
  },
];

interface Reader {
  readonly tokens: RegExp;
  readonly keywords: ReadonlySet<string>;
}

const READERS: ReadonlyMap<string, Reader> = new Map(
  FAMILIES.flatMap(({ names, comment, string, keywords }) => {
    // Markup has no keywords, but names of tags.
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

/** Gives the language of a file, as far as its name tells. */
export function languageOf(path: string): string {
  return /[^./\\]*$/.exec(path)?.[0].toLowerCase() ?? "";
}

/**
 * Writes code as HTML, in which comments, strings, numbers and keywords are spans: the names of
 * their groups are the classes of the style sheet, which colours of terminals have as well.
 *
 * @param language A name of its language, or what names of its files end in; of one that is not
 *   known here, the code stands as it is.
 */
export function codeHtml(code: string, language: string): string {
  const reader = READERS.get(language.toLowerCase());
  if (reader === undefined) return elementText(code);
  // A token may end between a carriage return and its line feed.
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

/** Parses Markdown messages into nodes. */

import MarkdownIt, { type StateBlock, type Token } from "markdown-it/browser";

export interface MarkdownNode {
  /** The type that markdown-it gives it: `paragraph`, `list_item`, `code_inline`. */
  readonly type: string;
  /** Its markdown-it token; the opening one if there are two. */
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

/** A URL that becomes a link: web or mail, without white space and invisible characters. */
export const WEB_REGEXP = /^(?:https?:\/\/|mailto:)[^\s\p{C}]+$/iu;

/** The maximum nesting of blocks, a list counting twice. Deeper blocks become text. */
const MAX_DEPTH = 24;
/** The maximum nesting of emphasis: a text with 100,000 levels would overflow the stack. */
const MAX_EMPHASIS = 50;

/**
 * CommonMark with tables. HTML is text, bare URLs are links, and line breaks are kept, as the
 * writers of messages mean them.
 */
const PARSER = new MarkdownIt({ html: false, linkify: true, breaks: true });
// No link definitions: they show nothing, so `[error]: no such file` would disappear. No setext
// headings: a line of dashes under a text is meant as a rule.
PARSER.disable(["reference", "lheading"]);
// All links are accepted unchanged here: the writers decide which become links, and show the
// others as they are.
PARSER.validateLink = () => true;
PARSER.normalizeLink = (target) => target;
PARSER.normalizeLinkText = (target) => target;
PARSER.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
for (const schema of ["//", "ftp:", "mailto:"]) {
  PARSER.linkify.add(schema, null);
}
PARSER.core.ruler.at("normalize", (state) => {
  // The parser's own rule also replaces NUL, which the writers show as a visible mark.
  state.src = state.src.replace(/\r\n?/g, "\n");
});
PARSER.block.ruler.before("table", "depth", takeDeepText);
PARSER.core.ruler.after("block", "cells", keepCells);

/** Parses a text in time linear in its length. */
export function markdownNodes(text: string): readonly MarkdownNode[] {
  return nested(PARSER.parse(text, {}));
}

export function markdownText(nodes: readonly MarkdownNode[]): string {
  return nodes.map(({ type, token, children }) =>
    type.endsWith("break")
      ? "\n"
      : children.length > 0
      ? markdownText(children)
      : token.content
  ).join("");
}

/** Writes the box of a task, at the beginning of a list item, as a character. */
export function withTaskBox(item: string): string {
  return item.replace(
    /^\[([ xX])\](?=\s)/,
    (_, box) => box === " " ? "☐" : "☑",
  );
}

function nested(tokens: readonly Token[]): MarkdownNode[] {
  const nodes: MarkdownNode[] = [];
  const open = [nodes];
  for (const token of tokens) {
    const around = open.at(-1) ?? nodes;
    if (token.nesting < 0) {
      open.pop();
      continue;
    }
    if (token.nesting > 0 && open.length > MAX_EMPHASIS) {
      open.push(around);
      continue;
    }
    const inner = token.children === null ? [] : nested(token.children);
    if (token.type === "inline") {
      for (const node of inner) around.push(node);
      continue;
    }
    const type = token.type.replace(/_open$/, "");
    around.push({ type, token, children: inner });
    if (token.nesting > 0) open.push(inner);
  }
  return nodes;
}

/** Makes one paragraph of text that is nested too deep: markdown-it itself would drop it. */
function takeDeepText(state: StateBlock, start: number, end: number): boolean {
  if (state.level < MAX_DEPTH) return false;
  let next = start + 1;
  while (
    next < end &&
    (state.isEmpty(next) || (state.sCount[next] ?? 0) >= state.blkIndent)
  ) next += 1;
  state.line = next;
  state.push("paragraph_open", "p", 1);
  const text = state.push("inline", "", 0);
  text.content = state.getLines(start, next, state.blkIndent, false).trim();
  text.children = [];
  state.push("paragraph_close", "p", -1);
  return true;
}

/** Appends surplus cells to the last cell of their row: markdown-it would drop them. */
function keepCells(
  { src, tokens }: { readonly src: string; readonly tokens: Token[] },
): void {
  if (!tokens.some(({ type }) => type === "tbody_open")) return;
  const lines = src.split("\n");
  let cells: string[] = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "tr_open") {
      const line = lines[token.map?.[0] ?? -1] ?? "";
      cells = line.replace(/^[ \t>]*\|?/, "").trimEnd()
        .replace(/(?<!\\)\|$/, "").split(/(?<!\\)\|/);
      column = 0;
    }
    if (token.type !== "td_open") continue;
    column += 1;
    const text = tokens[at + 1];
    if (text === undefined || tokens[at + 3]?.type !== "tr_close") continue;
    for (const cell of cells.slice(column)) {
      text.content += ` | ${cell.trim().replaceAll("\\|", "|")}`;
    }
  }
}

/**
 * Messages in Markdown, read into nodes.
 *
 * @module
 */

import MarkdownIt, { type StateBlock, type Token } from "markdown-it/browser";

/** A part of a text in Markdown: a block, or what stands in a line. */
export interface MarkdownNode {
  /** The name that markdown-it has for it: `paragraph`, `list_item`, `code_inline`. */
  readonly type: string;
  /** Its token of markdown-it. */
  readonly token: Token;
  /** Its child nodes. */
  readonly children: readonly MarkdownNode[];
}

/** How deep blocks may lie in each other, a list counting twice; what is deeper is text. */
const MAX_DEPTH = 24;
/** How deep emphasis may lie in emphasis: there could be 100,000 levels, and no stack for them. */
const MAX_EMPHASIS = 50;

/**
 * CommonMark with tables. HTML is text, addresses are links, and a line break is kept: what was
 * written in lines was meant in lines.
 */
const PARSER = new MarkdownIt({ html: false, linkify: true, breaks: true });
// A definition shows nothing: `[error]: no such file` would be gone. A line under a text is
// meant as a rule.
PARSER.disable(["reference", "lheading"]);
// Writers decide which links are links; all others are to be seen as they are written.
PARSER.validateLink = () => true;
PARSER.normalizeLink = (target) => target;
PARSER.normalizeLinkText = (target) => target;
PARSER.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
for (const schema of ["//", "ftp:", "mailto:"]) {
  PARSER.linkify.add(schema, null);
}
PARSER.core.ruler.at("normalize", (state) => {
  // The parser's own rule also makes another character of NUL, which writers show.
  state.src = state.src.replace(/\r\n?/g, "\n");
});
PARSER.block.ruler.before("table", "depth", takeDeepText);
PARSER.core.ruler.after("block", "cells", keepCells);

/** Reads a text, in time that grows with its length. */
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

/** Takes as one paragraph the text that lies too deep: the parser would leave it out. */
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

/** Puts into the last cell of a row what has no column: the parser would leave it out. */
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

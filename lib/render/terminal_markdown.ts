/** Lays out Markdown messages for a terminal, with styles such as bold and colours. */

import { startOf } from "../json/text_ends.ts";
import { type DiffLine, diffLines } from "./diff_lines.ts";
import { inertText } from "./inert_text.ts";
import {
  type MarkdownNode,
  markdownNodes,
  markdownText,
  WEB_REGEXP,
  withTaskBox,
} from "./markdown_nodes.ts";
import { broken, prefixed, widthOf } from "./terminal_text.ts";
import type { TextStyle } from "./text_style.ts";

export interface TerminalLayout {
  /** The width of the terminal in columns; `undefined` if lines may have any length. */
  readonly columns: number | undefined;
  readonly style: TextStyle;
}

type Nodes = readonly MarkdownNode[];
type Look = (text: string) => string;

interface Piece {
  readonly text: string;
  readonly look: Look;
}

/** The least width of a line of text, in columns: narrower terminals get lines this long. */
const MIN_TEXT = 16;
/** The least width to which a table column shrinks, in columns of the terminal. */
const MIN_CELL = 8;
const GAP = "  ";
const MAX_RULE = 40;
const MAX_NAME = 40;
/** The maximum length of the URL of a hyperlink, which each line of its text repeats. */
const MAX_URL = 2083;

export function diffLook(
  { sign }: DiffLine,
  { green, red, cyan }: TextStyle,
): Look {
  return { "+": green, "-": red, "@": cyan, " ": same }[sign];
}

/**
 * Lays out a Markdown message as lines for a terminal, in time linear in its length.
 *
 * @returns The lines. Control sequences of the message are removed or escaped; the only ones left
 *   are those of the style, and hyperlinks to URLs that the message names.
 */
export function terminalMarkdown(
  text: string,
  { columns = Infinity, style }: TerminalLayout,
): string[] {
  return new TerminalWriter(style).blocks(markdownNodes(text), columns);
}

class TerminalWriter {
  readonly #style: TextStyle;

  constructor(style: TextStyle) {
    this.#style = style;
  }

  /** Lays out blocks with a blank line between them, except in tight lists. */
  blocks(nodes: Nodes, room: number): string[] {
    const lines: string[] = [];
    for (const [at, node] of nodes.entries()) {
      if (at > 0 && nodes[at - 1]?.token.hidden !== true) lines.push("");
      for (const line of this.#block(node, room)) lines.push(line);
    }
    return lines;
  }

  #block(node: MarkdownNode, room: number): string[] {
    const { type, token, children } = node;
    const { bold, dim, cyan } = this.#style;
    switch (type) {
      case "heading":
        return this.#text(this.#pieces(children, bold), room);
      case "hr":
        return [dim("─".repeat(Math.min(room, MAX_RULE)))];
      case "fence":
      case "code_block": {
        const code = inertText(token.content).trimEnd();
        const isDiff = /^(?:diff|patch)\b/.test(token.info.trim());
        const lines = isDiff
          ? diffLines(code).map((line) => ({
            text: line.text,
            look: diffLook(line, this.#style),
          }))
          : code.split("\n").map((text) => ({ text, look: cyan }));
        const shown = lines.flatMap(({ text, look }) =>
          broken(text, Math.max(MIN_TEXT, room - GAP.length)).map((line) =>
            line === "" ? "" : look(line)
          )
        );
        return prefixed(shown, GAP);
      }
      case "blockquote": {
        const sign = dim("│ ");
        return prefixed(this.blocks(children, room - 2), sign, sign);
      }
      case "bullet_list":
      case "ordered_list":
        return this.#list(node, room);
      case "table":
        return this.#table(children.flatMap((part) => part.children), room);
      default:
        return this.#text(this.#pieces(children, same), room);
    }
  }

  #list({ token, children }: MarkdownNode, room: number): string[] {
    const isTight = children.every((item) =>
      item.children.every(({ type, token }) =>
        type !== "paragraph" || token.hidden
      )
    );
    let number = Number(token.attrGet("start") ?? 1);
    return children.flatMap((item, at) => {
      const sign = token.type.startsWith("ordered") ? `${number++}. ` : "• ";
      const [first = "", ...rest] = this.blocks(
        item.children,
        room - sign.length,
      );
      const space = at > 0 && !isTight ? [""] : [];
      return [...space, ...prefixed([withTaskBox(first), ...rest], sign)];
    });
  }

  /** Lays out a table; if it is too wide, lines for each row, each cell behind its heading. */
  #table(rows: Nodes, room: number): string[] {
    const { bold, dim } = this.#style;
    const cells = rows.map((row, at) =>
      row.children.map(({ children }) =>
        this.#pieces(children, at === 0 ? bold : same)
      )
    );
    const [head = [], ...body] = cells;
    const widths = head.map((_, column) =>
      cells.reduce(
        (most, row) =>
          Math.max(most, Math.min(room, widthOf(wordsOf(row[column] ?? [])))),
        1,
      )
    );
    const space = room - GAP.length * (head.length - 1);
    const least = sumOf(widths.map((width) => Math.min(width, MIN_CELL)));
    if (least > space) {
      // Headings are repeated for every row, so long ones are cut.
      const names = head.map((cell) => `${startOf(wordsOf(cell), MAX_NAME)}: `);
      const records = body.map((row) =>
        row.flatMap((cell, column) =>
          this.#text([{ text: names[column] ?? "", look: bold }, ...cell], room)
        )
      );
      return records.flatMap((lines, at) => at === 0 ? lines : ["", ...lines]);
    }
    for (let excess = sumOf(widths) - space; excess > 0; excess--) {
      const widest = Math.max(...widths);
      widths[widths.indexOf(widest)] = widest - 1;
    }
    const isRight =
      rows[0]?.children.map(({ token }) =>
        `${token.attrGet("style")}`.endsWith(":right")
      ) ?? [];
    const lines = cells.map((row) => {
      const broken = row.map((cell, column) =>
        this.#broken(cell, widths[column] ?? 1)
      );
      const height = broken.reduce(
        (most, { length }) => Math.max(most, length),
        1,
      );
      return Array.from(
        { length: height },
        (_, at) =>
          broken.map((cell, column) => {
            const text = cell[at] ?? "";
            const pad = " ".repeat(
              Math.max(0, (widths[column] ?? 1) - widthOf(text)),
            );
            return isRight[column] ? pad + text : text + pad;
          }).join(GAP).trimEnd(),
      );
    });
    const rule = widths.map((width) => dim("─".repeat(width))).join(GAP);
    return [...lines[0] ?? [], rule, ...lines.slice(1).flat()];
  }

  #pieces(nodes: Nodes, look: Look): Piece[] {
    const { bold, italic, strike, cyan } = this.#style;
    const over = (inner: Look): Look => (text) => look(inner(text));
    return nodes.flatMap((node): Piece[] => {
      const { type, token, children } = node;
      switch (type) {
        case "code_inline":
          return [{ text: inertText(token.content), look: over(cyan) }];
        case "softbreak":
        case "hardbreak":
          return [{ text: "\n", look }];
        case "strong":
          return this.#pieces(children, over(bold));
        case "em":
          return this.#pieces(children, over(italic));
        case "s":
          return this.#pieces(children, over(strike));
        case "link":
          return this.#link(`${token.attrGet("href")}`, children, look);
        case "image":
          return [
            { text: "[image] ", look },
            ...this.#link(`${token.attrGet("src")}`, children, look),
          ];
        default:
          return [{ text: inertText(token.content), look }];
      }
    });
  }

  /** Writes a link with its URL: the label may name a different one. */
  #link(target: string, label: Nodes, look: Look): Piece[] {
    const { dim, cyan, link } = this.#style;
    const words = markdownText(label);
    const isWeb = WEB_REGEXP.test(target);
    const url = isWeb ? asciiUrl(target) : "";
    const isLinked = isWeb && url.length <= MAX_URL;
    const linked: Look = (text) => look(isLinked ? link(text, url) : text);
    if (words === "" || words === target) {
      return [{ text: inertText(target), look: linked }];
    }
    const pieces = this.#pieces(label, linked);
    if (target === "") return pieces;
    const shown = inertText(target);
    return isWeb
      ? [...pieces, { text: ` (${shown})`, look: (text) => look(dim(text)) }]
      : [
        ...pieces,
        { text: " (", look },
        { text: shown, look: cyan },
        { text: ")", look },
      ];
  }

  #text(pieces: readonly Piece[], room: number): string[] {
    return this.#broken(pieces, Math.max(MIN_TEXT, room));
  }

  /** Breaks text into lines, then applies the styles line by line: none spans a line end. */
  #broken(pieces: readonly Piece[], room: number): string[] {
    const whole = wordsOf(pieces);
    let piece = 0;
    let start = 0;
    let from = 0;
    return whole.split("\n").flatMap((line) => broken(line, room))
      .map((line) => {
        const words = line.trim();
        from = Math.max(from, whole.indexOf(words, from));
        const end = from + words.length;
        let shown = "";
        while (from < end) {
          const { text = "", look = same } = pieces[piece] ?? {};
          const stop = Math.min(end, start + text.length);
          if (stop > from) shown += look(whole.slice(from, stop));
          from = Math.max(from, stop);
          if (from < end || stop === start + text.length) {
            start += text.length;
            piece += 1;
          }
        }
        return shown;
      });
  }
}

function wordsOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}

/** Percent-encodes all characters of a URL but visible ASCII, which every terminal accepts. */
function asciiUrl(target: string): string {
  return target.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

export function same(text: string): string {
  return text;
}

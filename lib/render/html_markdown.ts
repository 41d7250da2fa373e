/**
 * Messages as HTML: the part of Markdown that models write.
 *
 * @module
 */

import { diffHtml } from "./html_diff.ts";
import { inlineHtml, type MarkdownHtmlOptions } from "./_html_inline.ts";
import { preText } from "./_html_pre.ts";
import { elementText } from "./html_text.ts";
import { withoutEnd } from "./text_end.ts";

/** How deep quotations and lists may lie in each other; what is deeper is text. */
const MAX_DEPTH = 12;

/** The highest heading: above it are the page, the turn and the entry. */
const TOP_HEADING = 4;

const FENCE_REGEXP = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^`\s]*)/;
const HEADING_REGEXP = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE_REGEXP =
  /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE_REGEXP = /^ {0,3}> ?/;
const ITEM_REGEXP = /^( {0,3})([-*+•]|\d{1,9}[.)])(?:( {1,4})(?=\S)(.*)|\s*)$/;
const CELL_RULE_REGEXP = /^:?-+:?$/;

/** What stands before a line that belongs to a list item. */
function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Splits a row of a table into its cells. */
function cellsOf(line: string): string[] {
  return line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** Tells whether a line is the second one of a table. */
function isTableRule(line: string | undefined): boolean {
  return line !== undefined && line.includes("|") && line.includes("-") &&
    cellsOf(line).every((cell) => CELL_RULE_REGEXP.test(cell));
}

/** Tells whether a line begins something that ends the paragraph before it. */
function endsParagraph(line: string, next: string | undefined): boolean {
  return line.trim() === "" || FENCE_REGEXP.test(line) ||
    HEADING_REGEXP.test(line) || QUOTE_REGEXP.test(line) ||
    RULE_REGEXP.test(line) || ITEM_REGEXP.test(line) ||
    (line.includes("|") && isTableRule(next));
}

/** Reads the lines of one text, block by block. */
class Blocks {
  readonly #lines: readonly string[];
  readonly #options: MarkdownHtmlOptions;
  readonly #depth: number;
  #at = 0;

  constructor(
    lines: readonly string[],
    options: MarkdownHtmlOptions,
    depth: number,
  ) {
    this.#lines = lines;
    this.#options = options;
    this.#depth = depth;
  }

  /** Writes all blocks, each on lines of its own. */
  write(): string[] {
    const blocks: string[] = [];
    while (this.#at < this.#lines.length) {
      const block = this.#next();
      if (block !== "") blocks.push(block);
    }
    return blocks;
  }

  #next(): string {
    const line = this.#lines[this.#at] ?? "";
    if (line.trim() === "") {
      this.#at += 1;
      return "";
    }
    const fence = FENCE_REGEXP.exec(line);
    if (fence !== null) return this.#code(indentOf(line), fence[1], fence[2]);
    const heading = HEADING_REGEXP.exec(line);
    if (heading !== null) return this.#heading(heading[1], heading[2]);
    if (RULE_REGEXP.test(line)) {
      this.#at += 1;
      return "<hr>";
    }
    if (this.#depth < MAX_DEPTH) {
      if (QUOTE_REGEXP.test(line)) return this.#quotation();
      const item = ITEM_REGEXP.exec(line);
      if (item !== null) return this.#list(/\d/.test(item[2] ?? ""));
    }
    if (line.startsWith("    ")) return this.#indentedCode();
    if (line.includes("|") && isTableRule(this.#lines[this.#at + 1])) {
      return this.#table();
    }
    return this.#paragraph();
  }

  #nested(lines: readonly string[]): string[] {
    return new Blocks(lines, this.#options, this.#depth + 1).write();
  }

  #inline(text: string): string {
    return inlineHtml(text, this.#options);
  }

  #code(indent: number, fence = "```", language = ""): string {
    const close = new RegExp(
      `^ {0,3}\\${fence.charAt(0)}{${fence.length},}\\s*$`,
    );
    const content: string[] = [];
    for (this.#at += 1; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? "";
      if (close.test(line)) {
        this.#at += 1;
        break;
      }
      content.push(line.slice(Math.min(indent, indentOf(line))));
    }
    const text = content.join("\n");
    return language === "diff" || language === "patch"
      ? preText(diffHtml(text), "diff")
      : preText(elementText(text));
  }

  #indentedCode(): string {
    const content: string[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? "";
      if (line.trim() !== "" && !line.startsWith("    ")) break;
      content.push(line.slice(4));
    }
    return preText(elementText(content.join("\n").trimEnd()));
  }

  #heading(marks = "#", text = ""): string {
    this.#at += 1;
    const tag = `h${Math.min(6, TOP_HEADING - 1 + marks.length)}`;
    const line = text.trim();
    const bare = withoutEnd(line, "#");
    const content = withoutEnd(bare, " \t");
    // Marks without a space before them are a part of the text.
    const shown = content === bare ? line : content;
    return `<${tag}>${this.#inline(shown)}</${tag}>`;
  }

  #quotation(): string {
    const content: string[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? "";
      if (!QUOTE_REGEXP.test(line)) break;
      content.push(line.replace(QUOTE_REGEXP, ""));
    }
    return ["<blockquote>", ...this.#nested(content), "</blockquote>"]
      .join("\n");
  }

  #list(isOrdered: boolean): string {
    const items: string[] = [];
    const first = ITEM_REGEXP.exec(this.#lines[this.#at] ?? "")?.[2] ?? "";
    while (this.#at < this.#lines.length) {
      const item = ITEM_REGEXP.exec(this.#lines[this.#at] ?? "");
      if (item === null || /\d/.test(item[2] ?? "") !== isOrdered) break;
      items.push(this.#item(item));
    }
    const start = parseInt(first, 10);
    const open = !isOrdered
      ? "<ul>"
      : start === 1
      ? "<ol>"
      : `<ol start="${start}">`;
    return [open, ...items, isOrdered ? "</ol>" : "</ul>"].join("\n");
  }

  #item([, before = "", marker = "", space = " ", text = ""]: RegExpExecArray) {
    const indent = before.length + marker.length + space.length;
    const content = [text];
    for (this.#at += 1; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? "";
      const depth = indentOf(line);
      const isInside = line.trim() === "" || depth >= Math.min(indent, 2);
      const isLazy = content.at(-1)?.trim() !== "" &&
        !endsParagraph(line, this.#lines[this.#at + 1]);
      if (!isInside && !isLazy) break;
      content.push(line.slice(Math.min(depth, indent)));
    }
    // Blank lines after the item are between it and what follows.
    while (content.length > 1 && content.at(-1)?.trim() === "") content.pop();
    content[0] = text.replace(
      /^\[([ xX])\](?=\s)/,
      (_, box) => box === " " ? "☐" : "☑",
    );
    const blocks = this.#nested(content);
    if (blocks[0]?.startsWith("<p>")) {
      blocks[0] = blocks[0].slice("<p>".length, -"</p>".length);
    }
    return `<li>${blocks.join("\n")}</li>`;
  }

  #table(): string {
    const head = cellsOf(this.#lines[this.#at] ?? "");
    const aligned = cellsOf(this.#lines[this.#at + 1] ?? "").map((rule) =>
      !rule.endsWith(":")
        ? ""
        : rule.startsWith(":")
        ? ' align="center"'
        : ' align="right"'
    );
    const last = head.length - 1;
    // What has no column is not lost.
    const cell = (cells: readonly string[], i: number): string =>
      i < last ? cells[i] ?? "" : cells.slice(last).join(" | ");
    const row = (cells: readonly string[], tag: string): string =>
      `<tr>${
        head.map((_, i) =>
          `<${tag}${aligned[i] ?? ""}>${this.#inline(cell(cells, i))}</${tag}>`
        ).join("")
      }</tr>`;
    const rows = [row(head, "th")];
    for (this.#at += 2; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? "";
      if (!line.includes("|") || endsParagraph(line, undefined)) break;
      rows.push(row(cellsOf(line), "td"));
    }
    return ["<table>", ...rows, "</table>"].join("\n");
  }

  #paragraph(): string {
    const content: string[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? "";
      const next = this.#lines[this.#at + 1];
      if (content.length > 0 && endsParagraph(line, next)) break;
      content.push(line.trim());
    }
    // A line break is kept: what was written in lines was meant in lines.
    return `<p>${
      this.#inline(content.join("\n")).replaceAll("\n", "<br>\n")
    }</p>`;
  }
}

/**
 * Writes a message in Markdown as HTML, block by block.
 *
 * Known are paragraphs, headings, lists, quotations, code, tables, emphasis and links. What is
 * not known, HTML above all, is shown as the text that it is, so that no message can do more than
 * look like one. No line of the result is blank. Takes time in proportion to the text.
 */
export function markdownBlocks(
  text: string,
  options: MarkdownHtmlOptions,
): string[] {
  const lines = text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ")
    .split("\n");
  return new Blocks(lines, options, 0).write();
}

/** Writes a message in Markdown as HTML, all of it. */
export function markdownHtml(
  text: string,
  options: MarkdownHtmlOptions,
): string {
  return markdownBlocks(text, options).join("\n");
}

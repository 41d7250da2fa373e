/**
 * Lines of a live view: laid out for a terminal, with space between blocks.
 *
 * @module
 */

import { inertLine } from "./inert_text.ts";
import { terminalMarkdown } from "./terminal_markdown.ts";
import { clipped, type Layout, wrapped } from "./terminal_text.ts";
import { withoutEnd } from "./text_end.ts";
import type { TextStyle } from "./text_style.ts";

/** What a block of lines is: there is space around prose, but none between work. */
export type Block = "prose" | "work" | "note";

/** How lines look. */
interface LineLook {
  /** What stands before the first line; the others are indented by as much. */
  readonly sign?: string;
  /** Sets a line off. */
  readonly look?: (line: string) => string;
}

/** Gathers the lines of a live view. */
export class LiveLines {
  readonly #columns: () => number | undefined;
  /** What was written last; `undefined` at the beginning. */
  #block: Block | undefined;
  #lines: string[] = [];

  /** Constructs a new instance. */
  constructor(columns: () => number | undefined) {
    this.#columns = columns;
  }

  /** Begins a block, with space before it where there should be some. */
  begin(block: Block): void {
    const isSpaced = this.#block !== undefined &&
      (block !== this.#block || block === "prose");
    if (isSpaced) this.#lines.push("");
    this.#block = block;
  }

  /** Adds a line as it is. */
  add(line: string, look: (text: string) => string = same): void {
    this.#lines.push(line === "" ? "" : look(inertLine(line)));
  }

  /** Adds a text, broken where it is too long. */
  addText(text: string, { sign = "", look = same }: LineLook = {}): void {
    const lines = withoutEnd(text, "\n").split("\n");
    for (const line of wrapped(lines, this.#layout(sign))) {
      this.add(line, look);
    }
  }

  /** Adds a message in Markdown, laid out. */
  addMarkdown(text: string, style: TextStyle): void {
    const columns = this.#columns();
    for (const line of terminalMarkdown(text, { columns, style })) {
      this.add(line);
    }
  }

  /** Adds lines, cut where they are too long. */
  addClipped(
    lines: readonly string[],
    { sign = "", look = same }: LineLook,
  ): void {
    for (const line of clipped(lines, this.#layout(sign))) this.add(line, look);
  }

  /** Gives the lines that were added since the last call. */
  take(): string {
    const text = this.#lines.map((line) => `${line}\n`).join("");
    this.#lines = [];
    return text;
  }

  #layout(sign: string): Layout {
    const columns = this.#columns();
    return { columns, first: sign, rest: " ".repeat(sign.length) };
  }
}

function same(line: string): string {
  return line;
}

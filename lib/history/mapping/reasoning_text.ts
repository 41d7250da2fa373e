/** The text of a reasoning as sections and blocks. */

import type {
  InlineSpan,
  ReasoningBlock,
  ReasoningSection,
} from "../records.ts";
import { keptText } from "../../json/utf8.ts";
import { boldSpan, span } from "./text_lines.ts";

const HEADING_MARK = "**";
/** Matches a fence. No backticks follow those of a fence: such a line is inline code. */
const FENCE_REGEXP = /^\s*(`{3,}(?=[^`]*$)|~{3,})\s*(.*)$/;
const BULLET_REGEXP = /^(\s*)([-*•]|\d+[.)]) +(\S.*)$/;
const QUOTE_REGEXP = /^\s*>\s?(.*)$/;
/** The deepest indent of a bullet in a record. */
export const MAX_INDENT = 255;

/** The sections of the lines so far. */
interface Sections {
  readonly list: { heading: string | null; blocks: ReasoningBlock[] }[];
  /** Whether a blank line came after the last block. */
  isBroken: boolean;
  /** The code block whose end has not come; each of its lines follows a line feed. */
  code: { mark: string; language: string | null; content: string } | null;
}

/**
 * The text of a reasoning, and its sections. A line that is only `**…**` starts a section; lines
 * before the first are a section without a heading. A blank text has no sections.
 *
 * Thousands of deltas may add to a text, so only the last line, which may grow, is parsed again.
 */
export class ReasoningText {
  #text = "";
  #lastLine = "";
  /** The sections of all lines but the last. */
  readonly #sections: Sections = {
    list: [{ heading: null, blocks: [] }],
    isBroken: false,
    code: null,
  };

  constructor(text: string) {
    this.add(text);
  }

  get text(): string {
    return this.#text;
  }

  add(piece: string): void {
    this.#text += piece;
    const [first = "", ...lines] = piece.split("\n");
    this.#lastLine += first;
    for (const line of lines) {
      addLine(this.#sections, this.#lastLine);
      this.#lastLine = line;
    }
  }

  sections(): ReasoningSection[] {
    const list = this.#sections.list.map(({ heading, blocks }) => ({
      heading,
      blocks: [...blocks],
    }));
    const copy = { ...this.#sections, list };
    addLine(copy, this.#lastLine);
    endCode(copy);
    return list
      .filter(({ heading, blocks }) => heading !== null || blocks.length > 0)
      .map(({ heading, blocks }) => ({
        heading,
        summary: heading === null ? summaryOf(blocks[0]) : [boldSpan(heading)],
        blocks,
      }));
  }
}

function addLine(sections: Sections, text: string): void {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  const { code, list } = sections;
  if (code !== null) {
    if (isEndOfCode(line, code.mark)) endCode(sections);
    else sections.code = { ...code, content: `${code.content}\n${line}` };
    return;
  }
  const heading = headingOf(line);
  if (heading !== undefined) {
    list.push({ heading, blocks: [] });
    return;
  }
  const fence = FENCE_REGEXP.exec(line);
  if (fence !== null) {
    const [, mark = "", info = ""] = fence;
    sections.code = { mark, language: info.trim() || null, content: "" };
  } else if (line.trim() === "") sections.isBroken = true;
  else addBlock(sections, blockOf(line));
}

function addBlock(sections: Sections, block: ReasoningBlock): void {
  const blocks = sections.list.at(-1)?.blocks ?? [];
  // Blank lines between two blocks become a separator.
  if (sections.isBroken && blocks.length > 0) {
    blocks.push({ type: "separator" });
  }
  sections.isBroken = false;
  blocks.push(block);
}

function endCode(sections: Sections): void {
  if (sections.code === null) return;
  const { language, content } = sections.code;
  sections.code = null;
  if (content.trim() === "") return;
  addBlock(sections, { type: "code", language, content: content.slice(1) });
}

/** Returns the heading in a line; `undefined` if the line is none. */
function headingOf(line: string): string | undefined {
  const text = line.trimEnd();
  if (!text.startsWith(HEADING_MARK) || !text.endsWith(HEADING_MARK)) {
    return undefined;
  }
  const inner = text.slice(HEADING_MARK.length, -HEADING_MARK.length).trim();
  return inner === "" || inner.includes(HEADING_MARK)
    ? undefined
    : keptText(inner);
}

/** Whether a line closes a code block: a closing fence has no text of its own. */
export function isEndOfCode(line: string, mark: string): boolean {
  const text = line.trim();
  return text.length >= mark.length &&
    text === mark.charAt(0).repeat(text.length);
}

function blockOf(line: string): ReasoningBlock {
  const bullet = BULLET_REGEXP.exec(line);
  if (bullet !== null) {
    const [, lead = "", marker = "", text = ""] = bullet;
    return {
      type: "bullet",
      indent: Math.min(Math.floor(lead.length / 2), MAX_INDENT),
      marker: markerOf(marker),
      spans: [span(text)],
    };
  }
  const quote = QUOTE_REGEXP.exec(line);
  return quote === null
    ? { type: "paragraph", spans: [span(line)] }
    : { type: "quote", spans: [span(quote[1] ?? "")] };
}

function markerOf(marker: string): string {
  if (marker === "*") return "-";
  return marker.endsWith(")") ? `${marker.slice(0, -1)}.` : marker;
}

function summaryOf(block: ReasoningBlock | undefined): readonly InlineSpan[] {
  if (block === undefined || block.type === "separator") return [];
  if (block.type !== "code") return block.spans;
  const first = block.content.split("\n").find((line) => line.trim() !== "");
  return [span(first ?? "", "dim")];
}

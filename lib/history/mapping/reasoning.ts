/**
 * The text of a reasoning as sections and blocks.
 *
 * @module
 */

import type {
  InlineSpan,
  ReasoningBlock,
  ReasoningSection,
} from "../records.ts";
import { boldSpan, span, splitLines } from "./text_lines.ts";

const HEADING_MARK = "**";
/** Behind backticks of a fence there are none: they would be code on one line. */
const FENCE_REGEXP = /^\s*(`{3,}(?=[^`]*$)|~{3,})\s*(.*)$/;
const BULLET_REGEXP = /^(\s*)([-*•]|\d+[.)]) +(\S.*)$/;
const QUOTE_REGEXP = /^\s*>\s?(.*)$/;
/** As deep as a record can indent a bullet. */
const MAX_INDENT = 255;

/** A section while its lines come in. */
class SectionBuilder {
  readonly heading: string | null;
  readonly blocks: ReasoningBlock[] = [];
  #isBroken = false;

  constructor(heading: string | null) {
    this.heading = heading;
  }

  /** Adds a block, and the separator that blank lines before it make. */
  add(block: ReasoningBlock): void {
    if (this.#isBroken && this.blocks.length > 0) {
      this.blocks.push({ type: "separator" });
    }
    this.#isBroken = false;
    this.blocks.push(block);
  }

  /** Takes note of a blank line. */
  break(): void {
    this.#isBroken = true;
  }

  /** Gives the section. */
  build(): ReasoningSection {
    const { heading, blocks } = this;
    const summary = heading === null
      ? summaryOf(blocks[0])
      : [boldSpan(heading)];
    return { heading, summary, blocks };
  }
}

/**
 * Splits the text of a reasoning into sections.
 *
 * A line that is nothing but `**…**` starts a section; what stands before the first one is a
 * section without a heading.
 *
 * @param text The text.
 * @returns The sections; none if the text is blank.
 */
export function reasoningSections(text: string): ReasoningSection[] {
  const sections: ReasoningSection[] = [];
  let section = new SectionBuilder(null);
  const close = (): void => {
    if (section.heading !== null || section.blocks.length > 0) {
      sections.push(section.build());
    }
  };
  const lines = splitLines(text);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const heading = headingOf(line);
    if (heading !== undefined) {
      close();
      section = new SectionBuilder(heading);
      continue;
    }
    const fence = FENCE_REGEXP.exec(line);
    if (fence !== null) {
      const [, mark = "", info = ""] = fence;
      const end = endOfCode(lines, at + 1, mark);
      const content = lines.slice(at + 1, end).join("\n");
      if (content.trim() !== "") {
        const language = info.trim() === "" ? null : info.trim();
        section.add({ type: "code", language, content });
      }
      at = end;
      continue;
    }
    if (line.trim() === "") section.break();
    else section.add(blockOf(line));
  }
  close();
  return sections;
}

/** Gives the heading that a line is; `undefined` if it is none. */
function headingOf(line: string): string | undefined {
  const text = line.trimEnd();
  if (!text.startsWith(HEADING_MARK) || !text.endsWith(HEADING_MARK)) {
    return undefined;
  }
  const inner = text.slice(HEADING_MARK.length, -HEADING_MARK.length).trim();
  return inner === "" || inner.includes(HEADING_MARK) ? undefined : inner;
}

/** Finds the line that closes a code block; without one, it goes on to the end. */
function endOfCode(
  lines: readonly string[],
  start: number,
  mark: string,
): number {
  for (let at = start; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    // A closing fence has no text of its own.
    if (
      line.length >= mark.length && line === mark.charAt(0).repeat(line.length)
    ) {
      return at;
    }
  }
  return lines.length;
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

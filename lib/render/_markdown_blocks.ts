/**
 * Blocks of Markdown: lines with a blank line before and after them.
 *
 * @module
 */

import { cutOutput } from "./cut_output.ts";
import { inertText } from "./inert_text.ts";
import { countedText } from "./quantity_text.ts";
import { codeBlock } from "./safe_markdown.ts";

/** Lines with a blank line before and after them. */
export type MarkdownBlock = readonly string[];

/** Output as blocks. */
export interface OutputBlocks {
  /** How many lines there are, with those that were left out. */
  readonly lines: number;
  /** The blocks; none if there is no output. */
  readonly blocks: readonly MarkdownBlock[];
}

/** Writes output as code, cut to a length; what was left out is said. */
export function outputBlocks(
  text: string,
  { language, maxLines }: {
    readonly language: string;
    readonly maxLines: number;
  },
): OutputBlocks {
  const { head, omitted, tail } = cutOutput(inertText(text), {
    maxLines,
    keep: "both",
  });
  return {
    lines: head.length + omitted + tail.length,
    blocks: [
      ...(head.length === 0 ? [] : [codeBlock(head, language)]),
      ...(omitted === 0
        ? []
        : [[`*… ${countedText(omitted, "line")} left out …*`]]),
      ...(tail.length === 0 ? [] : [codeBlock(tail, language)]),
    ],
  };
}

/** Puts blocks into one that can be folded; the summary is HTML. */
export function foldedBlock(
  summary: string,
  blocks: readonly MarkdownBlock[],
  { isOpen = false }: { readonly isOpen?: boolean } = {},
): MarkdownBlock {
  return [
    `<details${isOpen ? " open" : ""}>`,
    `<summary>${summary}</summary>`,
    "",
    ...blocks.flatMap((block) => [...block, ""]),
    "</details>",
  ];
}

/** Makes a quotation of lines. */
export function quoted(lines: readonly string[]): string[] {
  return lines.map((line) => line === "" ? ">" : `> ${line}`);
}

/** Keeps the line ends of a text, which Markdown would join. */
export function withBreaks(lines: readonly string[]): string[] {
  let fence = "";
  return lines.map((line, at) => {
    const mark = /^`{3,}(?=[^`]*$)/.exec(line)?.[0] ?? "";
    if (fence === "" && mark !== "") fence = mark;
    else if (fence !== "") {
      if (line === fence) fence = "";
      return line;
    }
    const isBroken = mark === "" && line !== "" && (lines[at + 1] ?? "") !== "";
    return isBroken ? `${line.trimEnd()}  ` : line;
  });
}

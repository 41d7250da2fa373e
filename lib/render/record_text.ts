/**
 * The text of records that keep it in lines and spans.
 *
 * @module
 */

import type {
  InlineSpan,
  MessageLine,
  ReasoningBlock,
  ReasoningSection,
} from "../history/records.ts";

export function linesText(lines: readonly MessageLine[]): string {
  return lines.map(({ spans }) => spansText(spans)).join("\n");
}

/** Gives reasoning as the Markdown that it was read from. */
export function reasoningMarkdown(
  sections: readonly ReasoningSection[],
): string {
  return sections.map(({ heading, blocks }) =>
    [
      ...(heading === null ? [] : [`**${heading}**`, ""]),
      ...blocks.map(blockText),
    ].join("\n").trimEnd()
  ).filter((text) => text !== "").join("\n\n");
}

function blockText(block: ReasoningBlock): string {
  switch (block.type) {
    case "paragraph":
      return spansText(block.spans);
    case "bullet":
      return `${"  ".repeat(block.indent)}${block.marker} ${
        spansText(block.spans)
      }`;
    case "quote":
      return `> ${spansText(block.spans)}`;
    case "code": {
      const fence = fenceFor(block.content);
      return `${fence}${block.language ?? ""}\n${block.content}\n${fence}`;
    }
    case "separator":
      return "";
    default:
      block satisfies never;
      return "";
  }
}

function spansText(spans: readonly InlineSpan[]): string {
  return spans.map(({ text }) => text).join("");
}

/** Gives a code fence that nothing in a text ends: longer than any run of backticks in it. */
export function fenceFor(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) {
    longest = Math.max(longest, run.length);
  }
  return "`".repeat(longest + 1);
}

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

/**
 * Gives backticks that nothing in a text ends: more than any run of them in it.
 *
 * @param least How many there are at least; 3 for a fence.
 */
export function fenceFor(text: string, least = 3): string {
  let longest = least - 1;
  for (const [run] of text.matchAll(/`+/g)) {
    longest = Math.max(longest, run.length);
  }
  return "`".repeat(longest + 1);
}

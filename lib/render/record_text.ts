/** Joins the lines and spans of history records to text, and makes errors readable. */

import { MAX_INDENT } from "../history/mapping/reasoning_text.ts";
import { lineText, spansText } from "../history/mapping/text_lines.ts";
import type {
  MessageLine,
  ReasoningBlock,
  ReasoningSection,
} from "../history/records.ts";
import { fieldsOf, parseJson, textOf } from "../json/fields.ts";

export function linesText(lines: readonly MessageLine[]): string {
  return lines.map(lineText).join("\n");
}

/** Returns reasoning as the Markdown that it was parsed from. */
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
    case "bullet": {
      // A snapshot of another program may have any number.
      const indent = "".padEnd(2 * Math.min(block.indent, MAX_INDENT));
      return `${indent}${block.marker} ${spansText(block.spans)}`;
    }
    case "quote":
      return `> ${spansText(block.spans)}`;
    case "code": {
      const fence = fenceFor(block.content);
      return `${fence}${block.language ?? ""}\n${block.content}\n${fence}`;
    }
    case "separator":
      return "";
  }
}

/** Returns a run of backticks longer than any in a text, as a delimiter; a fence has at least 3. */
export function fenceFor(text: string, least = 3): string {
  let longest = least - 1;
  for (const [run] of text.matchAll(/`+/g)) {
    longest = Math.max(longest, run.length);
  }
  return "`".repeat(longest + 1);
}

/** Returns the readable text of an error: of JSON in it, the message that a server wrote. */
export function readableError(text: string): string {
  const start = text.indexOf("{");
  if (start === -1) return text.trim();
  const fields = fieldsOf(parseJson(text.slice(start)));
  const inner = textOf(fieldsOf(fields.error).message) ??
    textOf(fields.message) ?? textOf(fields.detail) ?? "";
  return inner.trim() === ""
    ? text.trim()
    : text.slice(0, start) + inner.trim();
}

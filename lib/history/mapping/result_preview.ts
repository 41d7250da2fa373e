/**
 * The few lines that stand for the result of a tool.
 *
 * @module
 */

import type { ToolResultPreview } from "../records.ts";
import { fieldsOf, textOf } from "./json_fields.ts";
import { prettyJson } from "./pretty_json.ts";

/** The characters of a text that are looked at, from its end. */
const MAX_CHARACTERS = 16_000;
const MAX_LINES = 7;
const HEAD_LINES = 2;
const TAIL_LINES = 5;
/** What stands for the lines left out. */
const GAP = "⋮";

/**
 * Makes a preview of the blocks of a result.
 *
 * @param blocks The blocks, as MCP or a response item gives them; a string is a text.
 * @returns The lines, or `null` if there are none.
 */
export function resultPreview(
  blocks: readonly unknown[],
): ToolResultPreview | null {
  const lines: string[] = [];
  let truncated = false;
  for (const block of blocks) {
    const text = typeof block === "string" ? block : undefined;
    const line = text === undefined ? placeholderOf(block) : undefined;
    if (line !== undefined) {
      lines.push(line);
      continue;
    }
    const part = textPreview(text ?? textOf(fieldsOf(block).text) ?? "");
    lines.push(...part.lines);
    truncated ||= part.truncated;
  }
  return lines.length === 0 ? null : { lines, truncated };
}

function textPreview(text: string): ToolResultPreview {
  const laidOut = prettyJson(text) ?? text;
  const kept = lastCharacters(laidOut);
  const lines = kept.split("\n")
    .map((line) => line.endsWith("\r") ? line.slice(0, -1) : line)
    .filter((line) => line.trim() !== "");
  const isCut = kept.length < laidOut.length;
  if (lines.length <= MAX_LINES) return { lines, truncated: isCut };
  return {
    lines: [...lines.slice(0, HEAD_LINES), GAP, ...lines.slice(-TAIL_LINES)],
    truncated: true,
  };
}

function lastCharacters(text: string): string {
  // A character takes one or two units, so only a window of the end has to be counted.
  if (text.length <= MAX_CHARACTERS) return text;
  const start = Math.max(0, text.length - 2 * MAX_CHARACTERS - 1);
  const characters = [...text.slice(start)];
  if (start === 0 && characters.length <= MAX_CHARACTERS) return text;
  return characters.slice(-MAX_CHARACTERS).join("");
}

/** Gives what stands for a block that is no text. */
function placeholderOf(block: unknown): string | undefined {
  const fields = fieldsOf(block);
  switch (fields.type) {
    case "image":
    case "input_image":
    case "inputImage":
      return "<image content>";
    case "audio":
    case "input_audio":
    case "inputAudio":
      return "<audio content>";
    case "resource_link":
      return `link: ${textOf(fields.uri) ?? ""}`;
    case "resource":
      return `embedded resource: ${
        textOf(fieldsOf(fields.resource).uri) ?? ""
      }`;
    default:
      return undefined;
  }
}

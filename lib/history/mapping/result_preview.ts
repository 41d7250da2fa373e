/**
 * The few lines that stand for the result of a tool.
 *
 * @module
 */

import type { ToolResultPreview } from "../records.ts";
import { fieldsOf, textOf } from "../../json/fields.ts";
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
  let start = text.length;
  for (let count = 0; count < MAX_CHARACTERS && start > 0; count++) {
    start -= 1;
    if (isLowSurrogate(text, start) && isHighSurrogate(text, start - 1)) {
      start -= 1;
    }
  }
  return start === 0 ? text : text.slice(start);
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
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

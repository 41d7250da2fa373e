/**
 * The sections of a step summary, as many as there is room for.
 */

import { byteLength } from "../history/utf8_length.ts";
import { leftOutHtml } from "./_summary_html.ts";

/** A section of a summary. */
export interface SummarySection {
  /** Its heading; Markdown that holds nothing from a log. */
  readonly heading: string;
  /** What stands before its blocks, such as the head of a table. */
  readonly open: string;
  /** Its blocks: HTML without blank lines, a line feed behind each. */
  readonly blocks: readonly string[];
  /** What stands behind its blocks. */
  readonly close: string;
  /** The word for one of its blocks. */
  readonly word: string;
  /** How many blocks there are that were not even kept. */
  readonly unkept: number;
}

/** Room for the words that say what was left out. */
const NOTE_BYTES = 400;

/**
 * Puts a summary together. What there is no room for is left out, whole blocks and whole sections
 * at a time, and said.
 *
 * @param start What comes first; it leaves room for the words that say what was left out.
 * @param sections The sections, the most important ones first.
 * @param maxBytes How long the summary may be, in bytes of UTF-8.
 * @returns The summary.
 */
export function joinSections(
  start: string,
  sections: readonly SummarySection[],
  maxBytes: number,
): string {
  const out = [start];
  const missing: string[] = [];
  let room = maxBytes - byteLength(start) - NOTE_BYTES;
  for (const section of sections) {
    const { heading, open, blocks, close, word, unkept } = section;
    if (blocks.length + unkept === 0) continue;
    const frame = `\n${heading}\n\n${open}`;
    let left = room - byteLength(frame) - byteLength(close) - NOTE_BYTES;
    let count = 0;
    for (const block of blocks) {
      left -= byteLength(block);
      if (left < 0) break;
      count += 1;
    }
    if (count === 0) {
      missing.push(heading.replace(/^#+ /, ""));
      continue;
    }
    const rest = blocks.length - count + unkept;
    const note = rest === 0 ? "" : `\n<p>${leftOutHtml(rest, word)}</p>\n`;
    const text = frame + blocks.slice(0, count).join("") + close + note;
    out.push(text);
    room -= byteLength(text);
  }
  if (missing.length > 0) {
    out.push(
      `\n<p><i>Left out, because a summary has a limit: ${
        missing.join(", ")
      }.</i></p>\n`,
    );
  }
  return out.join("");
}

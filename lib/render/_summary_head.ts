/**
 * The head of a step summary: how it ended, why, and which sessions it is about. However long
 * that is, it leaves room for the sections.
 */

import { byteLength } from "../history/utf8_length.ts";
import type { TextRedactor } from "./entry_view.ts";
import type { SessionPart } from "./parts.ts";
import {
  headingText,
  leftOutHtml,
  lineHtml,
  MAX_HEAD_LENGTH,
  sessionLine,
} from "./_summary_html.ts";

/** How many characters of a reason are shown. */
const MAX_REASON_LENGTH = 8000;
/** How many reasons are shown. */
const MAX_REASONS = 100;
/** How many bytes a character of a heading takes at most, as a reference or a mark. */
const HEADING_CHARACTER = 8;

/** What the head of a summary says. */
export interface SummaryHead {
  /** What stands before its title, which says how it ended. */
  readonly sign: string;
  /** Its title. */
  readonly title: string;
  /** Why it did not end well. */
  readonly reasons: readonly string[];
  /** The sessions. */
  readonly sessions: readonly SessionPart[];
  /** How many sessions there are that were not even kept. */
  readonly unkeptSessions: number;
  /** Masks what they say. */
  readonly redactor: Pick<TextRedactor, "redact">;
}

/** The head of a summary, as far as there is room for it. */
export interface SummaryStart {
  /** Its Markdown. */
  readonly text: string;
  /** How many of the reasons are in it. */
  readonly reasonCount: number;
}

/**
 * Writes the head of a summary. The heading, the reasons and the sessions have a quarter of the
 * summary each; what there is no room for is cut, or left out and said.
 *
 * @param head What it says.
 * @param maxBytes How long the summary may be, in bytes of UTF-8.
 */
export function summaryStart(
  head: SummaryHead,
  maxBytes: number,
): SummaryStart {
  const quarter = Math.floor(maxBytes / 4);
  const title = headingText(
    head.title,
    Math.min(MAX_HEAD_LENGTH, Math.floor(quarter / HEADING_CHARACTER)),
  );
  const reasons = fittingBlocks(
    head.reasons.slice(0, MAX_REASONS).map((text) => (limit) =>
      `<li>${lineHtml(text, limit)}</li>\n`
    ),
    { maxBytes: quarter, maxLength: MAX_REASON_LENGTH },
  );
  const sessions = fittingBlocks(
    head.sessions.map((session) => (limit) =>
      sessionLine(session, head.redactor, limit)
    ),
    { maxBytes: quarter, maxLength: MAX_HEAD_LENGTH },
  );
  const moreReasons = head.reasons.length - reasons.length;
  const moreSessions = head.unkeptSessions + head.sessions.length -
    sessions.length;
  const items = reasons.join("") +
    (moreReasons === 0
      ? ""
      : `<li>${leftOutHtml(moreReasons, "reason")}</li>\n`);
  const lines = sessions.join("") +
    (moreSessions === 0
      ? ""
      : `\n<p>${leftOutHtml(moreSessions, "session")}</p>\n`);
  return {
    text: `## ${`${head.sign} ${title}`.trim()}\n${
      items === "" ? "" : `\n<ul>\n${items}</ul>\n`
    }${lines}`,
    reasonCount: reasons.length,
  };
}

/** How many bytes the words around and behind blocks take. */
const FRAME_BYTES = 100;

/**
 * Writes the first blocks of a list, as many as there is room for. One that no other one leaves
 * room for is written shorter.
 *
 * @param blocks Write a block, with texts of a given length at most.
 */
function fittingBlocks(
  blocks: readonly ((maxLength: number) => string)[],
  { maxBytes, maxLength }: {
    readonly maxBytes: number;
    readonly maxLength: number;
  },
): string[] {
  const written: string[] = [];
  let room = maxBytes - FRAME_BYTES;
  for (const write of blocks) {
    let block = write(maxLength);
    if (written.length === 0) {
      for (let limit = maxLength; byteLength(block) > room && limit > 1;) {
        limit = Math.floor(limit / 2);
        block = write(limit);
      }
    }
    room -= byteLength(block);
    if (room < 0) break;
    written.push(block);
  }
  return written;
}

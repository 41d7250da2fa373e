/**
 * Text as the lines and spans of records.
 *
 * Nothing is parsed and nothing is cleaned: what a reader shows is the reader's choice.
 *
 * @module
 */

import type {
  AnyHistoryRecord,
  Emphasis,
  InlineSpan,
  MessageLine,
  NewRecord,
  TextTone,
} from "../records.ts";
import { fieldsOf } from "../../json/fields.ts";
import { keptText } from "../../json/utf8.ts";

const PLAIN: Emphasis = Object.freeze({
  bold: false,
  italic: false,
  dim: false,
  strike: false,
  underline: false,
});
const BOLD: Emphasis = Object.freeze({ ...PLAIN, bold: true });

/** The blank lines that a text begins with; of one that is blank, all of it. */
const BLANK_START_REGEXP = /^(?:\s*$|\s*\n)?/;

export function span(text: string, tone: TextTone = "default"): InlineSpan {
  return { text: keptText(text), tone, emphasis: PLAIN, entity: null };
}

export function boldSpan(text: string): InlineSpan {
  return { text, tone: "default", emphasis: BOLD, entity: null };
}

/** Splits a text at LF, without the CR before it. */
export function splitLines(text: string): string[] {
  return text.split("\n").map((line) =>
    line.endsWith("\r") ? line.slice(0, -1) : line
  );
}

/**
 * Makes lines of a text: one paragraph or blank line each, none blank at either end.
 *
 * @param tone The tone of all of it.
 * @returns The lines; none if the text is blank.
 */
function textLines(
  text: string,
  tone: TextTone = "default",
): MessageLine[] {
  const lines = splitLines(text);
  let start = 0;
  let end = lines.length;
  while (start < end && isBlank(lines[start])) start += 1;
  while (end > start && isBlank(lines[end - 1])) end -= 1;
  return lines.slice(start, end).map((line) => ({
    kind: isBlank(line) ? "blank" : "paragraph",
    spans: [span(line, tone)],
  }));
}

function isBlank(line: string | undefined): boolean {
  return (line ?? "").trim() === "";
}

/** Makes a message of a text; its header is called after what it is, if it has no name. */
function message(
  kind: "user" | "assistant" | "error" | "notice",
  text: string,
  { label = kind, badge = null, tone }: {
    readonly label?: string;
    readonly badge?: string | null;
    readonly tone?: TextTone;
  } = {},
): NewRecord {
  return {
    type: "plain_message",
    payload: {
      role: kind === "notice" ? "system" : kind,
      kind,
      header: { label, badge },
      lines: textLines(text, tone),
      metadata: null,
    },
  };
}

export function userRecord(text: string): NewRecord {
  return message("user", text);
}

export function errorRecord(text: string): NewRecord {
  return message("error", text, { tone: "error" });
}

export function warningRecord(text: string): NewRecord {
  const marked = text.replace(BLANK_START_REGEXP, "⚠ ");
  return message("notice", marked, { tone: "warning" });
}

/** What the header of something says that was said aloud. */
const VOICE = "voice";

/** Gives what was said aloud as a record: by the user, or by what speaks for the agent. */
export function spokenRecord(text: string, isUser: boolean): NewRecord {
  return isUser
    ? message("user", text, { badge: VOICE })
    : message("assistant", text, { label: VOICE });
}

/** Gives what one agent wrote to another as a record. */
export function agentRecord(
  text: string,
  author: string,
  recipient: string | null,
): NewRecord {
  return message("assistant", text, { label: author, badge: recipient });
}

export function backgroundRecord(
  title: string,
  description: string,
): NewRecord {
  return { type: "background_event", payload: { title, description } };
}

export function noticeRecord(title: string | null, text: string): NewRecord {
  return { type: "notice", payload: { title, body: textLines(text) } };
}

/** Tells whether a record is what the user says to the agent, not aloud to its voice. */
export function isPrompt(record: AnyHistoryRecord): boolean {
  return record.type === "plain_message" && "role" in record.payload &&
    record.payload.role === "user" &&
    fieldsOf(record.payload.header).badge !== VOICE;
}

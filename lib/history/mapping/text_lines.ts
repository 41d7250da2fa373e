/**
 * Converts text to the lines and spans of records, and makes records of text.
 *
 * It parses no Markdown and removes no control characters: renderers do that.
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

/** Matches the leading blank lines of a text, or the whole text if it is blank. */
const BLANK_START_REGEXP = /^(?:\s*$|\s*\n)?/;

export function span(text: string, tone: TextTone = "default"): InlineSpan {
  return { text: keptText(text), tone, emphasis: PLAIN, entity: null };
}

export function boldSpan(text: string): InlineSpan {
  return { text, tone: "default", emphasis: BOLD, entity: null };
}

/** Splits a text at LF and drops a CR before it. */
export function splitLines(text: string): string[] {
  return text.split("\n").map((line) =>
    line.endsWith("\r") ? line.slice(0, -1) : line
  );
}

/** Converts a text to lines, each a paragraph or blank. Blank lines at both ends are dropped. */
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

/** Makes a message from a text. The label of its header is its kind by default. */
export function messageRecord(
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
  return messageRecord("user", text);
}

export function errorRecord(text: string): NewRecord {
  return messageRecord("error", text, { tone: "error" });
}

export function warningRecord(text: string): NewRecord {
  const marked = text.replace(BLANK_START_REGEXP, "⚠ ");
  return messageRecord("notice", marked, { tone: "warning" });
}

/** The badge or label of spoken messages. */
const VOICE = "voice";

/** Makes a record of speech: of the user, or of the voice model that speaks for the agent. */
export function spokenRecord(text: string, isUser: boolean): NewRecord {
  return isUser
    ? messageRecord("user", text, { badge: VOICE })
    : messageRecord("assistant", text, { label: VOICE });
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

/** Whether a record is a written message of the user, and no speech. */
export function isPrompt(record: AnyHistoryRecord): boolean {
  return record.type === "plain_message" && "role" in record.payload &&
    record.payload.role === "user" &&
    fieldsOf(record.payload.header).badge !== VOICE;
}

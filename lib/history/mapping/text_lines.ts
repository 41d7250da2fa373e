/**
 * Converts text to the lines and spans of records and back, and makes records of text.
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

export function spansText(spans: readonly InlineSpan[]): string {
  return spans.map(({ text }) => text).join("");
}

export function lineText({ spans }: MessageLine): string {
  return spansText(spans);
}

/** Splits a text at LF and drops a CR before it. */
export function splitLines(text: string): string[] {
  return text.split("\n").map((line) =>
    line.endsWith("\r") ? line.slice(0, -1) : line
  );
}

/**
 * A text as lines, each a paragraph or blank.
 *
 * Thousands of deltas may add to a text, so only the last line, which may grow, is read again.
 */
export class TextLines {
  #text = "";
  readonly #lines: MessageLine[] = [];
  readonly #tone: TextTone;

  constructor(text: string, tone: TextTone = "default") {
    this.#tone = tone;
    this.add(text);
  }

  get text(): string {
    return this.#text;
  }

  add(piece: string): void {
    const lastStart = this.#text.lastIndexOf("\n") + 1;
    this.#text += piece;
    this.#lines.pop();
    for (const line of splitLines(this.#text.slice(lastStart))) {
      const kind = line.trim() === "" ? "blank" : "paragraph";
      this.#lines.push({ kind, spans: [span(line, this.#tone)] });
    }
  }

  /** Returns the lines without the blank ones at both ends. */
  lines(): MessageLine[] {
    const isShown = ({ kind }: MessageLine): boolean => kind !== "blank";
    const start = this.#lines.findIndex(isShown);
    const end = this.#lines.findLastIndex(isShown) + 1;
    return this.#lines.slice(Math.max(start, 0), end);
  }
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
      lines: new TextLines(text, tone).lines(),
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

export function noticeRecord(
  title: string | null,
  text: string | TextLines,
): NewRecord {
  const lines = typeof text === "string" ? new TextLines(text) : text;
  return { type: "notice", payload: { title, body: lines.lines() } };
}

/** Whether a record is a written message of the user, and no speech. */
export function isPrompt(record: AnyHistoryRecord): boolean {
  if (record.type !== "plain_message") return false;
  const { role, header } = fieldsOf(record.payload);
  return role === "user" && fieldsOf(header).badge !== VOICE;
}

/**
 * The pieces of a step summary, as HTML.
 */

import { attributeText, elementText } from "./html_text.ts";
import { firstCharacters, firstLine } from "./_turn_topic.ts";
import type { TextRedactor } from "./entry_view.ts";
import type {
  SessionPart,
  TurnEndedPart,
  TurnStatus,
  TurnUsage,
} from "./parts.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";

/** What is written of how a turn ended. */
export const STATUS_WORDS: Record<
  TurnStatus,
  readonly [sign: string, words: string, title: string]
> = {
  completed: ["✅", "completed", "Codex completed its work"],
  failed: ["❌", "failed", "Codex failed"],
  aborted: ["❌", "interrupted", "Codex was interrupted"],
  open: ["⚠️", "no end", "The log ends before the turn does"],
  unknown: ["", "", "Codex session"],
};

/** A turn, as a row of the table. */
export interface TurnRow {
  /** How it ended. */
  readonly part: TurnEndedPart;
  /** What it was about. */
  readonly topic: string;
  /** What was done in it, in phrases. */
  readonly work: readonly string[];
}

/** How long the head of something is at most, in characters. */
export const MAX_HEAD_LENGTH = 400;

/** Writes text in one line: its first one, with an ellipsis if there are more. */
export function lineHtml(
  text: string,
  limit: number = MAX_HEAD_LENGTH,
): string {
  const line = firstLine(text, limit);
  const rest = text.trim().includes("\n") && !line.endsWith("…") ? " …" : "";
  return elementText(line) + rest;
}

/**
 * Writes text so that it stands in one line, all of it or up to a length: a blank line would end
 * the HTML around it.
 */
export function wordHtml(text: string, limit: number = Infinity): string {
  const word = firstCharacters(text, limit);
  return elementText(word.replace(/\r\n?|\n/g, "\u240a"));
}

/** What Markdown reads in a line, and what GitHub makes links of. */
const MARKDOWN_REGEXP = /([\\`*_[\]()!#~|@:]|www)/;

/** Writes text so that it may stand in a heading of Markdown. */
export function headingText(text: string, limit: number): string {
  const line = firstLine(text, limit);
  return line.split(MARKDOWN_REGEXP).map((piece, i) =>
    i % 2 === 0
      ? attributeText(piece)
      : `&#${piece.charCodeAt(0)};${piece.slice(1)}`
  ).join("");
}

/** Writes what is known of a session as a line of words of a length; nothing if nothing is. */
export function sessionLine(
  { thread_id, startedAt, cwd, model, cli_version, parent_thread_id }:
    SessionPart,
  redactor: Pick<TextRedactor, "redact">,
  limit: number,
): string {
  const word = (text: string): string => wordHtml(redactor.redact(text), limit);
  const code = (text: string): string => `<code>${word(text)}</code>`;
  const facts = [
    thread_id === null ? "" : `Thread ${code(thread_id)}`,
    parent_thread_id === undefined
      ? ""
      : `sub-agent of ${code(parent_thread_id)}`,
    startedAt === null
      ? ""
      : wordHtml(`${startedAt.slice(0, 19).replace("T", " ")} UTC`),
    cwd === null ? "" : code(cwd),
    model === null ? "" : word(model),
    cli_version === null ? "" : `Codex ${word(cli_version)}`,
  ].filter((fact) => fact !== "");
  return facts.length === 0 ? "" : `\n<p>${facts.join(" · ")}</p>\n`;
}

/** Says how much of something there was no room for. */
export function leftOutHtml(count: number, word: string): string {
  return `<i>${
    countedText(count, word)
  } more left out: a summary has a limit.</i>`;
}

/** Gives the sign for how far work is. */
export function signOf(status: string): string {
  return status === "failed" ? "✗" : status === "running" ? "…" : "✓";
}

/** Writes something that can be unfolded, or only its head if there is nothing in it. */
export function foldHtml(head: string, body: string): string {
  return body === ""
    ? `<p>${head}</p>\n`
    : `<details><summary>${head}</summary>\n${body}</details>\n`;
}

/** Writes a turn as a row of a table. */
export function turnRow({ part, topic, work }: TurnRow): string {
  const { turn, status, durationMs, usage } = part;
  const [sign, words] = STATUS_WORDS[status];
  const time = durationMs === null ? "" : durationText(durationMs);
  return `<tr><td align="right">${turn}</td><td>${wordHtml(topic)}</td><td>${
    `${sign} ${words}`.trim()
  }</td><td align="right">${time}</td><td>${elementText(work.join(", "))}</td>${
    usageCells(usage)
  }</tr>\n`;
}

/** Writes tokens as the last cells of a row. */
export function usageCells(usage: TurnUsage | null): string {
  const counts = usage === null ? [null, null, null, null] : [
    usage.input_tokens,
    usage.cached_input_tokens,
    usage.output_tokens,
    usage.reasoning_output_tokens,
  ];
  return counts.map((count) =>
    `<td align="right">${count === null ? "" : countText(count)}</td>`
  ).join("");
}

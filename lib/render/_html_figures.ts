/**
 * What is known of a session and of a turn beside what was said and done, as HTML.
 */

import type { PageFact } from "./_html_page.ts";
import type { WorkCounts } from "./_work_counts.ts";
import { attributeText, elementText } from "./html_text.ts";
import type { SessionPart, TurnEndedPart, TurnStatus } from "./parts.ts";
import { countText, durationText } from "./quantity_text.ts";

/** What is written of how a turn ended: a sign, words, and a class of the style sheet. */
const STATUS_WORDS: Record<
  TurnStatus,
  readonly [sign: string, words: string, look: string]
> = {
  completed: ["✓", "completed", "ok"],
  failed: ["✗", "failed", "bad"],
  aborted: ["✗", "interrupted", "bad"],
  open: ["…", "no end in the log", "warn"],
  unknown: ["", "", ""],
};

/** Says how a turn ended, in words; nothing if nothing says it. */
export function statusWords(status: TurnStatus): string {
  return STATUS_WORDS[status][1];
}

/** Writes a point in time as `2026-11-20 15:40:01`, in UTC. */
export function timeHtml(at: string): string {
  const shown = at.slice(0, 19).replace("T", " ");
  return `<time datetime="${attributeText(at)}">${elementText(shown)}</time>`;
}

/** Gives what a page says of a session. */
export function sessionFacts(
  { thread_id, startedAt, cwd, model, cli_version, parent_thread_id }:
    SessionPart,
): PageFact[] {
  const code = (text: string): string => `<code>${elementText(text)}</code>`;
  const facts: (PageFact | null)[] = [
    thread_id === null ? null : { name: "Thread", html: code(thread_id) },
    parent_thread_id === undefined
      ? null
      : { name: "Sub-agent of", html: code(parent_thread_id) },
    startedAt === null ? null : { name: "Started", html: timeHtml(startedAt) },
    cwd === null ? null : { name: "Folder", html: code(cwd) },
    model === null ? null : { name: "Model", html: elementText(model) },
    cli_version === null
      ? null
      : { name: "Codex", html: elementText(cli_version) },
  ];
  return facts.filter((fact) => fact !== null);
}

function stressed(text: string): string {
  return `<span class="bad">${text}</span>`;
}

/** Writes how much work was done, a phrase for each kind. */
export function workFigures(counts: WorkCounts): string[] {
  return counts.phrases(stressed);
}

/** Writes what is known of a turn that has ended: how it ended, how long it took, what it did. */
export function turnFigures(
  { status, durationMs, usage }: TurnEndedPart,
  counts: WorkCounts,
): string[] {
  const [sign, words, look] = STATUS_WORDS[status];
  const figures: string[] = [];
  if (words !== "") {
    figures.push(`<span class="is ${look}">${sign} ${words}</span>`);
  }
  if (durationMs !== null) figures.push(durationText(durationMs));
  figures.push(...workFigures(counts));
  if (usage === null) return figures;
  const { input_tokens, cached_input_tokens, output_tokens } = usage;
  return [
    ...figures,
    `${countText(input_tokens)} tokens in${
      detailHtml(cached_input_tokens, "cached")
    }`,
    `${countText(output_tokens)} out${
      detailHtml(usage.reasoning_output_tokens, "reasoning")
    }`,
  ];
}

function detailHtml(count: number | null, word: string): string {
  return count === null || count === 0
    ? ""
    : ` <span class="detail">(${countText(count)} ${word})</span>`;
}

/** Writes the same for a row of the table of turns: without tokens, and as short as can be. */
export function shortFigures(
  { status, durationMs }: TurnEndedPart,
  counts: WorkCounts,
): string[] {
  const [sign, words, look] = STATUS_WORDS[status];
  return [
    ...(sign === ""
      ? []
      : [`<span class="${look}" title="${words}">${sign}</span>`]),
    ...(durationMs === null ? [] : [durationText(durationMs)]),
    ...workFigures(counts),
  ];
}

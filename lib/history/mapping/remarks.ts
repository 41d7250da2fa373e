/** Records beside the conversation: diffs, reviews, compactions, background notices. */

import { type Fields, isObject, textOf } from "../../json/fields.ts";
import type { DiffHunk, DiffLine } from "../records.ts";
import type { FoldContext } from "./fold_context.ts";
import { backgroundRecord, noticeRecord } from "./text_lines.ts";

/** Shows the diff of the turn. Each diff is cumulative, so it replaces the last one. */
export function showTurnDiff(context: FoldContext, fields: Fields): void {
  const { turns } = context.memory;
  const diff = textOf(fields.unified_diff);
  if (diff === undefined) return;
  const record = { type: "diff", payload: { hunks: diffHunks(diff) } } as const;
  const known = context.get(turns.diffId);
  if (known?.type === "diff") context.replace(known.id, record);
  else turns.diffId = context.push(record);
}

export function showBackground(
  context: FoldContext,
  fields: Fields,
  item: string,
): void {
  const message = textOf(fields.message);
  if (message === undefined) return;
  context.showItem("background_event", item, backgroundRecord("", message));
}

export function showReviewStart(
  context: FoldContext,
  fields: Fields,
  item: string,
): void {
  const hint = textOf(fields.user_facing_hint)?.trim() ?? "";
  context.memory.reviewHint = hint === "" ? null : hint;
  const about = hint === "" ? "" : `: ${hint}`;
  context.showItem(
    "entered_review_mode",
    item,
    backgroundRecord("", `>> Code review started${about} <<`),
  );
}

/** Shows the end of a review, with its explanation in a notice of its own. */
export function showReviewEnd(
  context: FoldContext,
  fields: Fields,
  item: string,
): void {
  const output = isObject(fields.review_output)
    ? fields.review_output
    : undefined;
  const explanation = textOf(output?.overall_explanation) ?? "";
  if (explanation.trim() === "") context.removeItem("review_notice", item);
  else {
    const notice = noticeRecord("Code review", explanation);
    context.showItem("review_notice", item, notice);
  }
  // An app-server has the whole review as a text.
  const isFinal = output !== undefined ||
    (fields.review_output !== null && textOf(fields.review) !== undefined);
  const end = reviewEndText(context.memory.reviewHint, isFinal);
  context.showItem("exited_review_mode", item, backgroundRecord("", end));
}

function reviewEndText(hint: string | null, isFinal: boolean): string {
  if (isFinal) {
    const about = hint === null ? "" : `: ${hint}`;
    return `<< Code review finished${about} >>`;
  }
  const about = hint === null ? "" : ` (${hint})`;
  return `<< Code review finished without a final response${about} >>`;
}

/** Shows that the context was compacted. The summary may arrive later. */
export function showCompaction(
  context: FoldContext,
  fields: Fields,
  item: string,
): void {
  const { links, turns } = context.memory;
  const message = textOf(fields.message);
  const record = backgroundRecord("Context compacted", message ?? "");
  const known = context.get(links.get("context_compaction", item)?.id);
  if (known !== undefined && message === undefined) return;
  const answer = turns.messageItem === item
    ? context.get(turns.messageId)
    : undefined;
  if (answer?.type !== "assistant_message") {
    context.showItem("context_compaction", item, record);
    return;
  }
  // The summary was emitted as a message of the model before: replace that record.
  context.replace(answer.id, record);
  links.set("context_compaction", item, answer.id);
  turns.messageId = null;
  turns.messageItem = null;
}

/** Shows the activity of a sub-agent: its path or thread, and the kind of activity. */
export function showSubAgent(
  context: FoldContext,
  fields: Fields,
  item: string,
): void {
  const agent = textOf(fields.agent_path) ?? textOf(fields.agent_thread_id) ??
    "";
  const activity = textOf(fields.kind) ?? textOf(fields.message) ?? "";
  const text = [agent, activity].filter((part) => part !== "").join(" ");
  context.showItem(
    "sub_agent_activity",
    item,
    backgroundRecord("Sub-agent", text),
  );
}

/**
 * Splits a unified diff into hunks.
 *
 * A line that begins with `@@` starts a hunk; lines before the first are a hunk without a header.
 * The lines with file names, `---` and then `+++`, are context.
 */
export function diffHunks(diff: string): DiffHunk[] {
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const hunks: { header: string; lines: DiffLine[] }[] = [];
  // A `---` alone is a removed line that began with `--`, such as a comment of SQL.
  const namesFile = (at: number): boolean =>
    lines[at]?.startsWith("--- ") === true &&
    lines[at + 1]?.startsWith("+++ ") === true;
  for (const [at, line] of lines.entries()) {
    if (line.startsWith("@@")) {
      hunks.push({ header: line, lines: [] });
      continue;
    }
    if (hunks.length === 0) hunks.push({ header: "", lines: [] });
    const isName = namesFile(at) || namesFile(at - 1);
    hunks.at(-1)?.lines.push(
      isName ? { kind: "context", text: line } : lineOf(line),
    );
  }
  return hunks;
}

function lineOf(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", text };
  if (line.startsWith("-")) return { kind: "removed", text };
  return { kind: "context", text: line.startsWith(" ") ? text : line };
}

/**
 * What happens beside the conversation: diffs, reviews, compactions, remarks.
 *
 * @module
 */

import { diffHunks } from "./diff_hunks.ts";
import { type Fields, fieldsOf, isFields, textOf } from "./json_fields.ts";
import { removeLinked, showLinked } from "./linked_records.ts";
import type { MappingContext } from "./mapping_context.ts";
import { backgroundRecord, noticeRecord } from "./text_lines.ts";

/** Shows the diff of the turn; each one says everything that the last one said. */
export function showTurnDiff(context: MappingContext, event: Fields): void {
  const { turns } = context.memory;
  const diff = textOf(event.unified_diff);
  if (diff === undefined) return;
  const record = {
    type: "diff",
    payload: { hunks: diffHunks(diff) },
  } as const;
  const known = turns.diffId;
  if (known !== null && context.get(known)?.type === "diff") {
    context.replace(known, record);
  } else turns.diffId = context.push(record);
}

/**
 * Shows a remark of the program.
 *
 * @param context Where.
 * @param event The event.
 * @param eventId The id of the event, by which it may come again.
 */
export function showBackground(
  context: MappingContext,
  event: Fields,
  eventId: string | null = null,
): void {
  const message = textOf(event.message);
  if (message === undefined) return;
  showLinked(
    context,
    { kind: "background", thing: eventId },
    backgroundRecord("", message),
  );
}

/**
 * Shows that a review begins.
 *
 * @param context Where.
 * @param event The event or the item.
 * @param id The id of the item, by which it may come again.
 */
export function showReviewStart(
  context: MappingContext,
  event: Fields,
  id: string | null = null,
): void {
  const hint = textOf(event.user_facing_hint)?.trim() ?? "";
  context.memory.reviewHint = hint === "" ? null : hint;
  context.memory.reviewPrompt = "";
  const about = hint === "" ? "" : `: ${hint}`;
  showLinked(
    context,
    { kind: "review_start", thing: id },
    backgroundRecord("", `>> Code review started${about} <<`),
  );
}

/**
 * Shows what a review has come to.
 *
 * @param context Where.
 * @param event The event or the item.
 * @param id The id of the item, by which it may come again.
 */
export function showReviewEnd(
  context: MappingContext,
  event: Fields,
  id: string | null = null,
): void {
  const { memory } = context;
  const { links, reviewHints } = memory;
  const known = id === null ? undefined : links.get("review_end", id);
  const hint = known === undefined
    ? memory.reviewHint
    : reviewHints.get(known.id) ?? null;
  if (known === undefined) {
    memory.reviewHint = null;
    memory.reviewPrompt = null;
  }
  const output = isFields(event.review_output)
    ? event.review_output
    : undefined;
  const explanation = textOf(output?.overall_explanation) ?? "";
  const notice = { kind: "review_notice", thing: id } as const;
  if (explanation.trim() === "") removeLinked(context, notice);
  else showLinked(context, notice, noticeRecord("Code review", explanation));
  const shown = showLinked(
    context,
    { kind: "review_end", thing: id },
    backgroundRecord("", reviewEndText(hint, output !== undefined)),
  );
  if (id !== null && hint !== null) reviewHints.set(shown, hint);
}

function reviewEndText(hint: string | null, isFinal: boolean): string {
  if (isFinal) {
    const about = hint === null ? "" : `: ${hint}`;
    return `<< Code review finished${about} >>`;
  }
  const about = hint === null ? "" : ` (${hint})`;
  return `<< Code review finished without a final response${about} >>`;
}

/**
 * Shows that the context was compacted. A line says it with the text, an event without; the
 * two are one record when they come together; in paginated files, where the item stands for the
 * event, when it comes after the line.
 *
 * @param context Where.
 * @param from Which of the two this is.
 * @param message The text, if this is the line.
 * @returns The number of the record.
 */
export function showCompaction(
  context: MappingContext,
  from: "line" | "event",
  message = "",
): number {
  const { memory } = context;
  const { compaction } = memory;
  const record = backgroundRecord("Context compacted", message);
  const isAdjacent = compaction?.id === context.lastId;
  if (compaction !== null && compaction.from !== from) {
    const isOne = memory.mode === "paginated" ? from === "event" : isAdjacent;
    memory.compaction = null;
    if (isOne) {
      if (from === "line") context.replace(compaction.id, record);
      return compaction.id;
    }
  }
  const id = context.push(record);
  memory.compaction = { id, from };
  return id;
}

/**
 * Shows what a sub-agent does.
 *
 * @param context Where.
 * @param event The event or the item.
 * @param id The id of the item, by which it may come again.
 */
export function showSubAgent(
  context: MappingContext,
  event: Fields,
  id: string | null = null,
): void {
  const who = textOf(event.agent_path) ?? textOf(event.agent_thread_id) ?? "";
  const what = textOf(event.kind) ?? textOf(event.message) ?? "";
  const text = [who, what].filter((part) => part !== "").join(" ");
  showLinked(
    context,
    { kind: "sub_agent", thing: id },
    backgroundRecord("Sub-agent", text),
  );
}

/** Gives the message of an event that is there to tell it. */
export function messageOf(event: Fields): string {
  return textOf(event.message) ?? textOf(fieldsOf(event.error).message) ?? "";
}

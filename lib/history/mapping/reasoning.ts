/** Records of reasoning. */

import type { ReasoningSection } from "../records.ts";
import type { FoldContext } from "./fold_context.ts";
import type { ReasoningText } from "./reasoning_text.ts";

/** A part of a reasoning. One record may hold several. */
interface Thought {
  readonly key: string;
  readonly text: ReasoningText;
  /** Whether more text may follow. */
  readonly isOpen: boolean;
  /** Whether the part joins the last record, if that is a reasoning. */
  readonly joins: boolean;
}

/** Shows a part of a reasoning: replaces its known sections, or adds new ones. */
export function showThought(context: FoldContext, thought: Thought): void {
  const { memory } = context;
  const { key, text, isOpen } = thought;
  const sections = text.sections();
  const link = memory.links.get("reasoning", key);
  if (link !== undefined && context.get(link.id)?.type === "reasoning") {
    noteOpen(context, link.id, thought);
    // A blank end keeps the known text.
    if (sections.length > 0 || isOpen) {
      replacePart(context, link.id, link.at, sections);
    } else settleThought(context, link.id);
    return;
  }
  if (sections.length === 0 && !isOpen) return;
  const { store } = context;
  const last = thought.joins ? context.at(store.length - 1) : undefined;
  const joined = last?.type === "reasoning" ? last.id : undefined;
  const id = joined ?? store.nextId;
  const at = joined === undefined ? 0 : partsOf(context, id).length;
  memory.links.set("reasoning", key, id, at);
  noteOpen(context, id, thought);
  if (joined === undefined) {
    context.push({
      type: "reasoning",
      payload: { in_progress: isOpen, sections, hide_when_collapsed: false },
    });
  } else replacePart(context, id, at, sections);
}

/** Returns the text of a part that is not complete. */
export function openThought(
  { memory: { links, thinking } }: FoldContext,
  key: string,
): ReasoningText | undefined {
  const link = links.get("reasoning", key);
  return link && thinking.get(link.id)?.get(key);
}

/** Ends all parts of a record with their known texts. */
export function settleThought(context: FoldContext, id: number): void {
  const { memory } = context;
  const record = context.get(id);
  memory.thinking.delete(id);
  if (record?.type !== "reasoning" || !record.payload.in_progress) return;
  // A reasoning without text is removed.
  if (record.payload.sections.length === 0) return context.remove(id);
  context.replace(id, {
    type: "reasoning",
    payload: { ...record.payload, in_progress: false },
  });
}

function noteOpen(
  { memory }: FoldContext,
  id: number,
  { key, text, isOpen }: Thought,
): void {
  const open = memory.thinking.get(id) ?? new Map();
  if (isOpen) open.set(key, text);
  else open.delete(key);
  if (open.size > 0) memory.thinking.set(id, open);
  else memory.thinking.delete(id);
}

function partsOf(context: FoldContext, id: number): number[] {
  const sizes = context.memory.parts.get(id);
  if (sizes !== undefined) return sizes;
  const record = context.get(id);
  return [record?.type === "reasoning" ? record.payload.sections.length : 0];
}

function replacePart(
  context: FoldContext,
  id: number,
  at: number,
  sections: readonly ReasoningSection[],
): void {
  const { memory } = context;
  const record = context.get(id);
  if (record?.type !== "reasoning") return;
  const { sections: older } = record.payload;
  const sizes = partsOf(context, id);
  // Most parts are added at the end. The sizes are not summed for them: with 100,000 parts that
  // would take quadratic time.
  const isNew = at >= sizes.length;
  const start = isNew
    ? older.length
    : sizes.slice(0, at).reduce((sum, size) => sum + size, 0);
  const end = start + (sizes[at] ?? 0);
  sizes[at] = sections.length;
  if (sizes.length > 1) memory.parts.set(id, sizes);
  context.replace(id, {
    type: "reasoning",
    payload: {
      ...record.payload,
      in_progress: memory.thinking.has(id),
      sections: isNew
        ? older.concat(sections)
        : older.slice(0, start).concat(sections, older.slice(end)),
    },
  });
}

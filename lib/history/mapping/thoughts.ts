/**
 * Records of reasoning, which may have several parts and grow.
 *
 * @module
 */

import type { ReasoningSection } from "../records.ts";
import type { FoldContext } from "./fold_context.ts";
import { reasoningSections } from "./reasoning.ts";

/** A part of a reasoning. */
export interface Thought {
  /** What it is known by. */
  readonly key: string;
  /** All of its text. */
  readonly text: string;
  /** Whether more may follow. */
  readonly isOpen: boolean;
  /** Whether it belongs to the last record, if that is a reasoning. */
  readonly joins: boolean;
}

/**
 * Shows a part of a reasoning, in the place that it has had so far.
 *
 * @param context Where.
 * @param thought The part.
 */
export function showThought(context: FoldContext, thought: Thought): void {
  const { memory } = context;
  const { key, text, isOpen } = thought;
  const sections = reasoningSections(text);
  const link = memory.links.get("reasoning", key);
  if (isOpen) memory.thoughts.set(key, text);
  else memory.thoughts.delete(key);
  if (link !== undefined && context.get(link.id)?.type === "reasoning") {
    noteOpen(context, link.id, thought);
    // A blank end takes nothing back.
    if (sections.length > 0 || isOpen) {
      replacePart(context, link.id, { at: link.at, sections });
    } else settleThought(context, link.id);
    return;
  }
  if (sections.length === 0 && !isOpen) return;
  const last = thought.joins ? context.lastId : undefined;
  const joined = context.get(last)?.type === "reasoning" ? last : undefined;
  const id = joined ?? context.store.nextId;
  const at = joined === undefined ? 0 : partsOf(context, id).length;
  memory.links.set("reasoning", key, id, at);
  noteOpen(context, id, thought);
  if (joined === undefined) {
    context.push({
      type: "reasoning",
      payload: { in_progress: isOpen, sections, hide_when_collapsed: false },
    });
  } else replacePart(context, id, { at, sections });
}

/** Shows the next piece of a part. */
export function appendToThought(
  context: FoldContext,
  thought: Omit<Thought, "text" | "isOpen"> & { readonly delta: string },
): void {
  const text = (context.memory.thoughts.get(thought.key) ?? "") + thought.delta;
  showThought(context, { ...thought, text, isOpen: true });
}

/** Ends all parts of a record as they are. */
export function settleThought(context: FoldContext, id: number): void {
  const { memory } = context;
  const record = context.get(id);
  for (const key of memory.thinking.get(id) ?? []) memory.thoughts.delete(key);
  memory.thinking.delete(id);
  if (record?.type !== "reasoning" || !record.payload.in_progress) return;
  context.replace(id, {
    type: "reasoning",
    payload: { ...record.payload, in_progress: false },
  });
}

function noteOpen(
  { memory }: FoldContext,
  id: number,
  { key, isOpen }: Thought,
): void {
  const open = memory.thinking.get(id) ?? new Set();
  if (isOpen) open.add(key);
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
  { at, sections }: {
    readonly at: number;
    readonly sections: readonly ReasoningSection[];
  },
): void {
  const { memory } = context;
  const record = context.get(id);
  if (record?.type !== "reasoning") return;
  const { sections: older } = record.payload;
  const sizes = partsOf(context, id);
  // Most parts come behind the others: a hundred thousand are added up no hundred thousand times.
  const isNew = at >= sizes.length;
  const start = isNew ? older.length : sumOf(sizes.slice(0, at));
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

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/**
 * The text of a reasoning as sections and blocks.
 *
 * @module
 */

import type {
  InlineSpan,
  ReasoningBlock,
  ReasoningSection,
} from "../records.ts";
import { keptText } from "../../json/utf8.ts";
import type { FoldContext } from "./fold_context.ts";
import { boldSpan, span, splitLines } from "./text_lines.ts";

const HEADING_MARK = "**";
/** Behind backticks of a fence there are none: they would be code on one line. */
const FENCE_REGEXP = /^\s*(`{3,}(?=[^`]*$)|~{3,})\s*(.*)$/;
const BULLET_REGEXP = /^(\s*)([-*•]|\d+[.)]) +(\S.*)$/;
const QUOTE_REGEXP = /^\s*>\s?(.*)$/;
/** As deep as a record can indent a bullet. */
const MAX_INDENT = 255;

/** A section while its lines come in. */
class SectionBuilder {
  readonly heading: string | null;
  readonly blocks: ReasoningBlock[] = [];
  #isBroken = false;

  constructor(heading: string | null) {
    this.heading = heading;
  }

  /** Adds a block, and the separator that blank lines before it make. */
  add(block: ReasoningBlock): void {
    if (this.#isBroken && this.blocks.length > 0) {
      this.blocks.push({ type: "separator" });
    }
    this.#isBroken = false;
    this.blocks.push(block);
  }

  break(): void {
    this.#isBroken = true;
  }

  build(): ReasoningSection {
    const { heading, blocks } = this;
    const summary = heading === null
      ? summaryOf(blocks[0])
      : [boldSpan(heading)];
    return { heading, summary, blocks };
  }
}

/**
 * Splits the text of a reasoning into sections.
 *
 * A line that is nothing but `**…**` starts a section; what stands before the first one is a
 * section without a heading.
 *
 * @returns The sections; none if the text is blank.
 */
export function reasoningSections(text: string): ReasoningSection[] {
  let section = new SectionBuilder(null);
  const sections = [section];
  const lines = splitLines(text);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const heading = headingOf(line);
    if (heading !== undefined) {
      section = new SectionBuilder(heading);
      sections.push(section);
      continue;
    }
    const fence = FENCE_REGEXP.exec(line);
    if (fence !== null) {
      const [, mark = "", info = ""] = fence;
      const end = endOfCode(lines, at + 1, mark);
      const content = lines.slice(at + 1, end).join("\n");
      if (content.trim() !== "") {
        const language = info.trim() === "" ? null : info.trim();
        section.add({ type: "code", language, content });
      }
      at = end;
      continue;
    }
    if (line.trim() === "") section.break();
    else section.add(blockOf(line));
  }
  return sections
    .filter(({ heading, blocks }) => heading !== null || blocks.length > 0)
    .map((each) => each.build());
}

/** Gives the heading that a line is; `undefined` if it is none. */
function headingOf(line: string): string | undefined {
  const text = line.trimEnd();
  if (!text.startsWith(HEADING_MARK) || !text.endsWith(HEADING_MARK)) {
    return undefined;
  }
  const inner = text.slice(HEADING_MARK.length, -HEADING_MARK.length).trim();
  return inner === "" || inner.includes(HEADING_MARK)
    ? undefined
    : keptText(inner);
}

/** Finds the line that closes a code block; without one, it goes on to the end. */
function endOfCode(
  lines: readonly string[],
  start: number,
  mark: string,
): number {
  for (let at = start; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    // A closing fence has no text of its own.
    if (
      line.length >= mark.length && line === mark.charAt(0).repeat(line.length)
    ) {
      return at;
    }
  }
  return lines.length;
}

function blockOf(line: string): ReasoningBlock {
  const bullet = BULLET_REGEXP.exec(line);
  if (bullet !== null) {
    const [, lead = "", marker = "", text = ""] = bullet;
    return {
      type: "bullet",
      indent: Math.min(Math.floor(lead.length / 2), MAX_INDENT),
      marker: markerOf(marker),
      spans: [span(text)],
    };
  }
  const quote = QUOTE_REGEXP.exec(line);
  return quote === null
    ? { type: "paragraph", spans: [span(line)] }
    : { type: "quote", spans: [span(quote[1] ?? "")] };
}

function markerOf(marker: string): string {
  if (marker === "*") return "-";
  return marker.endsWith(")") ? `${marker.slice(0, -1)}.` : marker;
}

function summaryOf(block: ReasoningBlock | undefined): readonly InlineSpan[] {
  if (block === undefined || block.type === "separator") return [];
  if (block.type !== "code") return block.spans;
  const first = block.content.split("\n").find((line) => line.trim() !== "");
  return [span(first ?? "", "dim")];
}

// Records of reasoning, which may have several parts and grow.

/** A part of a reasoning. */
interface Thought {
  readonly key: string;
  /** All of its text. */
  readonly text: string;
  /** Whether more may follow. */
  readonly isOpen: boolean;
  /** Whether it belongs to the last record, if that is a reasoning. */
  readonly joins: boolean;
}

/** Shows a part of a reasoning, in the place that it has had so far. */
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
  // Thoughts that came to no text are none.
  if (record.payload.sections.length === 0) return context.remove(id);
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

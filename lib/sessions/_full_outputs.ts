/** What calls gave of which the history shows a part. */

import {
  type Fields,
  fieldsOf,
  isObject,
  jsonTextOf,
  listOf,
  textOf,
  textsOf,
} from "../json/fields.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import { type HistoryRecord, isKnownRecord } from "../history/records.ts";
import {
  commandText,
  messageText,
  type SearchableText,
} from "./_searchable_text.ts";

/** A text that is a message of its own. */
export interface OwnOutput extends SearchableText {
  /** The type of the record that it is a part of. */
  readonly kind: string;
}

/** A text that belongs to a record. */
export interface AttachedOutput {
  readonly record: number;
  /** What its call gave, not more than a message has. */
  readonly text: string;
}

/** What an event says beyond what the history shows of it. */
export interface FullOutput {
  /** What is a message of its own. */
  readonly own?: OwnOutput | undefined;
  /** What belongs to a record. */
  readonly attached?: AttachedOutput;
}

const NOTHING: FullOutput = {};
/**
 * Reads what an event says of a call beyond what the history shows of it.
 *
 * - What commands printed that share an `explore` record: with its command, a message each.
 * - What tools gave of which a `tool_call` has the first and last lines only: all of it.
 */
export function readFullOutput(
  event: Fields,
  mutations: readonly HistoryMutation[],
): FullOutput {
  if (event.type !== "item.completed" || mutations.length === 0) return NOTHING;
  const content = isObject(event.content) ? event.content : event;
  if (event.item_type === "command_execution") {
    return exploredOutput(content, mutations);
  }
  const record = cutCallOf(mutations);
  if (record === undefined) return NOTHING;
  const text = messageText(blocksOf(content).map(blockText));
  return text === undefined ? NOTHING : { attached: { record, text } };
}

/** The record of a call that has not all that the call gave. */
function cutCallOf(mutations: readonly HistoryMutation[]): number | undefined {
  for (const mutation of mutations) {
    const record = recordIn(mutation);
    if (record?.type !== "tool_call") continue;
    if (record.payload.result_preview?.truncated) return record.id;
  }
  return undefined;
}

function exploredOutput(
  content: Fields,
  mutations: readonly HistoryMutation[],
): FullOutput {
  if (!isExplored(mutations)) return NOTHING;
  const argv = textsOf(content.argv);
  const command = argv.length > 0
    ? commandText(argv)
    : textOf(content.command) ?? "";
  const text = messageText([command, printedText(content)]);
  return text === undefined
    ? NOTHING
    : { own: { role: "command", kind: "explore", text, toolName: "exec" } };
}

/**
 * Whether it is an explore record that a command is a part of. A record that is put behind one
 * changes that, too: then the command is what was put there.
 */
function isExplored(mutations: readonly HistoryMutation[]): boolean {
  return mutations.some((each) => recordIn(each)?.type === "explore") &&
    mutations.every((mutation) =>
      mutation.type !== "inserted" || mutation.record.type === "explore"
    );
}

/** The record that was made or changed. */
function recordIn(mutation: HistoryMutation): HistoryRecord | undefined {
  return (mutation.type === "inserted" || mutation.type === "replaced") &&
      isKnownRecord(mutation.record)
    ? mutation.record
    : undefined;
}

/** What a command printed. */
function printedText({ stdout, stderr }: Fields): string {
  const out = textOf(stdout) ?? "";
  const err = textOf(stderr) ?? "";
  if (out.trim() === "") return err;
  return err.trim() === "" ? out : `${out.replace(/\r?\n$/, "")}\n${err}`;
}

/** What a call gave, of whatever type it is. */
function blocksOf(content: Fields): readonly unknown[] {
  const { agents_states } = content;
  return [
    ...listOf(fieldsOf(content.result).content),
    ...listOf(content.output),
    ...listOf(content.content_items),
    ...(isObject(agents_states) ? [jsonTextOf(agents_states)] : []),
  ];
}

/** The text of a block, or what it leads to. */
function blockText(block: unknown): string {
  if (typeof block === "string") return block;
  const { text, uri } = fieldsOf(block);
  return textOf(text) ?? textOf(uri) ?? "";
}

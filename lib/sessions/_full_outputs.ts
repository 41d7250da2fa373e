/**
 * What calls gave of which the history shows a part.
 */

import {
  type Fields,
  fieldsOf,
  isFields,
  jsonTextOf,
  parseJson,
  textOf,
  textsOf,
} from "../json/fields.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import { isKnownRecord } from "../history/records.ts";
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
  /** The number of the record. */
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
/** Where items have what a call gave. */
const RESULT_FIELDS = [
  "result",
  "output",
  "content_items",
  "statuses",
  "agents_states",
] as const;
/** Fields in a result that are no text of it: data, and words for what it is. */
const SILENT_FIELDS: ReadonlySet<string> = new Set([
  "_meta",
  "annotations",
  "blob",
  "data",
  "detail",
  "image_url",
  "imageUrl",
  "mimeType",
  "type",
]);
/** More nesting than any result has. */
const MAX_DEPTH = 16;

/**
 * Reads what an event says of a call beyond what the history shows of it.
 *
 * - What commands printed that share an `explore` record: with its command, a message each.
 * - What tools gave of which a `tool_call` has the first and last lines only: all of it.
 *
 * @param event The event.
 * @param mutations What it changed in the history.
 * @returns What it says.
 */
export function readFullOutput(
  event: Fields,
  mutations: readonly HistoryMutation[],
): FullOutput {
  if (event.type !== "item.completed" || mutations.length === 0) return NOTHING;
  const content = isFields(event.content) ? event.content : event;
  if (event.item_type === "command_execution") {
    return exploredOutput(content, mutations);
  }
  const record = recordOf(mutations, "tool_call");
  if (record === undefined) return NOTHING;
  const given = resultText(RESULT_FIELDS.map((name) => content[name]));
  const text = messageText([given]);
  return text === undefined ? NOTHING : { attached: { record, text } };
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
  return recordOf(mutations, "explore") !== undefined &&
    mutations.every((mutation) =>
      mutation.type !== "inserted" || mutation.record.type === "explore"
    );
}

/** The record of a type that was made or changed. */
function recordOf(
  mutations: readonly HistoryMutation[],
  type: "explore" | "tool_call",
): number | undefined {
  for (const mutation of mutations) {
    if (mutation.type !== "inserted" && mutation.type !== "replaced") continue;
    if (isKnownRecord(mutation.record) && mutation.record.type === type) {
      return mutation.id;
    }
  }
  return undefined;
}

/** What a command printed. */
function printedText({ stdout, stderr }: Fields): string {
  const out = textOf(stdout) ?? "";
  const err = textOf(stderr) ?? "";
  if (out.trim() === "") return err;
  return err.trim() === "" ? out : `${out.replace(/\r?\n$/, "")}\n${err}`;
}

/** All texts in a result, whatever it is made of; images and other data have none. */
function resultText(result: unknown): string {
  const texts: string[] = [];
  gather(result, texts, 0);
  return [...new Set(texts)].join("\n");
}

function gather(value: unknown, texts: string[], depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    const blocks = blocksIn(value);
    if (blocks !== undefined) gather(blocks, texts, depth + 1);
    else if (value.trim() !== "") texts.push(value);
  } else if (Array.isArray(value)) {
    for (const each of value) gather(each, texts, depth + 1);
  } else if (isFields(value)) {
    for (const [name, each] of Object.entries(value)) {
      // What has a form of its own is searched as the JSON that it is.
      if (name === "structuredContent" && each !== null) {
        texts.push(jsonTextOf(each));
      } else if (!SILENT_FIELDS.has(name)) gather(each, texts, depth + 1);
    }
  }
}

/** The blocks of content that releases before 0.148 give as the JSON text of a list. */
function blocksIn(text: string): readonly unknown[] | undefined {
  if (!text.startsWith("[{")) return undefined;
  const blocks = parseJson(text);
  const isContent = Array.isArray(blocks) &&
    blocks.every((block) => typeof fieldsOf(block).type === "string");
  return isContent ? blocks : undefined;
}

/**
 * What lines of rollouts say of calls: that one was made, what it gave, that something shows it.
 *
 * @module
 */

import {
  callIdOf,
  type Fields,
  fieldsOf,
  isFields,
  jsonTextOf,
  parseJson,
  textOf,
  textsOf,
} from "./json_fields.ts";
import { eventOf } from "./line_events.ts";
import { readToolOutput } from "./tool_output.ts";

/** What a line says of a call. */
export type CallLine =
  /** The model made a call. */
  | {
    readonly kind: "call";
    readonly id: string;
    /** The name of what was called. */
    readonly name: string;
  }
  /** What the model was told of it. */
  | {
    readonly kind: "output";
    readonly id: string;
    /** All texts of it. */
    readonly text: string;
    /** Whether it says that a script failed, whatever else it says. */
    readonly isFailedScript: boolean;
  }
  /** An event or an item that shows a call, or a part of one. */
  | {
    readonly kind: "shown";
    readonly id: string;
    /** All texts that it gave. */
    readonly text: string;
    /** The command, if it is one that has ended. */
    readonly command: readonly string[] | undefined;
  };

const CALL_REGEXP = /_call$/;
const OUTPUT_REGEXP = /_output$/;
/** What Codex puts before what a script printed. */
const SCRIPT_HEADER_REGEXP =
  /^Script (completed|failed|running)\b[^\n]*\n(?:Wall time [^\n]*\n)?(?:Output:\n*)?/;
/** Where events and items have what a call gave. */
const RESULT_FIELDS = [
  "result",
  "output",
  "content_items",
  "contentItems",
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
 * Reads what a line says of a call.
 *
 * @param line A normalized line of a rollout.
 * @returns What it says; `undefined` if it is about none.
 */
export function readCallLine(line: unknown): CallLine | undefined {
  const fields = fieldsOf(line);
  if (fields.type === "response_item") {
    return readItem(fieldsOf(fields.payload));
  }
  const event = eventOf(fields);
  return event === undefined ? undefined : readEvent(event);
}

function readItem(item: Fields): CallLine | undefined {
  const type = textOf(item.type) ?? "";
  const id = callIdOf(item.call_id, item.id);
  if (id === undefined) return undefined;
  if (CALL_REGEXP.test(type)) {
    return { kind: "call", id, name: textOf(item.name) ?? "" };
  }
  if (!OUTPUT_REGEXP.test(type)) return undefined;
  const text = resultText(readToolOutput(item.output).blocks);
  const [header = "", word] = SCRIPT_HEADER_REGEXP.exec(text) ?? [];
  return {
    kind: "output",
    id,
    text: text.slice(header.length),
    isFailedScript: word === "failed",
  };
}

function readEvent(event: Fields): CallLine | undefined {
  const isItem = event.type === "item_completed";
  const call = isItem ? fieldsOf(event.item) : event;
  const id = callIdOf(call.call_id, call.callId, call.id);
  if (id === undefined) return undefined;
  const isCommand = call.type === "CommandExecution" ||
    call.type === "exec_command_end";
  return {
    kind: "shown",
    id,
    text: isCommand
      ? printedText(call)
      : resultText(RESULT_FIELDS.map((name) => call[name])),
    command: isCommand
      ? typeof call.command === "string"
        ? [call.command]
        : textsOf(call.command)
      : undefined,
  };
}

/** What a command printed: all of it in one piece, or what went where. */
function printedText(call: Fields): string {
  const stdout = textOf(call.stdout) ?? "";
  const stderr = textOf(call.stderr) ?? "";
  if (stdout.trim() === "" && stderr.trim() === "") {
    return textOf(call.aggregated_output) ?? "";
  }
  if (stdout.trim() === "") return stderr;
  return stderr.trim() === ""
    ? stdout
    : `${stdout.replace(/\r?\n$/, "")}\n${stderr}`;
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

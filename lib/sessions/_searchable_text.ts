/** Extracts the searchable text of history records, and the role that it belongs to. */

import { commandLine } from "../dialects/exec/command_line.ts";
import {
  printedText,
  readableReview,
  statesText,
  typedCommand,
} from "../events/contents.ts";
import { lineText, spansText } from "../history/mapping/text_lines.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import * as records from "../history/records.ts";
import {
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  textOf,
} from "../json/fields.ts";
import type { MessageRole } from "./session_records.ts";

export interface SearchableText {
  readonly role: MessageRole;
  /** The text; never blank. */
  readonly text: string;
  readonly toolName: string | null;
}

/** How much text of a record is kept, in UTF-16 code units: more than Codex shows its model. */
const MAX_TEXT = 1 << 16;
/** How much of that is the end of the text, where a command reports its result. */
const MAX_TAIL = 1 << 14;
const CUT_MARK = "\n…\n";
/** SQLite ends a text at a NUL. */
const NUL_REGEXP = /\0/g;

/** Returns the text of a record, if any; `output` is all of its call, where it shows less. */
export function searchableText(
  record: records.AnyHistoryRecord,
  output?: string,
): SearchableText | undefined {
  const [role, pieces, toolName = null] = records.isKnownRecord(record)
    ? readRecord(record, output)
    : NOTHING;
  const text = messageText(pieces);
  if (text === undefined) return undefined;
  return { role, text, toolName: toolName && storable(toolName) };
}

/**
 * Joins pieces to the text of a message, one per line, unless it is blank: at most 64 Ki code
 * units, of a longer text its beginning and end.
 */
function messageText(pieces: Pieces): string | undefined {
  const whole = pieces.filter((piece) => piece).join("\n");
  const text = whole.length <= MAX_TEXT
    ? whole
    : whole.slice(0, MAX_TEXT - MAX_TAIL) + CUT_MARK + whole.slice(-MAX_TAIL);
  return text.trim() === "" ? undefined : storable(text);
}

/** The parts of a text; those that are missing or empty are left out. */
type Pieces = readonly (string | null | undefined)[];

type Reading = readonly [role: MessageRole, pieces: Pieces, toolName?: string];

const NOTHING: Reading = ["notice", []];

function readRecord(record: records.HistoryRecord, output?: string): Reading {
  switch (record.type) {
    case "plain_message": {
      const { role, lines } = record.payload;
      return [PLAIN_ROLES[role], lines.map(lineText)];
    }
    case "assistant_message":
      return ["assistant", [readableReview(record.payload.markdown)]];
    case "assistant_stream":
      return ["assistant", [record.payload.preview_markdown]];
    case "reasoning":
      return ["reasoning", record.payload.sections.flatMap(sectionTexts)];
    case "exec": {
      const { command, stdout_chunks, stderr_chunks } = record.payload;
      const output = [stdout_chunks, stderr_chunks].map((chunks) =>
        chunks.map(({ content }) => content).join("")
      );
      return ["command", [commandLine(command), ...output], "exec"];
    }
    case "explore": {
      // A command that has ended is a message of its own, with its output.
      const open = record.payload.entries.filter(isWithoutEnd);
      return [
        "command",
        open.map(({ command }) => commandLine(command)),
        "exec",
      ];
    }
    case "running_tool":
      return toolReading(record.payload, []);
    case "tool_call": {
      const { result_preview, error_message } = record.payload;
      const lines = output === undefined
        ? result_preview?.lines ?? []
        : [output];
      return toolReading(record.payload, [...lines, error_message]);
    }
    case "wait_status": {
      const { header: { title, summary }, details } = record.payload;
      const texts = details.map(({ label, value }) =>
        `${label} ${value ?? ""}`
      );
      return ["tool", [title, summary, ...texts]];
    }
    case "patch": {
      const { changes, failure } = record.payload;
      return ["patch", [
        ...Object.entries(changes).flatMap(changeTexts),
        failure?.message,
        failure?.stdout_excerpt,
        failure?.stderr_excerpt,
      ], "apply_patch"];
    }
    case "plan_update": {
      const { name, steps } = record.payload;
      const texts = steps.map(({ description }) => description);
      return ["plan", [name, ...texts], "update_plan"];
    }
    case "image":
      return ["tool", [record.payload.path, record.payload.caption, output]];
    case "background_event":
      return ["notice", [
        // Another record repeats this title in other words.
        record.payload.title === "Turn aborted" ? null : record.payload.title,
        record.payload.description,
      ]];
    case "notice":
      return ["notice", [
        record.payload.title,
        ...record.payload.body.map(lineText),
      ]];
    case "loading":
    case "upgrade_notice":
    case "rate_limits":
    // A diff repeats the patches of the whole turn.
    case "diff":
      return NOTHING;
    default:
      record satisfies never;
      return NOTHING;
  }
}

const PLAIN_ROLES = {
  user: "user",
  assistant: "assistant",
  tool: "tool",
  error: "error",
  system: "notice",
  background_event: "notice",
} as const satisfies { readonly [role: string]: MessageRole };

/** Leaves out the summary: it repeats the heading or the first block. */
function sectionTexts({ heading, blocks }: records.ReasoningSection): Pieces {
  const texts = blocks.map((block) => {
    if (block.type === "separator") return "";
    return block.type === "code" ? block.content : spansText(block.spans);
  });
  return [heading, ...texts];
}

/** Whether a command has no reported end: it is running, or was when its turn ended. */
export function isWithoutEnd({ status }: records.ExploreEntry): boolean {
  return status === "running" ||
    typeof status === "object" && status.error.exit_code === null;
}

function changeTexts([path, change]: [string, records.FileChange]): Pieces {
  return change.type === "update"
    ? [path, change.move_path, change.unified_diff]
    : [path, change.content];
}

function toolReading(
  { title, arguments: args }: {
    readonly title: string;
    readonly arguments: readonly records.ToolArgument[];
  },
  rest: Pieces,
): Reading {
  return ["tool", [title, ...args.map(argumentText), ...rest], title];
}

function argumentText({ name, value }: records.ToolArgument): string {
  if (value.type === "secret") return name;
  const isText = value.type === "text";
  return `${name}: ${isText ? value.text : JSON.stringify(value.value)}`;
}

/** Replaces what SQLite would not return unchanged. */
function storable(text: string): string {
  return text.replace(NUL_REGEXP, "\ufffd").toWellFormed();
}

/** The output of a call, where the history shows less of it. */
interface FullOutput {
  /** The output, truncated like any message; a message of its own begins with the command. */
  readonly text: string;
  /** The record that the output belongs to; `undefined` for a message of its own. */
  readonly record: number | undefined;
}

/**
 * Reads the output of an event where the history shows less of it.
 *
 * - Output of commands that share an `explore` record: one message each, with its command.
 * - Output of tools of which a `tool_call` record holds the first and last lines only: all of it.
 */
export function readFullOutput(
  event: Fields,
  mutations: readonly HistoryMutation[],
): FullOutput | undefined {
  if (event.type !== "item.completed" || mutations.length === 0) {
    return undefined;
  }
  const isCommand = event.item_type === "command_execution";
  const record = isCommand ? undefined : cutCallOf(mutations);
  if (isCommand ? !isExplored(mutations) : record === undefined) {
    return undefined;
  }
  const content = isObject(event.content) ? event.content : event;
  const text = messageText(
    isCommand
      ? [typedCommand(content), printedText(content)]
      : blocksOf(content).map(blockText),
  );
  return text === undefined ? undefined : { text, record };
}

/** Returns the id of a record that holds only a part of the output of its call. */
function cutCallOf(mutations: readonly HistoryMutation[]): number | undefined {
  return mutations.map(recordIn).find((record) =>
    record?.type === "tool_call" && record.payload.result_preview?.truncated
  )?.id;
}

/**
 * Whether the command is a part of an explore record. If a record of another type was inserted as
 * well, that one is the command, although the explore record before it changes too.
 */
function isExplored(mutations: readonly HistoryMutation[]): boolean {
  return mutations.some((each) => recordIn(each)?.type === "explore") &&
    mutations.every((mutation) =>
      mutation.type !== "inserted" || mutation.record.type === "explore"
    );
}

function recordIn(
  mutation: HistoryMutation,
): records.HistoryRecord | undefined {
  return (mutation.type === "inserted" || mutation.type === "replaced") &&
      records.isKnownRecord(mutation.record)
    ? mutation.record
    : undefined;
}

function blocksOf(content: Fields): readonly unknown[] {
  const states = statesText(content);
  return [
    ...listOf(fieldsOf(content.result).content),
    ...listOf(content.output),
    ...listOf(content.content_items),
    ...(states === undefined ? [] : [states]),
  ];
}

function blockText(block: unknown): string {
  if (typeof block === "string") return block;
  const { text, uri } = fieldsOf(block);
  return textOf(text) ?? textOf(uri) ?? "";
}

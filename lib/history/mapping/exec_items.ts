/**
 * The items of exec streams (C.1).
 *
 * @module
 */

import { collabCall, statesPreview } from "./agent_calls.ts";
import { beginCall } from "./calls.ts";
import {
  appendOutput,
  type CommandOutput,
  continuesOutput,
  replaceOutput,
} from "./command_output.ts";
import {
  failCommand,
  finishCommand,
  isKnownCommand,
  isNamedCommand,
  startCommand,
} from "./commands.ts";
import { readItemChanges } from "./file_changes.ts";
import {
  type Fields,
  fieldsOf,
  isFailedWord,
  isFields,
  textOf,
  wholeOf,
} from "./json_fields.ts";
import { showLinked } from "./linked_records.ts";
import type { MappingContext } from "./mapping_context.ts";
import {
  appendToStream,
  replaceStream,
  showAnswer,
  showRemark,
  showUserMessage,
} from "./messages.ts";
import { finishPatch, isOpenPatch, showPatch } from "./patches.ts";
import { planRecord } from "./plan.ts";
import { shellWords } from "./shell_words.ts";
import {
  showBackground,
  showReviewEnd,
  showReviewStart,
  showTurnDiff,
} from "./side_events.ts";
import { appendToThought, showThought } from "./thoughts.ts";
import { toolArguments } from "./tool_arguments.ts";
import { finishTool, mcpResult, qualifiedTitle, startTool } from "./tools.ts";
import { showTokenCount } from "./usage.ts";
import { webSearch } from "./web_searches.ts";

/**
 * What an event says of an item: a piece of it, or all of it so far. Which of the two a
 * `delta` is, only its text can tell.
 */
export type ItemPhase =
  | "started"
  | "delta"
  | "piece"
  | "updated"
  | "completed";

/** An item at one moment. */
export interface ItemState {
  /** The id of the item, made unique over all runs. */
  readonly id: string;
  /** What is said now. */
  readonly phase: ItemPhase;
  /** The content or the delta. */
  readonly content: Fields;
  /** The event around it. */
  readonly event: Fields;
}

/** Shows an item of one type. */
type ShowItem = (context: MappingContext, item: ItemState) => void;

/** What is done with each type of item; the others make no record. */
const ITEMS: ReadonlyMap<string, ShowItem> = new Map<string, ShowItem>([
  ["agent_message", showAgentMessage],
  ["reasoning", showReasoning(false)],
  ["agent_reasoning_raw_content", showReasoning(true)],
  ["command_execution", call(showCommand)],
  ["file_change", call(showFileChange)],
  ["mcp_tool_call", call(showMcpCall)],
  ["web_search", call(showWebSearch)],
  ["collab_tool_call", call(showCollabCall)],
  ["todo_list", showTodoList],
  [
    "error",
    completed((context, { content }) =>
      showRemark(context, textOf(content.message) ?? "")
    ),
  ],
  [
    "user_message",
    completed((context, { content }) =>
      showUserMessage(context, { text: textOf(content.text) ?? "", images: [] })
    ),
  ],
  [
    "turn_diff",
    completed((context, item) => showTurnDiff(context, noticeOf(item))),
  ],
  [
    "token_count",
    completed((context, item) => showTokenCount(context, noticeOf(item))),
  ],
  [
    "background_event",
    completed((context, item) => showBackground(context, noticeOf(item))),
  ],
  [
    "entered_review_mode",
    completed((context, item) => showReviewStart(context, noticeOf(item))),
  ],
  [
    "exited_review_mode",
    completed((context, item) => showReviewEnd(context, noticeOf(item))),
  ],
]);

/** Shows an item; of a type that nobody knows, nothing. */
export function showItem(
  context: MappingContext,
  type: unknown,
  item: ItemState,
): void {
  if (typeof type === "string") ITEMS.get(type)?.(context, item);
}

/**
 * Shows that an item failed: in its record if that is still open, else as an error.
 *
 * @param context Where.
 * @param id The id of the item.
 * @param message Why.
 */
export function failItem(
  context: MappingContext,
  id: string,
  message: string,
): void {
  if (failCommand(context, id, message)) return;
  if (context.indexOfTool(id) !== -1) {
    finishTool(context, { callId: id, isFailed: true, errorMessage: message });
  } else showRemark(context, message);
}

/** Makes something that only the end of an item does. */
function completed(show: ShowItem): ShowItem {
  return (context, item) => {
    if (item.phase === "completed") show(context, item);
  };
}

/** Makes something a call, which may be another one of a known id. */
function call(show: ShowItem): ShowItem {
  return (context, item) => {
    if (item.phase === "started") beginCall(context, item.id, "event");
    show(context, item);
  };
}

/** The text of an item that is a text. */
function itemText({ content }: ItemState): string {
  return textOf(content.text) ?? textOf(content.text_delta) ?? "";
}

/**
 * Tells whether a text is a piece of an item, and not all of it. The normalizer marks what it
 * knows to be all; some producers of `item.updated` look like deltas to it, so an unmarked text
 * that goes on from the beginning is all of it too.
 */
function isPiece(phase: ItemPhase, text: string, known = ""): boolean {
  if (phase !== "delta") return phase === "piece";
  const isLonger = known !== "" && text.length > known.length;
  return !isLonger || !text.startsWith(known);
}

function showAgentMessage(context: MappingContext, item: ItemState): void {
  const { id, phase } = item;
  const text = itemText(item);
  const known = context.memory.streams.get(id);
  if (phase === "completed") showAnswer(context, id, text);
  else if (isPiece(phase, text, known)) appendToStream(context, id, text);
  else replaceStream(context, id, text);
}

/** Raw reasoning is a section of the record before it, a summary a record of its own. */
function showReasoning(joins: boolean): ShowItem {
  return (context, item) => {
    const { id: key, phase } = item;
    const text = itemText(item);
    const known = context.memory.thoughts.get(key);
    if (isPiece(phase, text, known)) {
      appendToThought(context, { key, delta: text, joins });
    } else {
      showThought(context, { key, text, isOpen: phase !== "completed", joins });
    }
  };
}

function showCommand(
  context: MappingContext,
  { id, phase, content, event }: ItemState,
): void {
  // Releases around 0.20 print what a patch says as if it were a command; its end has it too.
  if (isOpenPatch(context, id)) return;
  const command = textOf(content.command) ?? "";
  // Output may be known before anything has said what printed it.
  const isNamedNow = command !== "" && !isNamedCommand(context, id);
  if (isNamedNow || !isKnownCommand(context, id)) {
    startCommand(context, {
      callId: id,
      command: shellWords(command),
      // Nothing on the wire says what the command does.
      parsed: [],
      cwd: null,
      startedAt: context.now,
    });
  }
  const output: CommandOutput = {
    stdout: textOf(content.stdout),
    stderr: textOf(content.stderr),
  };
  // A piece of output does not say again which command it is of.
  const isOutputPiece = phase === "piece" || (phase === "delta" &&
    (content.command === undefined || !continuesOutput(context, id, output)));
  if (isOutputPiece) appendOutput(context, id, output);
  else if (phase !== "completed") replaceOutput(context, id, output);
  else {
    finishCommand(context, id, {
      ...output,
      exitCode: wholeOf(content.exit_code) ?? null,
      status: event.status,
      completedAt: context.now,
    });
  }
}

function showFileChange(
  context: MappingContext,
  { id, phase, content, event }: ItemState,
): void {
  const changes = readItemChanges(content);
  if (phase !== "completed") {
    showPatch(context, id, { event: "apply_begin", changes });
    return;
  }
  const exitCode = wholeOf(content.exit_code) ?? 0;
  finishPatch(context, id, {
    isSuccess: exitCode === 0 && !isFailedWord(event.status),
    changes,
    stdout: textOf(content.stdout) ?? "",
    stderr: textOf(content.stderr) ?? "",
  });
}

function showMcpCall(
  context: MappingContext,
  { id, phase, content, event }: ItemState,
): void {
  const call = {
    callId: id,
    title: qualifiedTitle(content.server_name, content.tool_name),
    arguments: toolArguments(
      content.arguments,
      context.textsOf("content", "arguments"),
    ),
  };
  if (phase === "started") startTool(context, call);
  if (phase !== "completed") return;
  const result = mcpResult(content.result, content.error);
  finishTool(context, {
    ...call,
    ...result,
    isFailed: result.isFailed || isFailedWord(event.status) ||
      isFailedWord(content.status),
  });
}

function showWebSearch(
  context: MappingContext,
  { id, phase, content, event }: ItemState,
): void {
  const call = webSearch(id, content);
  if (phase === "started") startTool(context, call);
  if (phase === "completed") {
    finishTool(context, { ...call, isFailed: isFailedWord(event.status) });
  }
}

function showCollabCall(
  context: MappingContext,
  { id, phase, content, event }: ItemState,
): void {
  // The normalizer leaves the fields of an item it does not know in the event.
  const fields = isFields(event.content) ? content : event;
  const call = collabCall(id, fields.tool, fields);
  if (phase === "started") startTool(context, call);
  if (phase !== "completed") return;
  finishTool(context, {
    ...call,
    isFailed: isFailedWord(event.status),
    preview: statesPreview(fields.agents_states),
  });
}

function showTodoList(
  context: MappingContext,
  { id, content }: ItemState,
): void {
  showLinked(
    context,
    { kind: "plan", thing: id },
    planRecord(content.name, content.items),
  );
}

/** What a notice says: in its content, or, up to 0.43, in the event. */
function noticeOf({ content, event }: ItemState): Fields {
  return isFields(event.content) ? content : event;
}

/** Gives the payload of an item event. */
export function itemContent(event: Fields): Fields {
  return fieldsOf(event.content ?? event.delta);
}

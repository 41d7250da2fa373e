/**
 * What the items of a thread become: records, or changes of them (C.1 to C.3).
 *
 * @module
 */

import { ARGUMENTS_TEXT } from "../../events/session_items.ts";
import {
  msOf,
  shortDuration,
  timestampOf,
  timestampOfMs,
} from "../../events/times.ts";
import {
  booleanOf,
  type Fields,
  fieldsOf,
  idOf,
  isFailedWord,
  isObject,
  jsonTextOf,
  listOf,
  textOf,
  textsOf,
  wholeOf,
} from "../../json/fields.ts";
import { keptText } from "../../json/utf8.ts";
import type {
  NewRecord,
  PlanStep,
  StepStatus,
  ToolArgument,
  ToolResultPreview,
} from "../records.ts";
import {
  appendOutput,
  CANCELLED,
  type CommandOutput,
  type CommandStart,
  continuesOutput,
  failCommand,
  finishCommand,
  isRunningCommand,
  readParsedCommands,
  replaceOutput,
  shellWords,
  showWait,
  startCommand,
} from "./commands.ts";
import {
  finishPatch,
  isOpenPatch,
  readItemChanges,
  showPatch,
} from "./file_changes.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import {
  appendToStream,
  attachedImage,
  dropStream,
  pathOf,
  replaceStream,
  showAnswer,
  showMadeImage,
  showRemark,
  showUserMessage,
  showViewedImage,
} from "./messages.ts";
import { appendToThought, showThought } from "./reasoning.ts";
import {
  messageOf,
  showBackground,
  showCompaction,
  showReviewEnd,
  showReviewStart,
  showSubAgent,
  showTurnDiff,
} from "./remarks.ts";
import {
  agentRecord,
  backgroundRecord,
  errorRecord,
  noticeRecord,
  spokenRecord,
  warningRecord,
} from "./text_lines.ts";
import {
  errorText,
  finishAs,
  finishTool,
  isRunningTool,
  mcpResult,
  qualifiedTitle,
  resultPreview,
  startTool,
  toolArguments,
  toolArgumentsOfText,
  type ToolEnd,
  type ToolStart,
  webSearchArguments,
} from "./tools.ts";
import { showTokenCount } from "./usage.ts";

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
interface ItemState extends CallIds {
  /** What is said now. */
  readonly phase: ItemPhase;
  /** The content or the delta; of an item that has none, the event. */
  readonly content: Fields;
  /** The event around it. */
  readonly event: Fields;
}

type ShowItem = (context: FoldContext, item: ItemState) => void;

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
  ["dynamic_tool_call", call(showDynamicCall)],
  ["tool_call", call(showToolCall)],
  ["image_view", complete(showViewedImage)],
  ["image_generation", complete(showMadeImage)],
  ["todo_list", showTodoList],
  ["plan", showPlanInWords],
  ["error", completed(showErrorItem)],
  ["user_message", completed(showPrompt)],
  ["inter_agent_message", completed(showAgentLetter)],
  ["speech", completed(showSpeech)],
  ["sub_agent_activity", completed(showSubAgent)],
  ["entered_review_mode", completed(showReviewStart)],
  ["exited_review_mode", completed(showReviewEnd)],
  ["context_compaction", completed(showCompaction)],
  ["thread_rolled_back", completed(rollBack)],
  ["turn_diff", completed(showTurnDiff)],
  ["token_count", completed(showTokenCount)],
  ["background_event", completed(showBackground)],
  [
    "undo_completed",
    completed((context, content) =>
      context.push(backgroundRecord("Undo", messageOf(content)))
    ),
  ],
  ["deprecation_notice", completed(showDeprecation)],
]);

/** How the ids begin that items are given which have none. */
const MADE_UP = "synthetic-item-";

/** Tells whether an item has an id that was made up for it. */
export function isMadeUp({ item_id }: Fields): boolean {
  return typeof item_id === "string" && item_id.startsWith(MADE_UP);
}

/** Shows an item; of an unknown type, nothing. */
export function showItem(
  context: FoldContext,
  type: unknown,
  item: ItemState,
): void {
  if (typeof type === "string") ITEMS.get(type)?.(context, item);
}

/** Gives what an item holds; what was not put together stands in its event. */
export function itemContent(event: Fields): Fields {
  const content = event.content ?? event.delta;
  return isObject(content) ? content : event;
}

/** Shows that an item came to nothing: in its record, else as an error. */
export function failItem(
  context: FoldContext,
  call: CallIds,
  message: string,
): void {
  if (failCommand(context, call, message)) return;
  const record = context.recordOf(call);
  const end = { isFailed: true, errorMessage: message };
  switch (record?.type) {
    case "running_tool":
    case "tool_call":
      finishTool(context, call, end);
      break;
    case "plan_update":
      finishTool(context, call, { ...end, title: "update_plan" });
      break;
    case "image":
      finishTool(context, call, {
        ...end,
        title: "view_image",
        arguments: toolArguments({ path: record.payload.path }),
      });
      break;
    default:
      showRemark(context, message);
  }
}

/** Makes something that only the end of an item does. */
function completed(
  show: (context: FoldContext, content: Fields, id: string) => void,
): ShowItem {
  return (context, { phase, content, id }) => {
    if (phase === "completed") show(context, content, id);
  };
}

/** Makes something of all that is known of a call. */
function complete(
  show: (context: FoldContext, call: CallIds, content: Fields) => void,
): ShowItem {
  return (context, item) => show(context, item, item.content);
}

/** Makes something a call, which may be another one of a known id. */
function call(show: ShowItem): ShowItem {
  return (context, item) => {
    if (item.phase !== "started") {
      show(context, item);
      return;
    }
    const { links, exploring, isSession } = context.memory;
    // The ids of a session file tell the calls apart.
    const isKnown = !isSession && links.get("call", item.id)?.hasBegun === true;
    if (isKnown && !isUnderWay(context, item)) {
      links.drop("call", item.id);
      exploring.delete(item.id);
    }
    show(context, item);
    const link = links.get("call", item.id);
    if (link !== undefined) link.hasBegun = true;
  };
}

function isUnderWay(context: FoldContext, item: ItemState): boolean {
  return isRunningCommand(context, item) || isRunningTool(context, item) ||
    isOpenPatch(context.recordOf(item));
}

// Messages.

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

function showAgentMessage(context: FoldContext, item: ItemState): void {
  const { id, phase, event } = item;
  const text = itemText(item);
  const known = context.memory.streams.get(id);
  if (phase === "completed") {
    // The answer before it is the one that the turn has.
    if (`${known ?? ""}${text}`.trim() === "") return dropStream(context, id);
    const isNameless = known === undefined && isMadeUp(event);
    showAnswer(context, isNameless ? null : id, text);
    context.memory.turns.messageItem = id;
  } else if (isPiece(phase, text, known)) appendToStream(context, id, text);
  else replaceStream(context, id, text);
}

/** A part that goes on from what is before it is a section of the record before it. */
function showReasoning(joinsAlways: boolean): ShowItem {
  return (context, item) => {
    const { id: key, phase, content } = item;
    const joins = joinsAlways || content.continues === true;
    const text = itemText(item);
    const known = context.memory.thoughts.get(key);
    if (isPiece(phase, text, known)) {
      appendToThought(context, { key, delta: text, joins });
    } else {
      showThought(context, { key, text, isOpen: phase !== "completed", joins });
    }
  };
}

function showPrompt(context: FoldContext, content: Fields, id: string): void {
  showUserMessage(context, {
    text: textOf(content.text) ?? "",
    images: listOf(content.images).map(attachedImage),
  }, id);
}

function showAgentLetter(context: FoldContext, content: Fields): void {
  const text = textOf(content.text) ?? "";
  if (text.trim() === "") return;
  const { author, recipient } = content;
  context.push(
    agentRecord(text, textOf(author) ?? "", textOf(recipient) ?? null),
  );
}

function showSpeech(context: FoldContext, content: Fields, id: string): void {
  const text = textOf(content.text) ?? "";
  if (text.trim() === "") return;
  const isUser = content.role === "user";
  context.showItem("speech", id, spokenRecord(text, isUser));
}

function showErrorItem(context: FoldContext, content: Fields): void {
  const message = textOf(content.message) ?? "";
  switch (content.severity) {
    case "warning":
      context.push(warningRecord(message));
      break;
    case "notice":
      context.push(backgroundRecord("", message));
      break;
    default:
      showRemark(context, message);
  }
}

function showDeprecation(context: FoldContext, content: Fields): void {
  const { summary, details } = content;
  context.push(noticeRecord(textOf(summary) ?? null, textOf(details) ?? ""));
}

function showPlanInWords(context: FoldContext, item: ItemState): void {
  const { id, phase } = item;
  const { plans } = context.memory;
  const before = phase === "delta" || phase === "piece"
    ? plans.get(id) ?? ""
    : "";
  const text = before + itemText(item);
  if (phase === "completed") plans.delete(id);
  else plans.set(id, text);
  context.showItem("plan", id, noticeRecord("Plan", text));
}

function rollBack(context: FoldContext, content: Fields): void {
  const count = wholeOf(content.num_turns) ?? 0;
  const length = context.memory.turns.rollBack(count);
  if (length !== undefined) context.truncate(length);
}

// Commands and changes of files.

function showCommand(context: FoldContext, item: ItemState): void {
  const { phase, content, event } = item;
  const known = context.recordOf(item);
  // Releases around 0.20 print what a patch says as if it were a command; its end has it too.
  if (isOpenPatch(known)) return;
  if (isObject(content.wait)) {
    const { active, duration_ms, text } = content.wait;
    showWait(context, item, {
      isActive: active === true,
      durationMs: wholeOf(duration_ms),
      text: textOf(text) ?? "",
    });
    return;
  }
  // Output may be known before anything has said what printed it.
  const isNamed = known?.type === "exec" && known.payload.command.length > 0;
  const isKnown = known?.type === "exec" || known?.type === "explore";
  const isNamedNow = !isNamed && idOf(content.command) !== undefined;
  if (isNamedNow || content.argv !== undefined || !isKnown) {
    startCommand(context, item, commandStart(context, item), known);
  }
  const output: CommandOutput = {
    stdout: textOf(content.stdout),
    stderr: textOf(content.stderr),
  };
  const id = context.linkOf(item)?.id;
  // A piece of output does not say again which command it is of.
  const isOutputPiece = phase === "piece" || (phase === "delta" &&
    (content.command === undefined || !continuesOutput(context, id, output)));
  if (isOutputPiece) appendOutput(context, id, output);
  else if (phase !== "completed") replaceOutput(context, id, output);
  else {
    finishCommand(context, item, {
      ...output,
      exitCode: wholeOf(content.exit_code) ?? null,
      status: event.status,
      completedAt: context.now,
      parsed: readParsedCommands(content.parsed_cmd),
    });
  }
}

function commandStart(
  context: FoldContext,
  { phase, content, event }: ItemState,
): CommandStart {
  const cwd = textOf(content.cwd);
  const command = Array.isArray(content.argv)
    ? textsOf(content.argv)
    : shellWords(textOf(content.command) ?? "");
  const started = timestampOf(event.started_at);
  const durationMs = phase === "completed" ? wholeOf(content.duration_ms) : 0;
  return {
    command: command.map(keptText),
    parsed: readParsedCommands(content.parsed_cmd),
    cwd: cwd === undefined ? null : pathOf(cwd),
    startedAt: started ??
      (durationMs
        ? timestampOfMs(msOf(context.now) - durationMs) ?? context.now
        : context.now),
    isTimed: started !== undefined,
  };
}

function showFileChange(context: FoldContext, item: ItemState): void {
  const { phase, content, event } = item;
  const changes = readItemChanges(content);
  const autoApproved = booleanOf(content.auto_approved);
  if (phase !== "completed") {
    const begin = event.status === "proposed" ? "proposed" : "apply_begin";
    showPatch(context, item, { event: begin, changes, autoApproved });
    return;
  }
  const exitCode = wholeOf(content.exit_code) ?? 0;
  finishPatch(context, item, {
    isSuccess: exitCode === 0 && !isFailedWord(event.status),
    changes,
    autoApproved,
    stdout: textOf(content.stdout) ?? "",
    stderr: textOf(content.stderr) ?? "",
  });
}

// Tools.

/** Shows the beginning of a tool, or its end. */
function showTool(
  context: FoldContext,
  item: ItemState,
  start: ToolStart,
  end: () => ToolEnd,
): void {
  if (item.phase === "started") startTool(context, item, start);
  if (item.phase === "completed") {
    finishTool(context, item, { ...start, ...end() });
  }
}

function argumentsOf(
  context: FoldContext,
  { content }: ItemState,
): ToolArgument[] {
  const text: unknown = Reflect.get(content, ARGUMENTS_TEXT);
  return typeof text === "string"
    ? toolArgumentsOfText(content.arguments, text)
    : toolArguments(
      content.arguments,
      context.textsOf("content", "arguments"),
    );
}

function showMcpCall(context: FoldContext, item: ItemState): void {
  const { content, event } = item;
  showTool(context, item, {
    title: qualifiedTitle(content.server_name, content.tool_name),
    arguments: argumentsOf(context, item),
  }, () => {
    const result = mcpResult(content.result, content.error);
    return {
      ...result,
      isFailed: result.isFailed || isFailedWord(event.status) ||
        isFailedWord(content.status),
      durationMs: wholeOf(content.duration_ms),
    };
  });
}

function showWebSearch(context: FoldContext, item: ItemState): void {
  const { content, event } = item;
  const { query, action } = content;
  // Session files say nothing that the action does not say.
  const isTold = context.memory.isSession && query === pageOf(fieldsOf(action));
  showTool(context, item, {
    title: "web_search",
    arguments: webSearchArguments(isTold ? undefined : query, action),
  }, () => ({ isFailed: isFailedWord(event.status) }));
}

/** What the program calls a query where a page was looked at. */
function pageOf({ url, pattern }: Fields): string {
  const page = textOf(url) ?? "";
  return typeof pattern === "string" ? `'${pattern}' in ${page}` : page;
}

function showCollabCall(context: FoldContext, item: ItemState): void {
  const { content, event } = item;
  const { tool, prompt, receiver_thread_ids, agents_states, output } = content;
  showTool(context, item, {
    title: qualifiedTitle("collab", tool),
    arguments: toolArguments({
      ...(prompt === undefined || prompt === null ? {} : { prompt }),
      ...(Array.isArray(receiver_thread_ids) ? { receiver_thread_ids } : {}),
    }),
  }, () => ({
    isFailed: isFailedWord(event.status),
    preview: statesPreview(agents_states) ?? resultPreview(listOf(output)),
    errorMessage: errorText(content.error),
  }));
}

function statesPreview(states: unknown): ToolResultPreview | null {
  const isEmpty = !isObject(states) || Object.keys(states).length === 0;
  return isEmpty ? null : resultPreview([jsonTextOf(states)]);
}

function showDynamicCall(context: FoldContext, item: ItemState): void {
  const { content, event } = item;
  showTool(context, item, {
    title: qualifiedTitle(content.namespace, content.tool),
    arguments: argumentsOf(context, item),
  }, () => {
    const error = errorText(content.error);
    return {
      isFailed: error !== null || content.success === false ||
        isFailedWord(event.status),
      durationMs: wholeOf(content.duration_ms),
      preview: resultPreview(listOf(content.content_items)),
      errorMessage: error,
    };
  });
}

function showToolCall(context: FoldContext, item: ItemState): void {
  const { content, event, phase } = item;
  const wait = waitOf(content);
  if (wait !== undefined && phase === "completed" && endWait(context, item)) {
    return;
  }
  const error = errorText(content.error);
  showTool(context, item, {
    title: qualifiedTitle(content.namespace, content.name),
    arguments: argumentsOf(context, item),
    ...wait === undefined ? {} : {
      wait: {
        capMs: wholeOf(wait.timeout_ms) ?? null,
        hasTarget: idOf(wait.for) !== undefined,
        hasCallId: idOf(wait.call_id) !== undefined,
      },
    },
  }, () => ({
    isFailed: error !== null || isFailedWord(event.status),
    durationMs: wholeOf(content.duration_ms),
    preview: resultPreview(listOf(content.output)),
    errorMessage: error,
  }));
}

/** What a tool is told that waits for a command or a while. */
const WAIT_ARGUMENTS: ReadonlySet<string> = new Set([
  "call_id",
  "for",
  "timeout_ms",
]);

/** Gives the arguments of such a tool; other tools called `wait` have others. */
function waitOf(content: Fields): Fields | undefined {
  const { name, namespace } = content;
  if (name !== "wait" || idOf(namespace) !== undefined) return undefined;
  const args = fieldsOf(content.arguments);
  return Object.keys(args).every((key) => WAIT_ARGUMENTS.has(key))
    ? args
    : undefined;
}

/** Shows that a wait came to its end, or was cancelled. */
function endWait(context: FoldContext, item: ItemState): boolean {
  const { content, event } = item;
  const error = errorText(content.error);
  if (error !== null || isFailedWord(event.status)) {
    const isCancelled = (error ?? "").includes(CANCELLED);
    if (isCancelled) finishAs(context, item, errorRecord("Wait cancelled"));
    return isCancelled;
  }
  const durationMs = wholeOf(content.duration_ms);
  const target = textOf(fieldsOf(content.arguments).for);
  finishAs(context, item, {
    type: "wait_status",
    payload: {
      header: {
        title: "Waited",
        title_tone: "success",
        summary: durationMs === undefined ? null : shortDuration(durationMs),
        summary_tone: "dim",
      },
      details: target === undefined
        ? []
        : [{ label: "for", value: target, tone: "dim" }],
    },
  });
  return true;
}

// Plans: their steps, and the icon that says how far they are (B.10).

const STATUSES: ReadonlyMap<unknown, StepStatus> = new Map([
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["complete", "complete"],
  ["completed", "complete"],
  ["skipped", "skipped"],
]);

/**
 * Makes a record of a plan.
 *
 * @param name The name; a blank one becomes `Plan`.
 * @param items The steps, in any spelling: `step`, `title` or `text`, and a status or
 * `completed`.
 */
function planRecord(
  name: unknown,
  items: unknown,
): Extract<NewRecord, { readonly type: "plan_update" }> {
  const steps = listOf(items).map(stepOf);
  const completed = steps.filter(({ status }) => status === "complete").length;
  const total = steps.length;
  return {
    type: "plan_update",
    payload: {
      name: textOf(name)?.trim() || "Plan",
      icon: { custom: iconOf(completed, total) },
      progress: { completed, total },
      steps,
    },
  };
}

/** What a plan takes the place of. */
const PLAN_TYPES: ReadonlySet<string> = new Set(["plan_update"]);

/** Shows a plan, in its place; an end that says nothing else changes nothing. */
function showTodoList(context: FoldContext, item: ItemState): void {
  const record = planRecord(item.content.name, item.content.items);
  const known = context.recordOf(item);
  const isTold = item.phase === "completed" && known?.type === "plan_update" &&
    jsonTextOf(known.payload.steps) === jsonTextOf(record.payload.steps);
  if (!isTold) context.showCall(item, record, PLAN_TYPES);
}

function stepOf(item: unknown): PlanStep {
  const { step, title, text, status, completed } = fieldsOf(item);
  const description = [step, title, text].find((each) =>
    typeof each === "string"
  );
  return {
    description: textOf(description) ?? "",
    status: completed === true ? "complete" : STATUSES.get(status) ?? "pending",
  };
}

function iconOf(done: number, total: number): string {
  if (done === 0) return "progress-empty";
  if (done >= total) return "progress-complete";
  if (3 * done <= total) return "progress-start";
  return 3 * done < 2 * total ? "progress-mid" : "progress-late";
}

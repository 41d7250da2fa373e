/** Maps the items of a thread to records (C.1 to C.3). */

import { messageOf } from "../../events/contents.ts";
import {
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  textOf,
  wholeOf,
} from "../../json/fields.ts";
import { isMadeUp, type RecordedType } from "../item_types.ts";
import { sameJson } from "../plain_json.ts";
import type { PlanStep, StepStatus } from "../records.ts";
import { failCommand, isRunningCommand, showCommand } from "./commands.ts";
import { isOpenPatch, showFileChange } from "./file_changes.ts";
import type {
  CallIds,
  FoldContext,
  ItemPhase,
  ItemState,
} from "./fold_context.ts";
import {
  dropStream,
  pushError,
  showAnswer,
  showMadeImage,
  showStream,
  showUserMessage,
  showViewedImage,
} from "./messages.ts";
import { openThought, showThought } from "./reasoning.ts";
import { ReasoningText } from "./reasoning_text.ts";
import {
  showBackground,
  showCompaction,
  showReviewEnd,
  showReviewStart,
  showSubAgent,
  showTurnDiff,
} from "./remarks.ts";
import {
  backgroundRecord,
  messageRecord,
  noticeRecord,
  spokenRecord,
  TextLines,
  warningRecord,
} from "./text_lines.ts";
import {
  finishTool,
  showCollabCall,
  showDynamicCall,
  showMcpCall,
  showToolCall,
  showWebSearch,
  toolArguments,
} from "./tools.ts";
import { showTokenCount } from "./usage.ts";

type ShowItem = (context: FoldContext, item: ItemState) => void;

/** The rule for each type of item. */
const ITEMS: ReadonlyMap<string, ShowItem> = new Map(
  Object.entries<ShowItem>(
    {
      agent_message: showAgentMessage,
      reasoning: showReasoning(false),
      agent_reasoning_raw_content: showReasoning(true),
      agent_reasoning_section_break: breakThought,
      command_execution: call(showCommand),
      file_change: call(showFileChange),
      mcp_tool_call: call(showMcpCall),
      web_search: call(showWebSearch),
      collab_tool_call: call(showCollabCall),
      dynamic_tool_call: call(showDynamicCall),
      tool_call: call(showToolCall),
      image_view: showViewedImage,
      image_generation: showMadeImage,
      todo_list: showTodoList,
      plan: showPlanText,
      error: completed(showErrorItem),
      user_message: completed(showUserMessage),
      inter_agent_message: completed(showAgentToAgent),
      speech: completed(showSpeech),
      sub_agent_activity: completed(showSubAgent),
      entered_review_mode: completed(showReviewStart),
      exited_review_mode: completed(showReviewEnd),
      context_compaction: completed(showCompaction),
      thread_rolled_back: completed(rollBack),
      turn_diff: completed(showTurnDiff),
      token_count: completed(showTokenCount),
      background_event: completed(showBackground),
      undo_completed: completed((context, content) =>
        context.push(backgroundRecord("Undo", messageOf(content)))
      ),
      deprecation_notice: completed((context, { summary, details }) =>
        context.push(
          noticeRecord(textOf(summary) ?? null, textOf(details) ?? ""),
        )
      ),
    } satisfies Record<RecordedType, ShowItem>,
  ),
);

/** Shows an item; one of an unknown type changes nothing. */
export function showItem(
  context: FoldContext,
  type: unknown,
  item: ItemState,
): void {
  if (typeof type === "string") ITEMS.get(type)?.(context, item);
}

/** Returns the content of an item, which some items have in the event itself. */
export function itemContent(event: Fields): Fields {
  const content = event.content ?? event.delta;
  return isObject(content) ? content : event;
}

/** Shows the failure of an item: in the record of its call, else as an error record. */
export function failItem(
  context: FoldContext,
  call: CallIds,
  message: string,
): void {
  if (failCommand(context, call, message)) return;
  const record = context.recordOf(call);
  const end = { status: "failed", error_message: message } as const;
  switch (record?.type) {
    case "running_tool":
    case "tool_call":
      return finishTool(context, call, end);
    case "plan_update": {
      const args = toolArguments({
        plan: record.payload.steps.map(argumentOf),
      });
      const title = "update_plan";
      return finishTool(context, call, { ...end, title, arguments: args });
    }
    case "image": {
      const args = toolArguments({ path: record.payload.path });
      const title = "view_image";
      return finishTool(context, call, { ...end, title, arguments: args });
    }
    default:
      pushError(context, message);
  }
}

function completed(
  show: (context: FoldContext, content: Fields, id: string) => void,
): ShowItem {
  return (context, { phase, content, id }) => {
    if (phase === "completed") show(context, content, id);
  };
}

/** Makes a rule for calls: a start with the id of an ended call begins a new call. */
function call(show: ShowItem): ShowItem {
  return (context, item) => {
    const { links, isSession } = context.memory;
    // In session files, ids are unique.
    const isNew = item.phase === "started" && !isSession &&
      !isUnderWay(context, item);
    if (isNew) links.drop("call", item.id);
    show(context, item);
  };
}

function isUnderWay(context: FoldContext, item: ItemState): boolean {
  const record = context.recordOf(item);
  return record?.type === "running_tool" || isOpenPatch(record) ||
    isRunningCommand(context, item);
}

function itemText({ content }: ItemState): string {
  return textOf(content.text) ?? textOf(content.text_delta) ?? "";
}

/**
 * Whether a text is a piece of an item, and not the whole item. The normalizer marks deltas that it
 * recognizes as whole. It takes the `item.updated` of some producers for deltas, so an unmarked
 * text that starts with the known text and is longer counts as whole, too.
 */
function isPiece(phase: ItemPhase, text: string, known = ""): boolean {
  if (phase !== "delta") return phase === "piece";
  const isLonger = known !== "" && text.length > known.length;
  return !isLonger || !text.startsWith(known);
}

function showAgentMessage(context: FoldContext, item: ItemState): void {
  const { id, phase, event } = item;
  const text = itemText(item);
  const known = context.streamText(id);
  if (phase !== "completed") {
    const update = { text, isPiece: isPiece(phase, text, known) };
    return showStream(context, id, update);
  }
  // A blank message is dropped: the message before it stays the last one of the turn.
  if (`${known ?? ""}${text}`.trim() === "") return dropStream(context, id);
  const isNameless = known === undefined && isMadeUp(event);
  showAnswer(context, isNameless ? null : id, text);
  context.memory.turns.messageItem = id;
}

/** Makes a rule for reasoning. A part that continues the one before it joins that part's record. */
function showReasoning(joinsAlways: boolean): ShowItem {
  return (context, item) => {
    const { id: key, phase, content } = item;
    const joins = joinsAlways || content.continues === true;
    const added = itemText(item);
    let text = openThought(context, key);
    const isMore = isPiece(phase, added, text?.text);
    // A late piece of a complete text adds nothing, and must not replace it.
    const isLate = text === undefined &&
      context.memory.links.get("reasoning", key) !== undefined;
    if (isMore && isLate) return;
    if (text !== undefined && isMore) text.add(added);
    else text = new ReasoningText(added);
    showThought(context, { key, text, isOpen: phase !== "completed", joins });
  };
}

/** The next part of an open reasoning begins on a line of its own, as in the complete text. */
function breakThought(context: FoldContext, { callId }: ItemState): void {
  const key = context.memory.scopedId(callId ?? "");
  const text = openThought(context, key);
  if (text !== undefined && text.text !== "") text.add("\n");
}

function showAgentToAgent(context: FoldContext, content: Fields): void {
  const text = textOf(content.text) ?? "";
  if (text.trim() === "") return;
  const { author, recipient } = content;
  const label = textOf(author) ?? "";
  const badge = textOf(recipient) ?? null;
  context.push(messageRecord("assistant", text, { label, badge }));
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
      pushError(context, message);
  }
}

function showPlanText(context: FoldContext, item: ItemState): void {
  const { id, phase } = item;
  const { plans } = context.memory;
  const isMore = phase === "delta" || phase === "piece";
  const plan = (isMore ? plans.get(id) : undefined) ?? new TextLines("");
  plan.add(itemText(item));
  if (phase === "completed") plans.delete(id);
  else plans.set(id, plan);
  // App-servers begin a plan without any text.
  if (plan.text.trim() === "") return;
  context.showItem("plan", id, noticeRecord("Plan", plan));
}

function rollBack(context: FoldContext, content: Fields): void {
  const count = wholeOf(content.num_turns) ?? 0;
  const first = context.memory.turns.rollBack(count);
  if (first !== undefined) context.truncate(first);
}

const STATUSES: ReadonlyMap<unknown, StepStatus> = new Map([
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["complete", "complete"],
  ["completed", "complete"],
  ["skipped", "skipped"],
]);

/**
 * Shows a plan, with an icon of its progress (B.10). An end with the known steps changes nothing.
 */
function showTodoList(context: FoldContext, item: ItemState): void {
  const { name, items } = item.content;
  const steps = listOf(items).map(stepOf);
  const known = context.recordOf(item);
  const isRepeated = item.phase === "completed" &&
    known?.type === "plan_update" && sameJson(known.payload.steps, steps);
  if (isRepeated) return;
  const completed = steps.filter(({ status }) => status === "complete").length;
  const total = steps.length;
  const payload = {
    name: textOf(name)?.trim() || "Plan",
    icon: { custom: iconOf(completed, total) },
    progress: { completed, total },
    steps,
  };
  context.showCall(item, { type: "plan_update", payload });
}

function stepOf(item: unknown): PlanStep {
  const { title, text, status, completed } = fieldsOf(item);
  return {
    description: textOf(title) ?? textOf(text) ?? "",
    status: completed === true ? "complete" : STATUSES.get(status) ?? "pending",
  };
}

/** Returns a step as the model passes it to `update_plan`. */
function argumentOf({ description, status }: PlanStep): Fields {
  return {
    step: description,
    status: status === "complete" ? "completed" : status,
  };
}

function iconOf(done: number, total: number): string {
  if (done === 0) return "progress-empty";
  if (done >= total) return "progress-complete";
  if (3 * done <= total) return "progress-start";
  return 3 * done < 2 * total ? "progress-mid" : "progress-late";
}

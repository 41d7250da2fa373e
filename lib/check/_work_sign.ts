/**
 * What an event says of whether work goes on, is done, or went wrong.
 */

import {
  type Fields,
  fieldsOf,
  listOf,
  textOf,
} from "../history/mapping/json_fields.ts";
import { eventOf } from "../history/mapping/line_events.ts";

/**
 * What an event says of the work.
 *
 * - `error`: something went wrong.
 * - `answer`: the model says something; a session file may say what.
 * - `reviewed`: a review is over; what it found is told, but not as the message of the turn.
 * - `unreviewed`: a review is over and found nothing out, because it failed or was interrupted.
 * - `compacted`: the context was compacted, which ends with what the model said for that.
 * - `work`: something else begins or happens.
 * - `settled`: what had begun is over.
 * - `begin`: a turn begins or ends; what went wrong before it is no matter.
 * - `run`: a run begins.
 */
export type WorkSign =
  | { readonly type: "error" | "compacted"; readonly message: string }
  | { readonly type: "answer"; readonly text?: string }
  | { readonly type: "work" | "settled" | "begin" | "run" }
  | { readonly type: "reviewed" | "unreviewed" };

const ANSWER: WorkSign = { type: "answer" };
const WORK: WorkSign = { type: "work" };
const SETTLED: WorkSign = { type: "settled" };
const REVIEWED: WorkSign = { type: "reviewed" };
const UNREVIEWED: WorkSign = { type: "unreviewed" };
const BEGIN: WorkSign = { type: "begin" };
const RUN: WorkSign = { type: "run" };

/**
 * Items that say nothing of it: notices, answers to what a client asks besides, and lists of
 * tasks, which are closed when the turn ends.
 */
const IDLE_ITEMS: ReadonlySet<unknown> = new Set([
  "background_event",
  "conversation_history",
  "conversation_path",
  "error",
  "get_history_entry_response",
  "list_custom_prompts_response",
  "mcp_list_tools_response",
  "shutdown_complete",
  "todo_list",
  "token_count",
  "turn_diff",
]);
/** Items that begin with an event of their own; their end may come when all else is done. */
const SPANS: ReadonlySet<unknown> = new Set([
  "collab_tool_call",
  "command_execution",
  "mcp_tool_call",
]);

/** What releases around 0.36 say after a compaction; there is no item of it. */
const COMPACTED = "Compact task completed";

/**
 * The events of session files that say something of it. What the model says is none of them: it
 * counts when its item is there, which is written when the response is complete.
 */
const MESSAGES: ReadonlyMap<unknown, WorkSign> = new Map([
  ["agent_reasoning", WORK],
  ["exec_command_begin", WORK],
  ["exec_command_end", SETTLED],
  ["mcp_tool_call_begin", WORK],
  ["mcp_tool_call_end", SETTLED],
  ["patch_apply_begin", WORK],
  ["patch_apply_end", SETTLED],
  ["task_complete", BEGIN],
  ["task_started", BEGIN],
  ["turn_aborted", BEGIN],
  ["turn_complete", BEGIN],
  ["turn_started", BEGIN],
  ["user_message", WORK],
]);

/**
 * Reads what an event says of the work.
 *
 * @param event A normalized exec event or rollout line.
 * @returns What it says; `undefined` if that is nothing.
 */
export function readWorkSign(event: Fields): WorkSign | undefined {
  const { type, payload, item_type } = event;
  switch (type) {
    case "error":
      return { type, message: textOf(event.message) ?? "" };
    case "thread.started":
      return RUN;
    case "turn.started":
    case "turn.completed":
    case "turn.failed":
      return BEGIN;
    case "item.started":
    case "item.delta":
      return IDLE_ITEMS.has(item_type) ? undefined : WORK;
    case "item.completed":
    case "item.failed":
      if (IDLE_ITEMS.has(item_type)) return undefined;
      if (SPANS.has(item_type)) return SETTLED;
      return item_type === "agent_message" ? ANSWER : WORK;
    case "response_item":
      return readResponseItem(fieldsOf(payload));
    case "compacted":
      return { type, message: textOf(fieldsOf(payload).message) ?? "" };
    default:
      return readMessage(eventOf(event) ?? {});
  }
}

/** Reads an event of a session file. */
function readMessage(message: Fields): WorkSign | undefined {
  if (message.type === "error") {
    return { type: "error", message: textOf(message.message) ?? "" };
  }
  if (message.message === COMPACTED) return ANSWER;
  if (message.type === "exited_review_mode") {
    return message.review_output === null ? UNREVIEWED : REVIEWED;
  }
  return fieldsOf(message.item).type === "ExitedReviewMode"
    ? REVIEWED
    : MESSAGES.get(message.type);
}

function readResponseItem(item: Fields): WorkSign {
  if (item.type !== "message") return WORK;
  if (item.role !== "assistant" && item.role !== "system") return WORK;
  const text = listOf(item.content).map((part) =>
    textOf(fieldsOf(part).text) ?? ""
  ).join("\n");
  if (item.role === "assistant") return { type: "answer", text };
  // The first CLI says what went wrong as a message of the system.
  return { type: "error", message: text };
}

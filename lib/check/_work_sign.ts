/**
 * What an event says of whether work goes on, is done, or went wrong.
 */

import { type Fields, fieldsOf, idOf, textOf } from "../json/fields.ts";

/**
 * What an event says of the work.
 *
 * - `error`: something went wrong.
 * - `answer`: the model says something.
 * - `reviewed`: a review is over; what it found is told, but not as the message of the turn.
 * - `unreviewed`: a review is over and found nothing out, because it failed or was interrupted.
 * - `compacted`: the context was compacted; that may be all that an answer was.
 * - `work`: something else begins or happens.
 * - `settled`: what had begun is over.
 * - `begin`: a turn begins or ends; what went wrong before it is no matter.
 * - `run`: a run begins.
 */
export type WorkSign =
  | { readonly type: "error"; readonly message: string }
  | {
    readonly type: "answer";
    /** The item. */
    readonly item: string | undefined;
    /** Whether nothing more is to come of it, in session files, for it to be complete. */
    readonly isAlone: boolean;
  }
  | {
    readonly type: "compacted";
    /** The item: that of the answer which is all that it is. */
    readonly item: string | undefined;
  }
  | { readonly type: "work" | "settled" | "begin" | "run" }
  | { readonly type: "reviewed" | "unreviewed" };

const WORK: WorkSign = { type: "work" };
const SETTLED: WorkSign = { type: "settled" };
const REVIEWED: WorkSign = { type: "reviewed" };
const UNREVIEWED: WorkSign = { type: "unreviewed" };
const BEGIN: WorkSign = { type: "begin" };
const RUN: WorkSign = { type: "run" };

/**
 * Items that say nothing of it: notices, what was counted and decided, answers to what a client
 * asks besides, and lists of tasks, which exec streams close when the turn ends.
 */
const IDLE_ITEMS: ReadonlySet<unknown> = new Set([
  "background_event",
  "conversation_history",
  "conversation_path",
  "deprecation_notice",
  "error",
  "get_history_entry_response",
  "list_custom_prompts_response",
  "mcp_list_tools_response",
  "shutdown_complete",
  "thread_goal_updated",
  "thread_name_updated",
  "thread_rolled_back",
  "thread_settings_applied",
  "todo_list",
  "token_count",
  "token_usage_record",
  "turn_context",
  "turn_diff",
]);
/** Items that begin with an event of their own; their end may come when all else is done. */
const SPANS: ReadonlySet<unknown> = new Set([
  "collab_tool_call",
  "command_execution",
  "mcp_tool_call",
]);

/** What releases around 0.36 say after a compaction; the response does not have it. */
const COMPACTED = "Compact task completed";

/**
 * Reads what an event says of the work.
 *
 * @param event The event.
 * @param isSession Whether it is of a session file.
 * @returns What it says; `undefined` if that is nothing.
 */
export function readWorkSign(
  event: Fields,
  isSession: boolean,
): WorkSign | undefined {
  const { type, item_type } = event;
  switch (type) {
    case "error":
      return { type, message: textOf(event.message) ?? "" };
    case "thread.started":
      return RUN;
    case "turn.started":
      // What the prompt has begun goes on.
      return event.implied === true ? undefined : BEGIN;
    case "turn.completed":
    case "turn.failed":
      return BEGIN;
    case "item.started":
    case "item.delta":
      return IDLE_ITEMS.has(item_type) ? undefined : WORK;
    case "item.failed":
      return endSign(item_type, isSession);
    case "item.completed":
      return readItem(event) ?? endSign(item_type, isSession);
    default:
      return undefined;
  }
}

function endSign(
  itemType: unknown,
  isSession: boolean,
): WorkSign | undefined {
  if (IDLE_ITEMS.has(itemType)) return undefined;
  // Not all exec streams say that a patch begins.
  if (isSession && itemType === "file_change") return SETTLED;
  return SPANS.has(itemType) ? SETTLED : WORK;
}

/** Reads what an item says that is over and is no call. */
function readItem(event: Fields): WorkSign | undefined {
  const content = fieldsOf(event.content);
  const item = idOf(event.item_id);
  switch (event.item_type) {
    case "agent_message":
      return { type: "answer", item, isAlone: content.text === COMPACTED };
    case "context_compaction":
      return { type: "compacted", item };
    case "exited_review_mode":
      return content.review_output === null ? UNREVIEWED : REVIEWED;
    case "injected_context":
      // The first CLI says what went wrong as a message of the system.
      return content.role === "system"
        ? { type: "error", message: textOf(content.text) ?? "" }
        : WORK;
    default:
      return undefined;
  }
}

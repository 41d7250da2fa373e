/** The types of items, as histories know them. */

import { type Fields, isObject } from "../json/fields.ts";

/** The types of items that may make records. */
const RECORDED_TYPES = [
  "agent_message",
  "reasoning",
  "agent_reasoning_raw_content",
  "agent_reasoning_section_break",
  "command_execution",
  "file_change",
  "mcp_tool_call",
  "web_search",
  "collab_tool_call",
  "dynamic_tool_call",
  "tool_call",
  "image_view",
  "image_generation",
  "todo_list",
  "plan",
  "error",
  "user_message",
  "inter_agent_message",
  "speech",
  "sub_agent_activity",
  "entered_review_mode",
  "exited_review_mode",
  "context_compaction",
  "thread_rolled_back",
  "turn_diff",
  "token_count",
  "background_event",
  "undo_completed",
  "deprecation_notice",
] as const;

/** A type of items that may make records. */
export type RecordedType = typeof RECORDED_TYPES[number];

/** The types of items that make no record. */
export const WITHOUT_RECORD: ReadonlySet<string> = new Set([
  "apply_patch_approval_request",
  "exec_approval_request",
  "hook_prompt",
  "injected_context",
  "model_call",
  "model_call_output",
  "sleep",
  "thread_settings_applied",
  "token_usage_record",
  "turn_context",
]);
const KNOWN_TYPES: ReadonlySet<unknown> = new Set([
  ...RECORDED_TYPES,
  ...WITHOUT_RECORD,
]);

/** The prefix of the ids that the reader of session files makes for items without one. */
const MADE_UP = "synthetic-item-";

/** Whether the id of an item was made by the reader of session files. */
export function isMadeUp({ item_id }: Fields): boolean {
  return typeof item_id === "string" && item_id.startsWith(MADE_UP);
}

/**
 * Whether an item is of a type that no known release writes. Notices of unknown types are no items:
 * their id is made up, or the event has the `method` or the submission (`id`) that they came with.
 */
function isUnknownItem(event: Fields): boolean {
  const { item_type, method, id } = event;
  return typeof item_type === "string" && !KNOWN_TYPES.has(item_type) &&
    !isMadeUp(event) && method === undefined && id === undefined;
}

/** The fields of an item event beside those of the item itself, which may have no `content`. */
const EVENT_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "thread_id",
  "turn_id",
  "item_id",
  "item_type",
  "index",
  "status",
  "call_id",
  "timestamp",
  "started_at",
  "line",
  "offset",
  "inherited",
]);

/** The times of all items of an app-server (0.169), which say nothing of their content. */
const TIME_FIELDS: ReadonlySet<string> = new Set([
  "started_at_ms",
  "completed_at_ms",
]);

/** Returns an item of an unknown type as the call of a tool of that name; any other event as it is. */
export function knownItem(event: Fields): Fields {
  if (!isUnknownItem(event)) return event;
  const [fields, hidden] = isObject(event.content)
    ? [event.content, TIME_FIELDS]
    : [event, EVENT_FIELDS];
  const args = Object.fromEntries(
    Object.entries(fields).filter(([name]) => !hidden.has(name)),
  );
  return {
    ...event,
    item_type: "tool_call",
    content: { name: event.item_type, arguments: args },
  };
}

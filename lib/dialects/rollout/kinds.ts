/**
 * The types of rollout lines and of the items and events in them, and the fields that were
 * renamed.
 *
 * The one place that knows them (rollout.md D.2, D.9, R3, R6).
 */

/** The types of wrapped lines that releases up to 0.169 have written. */
export const ROLLOUT_LINE_TYPES = [
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
  "world_state",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "token_usage_record",
] as const;

/** The types of response items, which stand bare on their lines up to 0.29. */
export const RESPONSE_ITEM_TYPES = [
  "message",
  "agent_message",
  "reasoning",
  "local_shell_call",
  "local_shell_call_output",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
  "image_generation_call",
  "ghost_snapshot",
  "additional_tools",
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "context_compaction",
  "other",
] as const;

/** The fields of session_meta that had other names (R6). */
export const SESSION_META_RENAMES: ReadonlyMap<string, string> = new Map([
  ["cliVersion", "cli_version"],
]);

/** The fields of `git` in session_meta that had other names (R6). */
export const GIT_RENAMES: ReadonlyMap<string, string> = new Map([
  ["commit", "commit_hash"],
  ["remote", "repository_url"],
]);

/** The types of wrapped lines that only a fork of Codex writes (history.md C.4). */
export const FORK_LINE_TYPES = ["event"] as const;

/** The types of the events that `event_msg` lines hold, in rollouts or elsewhere. */
export const EVENT_MSG_TYPES = [
  "user_message",
  "agent_message",
  "agent_message_delta",
  "agent_message_content_delta",
  "agent_reasoning",
  "agent_reasoning_delta",
  "agent_reasoning_raw_content",
  "agent_reasoning_raw_content_delta",
  "agent_reasoning_section_break",
  "reasoning_content_delta",
  "reasoning_raw_content_delta",
  "plan_delta",
  "error",
  "stream_error",
  "warning",
  "guardian_warning",
  "background_event",
  "undo_completed",
  "deprecation_notice",
  "task_started",
  "turn_started",
  "task_complete",
  "turn_complete",
  "turn_aborted",
  "thread_rolled_back",
  "token_count",
  "item_started",
  "item_completed",
  "thread_settings_applied",
  "thread_goal_updated",
  "context_compacted",
  "entered_review_mode",
  "exited_review_mode",
  "sub_agent_activity",
  "exec_command_begin",
  "exec_command_output_delta",
  "exec_command_end",
  "apply_patch_approval_request",
  "patch_apply_begin",
  "patch_apply_updated",
  "patch_apply_end",
  "mcp_tool_call_begin",
  "mcp_tool_call_end",
  "web_search_begin",
  "web_search_end",
  "view_image_tool_call",
  "image_generation_begin",
  "image_generation_end",
  "plan_update",
  "turn_diff",
  "dynamic_tool_call_request",
  "dynamic_tool_call_response",
  "custom_tool_call_begin",
  "custom_tool_call_update",
  "custom_tool_call_end",
  "collab_agent_spawn_begin",
  "collab_agent_spawn_end",
  "collab_agent_interaction_begin",
  "collab_agent_interaction_end",
  "collab_waiting_begin",
  "collab_waiting_end",
  "collab_close_begin",
  "collab_close_end",
  "collab_resume_begin",
  "collab_resume_end",
] as const;

/** The types of the items that `item_completed` events hold. */
export const TURN_ITEM_TYPES = [
  "UserMessage",
  "AgentMessage",
  "Reasoning",
  "Plan",
  "CommandExecution",
  "FileChange",
  "McpToolCall",
  "DynamicToolCall",
  "WebSearch",
  "ImageView",
  "ImageGeneration",
  "CollabAgentToolCall",
  "SubAgentActivity",
  "EnteredReviewMode",
  "ExitedReviewMode",
  "ContextCompaction",
  "Sleep",
] as const;

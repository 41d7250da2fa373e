/**
 * The words that rollout files are told apart by, and the fields that were renamed (rollout.md
 * D.2, D.9, R3, R6): all that normalizing them asks, without the shapes of lines.
 */

import type { RolloutLines } from "./lines.ts";
import type { ResponseItems } from "./response_items.ts";

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
] as const satisfies readonly (keyof RolloutLines)[];

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
] as const satisfies readonly (keyof ResponseItems)[];

/** The fields of session_meta that had other names (R6). */
export const SESSION_META_RENAMES: ReadonlyMap<string, string> = new Map([
  ["cliVersion", "cli_version"],
]);

/** The fields of `git` in session_meta that had other names (R6). */
export const GIT_RENAMES: ReadonlyMap<string, string> = new Map([
  ["commit", "commit_hash"],
  ["remote", "repository_url"],
]);

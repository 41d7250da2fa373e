/**
 * The types of lines and items in rollout files, and the renamed fields (rollout.md D.2, D.9, R3,
 * R6). Normalizing needs only these, and not the shapes of lines.
 */

import type { RolloutLines } from "./lines.ts";
import type { ResponseItems } from "./response_items.ts";

/** The types of wrapped lines, of releases up to 0.169. */
export const ROLLOUT_LINE_TYPES: ReadonlySet<string> = new Set<
  keyof RolloutLines
>([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
  "world_state",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "token_usage_record",
]);

/** The types of response items; up to 0.29 they have no wrapper. */
export const RESPONSE_ITEM_TYPES: ReadonlySet<string> = new Set<
  keyof ResponseItems
>([
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
]);

/** The renamed fields of session_meta, from the old name to the current one (R6). */
export const SESSION_META_RENAMES: ReadonlyMap<string, string> = new Map([
  ["cliVersion", "cli_version"],
]);

/** The renamed fields of `git` in session_meta, from the old name to the current one (R6). */
export const GIT_RENAMES: ReadonlyMap<string, string> = new Map([
  ["commit", "commit_hash"],
  ["remote", "repository_url"],
]);

/**
 * Returns the old and the current name of each field of an object that has to be renamed; if the
 * object has the current name too, that one counts, and the old one stays (R6).
 */
export function renamesIn(
  object: { has(name: string): boolean },
  names: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] {
  return [...names].filter(([old, current]) =>
    object.has(old) && !object.has(current)
  );
}

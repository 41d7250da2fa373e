/**
 * Telling what a person wrote from what the program put into the conversation.
 *
 * @module
 */

/** What injected text starts and ends with, in lower case. */
const MARKER_PAIRS: readonly (readonly [string, string])[] = [
  ...[
    "user_instructions",
    "environment_context",
    "turn_aborted",
    "user_shell_command",
    "subagent_notification",
    "goal_context",
    "recommended_plugins",
    "skill",
  ].map((tag) => [`<${tag}>`, `</${tag}>`] as const),
  ["# agents.md instructions", "</instructions>"],
  ["<codex_internal_context", "</codex_internal_context>"],
  ["<hook_prompt", "</hook_prompt>"],
];

/** What alone gives injected text away, in lower case. */
const STARTS: readonly string[] = [
  "<user_action>",
  "== system status ==",
  "warning: the maximum number of unified exec processes",
  "warning: apply_patch was requested via ",
  "warning: your account was flagged",
];

/** The longest text that has to be looked at on either side. */
const LONGEST = Math.max(
  ...MARKER_PAIRS.flat().map(({ length }) => length),
  ...STARTS.map(({ length }) => length),
);

/**
 * Tells whether a text was put into the conversation by the program.
 *
 * Most markers count only in pairs: a prompt may well begin like one of them.
 *
 * @param text The text of one part of a user message.
 * @returns Whether no person wrote it.
 */
export function isInjectedContext(text: string): boolean {
  const trimmed = text.trim();
  // Only the ends are looked at: the text itself may be long.
  const head = trimmed.slice(0, LONGEST).toLowerCase();
  if (STARTS.some((start) => head.startsWith(start))) return true;
  const tail = trimmed.slice(-LONGEST).toLowerCase();
  return MARKER_PAIRS.some(([start, end]) =>
    head.startsWith(start) && tail.endsWith(end) &&
    trimmed.length >= start.length + end.length
  );
}

/**
 * Which parts of Codex's lines are user data: values that are not walked, and names and words that
 * may come from a user. Those are never shown.
 */

/**
 * Members that hold data of tools, models or settings in every kind of record; they are not walked.
 */
export const DATA_NAMES: ReadonlySet<string> = new Set([
  "_meta",
  "additionalDetails",
  "args",
  "arguments",
  "config",
  "configuration",
  "data",
  "desktop",
  "env",
  "environment",
  "experimental_raw",
  "final_output_json_schema",
  "formSchema",
  "headers",
  "inputSchema",
  "input_schema",
  "layers",
  "mcp_servers",
  "mcpServers",
  "origins",
  "outputSchema",
  "output_schema",
  "parameters",
  "properties",
  "requestedSchema",
  "results",
  "schema",
  "state",
  "structuredContent",
  "structured_content",
]);

/** Members whose own members are keyed by data: paths, ids, names of servers. */
export const MAP_NAMES: ReadonlySet<string> = new Set([
  "agents_states",
  "agentsStates",
  "answers",
  "changes",
  "file_changes",
  "rateLimitsByLimitId",
]);

/** Members that hold one of a few words in every kind of record. */
const WORD_NAMES = new Set([
  "access",
  "activePermissionProfile",
  "approval",
  "approval_policy",
  "approvalPolicy",
  "approvals_reviewer",
  "approvalsReviewer",
  "collaboration_mode_kind",
  "history_mode",
  "historyMode",
  "item_type",
  "kind",
  "mode",
  "multi_agent_version",
  "multiAgentVersion",
  "network",
  "phase",
  "reasoning summaries",
  "record_type",
  "role",
  "sandbox",
  "source",
  "status",
  "stream",
  "syntax",
  "thread_source",
  "threadSource",
  "turn_trigger",
  "turnTrigger",
  "type",
]);

/** Members that hold one of a few words in some kinds of records, and text in others. */
const WORD_NAMES_OF: ReadonlyMap<string, RegExp> = new Map([
  ["reason", /(?:^|\/)turn_aborted$/],
  ["summary", /^(?:turn_context|thread\/settings|event_msg\/thread_settings)/],
  ["tool", /(?:collab_tool_call|CollabAgentToolCall|collabAgentToolCall)$/],
]);

/** Members that wrap the record proper: their fields are Codex's, new ones included. */
export const RECORD_NAMES: ReadonlySet<string> = new Set([
  "payload",
  "item",
  "msg",
  "params",
]);

/** Two names of releases up to 0.42 have a space. */
const NAME_REGEXP =
  /^(?:[A-Za-z_$][A-Za-z0-9_$-]{0,47}|reasoning [a-z]{1,20})$/;
const WORD_REGEXP = /^[A-Za-z][A-Za-z0-9]*(?:[_./-][A-Za-z0-9]+){0,6}$/;
export const MAX_WORD_LENGTH = 48;
/** Ids, hashes and tokens have many digits; names and words have few. */
const MANY_DIGITS_REGEXP = /(?:\d.*){5}/;
/** Matches tokens: long, in upper and lower case and with digits. */
const TOKEN_REGEXP = /^(?=.*[a-z].*[a-z])(?=.*[A-Z].*[A-Z])(?=.*\d).{16,}$/;

/** Returns whether a member of a kind of record holds one of a few words. */
export function isWordPlace(kind: string, name: string): boolean {
  return WORD_NAMES.has(name) || WORD_NAMES_OF.get(name)?.test(kind) === true;
}

/** Returns whether a text looks like a member name of Codex's. */
export function isName(text: string): boolean {
  return NAME_REGEXP.test(text) && !isToken(text);
}

/** Returns whether a text looks like a word of an enumeration, or of the name of a kind. */
export function isWord(text: string): boolean {
  return text.length <= MAX_WORD_LENGTH && WORD_REGEXP.test(text) &&
    !isToken(text);
}

function isToken(text: string): boolean {
  return MANY_DIGITS_REGEXP.test(text) || TOKEN_REGEXP.test(text);
}

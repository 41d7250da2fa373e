/** The names of the families of dialects, and of the kinds of streams. */

/** The families that a stream can be read as. */
export const DIALECTS = ["auto", "exec", "app-server", "rollout"] as const;

/**
 * A family of dialects.
 *
 * - `exec`: the output of `codex exec --json`, in all spellings since 0.8.
 * - `app-server`: the messages of `codex app-server`, which serves IDEs and wrappers, and of `codex
 *   mcp-server`; messages of the client may be among them.
 * - `rollout`: the lines of session files, in all shapes since 0.1.
 * - `auto`: the family is detected from the first line that is a JSON object (rollout.md D.9).
 */
export type Dialect = typeof DIALECTS[number];

/** The kinds of streams that are detected. */
export const STREAM_KINDS = [
  "exec",
  "app-server",
  "rollout",
  "snapshot",
  "history.jsonl",
  "session_index.jsonl",
] as const;

/**
 * The kind of a stream, as detected: one of the families, a HistoryState snapshot, or one of the
 * lists in a Codex home: the prompts that were typed (`history.jsonl`), the names of sessions
 * (`session_index.jsonl`).
 */
export type StreamKind = typeof STREAM_KINDS[number];

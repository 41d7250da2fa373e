/** What streams are called: the families of dialects, and what a stream turns out to be. */

/** The names of the families that lines can be read as. */
export const DIALECTS = ["auto", "exec", "app-server", "rollout"] as const;

/**
 * A family of dialects.
 *
 * - `exec`: what `codex exec --json` prints, in all spellings since 0.8.
 * - `app-server`: the messages of `codex app-server`, which IDEs and wrappers speak with, and
 *   those of `codex mcp-server`; what clients write may be among them.
 * - `rollout`: the lines of session files, in all shapes since 0.1.
 * - `auto`: finds out by the first line that is a JSON object (rollout.md D.9).
 */
export type Dialect = typeof DIALECTS[number];

/** What a stream can turn out to be. */
export const STREAM_KINDS = [
  "exec",
  "app-server",
  "rollout",
  "snapshot",
  "history.jsonl",
  "session_index.jsonl",
] as const;

/**
 * What a stream has turned out to be: of one of the families, or a HistoryState snapshot,
 * or one of the lists in a Codex home: the prompts that were typed (`history.jsonl`), the
 * names of sessions (`session_index.jsonl`).
 */
export type StreamKind = typeof STREAM_KINDS[number];

/**
 * Finds, lists and reads the sessions that Codex left on a disk.
 *
 * Everything here reads a Codex home and never writes into it: without `codexHomes`, that of the
 * user, as `listSessions()` does. It runs on Deno, Node and Bun.
 *
 * @example The newest sessions
 * ```ts
 * import { listSessions } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const { sessions } = await listSessions({ codexHomes: ["no/such/home"], limit: 10 });
 *
 * assertEquals(sessions.map(({ head, title }) => [head.id, title]), []);
 * ```
 *
 * @module
 */

export {
  cacheFolder,
  type CacheFolderOptions,
  codexHomesFrom,
  type CodexHomesOptions,
  type Environment,
} from "./codex_homes.ts";
export * from "./codex_index.ts";
export * from "./conversations.ts";
export { CursorError } from "./cursor.ts";
export { readSessionRuns, type ReadSessionRunsOptions } from "./head_reader.ts";
export {
  type HomeLook,
  HomeWatch,
  type HomeWatchOptions,
  type SessionChange,
} from "./home_watch.ts";
export { openSession } from "./open_session.ts";
export type { Session } from "./session.ts";
export * from "./session_family.ts";
export {
  findSessionFiles,
  type FindSessionFilesOptions,
  type SessionCompression,
  type SessionFile,
  sessionFileAt,
  type SessionFiles,
  type SessionProblem,
} from "./session_files.ts";
export * from "./session_head.ts";
export { isSessionId } from "./session_id.ts";
export * from "./session_lineage.ts";
export * from "./session_list.ts";
export * from "./session_lookup.ts";
export {
  SESSION_PARTS,
  type SessionPart,
  type SessionPartSizes,
} from "../events/session_parts.ts";
export { goesOn } from "../events/session_reader.ts";
export { otherPlacesOf } from "./session_places.ts";
export * from "./session_records.ts";
export * from "./session_repair.ts";
export * from "./session_run.ts";
export * from "./session_sizes.ts";
export type { SessionPlace } from "./session_start.ts";
export type { SnippetPart } from "./search_snippet.ts";
export {
  type SearchHit,
  type SearchMakeshift,
  type SearchResult,
  searchSessions,
  type SearchSessionsOptions,
} from "./session_search.ts";
export type { SessionIndexOptions } from "./session_index_database.ts";
export * from "./session_index_error.ts";
export * from "./session_index_path.ts";
export {
  type IndexingProgress,
  type IndexingReport,
  indexSessions,
  type IndexSessionsOptions,
  readSession,
  type RefreshOptions,
  type SessionPiece,
} from "./session_indexer.ts";
export { WorkingFolder } from "./working_directory.ts";

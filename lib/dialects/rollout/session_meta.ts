/**
 * What a rollout says of its session.
 *
 * @module
 */

import {
  BOOLEAN,
  either,
  list,
  maybe,
  NUMBER,
  object,
  type Shape,
  STRING,
} from "../../shapes/shapes.ts";

/**
 * The session that a file belongs to.
 *
 * A file may hold more than one: the first is the thread's own, later ones were copied with
 * the history of the threads that it descends from. Up to 0.29 it stands bare on the first
 * line, and has no more than `id`, `timestamp`, `instructions` and `git`.
 */
export interface SessionMeta {
  /** The id of the thread; the name of the file ends in it. Before 0.40 a UUID v4. */
  readonly id: string;
  /**
   * When the session began. Up to 0.29 it is the local time of the machine, though it ends
   * in `Z`; it is left as it was written.
   */
  readonly timestamp: string;
  /** The id of the session, which is that of its root thread (0.142 and later). */
  readonly session_id?: string | null;
  /** The working directory (0.34 and later). */
  readonly cwd?: string | null;
  /** The program: `codex_exec`, `codex_cli_rs`, `codex-tui`, `codex_sdk_ts` (0.34 and later). */
  readonly originator?: string | null;
  /** The version of Codex (0.34 and later). */
  readonly cli_version?: string | null;
  /** The instructions of the user (up to 0.80). */
  readonly instructions?: string | null;
  /** What started the session (0.44 and later): a word, or of a subagent an object. */
  readonly source?: string | SessionSource | null;
  /** Who the thread works for (0.130 and later): `user` or `subagent`. */
  readonly thread_source?: string | null;
  /** The provider of the model (0.53 and later). */
  readonly model_provider?: string | null;
  /** The instructions of the model (0.92 and later). */
  readonly base_instructions?: BaseInstructions | null;
  /** The state of the repository; absent outside of one. */
  readonly git?: GitInfo | null;
  /** How the file is written (0.145 and later): `legacy` or `paginated`. Absent, `legacy`. */
  readonly history_mode?: string | null;
  /** The context window that the thread begins with (0.145 and later). */
  readonly context_window?: ContextWindow | null;
  /** The thread that this one was forked from (0.130 and later). */
  readonly forked_from_id?: string | null;
  /** The ordinal of that thread at which this one goes on (0.160 and later). */
  readonly forked_from_ordinal_exclusive?: number | null;
  /** The part of another file that this one continues (0.150 and later). */
  readonly history_base?: HistoryPrefix | null;
  /** The thread that spawned this one (0.142 and later). */
  readonly parent_thread_id?: string | null;
  /** The ordinal of the first line that is the subagent's own (0.150 and later). */
  readonly subagent_history_start_ordinal?: number | null;
  /** The name that the agent was given (0.115 and later). */
  readonly agent_nickname?: string | null;
  /** The agent's place among the agents, a path from the first one (0.130 and later). */
  readonly agent_path?: string | null;
  /** How agents work together (0.142 and later): `disabled`, `v1`, `v2`. */
  readonly multi_agent_version?: string | null;
  /** The roots of the workspace (0.155 and later). */
  readonly runtime_workspace_roots?: readonly string[] | null;
  /** Whether the thread belongs to an account (0.169 and later). */
  readonly account_scoped?: boolean | null;
}

/** What started the session of a subagent (0.72 and later). */
export interface SessionSource {
  /** Which sort of subagent, such as `review`, or an object such as `{"thread_spawn": …}`. */
  readonly subagent?: string | SubagentSource | null;
}

/** How a subagent came about. */
export interface SubagentSource {
  /** It was spawned by another thread (0.92 and later). */
  readonly thread_spawn?: ThreadSpawn | null;
}

/** The thread that spawned a subagent. */
export interface ThreadSpawn {
  /** The id of that thread. */
  readonly parent_thread_id?: string | null;
  /** How many threads are above this one. */
  readonly depth?: number | null;
  /** The agent's place among the agents (0.122 and later). */
  readonly agent_path?: string | null;
  /** The name that the agent was given (0.115 and later). */
  readonly agent_nickname?: string | null;
  /** What the agent is for (0.115 and later). */
  readonly agent_role?: string | null;
}

/** The instructions of a model. */
export interface BaseInstructions {
  /** The instructions. */
  readonly text: string;
  /** Where they come from (0.148 and later). */
  readonly provenance?: InstructionsProvenance | null;
}

/** Where instructions come from. */
export interface InstructionsProvenance {
  /** `model` or `custom`. */
  readonly type: string;
  /** The model they were written for. */
  readonly model?: string | null;
}

/** The state of a repository when a session began. */
export interface GitInfo {
  /** The commit (`commit` in older files, which is renamed). */
  readonly commit_hash?: string | null;
  /** The branch. */
  readonly branch?: string | null;
  /** The URL of the remote (`remote` in older files, which is renamed). */
  readonly repository_url?: string | null;
}

/** A context window. */
export interface ContextWindow {
  /** Its id. */
  readonly window_id?: string | null;
}

/** The part of another file that a file continues. */
export interface HistoryPrefix {
  /** The thread of that file. */
  readonly thread_id: string;
  /** The first ordinal that is no longer part of it. */
  readonly end_ordinal_exclusive?: number | null;
  /** Where that line starts, in bytes. */
  readonly end_byte_offset?: number | null;
}

const INSTRUCTIONS_PROVENANCE = object<InstructionsProvenance>({
  type: STRING,
  model: maybe(STRING),
});

const BASE_INSTRUCTIONS = object<BaseInstructions>({
  text: STRING,
  provenance: maybe(INSTRUCTIONS_PROVENANCE),
});

const CONTEXT_WINDOW = object<ContextWindow>({
  window_id: maybe(STRING),
});

const GIT_INFO = object<GitInfo>({
  commit_hash: maybe(STRING),
  branch: maybe(STRING),
  repository_url: maybe(STRING),
});

const HISTORY_PREFIX = object<HistoryPrefix>({
  thread_id: STRING,
  end_ordinal_exclusive: maybe(NUMBER),
  end_byte_offset: maybe(NUMBER),
});

const THREAD_SPAWN = object<ThreadSpawn>({
  parent_thread_id: maybe(STRING),
  depth: maybe(NUMBER),
  agent_path: maybe(STRING),
  agent_nickname: maybe(STRING),
  agent_role: maybe(STRING),
});

const SUBAGENT_SOURCE = object<SubagentSource>({
  thread_spawn: maybe(THREAD_SPAWN),
});

const SESSION_SOURCE = object<SessionSource>({
  subagent: maybe(either(STRING, SUBAGENT_SOURCE)),
});

/** @ignore The shape of {@linkcode SessionMeta}. */
export const SESSION_META: Shape<SessionMeta> = object({
  id: STRING,
  timestamp: STRING,
  session_id: maybe(STRING),
  cwd: maybe(STRING),
  originator: maybe(STRING),
  cli_version: maybe(STRING),
  instructions: maybe(STRING),
  source: maybe(either(STRING, SESSION_SOURCE)),
  thread_source: maybe(STRING),
  model_provider: maybe(STRING),
  base_instructions: maybe(BASE_INSTRUCTIONS),
  git: maybe(GIT_INFO),
  history_mode: maybe(STRING),
  context_window: maybe(CONTEXT_WINDOW),
  forked_from_id: maybe(STRING),
  forked_from_ordinal_exclusive: maybe(NUMBER),
  history_base: maybe(HISTORY_PREFIX),
  parent_thread_id: maybe(STRING),
  subagent_history_start_ordinal: maybe(NUMBER),
  agent_nickname: maybe(STRING),
  agent_path: maybe(STRING),
  multi_agent_version: maybe(STRING),
  runtime_workspace_roots: maybe(list(STRING)),
  account_scoped: maybe(BOOLEAN),
});

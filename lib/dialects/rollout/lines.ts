/** The lines of a rollout file after normalizing. */

import {
  ANY,
  ANY_OBJECT,
  BOOLEAN,
  either,
  list,
  maybe,
  type Members,
  nullable,
  NUMBER,
  object,
  optional,
  type Shape,
  type ShapesOf,
  STRING,
  typed,
  variant,
} from "../../shapes/shapes.ts";
import type { ObjectValue } from "./call_details.ts";
import { EVENT_MSG, type EventMsg } from "./event_msgs.ts";
import { RESPONSE_ITEM, type ResponseItem } from "./response_items.ts";
import { TOKEN_USAGE_RECORD, type TokenUsageRecord } from "./token_counts.ts";

// Compactions of the history.

/** A compaction: the history was summarized to make room in the context window (0.36 and later). */
export interface Compacted {
  /** The summary; may be empty where `replacement_history` has it. */
  readonly message: string;
  /** The items that replace the history for the model from now on (0.110 and later). */
  readonly replacement_history?: readonly ResponseItem[] | null;
  /** The metadata of each of those items (0.155 and later). */
  readonly replacement_history_metadata?:
    | readonly (ObjectValue | null)[]
    | null;
  /** The part of the history that was kept (0.155 and later). */
  readonly retained_context?: ObjectValue | null;
  /** Data for resuming the session (0.155 and later). */
  readonly resume_metadata?: ObjectValue | null;
  /** The items that replace the history for a reviewer (0.153 to 0.155). */
  readonly guardian_history?: readonly ResponseItem[] | null;
  /** The number of windows so far (0.142 and later). */
  readonly window_number?: number | null;
  /** The id of the first window (0.142 and later); in some releases a number. */
  readonly first_window_id?: string | number | null;
  /** The id of the previous window (0.142 and later). */
  readonly previous_window_id?: string | number | null;
  /** The id of the window that begins here (0.140 and later). */
  readonly window_id?: string | number | null;
  /** The id of the response that holds the summary (0.153 and later). */
  readonly compaction_response_id?: string | null;
  /** The tokens so far (0.153 and later). */
  readonly latest_token_usage_record?: TokenUsageRecord | null;
}

/** @ignore The shape of {@linkcode Compacted}. */
export const COMPACTED: Shape<Compacted> = object({
  message: STRING,
  replacement_history: maybe(list(RESPONSE_ITEM)),
  replacement_history_metadata: maybe(list(nullable(ANY_OBJECT))),
  retained_context: maybe(ANY_OBJECT),
  resume_metadata: maybe(ANY_OBJECT),
  guardian_history: maybe(list(RESPONSE_ITEM)),
  window_number: maybe(NUMBER),
  first_window_id: maybe(either(STRING, NUMBER)),
  previous_window_id: maybe(either(STRING, NUMBER)),
  window_id: maybe(either(STRING, NUMBER)),
  compaction_response_id: maybe(STRING),
  latest_token_usage_record: maybe(TOKEN_USAGE_RECORD),
});

// The header of a session.

/**
 * The header of a session.
 *
 * A file may have several: the first is that of the thread itself, later ones were copied with the
 * history of the threads it descends from. Up to 0.29 the first line is a header without a wrapper,
 * with `id`, `timestamp`, `instructions` and `git` only.
 */
export interface SessionMeta {
  /** The id of the thread; the name of the file ends with it. Before 0.40 a UUID v4. */
  readonly id: string;
  /**
   * The time when the session began. Up to 0.29 it is the local time of the machine, although it
   * ends in `Z`; it is not converted.
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
  /** The instructions of the user (up to 0.87). */
  readonly instructions?: string | null;
  /** The origin of the session (0.44 and later): a word, or an object for a subagent. */
  readonly source?: string | SessionSource | null;
  /** The owner of the thread (0.130 and later): `user` or `subagent`. */
  readonly thread_source?: string | null;
  /** The provider of the model (0.53 and later). */
  readonly model_provider?: string | null;
  /** The instructions of the model (0.89 and later). */
  readonly base_instructions?: BaseInstructions | null;
  /** The state of the repository; absent outside of a repository. */
  readonly git?: GitInfo | null;
  /** The format of the file (0.144 and later): `legacy` or `paginated`. Absent, `legacy`. */
  readonly history_mode?: string | null;
  /** The context window that the thread begins with (0.144 and later). */
  readonly context_window?: ContextWindow | null;
  /** The thread from which this one was forked (0.96 and later). */
  readonly forked_from_id?: string | null;
  /** The ordinal of that thread at which this one continues (0.153 and later). */
  readonly forked_from_ordinal_exclusive?: number | null;
  /** The part of another file that this one continues (0.150 and later). */
  readonly history_base?: HistoryPrefix | null;
  /** The thread that spawned this one (0.140 and later). */
  readonly parent_thread_id?: string | null;
  /** The ordinal of the first line that is the subagent's own (0.150 and later). */
  readonly subagent_history_start_ordinal?: number | null;
  /** The name of the agent (0.110 and later). */
  readonly agent_nickname?: string | null;
  /** The agent's place in the tree of agents, as a path from the first one (0.121 and later). */
  readonly agent_path?: string | null;
  /** The protocol between agents (0.140 and later): `disabled`, `v1`, `v2`. */
  readonly multi_agent_version?: string | null;
  /** The roots of the workspace (0.155 and later). */
  readonly runtime_workspace_roots?: readonly string[] | null;
  /** Whether the thread belongs to an account (0.169 and later). */
  readonly account_scoped?: boolean | null;
}

/** The origin of a subagent's session (0.53 and later). */
export interface SessionSource {
  /** The sort of subagent, such as `review`, or an object such as `{"thread_spawn": …}`. */
  readonly subagent?: string | SubagentSource | null;
}

/** The origin of a subagent. */
export interface SubagentSource {
  /** The data of the thread that spawned the subagent (0.92 and later). */
  readonly thread_spawn?: ThreadSpawn | null;
}

/** The thread that spawned a subagent. */
export interface ThreadSpawn {
  /** The id of that thread. */
  readonly parent_thread_id?: string | null;
  /** The number of threads above this one. */
  readonly depth?: number | null;
  /** The agent's place in the tree of agents (0.120 and later). */
  readonly agent_path?: string | null;
  /** The name of the agent (0.110 and later). */
  readonly agent_nickname?: string | null;
  /** The role of the agent (0.110 and later). */
  readonly agent_role?: string | null;
}

/** The instructions of a model. */
export interface BaseInstructions {
  /** The instructions. */
  readonly text: string;
  /** The origin of the instructions (0.148 and later). */
  readonly provenance?: InstructionsProvenance | null;
}

/** The origin of instructions. */
export interface InstructionsProvenance {
  /** `model` or `custom`. */
  readonly type: string;
  /** The model for which they were written. */
  readonly model?: string | null;
}

/** The state of a repository when a session began. */
export interface GitInfo {
  /** The commit (in older files `commit`, which is renamed). */
  readonly commit_hash?: string | null;
  /** The branch. */
  readonly branch?: string | null;
  /** The URL of the remote (in older files `remote`, which is renamed). */
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
  /** The ordinal of the first line behind that part. */
  readonly end_ordinal_exclusive?: number | null;
  /** The offset of that line in the other file, in bytes. */
  readonly end_byte_offset?: number | null;
}

const SUBAGENT_SOURCE = object<SubagentSource>({
  thread_spawn: maybe(object<ThreadSpawn>({
    parent_thread_id: maybe(STRING),
    depth: maybe(NUMBER),
    agent_path: maybe(STRING),
    agent_nickname: maybe(STRING),
    agent_role: maybe(STRING),
  })),
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
  base_instructions: maybe(object<BaseInstructions>({
    text: STRING,
    provenance: maybe(object<InstructionsProvenance>({
      type: STRING,
      model: maybe(STRING),
    })),
  })),
  git: maybe(object<GitInfo>({
    commit_hash: maybe(STRING),
    branch: maybe(STRING),
    repository_url: maybe(STRING),
  })),
  history_mode: maybe(STRING),
  context_window: maybe(object<ContextWindow>({ window_id: maybe(STRING) })),
  forked_from_id: maybe(STRING),
  forked_from_ordinal_exclusive: maybe(NUMBER),
  history_base: maybe(object<HistoryPrefix>({
    thread_id: STRING,
    end_ordinal_exclusive: maybe(NUMBER),
    end_byte_offset: maybe(NUMBER),
  })),
  parent_thread_id: maybe(STRING),
  subagent_history_start_ordinal: maybe(NUMBER),
  agent_nickname: maybe(STRING),
  agent_path: maybe(STRING),
  multi_agent_version: maybe(STRING),
  runtime_workspace_roots: maybe(list(STRING)),
  account_scoped: maybe(BOOLEAN),
});

// The settings and the environment of turns.

/** The settings of a turn; up to 0.104 of each request to the model, since 0.115 once a turn. */
export interface TurnContext {
  /** The working directory. */
  readonly cwd: string;
  /** The id of the turn (0.101 and later). */
  readonly turn_id?: string | null;
  /** The id of the root turn, which this turn belongs to (0.153 and later). */
  readonly root_turn_id?: string | null;
  /** When the user is asked for approval, such as `never`. */
  readonly approval_policy?: string | ObjectValue | null;
  /** The reviewer of approvals (0.144 and later), such as `user`. */
  readonly approvals_reviewer?: string | null;
  /** The permissions of commands. */
  readonly sandbox_policy?: SandboxPolicy | null;
  /** The permissions of commands in detail (0.125 and later). */
  readonly permission_profile?: ObjectValue | null;
  /** The model. */
  readonly model: string;
  /** The reasoning effort (0.44 and later), such as `high`. */
  readonly effort?: string | null;
  /** The kind of reasoning summary: `auto`, `detailed`, `none`. */
  readonly summary?: string | null;
  /** The mode of collaboration with the user (0.89 and later). */
  readonly collaboration_mode?: CollaborationMode | null;
  /** The tone of the agent (0.95 to 0.155). */
  readonly personality?: string | null;
  /** The instructions of the user (0.79 to 0.130). */
  readonly user_instructions?: string | null;
  /** The instructions of the developer (0.121). */
  readonly developer_instructions?: string | null;
  /** The instructions of the model (0.79 to 0.87). */
  readonly base_instructions?: string | null;
  /** The JSON Schema for the last message (0.79 to 0.130). */
  readonly final_output_json_schema?: unknown;
  /** The limit on outputs (0.79 to 0.130). */
  readonly truncation_policy?: TruncationPolicy | null;
  /** The date (0.110 to 0.160), `YYYY-MM-DD`. */
  readonly current_date?: string | null;
  /** The time zone (0.110 to 0.160). */
  readonly timezone?: string | null;
  /** Whether voice is on (0.110 and later). */
  readonly realtime_active?: boolean | null;
  /** The roots of the workspace (0.136 to 0.160). */
  readonly workspace_roots?: readonly string[] | null;
  /** The disabled plugins (0.155 and later). */
  readonly disabled_plugin_ids?: readonly string[] | null;
  /** The protocol between agents (0.140 and later). */
  readonly multi_agent_version?: string | null;
  /** A hash of the model's input (0.144 and later). */
  readonly comp_hash?: string | null;
}

/** The permissions of commands. The sort is in `mode` or in `type`. */
export interface SandboxPolicy {
  /** `read-only`, `workspace-write`, `danger-full-access` (0.59 and later). */
  readonly type?: string | null;
  /** The same sort (0.36 to 0.58). */
  readonly mode?: string | null;
  /** Whether the network is allowed; in some releases a word. */
  readonly network_access?: boolean | string | null;
  /** Writable folders besides the working directory. */
  readonly writable_roots?: readonly string[] | null;
  /** Whether the folder of `TMPDIR` is not writable. */
  readonly exclude_tmpdir_env_var?: boolean | null;
  /** Whether `/tmp` is not writable. */
  readonly exclude_slash_tmp?: boolean | null;
}

/** The mode of collaboration between the agent and the user. */
export interface CollaborationMode {
  /** `default`, `custom`, `plan`. */
  readonly mode?: string | null;
  /** The settings of the mode. */
  readonly settings?: CollaborationSettings | null;
}

/** The settings of a {@linkcode CollaborationMode}. */
export interface CollaborationSettings {
  /** The model. */
  readonly model?: string | null;
  /** The reasoning effort. */
  readonly reasoning_effort?: string | null;
  /** Instructions of the developer. */
  readonly developer_instructions?: string | null;
}

/** The limit on outputs. */
export interface TruncationPolicy {
  /** The unit: `bytes` or `tokens`. */
  readonly mode?: string | null;
  /** The size that is kept. */
  readonly limit?: number | null;
}

/** The environment of the model (0.144 and later). */
export interface WorldState {
  /** Whether `state` is the whole environment; otherwise it is a change, as a JSON merge patch. */
  readonly full: boolean;
  /** The state: environments, permissions, skills, tools, … */
  readonly state: ObjectValue;
}

/** A message from one agent to another (0.141 to 0.142). */
export interface InterAgentCommunication {
  /** The sender. */
  readonly author?: string | null;
  /** The recipient. */
  readonly recipient?: string | null;
  /** Further recipients. */
  readonly other_recipients?: readonly unknown[] | null;
  /** The text; may be empty where it is encrypted. */
  readonly content?: string | null;
  /** The encrypted text. */
  readonly encrypted_content?: string | null;
  /** Whether the message starts a turn. */
  readonly trigger_turn?: boolean | null;
}

/** The metadata of the next message between agents (0.144 and later). */
export interface InterAgentCommunicationMetadata {
  /** Whether the message starts a turn. */
  readonly trigger_turn?: boolean | null;
}

/** @ignore The shape of {@linkcode TurnContext}. */
export const TURN_CONTEXT: Shape<TurnContext> = object({
  cwd: STRING,
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  approval_policy: maybe(either(STRING, ANY_OBJECT)),
  approvals_reviewer: maybe(STRING),
  sandbox_policy: maybe(object<SandboxPolicy>({
    type: maybe(STRING),
    mode: maybe(STRING),
    network_access: maybe(either(BOOLEAN, STRING)),
    writable_roots: maybe(list(STRING)),
    exclude_tmpdir_env_var: maybe(BOOLEAN),
    exclude_slash_tmp: maybe(BOOLEAN),
  })),
  permission_profile: maybe(ANY_OBJECT),
  model: STRING,
  effort: maybe(STRING),
  summary: maybe(STRING),
  collaboration_mode: maybe(object<CollaborationMode>({
    mode: maybe(STRING),
    settings: maybe(object<CollaborationSettings>({
      model: maybe(STRING),
      reasoning_effort: maybe(STRING),
      developer_instructions: maybe(STRING),
    })),
  })),
  personality: maybe(STRING),
  user_instructions: maybe(STRING),
  developer_instructions: maybe(STRING),
  base_instructions: maybe(STRING),
  final_output_json_schema: optional(ANY),
  truncation_policy: maybe(object<TruncationPolicy>({
    mode: maybe(STRING),
    limit: maybe(NUMBER),
  })),
  current_date: maybe(STRING),
  timezone: maybe(STRING),
  realtime_active: maybe(BOOLEAN),
  workspace_roots: maybe(list(STRING)),
  disabled_plugin_ids: maybe(list(STRING)),
  multi_agent_version: maybe(STRING),
  comp_hash: maybe(STRING),
});

/** @ignore The shape of {@linkcode WorldState}. */
export const WORLD_STATE: Shape<WorldState> = object({
  full: BOOLEAN,
  state: ANY_OBJECT,
});

/** @ignore The shape of {@linkcode InterAgentCommunication}. */
export const INTER_AGENT_COMMUNICATION: Shape<InterAgentCommunication> = object(
  {
    author: maybe(STRING),
    recipient: maybe(STRING),
    other_recipients: maybe(list(ANY)),
    content: maybe(STRING),
    encrypted_content: maybe(STRING),
    trigger_turn: maybe(BOOLEAN),
  },
);

/** @ignore The shape of {@linkcode InterAgentCommunicationMetadata}. */
export const INTER_AGENT_COMMUNICATION_METADATA: Shape<
  InterAgentCommunicationMetadata
> = object({ trigger_turn: maybe(BOOLEAN) });

/**
 * A line of a rollout file, normalized. `isOfType()` narrows it to one type; after
 * `isKnownRolloutLine()`, `switch` on `type` does.
 *
 * A line, and every object in it, may hold more fields than its interface names: fields that a
 * release adds stay where they are. Test for such a field with `"name" in value`; the compiler then
 * knows it, with the type `unknown`. Most optional fields may also be null; releases differ in
 * which they write.
 *
 * This list may expand over time.
 */
export type RolloutLine = KnownRolloutLine | UnknownRolloutLine;

/** A line of a rollout file with a known type. */
export type KnownRolloutLine = RolloutLines[KnownRolloutLineType];

/** A known type of lines. */
export type KnownRolloutLineType = keyof RolloutLines;

/** The known lines of a rollout file, by type. */
export interface RolloutLines {
  /** The header of the session. */
  readonly session_meta: RolloutLineOf<"session_meta", SessionMeta>;
  /** An item of the conversation with the model. */
  readonly response_item: RolloutLineOf<"response_item", ResponseItem>;
  /** An event. */
  readonly event_msg: RolloutLineOf<"event_msg", EventMsg>;
  /** The settings of a turn (0.36 and later). */
  readonly turn_context: RolloutLineOf<"turn_context", TurnContext>;
  /** A compaction: the summary, and the state that the session continues from (since 0.36). */
  readonly compacted: RolloutLineOf<"compacted", Compacted>;
  /** The environment of the model, or a change of it (0.144 and later). */
  readonly world_state: RolloutLineOf<"world_state", WorldState>;
  /** A message from one agent to another (0.141 to 0.142). */
  readonly inter_agent_communication: RolloutLineOf<
    "inter_agent_communication",
    InterAgentCommunication
  >;
  /** The metadata of the next message between agents (0.144 and later). */
  readonly inter_agent_communication_metadata: RolloutLineOf<
    "inter_agent_communication_metadata",
    InterAgentCommunicationMetadata
  >;
  /** The tokens of one request (0.153 and later). */
  readonly token_usage_record: RolloutLineOf<
    "token_usage_record",
    TokenUsageRecord
  >;
  /** An event in the form of a fork of Codex. */
  readonly event: RolloutLineOf<"event", ForkEvent>;
}

/** The fields of every line of a rollout file. */
export interface RolloutLineFields {
  /**
   * The time when the line was written, in UTC with milliseconds. For a line without a time (up to
   * 0.29) it is the time of the line before, of the session, or in the name of the file; absent
   * where none of them is known. So it is for a time that is no string, which is `wire_timestamp`.
   */
  readonly timestamp?: string;
  /** The position of the line in the thread, a whole number (0.148 and later). */
  readonly ordinal?: number | null;
  /** Codex's metadata of a response item (0.155 and later). */
  readonly metadata?: ObjectValue | null;
}

/**
 * A line of a known type.
 *
 * @typeParam W The type of the line.
 * @typeParam P The content of the line.
 */
export interface RolloutLineOf<W extends string, P> extends RolloutLineFields {
  /** The type. */
  readonly type: W;
  /** The content. */
  readonly payload: P;
}

/** An event in the form of a fork of Codex, with its position in the order of events. */
export interface ForkEvent {
  /** The id of the request to which it belongs. */
  readonly id?: string | null;
  /** The position of the event in that request. */
  readonly event_seq?: number | null;
  /** The position of the event among those of the server. */
  readonly order?: ObjectValue | null;
  /** The event. */
  readonly msg: EventMsg;
}

/**
 * A line of any other type. Normalizing turns a line with a `record_type` (up to 0.29) into such a
 * line: its type is `state`, its payload the whole line.
 */
export interface UnknownRolloutLine extends RolloutLineFields {
  /** The type: none of {@linkcode KnownRolloutLineType}. */
  readonly type: string;
  /** The content of the line. */
  readonly payload: ObjectValue;
}

const LINE: Members<RolloutLineFields> = {
  timestamp: optional(STRING),
  ordinal: maybe(NUMBER),
  metadata: maybe(ANY_OBJECT),
};

/** @ignore The shape of each known line. */
export const ROLLOUT_LINES: ShapesOf<RolloutLines> = typed({
  session_meta: { ...LINE, payload: SESSION_META },
  response_item: { ...LINE, payload: RESPONSE_ITEM },
  event_msg: { ...LINE, payload: EVENT_MSG },
  turn_context: { ...LINE, payload: TURN_CONTEXT },
  compacted: { ...LINE, payload: COMPACTED },
  world_state: { ...LINE, payload: WORLD_STATE },
  inter_agent_communication: { ...LINE, payload: INTER_AGENT_COMMUNICATION },
  inter_agent_communication_metadata: {
    ...LINE,
    payload: INTER_AGENT_COMMUNICATION_METADATA,
  },
  token_usage_record: { ...LINE, payload: TOKEN_USAGE_RECORD },
  event: {
    ...LINE,
    payload: object<ForkEvent>({
      id: maybe(STRING),
      event_seq: maybe(NUMBER),
      order: maybe(ANY_OBJECT),
      msg: EVENT_MSG,
    }),
  },
});

/** @ignore The shape of a line. */
export const ROLLOUT_LINE: Shape<RolloutLine> = variant<RolloutLine, "type">(
  "type",
  ROLLOUT_LINES,
  object<UnknownRolloutLine>({ ...LINE, type: STRING, payload: ANY_OBJECT }),
);

/**
 * Returns whether a line has a known type. After this check, `switch` on `type` narrows the type of
 * the payload, and may end in `line satisfies never`.
 *
 * @param line The line.
 * @returns Whether its type is a {@linkcode KnownRolloutLineType}.
 *
 * @example Summarize the lines of a file
 * ```ts
 * import { isKnownRolloutLine, type RolloutLine } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * function summary(line: RolloutLine): string {
 *   if (!isKnownRolloutLine(line)) return `something new: ${line.type}`;
 *   switch (line.type) {
 *     case "session_meta":
 *       return `session ${line.payload.id}`;
 *     case "turn_context":
 *       return `${line.payload.model} in ${line.payload.cwd}`;
 *     default:
 *       return line.type;
 *   }
 * }
 *
 * const payload = { model: "gpt-5", cwd: "/w" };
 * assertEquals(summary({ type: "turn_context", payload }), "gpt-5 in /w");
 * assertEquals(summary({ type: "state", payload: {} }), "something new: state");
 * ```
 */
export function isKnownRolloutLine(
  line: RolloutLine,
): line is KnownRolloutLine {
  return Object.hasOwn(ROLLOUT_LINES, line.type);
}

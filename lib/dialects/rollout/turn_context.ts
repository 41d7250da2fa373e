/**
 * What a rollout says of the settings and the surroundings of its turns.
 *
 * @module
 */

import {
  ANY,
  ANY_OBJECT,
  BOOLEAN,
  either,
  list,
  maybe,
  NUMBER,
  object,
  optional,
  type Shape,
  STRING,
} from "../../shapes/shapes.ts";

/**
 * The settings of a turn. Up to 0.104 written for each request to the model, since 0.115
 * once a turn.
 */
export interface TurnContext {
  /** The working directory. */
  readonly cwd: string;
  /** The id of the turn (0.104 and later). */
  readonly turn_id?: string | null;
  /** The id of the turn that this one belongs to (0.155 and later). */
  readonly root_turn_id?: string | null;
  /** When the user is asked, such as `never`. */
  readonly approval_policy?: string | ObjectValue | null;
  /** Who is asked (0.145 and later), such as `user`. */
  readonly approvals_reviewer?: string | null;
  /** What commands may do. */
  readonly sandbox_policy?: SandboxPolicy | null;
  /** What commands may do, in detail (0.130 and later). */
  readonly permission_profile?: ObjectValue | null;
  /** The model. */
  readonly model: string;
  /** How much the model thinks (0.72 and later), such as `high`. */
  readonly effort?: string | null;
  /** How reasoning is summed up: `auto`, `detailed`, `none`. */
  readonly summary?: string | null;
  /** How the agent and the user work together (0.92 and later). */
  readonly collaboration_mode?: CollaborationMode | null;
  /** The tone of the agent (0.98 to 0.155). */
  readonly personality?: string | null;
  /** The instructions of the user (0.80 to 0.130). */
  readonly user_instructions?: string | null;
  /** The instructions of the developer. Not captured. */
  readonly developer_instructions?: string | null;
  /** The instructions of the model (0.80). */
  readonly base_instructions?: string | null;
  /** What the last message must look like, a JSON Schema (0.80 to 0.130). */
  readonly final_output_json_schema?: unknown;
  /** How outputs are cut (0.80 to 0.130). */
  readonly truncation_policy?: TruncationPolicy | null;
  /** The date (0.115 to 0.160), `YYYY-MM-DD`. */
  readonly current_date?: string | null;
  /** The time zone (0.115 to 0.160). */
  readonly timezone?: string | null;
  /** Whether voice is on (0.115 and later). */
  readonly realtime_active?: boolean | null;
  /** The roots of the workspace (0.136 to 0.160). */
  readonly workspace_roots?: readonly string[] | null;
  /** The plugins that are off (0.155 and later). */
  readonly disabled_plugin_ids?: readonly string[] | null;
  /** How agents work together (0.142 and later). */
  readonly multi_agent_version?: string | null;
  /** A hash of what the model is shown (0.145 and later). */
  readonly comp_hash?: string | null;
}

/** An object whose fields are not named here. */
export interface ObjectValue {
  /** The value of a field. */
  readonly [name: string]: unknown;
}

/** What commands may do. Either `mode` or `type` says the sort. */
export interface SandboxPolicy {
  /** `read-only`, `workspace-write`, `danger-full-access` (0.61 and later). */
  readonly type?: string | null;
  /** The same (0.36 to 0.58). */
  readonly mode?: string | null;
  /** Whether the network may be used; in some releases a word. */
  readonly network_access?: boolean | string | null;
  /** Folders that may be written to, besides the working directory. */
  readonly writable_roots?: readonly string[] | null;
  /** Whether the folder that `TMPDIR` names may not be written to. */
  readonly exclude_tmpdir_env_var?: boolean | null;
  /** Whether `/tmp` may not be written to. */
  readonly exclude_slash_tmp?: boolean | null;
}

/** How the agent and the user work together. */
export interface CollaborationMode {
  /** `default`, `custom`, `plan`. */
  readonly mode?: string | null;
  /** What the mode sets. */
  readonly settings?: CollaborationSettings | null;
}

/** What a {@linkcode CollaborationMode} sets. */
export interface CollaborationSettings {
  /** The model. */
  readonly model?: string | null;
  /** How much the model thinks. */
  readonly reasoning_effort?: string | null;
  /** Instructions of the developer. */
  readonly developer_instructions?: string | null;
}

/** How outputs are cut. */
export interface TruncationPolicy {
  /** What is counted: `bytes` or `tokens`. */
  readonly mode?: string | null;
  /** How much is kept. */
  readonly limit?: number | null;
}

/** What the model knows of its surroundings (0.145 and later). */
export interface WorldState {
  /** Whether `state` is all of it; otherwise what has changed, as a JSON merge patch. */
  readonly full: boolean;
  /** The surroundings: environments, permissions, skills, tools, … */
  readonly state: ObjectValue;
}

/** A message from one agent to another (0.142). */
export interface InterAgentCommunication {
  /** The agent that it is from. */
  readonly author?: string | null;
  /** The agent that it is for. */
  readonly recipient?: string | null;
  /** Other agents that it is for. */
  readonly other_recipients?: readonly unknown[] | null;
  /** The text; may be empty where it is encrypted. */
  readonly content?: string | null;
  /** The encrypted text. */
  readonly encrypted_content?: string | null;
  /** Whether it starts a turn. */
  readonly trigger_turn?: boolean | null;
}

/** What is said of the message between agents that comes next (0.150 and later). */
export interface InterAgentCommunicationMetadata {
  /** Whether it starts a turn. */
  readonly trigger_turn?: boolean | null;
}

const COLLABORATION_SETTINGS = object<CollaborationSettings>({
  model: maybe(STRING),
  reasoning_effort: maybe(STRING),
  developer_instructions: maybe(STRING),
});

const COLLABORATION_MODE = object<CollaborationMode>({
  mode: maybe(STRING),
  settings: maybe(COLLABORATION_SETTINGS),
});

const SANDBOX_POLICY = object<SandboxPolicy>({
  type: maybe(STRING),
  mode: maybe(STRING),
  network_access: maybe(either(BOOLEAN, STRING)),
  writable_roots: maybe(list(STRING)),
  exclude_tmpdir_env_var: maybe(BOOLEAN),
  exclude_slash_tmp: maybe(BOOLEAN),
});

const TRUNCATION_POLICY = object<TruncationPolicy>({
  mode: maybe(STRING),
  limit: maybe(NUMBER),
});

/** @ignore The shape of {@linkcode TurnContext}. */
export const TURN_CONTEXT: Shape<TurnContext> = object({
  cwd: STRING,
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  approval_policy: maybe(either(STRING, ANY_OBJECT)),
  approvals_reviewer: maybe(STRING),
  sandbox_policy: maybe(SANDBOX_POLICY),
  permission_profile: maybe(ANY_OBJECT),
  model: STRING,
  effort: maybe(STRING),
  summary: maybe(STRING),
  collaboration_mode: maybe(COLLABORATION_MODE),
  personality: maybe(STRING),
  user_instructions: maybe(STRING),
  developer_instructions: maybe(STRING),
  base_instructions: maybe(STRING),
  final_output_json_schema: optional(ANY),
  truncation_policy: maybe(TRUNCATION_POLICY),
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
> = object({
  trigger_turn: maybe(BOOLEAN),
});

/** The shapes of what lines say of sessions, turns and tokens. */

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
} from "./_shapes.ts";
import type {
  BaseInstructions,
  ContextWindow,
  GitInfo,
  HistoryPrefix,
  InstructionsProvenance,
  SessionMeta,
  SessionSource,
  SubagentSource,
  ThreadSpawn,
} from "./session_meta.ts";
import type {
  RateLimits,
  RateLimitWindow,
  TokenCountInfo,
  TokenCounts,
  TokenUsageRecord,
} from "./token_counts.ts";
import type {
  CollaborationMode,
  CollaborationSettings,
  InterAgentCommunication,
  InterAgentCommunicationMetadata,
  SandboxPolicy,
  TruncationPolicy,
  TurnContext,
  WorldState,
} from "./turn_context.ts";

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

/** The shape of {@linkcode SessionMeta}. */
export const SESSION_META: Shape<SessionMeta> = object<SessionMeta>({
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

/** The shape of {@linkcode TurnContext}. */
export const TURN_CONTEXT: Shape<TurnContext> = object<TurnContext>({
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

/** The shape of {@linkcode WorldState}. */
export const WORLD_STATE: Shape<WorldState> = object<WorldState>({
  full: BOOLEAN,
  state: ANY_OBJECT,
});

/** The shape of {@linkcode InterAgentCommunication}. */
export const INTER_AGENT_COMMUNICATION: Shape<InterAgentCommunication> = object<
  InterAgentCommunication
>({
  author: maybe(STRING),
  recipient: maybe(STRING),
  other_recipients: maybe(list(ANY)),
  content: maybe(STRING),
  encrypted_content: maybe(STRING),
  trigger_turn: maybe(BOOLEAN),
});

/** The shape of {@linkcode InterAgentCommunicationMetadata}. */
export const INTER_AGENT_COMMUNICATION_METADATA: Shape<
  InterAgentCommunicationMetadata
> = object<InterAgentCommunicationMetadata>({
  trigger_turn: maybe(BOOLEAN),
});

/** The shape of {@linkcode TokenCounts}. */
export const TOKEN_COUNTS: Shape<TokenCounts> = object<TokenCounts>({
  input_tokens: NUMBER,
  cached_input_tokens: maybe(NUMBER),
  cache_write_input_tokens: maybe(NUMBER),
  output_tokens: NUMBER,
  reasoning_output_tokens: maybe(NUMBER),
  total_tokens: maybe(NUMBER),
});

/** The shape of {@linkcode TokenCountInfo}. */
export const TOKEN_COUNT_INFO: Shape<TokenCountInfo> = object<TokenCountInfo>({
  total_token_usage: TOKEN_COUNTS,
  last_token_usage: TOKEN_COUNTS,
  model_context_window: maybe(NUMBER),
  last_usage_includes_reasoning: maybe(BOOLEAN),
});

const RATE_LIMIT_WINDOW = object<RateLimitWindow>({
  used_percent: maybe(NUMBER),
  window_minutes: maybe(NUMBER),
  resets_at: maybe(either(NUMBER, STRING)),
  resets_in_seconds: maybe(NUMBER),
});

/** The shape of {@linkcode RateLimits}. */
export const RATE_LIMITS: Shape<RateLimits> = object<RateLimits>({
  primary: maybe(RATE_LIMIT_WINDOW),
  secondary: maybe(RATE_LIMIT_WINDOW),
  limit_id: maybe(STRING),
  limit_name: maybe(STRING),
  credits: optional(ANY),
  plan_type: maybe(STRING),
  individual_limit: optional(ANY),
  rate_limit_reached_type: optional(ANY),
  spend_control_reached: optional(ANY),
});

/** The shape of {@linkcode TokenUsageRecord}. */
export const TOKEN_USAGE_RECORD: Shape<TokenUsageRecord> = object<
  TokenUsageRecord
>({
  thread_id: STRING,
  turn_id: maybe(STRING),
  session_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  response_id: maybe(STRING),
  usage: TOKEN_COUNTS,
  turn_token_usage: maybe(TOKEN_COUNTS),
  thread_token_usage: maybe(TOKEN_COUNTS),
});

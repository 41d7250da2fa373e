/**
 * The names of spans, attributes and events, by one version of OpenTelemetry's conventions. All
 * of `gen_ai.*` is in development and may have other names in the next version.
 *
 * @module
 */

/** The URL of the version of the conventions. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";

/** The operations: the first words of the names of spans. */
export const OPERATION = {
  turn: "invoke_agent",
  request: "chat",
  call: "execute_tool",
} as const;

/** The kinds of spans, by their numbers in OTLP. */
export const SPAN_KIND = { internal: 1, client: 3 } as const;

/** The status of a span that failed, by its number in OTLP. */
export const STATUS_ERROR = 2;

/** The attributes. Names that the conventions do not define begin with `codex.`. */
export const ATTRIBUTE = {
  agentName: "gen_ai.agent.name",
  agentVersion: "gen_ai.agent.version",
  conversation: "gen_ai.conversation.id",
  inputMessages: "gen_ai.input.messages",
  operation: "gen_ai.operation.name",
  outputMessages: "gen_ai.output.messages",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  response: "gen_ai.response.id",
  arguments: "gen_ai.tool.call.arguments",
  call: "gen_ai.tool.call.id",
  result: "gen_ai.tool.call.result",
  tool: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  cacheCreation: "gen_ai.usage.cache_creation.input_tokens",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  error: "error.type",
  exitCode: "process.exit.code",
  folder: "process.working_directory",
  serviceName: "service.name",
  serviceVersion: "service.version",
  branch: "vcs.ref.head.name",
  commit: "vcs.ref.head.revision",
  repository: "vcs.repository.url.full",
  agentNickname: "codex.agent.nickname",
  agentPath: "codex.agent.path",
  agentRole: "codex.agent.role",
  callStatus: "codex.call.status",
  forkedFrom: "codex.thread.forked_from_id",
  parentThread: "codex.thread.parent_id",
  retryMessage: "codex.retry.message",
  turn: "codex.turn.id",
  turnStatus: "codex.turn.status",
} as const;

/** The names of span events, by the types of the items that they are made from. */
export const SPAN_EVENTS: ReadonlyMap<unknown, string> = new Map([
  ["context_compaction", "codex.compaction"],
  ["exec_approval_request", "codex.approval_request"],
  ["apply_patch_approval_request", "codex.approval_request"],
  ["thread_rolled_back", "codex.rollback"],
  ["entered_review_mode", "codex.review_started"],
  ["exited_review_mode", "codex.review_ended"],
]);

/** The span event for a request that is sent again. */
export const RETRY_EVENT = "codex.retry";

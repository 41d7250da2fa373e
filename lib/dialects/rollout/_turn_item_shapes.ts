/** The shapes of the items of a turn. */

import {
  DURATION,
  ERROR_INFO,
  FILE_PATCHES,
  MCP_RESULT,
  PARSED_STEP,
  REVIEW_OUTPUT,
  REVIEW_TARGET,
  WEB_SEARCH_ACTION,
} from "./_detail_shapes.ts";
import {
  ANY,
  BOOLEAN,
  list,
  maybe,
  type Members,
  NUMBER,
  object,
  optional,
  type Shape,
  type ShapesOf,
  STRING,
  tagged,
  typed,
  UNKNOWN_KIND,
} from "./_shapes.ts";
import type {
  AgentMessageTurnItem,
  CollabAgentToolCallTurnItem,
  CommandExecutionTurnItem,
  ContextCompactionTurnItem,
  DynamicToolCallTurnItem,
  EnteredReviewModeTurnItem,
  ExitedReviewModeTurnItem,
  FileChangeTurnItem,
  ImageGenerationTurnItem,
  ImageViewTurnItem,
  McpToolCallTurnItem,
  PlanTurnItem,
  ReasoningTurnItem,
  SleepTurnItem,
  SubAgentActivityTurnItem,
  TurnItem,
  TurnItemFields,
  TurnItems,
  TurnMessagePart,
  UserMessageTurnItem,
  WebSearchTurnItem,
} from "./turn_items.ts";

const TURN_ITEM_FIELDS: Members<TurnItemFields> = {
  id: STRING,
};

const TURN_MESSAGE_PART = object<TurnMessagePart>({
  type: STRING,
  text: maybe(STRING),
  text_elements: maybe(list(ANY)),
  path: maybe(STRING),
  image_url: maybe(STRING),
});

const AGENT_MESSAGE_TURN_ITEM = typed<AgentMessageTurnItem>("AgentMessage", {
  ...TURN_ITEM_FIELDS,
  content: list(TURN_MESSAGE_PART),
  phase: maybe(STRING),
});

const COLLAB_AGENT_TOOL_CALL_TURN_ITEM = typed<CollabAgentToolCallTurnItem>(
  "CollabAgentToolCall",
  {
    ...TURN_ITEM_FIELDS,
    tool: STRING,
    status: maybe(STRING),
    sender_thread_id: maybe(STRING),
    receiver_thread_ids: maybe(list(STRING)),
    receiver_agents: maybe(list(ANY)),
    prompt: maybe(STRING),
    agents_states: optional(ANY),
  },
);

const COMMAND_EXECUTION_TURN_ITEM = typed<CommandExecutionTurnItem>(
  "CommandExecution",
  {
    ...TURN_ITEM_FIELDS,
    command: list(STRING),
    cwd: maybe(STRING),
    process_id: maybe(STRING),
    parsed_cmd: maybe(list(PARSED_STEP)),
    source: maybe(STRING),
    status: maybe(STRING),
    stdout: maybe(STRING),
    stderr: maybe(STRING),
    aggregated_output: maybe(STRING),
    formatted_output: maybe(STRING),
    exit_code: maybe(NUMBER),
    duration: maybe(DURATION),
  },
);

const CONTEXT_COMPACTION_TURN_ITEM = typed<ContextCompactionTurnItem>(
  "ContextCompaction",
  {
    ...TURN_ITEM_FIELDS,
  },
);

const DYNAMIC_TOOL_CALL_TURN_ITEM = typed<DynamicToolCallTurnItem>(
  "DynamicToolCall",
  {
    ...TURN_ITEM_FIELDS,
    tool: maybe(STRING),
    namespace: maybe(STRING),
    arguments: optional(ANY),
    status: maybe(STRING),
    content_items: maybe(list(ANY)),
    success: maybe(BOOLEAN),
  },
);

const ENTERED_REVIEW_MODE_TURN_ITEM = typed<EnteredReviewModeTurnItem>(
  "EnteredReviewMode",
  {
    ...TURN_ITEM_FIELDS,
    target: maybe(REVIEW_TARGET),
    user_facing_hint: maybe(STRING),
  },
);

const EXITED_REVIEW_MODE_TURN_ITEM = typed<ExitedReviewModeTurnItem>(
  "ExitedReviewMode",
  {
    ...TURN_ITEM_FIELDS,
    review_output: maybe(REVIEW_OUTPUT),
  },
);

const FILE_CHANGE_TURN_ITEM = typed<FileChangeTurnItem>("FileChange", {
  ...TURN_ITEM_FIELDS,
  changes: FILE_PATCHES,
  status: maybe(STRING),
  stdout: maybe(STRING),
  stderr: maybe(STRING),
});

const IMAGE_GENERATION_TURN_ITEM = typed<ImageGenerationTurnItem>(
  "ImageGeneration",
  {
    ...TURN_ITEM_FIELDS,
    status: maybe(STRING),
    revised_prompt: maybe(STRING),
    result: maybe(STRING),
    saved_path: maybe(STRING),
  },
);

const IMAGE_VIEW_TURN_ITEM = typed<ImageViewTurnItem>("ImageView", {
  ...TURN_ITEM_FIELDS,
  path: STRING,
});

const MCP_TOOL_CALL_TURN_ITEM = typed<McpToolCallTurnItem>("McpToolCall", {
  ...TURN_ITEM_FIELDS,
  server: STRING,
  tool: STRING,
  arguments: optional(ANY),
  readOnlyHint: maybe(BOOLEAN),
  status: maybe(STRING),
  result: maybe(MCP_RESULT),
  error: maybe(ERROR_INFO),
  duration: maybe(DURATION),
});

const PLAN_TURN_ITEM = typed<PlanTurnItem>("Plan", {
  ...TURN_ITEM_FIELDS,
  text: maybe(STRING),
});

const REASONING_TURN_ITEM = typed<ReasoningTurnItem>("Reasoning", {
  ...TURN_ITEM_FIELDS,
  summary_text: list(STRING),
  raw_content: maybe(list(STRING)),
});

const SLEEP_TURN_ITEM = typed<SleepTurnItem>("Sleep", {
  ...TURN_ITEM_FIELDS,
  duration_ms: maybe(NUMBER),
});

const SUB_AGENT_ACTIVITY_TURN_ITEM = typed<SubAgentActivityTurnItem>(
  "SubAgentActivity",
  {
    ...TURN_ITEM_FIELDS,
    kind: STRING,
    agent_thread_id: maybe(STRING),
    agent_path: maybe(STRING),
    model: maybe(STRING),
    reasoning_effort: maybe(STRING),
  },
);

const USER_MESSAGE_TURN_ITEM = typed<UserMessageTurnItem>("UserMessage", {
  ...TURN_ITEM_FIELDS,
  content: list(TURN_MESSAGE_PART),
  client_id: maybe(STRING),
});

const WEB_SEARCH_TURN_ITEM = typed<WebSearchTurnItem>("WebSearch", {
  ...TURN_ITEM_FIELDS,
  query: maybe(STRING),
  action: maybe(WEB_SEARCH_ACTION),
});

/** The shape of each item of a turn that is known. */
export const TURN_ITEMS: ShapesOf<TurnItems> = {
  UserMessage: USER_MESSAGE_TURN_ITEM,
  AgentMessage: AGENT_MESSAGE_TURN_ITEM,
  Reasoning: REASONING_TURN_ITEM,
  Plan: PLAN_TURN_ITEM,
  CommandExecution: COMMAND_EXECUTION_TURN_ITEM,
  FileChange: FILE_CHANGE_TURN_ITEM,
  McpToolCall: MCP_TOOL_CALL_TURN_ITEM,
  DynamicToolCall: DYNAMIC_TOOL_CALL_TURN_ITEM,
  WebSearch: WEB_SEARCH_TURN_ITEM,
  ImageView: IMAGE_VIEW_TURN_ITEM,
  ImageGeneration: IMAGE_GENERATION_TURN_ITEM,
  CollabAgentToolCall: COLLAB_AGENT_TOOL_CALL_TURN_ITEM,
  SubAgentActivity: SUB_AGENT_ACTIVITY_TURN_ITEM,
  EnteredReviewMode: ENTERED_REVIEW_MODE_TURN_ITEM,
  ExitedReviewMode: EXITED_REVIEW_MODE_TURN_ITEM,
  ContextCompaction: CONTEXT_COMPACTION_TURN_ITEM,
  Sleep: SLEEP_TURN_ITEM,
};

/** The shape of an item of a turn. */
export const TURN_ITEM: Shape<TurnItem> = tagged<TurnItem>(
  TURN_ITEMS,
  UNKNOWN_KIND,
);

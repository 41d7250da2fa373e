/** The shapes of response items. */

import { CONTENT_PART, WEB_SEARCH_ACTION } from "./_detail_shapes.ts";
import {
  ANY,
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
  tagged,
  typed,
  UNKNOWN_KIND,
} from "./_shapes.ts";
import type {
  AdditionalToolsItem,
  AgentMessageItem,
  CallOutput,
  CallOutputItem,
  CompactionItem,
  CustomToolCallItem,
  FunctionCallItem,
  GhostCommit,
  GhostSnapshotItem,
  ImageGenerationCallItem,
  ItemPassthrough,
  LocalShellAction,
  LocalShellCallItem,
  MessageItem,
  ReasoningItem,
  ResponseItem,
  ResponseItemFields,
  ResponseItems,
  ToolSearchCallItem,
  ToolSearchOutputItem,
  WebSearchCallItem,
} from "./response_items.ts";

const ITEM_PASSTHROUGH = object<ItemPassthrough>({
  turn_id: maybe(STRING),
  create_time: maybe(NUMBER),
  content_item_kinds: maybe(list(nullable(STRING))),
  content_item_metadata: maybe(list(ANY)),
});

const RESPONSE_ITEM_FIELDS: Members<ResponseItemFields> = {
  id: maybe(STRING),
  internal_chat_message_metadata_passthrough: maybe(ITEM_PASSTHROUGH),
};

const ADDITIONAL_TOOLS_ITEM = typed<AdditionalToolsItem>("additional_tools", {
  ...RESPONSE_ITEM_FIELDS,
  role: maybe(STRING),
  tools: maybe(list(ANY)),
});

const AGENT_MESSAGE_ITEM = typed<AgentMessageItem>("agent_message", {
  ...RESPONSE_ITEM_FIELDS,
  author: STRING,
  recipient: STRING,
  content: list(CONTENT_PART),
});

const CALL_OUTPUT = object<CallOutput>({
  content: maybe(STRING),
  success: maybe(BOOLEAN),
});

const CALL_OUTPUT_ITEM: Members<Omit<CallOutputItem<string>, "type">> = {
  ...RESPONSE_ITEM_FIELDS,
  call_id: maybe(STRING),
  name: maybe(STRING),
  namespace: maybe(STRING),
  output: maybe(either(either(STRING, list(CONTENT_PART)), CALL_OUTPUT)),
};

const COMPACTION_ITEM: Members<Omit<CompactionItem<string>, "type">> = {
  ...RESPONSE_ITEM_FIELDS,
  encrypted_content: maybe(STRING),
};

const CUSTOM_TOOL_CALL_ITEM = typed<CustomToolCallItem>("custom_tool_call", {
  ...RESPONSE_ITEM_FIELDS,
  name: STRING,
  input: STRING,
  call_id: STRING,
  status: maybe(STRING),
});

const FUNCTION_CALL_ITEM = typed<FunctionCallItem>("function_call", {
  ...RESPONSE_ITEM_FIELDS,
  name: STRING,
  namespace: maybe(STRING),
  arguments: STRING,
  call_id: STRING,
  status: maybe(STRING),
});

const GHOST_COMMIT = object<GhostCommit>({
  id: STRING,
  parent: maybe(STRING),
  preexisting_untracked_files: maybe(list(STRING)),
  preexisting_untracked_dirs: maybe(list(STRING)),
});

const GHOST_SNAPSHOT_ITEM = typed<GhostSnapshotItem>("ghost_snapshot", {
  ...RESPONSE_ITEM_FIELDS,
  ghost_commit: GHOST_COMMIT,
});

const IMAGE_GENERATION_CALL_ITEM = typed<ImageGenerationCallItem>(
  "image_generation_call",
  {
    ...RESPONSE_ITEM_FIELDS,
    status: maybe(STRING),
    revised_prompt: maybe(STRING),
    result: maybe(STRING),
  },
);

const LOCAL_SHELL_ACTION = object<LocalShellAction>({
  type: STRING,
  command: maybe(list(STRING)),
  timeout_ms: maybe(NUMBER),
  working_directory: maybe(STRING),
  env: optional(ANY),
  user: maybe(STRING),
});

const LOCAL_SHELL_CALL_ITEM = typed<LocalShellCallItem>("local_shell_call", {
  ...RESPONSE_ITEM_FIELDS,
  call_id: maybe(STRING),
  status: maybe(STRING),
  action: LOCAL_SHELL_ACTION,
});

const MESSAGE_ITEM = typed<MessageItem>("message", {
  ...RESPONSE_ITEM_FIELDS,
  role: STRING,
  content: list(CONTENT_PART),
  phase: maybe(STRING),
  status: maybe(STRING),
});

const REASONING_ITEM = typed<ReasoningItem>("reasoning", {
  ...RESPONSE_ITEM_FIELDS,
  summary: list(CONTENT_PART),
  content: maybe(list(CONTENT_PART)),
  encrypted_content: maybe(STRING),
});

const TOOL_SEARCH_CALL_ITEM = typed<ToolSearchCallItem>("tool_search_call", {
  ...RESPONSE_ITEM_FIELDS,
  call_id: maybe(STRING),
  status: maybe(STRING),
  execution: maybe(STRING),
  arguments: optional(ANY),
});

const TOOL_SEARCH_OUTPUT_ITEM = typed<ToolSearchOutputItem>(
  "tool_search_output",
  {
    ...RESPONSE_ITEM_FIELDS,
    call_id: maybe(STRING),
    status: maybe(STRING),
    execution: maybe(STRING),
    tools: maybe(list(ANY)),
  },
);

const WEB_SEARCH_CALL_ITEM = typed<WebSearchCallItem>("web_search_call", {
  ...RESPONSE_ITEM_FIELDS,
  status: maybe(STRING),
  action: maybe(WEB_SEARCH_ACTION),
});

/** The shape of each response item that is known. */
export const RESPONSE_ITEMS: ShapesOf<ResponseItems> = {
  message: MESSAGE_ITEM,
  agent_message: AGENT_MESSAGE_ITEM,
  reasoning: REASONING_ITEM,
  local_shell_call: LOCAL_SHELL_CALL_ITEM,
  local_shell_call_output: typed<CallOutputItem<"local_shell_call_output">>(
    "local_shell_call_output",
    CALL_OUTPUT_ITEM,
  ),
  function_call: FUNCTION_CALL_ITEM,
  function_call_output: typed<CallOutputItem<"function_call_output">>(
    "function_call_output",
    CALL_OUTPUT_ITEM,
  ),
  custom_tool_call: CUSTOM_TOOL_CALL_ITEM,
  custom_tool_call_output: typed<CallOutputItem<"custom_tool_call_output">>(
    "custom_tool_call_output",
    CALL_OUTPUT_ITEM,
  ),
  tool_search_call: TOOL_SEARCH_CALL_ITEM,
  tool_search_output: TOOL_SEARCH_OUTPUT_ITEM,
  web_search_call: WEB_SEARCH_CALL_ITEM,
  image_generation_call: IMAGE_GENERATION_CALL_ITEM,
  ghost_snapshot: GHOST_SNAPSHOT_ITEM,
  additional_tools: ADDITIONAL_TOOLS_ITEM,
  compaction: typed<CompactionItem<"compaction">>(
    "compaction",
    COMPACTION_ITEM,
  ),
  compaction_summary: typed<CompactionItem<"compaction_summary">>(
    "compaction_summary",
    COMPACTION_ITEM,
  ),
  context_compaction: typed<CompactionItem<"context_compaction">>(
    "context_compaction",
    COMPACTION_ITEM,
  ),
  compaction_trigger: typed<CompactionItem<"compaction_trigger">>(
    "compaction_trigger",
    COMPACTION_ITEM,
  ),
  other: typed<CompactionItem<"other">>("other", COMPACTION_ITEM),
};

/** The shape of a response item. */
export const RESPONSE_ITEM: Shape<ResponseItem> = tagged<ResponseItem>(
  RESPONSE_ITEMS,
  UNKNOWN_KIND,
);

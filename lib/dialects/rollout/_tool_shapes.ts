/** The shapes of events about what the agent does. */

import {
  DURATION,
  FILE_PATCHES,
  MCP_INVOCATION,
  MCP_OUTCOME,
  PARSED_STEP,
  WEB_SEARCH_ACTION,
} from "./_detail_shapes.ts";
import {
  BOOLEAN,
  either,
  list,
  maybe,
  type Members,
  NUMBER,
  object,
  type ShapesOf,
  STRING,
  typed,
} from "./_shapes.ts";
import type {
  CallMsgFields,
  CommandMsgFields,
  ExecCommandBeginMsg,
  ExecCommandEndMsg,
  ExecCommandOutputDeltaMsg,
  ImageGenerationBeginMsg,
  ImageGenerationEndMsg,
  McpToolCallBeginMsg,
  McpToolCallEndMsg,
  OtherCallMsg,
  OtherCallMsgs,
  PatchApplyEndMsg,
  PatchMsg,
  PlannedStep,
  PlanUpdateMsg,
  ToolMsgs,
  TurnDiffMsg,
  ViewImageToolCallMsg,
  WebSearchBeginMsg,
  WebSearchEndMsg,
} from "./tool_msgs.ts";

const CALL_MSG_FIELDS: Members<CallMsgFields> = {
  call_id: STRING,
  turn_id: maybe(STRING),
};

const COMMAND_MSG_FIELDS: Members<CommandMsgFields> = {
  ...CALL_MSG_FIELDS,
  command: maybe(list(STRING)),
  cwd: maybe(STRING),
  parsed_cmd: maybe(list(PARSED_STEP)),
  source: maybe(STRING),
  process_id: maybe(STRING),
};

const EXEC_COMMAND_BEGIN_MSG = typed<ExecCommandBeginMsg>(
  "exec_command_begin",
  {
    ...COMMAND_MSG_FIELDS,
  },
);

const EXEC_COMMAND_OUTPUT_DELTA_MSG = typed<ExecCommandOutputDeltaMsg>(
  "exec_command_output_delta",
  {
    ...CALL_MSG_FIELDS,
    stream: maybe(STRING),
    chunk: either(STRING, list(NUMBER)),
  },
);

const EXEC_COMMAND_END_MSG = typed<ExecCommandEndMsg>("exec_command_end", {
  ...COMMAND_MSG_FIELDS,
  stdout: maybe(STRING),
  stderr: maybe(STRING),
  aggregated_output: maybe(STRING),
  formatted_output: maybe(STRING),
  exit_code: maybe(NUMBER),
  duration: maybe(DURATION),
  status: maybe(STRING),
});

const PATCH_MSG: Members<Omit<PatchMsg<string>, "type">> = {
  ...CALL_MSG_FIELDS,
  changes: maybe(FILE_PATCHES),
  auto_approved: maybe(BOOLEAN),
  reason: maybe(STRING),
  grant_root: maybe(STRING),
};

const PATCH_APPLY_END_MSG = typed<PatchApplyEndMsg>("patch_apply_end", {
  ...CALL_MSG_FIELDS,
  success: BOOLEAN,
  stdout: maybe(STRING),
  stderr: maybe(STRING),
  changes: maybe(FILE_PATCHES),
  status: maybe(STRING),
});

const MCP_TOOL_CALL_BEGIN_MSG = typed<McpToolCallBeginMsg>(
  "mcp_tool_call_begin",
  {
    ...CALL_MSG_FIELDS,
    invocation: maybe(MCP_INVOCATION),
  },
);

const MCP_TOOL_CALL_END_MSG = typed<McpToolCallEndMsg>("mcp_tool_call_end", {
  ...CALL_MSG_FIELDS,
  invocation: maybe(MCP_INVOCATION),
  duration: maybe(DURATION),
  result: MCP_OUTCOME,
});

const WEB_SEARCH_BEGIN_MSG = typed<WebSearchBeginMsg>("web_search_begin", {
  ...CALL_MSG_FIELDS,
  query: maybe(STRING),
});

const WEB_SEARCH_END_MSG = typed<WebSearchEndMsg>("web_search_end", {
  ...CALL_MSG_FIELDS,
  query: maybe(STRING),
  action: maybe(WEB_SEARCH_ACTION),
});

const VIEW_IMAGE_TOOL_CALL_MSG = typed<ViewImageToolCallMsg>(
  "view_image_tool_call",
  {
    ...CALL_MSG_FIELDS,
    path: maybe(STRING),
  },
);

const IMAGE_GENERATION_BEGIN_MSG = typed<ImageGenerationBeginMsg>(
  "image_generation_begin",
  {
    ...CALL_MSG_FIELDS,
  },
);

const IMAGE_GENERATION_END_MSG = typed<ImageGenerationEndMsg>(
  "image_generation_end",
  {
    ...CALL_MSG_FIELDS,
    status: maybe(STRING),
    revised_prompt: maybe(STRING),
    result: maybe(STRING),
    saved_path: maybe(STRING),
  },
);

const PLANNED_STEP = object<PlannedStep>({
  step: STRING,
  status: maybe(STRING),
});

const PLAN_UPDATE_MSG = typed<PlanUpdateMsg>("plan_update", {
  explanation: maybe(STRING),
  plan: list(PLANNED_STEP),
});

const TURN_DIFF_MSG = typed<TurnDiffMsg>("turn_diff", {
  unified_diff: STRING,
});

const OTHER_CALL_MSG: Members<Omit<OtherCallMsg<string>, "type">> = {
  call_id: maybe(STRING),
};

const OTHER_CALLS: ShapesOf<OtherCallMsgs> = {
  dynamic_tool_call_request: typed<OtherCallMsg<"dynamic_tool_call_request">>(
    "dynamic_tool_call_request",
    OTHER_CALL_MSG,
  ),
  dynamic_tool_call_response: typed<OtherCallMsg<"dynamic_tool_call_response">>(
    "dynamic_tool_call_response",
    OTHER_CALL_MSG,
  ),
  custom_tool_call_begin: typed<OtherCallMsg<"custom_tool_call_begin">>(
    "custom_tool_call_begin",
    OTHER_CALL_MSG,
  ),
  custom_tool_call_update: typed<OtherCallMsg<"custom_tool_call_update">>(
    "custom_tool_call_update",
    OTHER_CALL_MSG,
  ),
  custom_tool_call_end: typed<OtherCallMsg<"custom_tool_call_end">>(
    "custom_tool_call_end",
    OTHER_CALL_MSG,
  ),
  collab_agent_spawn_begin: typed<OtherCallMsg<"collab_agent_spawn_begin">>(
    "collab_agent_spawn_begin",
    OTHER_CALL_MSG,
  ),
  collab_agent_spawn_end: typed<OtherCallMsg<"collab_agent_spawn_end">>(
    "collab_agent_spawn_end",
    OTHER_CALL_MSG,
  ),
  collab_agent_interaction_begin: typed<
    OtherCallMsg<"collab_agent_interaction_begin">
  >("collab_agent_interaction_begin", OTHER_CALL_MSG),
  collab_agent_interaction_end: typed<
    OtherCallMsg<"collab_agent_interaction_end">
  >("collab_agent_interaction_end", OTHER_CALL_MSG),
  collab_waiting_begin: typed<OtherCallMsg<"collab_waiting_begin">>(
    "collab_waiting_begin",
    OTHER_CALL_MSG,
  ),
  collab_waiting_end: typed<OtherCallMsg<"collab_waiting_end">>(
    "collab_waiting_end",
    OTHER_CALL_MSG,
  ),
  collab_close_begin: typed<OtherCallMsg<"collab_close_begin">>(
    "collab_close_begin",
    OTHER_CALL_MSG,
  ),
  collab_close_end: typed<OtherCallMsg<"collab_close_end">>(
    "collab_close_end",
    OTHER_CALL_MSG,
  ),
  collab_resume_begin: typed<OtherCallMsg<"collab_resume_begin">>(
    "collab_resume_begin",
    OTHER_CALL_MSG,
  ),
  collab_resume_end: typed<OtherCallMsg<"collab_resume_end">>(
    "collab_resume_end",
    OTHER_CALL_MSG,
  ),
};

/** The shape of each event of {@linkcode ToolMsgs}. */
export const TOOL_MSGS: ShapesOf<ToolMsgs> = {
  exec_command_begin: EXEC_COMMAND_BEGIN_MSG,
  exec_command_output_delta: EXEC_COMMAND_OUTPUT_DELTA_MSG,
  exec_command_end: EXEC_COMMAND_END_MSG,
  apply_patch_approval_request: typed<PatchMsg<"apply_patch_approval_request">>(
    "apply_patch_approval_request",
    PATCH_MSG,
  ),
  patch_apply_begin: typed<PatchMsg<"patch_apply_begin">>(
    "patch_apply_begin",
    PATCH_MSG,
  ),
  patch_apply_updated: typed<PatchMsg<"patch_apply_updated">>(
    "patch_apply_updated",
    PATCH_MSG,
  ),
  patch_apply_end: PATCH_APPLY_END_MSG,
  mcp_tool_call_begin: MCP_TOOL_CALL_BEGIN_MSG,
  mcp_tool_call_end: MCP_TOOL_CALL_END_MSG,
  web_search_begin: WEB_SEARCH_BEGIN_MSG,
  web_search_end: WEB_SEARCH_END_MSG,
  view_image_tool_call: VIEW_IMAGE_TOOL_CALL_MSG,
  image_generation_begin: IMAGE_GENERATION_BEGIN_MSG,
  image_generation_end: IMAGE_GENERATION_END_MSG,
  plan_update: PLAN_UPDATE_MSG,
  turn_diff: TURN_DIFF_MSG,
  ...OTHER_CALLS,
};

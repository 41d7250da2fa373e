/**
 * Events of a rollout about what the agent does.
 *
 * Which of them are kept differs from release to release; most captured ones keep none of
 * commands.
 *
 * @module
 */

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
} from "../../shapes/shapes.ts";
import {
  DURATION,
  type Duration,
  FILE_PATCHES,
  type FilePatches,
  MCP_INVOCATION,
  MCP_OUTCOME,
  type McpInvocation,
  type McpOutcome,
  PARSED_STEP,
  type ParsedStep,
  WEB_SEARCH_ACTION,
  type WebSearchAction,
} from "./call_details.ts";

/** What every event about a call says. */
export interface CallMsgFields {
  /** The id of the call. */
  readonly call_id: string;
  /** The id of the turn. */
  readonly turn_id?: string | null;
}

/** What the events at both ends of a command say. */
export interface CommandMsgFields extends CallMsgFields {
  /** The words of the command; at its end in newer releases only. */
  readonly command?: readonly string[] | null;
  /** Where it runs: a path or a `file:` URL. */
  readonly cwd?: string | null;
  /** What the parts of the command do. */
  readonly parsed_cmd?: readonly ParsedStep[] | null;
  /** Who runs it. */
  readonly source?: string | null;
  /** The id of the process. */
  readonly process_id?: string | null;
}

/** A command begins. Not captured in rollouts. */
export interface ExecCommandBeginMsg extends CommandMsgFields {
  /** Always `exec_command_begin`. */
  readonly type: "exec_command_begin";
}

/** A command prints something. Not captured in rollouts. */
export interface ExecCommandOutputDeltaMsg extends CallMsgFields {
  /** Always `exec_command_output_delta`. */
  readonly type: "exec_command_output_delta";
  /** `stdout` or `stderr`. */
  readonly stream?: string | null;
  /** What it prints: base64, up to 0.29 a list of bytes. */
  readonly chunk: string | readonly number[];
}

/** A command ends. Not captured in rollouts. */
export interface ExecCommandEndMsg extends CommandMsgFields {
  /** Always `exec_command_end`. */
  readonly type: "exec_command_end";
  /** What it printed. */
  readonly stdout?: string | null;
  /** What it printed on stderr. */
  readonly stderr?: string | null;
  /** What it printed on both. */
  readonly aggregated_output?: string | null;
  /** What the model is shown of it. */
  readonly formatted_output?: string | null;
  /** Its exit status. */
  readonly exit_code?: number | null;
  /** How long it ran. */
  readonly duration?: Duration | null;
  /** How far it is. */
  readonly status?: string | null;
}

/**
 * Files are about to be changed.
 *
 * @typeParam W The type of the event.
 */
export interface PatchMsg<W extends string> extends CallMsgFields {
  /** Whether it begins, has grown, or waits for the user. */
  readonly type: W;
  /** How the files change, by path. */
  readonly changes?: FilePatches | null;
  /** Whether it was done without asking the user. */
  readonly auto_approved?: boolean | null;
  /** Why the user is asked. */
  readonly reason?: string | null;
  /** What the user is asked to allow for good. */
  readonly grant_root?: string | null;
}

/** Files were changed, or not (0.130 to 0.145). */
export interface PatchApplyEndMsg extends CallMsgFields {
  /** Always `patch_apply_end`. */
  readonly type: "patch_apply_end";
  /** Whether all went well. */
  readonly success: boolean;
  /** What applying the patch printed. */
  readonly stdout?: string | null;
  /** What it printed on stderr. */
  readonly stderr?: string | null;
  /** How the files changed, by path. */
  readonly changes?: FilePatches | null;
  /** How far it is. */
  readonly status?: string | null;
}

/** A tool of an MCP server is called. Not captured in rollouts. */
export interface McpToolCallBeginMsg extends CallMsgFields {
  /** Always `mcp_tool_call_begin`. */
  readonly type: "mcp_tool_call_begin";
  /** What is called. */
  readonly invocation?: McpInvocation | null;
}

/** A tool of an MCP server answers (0.130 to 0.145). */
export interface McpToolCallEndMsg extends CallMsgFields {
  /** Always `mcp_tool_call_end`. */
  readonly type: "mcp_tool_call_end";
  /** What was called. */
  readonly invocation?: McpInvocation | null;
  /** How long it took. */
  readonly duration?: Duration | null;
  /** What it came to. */
  readonly result: McpOutcome;
}

/** A search on the web begins. Not captured in rollouts. */
export interface WebSearchBeginMsg extends CallMsgFields {
  /** Always `web_search_begin`. */
  readonly type: "web_search_begin";
  /** What is searched for. */
  readonly query?: string | null;
}

/** A search on the web ends (0.130 to 0.145). */
export interface WebSearchEndMsg extends CallMsgFields {
  /** Always `web_search_end`. */
  readonly type: "web_search_end";
  /** What was searched for; may be empty. */
  readonly query?: string | null;
  /** What was done. */
  readonly action?: WebSearchAction | null;
}

/** An image is looked at. Not captured in rollouts. */
export interface ViewImageToolCallMsg extends CallMsgFields {
  /** Always `view_image_tool_call`. */
  readonly type: "view_image_tool_call";
  /** The path of the image. */
  readonly path?: string | null;
}

/** An image is about to be made. Not captured in rollouts. */
export interface ImageGenerationBeginMsg extends CallMsgFields {
  /** Always `image_generation_begin`. */
  readonly type: "image_generation_begin";
}

/** An image was made (0.122 to 0.142). */
export interface ImageGenerationEndMsg extends CallMsgFields {
  /** Always `image_generation_end`. */
  readonly type: "image_generation_end";
  /** How far it is. */
  readonly status?: string | null;
  /** The prompt as the model made it. */
  readonly revised_prompt?: string | null;
  /** The image, in base64. */
  readonly result?: string | null;
  /** Where the image was saved. */
  readonly saved_path?: string | null;
}

/** The plan of the agent changes. Not captured in rollouts. */
export interface PlanUpdateMsg {
  /** Always `plan_update`. */
  readonly type: "plan_update";
  /** Why. */
  readonly explanation?: string | null;
  /** The steps, in order. */
  readonly plan: readonly PlannedStep[];
}

/** A step of a {@linkcode PlanUpdateMsg}. */
export interface PlannedStep {
  /** What is to be done. */
  readonly step: string;
  /** How far it is: `pending`, `in_progress`, `completed`. */
  readonly status?: string | null;
}

/** What the turn has changed so far, in all files. Not captured in rollouts. */
export interface TurnDiffMsg {
  /** Always `turn_diff`. */
  readonly type: "turn_diff";
  /** The changes. */
  readonly unified_diff: string;
}

/**
 * A tool of the client, of a fork or of other agents is called, or answers. Its fields
 * differ between releases and are not named here. Not captured in rollouts.
 *
 * @typeParam W The type of the event.
 */
export interface OtherCallMsg<W extends string> {
  /** What sort of call it is, and at which end. */
  readonly type: W;
  /** The id of the call. */
  readonly call_id?: string | null;
}

/** The types of {@linkcode OtherCallMsg}. */
export type OtherCallType =
  | "dynamic_tool_call_request"
  | "dynamic_tool_call_response"
  | "custom_tool_call_begin"
  | "custom_tool_call_update"
  | "custom_tool_call_end"
  | "collab_agent_spawn_begin"
  | "collab_agent_spawn_end"
  | "collab_agent_interaction_begin"
  | "collab_agent_interaction_end"
  | "collab_waiting_begin"
  | "collab_waiting_end"
  | "collab_close_begin"
  | "collab_close_end"
  | "collab_resume_begin"
  | "collab_resume_end";

/** The calls whose fields are not named, by type. */
export type OtherCallMsgs = {
  readonly [W in OtherCallType]: OtherCallMsg<W>;
};

/** The events about what the agent does, by type. */
export interface ToolMsgs extends OtherCallMsgs {
  /** A command begins. */
  readonly exec_command_begin: ExecCommandBeginMsg;
  /** A command prints something. */
  readonly exec_command_output_delta: ExecCommandOutputDeltaMsg;
  /** A command ends. */
  readonly exec_command_end: ExecCommandEndMsg;
  /** A patch waits for the user. */
  readonly apply_patch_approval_request: PatchMsg<
    "apply_patch_approval_request"
  >;
  /** Files are about to be changed. */
  readonly patch_apply_begin: PatchMsg<"patch_apply_begin">;
  /** A patch has grown. */
  readonly patch_apply_updated: PatchMsg<"patch_apply_updated">;
  /** Files were changed, or not. */
  readonly patch_apply_end: PatchApplyEndMsg;
  /** A tool of an MCP server is called. */
  readonly mcp_tool_call_begin: McpToolCallBeginMsg;
  /** A tool of an MCP server answers. */
  readonly mcp_tool_call_end: McpToolCallEndMsg;
  /** A search on the web begins. */
  readonly web_search_begin: WebSearchBeginMsg;
  /** A search on the web ends. */
  readonly web_search_end: WebSearchEndMsg;
  /** An image is looked at. */
  readonly view_image_tool_call: ViewImageToolCallMsg;
  /** An image is about to be made. */
  readonly image_generation_begin: ImageGenerationBeginMsg;
  /** An image was made. */
  readonly image_generation_end: ImageGenerationEndMsg;
  /** The plan of the agent changes. */
  readonly plan_update: PlanUpdateMsg;
  /** What the turn has changed so far. */
  readonly turn_diff: TurnDiffMsg;
}

const CALL: Members<CallMsgFields> = {
  call_id: STRING,
  turn_id: maybe(STRING),
};

const COMMAND: Members<CommandMsgFields> = {
  ...CALL,
  command: maybe(list(STRING)),
  cwd: maybe(STRING),
  parsed_cmd: maybe(list(PARSED_STEP)),
  source: maybe(STRING),
  process_id: maybe(STRING),
};

const PATCH: Members<Omit<PatchMsg<string>, "type">> = {
  ...CALL,
  changes: maybe(FILE_PATCHES),
  auto_approved: maybe(BOOLEAN),
  reason: maybe(STRING),
  grant_root: maybe(STRING),
};

const PLANNED_STEP = object<PlannedStep>({
  step: STRING,
  status: maybe(STRING),
});

const OTHER_CALL: Members<Omit<OtherCallMsg<string>, "type">> = {
  call_id: maybe(STRING),
};

/** @ignore The shape of each event of {@linkcode ToolMsgs}. */
export const TOOL_MSGS: ShapesOf<ToolMsgs> = typed({
  exec_command_begin: COMMAND,
  exec_command_output_delta: {
    ...CALL,
    stream: maybe(STRING),
    chunk: either(STRING, list(NUMBER)),
  },
  exec_command_end: {
    ...COMMAND,
    stdout: maybe(STRING),
    stderr: maybe(STRING),
    aggregated_output: maybe(STRING),
    formatted_output: maybe(STRING),
    exit_code: maybe(NUMBER),
    duration: maybe(DURATION),
    status: maybe(STRING),
  },
  apply_patch_approval_request: PATCH,
  patch_apply_begin: PATCH,
  patch_apply_updated: PATCH,
  patch_apply_end: {
    ...CALL,
    success: BOOLEAN,
    stdout: maybe(STRING),
    stderr: maybe(STRING),
    changes: maybe(FILE_PATCHES),
    status: maybe(STRING),
  },
  mcp_tool_call_begin: { ...CALL, invocation: maybe(MCP_INVOCATION) },
  mcp_tool_call_end: {
    ...CALL,
    invocation: maybe(MCP_INVOCATION),
    duration: maybe(DURATION),
    result: MCP_OUTCOME,
  },
  web_search_begin: { ...CALL, query: maybe(STRING) },
  web_search_end: {
    ...CALL,
    query: maybe(STRING),
    action: maybe(WEB_SEARCH_ACTION),
  },
  view_image_tool_call: { ...CALL, path: maybe(STRING) },
  image_generation_begin: CALL,
  image_generation_end: {
    ...CALL,
    status: maybe(STRING),
    revised_prompt: maybe(STRING),
    result: maybe(STRING),
    saved_path: maybe(STRING),
  },
  plan_update: { explanation: maybe(STRING), plan: list(PLANNED_STEP) },
  turn_diff: { unified_diff: STRING },
  dynamic_tool_call_request: OTHER_CALL,
  dynamic_tool_call_response: OTHER_CALL,
  custom_tool_call_begin: OTHER_CALL,
  custom_tool_call_update: OTHER_CALL,
  custom_tool_call_end: OTHER_CALL,
  collab_agent_spawn_begin: OTHER_CALL,
  collab_agent_spawn_end: OTHER_CALL,
  collab_agent_interaction_begin: OTHER_CALL,
  collab_agent_interaction_end: OTHER_CALL,
  collab_waiting_begin: OTHER_CALL,
  collab_waiting_end: OTHER_CALL,
  collab_close_begin: OTHER_CALL,
  collab_close_end: OTHER_CALL,
  collab_resume_begin: OTHER_CALL,
  collab_resume_end: OTHER_CALL,
});

/** The events in a rollout. */

import {
  ANY,
  ANY_OBJECT,
  BOOLEAN,
  either,
  list,
  maybe,
  type Members,
  NUMBER,
  object,
  optional,
  type Shape,
  type ShapesOf,
  STRING,
  typed,
  UNKNOWN_KIND,
  variant,
} from "../../shapes/shapes.ts";
import type { KindsOf, UnknownKind } from "./of_type.ts";
import * as details from "./call_details.ts";
import {
  RATE_LIMITS,
  type RateLimits,
  TOKEN_COUNT_INFO,
  type TokenCountInfo,
} from "./token_counts.ts";
import { TURN_ITEM, type TurnItem } from "./turn_items.ts";

// Events about messages and reasoning.

/** A thought of the agent. */
export interface ThoughtMsg {
  /** The text of the thought. */
  readonly text: string;
}

/** An increment of a message, a thought or a plan. Not captured in rollouts. */
export interface DeltaMsg {
  /** The text to append. */
  readonly delta: string;
  /** The id of the item. */
  readonly item_id?: string | null;
  /** The id of the thread. */
  readonly thread_id?: string | null;
  /** The id of the turn. */
  readonly turn_id?: string | null;
}

/** A notice for the user. */
export interface NoticeMsg {
  /** The message; absent where the type is enough. */
  readonly message?: string | null;
  /** The kind of error: a word, or an object whose only field has that name. */
  readonly codex_error_info?: unknown;
  /** Whether undoing succeeded, in `undo_completed`. */
  readonly success?: boolean | null;
}

const THOUGHT: Members<ThoughtMsg> = { text: STRING };

const DELTA: Members<DeltaMsg> = {
  delta: STRING,
  item_id: maybe(STRING),
  thread_id: maybe(STRING),
  turn_id: maybe(STRING),
};

const NOTICE: Members<NoticeMsg> = {
  message: maybe(STRING),
  codex_error_info: optional(ANY),
  success: maybe(BOOLEAN),
};

// Events about the calls of the agent. Releases differ in which of them they write; most captured
// ones write none about commands.

/** The fields of every event about a call. */
export interface CallMsgFields {
  /** The id of the call. */
  readonly call_id: string;
  /** The id of the turn. */
  readonly turn_id?: string | null;
}

/** The fields of the begin and the end of a command. */
export interface CommandMsgFields extends CallMsgFields {
  /** The words of the command; in the end only in newer releases. */
  readonly command?: readonly string[] | null;
  /** The working directory: a path or a `file:` URL. */
  readonly cwd?: string | null;
  /** The steps of the command. */
  readonly parsed_cmd?: readonly details.ParsedStep[] | null;
  /** The origin of the command. */
  readonly source?: string | null;
  /** The id of the process. */
  readonly process_id?: string | null;
}

/** A patch that is about to be applied. */
export interface PatchMsg extends CallMsgFields {
  /** The changes, by path. */
  readonly changes?: details.FilePatches | null;
  /** Whether it is applied without asking the user. */
  readonly auto_approved?: boolean | null;
  /** The reason for asking the user. */
  readonly reason?: string | null;
  /** The folder for which the user is asked for lasting permission. */
  readonly grant_root?: string | null;
}

/** A step of the plan in a `plan_update`. */
export interface PlannedStep {
  /** The text of the step. */
  readonly step: string;
  /** The state: `pending`, `in_progress`, `completed`. */
  readonly status?: string | null;
}

const CALL: Members<CallMsgFields> = {
  call_id: STRING,
  turn_id: maybe(STRING),
};

const COMMAND: Members<CommandMsgFields> = {
  ...CALL,
  command: maybe(list(STRING)),
  cwd: maybe(STRING),
  parsed_cmd: maybe(list(details.PARSED_STEP)),
  source: maybe(STRING),
  process_id: maybe(STRING),
};

const PATCH: Members<PatchMsg> = {
  ...CALL,
  changes: maybe(details.FILE_PATCHES),
  auto_approved: maybe(BOOLEAN),
  reason: maybe(STRING),
  grant_root: maybe(STRING),
};

// Events about turns, their items, and the thread.

/** A turn begins (0.101 and later). */
export interface TaskStartedMsg {
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The id of the root turn, which the turn belongs to (0.158 and later). */
  readonly root_turn_id?: string | null;
  /** The start of the turn, in Unix seconds (0.120 and later). */
  readonly started_at?: number | null;
  /** The size of the model's context window, in tokens. */
  readonly model_context_window?: number | null;
  /** The mode of collaboration with the user, such as `default`. */
  readonly collaboration_mode_kind?: string | null;
  /** The origin of the turn (0.163 and later). */
  readonly turn_attribution?: TurnAttribution | null;
}

/** The origin of a turn (0.163 and later). */
export interface TurnAttribution {
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The trigger: `exec`, `user`. */
  readonly turn_trigger?: string | null;
  /** The turn in which it was started. */
  readonly parent_turn_id?: string | null;
  /** The path of the agent that started it. */
  readonly initiating_agent_path?: string | null;
  /** The id of the root turn, which the turn belongs to. */
  readonly root_turn_id?: string | null;
}

/** A turn ends without being interrupted (0.101 and later); it failed if there is an `error`. */
export interface TaskCompleteMsg {
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The id of the root turn, which the turn belongs to (0.163 and later). */
  readonly root_turn_id?: string | null;
  /** The last message of the agent. */
  readonly last_agent_message?: string | null;
  /** The start of the turn, in Unix seconds (0.145 and later). */
  readonly started_at?: number | null;
  /** The end of the turn, in Unix seconds (0.120 and later). */
  readonly completed_at?: number | null;
  /** The length of the turn (0.120 and later). */
  readonly duration_ms?: number | null;
  /** The time until the model began to answer (0.125 and later). */
  readonly time_to_first_token_ms?: number | null;
  /** The reason of a failure (0.145 and later). */
  readonly error?: details.ErrorInfo | null;
}

/**
 * An item of a turn begins or is complete. Only `item_completed` is written: for every item in
 * paginated rollouts (0.148 and later), before that for few.
 */
export interface ItemMsg {
  /** The id of the thread. */
  readonly thread_id?: string | null;
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The item. */
  readonly item: TurnItem;
  /** The start of the item, in Unix milliseconds. */
  readonly started_at_ms?: number | null;
  /** The end of the item, in Unix milliseconds. */
  readonly completed_at_ms?: number | null;
}

/** The goal of a thread. */
export interface ThreadGoal {
  /** The id of the thread. */
  readonly threadId?: string | null;
  /** The text of the goal. */
  readonly objective?: string | null;
  /** The state: `active`, `complete`. */
  readonly status?: string | null;
  /** The limit on tokens. */
  readonly tokenBudget?: number | null;
  /** The number of tokens used. */
  readonly tokensUsed?: number | null;
  /** The time used, in seconds. */
  readonly timeUsedSeconds?: number | null;
  /** The time when it was set, in Unix seconds. */
  readonly createdAt?: number | null;
  /** The time of its last change, in Unix seconds. */
  readonly updatedAt?: number | null;
}

const TASK_STARTED: Members<TaskStartedMsg> = {
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  started_at: maybe(NUMBER),
  model_context_window: maybe(NUMBER),
  collaboration_mode_kind: maybe(STRING),
  turn_attribution: maybe(object<TurnAttribution>({
    turn_id: maybe(STRING),
    turn_trigger: maybe(STRING),
    parent_turn_id: maybe(STRING),
    initiating_agent_path: maybe(STRING),
    root_turn_id: maybe(STRING),
  })),
};

const TASK_COMPLETE: Members<TaskCompleteMsg> = {
  turn_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  last_agent_message: maybe(STRING),
  started_at: maybe(NUMBER),
  completed_at: maybe(NUMBER),
  duration_ms: maybe(NUMBER),
  time_to_first_token_ms: maybe(NUMBER),
  error: maybe(details.ERROR_INFO),
};

const ITEM: Members<ItemMsg> = {
  thread_id: maybe(STRING),
  turn_id: maybe(STRING),
  item: TURN_ITEM,
  started_at_ms: maybe(NUMBER),
  completed_at_ms: maybe(NUMBER),
};

/**
 * An event of a rollout. `isOfType()` narrows it to one type; after `isKnownEventMsg()`, `switch`
 * on `type` does.
 *
 * Releases differ in which events they write, so a reader has to expect any of them. This list may
 * expand over time.
 */
export type EventMsg = KnownEventMsg | UnknownKind;

/** The fields of the known events of a rollout, by type. */
export interface EventMsgs {
  /** A message of the user (0.34 to 0.155). */
  readonly user_message: {
    /** The message. */
    readonly message: string;
    /** Always `plain` (0.34 to 0.47). */
    readonly kind?: string | null;
    /** Images: URLs, usually `data:`. */
    readonly images?: readonly string[] | null;
    /** The paths of images (0.87 and later). */
    readonly local_images?: readonly string[] | null;
    /** Marked ranges of the message (0.87 and later). */
    readonly text_elements?: readonly unknown[] | null;
    /** Audio (0.145 and later). */
    readonly audio?: readonly unknown[] | null;
    /** The paths of audio files (0.145 and later). */
    readonly local_audio?: readonly unknown[] | null;
  };
  /** A message of the agent (0.34 to 0.155). */
  readonly agent_message: {
    /** The message. */
    readonly message: string;
    /** Whether it ends the turn: `commentary` or `final_answer` (0.110 and later). */
    readonly phase?: string | null;
    /** The memories that the message cites (0.120 and later). */
    readonly memory_citation?: unknown;
  };
  /** An increment of a message of the agent. */
  readonly agent_message_delta: DeltaMsg;
  /** The same for an item. */
  readonly agent_message_content_delta: DeltaMsg;
  /** A summary of thoughts (0.34 to 0.150). */
  readonly agent_reasoning: ThoughtMsg;
  /** An increment of such a summary. */
  readonly agent_reasoning_delta: DeltaMsg;
  /** Raw thoughts (0.34 to 0.147). */
  readonly agent_reasoning_raw_content: ThoughtMsg;
  /** An increment of raw thoughts. */
  readonly agent_reasoning_raw_content_delta: DeltaMsg;
  /** The beginning of another part of the reasoning. Not captured in rollouts. */
  readonly agent_reasoning_section_break: {
    /** The id of the item. */
    readonly item_id?: string | null;
  };
  /** An increment of a summary of thoughts, for an item. */
  readonly reasoning_content_delta: DeltaMsg;
  /** An increment of raw thoughts, for an item. */
  readonly reasoning_raw_content_delta: DeltaMsg;
  /** An increment of a plan. */
  readonly plan_delta: DeltaMsg;
  /** An error. */
  readonly error: NoticeMsg;
  /** The stream from the server broke; Codex tries again. */
  readonly stream_error: NoticeMsg;
  /** A warning. */
  readonly warning: NoticeMsg;
  /** A warning of the reviewer. */
  readonly guardian_warning: NoticeMsg;
  /** A message about background activity. */
  readonly background_event: NoticeMsg;
  /** The end of an undo. */
  readonly undo_completed: NoticeMsg;
  /** A notice that a feature will be removed. Not captured in rollouts. */
  readonly deprecation_notice: {
    /** The feature. */
    readonly summary: string;
    /** Advice for the user. */
    readonly details?: string | null;
  };
  /** A turn begins. */
  readonly task_started: TaskStartedMsg;
  /** A turn begins (another spelling). */
  readonly turn_started: TaskStartedMsg;
  /** A turn ends without being interrupted. */
  readonly task_complete: TaskCompleteMsg;
  /** A turn ends without being interrupted (another spelling). */
  readonly turn_complete: TaskCompleteMsg;
  /** A turn is interrupted (0.36 and later). */
  readonly turn_aborted:
    & Pick<
      TaskCompleteMsg,
      "root_turn_id" | "started_at" | "completed_at" | "duration_ms"
    >
    & {
      /** The reason: `interrupted`, `replaced`, `review_ended`, `budget_limited`. */
      readonly reason: string;
      /** The id of the turn (0.101 and later). */
      readonly turn_id?: string | null;
    };
  /** The last turns are removed from the thread (0.87 to 0.148). */
  readonly thread_rolled_back: {
    /** The number of turns. */
    readonly num_turns: number;
  };
  /** The tokens that the thread has used, and the rate limits of the account. */
  readonly token_count: {
    /** The tokens; null where the server reported none. */
    readonly info?: TokenCountInfo | null;
    /** The limits (0.40 and later). */
    readonly rate_limits?: RateLimits | null;
  };
  /** An item begins. */
  readonly item_started: ItemMsg;
  /** An item is complete. */
  readonly item_completed: ItemMsg;
  /** The settings of the thread change (0.144 and later). */
  readonly thread_settings_applied: {
    /** The id of the thread (0.153 and later). */
    readonly thread_id?: string | null;
    /** The settings: model, working directory, permissions, … */
    readonly thread_settings: details.ObjectValue;
  };
  /** The goal of the thread changes (0.136 and later). Its fields are in camel case. */
  readonly thread_goal_updated: {
    /** The id of the thread. */
    readonly threadId?: string | null;
    /** The id of the turn. */
    readonly turnId?: string | null;
    /** The goal. */
    readonly goal?: ThreadGoal | null;
  };
  /** The history was compacted (0.64 to 0.150). */
  readonly context_compacted: Readonly<Record<never, never>>;
  /** A review begins (0.36 to 0.150). */
  readonly entered_review_mode: {
    /** The subject of the review. */
    readonly target?: details.ReviewTarget | null;
    /** The instructions for the reviewer, in older files. */
    readonly prompt?: string | null;
    /** The subject in words for the user. */
    readonly user_facing_hint?: string | null;
    /** The id of the turn (0.144 to 0.150). */
    readonly turn_id?: string | null;
    /** The id of the item (0.144 to 0.150). */
    readonly item_id?: string | null;
  };
  /** A review ends (0.36 to 0.150). */
  readonly exited_review_mode: {
    /** The result; null if the review was interrupted. */
    readonly review_output?: details.ReviewOutput | null;
    /** The id of the turn (0.144 to 0.150). */
    readonly turn_id?: string | null;
    /** The id of the item (0.144 to 0.150). */
    readonly item_id?: string | null;
  };
  /** An action of another agent (0.141 to 0.144). */
  readonly sub_agent_activity: {
    /** The sort of action: `started`, `interacted`, `interrupted`. */
    readonly kind: string;
    /** The id of the event. */
    readonly event_id?: string | null;
    /** The time of the action, in Unix milliseconds. */
    readonly occurred_at_ms?: number | null;
    /** The thread of the agent. */
    readonly agent_thread_id?: string | null;
    /** The agent's place in the tree of agents. */
    readonly agent_path?: string | null;
  };
  /** A command begins. Not captured in rollouts. */
  readonly exec_command_begin: CommandMsgFields;
  /** Output of a command. Not captured in rollouts. */
  readonly exec_command_output_delta: CallMsgFields & {
    /** `stdout` or `stderr`. */
    readonly stream?: string | null;
    /** The output: base64, up to 0.29 a list of bytes. */
    readonly chunk: string | readonly number[];
  };
  /** A command ends. Not captured in rollouts. */
  readonly exec_command_end: CommandMsgFields & details.CommandResult & {
    /** The state of the command. */
    readonly status?: string | null;
  };
  /** A patch waits for approval. */
  readonly apply_patch_approval_request: PatchMsg;
  /** A patch is about to be applied. */
  readonly patch_apply_begin: PatchMsg;
  /** A patch has grown. */
  readonly patch_apply_updated: PatchMsg;
  /** A patch was applied, or not (0.130 to 0.150). */
  readonly patch_apply_end: CallMsgFields & {
    /** Whether the patch was applied. */
    readonly success: boolean;
    /** The output of the program that applied the patch. */
    readonly stdout?: string | null;
    /** Its output on stderr. */
    readonly stderr?: string | null;
    /** The changes, by path. */
    readonly changes?: details.FilePatches | null;
    /** The state of the patch. */
    readonly status?: string | null;
  };
  /** A call of an MCP tool begins. Not captured in rollouts. */
  readonly mcp_tool_call_begin: CallMsgFields & {
    /** The server, the tool and the arguments. */
    readonly invocation?: details.McpInvocation | null;
  };
  /** A call of an MCP tool ends (0.130 to 0.150). */
  readonly mcp_tool_call_end: CallMsgFields & {
    /** The server, the tool and the arguments. */
    readonly invocation?: details.McpInvocation | null;
    /** The running time. */
    readonly duration?: details.Duration | null;
    /** The outcome. */
    readonly result: details.McpOutcome;
  };
  /** A search on the web begins. Not captured in rollouts. */
  readonly web_search_begin: CallMsgFields & {
    /** The query. */
    readonly query?: string | null;
  };
  /** A search on the web ends (0.130 to 0.150). */
  readonly web_search_end: CallMsgFields & {
    /** The query; may be empty. */
    readonly query?: string | null;
    /** The action. */
    readonly action?: details.WebSearchAction | null;
  };
  /** The agent views an image. Not captured in rollouts. */
  readonly view_image_tool_call: CallMsgFields & {
    /** The path of the image. */
    readonly path?: string | null;
  };
  /** The model has made an image (0.120 to 0.142). */
  readonly image_generation_end: CallMsgFields & details.GeneratedImage;
  /** The plan of the agent changes. Not captured in rollouts. */
  readonly plan_update: {
    /** The reason for the change. */
    readonly explanation?: string | null;
    /** The steps, in order. */
    readonly plan: readonly PlannedStep[];
  };
  /** All changes of the turn so far, in all files. Not captured in rollouts. */
  readonly turn_diff: {
    /** The changes. */
    readonly unified_diff: string;
  };
}

/** A known type of events. */
export type KnownEventMsgType = keyof EventMsgs;

/** An event of a known type. */
export type KnownEventMsg = KindsOf<EventMsgs>[KnownEventMsgType];

/** @ignore The shape of each known event. */
export const EVENT_MSGS: ShapesOf<KindsOf<EventMsgs>> = typed({
  user_message: {
    message: STRING,
    kind: maybe(STRING),
    images: maybe(list(STRING)),
    local_images: maybe(list(STRING)),
    text_elements: maybe(list(ANY)),
    audio: maybe(list(ANY)),
    local_audio: maybe(list(ANY)),
  },
  agent_message: {
    message: STRING,
    phase: maybe(STRING),
    memory_citation: optional(ANY),
  },
  agent_message_delta: DELTA,
  agent_message_content_delta: DELTA,
  agent_reasoning: THOUGHT,
  agent_reasoning_delta: DELTA,
  agent_reasoning_raw_content: THOUGHT,
  agent_reasoning_raw_content_delta: DELTA,
  agent_reasoning_section_break: { item_id: maybe(STRING) },
  reasoning_content_delta: DELTA,
  reasoning_raw_content_delta: DELTA,
  plan_delta: DELTA,
  error: NOTICE,
  stream_error: NOTICE,
  warning: NOTICE,
  guardian_warning: NOTICE,
  background_event: NOTICE,
  undo_completed: NOTICE,
  deprecation_notice: { summary: STRING, details: maybe(STRING) },
  task_started: TASK_STARTED,
  turn_started: TASK_STARTED,
  task_complete: TASK_COMPLETE,
  turn_complete: TASK_COMPLETE,
  turn_aborted: {
    reason: STRING,
    turn_id: maybe(STRING),
    root_turn_id: maybe(STRING),
    started_at: maybe(NUMBER),
    completed_at: maybe(NUMBER),
    duration_ms: maybe(NUMBER),
  },
  thread_rolled_back: { num_turns: NUMBER },
  token_count: {
    info: maybe(TOKEN_COUNT_INFO),
    rate_limits: maybe(RATE_LIMITS),
  },
  item_started: ITEM,
  item_completed: ITEM,
  thread_settings_applied: {
    thread_id: maybe(STRING),
    thread_settings: ANY_OBJECT,
  },
  thread_goal_updated: {
    threadId: maybe(STRING),
    turnId: maybe(STRING),
    goal: maybe(object<ThreadGoal>({
      threadId: maybe(STRING),
      objective: maybe(STRING),
      status: maybe(STRING),
      tokenBudget: maybe(NUMBER),
      tokensUsed: maybe(NUMBER),
      timeUsedSeconds: maybe(NUMBER),
      createdAt: maybe(NUMBER),
      updatedAt: maybe(NUMBER),
    })),
  },
  context_compacted: {},
  entered_review_mode: {
    target: maybe(details.REVIEW_TARGET),
    prompt: maybe(STRING),
    user_facing_hint: maybe(STRING),
    turn_id: maybe(STRING),
    item_id: maybe(STRING),
  },
  exited_review_mode: {
    review_output: maybe(details.REVIEW_OUTPUT),
    turn_id: maybe(STRING),
    item_id: maybe(STRING),
  },
  sub_agent_activity: {
    kind: STRING,
    event_id: maybe(STRING),
    occurred_at_ms: maybe(NUMBER),
    agent_thread_id: maybe(STRING),
    agent_path: maybe(STRING),
  },
  exec_command_begin: COMMAND,
  exec_command_output_delta: {
    ...CALL,
    stream: maybe(STRING),
    chunk: either(STRING, list(NUMBER)),
  },
  exec_command_end: {
    ...COMMAND,
    ...details.COMMAND_RESULT,
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
    changes: maybe(details.FILE_PATCHES),
    status: maybe(STRING),
  },
  mcp_tool_call_begin: {
    ...CALL,
    invocation: maybe(object(details.MCP_INVOCATION)),
  },
  mcp_tool_call_end: {
    ...CALL,
    invocation: maybe(object(details.MCP_INVOCATION)),
    duration: maybe(details.DURATION),
    result: details.MCP_OUTCOME,
  },
  web_search_begin: { ...CALL, query: maybe(STRING) },
  web_search_end: {
    ...CALL,
    query: maybe(STRING),
    action: maybe(details.WEB_SEARCH_ACTION),
  },
  view_image_tool_call: { ...CALL, path: maybe(STRING) },
  image_generation_end: { ...CALL, ...details.GENERATED_IMAGE },
  plan_update: {
    explanation: maybe(STRING),
    plan: list(object<PlannedStep>({ step: STRING, status: maybe(STRING) })),
  },
  turn_diff: { unified_diff: STRING },
});

/** @ignore The shape of an event. */
export const EVENT_MSG: Shape<EventMsg> = variant(
  "type",
  EVENT_MSGS,
  UNKNOWN_KIND,
);

/**
 * Returns whether an event of a rollout has a known type. After this check, `switch` on `type`
 * narrows it, and may end in `event satisfies never`.
 *
 * @param event The event.
 * @returns Whether its type is a {@linkcode KnownEventMsgType}.
 *
 * @example Read the text of messages and thoughts
 * ```ts
 * import { type EventMsg, isKnownEventMsg } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * function said(event: EventMsg): string | undefined {
 *   if (!isKnownEventMsg(event)) return undefined;
 *   switch (event.type) {
 *     case "user_message":
 *     case "agent_message":
 *       return event.message;
 *     case "agent_reasoning":
 *       return event.text;
 *     default:
 *       return undefined;
 *   }
 * }
 *
 * assertEquals(said({ type: "agent_message", message: "Done" }), "Done");
 * assertEquals(said({ type: "dream" }), undefined);
 * ```
 */
export function isKnownEventMsg(event: EventMsg): event is KnownEventMsg {
  return Object.hasOwn(EVENT_MSGS, event.type);
}

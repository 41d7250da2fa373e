/**
 * The items of a turn, as `item_completed` in a rollout has them.
 *
 * @module
 */

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
  typed,
  UNKNOWN_KIND,
  variant,
} from "../../shapes/shapes.ts";
import {
  DURATION,
  type Duration,
  ERROR_INFO,
  type ErrorInfo,
  FILE_PATCHES,
  type FilePatches,
  MCP_RESULT,
  type McpResult,
  PARSED_STEP,
  type ParsedStep,
  REVIEW_OUTPUT,
  REVIEW_TARGET,
  type ReviewOutput,
  type ReviewTarget,
  WEB_SEARCH_ACTION,
  type WebSearchAction,
} from "./call_details.ts";
import type { UnknownKind } from "./of_type.ts";

/**
 * An item of a turn, complete (0.148 and later). `isOfType()` tells the items apart; after
 * `isKnownTurnItem()`, `switch` on `type` does.
 *
 * This list may expand over time.
 */
export type TurnItem = KnownTurnItem | UnknownKind;

/** An item of a turn of a type that is known. */
export type KnownTurnItem = TurnItems[KnownTurnItemType];

/** The type of an item of a turn that is known. */
export type KnownTurnItemType = keyof TurnItems;

/** The items of a turn that are known, by type. */
export interface TurnItems {
  /** What the user said. */
  readonly UserMessage: UserMessageTurnItem;
  /** What the agent said. */
  readonly AgentMessage: AgentMessageTurnItem;
  /** What the agent thought. */
  readonly Reasoning: ReasoningTurnItem;
  /** A plan. Not captured. */
  readonly Plan: PlanTurnItem;
  /** A command that was run. */
  readonly CommandExecution: CommandExecutionTurnItem;
  /** Files that were changed. */
  readonly FileChange: FileChangeTurnItem;
  /** A tool of an MCP server that was called. */
  readonly McpToolCall: McpToolCallTurnItem;
  /** A tool of the client that was called. Not captured. */
  readonly DynamicToolCall: DynamicToolCallTurnItem;
  /** A search on the web. */
  readonly WebSearch: WebSearchTurnItem;
  /** An image that was looked at. */
  readonly ImageView: ImageViewTurnItem;
  /** An image that was made. Not captured. */
  readonly ImageGeneration: ImageGenerationTurnItem;
  /** What was done with other agents (0.150 and later). */
  readonly CollabAgentToolCall: CollabAgentToolCallTurnItem;
  /** What another agent did (0.150 and later). */
  readonly SubAgentActivity: SubAgentActivityTurnItem;
  /** A review began. */
  readonly EnteredReviewMode: EnteredReviewModeTurnItem;
  /** A review ended. */
  readonly ExitedReviewMode: ExitedReviewModeTurnItem;
  /** The history was summed up. */
  readonly ContextCompaction: ContextCompactionTurnItem;
  /** The agent waited (0.142). */
  readonly Sleep: SleepTurnItem;
}

/** What every item of a turn says. */
export interface TurnItemFields {
  /** The id of the item; of a call, that of the call. */
  readonly id: string;
}

/** What the user said. */
export interface UserMessageTurnItem extends TurnItemFields {
  /** Always `UserMessage`. */
  readonly type: "UserMessage";
  /** What was said, in parts. */
  readonly content: readonly TurnMessagePart[];
  /** The id that the client gave it (0.160 and later). */
  readonly client_id?: string | null;
}

/** What the agent said. */
export interface AgentMessageTurnItem extends TurnItemFields {
  /** Always `AgentMessage`. */
  readonly type: "AgentMessage";
  /** What was said, in parts. */
  readonly content: readonly TurnMessagePart[];
  /** Whether it ends the turn: `commentary` or `final_answer` (0.150 and later). */
  readonly phase?: string | null;
}

/** A part of what the user or the agent said. */
export interface TurnMessagePart {
  /** `text` of the user, `Text` of the agent; `image`, `local_image`, … */
  readonly type: string;
  /** The text. */
  readonly text?: string | null;
  /** What in the text stands for what. */
  readonly text_elements?: readonly unknown[] | null;
  /** The path of an image. */
  readonly path?: string | null;
  /** The URL of an image. */
  readonly image_url?: string | null;
}

/** What the agent thought. */
export interface ReasoningTurnItem extends TurnItemFields {
  /** Always `Reasoning`. */
  readonly type: "Reasoning";
  /** The summary, in parts. */
  readonly summary_text: readonly string[];
  /** The thoughts themselves, in parts. */
  readonly raw_content?: readonly string[] | null;
}

/** A plan. */
export interface PlanTurnItem extends TurnItemFields {
  /** Always `Plan`. */
  readonly type: "Plan";
  /** The plan, Markdown. */
  readonly text?: string | null;
}

/** A command that was run. */
export interface CommandExecutionTurnItem extends TurnItemFields {
  /** Always `CommandExecution`. */
  readonly type: "CommandExecution";
  /** The words of the command. */
  readonly command: readonly string[];
  /** Where it ran: a `file:` URL, or a path. */
  readonly cwd?: string | null;
  /** The id of the process. */
  readonly process_id?: string | null;
  /** What the parts of the command do. */
  readonly parsed_cmd?: readonly ParsedStep[] | null;
  /** Who ran it: `unified_exec_startup`, `user_shell`, `agent`. */
  readonly source?: string | null;
  /** How far it is: `completed`, `failed`, `declined`, `in_progress`. */
  readonly status?: string | null;
  /** What it printed (up to 0.160). */
  readonly stdout?: string | null;
  /** What it printed on stderr (up to 0.160). */
  readonly stderr?: string | null;
  /** What it printed on both. */
  readonly aggregated_output?: string | null;
  /** What the model was shown of it (up to 0.160). */
  readonly formatted_output?: string | null;
  /** Its exit status. */
  readonly exit_code?: number | null;
  /** How long it ran. */
  readonly duration?: Duration | null;
}

/** Files that were changed. */
export interface FileChangeTurnItem extends TurnItemFields {
  /** Always `FileChange`. */
  readonly type: "FileChange";
  /** How they were changed, by path. */
  readonly changes: FilePatches;
  /** How far it is: `completed`, `failed`, `declined`. */
  readonly status?: string | null;
  /** What applying the patch printed. */
  readonly stdout?: string | null;
  /** What it printed on stderr. */
  readonly stderr?: string | null;
}

/** A tool of an MCP server that was called. */
export interface McpToolCallTurnItem extends TurnItemFields {
  /** Always `McpToolCall`. */
  readonly type: "McpToolCall";
  /** The name of the server. */
  readonly server: string;
  /** The name of the tool. */
  readonly tool: string;
  /** What the tool was given: a JSON value. */
  readonly arguments?: unknown;
  /** Whether the server says that the tool only reads. */
  readonly readOnlyHint?: boolean | null;
  /** How far it is: `completed`, `failed`. */
  readonly status?: string | null;
  /** What the tool answered. */
  readonly result?: McpResult | null;
  /** Why there is no answer. */
  readonly error?: ErrorInfo | null;
  /** How long it took. */
  readonly duration?: Duration | null;
}

/** A tool of the client that was called. */
export interface DynamicToolCallTurnItem extends TurnItemFields {
  /** Always `DynamicToolCall`. */
  readonly type: "DynamicToolCall";
  /** The name of the tool. */
  readonly tool?: string | null;
  /** Where the tool belongs. */
  readonly namespace?: string | null;
  /** What the tool was given: a JSON value. */
  readonly arguments?: unknown;
  /** How far it is. */
  readonly status?: string | null;
  /** What the tool answered, in parts. */
  readonly content_items?: readonly unknown[] | null;
  /** Whether the call went well. */
  readonly success?: boolean | null;
}

/** A search on the web. */
export interface WebSearchTurnItem extends TurnItemFields {
  /** Always `WebSearch`. */
  readonly type: "WebSearch";
  /** What was searched for; may be empty. */
  readonly query?: string | null;
  /** What was done. */
  readonly action?: WebSearchAction | null;
}

/** An image that was looked at. */
export interface ImageViewTurnItem extends TurnItemFields {
  /** Always `ImageView`. */
  readonly type: "ImageView";
  /** The path of the image. */
  readonly path: string;
}

/** An image that was made. */
export interface ImageGenerationTurnItem extends TurnItemFields {
  /** Always `ImageGeneration`. */
  readonly type: "ImageGeneration";
  /** How far it is. */
  readonly status?: string | null;
  /** The prompt as the model made it. */
  readonly revised_prompt?: string | null;
  /** The image, in base64. */
  readonly result?: string | null;
  /** Where the image was saved. */
  readonly saved_path?: string | null;
}

/** What was done with other agents. */
export interface CollabAgentToolCallTurnItem extends TurnItemFields {
  /** Always `CollabAgentToolCall`. */
  readonly type: "CollabAgentToolCall";
  /** What was done, such as `wait`. */
  readonly tool: string;
  /** How far it is. */
  readonly status?: string | null;
  /** The thread that did it. */
  readonly sender_thread_id?: string | null;
  /** The threads that it was done to. */
  readonly receiver_thread_ids?: readonly string[] | null;
  /** The agents that it was done to. */
  readonly receiver_agents?: readonly unknown[] | null;
  /** What the agents were told. */
  readonly prompt?: string | null;
  /** How far the agents are, by thread. */
  readonly agents_states?: unknown;
}

/** What another agent did. */
export interface SubAgentActivityTurnItem extends TurnItemFields {
  /** Always `SubAgentActivity`. */
  readonly type: "SubAgentActivity";
  /** What it did: `started`, `interacted`, `interrupted`, `completed`. */
  readonly kind: string;
  /** The thread of the agent. */
  readonly agent_thread_id?: string | null;
  /** The agent's place among the agents. */
  readonly agent_path?: string | null;
  /** The model of the agent (0.169). */
  readonly model?: string | null;
  /** How much that model thinks (0.169). */
  readonly reasoning_effort?: string | null;
}

/** A review began. */
export interface EnteredReviewModeTurnItem extends TurnItemFields {
  /** Always `EnteredReviewMode`. */
  readonly type: "EnteredReviewMode";
  /** What is reviewed. */
  readonly target?: ReviewTarget | null;
  /** The same in words for the user. */
  readonly user_facing_hint?: string | null;
}

/** A review ended. */
export interface ExitedReviewModeTurnItem extends TurnItemFields {
  /** Always `ExitedReviewMode`. */
  readonly type: "ExitedReviewMode";
  /** What it found; absent if it was broken off. */
  readonly review_output?: ReviewOutput | null;
}

/** The history was summed up. */
export interface ContextCompactionTurnItem extends TurnItemFields {
  /** Always `ContextCompaction`. */
  readonly type: "ContextCompaction";
}

/** The agent waited. */
export interface SleepTurnItem extends TurnItemFields {
  /** Always `Sleep`. */
  readonly type: "Sleep";
  /** How long. */
  readonly duration_ms?: number | null;
}

const ITEM: Members<TurnItemFields> = { id: STRING };

const TURN_MESSAGE_PART = object<TurnMessagePart>({
  type: STRING,
  text: maybe(STRING),
  text_elements: maybe(list(ANY)),
  path: maybe(STRING),
  image_url: maybe(STRING),
});

/** @ignore The shape of each item of a turn that is known. */
export const TURN_ITEMS: ShapesOf<TurnItems> = typed({
  UserMessage: {
    ...ITEM,
    content: list(TURN_MESSAGE_PART),
    client_id: maybe(STRING),
  },
  AgentMessage: {
    ...ITEM,
    content: list(TURN_MESSAGE_PART),
    phase: maybe(STRING),
  },
  Reasoning: {
    ...ITEM,
    summary_text: list(STRING),
    raw_content: maybe(list(STRING)),
  },
  Plan: { ...ITEM, text: maybe(STRING) },
  CommandExecution: {
    ...ITEM,
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
  FileChange: {
    ...ITEM,
    changes: FILE_PATCHES,
    status: maybe(STRING),
    stdout: maybe(STRING),
    stderr: maybe(STRING),
  },
  McpToolCall: {
    ...ITEM,
    server: STRING,
    tool: STRING,
    arguments: optional(ANY),
    readOnlyHint: maybe(BOOLEAN),
    status: maybe(STRING),
    result: maybe(MCP_RESULT),
    error: maybe(ERROR_INFO),
    duration: maybe(DURATION),
  },
  DynamicToolCall: {
    ...ITEM,
    tool: maybe(STRING),
    namespace: maybe(STRING),
    arguments: optional(ANY),
    status: maybe(STRING),
    content_items: maybe(list(ANY)),
    success: maybe(BOOLEAN),
  },
  WebSearch: {
    ...ITEM,
    query: maybe(STRING),
    action: maybe(WEB_SEARCH_ACTION),
  },
  ImageView: { ...ITEM, path: STRING },
  ImageGeneration: {
    ...ITEM,
    status: maybe(STRING),
    revised_prompt: maybe(STRING),
    result: maybe(STRING),
    saved_path: maybe(STRING),
  },
  CollabAgentToolCall: {
    ...ITEM,
    tool: STRING,
    status: maybe(STRING),
    sender_thread_id: maybe(STRING),
    receiver_thread_ids: maybe(list(STRING)),
    receiver_agents: maybe(list(ANY)),
    prompt: maybe(STRING),
    agents_states: optional(ANY),
  },
  SubAgentActivity: {
    ...ITEM,
    kind: STRING,
    agent_thread_id: maybe(STRING),
    agent_path: maybe(STRING),
    model: maybe(STRING),
    reasoning_effort: maybe(STRING),
  },
  EnteredReviewMode: {
    ...ITEM,
    target: maybe(REVIEW_TARGET),
    user_facing_hint: maybe(STRING),
  },
  ExitedReviewMode: { ...ITEM, review_output: maybe(REVIEW_OUTPUT) },
  ContextCompaction: ITEM,
  Sleep: { ...ITEM, duration_ms: maybe(NUMBER) },
});

/** @ignore The shape of an item of a turn. */
export const TURN_ITEM: Shape<TurnItem> = variant(
  "type",
  TURN_ITEMS,
  UNKNOWN_KIND,
);

/**
 * Says whether an item of a turn is of a known type, so that `switch` on `type` gives its
 * fields, and may end in `item satisfies never`.
 *
 * @param item The item.
 * @returns Whether its type is a {@linkcode KnownTurnItemType}.
 *
 * @example A headline for each item
 * ```ts
 * import { isKnownTurnItem, type TurnItem } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * function headline(item: TurnItem): string {
 *   if (!isKnownTurnItem(item)) return `something new: ${item.type}`;
 *   switch (item.type) {
 *     case "CommandExecution":
 *       return `ran ${item.command.join(" ")}`;
 *     default:
 *       return `${item.type} ${item.id}`;
 *   }
 * }
 *
 * assertEquals(headline({ type: "CommandExecution", id: "1", command: ["ls"] }), "ran ls");
 * assertEquals(headline({ type: "Sleep", id: "2" }), "Sleep 2");
 * ```
 */
export function isKnownTurnItem(item: TurnItem): item is KnownTurnItem {
  return Object.hasOwn(TURN_ITEMS, item.type);
}

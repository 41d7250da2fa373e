/** The items of a turn, from `item_completed` lines of a rollout. */

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
import * as details from "./call_details.ts";
import type { KindsOf, UnknownKind } from "./of_type.ts";

/**
 * A complete item of a turn (0.148 and later). `isOfType()` narrows it to one type; after
 * `isKnownTurnItem()`, `switch` on `type` does.
 *
 * This list may expand over time.
 */
export type TurnItem = KnownTurnItem | UnknownKind;

/** An item of a known type. */
export type KnownTurnItem = KindsOf<TurnItems>[KnownTurnItemType];

/** A known type of items. */
export type KnownTurnItemType = keyof TurnItems;

/** The fields of the known items of a turn, by type. */
export interface TurnItems {
  /** A message of the user. */
  readonly UserMessage: TurnItemFields & {
    /** The message, in parts. */
    readonly content: readonly TurnMessagePart[];
    /** The id of the message in the client (0.160 and later). */
    readonly client_id?: string | null;
  };
  /** A message of the agent. */
  readonly AgentMessage: TurnItemFields & {
    /** The message, in parts. */
    readonly content: readonly TurnMessagePart[];
    /** Whether it ends the turn: `commentary` or `final_answer` (0.148 and later). */
    readonly phase?: string | null;
  };
  /** Thoughts of the agent. */
  readonly Reasoning: TurnItemFields & {
    /** The summary, in parts. */
    readonly summary_text: readonly string[];
    /** The raw thoughts, in parts. */
    readonly raw_content?: readonly string[] | null;
  };
  /** A plan. Not captured. */
  readonly Plan: TurnItemFields & {
    /** The plan, as Markdown. */
    readonly text?: string | null;
  };
  /** A command of the agent. */
  readonly CommandExecution: TurnItemFields & details.CommandResult & {
    /** The words of the command. */
    readonly command: readonly string[];
    /** The working directory: a `file:` URL, or a path. */
    readonly cwd?: string | null;
    /** The id of the process. */
    readonly process_id?: string | null;
    /** The steps of the command. */
    readonly parsed_cmd?: readonly details.ParsedStep[] | null;
    /** The origin of the command: `unified_exec_startup`, `user_shell`, `agent`. */
    readonly source?: string | null;
    /** The state: `completed`, `failed`, `declined`, `in_progress`. */
    readonly status?: string | null;
  };
  /** Changes of files. */
  readonly FileChange: TurnItemFields & {
    /** The changes, by path. */
    readonly changes: details.FilePatches;
    /** The state: `completed`, `failed`, `declined`. */
    readonly status?: string | null;
    /** The output of the program that applied the patch. */
    readonly stdout?: string | null;
    /** Its output on stderr. */
    readonly stderr?: string | null;
  };
  /** A call of a tool of an MCP server. */
  readonly McpToolCall: TurnItemFields & details.McpInvocation & {
    /** Whether the server declares that the tool only reads. */
    readonly readOnlyHint?: boolean | null;
    /** The state: `completed`, `failed`. */
    readonly status?: string | null;
    /** The result of the tool. */
    readonly result?: details.McpResult | null;
    /** The error of a failed call. */
    readonly error?: details.ErrorInfo | null;
    /** The running time. */
    readonly duration?: details.Duration | null;
  };
  /** A call of a tool of the client. Not captured. */
  readonly DynamicToolCall: TurnItemFields & {
    /** The name of the tool. */
    readonly tool?: string | null;
    /** The namespace of the tool. */
    readonly namespace?: string | null;
    /** The arguments: a JSON value. */
    readonly arguments?: unknown;
    /** The state of the call. */
    readonly status?: string | null;
    /** The result of the tool, in parts. */
    readonly content_items?: readonly unknown[] | null;
    /** Whether the call succeeded. */
    readonly success?: boolean | null;
  };
  /** A search on the web. */
  readonly WebSearch: TurnItemFields & {
    /** The query; may be empty. */
    readonly query?: string | null;
    /** The action. */
    readonly action?: details.WebSearchAction | null;
  };
  /** An image that the agent viewed. */
  readonly ImageView: TurnItemFields & {
    /** The path of the image. */
    readonly path: string;
  };
  /** An image that the model made. Not captured. */
  readonly ImageGeneration: TurnItemFields & details.GeneratedImage;
  /** A call that concerns other agents (0.150 and later). */
  readonly CollabAgentToolCall: TurnItemFields & {
    /** The name of the call, such as `wait`. */
    readonly tool: string;
    /** The state of the call. */
    readonly status?: string | null;
    /** The thread that made the call. */
    readonly sender_thread_id?: string | null;
    /** The threads that the call addresses. */
    readonly receiver_thread_ids?: readonly string[] | null;
    /** The agents that the call addresses. */
    readonly receiver_agents?: readonly unknown[] | null;
    /** The prompt for the agents. */
    readonly prompt?: string | null;
    /** The states of the agents, by thread. */
    readonly agents_states?: unknown;
  };
  /** An action of another agent (0.150 and later). */
  readonly SubAgentActivity: TurnItemFields & {
    /** The sort of action: `started`, `interacted`, `interrupted`, `completed`. */
    readonly kind: string;
    /** The thread of the agent. */
    readonly agent_thread_id?: string | null;
    /** The agent's place in the tree of agents. */
    readonly agent_path?: string | null;
    /** The model of the agent (0.164 and later). */
    readonly model?: string | null;
    /** The reasoning effort of that model (0.164 and later). */
    readonly reasoning_effort?: string | null;
  };
  /** The beginning of a review. */
  readonly EnteredReviewMode: TurnItemFields & {
    /** The subject of the review. */
    readonly target?: details.ReviewTarget | null;
    /** The subject in words for the user. */
    readonly user_facing_hint?: string | null;
  };
  /** The end of a review. */
  readonly ExitedReviewMode: TurnItemFields & {
    /** The result; absent if the review was interrupted. */
    readonly review_output?: details.ReviewOutput | null;
  };
  /** A compaction of the history. */
  readonly ContextCompaction: TurnItemFields;
  /** A pause of the agent (0.142). */
  readonly Sleep: TurnItemFields & {
    /** The length of the pause. */
    readonly duration_ms?: number | null;
  };
}

/** The fields of every item. */
export interface TurnItemFields {
  /** The id of the item; for a call, the id of the call. */
  readonly id: string;
}

/** A part of a message. */
export interface TurnMessagePart {
  /** `text` in a message of the user, `Text` in one of the agent; `image`, `local_image`, … */
  readonly type: string;
  /** The text. */
  readonly text?: string | null;
  /** Marked ranges of the text. */
  readonly text_elements?: readonly unknown[] | null;
  /** The path of an image. */
  readonly path?: string | null;
  /** The URL of an image. */
  readonly image_url?: string | null;
}

const ITEM: Members<TurnItemFields> = { id: STRING };

const TURN_MESSAGE_PART = object<TurnMessagePart>({
  type: STRING,
  text: maybe(STRING),
  text_elements: maybe(list(ANY)),
  path: maybe(STRING),
  image_url: maybe(STRING),
});

/** @ignore The shape of each known item of a turn. */
export const TURN_ITEMS: ShapesOf<KindsOf<TurnItems>> = typed({
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
    parsed_cmd: maybe(list(details.PARSED_STEP)),
    source: maybe(STRING),
    status: maybe(STRING),
    ...details.COMMAND_RESULT,
  },
  FileChange: {
    ...ITEM,
    changes: details.FILE_PATCHES,
    status: maybe(STRING),
    stdout: maybe(STRING),
    stderr: maybe(STRING),
  },
  McpToolCall: {
    ...ITEM,
    ...details.MCP_INVOCATION,
    readOnlyHint: maybe(BOOLEAN),
    status: maybe(STRING),
    result: maybe(details.MCP_RESULT),
    error: maybe(details.ERROR_INFO),
    duration: maybe(details.DURATION),
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
    action: maybe(details.WEB_SEARCH_ACTION),
  },
  ImageView: { ...ITEM, path: STRING },
  ImageGeneration: { ...ITEM, ...details.GENERATED_IMAGE },
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
    target: maybe(details.REVIEW_TARGET),
    user_facing_hint: maybe(STRING),
  },
  ExitedReviewMode: { ...ITEM, review_output: maybe(details.REVIEW_OUTPUT) },
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
 * Returns whether an item of a turn has a known type. After this check, `switch` on `type` narrows
 * it, and may end in `item satisfies never`.
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

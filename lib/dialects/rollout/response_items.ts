/**
 * The items that a rollout keeps of what the model was shown and what it answered.
 *
 * @module
 */

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
  typed,
  UNKNOWN_KIND,
  variant,
} from "../../shapes/shapes.ts";
import { WEB_SEARCH_ACTION, type WebSearchAction } from "./call_details.ts";
import type { UnknownKind } from "./of_type.ts";

// What messages and outputs in a rollout are made of.

/**
 * A part of a message, of reasoning or of an output; `isOfType()` tells them apart.
 *
 * This list may expand over time.
 */
export type ContentPart =
  | TextPart<"input_text">
  | TextPart<"output_text">
  | TextPart<"reasoning_text">
  | TextPart<"summary_text">
  | TextPart<"text">
  | ImagePart
  | EncryptedPart
  | UnknownKind;

/**
 * A text.
 *
 * @typeParam W Its type: whose text it is.
 */
export interface TextPart<W extends string> {
  /**
   * `input_text` of a prompt or an output, `output_text` of an answer, `summary_text` and
   * `reasoning_text` of reasoning (`text` in some releases).
   */
  readonly type: W;
  /** The text. */
  readonly text: string;
  /** What in the text stands for what, such as `url_citation` (0.169 and later). */
  readonly annotations?: readonly unknown[] | null;
}

/** An image. */
export interface ImagePart {
  /** Always `input_image`. */
  readonly type: "input_image";
  /** The image, a `data:` URL as a rule. */
  readonly image_url?: string | null;
  /** How closely the model looks at it (0.122 and later). */
  readonly detail?: string | null;
}

/** A text that only the server can read (0.150 and later). */
export interface EncryptedPart {
  /** Always `encrypted_content`. */
  readonly type: "encrypted_content";
  /** The encrypted text. */
  readonly encrypted_content: string;
}

const TEXT_PART: Members<Omit<TextPart<string>, "type">> = {
  text: STRING,
  annotations: maybe(list(ANY)),
};

/** @ignore The shape of {@linkcode ContentPart}. */
export const CONTENT_PART: Shape<ContentPart> = variant(
  "type",
  typed({
    input_text: TEXT_PART,
    output_text: TEXT_PART,
    reasoning_text: TEXT_PART,
    summary_text: TEXT_PART,
    text: TEXT_PART,
    input_image: { image_url: maybe(STRING), detail: maybe(STRING) },
    encrypted_content: { encrypted_content: STRING },
  }),
  UNKNOWN_KIND,
);

/**
 * A response item: what the model was shown or answered. `isOfType()` tells the items
 * apart; after `isKnownResponseItem()`, `switch` on `type` does.
 *
 * This list may expand over time.
 */
export type ResponseItem = KnownResponseItem | UnknownKind;

/** A response item of a type that is known. */
export type KnownResponseItem = ResponseItems[KnownResponseItemType];

/** The type of a response item that is known. */
export type KnownResponseItemType = keyof ResponseItems;

/** The response items that are known, by type. */
export interface ResponseItems {
  /** What was said. */
  readonly message: MessageItem;
  /** What one agent said to another (0.150 and later). */
  readonly agent_message: AgentMessageItem;
  /** What the model thought. */
  readonly reasoning: ReasoningItem;
  /** A command that the model runs (0.8). */
  readonly local_shell_call: LocalShellCallItem;
  /** What the command gave. Not captured. */
  readonly local_shell_call_output: CallOutputItem<"local_shell_call_output">;
  /** A tool that the model calls. */
  readonly function_call: FunctionCallItem;
  /** What the tool answered. */
  readonly function_call_output: CallOutputItem<"function_call_output">;
  /** A tool with free text for input (0.25 and later). */
  readonly custom_tool_call: CustomToolCallItem;
  /** What that tool answered (0.25 and later). */
  readonly custom_tool_call_output: CallOutputItem<"custom_tool_call_output">;
  /** A search for tools (0.136 and later). */
  readonly tool_search_call: ToolSearchCallItem;
  /** The tools that were found (0.136 and later). */
  readonly tool_search_output: ToolSearchOutputItem;
  /** A search on the web (0.61 and later). */
  readonly web_search_call: WebSearchCallItem;
  /** An image that the model made (0.115 and later). */
  readonly image_generation_call: ImageGenerationCallItem;
  /** The state of the files at one point (0.58 to 0.72). */
  readonly ghost_snapshot: GhostSnapshotItem;
  /** Tools that the model is given (0.169). */
  readonly additional_tools: AdditionalToolsItem;
  /** A summary that only the server can read. Not captured on a line of its own. */
  readonly compaction: CompactionItem<"compaction">;
  /** The same under another name. Not captured. */
  readonly compaction_summary: CompactionItem<"compaction_summary">;
  /** The history was summed up. Not captured. */
  readonly context_compaction: CompactionItem<"context_compaction">;
  /** A summary is asked for. Not captured. */
  readonly compaction_trigger: CompactionItem<"compaction_trigger">;
  /** What Codex itself did not know. Not captured. */
  readonly other: CompactionItem<"other">;
}

/** What every response item may say. */
export interface ResponseItemFields {
  /** The id of the item (since 0.142, and 0.8 to 0.29). */
  readonly id?: string | null;
  /** What Codex keeps with the item (0.145 and later). */
  readonly internal_chat_message_metadata_passthrough?:
    | ItemPassthrough
    | null;
}

/** What Codex keeps with an item. */
export interface ItemPassthrough {
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** When the item was made, in Unix seconds with a fraction. */
  readonly create_time?: number | null;
  /** What each part of the item is. */
  readonly content_item_kinds?: readonly (string | null)[] | null;
  /** What is said of each part of the item (0.169). */
  readonly content_item_metadata?: readonly unknown[] | null;
}

/** What was said. */
export interface MessageItem extends ResponseItemFields {
  /** Always `message`. */
  readonly type: "message";
  /** Who says it: `user`, `assistant`, `developer` (0.92 and later), `system`. */
  readonly role: string;
  /** What is said. */
  readonly content: readonly ContentPart[];
  /** Whether it ends the turn: `commentary` or `final_answer` (0.104 and later). */
  readonly phase?: string | null;
  /** How far it is (0.169), such as `completed`. */
  readonly status?: string | null;
}

/** What one agent said to another (0.150 and later). */
export interface AgentMessageItem extends ResponseItemFields {
  /** Always `agent_message`. */
  readonly type: "agent_message";
  /** The agent that says it. */
  readonly author: string;
  /** The agent that it is said to. */
  readonly recipient: string;
  /** What is said. */
  readonly content: readonly ContentPart[];
}

/** What the model thought. */
export interface ReasoningItem extends ResponseItemFields {
  /** Always `reasoning`. */
  readonly type: "reasoning";
  /** The summary, in parts. */
  readonly summary: readonly ContentPart[];
  /** The thoughts themselves. */
  readonly content?: readonly ContentPart[] | null;
  /** The thoughts as only the server can read them. */
  readonly encrypted_content?: string | null;
}

/** A command that the model runs (0.8). */
export interface LocalShellCallItem extends ResponseItemFields {
  /** Always `local_shell_call`. */
  readonly type: "local_shell_call";
  /** The id of the call. */
  readonly call_id?: string | null;
  /** How far it is. */
  readonly status?: string | null;
  /** What is run. */
  readonly action: LocalShellAction;
}

/** What a {@linkcode LocalShellCallItem} runs. */
export interface LocalShellAction {
  /** Always `exec` so far. */
  readonly type: string;
  /** The words of the command. */
  readonly command?: readonly string[] | null;
  /** How long it may take. */
  readonly timeout_ms?: number | null;
  /** Where it runs. */
  readonly working_directory?: string | null;
  /** Its environment. */
  readonly env?: unknown;
  /** The user that it runs as. */
  readonly user?: string | null;
}

/** A tool that the model calls. */
export interface FunctionCallItem extends ResponseItemFields {
  /** Always `function_call`. */
  readonly type: "function_call";
  /** The name of the tool. */
  readonly name: string;
  /** Where the tool belongs, such as `mcp__server` (0.122 and later). */
  readonly namespace?: string | null;
  /** What the tool is given: JSON text as a rule, but what the model wrote is kept. */
  readonly arguments: string;
  /** The id of the call. */
  readonly call_id: string;
  /** How far it is (0.169). */
  readonly status?: string | null;
}

/** A tool with free text for input. */
export interface CustomToolCallItem extends ResponseItemFields {
  /** Always `custom_tool_call`. */
  readonly type: "custom_tool_call";
  /** The name of the tool, such as `apply_patch`, or `exec` for JavaScript (0.160 and later). */
  readonly name: string;
  /** What the tool is given. */
  readonly input: string;
  /** The id of the call. */
  readonly call_id: string;
  /** How far it is. */
  readonly status?: string | null;
}

/**
 * What a tool answered.
 *
 * @typeParam W The type of the item.
 */
export interface CallOutputItem<W extends string> extends ResponseItemFields {
  /** Which sort of call it answers. */
  readonly type: W;
  /** The id of the call; absent where Codex answers of its own accord (0.169). */
  readonly call_id?: string | null;
  /** The name of the tool (0.169). */
  readonly name?: string | null;
  /** Where the tool belongs (0.169). */
  readonly namespace?: string | null;
  /**
   * What it answered: text (of commands, in the form of the release), or parts (0.53 and
   * later), or in old files an object.
   */
  readonly output?: string | readonly ContentPart[] | CallOutput | null;
}

/** What a tool answered, in old files. */
export interface CallOutput {
  /** The answer. */
  readonly content?: string | null;
  /** Whether the call went well. */
  readonly success?: boolean | null;
}

/** A search for tools (0.136 and later). */
export interface ToolSearchCallItem extends ResponseItemFields {
  /** Always `tool_search_call`. */
  readonly type: "tool_search_call";
  /** The id of the call. */
  readonly call_id?: string | null;
  /** How far it is. */
  readonly status?: string | null;
  /** Who searches, such as `client`. */
  readonly execution?: string | null;
  /** What is searched for. */
  readonly arguments?: unknown;
}

/** The tools that a search found (0.136 and later). */
export interface ToolSearchOutputItem extends ResponseItemFields {
  /** Always `tool_search_output`. */
  readonly type: "tool_search_output";
  /** The id of the call. */
  readonly call_id?: string | null;
  /** How far it is. */
  readonly status?: string | null;
  /** Who searched. */
  readonly execution?: string | null;
  /** The tools. */
  readonly tools?: readonly unknown[] | null;
}

/** A search on the web (0.61 and later). */
export interface WebSearchCallItem extends ResponseItemFields {
  /** Always `web_search_call`. */
  readonly type: "web_search_call";
  /** How far it is. */
  readonly status?: string | null;
  /** What is done. */
  readonly action?: WebSearchAction | null;
}

/** An image that the model made (0.115 and later). */
export interface ImageGenerationCallItem extends ResponseItemFields {
  /** Always `image_generation_call`. */
  readonly type: "image_generation_call";
  /** How far it is. */
  readonly status?: string | null;
  /** The prompt as the model made it. */
  readonly revised_prompt?: string | null;
  /** The image, in base64. */
  readonly result?: string | null;
}

/** The state of the files at one point (0.58 to 0.72). */
export interface GhostSnapshotItem extends ResponseItemFields {
  /** Always `ghost_snapshot`. */
  readonly type: "ghost_snapshot";
  /** The commit that holds it. */
  readonly ghost_commit: GhostCommit;
}

/** A commit that is on no branch. */
export interface GhostCommit {
  /** The commit. */
  readonly id: string;
  /** The commit before it. */
  readonly parent?: string | null;
  /** Files that were there already, but not in the repository. */
  readonly preexisting_untracked_files?: readonly string[] | null;
  /** Folders that were there already, but not in the repository. */
  readonly preexisting_untracked_dirs?: readonly string[] | null;
}

/** Tools that the model is given (0.169). */
export interface AdditionalToolsItem extends ResponseItemFields {
  /** Always `additional_tools`. */
  readonly type: "additional_tools";
  /** Who gives them, such as `developer`. */
  readonly role?: string | null;
  /** The tools. */
  readonly tools?: readonly unknown[] | null;
}

/**
 * What stands where the history was summed up.
 *
 * @typeParam W The type of the item.
 */
export interface CompactionItem<W extends string> extends ResponseItemFields {
  /** The type of the item. */
  readonly type: W;
  /** The summary as only the server can read it. */
  readonly encrypted_content?: string | null;
}

const ITEM_PASSTHROUGH = object<ItemPassthrough>({
  turn_id: maybe(STRING),
  create_time: maybe(NUMBER),
  content_item_kinds: maybe(list(nullable(STRING))),
  content_item_metadata: maybe(list(ANY)),
});

const ITEM: Members<ResponseItemFields> = {
  id: maybe(STRING),
  internal_chat_message_metadata_passthrough: maybe(ITEM_PASSTHROUGH),
};

const CALL_OUTPUT = object<CallOutput>({
  content: maybe(STRING),
  success: maybe(BOOLEAN),
});

const OUTPUT: Members<Omit<CallOutputItem<string>, "type">> = {
  ...ITEM,
  call_id: maybe(STRING),
  name: maybe(STRING),
  namespace: maybe(STRING),
  output: maybe(either(either(STRING, list(CONTENT_PART)), CALL_OUTPUT)),
};

const COMPACTION: Members<Omit<CompactionItem<string>, "type">> = {
  ...ITEM,
  encrypted_content: maybe(STRING),
};

const GHOST_COMMIT = object<GhostCommit>({
  id: STRING,
  parent: maybe(STRING),
  preexisting_untracked_files: maybe(list(STRING)),
  preexisting_untracked_dirs: maybe(list(STRING)),
});

const LOCAL_SHELL_ACTION = object<LocalShellAction>({
  type: STRING,
  command: maybe(list(STRING)),
  timeout_ms: maybe(NUMBER),
  working_directory: maybe(STRING),
  env: optional(ANY),
  user: maybe(STRING),
});

/** @ignore The shape of each response item that is known. */
export const RESPONSE_ITEMS: ShapesOf<ResponseItems> = typed({
  message: {
    ...ITEM,
    role: STRING,
    content: list(CONTENT_PART),
    phase: maybe(STRING),
    status: maybe(STRING),
  },
  agent_message: {
    ...ITEM,
    author: STRING,
    recipient: STRING,
    content: list(CONTENT_PART),
  },
  reasoning: {
    ...ITEM,
    summary: list(CONTENT_PART),
    content: maybe(list(CONTENT_PART)),
    encrypted_content: maybe(STRING),
  },
  local_shell_call: {
    ...ITEM,
    call_id: maybe(STRING),
    status: maybe(STRING),
    action: LOCAL_SHELL_ACTION,
  },
  local_shell_call_output: OUTPUT,
  function_call: {
    ...ITEM,
    name: STRING,
    namespace: maybe(STRING),
    arguments: STRING,
    call_id: STRING,
    status: maybe(STRING),
  },
  function_call_output: OUTPUT,
  custom_tool_call: {
    ...ITEM,
    name: STRING,
    input: STRING,
    call_id: STRING,
    status: maybe(STRING),
  },
  custom_tool_call_output: OUTPUT,
  tool_search_call: {
    ...ITEM,
    call_id: maybe(STRING),
    status: maybe(STRING),
    execution: maybe(STRING),
    arguments: optional(ANY),
  },
  tool_search_output: {
    ...ITEM,
    call_id: maybe(STRING),
    status: maybe(STRING),
    execution: maybe(STRING),
    tools: maybe(list(ANY)),
  },
  web_search_call: {
    ...ITEM,
    status: maybe(STRING),
    action: maybe(WEB_SEARCH_ACTION),
  },
  image_generation_call: {
    ...ITEM,
    status: maybe(STRING),
    revised_prompt: maybe(STRING),
    result: maybe(STRING),
  },
  ghost_snapshot: { ...ITEM, ghost_commit: GHOST_COMMIT },
  additional_tools: { ...ITEM, role: maybe(STRING), tools: maybe(list(ANY)) },
  compaction: COMPACTION,
  compaction_summary: COMPACTION,
  context_compaction: COMPACTION,
  compaction_trigger: COMPACTION,
  other: COMPACTION,
});

/** @ignore The shape of a response item. */
export const RESPONSE_ITEM: Shape<ResponseItem> = variant(
  "type",
  RESPONSE_ITEMS,
  UNKNOWN_KIND,
);

/**
 * Says whether a response item is of a known type, so that `switch` on `type` gives its
 * fields, and may end in `item satisfies never`.
 *
 * @param item The item.
 * @returns Whether its type is a {@linkcode KnownResponseItemType}.
 *
 * @example A headline for each item
 * ```ts
 * import { isKnownResponseItem, type ResponseItem } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * function headline(item: ResponseItem): string {
 *   if (!isKnownResponseItem(item)) return `something new: ${item.type}`;
 *   switch (item.type) {
 *     case "message":
 *       return `${item.role} says something`;
 *     case "function_call":
 *     case "custom_tool_call":
 *       return `calls ${item.name}`;
 *     default:
 *       return item.type;
 *   }
 * }
 *
 * const call = { type: "function_call", name: "shell", arguments: "{}", call_id: "1" } as const;
 * assertEquals(headline(call), "calls shell");
 * assertEquals(headline({ type: "dream" }), "something new: dream");
 * ```
 */
export function isKnownResponseItem(
  item: ResponseItem,
): item is KnownResponseItem {
  return Object.hasOwn(RESPONSE_ITEMS, item.type);
}

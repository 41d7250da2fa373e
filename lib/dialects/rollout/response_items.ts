/** The response items of a rollout: the conversation with the model. */

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
import type { KindsOf, UnknownKind } from "./of_type.ts";

// The parts of messages and outputs.

/**
 * A part of a message, of reasoning or of an output. `isOfType()` narrows it to one type.
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
 * A part with text.
 *
 * @typeParam W Its type, which depends on the author.
 */
export interface TextPart<W extends string> {
  /**
   * `input_text` in a prompt or an output, `output_text` in an answer, `summary_text` and
   * `reasoning_text` in reasoning (`text` in some releases).
   */
  readonly type: W;
  /** The text. */
  readonly text: string;
  /** Annotations of the text, such as `url_citation` (0.163 and later). */
  readonly annotations?: readonly unknown[] | null;
}

/** An image. */
export interface ImagePart {
  /** Always `input_image`. */
  readonly type: "input_image";
  /** The image, usually as a `data:` URL. */
  readonly image_url?: string | null;
  /** The resolution at which the model sees it (0.122 and later). */
  readonly detail?: string | null;
}

/** A text that only the server can decrypt (0.150 and later). */
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
 * A response item: a part of the conversation with the model, sent or received. `isOfType()`
 * narrows it to one type; after `isKnownResponseItem()`, `switch` on `type` does.
 *
 * This list may expand over time.
 */
export type ResponseItem = KnownResponseItem | UnknownKind;

/** A response item of a known type. */
export type KnownResponseItem = KindsOf<ResponseItems>[KnownResponseItemType];

/** A known type of response items. */
export type KnownResponseItemType = keyof ResponseItems;

/** The fields of the known response items, by type. */
export interface ResponseItems {
  /** A message. */
  readonly message: MessageItem;
  /** A message from one agent to another (0.144 and later). */
  readonly agent_message: ResponseItemFields & {
    /** The sender. */
    readonly author: string;
    /** The recipient. */
    readonly recipient: string;
    /** The message, in parts. */
    readonly content: readonly ContentPart[];
  };
  /** Reasoning of the model. */
  readonly reasoning: ResponseItemFields & {
    /** The summary, in parts. */
    readonly summary: readonly ContentPart[];
    /** The raw thoughts. */
    readonly content?: readonly ContentPart[] | null;
    /** The thoughts, encrypted for the server. */
    readonly encrypted_content?: string | null;
  };
  /** A command that the model runs (0.8 and later, by models such as codex-mini-latest). */
  readonly local_shell_call: ResponseItemFields & {
    /** The id of the call. */
    readonly call_id?: string | null;
    /** The state of the call. */
    readonly status?: string | null;
    /** The command. */
    readonly action: LocalShellAction;
  };
  /** The output of such a command. Not captured. */
  readonly local_shell_call_output: CallOutputItem;
  /** A call of a tool. */
  readonly function_call: ResponseItemFields & {
    /** The name of the tool. */
    readonly name: string;
    /** The namespace of the tool, such as `mcp__server` (0.121 and later). */
    readonly namespace?: string | null;
    /** The arguments: usually JSON text, but kept as the model wrote them. */
    readonly arguments: string;
    /** The id of the call. */
    readonly call_id: string;
    /** The state of the call (0.163 and later). */
    readonly status?: string | null;
  };
  /** The output of a tool. */
  readonly function_call_output: CallOutputItem;
  /** A call of a tool whose input is free text (0.25 and later). */
  readonly custom_tool_call: ResponseItemFields & {
    /** The name of the tool, such as `apply_patch`, or `exec` for JavaScript (0.160 and later). */
    readonly name: string;
    /** The input. */
    readonly input: string;
    /** The id of the call. */
    readonly call_id: string;
    /** The state of the call. */
    readonly status?: string | null;
  };
  /** The output of such a tool (0.25 and later). */
  readonly custom_tool_call_output: CallOutputItem;
  /** A search for tools (0.135 and later). */
  readonly tool_search_call: ResponseItemFields & {
    /** The id of the call. */
    readonly call_id?: string | null;
    /** The state of the call. */
    readonly status?: string | null;
    /** The program that searches, such as `client`. */
    readonly execution?: string | null;
    /** The arguments of the search. */
    readonly arguments?: unknown;
  };
  /** The result of a search for tools (0.135 and later). */
  readonly tool_search_output: ResponseItemFields & {
    /** The id of the call. */
    readonly call_id?: string | null;
    /** The state of the call. */
    readonly status?: string | null;
    /** The program that searched. */
    readonly execution?: string | null;
    /** The tools. */
    readonly tools?: readonly unknown[] | null;
  };
  /** A search on the web (0.59 and later). */
  readonly web_search_call: ResponseItemFields & {
    /** The state of the search. */
    readonly status?: string | null;
    /** The action. */
    readonly action?: WebSearchAction | null;
  };
  /** An image that the model made (0.110 and later). */
  readonly image_generation_call: ResponseItemFields & {
    /** The state of the call. */
    readonly status?: string | null;
    /** The prompt as the model revised it. */
    readonly revised_prompt?: string | null;
    /** The image, in base64. */
    readonly result?: string | null;
  };
  /** The state of the files at one point (0.58 to 0.87). */
  readonly ghost_snapshot: ResponseItemFields & {
    /** The commit with the files. */
    readonly ghost_commit: GhostCommit;
  };
  /** Further tools for the model (0.164 and later). */
  readonly additional_tools: ResponseItemFields & {
    /** The role that adds them, such as `developer`. */
    readonly role?: string | null;
    /** The tools. */
    readonly tools?: readonly unknown[] | null;
  };
  /** A summary that only the server can decrypt. Not captured on a line of its own. */
  readonly compaction: CompactionItem;
  /** The same under another name. Not captured. */
  readonly compaction_summary: CompactionItem;
  /** A compaction of the history. Not captured. */
  readonly context_compaction: CompactionItem;
  /** A request for a summary. Not captured. */
  readonly compaction_trigger: CompactionItem;
  /** An item unknown to Codex itself. Not captured. */
  readonly other: CompactionItem;
}

/** The fields of every response item. */
export interface ResponseItemFields {
  /** The id of the item (since 0.142, and 0.8 to 0.29). */
  readonly id?: string | null;
  /** Codex's metadata of the item (0.142 and later). */
  readonly internal_chat_message_metadata_passthrough?:
    | ItemPassthrough
    | null;
}

/** Codex's metadata of an item. */
export interface ItemPassthrough {
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The time when the item was made, in Unix seconds with a fraction. */
  readonly create_time?: number | null;
  /** The kind of each part of the item. */
  readonly content_item_kinds?: readonly (string | null)[] | null;
  /** The metadata of each part of the item (0.164 and later). */
  readonly content_item_metadata?: readonly unknown[] | null;
}

/** A message. */
export interface MessageItem extends ResponseItemFields {
  /** The author: `user`, `assistant`, `developer` (0.92 and later), `system`. */
  readonly role: string;
  /** The message, in parts. */
  readonly content: readonly ContentPart[];
  /** Whether it ends the turn: `commentary` or `final_answer` (0.95 and later). */
  readonly phase?: string | null;
  /** The state of the item (0.163 and later), such as `completed`. */
  readonly status?: string | null;
}

/** The command of a `local_shell_call`. */
export interface LocalShellAction {
  /** Always `exec` so far. */
  readonly type: string;
  /** The words of the command. */
  readonly command?: readonly string[] | null;
  /** The timeout, in milliseconds. */
  readonly timeout_ms?: number | null;
  /** The working directory. */
  readonly working_directory?: string | null;
  /** Its environment. */
  readonly env?: unknown;
  /** The user that it runs as. */
  readonly user?: string | null;
}

/** The output of a tool. */
export interface CallOutputItem extends ResponseItemFields {
  /** The id of the call; absent where Codex answers without a call (0.169). */
  readonly call_id?: string | null;
  /** The name of the tool (0.169 and later). */
  readonly name?: string | null;
  /** The namespace of the tool (0.169 and later). */
  readonly namespace?: string | null;
  /**
   * The output: text (for commands in the form of the release), parts (0.53 and later), or an
   * object in old files.
   */
  readonly output?: string | readonly ContentPart[] | CallOutput | null;
}

/** The output of a tool, in old files. */
export interface CallOutput {
  /** The text. */
  readonly content?: string | null;
  /** Whether the call succeeded. */
  readonly success?: boolean | null;
}

/** A commit that is on no branch. */
export interface GhostCommit {
  /** The id of the commit. */
  readonly id: string;
  /** The parent of the commit. */
  readonly parent?: string | null;
  /** Files that existed before, but not in the repository. */
  readonly preexisting_untracked_files?: readonly string[] | null;
  /** Folders that existed before, but not in the repository. */
  readonly preexisting_untracked_dirs?: readonly string[] | null;
}

/** An item that stands for a summarized history. */
export interface CompactionItem extends ResponseItemFields {
  /** The summary, encrypted for the server. */
  readonly encrypted_content?: string | null;
}

const ITEM: Members<ResponseItemFields> = {
  id: maybe(STRING),
  internal_chat_message_metadata_passthrough: maybe(object<ItemPassthrough>({
    turn_id: maybe(STRING),
    create_time: maybe(NUMBER),
    content_item_kinds: maybe(list(nullable(STRING))),
    content_item_metadata: maybe(list(ANY)),
  })),
};

const OUTPUT: Members<CallOutputItem> = {
  ...ITEM,
  call_id: maybe(STRING),
  name: maybe(STRING),
  namespace: maybe(STRING),
  output: maybe(either(
    either(STRING, list(CONTENT_PART)),
    object<CallOutput>({ content: maybe(STRING), success: maybe(BOOLEAN) }),
  )),
};

const COMPACTION: Members<CompactionItem> = {
  ...ITEM,
  encrypted_content: maybe(STRING),
};

/** @ignore The shape of each known response item. */
export const RESPONSE_ITEMS: ShapesOf<KindsOf<ResponseItems>> = typed({
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
    action: object<LocalShellAction>({
      type: STRING,
      command: maybe(list(STRING)),
      timeout_ms: maybe(NUMBER),
      working_directory: maybe(STRING),
      env: optional(ANY),
      user: maybe(STRING),
    }),
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
  ghost_snapshot: {
    ...ITEM,
    ghost_commit: object<GhostCommit>({
      id: STRING,
      parent: maybe(STRING),
      preexisting_untracked_files: maybe(list(STRING)),
      preexisting_untracked_dirs: maybe(list(STRING)),
    }),
  },
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
 * Returns whether a response item has a known type. After this check, `switch` on `type` narrows
 * it, and may end in `item satisfies never`.
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

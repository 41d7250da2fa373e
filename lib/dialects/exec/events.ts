/**
 * The events of `codex exec --json`, as they are once they have been normalized.
 *
 * @module
 */

import {
  ANY,
  BOOLEAN,
  either,
  type Known,
  list,
  literal,
  type Members,
  NUMBER,
  object,
  type ObjectShape,
  optional,
  partial,
  type Shape,
  type ShapeOfObject,
  type ShapesOf,
  SOME,
  STRING,
  typed,
  variant,
  variantOf,
  WHOLE,
} from "../../shapes/shapes.ts";
import type { TokenCounts } from "../rollout/token_counts.ts";

/**
 * An event: a normalized record of `codex exec --json` or `codex app-server`. `switch` on
 * `type`.
 *
 * A record may hold more fields than its interface names: what a release adds stays in the
 * event, and in its exact place when it is encoded again. The interfaces have no index
 * signature, so that a misspelt name is an error; a field that they do not name is read
 * with `"name" in event`, which the compiler then knows to be there, of type `unknown`.
 *
 * This list may expand over time.
 *
 * @example Every type of event, and a field that no interface names
 * ```ts
 * import type { ThreadEvent } from "@codexpipe/codexpipe";
 * import { decodeEvent } from "@codexpipe/codexpipe/exec";
 * import { assert, assertEquals } from "@std/assert";
 *
 * function summary(event: ThreadEvent): string {
 *   switch (event.type) {
 *     case "thread.started":
 *     case "turn.started":
 *       return event.type;
 *     case "turn.completed":
 *       return `${event.usage?.output_tokens ?? "no"} tokens of output`;
 *     case "turn.failed":
 *     case "item.failed":
 *       return event.error.message;
 *     case "item.started":
 *     case "item.delta":
 *     case "item.completed":
 *       return event.item_type;
 *     case "error":
 *       return event.message;
 *     case "rpc.request":
 *     case "rpc.notification":
 *       return event.method;
 *     case "rpc.response":
 *     case "rpc.error":
 *       return event.type;
 *     default:
 *       return event satisfies never;
 *   }
 * }
 *
 * const decoded = decodeEvent({ type: "error", message: "Reconnecting", attempt: 2 });
 * assert(decoded.ok);
 * assertEquals(summary(decoded.value), "Reconnecting");
 * assertEquals("attempt" in decoded.value && decoded.value.attempt, 2);
 * ```
 */
export type ThreadEvent =
  | ThreadStartedEvent
  | TurnStartedEvent
  | TurnCompletedEvent
  | TurnFailedEvent
  | ItemStartedEvent
  | ItemDeltaEvent
  | ItemCompletedEvent
  | ItemFailedEvent
  | ThreadErrorEvent
  | RpcEvent;

/**
 * A thread begins, or goes on in a new process (`codex exec resume`).
 *
 * Releases up to 0.43 named no thread; its id is `synthetic-thread-N` then.
 */
export interface ThreadStartedEvent {
  /** Always `thread.started`. */
  readonly type: "thread.started";
  /** The id of the thread, the name of its rollout file ends in it. */
  readonly thread_id: string;
}

/** A turn begins: a prompt has been taken. */
export interface TurnStartedEvent {
  /** Always `turn.started`. */
  readonly type: "turn.started";
  /** The id of the thread. */
  readonly thread_id: string;
  /**
   * The id of the turn. No captured release since 0.44 names one; it is `synthetic-turn-N`
   * then, N counting the turns of the input from 1.
   */
  readonly turn_id: string;
  /** The prompt. Not written by the CLI itself. */
  readonly input_text?: string;
}

/** A turn ends well. */
export interface TurnCompletedEvent {
  /** Always `turn.completed`. */
  readonly type: "turn.completed";
  /** The id of the thread. */
  readonly thread_id: string;
  /** The id of the turn. */
  readonly turn_id: string;
  /** The id of the last item of the turn. Not written by the CLI itself. */
  readonly last_item_id?: string;
  /**
   * The tokens that were used, as the release counted them. After `codex exec resume`, 0.80 to
   * 0.147 and 0.155 and later count the whole thread, the others what the new process used:
   * `UsageMeter` of `./usage` counts each request once.
   *
   * Nothing in it is checked: in a log that Codex did not write it may be anything but null.
   * Counts beyond 2^53 are rounded; the text of the record has them exactly.
   */
  readonly usage?: Partial<TokenCounts>;
}

/** A turn ends with an error. Releases up to 0.42 left with exit status 0 all the same. */
export interface TurnFailedEvent {
  /** Always `turn.failed`. */
  readonly type: "turn.failed";
  /** The id of the thread. */
  readonly thread_id: string;
  /** The id of the turn. */
  readonly turn_id: string;
  /** The tokens that were used; see {@linkcode TurnCompletedEvent.usage}. */
  readonly usage?: Partial<TokenCounts>;
  /** Why the turn failed. */
  readonly error: ThreadError;
}

/** Something went wrong. Not fatal by itself; after a fatal one `turn.failed` follows. */
export interface ThreadErrorEvent {
  /** Always `error`. */
  readonly type: "error";
  /** What went wrong: prose, or JSON that a server sent. */
  readonly message: string;
  /** A code for it. Not written by the CLI itself. */
  readonly code?: string | number;
}

/** What went wrong, where another object holds it. */
export interface ThreadError {
  /** What went wrong: prose, or JSON that a server sent. */
  readonly message: string;
  /** A code for it. Not written by the CLI itself. */
  readonly code?: string | number;
}

/**
 * A message of `codex app-server` that is of no thread, or says nothing new of one: the message
 * itself, whose members follow `type` as they came.
 */
export type RpcEvent =
  | RpcRequestEvent
  | RpcNotificationEvent
  | RpcResponseEvent
  | RpcErrorEvent;

/** A request, of the client or of the server: it also has an `id`, and most have `params`. */
export interface RpcRequestEvent {
  /** Always `rpc.request`. */
  readonly type: "rpc.request";
  /** What is asked for. */
  readonly method: string;
}

/** A notification: most have `params`. */
export interface RpcNotificationEvent {
  /** Always `rpc.notification`. */
  readonly type: "rpc.notification";
  /** What it tells. */
  readonly method: string;
}

/** An answer: it also has the `id` of its request, and a `result`. */
export interface RpcResponseEvent {
  /** Always `rpc.response`. */
  readonly type: "rpc.response";
}

/** The answer to a request that failed: it also has the `id` of that, and an `error`. */
export interface RpcErrorEvent {
  /** Always `rpc.error`. */
  readonly type: "rpc.error";
}

/** What every event of an item says. */
export interface ItemEventFields {
  /** The id of the thread. */
  readonly thread_id: string;
  /**
   * The id of the turn. Absent before the first turn, where the CLI writes warnings, and
   * in releases that write no turns.
   */
  readonly turn_id?: string;
  /**
   * The id of the item, the same in all of its events. The CLI numbers items from `item_0`
   * in every process: a thread that was resumed has each number again.
   */
  readonly item_id: string;
  /** The place of the item in its turn, a whole number. Not written by the CLI itself. */
  readonly index?: number;
}

/** What `item.started` and `item.completed` say besides. */
export interface WholeItemFields extends ItemEventFields {
  /**
   * How far the item is, a word: the CLI writes `in_progress`, `completed`, `failed` and
   * `declined`, others may come. Where a line has none, it is `in_progress` in
   * `item.started` and `completed` in `item.completed`.
   */
  readonly status: string;
}

/**
 * An item of a known type begins.
 *
 * @typeParam T The item type.
 */
export interface StartedItem<T extends KnownItemType> extends WholeItemFields {
  /** Always `item.started`. */
  readonly type: "item.started";
  /** What sort of item it is. */
  readonly item_type: T;
  /** The item, as far as it is known. */
  readonly content: ItemContents[T];
}

/**
 * An item of any other type begins. Its fields are fields of the event, such as `tool` of a
 * `collab_tool_call` (0.92 and later).
 */
export interface UnknownStartedItem extends WholeItemFields {
  /** Always `item.started`. */
  readonly type: "item.started";
  /** What sort of item it is: none of {@linkcode KnownItemType}. */
  readonly item_type: string;
  /** What the line has under this name; never null. */
  readonly content?: unknown;
}

/** An item begins. Not every item does: messages and reasoning come complete. */
export type ItemStartedEvent =
  | { [T in KnownItemType]: StartedItem<T> }[KnownItemType]
  | UnknownStartedItem;

/**
 * An item of a known type is complete.
 *
 * @typeParam T The item type.
 */
export interface CompletedItem<T extends KnownItemType>
  extends WholeItemFields {
  /** Always `item.completed`. */
  readonly type: "item.completed";
  /** What sort of item it is. */
  readonly item_type: T;
  /** The item, whole. */
  readonly content: ItemContents[T];
}

/**
 * An item of any other type is complete. Its fields are fields of the event, such as
 * `tool` of a `collab_tool_call` (0.92 and later).
 */
export interface UnknownCompletedItem extends WholeItemFields {
  /** Always `item.completed`. */
  readonly type: "item.completed";
  /** What sort of item it is: none of {@linkcode KnownItemType}. */
  readonly item_type: string;
  /** What the line has under this name; never null. */
  readonly content?: unknown;
}

/** An item is complete, well or not: `status` says which. */
export type ItemCompletedEvent =
  | { [T in KnownItemType]: CompletedItem<T> }[KnownItemType]
  | UnknownCompletedItem;

/** What `item.delta` says besides. */
export interface ItemDeltaFields extends ItemEventFields {
  /** How far the item is; see {@linkcode WholeItemFields.status}. */
  readonly status?: string;
  /**
   * Whether `delta` is the whole item as it is now, to be put in the place of what was
   * known of it. So it is wherever the CLI wrote `item.updated`, which since 0.44 it does
   * for todo lists. Absent, `delta` is an increment.
   */
  readonly snapshot?: boolean;
}

/**
 * An item of a known type changes.
 *
 * @typeParam T The item type.
 */
export interface ItemDelta<T extends KnownItemType> extends ItemDeltaFields {
  /** Always `item.delta`. */
  readonly type: "item.delta";
  /** What sort of item it is. */
  readonly item_type: T;
  /** What is new of the item, or all of it if `snapshot` is `true`. */
  readonly delta: ItemDeltas[T];
}

/** An item of any other type changes. Its fields are fields of the event. */
export interface UnknownItemDelta extends ItemDeltaFields {
  /** Always `item.delta`. */
  readonly type: "item.delta";
  /** What sort of item it is: none of {@linkcode KnownItemType}. */
  readonly item_type: string;
  /** What the line has under this name; never null. */
  readonly delta?: unknown;
}

/** An item changes. */
export type ItemDeltaEvent =
  | { [T in KnownItemType]: ItemDelta<T> }[KnownItemType]
  | UnknownItemDelta;

/**
 * An item comes to nothing. Not written by the CLI itself, whose failed items are
 * `item.completed` with a `status` that says so.
 */
export interface ItemFailedEvent extends ItemEventFields {
  /** Always `item.failed`. */
  readonly type: "item.failed";
  /** Why the item failed. */
  readonly error: ThreadError;
}

/** The content of each item type that is known. */
export interface ItemContents {
  /** What the agent says to the user. */
  readonly agent_message: AgentMessageContent;
  /** What the agent thinks. */
  readonly reasoning: ReasoningContent;
  /** A command that the agent runs. */
  readonly command_execution: CommandExecutionContent;
  /** Files that the agent changes. */
  readonly file_change: FileChangeContent;
  /** A tool of an MCP server that the agent calls. */
  readonly mcp_tool_call: McpToolCallContent;
  /** A search on the web. */
  readonly web_search: WebSearchContent;
  /** The plan of the agent. */
  readonly todo_list: TodoListContent;
  /** A warning or an error that does not end the turn (0.58 and later). */
  readonly error: ThreadError;
}

/** The delta of each item type that is known. */
export interface ItemDeltas {
  /** What the agent says to the user. */
  readonly agent_message: AgentMessageDelta;
  /** What the agent thinks. */
  readonly reasoning: ReasoningDelta;
  /** A command that the agent runs. */
  readonly command_execution: CommandExecutionDelta;
  /** Files that the agent changes. */
  readonly file_change: FileChangeDelta;
  /** A tool of an MCP server that the agent calls. */
  readonly mcp_tool_call: McpToolCallDelta;
  /** A search on the web. */
  readonly web_search: WebSearchDelta;
  /** The plan of the agent. */
  readonly todo_list: TodoListContent;
  /** A warning or an error that does not end the turn. */
  readonly error: ThreadError;
}

/** An item type whose content is known. */
export type KnownItemType = keyof ItemContents;

/** What the agent says to the user. */
export interface AgentMessageContent {
  /** The message, Markdown as a rule; may be empty. */
  readonly text: string;
}

/** What is new of an agent message. */
export interface AgentMessageDelta {
  /** The text to append, or all of it if the event says `snapshot`; may be empty. */
  readonly text_delta: string;
}

/** What the agent thinks. */
export interface ReasoningContent {
  /**
   * The summary of the thoughts, Markdown. Up to 0.115 each part of it is an item; since
   * 0.122 the parts are joined with LF.
   */
  readonly text: string;
}

/** What is new of the reasoning. */
export interface ReasoningDelta {
  /** The text to append, or all of it if the event says `snapshot`; may be empty. */
  readonly text_delta: string;
}

/** A command that the agent runs. */
export interface CommandExecutionContent {
  /**
   * The command as one line of shell; a list of words has been joined with POSIX quotes.
   * Since 0.61 the CLI writes `/bin/bash -lc '…'`, before `bash -lc '…'`.
   */
  readonly command: string;
  /**
   * The exit status, a whole number; absent while the command runs. A command that was
   * killed has 137 since 0.142 and -1 before, one that took too long 124 since 0.36.
   */
  readonly exit_code?: number;
  /**
   * What the command printed; the CLI writes both of its streams here
   * (`aggregated_output`). Since 0.92 it may be cut: at 40 KB or 1 MiB, with a mark in the
   * middle or none.
   */
  readonly stdout?: string;
  /** What the command printed on stderr, where a release tells the two apart. */
  readonly stderr?: string;
}

/** What is new of a command: its output, or any other field. */
export type CommandExecutionDelta = Partial<CommandExecutionContent>;

/**
 * Files that the agent changes. At least one of `path` and `changes` is there.
 *
 * The CLI has written `item.started` for it since 0.122.
 */
export interface FileChangeContent {
  /** The path of the one file that changes. Not written by the CLI itself. */
  readonly path?: string;
  /** How it changes, a word. Not written by the CLI itself. */
  readonly change?: string;
  /** How it changes, as a diff. Not written by the CLI itself. */
  readonly diff?: string;
  /** The files that change; up to 0.115 in random order, since 0.122 by path. */
  readonly changes?: readonly FileChangeEntry[];
  /** The exit status of what applied the change, a whole number. */
  readonly exit_code?: number;
  /** What that printed. */
  readonly stdout?: string;
  /** What that printed on stderr. */
  readonly stderr?: string;
}

/** What is new of a file change. */
export type FileChangeDelta = Partial<FileChangeContent>;

/** A file that changes. */
export interface FileChangeEntry {
  /** The path of the file. */
  readonly path: string;
  /** How it changes: the CLI writes `add`, `update` and `delete`. Not checked. */
  readonly kind?: unknown;
}

/** A tool of an MCP server that the agent calls. */
export interface McpToolCallContent {
  /** The name of the server, as the configuration of Codex has it. */
  readonly server_name: string;
  /** The name of the tool. */
  readonly tool_name: string;
  /** What the tool is given (0.53 and later): a JSON value other than null. */
  readonly arguments?: unknown;
  /**
   * What the tool answered (0.53 and later): a JSON value other than null. The CLI writes an object
   * with `content`, `structured_content` and, since 0.136, `_meta`.
   */
  readonly result?: unknown;
  /** Why the call failed (0.53 and later): a JSON value other than null; from the CLI an object with `message`. */
  readonly error?: unknown;
  /** A status of the call itself, a word; the one of the event is what the CLI writes. */
  readonly status?: string;
}

/** What is new of an MCP tool call. */
export type McpToolCallDelta = Partial<McpToolCallContent>;

/** A search on the web. */
export interface WebSearchContent {
  /** The id that the search has elsewhere (0.92 and later); not the id of the item. */
  readonly id?: string;
  /** What is searched for; may be empty, above all in `item.started`. */
  readonly query: string;
  /**
   * What is done (0.92 and later): a JSON value other than null. The CLI writes an object whose
   * `type` is a word such as `search`, `open_page` or `other`; beside it `query`, `queries`
   * (0.98 and later), `url`, `pattern`.
   */
  readonly action?: unknown;
  /** What was found: a JSON value other than null. Not written by the CLI itself. */
  readonly results?: unknown;
  /** A status of the search itself, a word; the one of the event is what the CLI writes. */
  readonly status?: string;
}

/** What is new of a web search. */
export type WebSearchDelta = Partial<WebSearchContent>;

/**
 * The plan of the agent: in `item.delta` too it is the whole list.
 *
 * The CLI completes it when the turn ends, after the last message.
 */
export interface TodoListContent {
  /** The steps, in order. */
  readonly items?: readonly TodoEntry[];
}

/** A step of a plan. */
export interface TodoEntry {
  /** What is to be done; may be empty. */
  readonly title: string;
  /** Whether it has been done; `false` where a line does not say. */
  readonly completed: boolean;
}

/** The types of events that are about an item of some type. */
type ItemEventType = "item.started" | "item.delta" | "item.completed";

/** The type of an event. */
export type EventType = ThreadEvent["type"];

/** @ignore Other names of item types (T2). */
export const ITEM_TYPE_ALIASES: ReadonlyMap<string, KnownItemType> = new Map([
  ["assistant_message", "agent_message"],
]);

/** @ignore The shape of {@linkcode ThreadError}. */
export const THREAD_ERROR: ShapeOfObject<ThreadError> = object({
  message: STRING,
  code: optional(either(STRING, NUMBER)),
});

/** @ignore The shape of {@linkcode TodoEntry}. */
export const TODO_ENTRY: ShapeOfObject<TodoEntry> = object({
  title: STRING,
  completed: BOOLEAN,
});

/** @ignore The shape of {@linkcode FileChangeEntry}. */
export const FILE_CHANGE_ENTRY: Shape<FileChangeEntry> = object({
  path: STRING,
  kind: optional(ANY),
});

const TEXT = { text: STRING };
const TEXT_DELTA = { text_delta: STRING };

const OUTPUT = {
  exit_code: optional(WHOLE),
  stdout: optional(STRING),
  stderr: optional(STRING),
};

const COMMAND_EXECUTION = object<CommandExecutionContent>({
  command: STRING,
  ...OUTPUT,
});

const FILE_CHANGE: Members<FileChangeContent> = {
  path: optional(STRING),
  change: optional(STRING),
  diff: optional(STRING),
  changes: optional(list(FILE_CHANGE_ENTRY)),
  ...OUTPUT,
};

const MCP_TOOL_CALL = object<McpToolCallContent>({
  server_name: STRING,
  tool_name: STRING,
  arguments: optional(SOME),
  result: optional(SOME),
  error: optional(SOME),
  status: optional(STRING),
});

const WEB_SEARCH = object<WebSearchContent>({
  id: optional(STRING),
  query: STRING,
  action: optional(SOME),
  results: optional(SOME),
  status: optional(STRING),
});

const TODO_LIST = object<TodoListContent>({
  items: optional(list(TODO_ENTRY)),
});

/** @ignore The shape of the content of each item type. */
export const ITEM_CONTENTS: {
  readonly [T in KnownItemType]: ShapeOfObject<ItemContents[T]>;
} = {
  agent_message: object(TEXT),
  reasoning: object(TEXT),
  command_execution: COMMAND_EXECUTION,
  file_change: object(FILE_CHANGE, ["path", "changes"]),
  mcp_tool_call: MCP_TOOL_CALL,
  web_search: WEB_SEARCH,
  todo_list: TODO_LIST,
  error: THREAD_ERROR,
};

/** @ignore The shape of the delta of each item type. */
export const ITEM_DELTAS: {
  readonly [T in KnownItemType]: ShapeOfObject<ItemDeltas[T]>;
} = {
  agent_message: object(TEXT_DELTA),
  reasoning: object(TEXT_DELTA),
  command_execution: partial(COMMAND_EXECUTION),
  file_change: object(FILE_CHANGE),
  mcp_tool_call: partial(MCP_TOOL_CALL),
  web_search: partial(WEB_SEARCH),
  todo_list: TODO_LIST,
  error: THREAD_ERROR,
};

/**
 * The shape of an event about an item: as `others` says, and for a known item type with its
 * payload.
 */
function itemEvent<T>(
  others: ObjectShape,
  payload: "content" | "delta",
  payloads: { readonly [itemType: string]: ObjectShape },
): Shape<T> {
  const shapes = new Map<string, ObjectShape>();
  for (const [itemType, shape] of Object.entries(payloads)) {
    const members = others.members.map((member) => {
      if (member.name === "item_type") {
        return { ...member, shape: literal(itemType) };
      }
      return member.name === payload
        ? { ...member, shape, isOptional: false }
        : member;
    });
    shapes.set(itemType, { kind: "object", members });
  }
  for (const [alias, itemType] of ITEM_TYPE_ALIASES) {
    // So it is refused: its item type has to be the other name.
    shapes.set(alias, shapes.get(itemType) ?? others);
  }
  return variantOf("item_type", shapes, others);
}

const THREAD = { thread_id: STRING };
const TURN = { ...THREAD, turn_id: STRING };
/** What releases count is no reason to refuse the end of a turn. */
const USAGE: Shape<Partial<TokenCounts>> = { kind: "some" };
const ITEM: Members<ItemEventFields> = {
  ...THREAD,
  turn_id: optional(STRING),
  item_id: STRING,
  index: optional(WHOLE),
};

/**
 * @ignore The shape of each event. Its members are written in this order (O1).
 */
export const EVENT_SHAPES: ShapesOf<Known<ThreadEvent, "type">> = {
  ...typed<Omit<Known<ThreadEvent, "type">, ItemEventType>>({
    "thread.started": THREAD,
    "turn.started": { ...TURN, input_text: optional(STRING) },
    "turn.completed": {
      ...TURN,
      last_item_id: optional(STRING),
      usage: optional(USAGE),
    },
    "turn.failed": { ...TURN, usage: optional(USAGE), error: THREAD_ERROR },
    "item.failed": { ...ITEM, error: THREAD_ERROR },
    "error": { message: STRING, code: optional(either(STRING, NUMBER)) },
    "rpc.request": { method: STRING },
    "rpc.notification": { method: STRING },
    "rpc.response": {},
    "rpc.error": {},
  }),
  "item.started": itemEvent<ItemStartedEvent>(
    object({
      type: literal("item.started"),
      ...ITEM,
      status: STRING,
      item_type: STRING,
      content: optional(SOME),
    }),
    "content",
    ITEM_CONTENTS,
  ),
  "item.delta": itemEvent<ItemDeltaEvent>(
    object({
      type: literal("item.delta"),
      ...ITEM,
      status: optional(STRING),
      item_type: STRING,
      snapshot: optional(BOOLEAN),
      delta: optional(SOME),
    }),
    "delta",
    ITEM_DELTAS,
  ),
  "item.completed": itemEvent<ItemCompletedEvent>(
    object({
      type: literal("item.completed"),
      ...ITEM,
      status: STRING,
      item_type: STRING,
      content: optional(SOME),
    }),
    "content",
    ITEM_CONTENTS,
  ),
};

/** @ignore The shape of {@linkcode ThreadEvent}. */
export const THREAD_EVENT: Shape<ThreadEvent> = variant(
  "type",
  EVENT_SHAPES,
  "the type of an event",
);

/** The item type of an event; other events may have an unknown field of that name. */
function itemTypeOf(event: ThreadEvent): string | undefined {
  return "item_type" in event &&
      EVENT_SHAPES[event.type]?.kind === "variant" &&
      typeof event.item_type === "string"
    ? event.item_type
    : undefined;
}

/** The events among `E` that are about an item of a known type. */
export type KnownItemEvent<E extends ThreadEvent = ThreadEvent> = Extract<
  E,
  { readonly item_type: KnownItemType }
>;

/**
 * Says whether an event is about an item of a known type, so that `switch` on `item_type`
 * gives the type of its content, and may end in `event satisfies never`.
 *
 * Item types are open: before this question `event.item_type` may be any string, and
 * comparing it to one says nothing about the content.
 *
 * @typeParam E The type of the event.
 * @param event The event.
 * @returns Whether it is `item.started`, `item.delta` or `item.completed` of a
 *   {@linkcode KnownItemType}.
 *
 * @example The content of a few item types
 * ```ts
 * import { isKnownItem, type ItemCompletedEvent } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * function headline(event: ItemCompletedEvent): string {
 *   if (!isKnownItem(event)) return event.item_type;
 *   switch (event.item_type) {
 *     case "agent_message":
 *       return event.content.text;
 *     case "command_execution":
 *       return `${event.content.command} gave ${event.content.exit_code ?? "nothing yet"}`;
 *     default:
 *       return event.item_type;
 *   }
 * }
 *
 * const base = { type: "item.completed", thread_id: "t", item_id: "1", status: "completed" } as const;
 * assertEquals(
 *   headline({ ...base, item_type: "agent_message", content: { text: "Done" } }),
 *   "Done",
 * );
 * assertEquals(headline({ ...base, item_type: "collab_tool_call" }), "collab_tool_call");
 * ```
 */
export function isKnownItem<E extends ThreadEvent>(
  event: E,
): event is KnownItemEvent<E> {
  const itemType = itemTypeOf(event);
  return itemType !== undefined && Object.hasOwn(ITEM_CONTENTS, itemType);
}

/** The events among `E` that are about an item of type `T`. */
export type ItemEventOf<T extends string, E extends ThreadEvent = ThreadEvent> =
  T extends KnownItemType ? Extract<E, { readonly item_type: T }>
    : Exclude<Extract<E, { readonly item_type: string }>, KnownItemEvent> & {
      readonly item_type: T;
    };

/**
 * Says whether an event is about an item of one type, known or not.
 *
 * @typeParam E The type of the event.
 * @typeParam T The item type; one literal, not a union.
 * @param event The event.
 * @param itemType The item type.
 * @returns Whether it is `item.started`, `item.delta` or `item.completed` of that type.
 *
 * @example The exit codes of commands
 * ```ts
 * import { isItemType, type ThreadEvent } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const events: ThreadEvent[] = [
 *   { type: "thread.started", thread_id: "t" },
 *   {
 *     type: "item.completed",
 *     thread_id: "t",
 *     item_id: "1",
 *     status: "failed",
 *     item_type: "command_execution",
 *     content: { command: "false", exit_code: 1 },
 *   },
 * ];
 * const codes = events.flatMap((event) =>
 *   event.type === "item.completed" && isItemType(event, "command_execution")
 *     ? [event.content.exit_code]
 *     : []
 * );
 *
 * assertEquals(codes, [1]);
 * ```
 */
export function isItemType<E extends ThreadEvent, const T extends string>(
  event: E,
  itemType: T,
): event is E & ItemEventOf<T, E> {
  return itemTypeOf(event) === itemType;
}

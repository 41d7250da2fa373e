/** The events of `codex exec --json` after normalizing. */

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
 * An event: a normalized record of `codex exec --json` or `codex app-server`. `switch` on `type`.
 *
 * A record may hold more fields than its interface names: fields that a release adds stay in the
 * event, and keep their exact place when it is encoded again. The interfaces have no index
 * signature, so that a misspelt name is a compile error. Test for any other field with `"name" in
 * event`; the compiler then knows it, with the type `unknown`.
 *
 * This list may expand over time.
 *
 * @example Handle every type of event, and read a field that no interface names
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
 * A thread begins, or continues in a new process (`codex exec resume`).
 *
 * Releases up to 0.43 write no thread id; the id is then `synthetic-thread-N`.
 */
export interface ThreadStartedEvent {
  /** Always `thread.started`. */
  readonly type: "thread.started";
  /** The id of the thread; the name of its rollout file ends with it. */
  readonly thread_id: string;
}

/** A turn begins: Codex has accepted a prompt. */
export interface TurnStartedEvent {
  /** Always `turn.started`. */
  readonly type: "turn.started";
  /** The id of the thread. */
  readonly thread_id: string;
  /**
   * The id of the turn. Exec streams since 0.44 have none; the id is then `synthetic-turn-N`, where
   * N counts the turns of the input from 1.
   */
  readonly turn_id: string;
  /** The prompt. Not written by the CLI itself. */
  readonly input_text?: string;
}

/** A turn ends without an error. */
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
   * The tokens used, as the release counted them. After `codex exec resume`, releases 0.79 to 0.147
   * and from 0.155 on count the whole thread, the others only the new process: `UsageMeter` of
   * `./usage` counts each request once.
   *
   * The members are not checked: in a log that Codex did not write, the value may be anything but
   * null. Counts beyond 2^53 are rounded; the text of the record has the exact digits.
   */
  readonly usage?: Partial<TokenCounts>;
}

/** A turn ends with an error. Releases up to 0.42 exited with status 0 even then. */
export interface TurnFailedEvent {
  /** Always `turn.failed`. */
  readonly type: "turn.failed";
  /** The id of the thread. */
  readonly thread_id: string;
  /** The id of the turn. */
  readonly turn_id: string;
  /** The tokens used; see {@linkcode TurnCompletedEvent.usage}. */
  readonly usage?: Partial<TokenCounts>;
  /** The reason of the failure. */
  readonly error: ThreadError;
}

/** An error or a warning. Not fatal by itself: `turn.failed` follows a fatal one since 0.44. */
export interface ThreadErrorEvent extends ThreadError {
  /** Always `error`. */
  readonly type: "error";
}

/** An error. */
export interface ThreadError {
  /** The message: prose, or JSON that a server sent. */
  readonly message: string;
  /** The kind of error, which session files and app-servers state. */
  readonly code?: string | number;
}

/**
 * A message of `codex app-server` that belongs to no thread, or adds nothing to one: the message
 * itself, with `type` before its own members.
 */
export type RpcEvent =
  | RpcRequestEvent
  | RpcNotificationEvent
  | RpcResponseEvent
  | RpcErrorEvent;

/** A request of the client or of the server. It also has an `id`, and mostly `params`. */
export interface RpcRequestEvent {
  /** Always `rpc.request`. */
  readonly type: "rpc.request";
  /** The method that is called. */
  readonly method: string;
}

/** A notification. It mostly has `params`. */
export interface RpcNotificationEvent {
  /** Always `rpc.notification`. */
  readonly type: "rpc.notification";
  /** The method, which names the sort of notification. */
  readonly method: string;
}

/** The answer to a request. It also has the `id` of the request, and a `result`. */
export interface RpcResponseEvent {
  /** Always `rpc.response`. */
  readonly type: "rpc.response";
}

/** The answer to a request that failed. It also has the `id` of the request, and an `error`. */
export interface RpcErrorEvent {
  /** Always `rpc.error`. */
  readonly type: "rpc.error";
}

/** The fields of every item event. */
export interface ItemEventFields {
  /** The id of the thread. */
  readonly thread_id: string;
  /**
   * The id of the turn. Absent before the first turn, where the CLI writes warnings, and in
   * releases that write no turns.
   */
  readonly turn_id?: string;
  /**
   * The id of the item, the same in all of its events. The CLI numbers items from `item_0` in every
   * process: a resumed thread uses each number again.
   */
  readonly item_id: string;
  /** The index of the item in its turn, a whole number. Not written by the CLI itself. */
  readonly index?: number;
}

/** The fields of `item.started` and `item.completed`. */
export interface WholeItemFields extends ItemEventFields {
  /**
   * The state of the item, a word: the CLI writes `in_progress`, `completed`, `failed` and
   * `declined`; other words may follow. Where a line has none, it is `in_progress` in
   * `item.started` and `completed` in `item.completed`.
   */
  readonly status: string;
}

/** The type of an event that holds a whole item. */
export type WholeItemType = "item.started" | "item.completed";

/**
 * An item of a known type begins, or is complete.
 *
 * @typeParam E The type of the event.
 * @typeParam T The item type.
 */
export interface WholeItem<E extends WholeItemType, T extends KnownItemType>
  extends WholeItemFields {
  /** The type of the event. */
  readonly type: E;
  /** The item type. */
  readonly item_type: T;
  /** The whole item; in `item.started`, the item so far. */
  readonly content: ItemContents[T];
}

/**
 * An item of any other type begins, or is complete. Its fields are fields of the event, such as
 * `tool` of a `collab_tool_call` (0.92 and later).
 *
 * @typeParam E The type of the event.
 */
export interface UnknownWholeItem<E extends WholeItemType>
  extends WholeItemFields {
  /** The type of the event. */
  readonly type: E;
  /** The item type: none of {@linkcode KnownItemType}. */
  readonly item_type: string;
  /** The field `content` of the line, if it has one; never null. */
  readonly content?: unknown;
}

/** An item begins. In exec streams, messages and reasoning have no such event: they arrive complete. */
export type ItemStartedEvent =
  | { [T in KnownItemType]: WholeItem<"item.started", T> }[KnownItemType]
  | UnknownWholeItem<"item.started">;

/** An item has ended, with success or without: see `status`. */
export type ItemCompletedEvent =
  | { [T in KnownItemType]: WholeItem<"item.completed", T> }[KnownItemType]
  | UnknownWholeItem<"item.completed">;

/** The fields of `item.delta`. */
export interface ItemDeltaFields extends ItemEventFields {
  /** The state of the item; see {@linkcode WholeItemFields.status}. */
  readonly status?: string;
  /**
   * Whether `delta` is the whole item in its current state, which replaces the earlier one. True
   * wherever the CLI wrote `item.updated`, which it does for todo lists since 0.44. Absent, `delta`
   * is an increment.
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
  /** The item type. */
  readonly item_type: T;
  /** The increment, or the whole item if `snapshot` is `true`. */
  readonly delta: ItemDeltas[T];
}

/** An item of any other type changes. Its fields are fields of the event. */
export interface UnknownItemDelta extends ItemDeltaFields {
  /** Always `item.delta`. */
  readonly type: "item.delta";
  /** The item type: none of {@linkcode KnownItemType}. */
  readonly item_type: string;
  /** The field `delta` of the line, if it has one; never null. */
  readonly delta?: unknown;
}

/** An item changes. */
export type ItemDeltaEvent =
  | { [T in KnownItemType]: ItemDelta<T> }[KnownItemType]
  | UnknownItemDelta;

/**
 * An item fails. Not written by the CLI itself, whose failed items are `item.completed` with the
 * status `failed`.
 */
export interface ItemFailedEvent extends ItemEventFields {
  /** Always `item.failed`. */
  readonly type: "item.failed";
  /** The reason of the failure. */
  readonly error: ThreadError;
}

/** The content of each known item type. */
export interface ItemContents {
  /** A message of the agent to the user. */
  readonly agent_message: AgentMessageContent;
  /** Thoughts of the agent. */
  readonly reasoning: ReasoningContent;
  /** A command that the agent runs. */
  readonly command_execution: CommandExecutionContent;
  /** Files that the agent changes. */
  readonly file_change: FileChangeContent;
  /** A call of a tool of an MCP server. */
  readonly mcp_tool_call: McpToolCallContent;
  /** A search on the web. */
  readonly web_search: WebSearchContent;
  /** The plan of the agent. */
  readonly todo_list: TodoListContent;
  /** A warning or an error that does not end the turn (0.55 and later). */
  readonly error: ThreadError;
}

/** The delta of each known item type. */
export interface ItemDeltas {
  /** A message of the agent to the user. */
  readonly agent_message: AgentMessageDelta;
  /** Thoughts of the agent. */
  readonly reasoning: ReasoningDelta;
  /** A command that the agent runs. */
  readonly command_execution: CommandExecutionDelta;
  /** Files that the agent changes. */
  readonly file_change: FileChangeDelta;
  /** A call of a tool of an MCP server. */
  readonly mcp_tool_call: McpToolCallDelta;
  /** A search on the web. */
  readonly web_search: WebSearchDelta;
  /** The plan of the agent. */
  readonly todo_list: TodoListContent;
  /** A warning or an error that does not end the turn. */
  readonly error: ThreadError;
}

/** An item type with a known content. */
export type KnownItemType = keyof ItemContents;

/** A message of the agent to the user. */
export interface AgentMessageContent {
  /** The text, usually Markdown; may be empty. */
  readonly text: string;
}

/** An update of an agent message. */
export interface AgentMessageDelta {
  /** The text to append, or the whole text if the event has `snapshot`; may be empty. */
  readonly text_delta: string;
}

/** Thoughts of the agent. */
export interface ReasoningContent {
  /**
   * The summary of the thoughts, as Markdown. Up to 0.115 each part of it is an item; since 0.122
   * the parts are joined with LF.
   */
  readonly text: string;
}

/** An update of the reasoning. */
export interface ReasoningDelta {
  /** The text to append, or the whole text if the event has `snapshot`; may be empty. */
  readonly text_delta: string;
}

/** A command that the agent runs. */
export interface CommandExecutionContent {
  /**
   * The command as one shell line; a list of words is joined, quoted for a POSIX shell. Since 0.61
   * the CLI writes `/bin/bash -lc '…'`, before that `bash -lc '…'`.
   */
  readonly command: string;
  /**
   * The exit status, a whole number; absent while the command runs. A command that was killed has
   * 137 since 0.142 and -1 before; one that timed out has 124 since 0.36.
   */
  readonly exit_code?: number;
  /**
   * The output of the command. The CLI writes both stdout and stderr here (`aggregated_output`).
   * Since 0.92 it may be truncated: at 40 KB or 1 MiB, with or without a mark in the middle.
   */
  readonly stdout?: string;
  /** The output of the command on stderr, where a release separates the two. */
  readonly stderr?: string;
}

/** An update of a command: its output, or any other field. */
export type CommandExecutionDelta = Partial<CommandExecutionContent>;

/**
 * Files that the agent changes. At least one of `path` and `changes` is present.
 *
 * The CLI has written `item.started` for file changes since 0.120.
 */
export interface FileChangeContent {
  /** The path of the one file that changes. Not written by the CLI itself. */
  readonly path?: string;
  /** The sort of change, a word. Not written by the CLI itself. */
  readonly change?: string;
  /** The change as a diff. Not written by the CLI itself. */
  readonly diff?: string;
  /** The changed files; up to 0.115 in random order, since 0.122 sorted by path. */
  readonly changes?: readonly FileChangeEntry[];
  /** The exit status of the program that applied the change, a whole number. */
  readonly exit_code?: number;
  /** The output of that program. */
  readonly stdout?: string;
  /** The output of that program on stderr. */
  readonly stderr?: string;
}

/** An update of a file change. */
export type FileChangeDelta = Partial<FileChangeContent>;

/** A changed file. */
export interface FileChangeEntry {
  /** The path of the file. */
  readonly path: string;
  /** The sort of change: the CLI writes `add`, `update` and `delete`. Not checked. */
  readonly kind?: unknown;
}

/** A call of a tool of an MCP server. */
export interface McpToolCallContent {
  /** The name of the server in the configuration of Codex. */
  readonly server_name: string;
  /** The name of the tool. */
  readonly tool_name: string;
  /** The arguments (0.53 and later): a JSON value other than null. */
  readonly arguments?: unknown;
  /**
   * The result (0.53 and later): a JSON value other than null. The CLI writes an object with
   * `content`, `structured_content` and, since 0.135, `_meta`.
   */
  readonly result?: unknown;
  /**
   * The error of a failed call (0.53 and later): a JSON value other than null; the CLI writes an
   * object with `message`.
   */
  readonly error?: unknown;
  /** A status of the call itself, a word. The CLI writes the status of the event instead. */
  readonly status?: string;
}

/** An update of an MCP tool call. */
export type McpToolCallDelta = Partial<McpToolCallContent>;

/** A search on the web. */
export interface WebSearchContent {
  /** The id of the search in other records (0.92 and later); not the id of the item. */
  readonly id?: string;
  /** The query; may be empty, mostly in `item.started`. */
  readonly query: string;
  /**
   * The action (0.92 and later): a JSON value other than null. The CLI writes an object whose
   * `type` is a word such as `search`, `open_page` or `other`, with `query`, `queries` (0.95 and
   * later), `url`, `pattern`.
   */
  readonly action?: unknown;
  /** The search results: a JSON value other than null. Not written by the CLI itself. */
  readonly results?: unknown;
  /** A status of the search itself, a word. The CLI writes the status of the event instead. */
  readonly status?: string;
}

/** An update of a web search. */
export type WebSearchDelta = Partial<WebSearchContent>;

/**
 * The plan of the agent: the whole list, in `item.delta` too.
 *
 * The CLI completes it at the end of the turn, after the last message.
 */
export interface TodoListContent {
  /** The steps, in order. */
  readonly items?: readonly TodoEntry[];
}

/** A step of a plan. */
export interface TodoEntry {
  /** The text of the step; may be empty. */
  readonly title: string;
  /** Whether the step is done; `false` where a line does not say. */
  readonly completed: boolean;
}

/** The types of events that are about an item with content. */
type ItemEventType = "item.started" | "item.delta" | "item.completed";

/** The type of an event. */
export type EventType = ThreadEvent["type"];

/** @ignore Aliases of item types (T2). */
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
 * The shape of an item event: `others`, and for each known item type the same with the shape of its
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
    // A normalized record never has the alias: with this shape it fails, as its item type does not
    // match.
    shapes.set(alias, shapes.get(itemType) ?? others);
  }
  return variantOf("item_type", shapes, others);
}

const THREAD = { thread_id: STRING };
const TURN = { ...THREAD, turn_id: STRING };
/** Counts are not checked: a strange count must not make the end of a turn fail. */
const USAGE: Shape<Partial<TokenCounts>> = { kind: "some" };
const ITEM: Members<ItemEventFields> = {
  ...THREAD,
  turn_id: optional(STRING),
  item_id: STRING,
  index: optional(WHOLE),
};
const WHOLE_ITEM = {
  ...ITEM,
  status: STRING,
  item_type: STRING,
  content: optional(SOME),
};

/** @ignore The shape of each event. Members are written in this order (O1). */
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
    object({ type: literal("item.started"), ...WHOLE_ITEM }),
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
    object({ type: literal("item.completed"), ...WHOLE_ITEM }),
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

/** Returns the item type of an event; other events may have an unknown field of that name. */
function itemTypeOf(event: ThreadEvent): string | undefined {
  return "item_type" in event &&
      EVENT_SHAPES[event.type]?.kind === "variant" &&
      typeof event.item_type === "string"
    ? event.item_type
    : undefined;
}

/** The events in `E` about an item of a known type. */
export type KnownItemEvent<E extends ThreadEvent = ThreadEvent> = Extract<
  E,
  { readonly item_type: KnownItemType }
>;

/**
 * Returns whether an event is about an item of a known type. After this check, `switch` on
 * `item_type` narrows the type of the content, and may end in `event satisfies never`.
 *
 * Item types are open: without this check `event.item_type` may be any string, and comparing it
 * with a literal does not narrow the content.
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

/** The events in `E` about an item of type `T`. */
export type ItemEventOf<T extends string, E extends ThreadEvent = ThreadEvent> =
  T extends KnownItemType ? Extract<E, { readonly item_type: T }>
    : Exclude<Extract<E, { readonly item_type: string }>, KnownItemEvent> & {
      readonly item_type: T;
    };

/**
 * Returns whether an event is about an item of one type, known or not.
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

/**
 * Schemas of normalized exec events, and of what they hold.
 *
 * @module
 */

import type * as v from "valibot";
import {
  eventSchema,
  FILE_CHANGE_ENTRY,
  itemEventSchema,
  objectSchema,
  oneOfSchema,
  THREAD_ERROR,
  TODO_ENTRY,
  variantSchema,
} from "./_field_schema.ts";
import type {
  AgentMessageContent,
  AgentMessageDelta,
  CommandExecutionContent,
  CommandExecutionDelta,
  FileChangeContent,
  FileChangeDelta,
  FileChangeEntry,
  ItemCompletedEvent,
  ItemContents,
  ItemDeltaEvent,
  ItemDeltas,
  ItemFailedEvent,
  ItemStartedEvent,
  McpToolCallContent,
  McpToolCallDelta,
  ReasoningContent,
  ReasoningDelta,
  RpcErrorEvent,
  RpcNotificationEvent,
  RpcRequestEvent,
  RpcResponseEvent,
  ThreadError,
  ThreadErrorEvent,
  ThreadEvent,
  ThreadStartedEvent,
  TodoEntry,
  TodoListContent,
  TurnCompletedEvent,
  TurnFailedEvent,
  TurnStartedEvent,
  WebSearchContent,
  WebSearchDelta,
} from "./events.ts";
import { type EventType, PAYLOAD_FIELDS } from "./fields.ts";

/** The schema of {@linkcode ThreadError}. */
export const ThreadErrorSchema: v.GenericSchema<unknown, ThreadError> =
  THREAD_ERROR;

/** The schema of {@linkcode TodoEntry}. */
export const TodoEntrySchema: v.GenericSchema<unknown, TodoEntry> = TODO_ENTRY;

/** The schema of {@linkcode FileChangeEntry}. */
export const FileChangeEntrySchema: v.GenericSchema<unknown, FileChangeEntry> =
  FILE_CHANGE_ENTRY;

/** The schema of {@linkcode AgentMessageContent}. */
export const AgentMessageContentSchema: v.GenericSchema<
  unknown,
  AgentMessageContent
> = objectSchema(PAYLOAD_FIELDS.agent_message.content);

/** The schema of {@linkcode AgentMessageDelta}. */
export const AgentMessageDeltaSchema: v.GenericSchema<
  unknown,
  AgentMessageDelta
> = objectSchema(PAYLOAD_FIELDS.agent_message.delta);

/** The schema of {@linkcode ReasoningContent}. */
export const ReasoningContentSchema: v.GenericSchema<
  unknown,
  ReasoningContent
> = objectSchema(PAYLOAD_FIELDS.reasoning.content);

/** The schema of {@linkcode ReasoningDelta}. */
export const ReasoningDeltaSchema: v.GenericSchema<unknown, ReasoningDelta> =
  objectSchema(PAYLOAD_FIELDS.reasoning.delta);

/** The schema of {@linkcode CommandExecutionContent}. */
export const CommandExecutionContentSchema: v.GenericSchema<
  unknown,
  CommandExecutionContent
> = objectSchema(PAYLOAD_FIELDS.command_execution.content);

/** The schema of {@linkcode CommandExecutionDelta}. */
export const CommandExecutionDeltaSchema: v.GenericSchema<
  unknown,
  CommandExecutionDelta
> = objectSchema(PAYLOAD_FIELDS.command_execution.delta);

/** The schema of {@linkcode FileChangeContent}. */
export const FileChangeContentSchema: v.GenericSchema<
  unknown,
  FileChangeContent
> = oneOfSchema(
  PAYLOAD_FIELDS.file_change.content,
  PAYLOAD_FIELDS.file_change.oneOf,
);

/** The schema of {@linkcode FileChangeDelta}. */
export const FileChangeDeltaSchema: v.GenericSchema<unknown, FileChangeDelta> =
  objectSchema(PAYLOAD_FIELDS.file_change.delta);

/** The schema of {@linkcode McpToolCallContent}. */
export const McpToolCallContentSchema: v.GenericSchema<
  unknown,
  McpToolCallContent
> = objectSchema(PAYLOAD_FIELDS.mcp_tool_call.content);

/** The schema of {@linkcode McpToolCallDelta}. */
export const McpToolCallDeltaSchema: v.GenericSchema<
  unknown,
  McpToolCallDelta
> = objectSchema(PAYLOAD_FIELDS.mcp_tool_call.delta);

/** The schema of {@linkcode WebSearchContent}. */
export const WebSearchContentSchema: v.GenericSchema<
  unknown,
  WebSearchContent
> = objectSchema(PAYLOAD_FIELDS.web_search.content);

/** The schema of {@linkcode WebSearchDelta}. */
export const WebSearchDeltaSchema: v.GenericSchema<unknown, WebSearchDelta> =
  objectSchema(PAYLOAD_FIELDS.web_search.delta);

/** The schema of {@linkcode TodoListContent}. */
export const TodoListContentSchema: v.GenericSchema<unknown, TodoListContent> =
  objectSchema(PAYLOAD_FIELDS.todo_list.content);

const CONTENTS: {
  readonly [I in keyof typeof PAYLOAD_FIELDS]: v.GenericSchema<
    unknown,
    ItemContents[I]
  >;
} = {
  agent_message: AgentMessageContentSchema,
  reasoning: ReasoningContentSchema,
  command_execution: CommandExecutionContentSchema,
  file_change: FileChangeContentSchema,
  mcp_tool_call: McpToolCallContentSchema,
  web_search: WebSearchContentSchema,
  todo_list: TodoListContentSchema,
  error: ThreadErrorSchema,
};

const DELTAS: {
  readonly [I in keyof typeof PAYLOAD_FIELDS]: v.GenericSchema<
    unknown,
    ItemDeltas[I]
  >;
} = {
  agent_message: AgentMessageDeltaSchema,
  reasoning: ReasoningDeltaSchema,
  command_execution: CommandExecutionDeltaSchema,
  file_change: FileChangeDeltaSchema,
  mcp_tool_call: McpToolCallDeltaSchema,
  web_search: WebSearchDeltaSchema,
  todo_list: TodoListContentSchema,
  error: ThreadErrorSchema,
};

/** The schema of {@linkcode ThreadStartedEvent}. */
export const ThreadStartedEventSchema: v.GenericSchema<
  unknown,
  ThreadStartedEvent
> = eventSchema("thread.started");

/** The schema of {@linkcode TurnStartedEvent}. */
export const TurnStartedEventSchema: v.GenericSchema<
  unknown,
  TurnStartedEvent
> = eventSchema("turn.started");

/** The schema of {@linkcode TurnCompletedEvent}. */
export const TurnCompletedEventSchema: v.GenericSchema<
  unknown,
  TurnCompletedEvent
> = eventSchema("turn.completed");

/** The schema of {@linkcode TurnFailedEvent}. */
export const TurnFailedEventSchema: v.GenericSchema<unknown, TurnFailedEvent> =
  eventSchema("turn.failed");

/** The schema of {@linkcode ItemStartedEvent}. */
export const ItemStartedEventSchema: v.GenericSchema<
  unknown,
  ItemStartedEvent
> = itemEventSchema("item.started", CONTENTS);

/** The schema of {@linkcode ItemDeltaEvent}. */
export const ItemDeltaEventSchema: v.GenericSchema<unknown, ItemDeltaEvent> =
  itemEventSchema("item.delta", DELTAS);

/** The schema of {@linkcode ItemCompletedEvent}. */
export const ItemCompletedEventSchema: v.GenericSchema<
  unknown,
  ItemCompletedEvent
> = itemEventSchema("item.completed", CONTENTS);

/** The schema of {@linkcode ItemFailedEvent}. */
export const ItemFailedEventSchema: v.GenericSchema<unknown, ItemFailedEvent> =
  eventSchema("item.failed");

/** The schema of {@linkcode ThreadErrorEvent}. */
export const ThreadErrorEventSchema: v.GenericSchema<
  unknown,
  ThreadErrorEvent
> = eventSchema("error");

/** The schema of {@linkcode RpcRequestEvent}. */
export const RpcRequestEventSchema: v.GenericSchema<unknown, RpcRequestEvent> =
  eventSchema("rpc.request");

/** The schema of {@linkcode RpcNotificationEvent}. */
export const RpcNotificationEventSchema: v.GenericSchema<
  unknown,
  RpcNotificationEvent
> = eventSchema("rpc.notification");

/** The schema of {@linkcode RpcResponseEvent}. */
export const RpcResponseEventSchema: v.GenericSchema<
  unknown,
  RpcResponseEvent
> = eventSchema("rpc.response");

/** The schema of {@linkcode RpcErrorEvent}. */
export const RpcErrorEventSchema: v.GenericSchema<unknown, RpcErrorEvent> =
  eventSchema("rpc.error");

const EVENTS: {
  readonly [E in EventType]: v.GenericSchema<
    unknown,
    Extract<ThreadEvent, { readonly type: E }>
  >;
} = {
  "thread.started": ThreadStartedEventSchema,
  "turn.started": TurnStartedEventSchema,
  "turn.completed": TurnCompletedEventSchema,
  "turn.failed": TurnFailedEventSchema,
  "item.started": ItemStartedEventSchema,
  "item.delta": ItemDeltaEventSchema,
  "item.completed": ItemCompletedEventSchema,
  "item.failed": ItemFailedEventSchema,
  "error": ThreadErrorEventSchema,
  "rpc.request": RpcRequestEventSchema,
  "rpc.notification": RpcNotificationEventSchema,
  "rpc.response": RpcResponseEventSchema,
  "rpc.error": RpcErrorEventSchema,
};

/**
 * The schema of {@linkcode ThreadEvent}.
 *
 * To know whether a record is an event, and why not, `decodeEvent()` of
 * `@codexpipe/codexpipe` is many times as fast.
 */
export const ThreadEventSchema: v.GenericSchema<unknown, ThreadEvent> =
  variantSchema("type", Object.values(EVENTS));

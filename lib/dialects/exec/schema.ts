/** Schemas of normalized exec events and their parts. */

import { type SchemasOf, schemasOf } from "../../shapes/schema.ts";
import * as events from "./events.ts";

/** The types of normalized exec streams, by name. */
export type ExecTypes = {
  readonly ThreadEvent: events.ThreadEvent;
  readonly ThreadStartedEvent: events.ThreadStartedEvent;
  readonly TurnStartedEvent: events.TurnStartedEvent;
  readonly TurnCompletedEvent: events.TurnCompletedEvent;
  readonly TurnFailedEvent: events.TurnFailedEvent;
  readonly ItemStartedEvent: events.ItemStartedEvent;
  readonly ItemDeltaEvent: events.ItemDeltaEvent;
  readonly ItemCompletedEvent: events.ItemCompletedEvent;
  readonly ItemFailedEvent: events.ItemFailedEvent;
  readonly ThreadErrorEvent: events.ThreadErrorEvent;
  readonly RpcRequestEvent: events.RpcRequestEvent;
  readonly RpcNotificationEvent: events.RpcNotificationEvent;
  readonly RpcResponseEvent: events.RpcResponseEvent;
  readonly RpcErrorEvent: events.RpcErrorEvent;
  readonly ThreadError: events.ThreadError;
  readonly TodoEntry: events.TodoEntry;
  readonly FileChangeEntry: events.FileChangeEntry;
  readonly AgentMessageContent: events.AgentMessageContent;
  readonly AgentMessageDelta: events.AgentMessageDelta;
  readonly ReasoningContent: events.ReasoningContent;
  readonly ReasoningDelta: events.ReasoningDelta;
  readonly CommandExecutionContent: events.CommandExecutionContent;
  readonly CommandExecutionDelta: events.CommandExecutionDelta;
  readonly FileChangeContent: events.FileChangeContent;
  readonly FileChangeDelta: events.FileChangeDelta;
  readonly McpToolCallContent: events.McpToolCallContent;
  readonly McpToolCallDelta: events.McpToolCallDelta;
  readonly WebSearchContent: events.WebSearchContent;
  readonly WebSearchDelta: events.WebSearchDelta;
  readonly TodoListContent: events.TodoListContent;
};

const { EVENT_SHAPES, ITEM_CONTENTS, ITEM_DELTAS } = events;

export const EXEC_SCHEMAS: SchemasOf<ExecTypes> = schemasOf({
  ThreadEvent: events.THREAD_EVENT,
  ThreadStartedEvent: EVENT_SHAPES["thread.started"],
  TurnStartedEvent: EVENT_SHAPES["turn.started"],
  TurnCompletedEvent: EVENT_SHAPES["turn.completed"],
  TurnFailedEvent: EVENT_SHAPES["turn.failed"],
  ItemStartedEvent: EVENT_SHAPES["item.started"],
  ItemDeltaEvent: EVENT_SHAPES["item.delta"],
  ItemCompletedEvent: EVENT_SHAPES["item.completed"],
  ItemFailedEvent: EVENT_SHAPES["item.failed"],
  ThreadErrorEvent: EVENT_SHAPES.error,
  RpcRequestEvent: EVENT_SHAPES["rpc.request"],
  RpcNotificationEvent: EVENT_SHAPES["rpc.notification"],
  RpcResponseEvent: EVENT_SHAPES["rpc.response"],
  RpcErrorEvent: EVENT_SHAPES["rpc.error"],
  ThreadError: events.THREAD_ERROR,
  TodoEntry: events.TODO_ENTRY,
  FileChangeEntry: events.FILE_CHANGE_ENTRY,
  AgentMessageContent: ITEM_CONTENTS.agent_message,
  AgentMessageDelta: ITEM_DELTAS.agent_message,
  ReasoningContent: ITEM_CONTENTS.reasoning,
  ReasoningDelta: ITEM_DELTAS.reasoning,
  CommandExecutionContent: ITEM_CONTENTS.command_execution,
  CommandExecutionDelta: ITEM_DELTAS.command_execution,
  FileChangeContent: ITEM_CONTENTS.file_change,
  FileChangeDelta: ITEM_DELTAS.file_change,
  McpToolCallContent: ITEM_CONTENTS.mcp_tool_call,
  McpToolCallDelta: ITEM_DELTAS.mcp_tool_call,
  WebSearchContent: ITEM_CONTENTS.web_search,
  WebSearchDelta: ITEM_DELTAS.web_search,
  TodoListContent: ITEM_CONTENTS.todo_list,
});

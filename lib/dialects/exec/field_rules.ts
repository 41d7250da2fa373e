/**
 * The rules by which fields of events and items are renamed and filled in: aliases and defaults (T2
 * and section 5 of normalize.md). The values and the order of fields are in the shapes (events.ts).
 */

import {
  EVENT_SHAPES,
  type EventType,
  type ItemContents,
  type ItemDeltas,
  type KnownItemType,
  type ThreadEvent,
  type TodoEntry,
} from "./events.ts";

/** The rules of a field, besides its shape. */
export interface FieldRule {
  /** Other names of the field, in the order in which they are tried. */
  readonly aliases?: readonly string[];
  /** The value that is written where the field is absent, as JSON text. */
  readonly default?: string;
  /**
   * Whether the value may be a list of strings, which is joined as a POSIX shell would quote it.
   */
  readonly isCommand?: true;
  /** Whether the field stays on the line when a payload is gathered (normalize.md section 4). */
  readonly stays?: true;
  /** Whether the field is checked, but written where it stands in the input. */
  readonly isPlaced?: true;
}

/** Rules for some fields of `T`. */
type FieldRules<T> = { readonly [K in keyof T]?: FieldRule };

export interface ItemRules<T> {
  /** Whether a string stands for an object with that text (normalize.md S6, D3). */
  readonly isText?: true;
  /** The rules for the fields of its content and of its deltas. */
  readonly fields?: FieldRules<T>;
}

export const TODO_RULES: FieldRules<TodoEntry> = {
  title: { aliases: ["text"] },
  completed: { default: "false" },
};

const TEXT = {
  isText: true,
  fields: { text_delta: { aliases: ["text"] } },
} as const;

const OUTPUT = {
  stdout: { aliases: ["aggregated_output", "output"] },
  stderr: { aliases: ["error_output", "err"] },
} as const;

/** The rules by item type; other types have none. */
export const ITEM_RULES: {
  readonly [T in KnownItemType]?: ItemRules<ItemContents[T] & ItemDeltas[T]>;
} = {
  agent_message: TEXT,
  reasoning: TEXT,
  command_execution: { fields: { command: { isCommand: true }, ...OUTPUT } },
  file_change: {
    fields: {
      path: { aliases: ["file_path"] },
      diff: { aliases: ["patch"] },
      ...OUTPUT,
    },
  },
  mcp_tool_call: {
    fields: {
      server_name: { aliases: ["server"] },
      tool_name: { aliases: ["tool"] },
      status: { stays: true },
    },
  },
  web_search: { fields: { id: { stays: true }, status: { stays: true } } },
};

/** The rules by event type; other events have none. */
export const EVENT_RULES: {
  readonly [E in EventType]?: FieldRules<Extract<ThreadEvent, { type: E }>>;
} = {
  "item.started": { status: { default: '"in_progress"' } },
  "item.completed": { status: { default: '"completed"' } },
  // Messages of an app-server that belong to no thread are copied, with `method` where it stood.
  "rpc.request": { method: { isPlaced: true } },
  "rpc.notification": { method: { isPlaced: true } },
};

/** The event type for each type that lines have (T2). */
export const EVENTS: ReadonlyMap<string, EventType> = new Map([
  // The boundary: `Object.keys` loses the type of the keys.
  ...(Object.keys(EVENT_SHAPES) as EventType[]).map((type) =>
    [type, type] as const
  ),
  ["thread.resumed", "thread.started"],
  ["session.created", "thread.started"],
  ["item.created", "item.started"],
  ["item.updated", "item.delta"],
]);

/** What is wrong with a record of any other type, as messages word it. */
export const NOT_KNOWN = "this type is not known";

/**
 * Messages of the old dialect that become items with the type of the message and with its fields as
 * fields of the event (P12).
 */
export const OLD_NOTICES: ReadonlySet<unknown> = new Set([
  "token_count",
  "background_event",
  "turn_diff",
  "agent_reasoning_section_break",
  "exec_approval_request",
  "apply_patch_approval_request",
  "get_history_entry_response",
  "mcp_list_tools_response",
  "list_custom_prompts_response",
  "conversation_path",
  "conversation_history",
  "entered_review_mode",
  "exited_review_mode",
  "shutdown_complete",
]);

/** The fields that name the thread of a line, first one first (C12). */
export const THREAD_ID_NAMES = [
  "thread_id",
  "conversation_id",
  "session_id",
] as const;

/** The fields that name the thread of a thread line (C12). */
export const THREAD_LINE_ID_NAMES = [...THREAD_ID_NAMES, "id"] as const;

/** The fields that name the turn of a turn line (C12). */
export const TURN_ID_NAMES = ["turn_id", "id"] as const;

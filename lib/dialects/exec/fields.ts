/**
 * The fields of exec events and items: names, aliases, order, kinds, defaults.
 *
 * The one place that knows them (normalize.md T2 and section 5). The normalizer writes by
 * these tables, the schemas are made from them, and the compiler holds the exported types
 * against them.
 */

/** What the value of a field must be. */
export type FieldKind =
  /** A JSON string. */
  | "string"
  /** `true` or `false`. */
  | "boolean"
  /** A number whose value is an integer, however it is spelled. */
  | "whole"
  /** A string or a number. */
  | "code"
  /** Any value but null. */
  | "any"
  /** A string, or a list of strings that is joined as a POSIX shell would quote it. */
  | "command"
  /** A list of objects with a string `path`. */
  | "changes"
  /** An {@linkcode ERROR_FIELDS} object. */
  | "error"
  /** A list of {@linkcode TODO_FIELDS} objects. */
  | "todos"
  /** What {@linkcode PAYLOADS} says for the item type. */
  | "payload";

/** What a field must be, as messages say it. */
export const EXPECTED: Readonly<Record<FieldKind, string>> = {
  string: "a string",
  boolean: "true or false",
  whole: "a whole number",
  code: "a string or a number",
  any: "a value",
  command: "a string or a list of strings",
  changes: 'a list of objects with a string "path"',
  error: "an object",
  todos: "a list of objects",
  payload: "an object",
};

/** One field of an object. */
export interface Field {
  /** The name that it is written under. */
  readonly name: string;
  /** What its value must be. */
  readonly kind: FieldKind;
  /** Other names that it is read under, in the order in which they are tried. */
  readonly aliases?: readonly string[];
  /** Whether an object without it is refused. */
  readonly required?: true;
  /** What is written where it is absent, as JSON text. */
  readonly default?: string;
  /** Whether section 4 leaves it where it is when a payload is gathered. */
  readonly stays?: true;
  /** Whether it is checked, but written where it stands in the input. */
  readonly isPlaced?: true;
}

/** An `Error` as events carry it. */
export const ERROR_FIELDS = [
  { name: "message", kind: "string", required: true },
  { name: "code", kind: "code" },
] as const satisfies readonly Field[];

/** An entry of a todo list. */
export const TODO_FIELDS = [
  { name: "title", kind: "string", required: true, aliases: ["text"] },
  { name: "completed", kind: "boolean", default: "false" },
] as const satisfies readonly Field[];

/** What is checked of an entry of `changes`; the rest of it is kept as it is. */
export const CHANGE_FIELDS = [
  { name: "path", kind: "string", required: true },
] as const satisfies readonly Field[];

const TEXT = [
  { name: "text", kind: "string", required: true },
] as const satisfies readonly Field[];

const TEXT_DELTA = [
  { name: "text_delta", kind: "string", required: true, aliases: ["text"] },
] as const satisfies readonly Field[];

const OUTPUT = [
  { name: "stdout", kind: "string", aliases: ["aggregated_output", "output"] },
  { name: "stderr", kind: "string", aliases: ["error_output", "err"] },
] as const satisfies readonly Field[];

const COMMAND_EXECUTION = [
  { name: "command", kind: "command", required: true },
  { name: "exit_code", kind: "whole" },
  ...OUTPUT,
] as const satisfies readonly Field[];

const FILE_CHANGE = [
  { name: "path", kind: "string", aliases: ["file_path"] },
  { name: "change", kind: "string" },
  { name: "diff", kind: "string", aliases: ["patch"] },
  { name: "changes", kind: "changes" },
  { name: "exit_code", kind: "whole" },
  ...OUTPUT,
] as const satisfies readonly Field[];

const MCP_TOOL_CALL = [
  { name: "server_name", kind: "string", required: true, aliases: ["server"] },
  { name: "tool_name", kind: "string", required: true, aliases: ["tool"] },
  { name: "arguments", kind: "any" },
  { name: "result", kind: "any" },
  { name: "error", kind: "any" },
  { name: "status", kind: "string", stays: true },
] as const satisfies readonly Field[];

const WEB_SEARCH = [
  { name: "id", kind: "string", stays: true },
  { name: "query", kind: "string", required: true },
  { name: "action", kind: "any" },
  { name: "results", kind: "any" },
  { name: "status", kind: "string", stays: true },
] as const satisfies readonly Field[];

const TODO_LIST = [
  { name: "items", kind: "todos" },
] as const satisfies readonly Field[];

/** The payload of an item type: `content`, and `delta` of item.delta. */
export interface Payload {
  /** The fields of `content`. */
  readonly content: readonly Field[];
  /** The fields of `delta`. */
  readonly delta: readonly Field[];
  /** Whether a string stands for an object with that text (normalize.md S6, D3). */
  readonly isText?: true;
  /** Of these fields of `content` at least one must be there. */
  readonly oneOf?: readonly string[];
}

/** The fields of a payload whose deltas may leave out any of them. */
type Optional<T extends readonly Field[]> = {
  readonly [I in keyof T]: Omit<T[I], "required">;
};

function optional<const T extends readonly Field[]>(fields: T): Optional<T>;
function optional(fields: readonly Field[]): readonly Field[] {
  return fields.map(({ required: _, ...field }) => field);
}

/** The payloads of the item types that are known; others are open (normalize.md S13). */
export const PAYLOAD_FIELDS = {
  agent_message: { content: TEXT, delta: TEXT_DELTA, isText: true },
  reasoning: { content: TEXT, delta: TEXT_DELTA, isText: true },
  command_execution: {
    content: COMMAND_EXECUTION,
    delta: optional(COMMAND_EXECUTION),
  },
  file_change: {
    content: FILE_CHANGE,
    delta: optional(FILE_CHANGE),
    oneOf: ["path", "changes"],
  },
  mcp_tool_call: { content: MCP_TOOL_CALL, delta: optional(MCP_TOOL_CALL) },
  web_search: { content: WEB_SEARCH, delta: optional(WEB_SEARCH) },
  todo_list: { content: TODO_LIST, delta: TODO_LIST },
  error: { content: ERROR_FIELDS, delta: ERROR_FIELDS },
} as const satisfies Record<string, Payload>;

/** {@linkcode PAYLOAD_FIELDS}, to look an item type up that may be any string. */
export const PAYLOADS: ReadonlyMap<string, Payload> = new Map<string, Payload>(
  Object.entries(PAYLOAD_FIELDS),
);

const THREAD_ID = [
  { name: "thread_id", kind: "string", required: true },
] as const satisfies readonly Field[];

const TURN_IDS = [
  ...THREAD_ID,
  { name: "turn_id", kind: "string", required: true },
] as const satisfies readonly Field[];

const ITEM_IDS = [
  ...THREAD_ID,
  { name: "turn_id", kind: "string" },
  { name: "item_id", kind: "string", required: true },
  { name: "index", kind: "whole" },
] as const satisfies readonly Field[];

const ITEM_TYPE = [
  { name: "item_type", kind: "string", required: true },
] as const satisfies readonly Field[];

const CONTENT = [
  ...ITEM_TYPE,
  { name: "content", kind: "payload" },
] as const satisfies readonly Field[];

const METHOD = [
  { name: "method", kind: "string", required: true, isPlaced: true },
] as const satisfies readonly Field[];

/** The fields of each event but `type`, in the order in which they are written (O1). */
export const EVENT_FIELDS = {
  "thread.started": THREAD_ID,
  "turn.started": [...TURN_IDS, { name: "input_text", kind: "string" }],
  "turn.completed": [
    ...TURN_IDS,
    { name: "last_item_id", kind: "string" },
    { name: "usage", kind: "any" },
  ],
  "turn.failed": [
    ...TURN_IDS,
    { name: "usage", kind: "any" },
    { name: "error", kind: "error", required: true },
  ],
  "item.started": [
    ...ITEM_IDS,
    { name: "status", kind: "string", default: '"in_progress"' },
    ...CONTENT,
  ],
  "item.delta": [
    ...ITEM_IDS,
    { name: "status", kind: "string" },
    ...ITEM_TYPE,
    { name: "snapshot", kind: "boolean" },
    { name: "delta", kind: "payload" },
  ],
  "item.completed": [
    ...ITEM_IDS,
    { name: "status", kind: "string", default: '"completed"' },
    ...CONTENT,
  ],
  "item.failed": [
    ...ITEM_IDS,
    { name: "error", kind: "error", required: true },
  ],
  "error": ERROR_FIELDS,
  // Messages of an app-server that are of no thread stay as they came.
  "rpc.request": METHOD,
  "rpc.notification": METHOD,
  "rpc.response": [],
  "rpc.error": [],
} as const satisfies Record<string, readonly Field[]>;

/** The name of an event. */
export type EventType = keyof typeof EVENT_FIELDS;

/** {@linkcode EVENT_FIELDS}, to look a type up that may be any string. */
export const EVENTS: ReadonlyMap<string, EventType> = new Map<
  string,
  EventType
>([
  ["thread.started", "thread.started"],
  ["turn.started", "turn.started"],
  ["turn.completed", "turn.completed"],
  ["turn.failed", "turn.failed"],
  ["item.started", "item.started"],
  ["item.delta", "item.delta"],
  ["item.completed", "item.completed"],
  ["item.failed", "item.failed"],
  ["error", "error"],
  ["rpc.request", "rpc.request"],
  ["rpc.notification", "rpc.notification"],
  ["rpc.response", "rpc.response"],
  ["rpc.error", "rpc.error"],
  // T2: other names of the same events.
  ["thread.resumed", "thread.started"],
  ["session.created", "thread.started"],
  ["item.created", "item.started"],
  ["item.updated", "item.delta"],
]);

/** Other names of item types (T2). */
export const ITEM_TYPE_ALIASES: ReadonlyMap<string, string> = new Map([
  ["assistant_message", "agent_message"],
]);

/** Where the id of a thread is looked for (C12). */
export const THREAD_ID_NAMES = [
  "thread_id",
  "conversation_id",
  "session_id",
] as const;

/** Where a thread line's own id is looked for (C12). */
export const THREAD_LINE_ID_NAMES = [...THREAD_ID_NAMES, "id"] as const;

/** Where the id of a turn is looked for on turn lines (C12). */
export const TURN_ID_NAMES = ["turn_id", "id"] as const;

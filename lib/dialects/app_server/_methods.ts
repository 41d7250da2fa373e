/**
 * The notifications of an app-server, and what becomes of each: the one place that knows them.
 */

/** Gives the text of a parameter, if it is one. */
type TextOf = (name: string) => string | undefined;

/** What becomes of a notification. */
export type Method =
  | DeltaMethod
  | NoticeMethod
  | { readonly kind: "item"; readonly type: "item.started" | "item.completed" }
  | { readonly kind: "turn"; readonly type: "turn.started" | "turn.completed" }
  | { readonly kind: "error" }
  /** A warning; the message of it. */
  | { readonly kind: "remark"; readonly messageOf: (textOf: TextOf) => string }
  | { readonly kind: "plan" }
  | { readonly kind: "usage" };

/** A piece of an item. */
export interface DeltaMethod {
  /** Always `delta`. */
  readonly kind: "delta";
  /** The type of the item. */
  readonly itemType: string;
  /** The parameter that has the piece. */
  readonly from: string;
  /** What it is called in the delta of an event. */
  readonly to: string;
}

/** Something that is an item of its own, under the name that it has always had. */
export interface NoticeMethod {
  /** Always `notice`. */
  readonly kind: "notice";
  /** The type of the item. */
  readonly itemType: string;
  /** The parameter that all of it is in, and what that is called in the event. */
  readonly field?: { readonly from: string; readonly to: string };
}

/**
 * By method. What is not here is an item, too, if it is of a thread: its type is the method in
 * snake case (`thread/name/updated`: `thread_name_updated`), its content the parameters.
 */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["turn/started", { kind: "turn", type: "turn.started" }],
  ["turn/completed", { kind: "turn", type: "turn.completed" }],
  ["item/started", { kind: "item", type: "item.started" }],
  ["item/completed", { kind: "item", type: "item.completed" }],
  ["item/agentMessage/delta", delta("agent_message", "text_delta")],
  ["item/plan/delta", delta("plan", "text_delta")],
  ["item/reasoning/summaryTextDelta", delta("reasoning", "text_delta")],
  // Raw thoughts are not to be taken for summaries.
  [
    "item/reasoning/textDelta",
    delta("agent_reasoning_raw_content", "text_delta"),
  ],
  ["item/commandExecution/outputDelta", delta("command_execution", "stdout")],
  ["item/fileChange/outputDelta", delta("file_change", "stdout")],
  [
    "item/mcpToolCall/progress",
    {
      kind: "delta",
      itemType: "mcp_tool_call",
      from: "message",
      to: "message",
    },
  ],
  ["item/reasoning/summaryPartAdded", notice("agent_reasoning_section_break")],
  ["item/commandExecution/terminalInteraction", notice("terminal_interaction")],
  ["item/commandExecution/requestApproval", notice("exec_approval_request")],
  ["item/fileChange/requestApproval", notice("apply_patch_approval_request")],
  ["turn/plan/updated", { kind: "plan" }],
  ["turn/diff/updated", {
    kind: "notice",
    itemType: "turn_diff",
    field: { from: "diff", to: "unified_diff" },
  }],
  ["thread/tokenUsage/updated", { kind: "usage" }],
  ["thread/compacted", notice("context_compacted")],
  ["error", { kind: "error" }],
  ["warning", {
    kind: "remark",
    messageOf: (textOf) => textOf("message") ?? "",
  }],
  ["configWarning", { kind: "remark", messageOf: summarized }],
  ["deprecationNotice", { kind: "remark", messageOf: summarized }],
  ["model/rerouted", {
    kind: "remark",
    messageOf: (textOf) =>
      `model rerouted: ${textOf("fromModel") ?? ""} -> ${
        textOf("toModel") ?? ""
      } (${textOf("reason") ?? ""})`,
  }],
]);

/** Requests of the server begin with this, others are of the client. */
const SERVER_REQUESTS = "item/";
/** But for this one. */
const ELICITATION = "mcpServer/elicitation/request";

/** Tells whether a request is one that the server sends: those tell something of a thread. */
export function isServerRequest(method: string): boolean {
  return method.startsWith(SERVER_REQUESTS) || method === ELICITATION;
}

/** A message as exec says it: with its details behind it. */
export function withDetails(text: string, details: string | undefined): string {
  return details === undefined || details === ""
    ? text
    : `${text} (${details})`;
}

function delta(itemType: string, to: string): DeltaMethod {
  return { kind: "delta", itemType, from: "delta", to };
}

function notice(itemType: string): NoticeMethod {
  return { kind: "notice", itemType };
}

function summarized(textOf: TextOf): string {
  return withDetails(textOf("summary") ?? "", textOf("details"));
}

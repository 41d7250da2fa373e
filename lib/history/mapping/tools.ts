/**
 * Tools: how they begin and end (B.7).
 *
 * @module
 */

import type {
  HistoryRecord,
  NewRecord,
  ToolArgument,
  ToolResultPreview,
} from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import {
  booleanOf,
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  textOf,
} from "../../json/fields.ts";
import { resultPreview } from "./result_preview.ts";
import { mergeArguments } from "./tool_arguments.ts";

/** A tool that begins. */
export interface ToolStart {
  /** What it is called. */
  readonly title: string;
  /** What it is called with. */
  readonly arguments: readonly ToolArgument[];
  /** What a tool that waits waits for. */
  readonly wait?: ToolWait;
}

/** What a tool that waits waits for. */
export interface ToolWait {
  /** How long at most, in milliseconds. */
  readonly capMs: number | null;
  /** Whether it says what for. */
  readonly hasTarget: boolean;
  /** Whether it names a call. */
  readonly hasCallId: boolean;
}

/** How a tool ended. */
export interface ToolEnd {
  /** What it is called; absent or empty if only the beginning says it. */
  readonly title?: string;
  /** What it was called with; absent or empty if only the beginning says it. */
  readonly arguments?: readonly ToolArgument[];
  /** Whether it failed. */
  readonly isFailed: boolean;
  /** How long it took, in milliseconds. */
  readonly durationMs?: number | undefined;
  /** What it gave. */
  readonly preview?: ToolResultPreview | null;
  /** Why it failed. */
  readonly errorMessage?: string | null;
}

/** What a tool gave, as MCP says it. */
export interface ToolResult {
  /** Whether it says that it failed. */
  readonly isFailed: boolean;
  /** What it gave. */
  readonly preview: ToolResultPreview | null;
  /** Why it failed. */
  readonly errorMessage: string | null;
}

/** Says that a turn ended before its tool did. */
const INTERRUPTED = "interrupted";
const NO_WAIT: ToolWait = { capMs: null, hasTarget: false, hasCallId: false };

/** What a tool takes the place of; commands, patches and what is explored stay. */
const TOOL_TYPES: ReadonlySet<string> = new Set([
  "image",
  "plain_message",
  "plan_update",
  "running_tool",
  "tool_call",
  "wait_status",
]);

/** Shows a tool that begins; of one that runs, the arguments become better known. */
export function startTool(
  context: FoldContext,
  call: CallIds,
  start: ToolStart,
): void {
  const { memory } = context;
  const { title, wait = NO_WAIT } = start;
  const record = context.recordOf(call);
  const known = record?.type === "running_tool" ? record.payload : undefined;
  if (record !== undefined && known === undefined && isEnded(record)) return;
  const id = context.showCall(
    call,
    {
      type: "running_tool",
      payload: {
        title,
        started_at: known?.started_at ?? context.now,
        arguments: mergeArguments(known?.arguments ?? [], start.arguments),
        wait_cap_ms: wait.capMs,
        wait_has_target: wait.hasTarget,
        wait_has_call_id: wait.hasCallId,
      },
    },
    TOOL_TYPES,
    record,
  );
  memory.working.set(id, call.callId);
}

function isEnded({ type }: HistoryRecord): boolean {
  return TOOL_TYPES.has(type);
}

/** Tells whether a tool runs. */
export function isRunningTool(context: FoldContext, call: CallIds): boolean {
  return context.recordOf(call)?.type === "running_tool";
}

/** Shows how a tool ended, in its place or at the end. */
export function finishTool(
  context: FoldContext,
  call: CallIds,
  end: ToolEnd,
): void {
  const known = context.recordOf(call);
  const payload = known?.type === "running_tool" || known?.type === "tool_call"
    ? known.payload
    : undefined;
  finishAs(context, call, {
    type: "tool_call",
    payload: {
      status: end.isFailed ? "failed" : "success",
      title: end.title || payload?.title || "",
      duration_ms: end.durationMs ??
        (known?.type === "tool_call" ? known.payload.duration_ms : null),
      arguments: end.arguments?.length
        ? end.arguments
        : payload?.arguments ?? [],
      result_preview: end.preview ?? null,
      error_message: end.errorMessage ?? null,
    },
  }, known);
}

/** Puts a record in the place of a tool that ended, or at the end. */
export function finishAs(
  context: FoldContext,
  call: CallIds,
  record: NewRecord,
  known?: HistoryRecord,
): void {
  const id = context.showCall(call, record, TOOL_TYPES, known);
  context.memory.working.delete(id);
}

/** Ends a tool that a failed turn leaves behind. */
export function interruptTool(
  context: FoldContext,
  id: number,
  callId: string | null,
): void {
  const record = context.get(id);
  if (record?.type !== "running_tool") return;
  const { title, arguments: args } = record.payload;
  context.replace(id, {
    type: "tool_call",
    payload: {
      status: "failed",
      title,
      duration_ms: null,
      arguments: args,
      result_preview: null,
      error_message: INTERRUPTED,
    },
  }, callId);
}

/** Reads the result of an MCP call and its error, if any. */
export function mcpResult(result: unknown, error: unknown): ToolResult {
  const fields: Fields = fieldsOf(result);
  const message = errorText(error);
  return {
    isFailed: message !== null ||
      (booleanOf(fields.is_error) ?? booleanOf(fields.isError)) === true,
    preview: resultPreview(listOf(fields.content)),
    errorMessage: message,
  };
}

/** Reads the message of an error: an object or a text. */
export function errorText(error: unknown): string | null {
  if (typeof error === "string") return error;
  return isObject(error) ? textOf(error.message) ?? "" : null;
}

/** Makes the title of a tool that belongs to a server or a namespace. */
export function qualifiedTitle(owner: unknown, name: unknown): string {
  return [owner, name].filter((part) => typeof part === "string" && part !== "")
    .join(".");
}

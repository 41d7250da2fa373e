/**
 * Tools: how they begin and end (B.7).
 *
 * @module
 */

import type { NewRecord, ToolArgument, ToolResultPreview } from "../records.ts";
import {
  booleanOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  textOf,
} from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import { resultPreview } from "./result_preview.ts";
import { mergeArguments } from "./tool_arguments.ts";

/** A tool that begins. */
export interface ToolStart {
  /** The id of the call. */
  readonly callId: string | null;
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
  /** The id of the call. */
  readonly callId: string | null;
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

/** Shows a tool that begins; of one that runs, the arguments become better known. */
export function startTool(context: MappingContext, start: ToolStart): void {
  const { memory } = context;
  const { callId, title, wait = NO_WAIT } = start;
  const record = callId === null
    ? undefined
    : context.at(context.indexOfTool(callId));
  if (record?.type === "tool_call") return;
  const known = record?.type === "running_tool" ? record : undefined;
  const running: NewRecord = {
    type: "running_tool",
    payload: {
      title,
      started_at: known?.payload.started_at ?? context.now,
      arguments: mergeArguments(
        known?.payload.arguments ?? [],
        start.arguments,
      ),
      wait_cap_ms: wait.capMs,
      wait_has_target: wait.hasTarget,
      wait_has_call_id: wait.hasCallId,
    },
  };
  if (known === undefined) {
    memory.working.set(context.push(running, { callId }), callId);
  } else context.replace(known.id, running, { callId });
}

/** Tells whether a tool runs. */
export function isRunningTool(
  context: MappingContext,
  callId: string,
): boolean {
  return context.at(context.indexOfTool(callId))?.type === "running_tool";
}

/** Shows how a tool ended, in its place or at the end. */
export function finishTool(context: MappingContext, end: ToolEnd): void {
  const { callId } = end;
  const known = callId === null || context.replaces
    ? undefined
    : context.at(context.indexOfTool(callId));
  const payload = known?.type === "running_tool" || known?.type === "tool_call"
    ? known.payload
    : undefined;
  finishAs(context, end, {
    type: "tool_call",
    payload: {
      status: end.isFailed ? "failed" : "success",
      title: end.title || payload?.title || "",
      duration_ms: end.durationMs ?? null,
      arguments: end.arguments?.length
        ? end.arguments
        : payload?.arguments ?? [],
      result_preview: end.preview ?? null,
      error_message: end.errorMessage ?? null,
    },
  });
}

/** Puts a record in the place of a tool that ended, or at the end. */
export function finishAs(
  context: MappingContext,
  { callId }: Pick<ToolEnd, "callId">,
  record: NewRecord,
): void {
  const { store, memory } = context;
  const id = callId === null
    ? undefined
    : store.idAt(context.indexOfTool(callId));
  if (id === undefined) {
    context.push(record, { callId });
    return;
  }
  memory.working.delete(id);
  context.replace(id, record, { callId });
}

/** Ends a tool that a failed turn leaves behind. */
export function interruptTool(
  context: MappingContext,
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
  }, { callId });
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
  return isFields(error) ? textOf(error.message) ?? "" : null;
}

/** Makes the title of a tool that belongs to a server or a namespace. */
export function qualifiedTitle(owner: unknown, name: unknown): string {
  return [owner, name].filter((part) => typeof part === "string" && part !== "")
    .join(".");
}

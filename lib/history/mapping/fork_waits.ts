/**
 * The `wait` tool of the fork, which waits for a command or a while.
 *
 * @module
 */

import type { ExecPayload, ExecWaitNote } from "../records.ts";
import { type Fields, fieldsOf, idOf, textOf, wholeOf } from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import { errorRecord } from "./text_lines.ts";
import { shortDuration } from "./times.ts";
import { toolArguments } from "./tool_arguments.ts";
import { finishAs, finishTool, isRunningTool, startTool } from "./tools.ts";

/** How a wait ended. */
export interface WaitEnd {
  /** Whether it came to its end. */
  readonly isSuccess: boolean;
  /** How long it took, in milliseconds. */
  readonly durationMs: number | undefined;
  /** What it said. */
  readonly text: string;
}

/** The name of the tool. */
export const WAIT_TOOL = "wait";
const CANCELLED = "Cancelled by user.";

/** Shows that somebody waits: at the command that is waited for, or as a tool. */
export function startWait(
  context: MappingContext,
  callId: string | null,
  parameters: unknown,
): void {
  const fields = fieldsOf(parameters);
  const command = runningCommand(context, fields);
  if (command !== undefined) {
    const { index, payload } = command;
    context.note(context.store.waitExec(index, {
      totalMs: payload.wait_total_ms,
      active: true,
      notes: payload.wait_notes,
    }));
    return;
  }
  startTool(context, {
    callId,
    title: WAIT_TOOL,
    arguments: toolArguments(parameters),
    wait: {
      capMs: wholeOf(fields.timeout_ms) ?? null,
      hasTarget: idOf(fields.for) !== undefined,
      hasCallId: idOf(fields.call_id) !== undefined,
    },
  });
}

/** Shows how a wait ended. */
export function finishWait(
  context: MappingContext,
  callId: string | null,
  { parameters, end }: { readonly parameters: unknown; readonly end: WaitEnd },
): void {
  const fields = fieldsOf(parameters);
  const { isSuccess, durationMs, text } = end;
  const isTool = callId !== null && isRunningTool(context, callId);
  const command = isTool ? undefined : runningCommand(context, fields);
  if (command !== undefined) {
    const { index, payload } = command;
    context.note(context.store.waitExec(index, {
      totalMs: (payload.wait_total_ms ?? 0) + (durationMs ?? 0),
      active: false,
      notes: withNotes(payload.wait_notes, text, context.now),
    }));
  } else if (isSuccess) {
    const target = textOf(fields.for);
    finishAs(context, { callId }, {
      type: "wait_status",
      payload: {
        header: {
          title: "Waited",
          title_tone: "success",
          summary: durationMs === undefined ? null : shortDuration(durationMs),
          summary_tone: "dim",
        },
        details: target === undefined
          ? []
          : [{ label: "for", value: target, tone: "dim" }],
      },
    });
  } else if (text.includes(CANCELLED)) {
    finishAs(context, { callId }, errorRecord("Wait cancelled"));
  } else {
    finishTool(context, {
      callId,
      title: WAIT_TOOL,
      arguments: toolArguments(parameters),
      isFailed: true,
      durationMs,
      errorMessage: text,
    });
  }
}

/** Finds the running command that a wait is for. */
function runningCommand(
  context: MappingContext,
  { call_id }: Fields,
): { readonly index: number; readonly payload: ExecPayload } | undefined {
  const callId = idOf(call_id);
  if (callId === undefined) return undefined;
  const index = context.indexOfExec(callId);
  const record = context.at(index);
  return record?.type === "exec" && record.payload.status === "running"
    ? { index, payload: record.payload }
    : undefined;
}

function withNotes(
  older: readonly ExecWaitNote[],
  text: string,
  timestamp: string,
): ExecWaitNote[] {
  const notes = [...older];
  const known = new Set(notes.map(({ message }) => message));
  for (const line of text.split("\n")) {
    const message = line.trim();
    if (message === "" || known.has(message)) continue;
    known.add(message);
    const tone = message === CANCELLED ? "error" : "info";
    notes.push({ message, tone, timestamp });
  }
  return notes;
}

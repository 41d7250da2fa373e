/**
 * Commands: one path for all the ways in which they begin, print and end.
 *
 * @module
 */

import type {
  ExecPayload,
  ExecStatus,
  ExploreStatus,
  ParsedCommand,
} from "../records.ts";
import {
  type CommandOutput,
  dropDecoders,
  unseenOutput,
} from "./command_output.ts";
import {
  finishExploring,
  interruptExploring,
  isRunningEntry,
  renameEntry,
  startExploring,
} from "./explores.ts";
import type { ExecFinish } from "../record_operations.ts";
import { jsonTextOf } from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import { actionOf, isExploring } from "./parsed_commands.ts";

/** A command that begins. */
export interface CommandStart {
  /** The id of the call. */
  readonly callId: string | null;
  /** The command; empty if it is not known. */
  readonly command: readonly string[];
  /** What it does, as far as the producer says. */
  readonly parsed: readonly ParsedCommand[];
  /** Where it runs. */
  readonly cwd: string | null;
  /** When it began. */
  readonly startedAt: string;
}

/** How a command ended. */
export interface CommandEnd {
  /** The exit code; `null` if it is not known. */
  readonly exitCode: number | null;
  /** The word for how it ended, if there is one. */
  readonly status: unknown;
  /** When it ended. */
  readonly completedAt: string;
  /** What it does, as far as its end says. */
  readonly parsed?: readonly ParsedCommand[];
}

/** What tells whether a command succeeded. */
type CommandResult = Pick<CommandEnd, "exitCode" | "status">;

/** What ends a command in error, whatever its exit code. */
const FAILED_STATUSES: ReadonlySet<unknown> = new Set(["failed", "declined"]);

/** Tells whether a command is known, in whatever record. */
export function isKnownCommand(
  context: MappingContext,
  callId: string,
): boolean {
  return context.indexOfExec(callId) !== -1 ||
    context.memory.links.get("explore", callId) !== undefined;
}

/** Tells whether a command is known by more than its id. */
export function isNamedCommand(
  context: MappingContext,
  callId: string,
): boolean {
  const record = context.at(context.indexOfExec(callId));
  return record?.type === "exec" && record.payload.command.length > 0;
}

/** Tells whether a command runs, in whatever record. */
export function isRunningCommand(
  context: MappingContext,
  callId: string,
): boolean {
  const record = context.at(context.indexOfExec(callId));
  if (record?.type === "exec") return record.payload.status === "running";
  return isRunningEntry(context, callId);
}

/** Forgets what is only remembered of a command until it ends. */
export function leaveCommand(context: MappingContext, callId: string): void {
  context.memory.exploring.delete(callId);
  dropDecoders(context, callId);
}

/**
 * Shows a command that begins; of one that is shown, what it is called becomes better known.
 *
 * @param context Where.
 * @param start The command.
 */
export function startCommand(
  context: MappingContext,
  start: CommandStart,
): void {
  const { memory, store } = context;
  const { callId, command, parsed, startedAt } = start;
  if (callId !== null && isKnownCommand(context, callId)) {
    renameCommand(context, callId, start);
    return;
  }
  if (isExploring(parsed)) {
    if (callId !== null) memory.exploring.set(callId, actionOf(parsed));
    startExploring(context, start);
    return;
  }
  memory.working.set(store.nextId, callId);
  context.note(store.startExec({
    callId,
    command,
    parsed,
    action: "run",
    startedAt,
  }));
}

/**
 * Shows a command that begins anew in its place, without what it had printed.
 *
 * @param context Where.
 * @param callId The id of the call.
 * @param start The command; without a name it keeps the one that it has.
 */
export function restartCommand(
  context: MappingContext,
  callId: string,
  start: CommandStart,
): void {
  const { command, parsed, startedAt } = start;
  const record = context.at(context.indexOfExec(callId));
  const isNamed = command.length > 0;
  if (record?.type !== "exec") {
    context.memory.exploring.set(callId, actionOf(parsed));
    if (isNamed) renameEntry(context, callId, start);
    return;
  }
  const { payload } = record;
  context.replace(record.id, {
    type: "exec",
    payload: {
      ...payload,
      command: isNamed ? command : payload.command,
      parsed: isNamed ? parsed : payload.parsed,
      action: isNamed ? actionOf(parsed) : payload.action,
      stdout_chunks: [],
      stderr_chunks: [],
      started_at: startedAt,
    },
  });
}

function renameCommand(
  context: MappingContext,
  callId: string,
  { command, parsed }: CommandStart,
): void {
  const index = context.indexOfExec(callId);
  const record = context.at(index);
  if (record?.type !== "exec" || command.length === 0) return;
  const { payload } = record;
  if (textOfStart(payload) === textOfStart({ command, parsed })) return;
  // What names the command again need not say again what it does.
  if (
    parsed.length === 0 && jsonTextOf(command) === jsonTextOf(payload.command)
  ) return;
  context.replace(record.id, {
    type: "exec",
    payload: { ...payload, command, parsed, action: actionOf(parsed) },
  });
}

/** What is the same for the same command; in a checkpoint its parts have another order. */
function textOfStart(
  { command, parsed }: Pick<CommandStart, "command" | "parsed">,
): string {
  const parts = parsed.map((part) =>
    Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1)
  );
  return jsonTextOf([command, parts]);
}

/**
 * Shows how a command ended.
 *
 * @param context Where.
 * @param callId The id of the call.
 * @param end How it ended, and all that it printed.
 */
export function finishCommand(
  context: MappingContext,
  callId: string,
  { exitCode, status, completedAt, parsed = [], ...output }:
    & CommandEnd
    & CommandOutput,
): void {
  const { memory, store } = context;
  const action = memory.exploring.get(callId) ?? actionOf(parsed);
  const entryStatus = entryStatusOf({ exitCode, status }, action);
  if (finishExploring(context, callId, entryStatus)) return;
  const { stdout, stderr } = unseenOutput(context, callId, output);
  const record = context.at(context.indexOfExec(callId));
  if (record?.type !== "exec") return;
  memory.working.delete(record.id);
  dropDecoders(context, callId);
  context.note(store.finishExec({
    id: record.id,
    status: isSuccess({ exitCode, status }) ? "success" : "error",
    exitCode,
    completedAt,
    stdoutTail: stdout === "" ? null : stdout,
    stderrTail: stderr === "" ? null : stderr,
    ...waitsOf(record.payload),
  }));
}

/**
 * Shows a command that has no id, by which anything else could be told of it, with its end.
 *
 * @param context Where.
 * @param start The command.
 * @param end How it ended, and all that it printed.
 */
export function showEndedCommand(
  context: MappingContext,
  start: CommandStart,
  { completedAt, stdout, stderr, ...end }: CommandEnd & CommandOutput,
): void {
  const { store } = context;
  const action = actionOf(start.parsed);
  if (isExploring(start.parsed)) {
    startExploring(context, { ...start, status: entryStatusOf(end, action) });
    return;
  }
  const id = store.nextId;
  context.note(store.startExec({ ...start, action: "run" }));
  context.note(store.finishExec({
    id,
    status: isSuccess(end) ? "success" : "error",
    exitCode: end.exitCode,
    completedAt,
    stdoutTail: stdout ?? null,
    stderrTail: stderr ?? null,
  }));
}

function isSuccess({ exitCode, status }: CommandResult): boolean {
  return (exitCode ?? 0) === 0 && !FAILED_STATUSES.has(status);
}

/** Says how a command ended that only looks at things. */
function entryStatusOf(
  result: CommandResult,
  action: string | undefined,
): ExploreStatus {
  if (isSuccess(result)) return "success";
  const { exitCode } = result;
  // Searching and listing say with 1 that there is nothing.
  return exitCode === 1 && (action === "search" || action === "list")
    ? "not_found"
    : { error: { exit_code: exitCode } };
}

/** Ends work that a failed turn leaves behind. */
export function interruptCommand(context: MappingContext, id: number): void {
  const record = context.get(id);
  if (record?.type === "explore") interruptExploring(context, id);
  if (record?.type !== "exec" || record.payload.status !== "running") return;
  context.note(context.store.finishExec({
    id,
    ...ended("error", context.now),
    ...waitsOf(record.payload),
  }));
}

/**
 * Ends a running command in error, with a message behind what it printed as errors.
 *
 * @param context Where.
 * @param callId The id of the call.
 * @param message The message.
 * @returns Whether the command is running.
 */
export function failCommand(
  context: MappingContext,
  callId: string,
  message: string,
): boolean {
  const { memory, store } = context;
  const index = context.indexOfExec(callId);
  const record = context.at(index);
  if (record?.type !== "exec" || record.payload.status !== "running") {
    return false;
  }
  memory.working.delete(record.id);
  const isFirst = store.outputEnd(index, "stderr") === 0;
  context.note(store.finishExec({
    id: record.id,
    ...ended("error", context.now),
    stderrTail: isFirst ? message : `\n${message}`,
    ...waitsOf(record.payload),
  }));
  return true;
}

/** How a command ends that did not come to its end. */
function ended(
  status: ExecStatus,
  completedAt: string,
): Pick<ExecFinish, "status" | "completedAt" | "exitCode"> {
  return { status, completedAt, exitCode: null };
}

/** What finishing a command would else reset. */
function waitsOf(
  payload: ExecPayload,
): Pick<ExecFinish, "waitTotalMs" | "waitActive" | "waitNotes"> {
  return {
    waitTotalMs: payload.wait_total_ms,
    waitActive: payload.wait_active,
    waitNotes: payload.wait_notes,
  };
}

/**
 * Commands that only look at things, which share a record while nothing comes between (B.11).
 *
 * @module
 */

import type { ExploreEntry, ExploreStatus } from "../records.ts";
import type { MappingContext } from "./mapping_context.ts";
import type { RecordLink } from "./record_links.ts";

/** A command that only looks at things. */
export interface ExploreStart {
  /** The id of the call. */
  readonly callId: string | null;
  /** The command. */
  readonly command: readonly string[];
  /** Where it runs. */
  readonly cwd: string | null;
  /** How it ended, if it did. */
  readonly status?: ExploreStatus;
}

/**
 * Shows a command in the explore record at the end, or in a new one.
 *
 * @param context Where.
 * @param start The command.
 */
export function startExploring(
  context: MappingContext,
  { callId, command, cwd, status = "running" }: ExploreStart,
): void {
  const { memory, store } = context;
  const entry: ExploreEntry = { command, cwd, status };
  const key = entryKey(entry);
  const open = memory.explore;
  const record = context.get(open?.id);
  let id: number;
  let at = 0;
  if (
    open !== null && record?.type === "explore" && record.payload.trailing
  ) {
    id = open.id;
    at = open.entries.get(key) ?? record.payload.entries.length;
    open.entries.set(key, at);
    replaceEntry(context, { id, at }, entry);
  } else {
    id = store.nextId;
    memory.explore = { id, entries: new Map([[key, at]]) };
    context.push({
      type: "explore",
      payload: { entries: [entry], trailing: true },
    });
  }
  if (status === "running") memory.working.set(id, null);
  if (callId !== null) memory.links.set("explore", callId, id, at);
}

/**
 * Shows how a command in an explore record ended.
 *
 * @param context Where.
 * @param callId The id of the call.
 * @param status How it ended.
 * @returns Whether the command is in an explore record.
 */
export function finishExploring(
  context: MappingContext,
  callId: string,
  status: ExploreStatus,
): boolean {
  const known = entryOf(context, callId);
  if (known === undefined) return false;
  const { entry, link } = known;
  const isTold = !context.memory.exploring.delete(callId) &&
    entry.status === "not_found" && exitCodeOf(status) === 1;
  // What the command does was forgotten at its end: told again, the end means the same.
  if (!isTold) replaceEntry(context, link, { ...entry, status });
  return true;
}

/** Gives the exit code of a command that ended in error. */
function exitCodeOf(status: ExploreStatus): number | null {
  return typeof status === "object" ? status.error.exit_code : null;
}

/**
 * Finds a command in an explore record.
 *
 * @param context Where.
 * @param callId The id of the call.
 * @returns The record and the place among its entries; `undefined` if it is in none.
 */
export function findExplored(
  context: MappingContext,
  callId: string,
): RecordLink | undefined {
  return entryOf(context, callId)?.link;
}

/** Tells whether a command in an explore record runs. */
export function isRunningEntry(
  context: MappingContext,
  callId: string,
): boolean {
  // The entry may run for another call, which is of the same command.
  return context.memory.exploring.has(callId) &&
    entryOf(context, callId) !== undefined;
}

/** Shows what a command in an explore record turns out to be. */
export function renameEntry(
  context: MappingContext,
  callId: string,
  { command, cwd }: Pick<ExploreStart, "command" | "cwd">,
): void {
  const known = entryOf(context, callId);
  if (known === undefined) return;
  const { link, entry } = known;
  const open = context.memory.explore;
  if (open?.id === link.id) {
    open.entries.delete(entryKey(entry));
    open.entries.set(entryKey({ command, cwd }), link.at);
  }
  replaceEntry(context, link, { ...entry, command, cwd });
}

/** What is the same for the same command. */
export function entryKey(
  { command, cwd }: Pick<ExploreEntry, "command" | "cwd">,
): string {
  return JSON.stringify([cwd, ...command]);
}

/** Finds the entry of a command. */
function entryOf(
  context: MappingContext,
  callId: string,
): { readonly link: RecordLink; readonly entry: ExploreEntry } | undefined {
  const link = context.memory.links.get("explore", callId);
  const record = context.get(link?.id);
  if (link === undefined || record?.type !== "explore") return undefined;
  const entry = record.payload.entries[link.at];
  return entry && { link, entry };
}

/** Ends what is still running in an explore record. */
export function interruptExploring(context: MappingContext, id: number): void {
  const record = context.get(id);
  if (record?.type !== "explore") return;
  const { entries } = record.payload;
  if (!entries.some(({ status }) => status === "running")) return;
  context.replace(id, {
    type: "explore",
    payload: {
      ...record.payload,
      entries: entries.map((entry) =>
        entry.status === "running"
          ? { ...entry, status: { error: { exit_code: null } } }
          : entry
      ),
    },
  });
}

function replaceEntry(
  context: MappingContext,
  { id, at }: { readonly id: number; readonly at: number },
  entry: ExploreEntry,
): void {
  const record = context.get(id);
  if (record?.type !== "explore") return;
  const entries = [...record.payload.entries];
  entries[at] = entry;
  context.replace(id, {
    type: "explore",
    payload: { ...record.payload, entries },
  });
}

/**
 * Commands that only look at things, which share a record while nothing comes between (B.11).
 *
 * @module
 */

import type { ExploreEntry, ExploreStatus } from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import type { RecordLink } from "./fold_memory.ts";

/** A command that only looks at things. */
interface ExploreStart {
  readonly command: readonly string[];
  readonly cwd: string | null;
}

/** Shows a command in the explore record at the end, or in a new one. */
export function startExploring(
  context: FoldContext,
  call: CallIds,
  { command, cwd }: ExploreStart,
): void {
  const { memory, store } = context;
  const entry: ExploreEntry = { command, cwd, status: "running" };
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
  memory.working.set(id, null);
  memory.links.set("call", call.id, id, at);
  if (call.callId !== null) memory.links.set("explored", call.callId, id, at);
}

/**
 * Shows how a command in an explore record ended.
 *
 * @returns Whether the command is in an explore record.
 */
export function finishExploring(
  context: FoldContext,
  itemId: string,
  status: ExploreStatus,
): boolean {
  const known = entryOf(context, context.memory.links.get("call", itemId));
  if (known === undefined) return false;
  const { entry, link } = known;
  const isTold = !context.memory.exploring.delete(itemId) &&
    entry.status === "not_found" && exitCodeOf(status) === 1;
  // What the command does was forgotten at its end: told again, the end means the same.
  if (!isTold) replaceEntry(context, link, { ...entry, status });
  return true;
}

function exitCodeOf(status: ExploreStatus): number | null {
  return typeof status === "object" ? status.error.exit_code : null;
}

/**
 * Finds a command in an explore record.
 *
 * @returns The record and the place among its entries; `undefined` if it is in none.
 */
export function findExplored(
  context: FoldContext,
  callId: string,
): RecordLink | undefined {
  const link = context.memory.links.get("explored", callId);
  return entryOf(context, link) && link;
}

/** Tells whether a command in an explore record runs. */
export function isRunningEntry(
  { memory }: FoldContext,
  itemId: string,
): boolean {
  // The entry may run for another call, which is of the same command.
  return memory.exploring.has(itemId);
}

/** Shows what a command in an explore record turns out to be. */
export function renameEntry(
  context: FoldContext,
  itemId: string,
  { command, cwd }: ExploreStart,
): void {
  const known = entryOf(context, context.memory.links.get("call", itemId));
  if (known === undefined) return;
  const { link, entry } = known;
  const before = entryKey(entry);
  const after = entryKey({ command, cwd });
  if (before === after) return;
  const open = context.memory.explore;
  if (open?.id === link.id) {
    open.entries.delete(before);
    open.entries.set(after, link.at);
  }
  replaceEntry(context, link, { ...entry, command, cwd });
}

/** What is the same for the same command. */
export function entryKey(
  { command, cwd }: Pick<ExploreEntry, "command" | "cwd">,
): string {
  return JSON.stringify([cwd, ...command]);
}

function entryOf(
  context: FoldContext,
  link: RecordLink | undefined,
): { readonly link: RecordLink; readonly entry: ExploreEntry } | undefined {
  const record = context.get(link?.id);
  if (link === undefined || record?.type !== "explore") return undefined;
  const entry = record.payload.entries[link.at];
  return entry && { link, entry };
}

/** Ends what is still running in an explore record. */
export function interruptExploring(context: FoldContext, id: number): void {
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
  context: FoldContext,
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

/**
 * Commands that only read, search or list files. Consecutive ones share an explore record (B.11).
 */

import type { ExploreEntry, ExploreStatus } from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import type { RecordLink } from "./fold_memory.ts";

/** A command that only reads, searches or lists files. */
interface ExploreStart {
  readonly command: readonly string[];
  readonly cwd: string | null;
}

/** Shows a command in the trailing explore record, or in a new one. */
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

/** Shows the end of a command, if it is in an explore record; returns whether it is. */
export function finishExploring(
  context: FoldContext,
  itemId: string,
  status: ExploreStatus,
): boolean {
  const known = entryOf(context, context.memory.links.get("call", itemId));
  if (known === undefined) return false;
  const { entry, link } = known;
  const isRepeated = !context.memory.exploring.delete(itemId) &&
    entry.status === "not_found" && exitCodeOf(status) === 1;
  // `exploring` forgets the kind of a command at its first end. A second end with exit code 1 must
  // not change the entry from `not_found` to an error.
  if (!isRepeated) replaceEntry(context, link, { ...entry, status });
  return true;
}

function exitCodeOf(status: ExploreStatus): number | null {
  return typeof status === "object" ? status.error.exit_code : null;
}

/** Finds a command in an explore record: the record id and the index of the entry. */
export function findExplored(
  context: FoldContext,
  callId: string,
): RecordLink | undefined {
  const link = context.memory.links.get("explored", callId);
  return entryOf(context, link) && link;
}

/** Updates the command and folder of an entry in an explore record. */
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

/** Returns the key by which repetitions of a command share an entry: its folder and words. */
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

/** Ends the running entries of an explore record in error. */
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

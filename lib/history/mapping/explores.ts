/**
 * Commands that only read, search or list files. Consecutive ones share an explore record (B.11).
 */

import type { ExecAction, ExploreEntry, ExploreStatus } from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import type { RecordLink } from "./fold_memory.ts";

/** A command that only reads, searches or lists files. */
interface ExploreStart {
  readonly command: readonly string[];
  readonly cwd: string | null;
  /** The kind of the command. */
  readonly action: ExecAction;
}

/** Shows a command in the trailing explore record, or in a new one. */
export function startExploring(
  context: FoldContext,
  call: CallIds,
  { command, cwd, action }: ExploreStart,
): void {
  const { memory, store } = context;
  const entry: ExploreEntry = { command, cwd, status: "running" };
  const open = context.at(store.indexOfTrailing());
  let id = store.nextId;
  let at = 0;
  if (open?.type === "explore") {
    const { entries } = open.payload;
    const known = entries.findLastIndex((each) => isSameCommand(each, entry));
    id = open.id;
    at = known === -1 ? entries.length : known;
    replaceEntry(context, { id, at }, entry);
  } else {
    context.push({
      type: "explore",
      payload: { entries: [entry], trailing: true },
    });
  }
  memory.working.add(id);
  memory.links.set("call", call.id, id, at).action = action;
}

/** Whether a command in an explore record runs for a call. */
export function isExploringFor(context: FoldContext, { id }: CallIds): boolean {
  const known = entryOf(context, id);
  // The entry may be running for another call of the same command, too.
  return known !== undefined && known.link.action !== null &&
    known.entry.status === "running";
}

/** Shows the end of a command, if it is in an explore record; returns whether it is. */
export function finishExploring(
  context: FoldContext,
  itemId: string,
  status: ExploreStatus,
): boolean {
  const known = entryOf(context, itemId);
  if (known === undefined) return false;
  const { entry, link } = known;
  // The link has the kind of a command up to its first end. A second end with exit code 1 must not
  // change the entry from `not_found` to an error.
  const isRepeated = link.action === null && entry.status === "not_found" &&
    exitCodeOf(status) === 1;
  link.action = null;
  if (!isRepeated) replaceEntry(context, link, { ...entry, status });
  return true;
}

function exitCodeOf(status: ExploreStatus): number | null {
  return typeof status === "object" ? status.error.exit_code : null;
}

/** Updates the command and folder of an entry in an explore record. */
export function renameEntry(
  context: FoldContext,
  itemId: string,
  { command, cwd, action }: ExploreStart,
): void {
  const known = entryOf(context, itemId);
  if (known === undefined) return;
  const { link, entry } = known;
  link.action = action;
  const renamed = { ...entry, command, cwd };
  if (!isSameCommand(entry, renamed)) replaceEntry(context, link, renamed);
}

/** Whether two entries have one command: repetitions of it share an entry. */
function isSameCommand(one: ExploreEntry, other: ExploreEntry): boolean {
  return one.cwd === other.cwd && isSameList(one.command, other.command);
}

/** Whether two lists have the same texts. */
export function isSameList(
  one: readonly string[],
  other: readonly string[],
): boolean {
  return one.length === other.length &&
    one.every((text, at) => text === other[at]);
}

/** Finds a command in an explore record, by its item id. */
export function entryOf(
  context: FoldContext,
  itemId: string,
): { readonly link: RecordLink; readonly entry: ExploreEntry } | undefined {
  const link = context.memory.links.get("call", itemId);
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

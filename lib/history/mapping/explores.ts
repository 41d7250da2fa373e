/**
 * Commands that only read, search or list files. Consecutive ones share an explore record (B.11).
 */

import type {
  ExecAction,
  ExploreEntry,
  ExploreStatus,
  HistoryRecordOf,
} from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";
import type { RecordLink } from "./fold_memory.ts";

interface ExploreStart {
  readonly command: readonly string[];
  readonly cwd: string | null;
  readonly action: ExecAction;
}

interface PlacedEntry {
  readonly record: HistoryRecordOf<"explore">;
  readonly link: RecordLink;
  readonly entry: ExploreEntry;
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
    setEntries(context, open, entries.toSpliced(at, 1, entry));
  } else {
    context.push({
      type: "explore",
      payload: { entries: [entry], trailing: true },
    });
  }
  memory.working.add(id);
  memory.links.set("call", call.id, id, at).action = action;
}

/** Shows the end of a command, if it is in an explore record; returns whether it is. */
export function finishExploring(
  context: FoldContext,
  itemId: string,
  status: ExploreStatus,
): boolean {
  const known = entryOf(context, itemId);
  if (known === undefined) return false;
  const { record, link, entry } = known;
  const ended = record.payload.entries.with(link.at, { ...entry, status });
  setEntries(context, record, ended);
  return true;
}

export function renameEntry(
  context: FoldContext,
  itemId: string,
  { command, cwd, action }: ExploreStart,
): void {
  const known = entryOf(context, itemId);
  if (known === undefined) return;
  const { record, link, entry } = known;
  link.action = action;
  const renamed = { ...entry, command, cwd };
  if (isSameCommand(entry, renamed)) return;
  setEntries(context, record, record.payload.entries.with(link.at, renamed));
}

/** Whether two entries have one command: repetitions of it share an entry. */
function isSameCommand(one: ExploreEntry, other: ExploreEntry): boolean {
  return one.cwd === other.cwd && isSameList(one.command, other.command);
}

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
): PlacedEntry | undefined {
  const link = context.memory.links.get("call", itemId);
  const record = context.get(link?.id);
  if (link === undefined || record?.type !== "explore") return undefined;
  const entry = record.payload.entries[link.at];
  return entry && { record, link, entry };
}

/** Ends the running entries of an explore record in error. */
export function interruptExploring(
  context: FoldContext,
  record: HistoryRecordOf<"explore">,
): void {
  const { entries } = record.payload;
  if (!entries.some(({ status }) => status === "running")) return;
  const ended = entries.map((entry): ExploreEntry =>
    entry.status === "running"
      ? { ...entry, status: { error: { exit_code: null } } }
      : entry
  );
  setEntries(context, record, ended);
}

function setEntries(
  context: FoldContext,
  { id, payload }: HistoryRecordOf<"explore">,
  entries: readonly ExploreEntry[],
): void {
  context.replace(id, { type: "explore", payload: { ...payload, entries } });
}

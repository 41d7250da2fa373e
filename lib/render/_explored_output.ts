/**
 * What commands print that share an `explore` record, which does not hold it.
 *
 * @module
 */

import type { HistoryState } from "../history/history_state.ts";
import { readCallLine } from "../history/mapping/call_lines.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import {
  type AnyHistoryRecord,
  type ExploreEntry,
  isKnownRecord,
} from "../history/records.ts";

/** What a command printed that has an entry in an `explore` record. */
export interface ExploredOutput {
  /** The number of the record. */
  readonly id: number;
  /** The place of the entry. */
  readonly at: number;
  /** All that was printed. */
  readonly text: string;
}

/**
 * Reads what a command printed that has an entry in an `explore` record.
 *
 * @param event An event.
 * @param mutations What it changed in the history.
 * @param state The history.
 * @returns What was printed, and where it belongs; `undefined` if the event tells no such thing.
 */
export function readExploredOutput(
  event: unknown,
  mutations: readonly HistoryMutation[],
  state: HistoryState,
): ExploredOutput | undefined {
  // Of most lines nothing has to be read anew.
  if (!mutations.some(changesExplore)) return undefined;
  const told = readCallLine(event);
  if (told?.kind !== "shown" || told.command === undefined) return undefined;
  const place = state.placeOfExplored(told.id);
  return place && { ...place, text: told.text };
}

function changesExplore(mutation: HistoryMutation): boolean {
  return mutation.type === "replaced" && mutation.record.type === "explore";
}

/** Gives the entry at a place of an `explore` record, if it has ended. */
export function endedEntry(
  record: AnyHistoryRecord,
  at: number,
): ExploreEntry | undefined {
  if (!isKnownRecord(record) || record.type !== "explore") return undefined;
  const entry = record.payload.entries[at];
  return entry?.status === "running" ? undefined : entry;
}

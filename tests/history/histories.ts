/**
 * Histories of captures and of lines made by hand: what their tests share.
 *
 * @module
 */

import { HistoryState } from "../../lib/history/history_state.ts";
import type { HistorySnapshot } from "../../lib/history/snapshot.ts";
import { LineSplitter } from "../../lib/lines/line_splitter.ts";
import { Normalizer } from "../../lib/normalizer.ts";
import { compose } from "../../lib/stage.ts";
import type { CapturedFile } from "../rollouts.ts";
import { emitted } from "../running.ts";

/** A file of events, normalized. */
export interface EventFile {
  /** The path below `testdata/captures/`. */
  readonly path: string;
  /** Whether it is a rollout. */
  readonly isRollout: boolean;
  /** The events. */
  readonly events: readonly unknown[];
}

/** Normalizes a captured file. */
export function readEvents({ path, name, bytes }: CapturedFile): EventFile {
  // The first CLI printed response items, as bare rollouts have them.
  const isRollout = name.includes("rollout") || path.startsWith("0.1.");
  const stage = compose(
    new LineSplitter(),
    new Normalizer({ from: isRollout ? "rollout" : "exec" }),
  );
  const events = emitted(stage, [bytes]).flatMap((outcome): unknown[] =>
    outcome.ok ? [JSON.parse(outcome.value)] : []
  );
  return { path, isRollout, events };
}

/** Folds events into a history. */
export function historyOf(
  events: Iterable<unknown>,
  state: HistoryState = new HistoryState(),
): HistoryState {
  for (const event of events) state.apply(event);
  return state;
}

/** Gives the snapshot of events. */
export function snapshotOf(events: Iterable<unknown>): HistorySnapshot {
  return historyOf(events).snapshot();
}

/** Lists the payloads of the records of one type. */
export function payloadsOf(
  { records }: HistorySnapshot,
  type: string,
): Record<string, unknown>[] {
  return records.filter((record) => record.type === type)
    .map(({ payload }) => ({ ...payload }));
}

/** Makes a rollout line. */
export function line(
  type: string,
  payload: Record<string, unknown>,
  timestamp = "2025-10-01T12:00:00.000Z",
): Record<string, unknown> {
  return { timestamp, type, payload };
}

/** Makes an `event_msg` line. */
export function eventLine(
  type: string,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return line("event_msg", { type, ...fields });
}

/** Makes a `response_item` line. */
export function itemLine(
  type: string,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return line("response_item", { type, ...fields });
}

/** Makes an `item_completed` line of a paginated rollout. */
export function pagedLine(
  type: string,
  item: Record<string, unknown>,
): Record<string, unknown> {
  return eventLine("item_completed", { item: { type, ...item } });
}

/** The header of a paginated rollout. */
export const PAGINATED = line("session_meta", {
  id: "s",
  history_mode: "paginated",
});

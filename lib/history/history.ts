/**
 * The history of a session, as a person reads it: its records, snapshots and mutations, and the
 * store that holds them.
 *
 * {@linkcode HistoryState} builds a history from events, and returns the mutations of each event.
 * {@linkcode applyMutation} makes the same changes to a list of records elsewhere, as in a viewer.
 * {@linkcode RecordStore} is for programs that make records themselves, and
 * {@linkcode readSnapshot} reads snapshots of other programs.
 *
 * @example A history, and a viewer that follows it
 * ```ts
 * import { type AnyHistoryRecord, applyMutation, HistoryState } from "@codexpipe/codexpipe/history";
 * import { assertEquals } from "@std/assert";
 *
 * const state = new HistoryState();
 * const shown: AnyHistoryRecord[] = [];
 * const events = [
 *   { type: "turn.started", input_text: "Hi" },
 *   { type: "error", message: "No such model" },
 * ];
 * for (const event of events) {
 *   for (const mutation of state.apply(event)) applyMutation(shown, mutation);
 * }
 *
 * assertEquals(shown.map(({ type }) => type), ["plain_message", "plain_message"]);
 * assertEquals(shown, state.snapshot().records);
 * ```
 *
 * @example A snapshot of another program
 * ```ts
 * import { HistoryState, readSnapshot } from "@codexpipe/codexpipe/history";
 * import { assertEquals } from "@std/assert";
 *
 * const state = new HistoryState();
 * state.apply({ type: "error", message: "No such model" });
 * const snapshot = readSnapshot(JSON.parse(JSON.stringify(state.snapshot())));
 *
 * assertEquals(snapshot.records.map(({ type }) => type), ["plain_message"]);
 * ```
 *
 * @module
 */

export * from "./records.ts";
export {
  type HistoryLookup,
  type HistorySnapshot,
  HistorySnapshotError,
  type HistorySnapshotOptions,
  isSnapshotLike,
} from "./snapshot.ts";
export * from "./mutations.ts";
export * from "./record_operations.ts";
export { RecordStore } from "./record_store.ts";
export * from "./code_layout.ts";
export {
  type ExploredPlace,
  type HistoryBase,
  HistoryState,
  type HistoryStateOptions,
} from "./history_state.ts";
export * from "./history_stream.ts";

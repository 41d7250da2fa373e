/** The history of a thread, built from its events. */

import { EventReader } from "../events/event_reader.ts";
import type { LinePlace } from "../events/session_context.ts";
import { linesWithout } from "../events/line_selection.ts";
import { EPOCH, eventTime, timestampOf } from "../events/times.ts";
import { type Fields, fieldsOf, isObject } from "../json/fields.ts";
import { knownItem, WITHOUT_RECORD } from "./item_types.ts";
import { entryOf } from "./mapping/explores.ts";
import { FoldContext } from "./mapping/fold_context.ts";
import { FoldMemory, type HistoryBase } from "./mapping/fold_memory.ts";
import { findOpenWork, foldEvent } from "./mapping/history_fold.ts";
import type { HistoryMutation } from "./mutations.ts";
import type { RecordLimits } from "./record_operations.ts";
import { RecordStore } from "./record_store.ts";
import type { AnyHistoryRecord } from "./records.ts";
import type { HistorySnapshot, HistorySnapshotOptions } from "./snapshot.ts";

export type { HistoryBase } from "./mapping/fold_memory.ts";

/** The types of lines that need not be read for a history. */
export const LINES_WITHOUT_RECORD: readonly string[] = linesWithout(
  WITHOUT_RECORD,
);

/** Whether an event of a session file is of a type that never makes a record. */
export function makesNoRecord({ type, item_type }: Fields): boolean {
  return type === "item.completed" && typeof item_type === "string" &&
    WITHOUT_RECORD.has(item_type);
}

/** The version of the `resume` member of a checkpoint. Others are restored without it. */
const VERSION = 7;

/** Options for {@linkcode HistoryState}. */
export interface HistoryStateOptions {
  /**
   * Returns the time of an exec event as RFC 3339. It is called as long as no event of the stream
   * has had a `timestamp`.
   *
   * @default {() => "1970-01-01T00:00:00.000Z"}
   */
  readonly clock?: (() => string) | undefined;
  /** The limits of the text that is kept. */
  readonly limits?: RecordLimits | undefined;
}

/** The place of a command in an `explore` record, which several commands may share. */
export interface ExploredPlace {
  /** The id of the record. */
  readonly id: number;
  /** The index of the command among the entries of the record, from 0. */
  readonly at: number;
}

/**
 * The history of a thread, built from its events: the records that a person reads, in order.
 *
 * It accepts normalized exec events and normalized rollout lines, which it recognizes by their
 * shape, and returns the mutations that each of them makes. The same events always make the same
 * history: it uses no clock except the `clock` option, and no random values. No JSON value makes it
 * throw, and unknown events change nothing.
 *
 * The time of an event does not grow with the history. Codex restarts the ids of exec items in
 * every process, so those of the second run in a stream become `2:item_0`, and so on. A call whose
 * id is used again after its end is a new call with a record of its own.
 *
 * @example A turn
 * ```ts
 * import { HistoryState } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const state = new HistoryState();
 * state.apply({ type: "turn.started", thread_id: "t", turn_id: "1", input_text: "Hi" });
 * const mutations = state.apply({
 *   type: "item.completed",
 *   thread_id: "t",
 *   turn_id: "1",
 *   item_id: "item_0",
 *   status: "completed",
 *   item_type: "agent_message",
 *   content: { text: "Hello." },
 * });
 *
 * assertEquals(mutations.map(({ type }) => type), ["inserted"]);
 * assertEquals(
 *   state.snapshot().records.map(({ type }) => type),
 *   ["plain_message", "assistant_message"],
 * );
 * ```
 */
export class HistoryState {
  #context: FoldContext;
  #reader = new EventReader(undefined, { unwanted: WITHOUT_RECORD });
  readonly #clock: (() => string) | undefined;
  readonly #fold = (event: Fields): void => {
    const context = this.#context;
    // An event of a session file has a `line`, or was made by the reader of this object.
    if (this.#reader.isSession || event.line !== undefined) {
      context.memory.isSession = true;
    }
    context.now = this.#timeOf(event);
    foldEvent(context, event);
  };

  /**
   * Constructs a new instance without records.
   *
   * @param options The clock and the limits of the text that is kept.
   * @throws {RangeError} If a limit is no whole number from 0.
   */
  constructor(options: HistoryStateOptions = {}) {
    const { clock, limits } = options;
    const store = new RecordStore({ limits });
    this.#context = new FoldContext(store, new FoldMemory());
    this.#clock = clock;
  }

  /**
   * Restores a history from a snapshot.
   *
   * A snapshot with `resume` restores the exact state. One without it restores the records and the
   * lookups only: earlier item ids and copies of messages are not recognized any more. Commands and
   * tools that are running in it are found by their call ids, so that they can end.
   *
   * Pass untrusted input, such as the content of a file, through {@linkcode readSnapshot} first,
   * which also reads the layout of other programs.
   *
   * @param snapshot The snapshot. It is copied.
   * @param options The clock and the limits of the text that is kept.
   * @returns The history.
   * @throws {HistorySnapshotError} If it is no snapshot; payloads are not checked.
   * @throws {RangeError} If a limit is no whole number from 0.
   *
   * @example Stop and continue
   * ```ts
   * import { HistoryState } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const state = new HistoryState();
   * state.apply({ type: "turn.started", input_text: "Hi" });
   * const restored = HistoryState.restore(state.snapshot({ resume: true }));
   * const event = { type: "turn.failed", error: { message: "No" } };
   *
   * assertEquals(restored.apply(event), state.apply(event));
   * ```
   */
  static restore(
    snapshot: HistorySnapshot,
    options: HistoryStateOptions = {},
  ): HistoryState {
    const { limits } = options;
    const saved = fieldsOf(fieldsOf(snapshot).resume);
    const exact = saved.version === VERSION;
    const store = RecordStore.restore(snapshot, { exact, limits });
    const memory = new FoldMemory(exact ? saved.fold : undefined);
    const state = new HistoryState(options);
    state.#context = new FoldContext(store, memory);
    if (exact) {
      state.#reader = new EventReader(saved.reader, {
        unwanted: WITHOUT_RECORD,
      });
    } else {
      findOpenWork(
        state.#context,
        (callId, itemType) => state.#reader.expect(callId, itemType),
      );
    }
    return state;
  }

  /** The id of the thread; `null` until an event has one. */
  get threadId(): string | null {
    return this.#context.memory.threadId;
  }

  /** The id of the next record. */
  get nextId(): number {
    return this.#context.store.nextId;
  }

  /**
   * The part of another file that a rollout continues, if it begins in the middle of a thread and
   * that part was not read before it. The history is incomplete then.
   */
  get base(): HistoryBase | null {
    return this.#context.memory.base;
  }

  /**
   * The `history_mode` of a rollout, if it is unknown; `legacy` and `paginated` are known. In an
   * unknown mode, each line is read by its shape, and records may be missing.
   */
  get unknownMode(): string | null {
    return this.#context.memory.unknownMode;
  }

  /**
   * Finds the entry of a command in an `explore` record. The entries have no ids, and repetitions
   * of a command share one entry.
   *
   * @param itemId The id of the item, in the last run of the stream.
   * @returns The place; `undefined` if the command is in no `explore` record, or no longer.
   *
   * @example The place of a command
   * ```ts
   * import { HistoryState } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const state = new HistoryState();
   * for (const [line, name] of ["a", "b"].entries()) {
   *   state.apply({
   *     type: "item.started",
   *     item_id: `call_${name}`,
   *     item_type: "command_execution",
   *     content: {
   *       command: `cat ${name}`,
   *       parsed_cmd: [{ type: "read", cmd: `cat ${name}`, name }],
   *     },
   *     line,
   *   });
   * }
   *
   * assertEquals(state.placeOfExplored("call_b"), { id: 1, at: 1 });
   * ```
   */
  placeOfExplored(itemId: string): ExploredPlace | undefined {
    const context = this.#context;
    const link = entryOf(context, context.memory.scopedId(itemId))?.link;
    return link && { id: link.id, at: link.at };
  }

  /**
   * Applies an event to the history.
   *
   * @param event A normalized exec event or rollout line. Its values may become part of the
   *   history: do not change them afterwards.
   * @param text The JSON text that the event was parsed from. With it, tool arguments keep their
   *   order and the spelling of their numbers (`1.0`, 64-bit integers).
   * @returns The mutations, in order; do not change their values.
   */
  apply(event: unknown, text?: string): HistoryMutation[] {
    if (!isObject(event)) return [];
    this.#reader.read(event, { text }, this.#fold);
    return this.#context.takeMutations();
  }

  /**
   * Drops records that the caller no longer needs, to bound the memory of a long session. Snapshots
   * no longer hold them, there is no mutation for it, and later records move up. A further event
   * about a dropped record, such as the second copy of its output, makes a new record: drop only
   * records that are long complete.
   *
   * @param ids The ids of the records.
   *
   * @example Keep only the last record
   * ```ts
   * import { HistoryState } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const state = new HistoryState();
   * for (const message of ["One", "Two", "Three"]) state.apply({ type: "error", message });
   * state.forget(new Set([1, 2]));
   *
   * assertEquals(state.snapshot().records.map(({ id }) => id), [3]);
   * ```
   */
  forget(ids: ReadonlySet<number>): void {
    this.#context.forget(ids);
  }

  /**
   * Returns the history in its present state.
   *
   * @param options Whether to add `resume`, and whether to copy the records.
   * @returns Plain JSON that shares no objects with the history, unless `copy` is off.
   */
  snapshot(options: HistorySnapshotOptions = {}): HistorySnapshot {
    const snapshot = this.#context.store.snapshot(options);
    return options.resume === true
      ? {
        ...snapshot,
        resume: {
          version: VERSION,
          reader: this.#reader.save(),
          fold: this.#context.memory.save(),
        },
      }
      : snapshot;
  }

  /** @ignore Returns the record with an id. */
  recordOf(id: number): AnyHistoryRecord | undefined {
    const { store } = this.#context;
    return store.at(store.indexOf(id));
  }

  /**
   * @ignore Applies an event that another `EventReader` has emitted. An item of an unknown type is
   * applied as the call of a tool, so that transcripts and searches show the work of releases to
   * come; in the snapshot, it has no record.
   */
  applyEvent(event: Fields): HistoryMutation[] {
    this.#fold(knownItem(event));
    return this.#context.takeMutations();
  }

  /**
   * @ignore Applies a record as `apply` does, and passes each of its events to the caller together
   * with the mutations of that event, for callers that need more of an event than its records hold.
   */
  applyEvents(
    record: Fields,
    place: LinePlace,
    take: (event: Fields, mutations: readonly HistoryMutation[]) => void,
  ): void {
    this.#reader.read(record, place, (event) => {
      take(event, this.applyEvent(event));
    });
  }

  /** Returns the time of an event: its own, else the last one seen, else the clock's, else 1970. */
  #timeOf(event: Fields): string {
    const { memory } = this.#context;
    const time = eventTime(event);
    if (time !== undefined) return memory.now = time;
    return memory.now ?? timestampOf(this.#clock?.()) ?? EPOCH;
  }
}

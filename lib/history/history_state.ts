/**
 * The history of a thread, made of its events.
 *
 * @module
 */

import { EventReader, type LinePlace } from "../events/event_reader.ts";
import { linesWithout } from "../events/line_selection.ts";
import { EPOCH, timestampOf } from "../events/times.ts";
import { type Fields, isObject } from "../json/fields.ts";
import { findExplored } from "./mapping/explores.ts";
import { FoldContext } from "./mapping/fold_context.ts";
import { savedField } from "../json/saved.ts";
import { FoldMemory, type HistoryBase } from "./mapping/fold_memory.ts";
import { findOpenWork, foldEvent } from "./mapping/history_fold.ts";
import type { HistoryMutation } from "./mutations.ts";
import type { RecordLimits } from "./record_operations.ts";
import { RecordStore } from "./record_store.ts";
import {
  checkSnapshot,
  type HistorySnapshot,
  type HistorySnapshotOptions,
} from "./snapshot.ts";

export type { HistoryBase } from "./mapping/fold_memory.ts";

/** The types of items that make no record. */
const WITHOUT_RECORD: ReadonlySet<string> = new Set([
  "injected_context",
  "thread_settings_applied",
  "token_usage_record",
  "turn_context",
]);
/** The types of lines that need not be read for a history. */
export const LINES_WITHOUT_RECORD: readonly string[] = linesWithout(
  WITHOUT_RECORD,
);

/** Tells whether an event of a session file makes no record, whatever it says. */
export function makesNoRecord({ type, item_type }: Fields): boolean {
  return type === "item.completed" && typeof item_type === "string" &&
    WITHOUT_RECORD.has(item_type);
}

/** The version of what a checkpoint says besides its records. */
const VERSION = 2;

/** Options for {@linkcode HistoryState}. */
export interface HistoryStateOptions {
  /**
   * Gives the time of exec events as RFC 3339, for streams none of whose events has had a
   * `timestamp` yet.
   *
   * @default {() => "1970-01-01T00:00:00.000Z"}
   */
  readonly clock?: (() => string) | undefined;
  /** How much text is kept. */
  readonly limits?: RecordLimits | undefined;
}

/** Where a command is that may share an `explore` record with others. */
export interface ExploredPlace {
  /** The number of the record. */
  readonly id: number;
  /** The place of the command among the entries of the record, from 0. */
  readonly at: number;
}

/**
 * The history of a thread, made of its events: what a reader of the session sees, in order.
 *
 * It takes normalized exec events and normalized rollout lines, told apart by their shape, and
 * answers each with what it changed. The same events give the same history: there is no clock
 * but the one that is handed in, and nothing random. No JSON value makes it throw; what it does
 * not know changes nothing.
 *
 * What an event costs does not grow with the history. Ids of exec items begin again with every
 * process, so those of the second run in a stream read `2:item_0`, and so on. A call whose id
 * comes again after its end is another one and makes a record of its own.
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
  readonly #fold = (event: Fields, text?: string): void => {
    const context = this.#context;
    // What comes from a session file says where, or has been read here.
    if (this.#reader.isSession || event.line !== undefined) {
      context.memory.isSession = true;
    }
    context.now = this.#timeOf(event);
    context.text = text;
    foldEvent(context, event);
    context.text = undefined;
  };

  /**
   * Constructs a new instance without records.
   *
   * @param options The clock, and how much text is kept.
   * @throws {RangeError} If a limit is no whole number from 0.
   */
  constructor(options: HistoryStateOptions = {}) {
    const { clock, limits = {} } = options;
    this.#context = new FoldContext(
      new RecordStore({ limits }),
      new FoldMemory(),
    );
    this.#clock = clock;
  }

  /**
   * Goes on from a snapshot.
   *
   * One with `resume` goes on exactly. One without restores the records and the lookups; the
   * mapping begins anew, so that ids of items and copies of messages from before are not known.
   * Commands and tools that run in it are known by the ids of their calls, so that they can end.
   *
   * What may be something else, such as the content of a file, goes through
   * {@linkcode readSnapshot} first, which reads the other layout, too.
   *
   * @param snapshot The snapshot. It is copied.
   * @param options The clock, and how much text is kept.
   * @returns The history.
   * @throws {HistorySnapshotError} If it is no snapshot; payloads are not looked at.
   * @throws {RangeError} If a limit is no whole number from 0.
   *
   * @example Stop and go on
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
    checkSnapshot(snapshot);
    const { limits = {} } = options;
    const saved = (name: string): unknown => savedField(snapshot.resume, name);
    const exact = saved("version") === VERSION;
    const store = RecordStore.restore(snapshot, { exact, limits });
    const memory = new FoldMemory(exact ? saved("fold") : undefined);
    const state = new HistoryState(options);
    state.#context = new FoldContext(store, memory);
    if (exact) {
      state.#reader = new EventReader(saved("reader"), {
        unwanted: WITHOUT_RECORD,
      });
    } else {
      findOpenWork(
        state.#context,
        snapshot.tool_call_lookup,
        (callId, itemType) => state.#reader.expect(callId, itemType),
      );
    }
    return state;
  }

  /** The thread, as far as an event has named it. */
  get threadId(): string | null {
    return this.#context.memory.threadId;
  }

  /** The number that the next record gets. */
  get nextId(): number {
    return this.#context.store.nextId;
  }

  /**
   * What a rollout goes on from, if it begins in the middle of a thread: a part of another file
   * that was not read before it. The history is partial then.
   */
  get base(): HistoryBase | null {
    return this.#context.memory.base;
  }

  /**
   * The word for how a rollout tells its history (`history_mode`), if it is none that is known:
   * `legacy` and `paginated` are. The lines are read as what they look like then, and records
   * may be missing.
   */
  get unknownMode(): string | null {
    return this.#context.memory.unknownMode;
  }

  /**
   * Finds a command that only looked at something: its `explore` record does not say which call
   * an entry is of, and the same command has one entry, however often it ran.
   *
   * @param callId The id of the call.
   * @returns Where it is; `undefined` if it is in no `explore` record, or no longer.
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
  placeOfExplored(callId: string): ExploredPlace | undefined {
    const link = findExplored(this.#context, callId);
    return link && { id: link.id, at: link.at };
  }

  /**
   * Takes an event and changes the history by it.
   *
   * @param event A normalized exec event or rollout line, which may become part of the history:
   *   do not change what is in it afterwards.
   * @param text The JSON text that the event was parsed from. With it, numbers among the
   *   arguments of tools stand in the records as they are spelled there (`1.0`, 64-bit
   *   integers), and arguments in the order of the text.
   * @returns What changed, in order; do not change what is in it.
   */
  apply(event: unknown, text?: string): HistoryMutation[] {
    if (!isObject(event)) return [];
    this.#reader.read(event, { text }, this.#fold);
    return this.#context.takeMutations();
  }

  /**
   * Lets records go that have been dealt with, so that a long session needs no more memory than
   * what is still of interest. Snapshots do not have them any more, no mutation says that they
   * are gone, and records behind them move up. An event that says more of one of them, such as
   * the other copy of its output, then makes a new record: let go only what is long past.
   *
   * @param ids The numbers of the records.
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
   * Copies the history as it is now.
   *
   * @param options What to add, and whether it is a copy.
   * @returns Plain JSON that shares nothing with the history, unless `copy` is off.
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

  /** @ignore Takes an event that a reader has given, as `apply` takes a record. */
  applyEvent(event: Fields, text: string | undefined): HistoryMutation[] {
    this.#fold(event, text);
    return this.#context.takeMutations();
  }

  /**
   * @ignore Takes a record as `apply` does, and hands over each of its events with what that
   * changed, for those who have to know more of them than the history shows.
   */
  applyEvents(
    record: Fields,
    place: LinePlace,
    take: (event: Fields, mutations: readonly HistoryMutation[]) => void,
  ): void {
    this.#reader.read(record, place, (event, text) => {
      take(event, this.applyEvent(event, text));
    });
  }

  /** The event's own time, else the last one seen, else what there is instead. */
  #timeOf({ timestamp }: Fields): string {
    const { memory } = this.#context;
    const own = timestampOf(timestamp);
    if (own !== undefined) return memory.now = own;
    return memory.now ?? timestampOf(this.#clock?.()) ?? EPOCH;
  }
}

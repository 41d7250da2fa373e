/** The state that all rules of the fold share: the records, the memory and the time. */

import { EPOCH } from "../../events/times.ts";
import { type Fields, textOf } from "../../json/fields.ts";
import type { HistoryMutation } from "../mutations.ts";
import type { RecordOptions } from "../record_operations.ts";
import { type RecordStore, TOOL_TYPES } from "../record_store.ts";
import {
  type HistoryRecord,
  isKnownRecord,
  type NewRecord,
} from "../records.ts";
import type { FoldMemory, LinkKind, RecordLink } from "./fold_memory.ts";

export interface CallIds {
  /** The id of the item, unique over all runs. */
  readonly id: string;
  /** The call id, which is stored in records and lookups; `null` if it has none. */
  readonly callId: string | null;
}

/**
 * The phase of an item event. A `piece` is an increment, `updated` is the whole item so far. A
 * `delta` may be either: `isPiece` decides by the text.
 */
export type ItemPhase =
  | "started"
  | "delta"
  | "piece"
  | "updated"
  | "completed";

export interface ItemState extends CallIds {
  readonly phase: ItemPhase;
  /** The content or the delta of the event, or the event itself if it has neither. */
  readonly content: Fields;
  readonly event: Fields;
}

/** Changes records, updates the memory accordingly, and collects the mutations. */
export class FoldContext {
  readonly store: RecordStore;
  /** The state that no record holds. */
  readonly memory: FoldMemory;
  now: string = EPOCH;
  #mutations: HistoryMutation[] = [];

  constructor(store: RecordStore, memory: FoldMemory) {
    this.store = store;
    this.memory = memory;
  }

  /** Returns the mutations since the last call, in order. */
  takeMutations(): HistoryMutation[] {
    const mutations = this.#mutations;
    this.#mutations = [];
    return mutations;
  }

  /** Appends a record and returns its id. */
  push(record: NewRecord, options?: RecordOptions): number {
    const id = this.store.nextId;
    this.note(this.store.push(record, options));
    return id;
  }

  /** Replaces a record, if it still exists. A tool call keeps its call id. */
  replace(id: number, record: NewRecord, newCallId?: string | null): void {
    const { store } = this;
    const index = store.indexOf(id);
    const callId = store.callIdAt(index) ?? newCallId ?? null;
    const holder = callId === null ? -1 : store.indexOfTool(callId);
    // It may belong to the record of a newer call by now.
    const isFree = holder === -1 || holder === index;
    this.note(store.replace(index, record, { callId: isFree ? callId : null }));
  }

  /** Removes a record, if it still exists. */
  remove(id: number): void {
    this.note(this.store.remove(this.store.indexOf(id)));
    this.memory.forget(id);
  }

  /** Returns the record with an id, if it is of a known type. */
  get(id: number | null | undefined): HistoryRecord | undefined {
    return id === null || id === undefined
      ? undefined
      : this.at(this.store.indexOf(id));
  }

  /** Returns the record at an index, if it is of a known type. */
  at(index: number): HistoryRecord | undefined {
    const record = index < 0 ? undefined : this.store.at(index);
    return record !== undefined && isKnownRecord(record) ? record : undefined;
  }

  /** Returns the text of an assistant message in progress; `undefined` if there is none. */
  streamText(streamId: string): string | undefined {
    const record = this.at(this.store.indexOfStream(streamId));
    return record?.type === "assistant_stream"
      ? textOf(record.payload.preview_markdown)
      : undefined;
  }

  linkOf({ id }: CallIds): RecordLink | undefined {
    return this.memory.links.get("call", id);
  }

  recordOf(call: CallIds): HistoryRecord | undefined {
    return this.get(this.linkOf(call)?.id);
  }

  /**
   * Whether the record of a call may be replaced by one of another type. In exec streams, releases
   * have used one id for items of different types.
   */
  mayBecome(known: HistoryRecord, type: string): boolean {
    if (known.type === type) return true;
    const { isSession } = this.memory;
    switch (known.type) {
      case "exec":
        return type === "patch" &&
          (isSession || known.payload.status === "running");
      case "explore":
      case "patch":
        return false;
      default:
        return isSession ||
          (TOOL_TYPES.has(known.type) && TOOL_TYPES.has(type));
    }
  }

  /**
   * Stores the record of a call: replaces the known one if its type allows that, or appends it.
   * Returns the id of the record.
   */
  showCall(
    call: CallIds,
    record: NewRecord,
    known: HistoryRecord | undefined = this.recordOf(call),
  ): number {
    if (known !== undefined && this.mayBecome(known, record.type)) {
      this.replace(known.id, record, call.callId);
      return known.id;
    }
    const id = this.push(record, { callId: call.callId });
    this.memory.links.set("call", call.id, id);
    return id;
  }

  /**
   * Stores the record of an item: replaces that of the same item and type, or appends it. Returns
   * the id of the record. The records of a restored history may lack that of a link.
   */
  showItem(kind: LinkKind, item: string, record: NewRecord): number {
    const { links } = this.memory;
    const known = links.get(kind, item);
    if (known !== undefined && this.get(known.id)?.type === record.type) {
      this.replace(known.id, record);
      return known.id;
    }
    const id = this.push(record);
    links.set(kind, item, id);
    return id;
  }

  removeItem(kind: LinkKind, item: string): void {
    const known = this.memory.links.get(kind, item);
    if (known !== undefined) this.remove(known.id);
  }

  note(mutations: readonly HistoryMutation[]): void {
    for (const mutation of mutations) this.#mutations.push(mutation);
  }

  /** Drops records that no event will change any more, and the memory of them. */
  forget(ids: ReadonlySet<number>): void {
    this.store.forget(ids);
    for (const id of ids) this.memory.forget(id);
  }

  /** Removes the records from an id on, which are the last ones, and the memory of them. */
  truncate(first: number): void {
    const { store, memory } = this;
    const idAt = (index: number): number => store.at(index)?.id ?? 0;
    let index = store.length - 1;
    for (; index >= 0 && idAt(index) >= first; index--) {
      memory.forget(idAt(index));
    }
    // The producer may use the item ids again.
    memory.plans.clear();
    this.note(store.truncateAfter(idAt(index)));
  }
}

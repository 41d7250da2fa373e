/**
 * What all rules of the fold work on: the records, the memory and the time.
 *
 * @module
 */

import { EPOCH } from "../../events/times.ts";
import { memberTexts, soleMemberText } from "../../json/member_texts.ts";
import type { HistoryMutation } from "../mutations.ts";
import type { RecordOptions } from "../record_operations.ts";
import type { RecordStore } from "../record_store.ts";
import {
  type HistoryRecord,
  isKnownRecord,
  type NewRecord,
} from "../records.ts";
import type { FoldMemory, LinkKind, RecordLink } from "./fold_memory.ts";

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** What calls are known by. */
export interface CallIds {
  /** The id of the item, unique over all runs. */
  readonly id: string;
  /** The id of the call, which records and lookups show; `null` if it has none. */
  readonly callId: string | null;
}

/** What a tool is, from its beginning to its end. */
const TOOL_TYPES: ReadonlySet<string> = new Set([
  "running_tool",
  "tool_call",
]);

/**
 * Tells whether a record may become another one in an exec stream, where items of different types
 * have had one id.
 */
function mayBecome(known: HistoryRecord, { type }: NewRecord): boolean {
  if (known.type === type) return true;
  return known.type === "exec"
    ? type === "patch" && known.payload.status === "running"
    : TOOL_TYPES.has(known.type) && TOOL_TYPES.has(type);
}

/** Changes records, and tells the memory and the caller what has changed. */
export class FoldContext {
  /** The records. */
  readonly store: RecordStore;
  /** What is remembered beside them. */
  readonly memory: FoldMemory;
  /** The time of the event. */
  now: string = EPOCH;
  /** The JSON text of the event, if it is known. */
  text: string | undefined;
  #mutations: HistoryMutation[] = [];

  /**
   * Constructs a new instance.
   *
   * @param memory What is remembered beside them.
   */
  constructor(store: RecordStore, memory: FoldMemory) {
    this.store = store;
    this.memory = memory;
  }

  /** Gives the changes since the last call, in order. */
  takeMutations(): HistoryMutation[] {
    const mutations = this.#mutations;
    this.#mutations = [];
    return mutations;
  }

  /**
   * Finds an object in the text of the event.
   *
   * @param path The names that lead to it.
   * @returns What gives the texts of its fields, if there are any.
   */
  textsOf(...path: readonly string[]): () => ReadonlyMap<string, string> {
    return () => {
      if (this.text === undefined) return NO_TEXTS;
      const own = soleMemberText(this.text, path.at(-1) ?? "");
      return own === undefined
        ? memberTexts(this.text, path)
        : memberTexts(own);
    };
  }

  /** Adds a record at the end. */
  push(record: NewRecord, options?: RecordOptions): number {
    const id = this.store.nextId;
    this.note(this.store.push(record, options));
    return id;
  }

  /** Replaces a record that is still there. */
  replace(id: number, record: NewRecord, callId?: string | null): void {
    const index = this.store.indexOf(id);
    if (index === -1) return;
    this.note(
      this.store.replace(index, record, { callId: this.#free(callId, id) }),
    );
  }

  /** A call id that a newer call has is not taken back from it. */
  #free(callId: string | null | undefined, id: number): string | null {
    if (callId === null || callId === undefined) return null;
    const index = this.store.indexOfTool(callId);
    return index === -1 || this.store.idAt(index) === id ? callId : null;
  }

  /** Removes a record that is still there. */
  remove(id: number): void {
    const index = this.store.indexOf(id);
    if (index === -1) return;
    this.note(this.store.remove(index));
    this.memory.forget(id);
  }

  /** Finds a record of the contract by its number. */
  get(id: number | null | undefined): HistoryRecord | undefined {
    return id === null || id === undefined
      ? undefined
      : this.at(this.store.indexOf(id));
  }

  /** Finds a record of the contract by its place. */
  at(index: number): HistoryRecord | undefined {
    const record = index < 0 ? undefined : this.store.at(index);
    return record !== undefined && isKnownRecord(record) ? record : undefined;
  }

  /** Gives the number of the last record; `undefined` if there is none. */
  get lastId(): number | undefined {
    return this.store.idAt(this.store.length - 1);
  }

  /** Finds where a call is. */
  linkOf({ id, callId }: CallIds): RecordLink | undefined {
    const { links } = this.memory;
    const link = links.get("call", id);
    if (link !== undefined || callId === null) return link;
    // What a bare snapshot left running is known by nothing but the id of its call.
    const restored = links.get("restored", callId);
    if (restored === undefined) return undefined;
    links.drop("restored", callId);
    return links.set("call", id, restored.id, restored.at);
  }

  /** Finds the record of a call. */
  recordOf(call: CallIds): HistoryRecord | undefined {
    return this.get(this.linkOf(call)?.id);
  }

  /**
   * Shows a call: in its record, if that is of a type that may become this one, or at the end.
   *
   * @returns The number of the record.
   */
  showCall(
    call: CallIds,
    record: NewRecord,
    replaceable: ReadonlySet<string>,
    known: HistoryRecord | undefined = this.recordOf(call),
  ): number {
    const isOne = known !== undefined && replaceable.has(known.type) &&
      (this.memory.isSession || mayBecome(known, record));
    if (isOne) {
      this.replace(known.id, record, call.callId);
      return known.id;
    }
    const id = this.push(record, { callId: call.callId });
    this.memory.links.set("call", call.id, id);
    return id;
  }

  /**
   * Puts a record in the place of the one that the same item made, or at the end.
   *
   * @returns The number of the record.
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

  /** Takes out the record of an item, if there is one. */
  removeItem(kind: LinkKind, item: string): void {
    const known = this.memory.links.get(kind, item);
    if (known !== undefined) this.remove(known.id);
  }

  /** Takes over what the store has changed. */
  note(mutations: readonly HistoryMutation[]): void {
    const { turns } = this.memory;
    for (const mutation of mutations) {
      this.#mutations.push(mutation);
      if (mutation.type === "removed") turns.removed(mutation.index);
    }
  }

  /**
   * Lets records go that nothing will change any more, and all that is remembered of them.
   *
   * @param ids Their numbers.
   */
  forget(ids: ReadonlySet<number>): void {
    this.memory.turns.forgotten(this.store.forget(ids));
    for (const id of ids) this.memory.forget(id);
  }

  /**
   * Drops all records from a place on, and all that is remembered of them.
   *
   * @param length How many records remain.
   */
  truncate(length: number): void {
    const { store, memory } = this;
    if (length >= store.length && length > 0) return;
    for (let index = length; index < store.length; index++) {
      const id = store.idAt(index);
      if (id !== undefined) memory.forget(id);
    }
    // Keyed by what the producer calls things, which it may do again.
    memory.plans.clear();
    for (const id of memory.exploring.keys()) {
      if (memory.links.get("call", id) === undefined) {
        memory.exploring.delete(id);
      }
    }
    const last = length === 0 ? 0 : store.idAt(length - 1) ?? 0;
    this.note(store.truncateAfter(last));
    for (const streamId of memory.streams.keys()) {
      if (store.indexOfStream(streamId) === -1) memory.streams.delete(streamId);
    }
  }
}

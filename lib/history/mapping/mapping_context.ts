/**
 * What all rules of the mapping work on: the records, the memory and the time.
 *
 * @module
 */

import { memberTexts } from "../../json/member_texts.ts";
import type { HistoryMutation } from "../mutations.ts";
import type { RecordOptions } from "../record_operations.ts";
import type { RecordStore } from "../record_store.ts";
import {
  type HistoryRecord,
  isKnownRecord,
  type NewRecord,
} from "../records.ts";
import type { MappingMemory } from "./mapping_memory.ts";
import type { CopyKind } from "./pairing.ts";
import { CALL_LINKS } from "./record_links.ts";
import { EPOCH } from "./times.ts";

/** The records after which a lone copy of a prompt is another prompt. */
const ANSWER_TYPES: ReadonlySet<string> = new Set([
  "assistant_message",
  "assistant_stream",
  "exec",
  "explore",
  "patch",
  "reasoning",
  "running_tool",
  "tool_call",
]);
/** What is said after the calls of a response and what came of them, or instead of them. */
const NEWS_TYPES: ReadonlySet<string> = new Set([
  "assistant_message",
  "assistant_stream",
  "plain_message",
  "reasoning",
]);
/** What belongs to an answer, up to the next prompt. */
const ANSWER_KINDS: readonly CopyKind[] = [
  "assistant",
  "reasoning",
  "search",
  "plan",
];

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** Changes records, and tells the memory and the caller what has changed. */
export class MappingContext {
  /** The records. */
  readonly store: RecordStore;
  /** What is remembered beside them. */
  readonly memory: MappingMemory;
  /** The time of the event. */
  now: string = EPOCH;
  /** The JSON text of the event, if it is known. */
  text: string | undefined;
  /** The names that lead from there to what is being mapped. */
  path: readonly string[] = [];
  #mutations: HistoryMutation[] = [];

  /**
   * Constructs a new instance.
   *
   * @param store The records.
   * @param memory What is remembered beside them.
   */
  constructor(store: RecordStore, memory: MappingMemory) {
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
   * Finds an object inside what is being mapped in the text of the event.
   *
   * @param path The names that lead to the object.
   * @returns Gives the texts of its members, in order; none if the text is not known.
   */
  textsOf(...path: readonly string[]): () => ReadonlyMap<string, string> {
    return () =>
      this.text === undefined
        ? NO_TEXTS
        : memberTexts(this.text, [...this.path, ...path]);
  }

  /**
   * Adds a record at the end.
   *
   * @param record The record.
   * @param options What the record does not say.
   * @returns Its number.
   */
  push(record: NewRecord, options?: RecordOptions): number {
    const id = this.store.nextId;
    this.note(this.store.push(record, options));
    return id;
  }

  /**
   * Replaces a record that is still there.
   *
   * @param id Its number.
   * @param record What it becomes.
   * @param options What the record does not say.
   */
  replace(id: number, record: NewRecord, options?: RecordOptions): void {
    const index = this.store.indexOf(id);
    if (index !== -1) this.note(this.store.replace(index, record, options));
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

  /**
   * Whether what comes again for an id takes the place of all that was known: items of paginated
   * files are whole, other files tell of a thing in several parts.
   */
  get replaces(): boolean {
    return this.memory.mode === "paginated";
  }

  /** Finds the command of the newest call of an id; -1 if it has made none. */
  indexOfExec(callId: string): number {
    return this.#ofNewestCall(this.store.indexOfExec(callId));
  }

  /** Finds the tool of the newest call of an id; -1 if it has made none. */
  indexOfTool(callId: string): number {
    return this.#ofNewestCall(this.store.indexOfTool(callId));
  }

  /** The lookups of the store name the record of an older call until a newer one has made one. */
  #ofNewestCall(index: number): number {
    const id = this.store.idAt(index);
    return id === undefined || this.memory.calls.isBygone(id) ? -1 : index;
  }

  /** Gives the number of the last record; `undefined` if there is none. */
  get lastId(): number | undefined {
    return this.store.idAt(this.store.length - 1);
  }

  /**
   * Takes over what the store has changed.
   *
   * @param mutations The changes.
   */
  note(mutations: readonly HistoryMutation[]): void {
    const { pairing, turns } = this.memory;
    for (const mutation of mutations) {
      this.#mutations.push(mutation);
      if (mutation.type === "removed") turns.removed(mutation.index);
      if (mutation.type !== "inserted") continue;
      const { record } = mutation;
      if (NEWS_TYPES.has(record.type)) this.memory.viewedImages = 0;
      if (ANSWER_TYPES.has(record.type)) pairing.forget("user");
      else if (
        record.type === "plain_message" && record.payload.role === "user"
      ) pairing.forget(...ANSWER_KINDS);
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
    this.#forgetCalls();
  }

  #forgetCalls(): void {
    const { calls, links } = this.memory;
    calls.retain((callId) =>
      this.indexOfExec(callId) !== -1 || this.indexOfTool(callId) !== -1 ||
      CALL_LINKS.some((kind) => links.get(kind, callId) !== undefined)
    );
  }

  /**
   * Drops all records from a place on, and all that is remembered of them.
   *
   * @param length How many remain.
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
    memory.decoders.clear();
    for (const callId of memory.exploring.keys()) {
      const link = memory.links.get("explore", callId);
      if (link === undefined) memory.exploring.delete(callId);
    }
    const last = length === 0 ? 0 : store.idAt(length - 1) ?? 0;
    this.note(store.truncateAfter(last));
    for (const streamId of memory.streams.keys()) {
      if (store.indexOfStream(streamId) === -1) memory.streams.delete(streamId);
    }
    if (memory.liveStream !== null && !memory.streams.has(memory.liveStream)) {
      memory.liveStream = null;
    }
    memory.pairing.forgetAll();
    this.#forgetCalls();
  }
}

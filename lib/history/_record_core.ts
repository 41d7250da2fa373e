/**
 * What all operations of a store are made of.
 *
 * @module
 */

import { checkedCount } from "../checked.ts";
import { type Content, contentOf, type Entry, recordOf } from "./_entry.ts";
import { OutputBudget } from "./_output_budget.ts";
import { RecordIndex } from "./_record_index.ts";
import { isSolid, RecordList } from "./_record_list.ts";
import type { HistoryMutation } from "./mutations.ts";
import { isObject } from "../json/fields.ts";
import type { RecordLimits, RecordOptions } from "./record_operations.ts";
import type { AnyHistoryRecord, NewRecord } from "./records.ts";
import type { HistorySnapshot } from "./snapshot.ts";

const DEFAULT_LIMITS: Required<RecordLimits> = {
  streamBytes: 32 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  prunedStreamBytes: 512 * 1024,
  deltaBytes: 6 * 1024 * 1024,
};

/** Gives all limits: those that are given, and the default of each other one. */
function checkedLimits(limits: RecordLimits): Required<RecordLimits> {
  const limit = (name: keyof RecordLimits): number =>
    checkedCount(`limits.${name}`, limits[name] ?? DEFAULT_LIMITS[name]);
  return {
    streamBytes: limit("streamBytes"),
    totalBytes: limit("totalBytes"),
    prunedStreamBytes: limit("prunedStreamBytes"),
    deltaBytes: limit("deltaBytes"),
  };
}

/** The fields of a snapshot that a store makes itself, or that are none of its business. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "records",
  "next_id",
  "exec_call_lookup",
  "tool_call_lookup",
  "stream_lookup",
  "resume",
]);

/**
 * Records, their ids and their output, kept in step.
 *
 * An operation does its parts, each of which notes its mutation, and then settles.
 */
export class RecordCore {
  /** How much text is kept. */
  readonly limits: Required<RecordLimits>;
  /** The records in order. */
  readonly list: RecordList = new RecordList();
  /** The records by their ids. */
  readonly index: RecordIndex = new RecordIndex();
  /** The output of all commands together. */
  readonly budget: OutputBudget;
  /** The number that the next record gets. */
  nextId = 1;
  /** What a newer producer has put into the snapshot. */
  unknownFields: { readonly [name: string]: unknown } = {};
  /** The explore record that was trailing after the last operation. */
  #trailing: Entry | undefined;

  /**
   * Constructs a new instance.
   *
   * @param limits How much text is kept.
   * @throws {RangeError} If a limit is no whole number from 0.
   */
  constructor(limits: RecordLimits = {}) {
    this.limits = checkedLimits(limits);
    this.budget = new OutputBudget(this.limits);
  }

  /** Takes in the records of a snapshot that is nobody else's. */
  take(snapshot: HistorySnapshot, exact: boolean): void {
    const { exec_call_lookup, tool_call_lookup, stream_lookup } = snapshot;
    const lookups = [
      [exec_call_lookup, this.index.execCalls],
      [tool_call_lookup, this.index.toolCalls],
      [stream_lookup, this.index.streams],
    ] as const;
    const rebuilds = !exact &&
      lookups.every(([given]) => Object.keys(given).length === 0);
    const streams = new Set<unknown>();
    for (const record of snapshot.records) {
      if (!exact && isRepeated(record, streams)) continue;
      const entry = newEntry(record.id, contentOf(record.id, record));
      this.list.insert(Infinity, entry);
      this.budget.add(entry);
      if (rebuilds) this.index.register(entry);
      else this.index.registerDerived(entry);
    }
    for (const [given, map] of rebuilds ? [] : lookups) {
      for (const [key, id] of Object.entries(given)) map.set(key, id);
    }
    for (const [callId, id] of this.index.toolCalls) {
      const entry = this.index.get(id);
      if (entry !== undefined && isTool(entry.content)) {
        entry.callIds = [...entry.callIds, callId];
      }
    }
    this.nextId = snapshot.next_id;
    const unknown = Object.entries(snapshot)
      .filter(([name]) => !OWN_FIELDS.has(name));
    this.unknownFields = Object.fromEntries(unknown);
    this.settle([]);
  }

  /** Puts a record in. */
  insert(
    index: number,
    record: NewRecord,
    options: RecordOptions,
    mutations: HistoryMutation[],
  ): void {
    const id = this.nextId;
    if (id < Number.MAX_SAFE_INTEGER) this.nextId = id + 1;
    const entry = newEntry(id, contentOf(id, record));
    entry.callIds = callIdsOf(entry.content, options);
    if (entry.content.kind === "stream") {
      entry.content.deltas.keepLast(this.limits.deltaBytes);
    }
    this.list.insert(index, entry);
    this.index.register(entry);
    this.index.resolve(this.list);
    this.budget.add(entry);
    this.#markTrailing(entry);
    const mutation = {
      index: entry.index,
      id,
      record: recordOf(entry.content),
    };
    mutations.push({ type: "inserted", ...mutation });
  }

  /** Makes a record another one. */
  replace(
    entry: Entry,
    content: Content,
    options: RecordOptions,
    mutations: HistoryMutation[],
  ): void {
    this.forget(entry);
    const wasSolid = isSolid(entry);
    entry.content = content;
    entry.callIds = callIdsOf(content, options);
    // That is all that those behind it know of it.
    if (isSolid(entry) !== wasSolid) this.list.renumber(entry.index);
    this.index.register(entry);
    this.index.resolve(this.list);
    this.budget.add(entry);
    this.#markTrailing(entry);
    mutations.push(replaced(entry));
  }

  /** Takes a record out. */
  remove(entry: Entry, mutations: HistoryMutation[]): void {
    const { index, id } = entry;
    this.forget(entry);
    this.list.remove(index);
    this.index.resolve(this.list);
    const record = recordOf(entry.content);
    mutations.push({ type: "removed", index, id, record });
  }

  /** Lets the ids and the output of a record go. */
  forget(entry: Entry): void {
    this.index.unregister(entry);
    this.budget.remove(entry);
  }

  /** Says of an explore record that was just put in whether it is trailing. */
  #markTrailing(entry: Entry): void {
    if (this.list.lastSolid === entry) setTrailing(entry, true);
  }

  /** Derives which explore record is trailing, and says so where that has changed. */
  settle(mutations: HistoryMutation[]): HistoryMutation[] {
    const before = this.#trailing;
    const solid = this.list.lastSolid;
    const now = solid?.content.record.type === "explore" ? solid : undefined;
    if (before !== undefined && before !== now && this.list.has(before)) {
      if (setTrailing(before, false)) mutations.push(replaced(before));
    }
    if (now !== undefined && setTrailing(now, true)) {
      mutations.push(replaced(now));
    }
    this.#trailing = now;
    return mutations;
  }
}

function newEntry(id: number, content: Content): Entry {
  return { id, index: -1, highest: 0, solid: -1, content, callIds: [] };
}

/** Says that a record has become another one. */
export function replaced(entry: Entry): HistoryMutation {
  const { index, id, content } = entry;
  return { type: "replaced", index, id, record: recordOf(content) };
}

function isTool(content: Content): boolean {
  const { type } = content.record;
  return type === "running_tool" || type === "tool_call";
}

function callIdsOf(content: Content, options: RecordOptions): string[] {
  const { callId = null } = options;
  return callId !== null && isTool(content) ? [callId] : [];
}

/** Sets whether an explore record is trailing, and tells whether that has changed it. */
function setTrailing(entry: Entry, trailing: boolean): boolean {
  const { content } = entry;
  if (content.kind !== "plain" || content.record.type !== "explore") {
    return false;
  }
  const { record } = content;
  if ("trailing" in record.payload && record.payload.trailing === trailing) {
    return false;
  }
  const payload = { ...record.payload, trailing };
  // The boundary: a record with one flag changed has the type that it had.
  const changed = { ...record, payload } as AnyHistoryRecord;
  entry.content = { kind: "plain", record: changed };
  return true;
}

/** Tells whether a record is a complete answer of a stream that had one before. */
function isRepeated(record: AnyHistoryRecord, streams: Set<unknown>): boolean {
  if (record.type !== "assistant_message") return false;
  const payload: unknown = record.payload;
  const streamId = isObject(payload) ? payload.stream_id ?? null : null;
  if (streamId === null) return false;
  if (streams.has(streamId)) return true;
  streams.add(streamId);
  return false;
}

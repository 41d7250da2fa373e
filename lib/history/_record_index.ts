/**
 * Finds records by their numbers and by the ids of calls and streams.
 *
 * @module
 */

import { type Entry, segmentCallIds } from "./_entry.ts";
import { toObject } from "./plain_json.ts";
import type { HistoryLookup } from "./snapshot.ts";

/** The records of a stream, by the id of the stream. */
type EntriesByStream = Map<string, Set<Entry>>;

/** The lookups of a history, and what is derived from its records. */
export class RecordIndex {
  readonly #byId = new Map<number, Entry>();
  readonly #streams: EntriesByStream = new Map();
  readonly #messages: EntriesByStream = new Map();
  /** Whether a number was there twice, which only a foreign snapshot brings about. */
  #ambiguous = false;

  /** The numbers of commands by call id. */
  readonly execCalls: Map<string, number> = new Map();
  /** The numbers of tools by call id. */
  readonly toolCalls: Map<string, number> = new Map();
  /** The numbers of answers by stream id. */
  readonly streams: Map<string, number> = new Map();

  /** Gives the record with a number. */
  get(id: number | undefined): Entry | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Gives the first answer of a stream that is being written. */
  firstStream(streamId: string): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#streams.get(streamId) ?? []) {
      if (first === undefined || entry.index < first.index) first = entry;
    }
    return first;
  }

  /** Gives the last complete answer of a stream. */
  lastMessage(streamId: string): Entry | undefined {
    let last: Entry | undefined;
    for (const entry of this.#messages.get(streamId) ?? []) {
      if (last === undefined || entry.index > last.index) last = entry;
    }
    return last;
  }

  /** Takes a record in: the ids that it has belong to it from now on. */
  register(entry: Entry): void {
    this.registerDerived(entry);
    for (const [map, key] of keysOf(entry, this)) map.set(key, entry.id);
  }

  /** Takes a record in without changing a lookup. */
  registerDerived(entry: Entry): void {
    const known = this.#byId.get(entry.id);
    if (known !== undefined && known !== entry) this.#ambiguous = true;
    this.#byId.set(entry.id, entry);
    const [map, streamId] = this.#streamOf(entry);
    if (map === undefined || streamId === null) return;
    const entries = map.get(streamId);
    if (entries === undefined) map.set(streamId, new Set([entry]));
    else entries.add(entry);
  }

  /** Lets a record go: the ids that still belong to it belong to none. */
  unregister(entry: Entry): void {
    if (this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id);
    for (const [map, key] of keysOf(entry, this)) {
      if (map.get(key) === entry.id) map.delete(key);
    }
    const [map, streamId] = this.#streamOf(entry);
    if (map === undefined || streamId === null) return;
    const entries = map.get(streamId);
    entries?.delete(entry);
    if (entries?.size === 0) map.delete(streamId);
  }

  /** Finds the numbers anew after a change, if any of them was there twice. */
  resolve(entries: Iterable<Entry>): void {
    if (!this.#ambiguous) return;
    this.#byId.clear();
    for (const entry of entries) this.#byId.set(entry.id, entry);
  }

  /** Empties the lookups, also of ids that belong to no record. */
  clearLookups(): void {
    for (const map of [this.execCalls, this.toolCalls, this.streams]) {
      map.clear();
    }
  }

  /** Gives the lookups as a snapshot has them. */
  lookups(): {
    readonly exec_call_lookup: HistoryLookup;
    readonly tool_call_lookup: HistoryLookup;
    readonly stream_lookup: HistoryLookup;
  } {
    return {
      exec_call_lookup: toObject(this.execCalls),
      tool_call_lookup: toObject(this.toolCalls),
      stream_lookup: toObject(this.streams),
    };
  }

  #streamOf(entry: Entry): [EntriesByStream | undefined, string | null] {
    const { content } = entry;
    if (content.kind === "stream") {
      return [this.#streams, content.record.payload.stream_id];
    }
    const { type, payload } = content.record;
    if (type !== "assistant_message" || !("stream_id" in payload)) {
      return [undefined, null];
    }
    const { stream_id } = payload;
    return [this.#messages, typeof stream_id === "string" ? stream_id : null];
  }
}

/** Gives the lookups that a record is in, and by which ids. */
function keysOf(
  entry: Entry,
  index: RecordIndex,
): (readonly [Map<string, number>, string])[] {
  const { content } = entry;
  if (content.kind === "exec") {
    const { call_id } = content.record.payload;
    return call_id === null ? [] : [[index.execCalls, call_id]];
  }
  if (content.kind === "stream") {
    return [[index.streams, content.record.payload.stream_id]];
  }
  return [
    ...segmentCallIds(content).map((key) => [index.execCalls, key] as const),
    ...entry.callIds.map((key) => [index.toolCalls, key] as const),
  ];
}

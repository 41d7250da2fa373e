/** The store of a history's records, and the operations on them. */

import { checkedCount } from "../checked.ts";
import { OutputText } from "./exec_output.ts";
import type { HistoryMutation } from "./mutations.ts";
import { fieldsOf, listOf, textOf, textsOf } from "../json/fields.ts";
import { keptText } from "../json/utf8.ts";
import { deepCopy, sameJson } from "./plain_json.ts";
import type {
  AssistantFinal,
  AssistantUpdate,
  ExecFinish,
  ExecOutput,
  ExecStart,
  ExecWait,
  RecordLimits,
  RecordOptions,
  RecordStoreOptions,
  RestoreOptions,
} from "./record_operations.ts";
import {
  type AnyHistoryRecord,
  type AssistantDelta,
  type ExecPayload,
  type HistoryRecordOf,
  isKnownRecord,
  type NewRecord,
} from "./records.ts";
import {
  checkSnapshot,
  type HistorySnapshot,
  type HistorySnapshotOptions,
} from "./snapshot.ts";
import {
  addedBytes,
  byteLength,
  endsInHighSurrogate,
  placeOfByte,
} from "../json/utf8_length.ts";

/** The fields of a command that an `appended` mutation may have beside the output. */
const EXEC_SCALARS = [
  "status",
  "exit_code",
  "completed_at",
  "wait_total_ms",
  "wait_active",
] as const;
/** The fields of a message in progress that an `appended` mutation may have beside the delta. */
const STREAM_SCALARS = [
  "preview_markdown",
  "last_updated_at",
  "in_progress",
] as const;

/**
 * The records of a history, in order.
 *
 * Every operation returns the mutations that it made. A program that applies all of them, in order,
 * has the records of {@linkcode RecordStore.snapshot} at every moment. The store uses no clock;
 * callers pass all times.
 *
 * Payloads are not copied: do not change one after it was passed to the store or came with a
 * mutation. A snapshot is a copy.
 *
 * The time of an operation at the end of the history does not grow with the history, and that of
 * adding output does not grow with the output. Output over the limits is dropped from the front, at
 * character boundaries.
 *
 * Ids of records are used again after {@linkcode RecordStore.truncateAfter}: drop all data that is
 * kept by record id after a `truncated` mutation.
 *
 * @example A command and its output
 * ```ts
 * import { RecordStore } from "@codexpipe/codexpipe/history";
 * import { assertEquals } from "@std/assert";
 *
 * const store = new RecordStore();
 * const started = store.startExec({
 *   callId: "call-1",
 *   command: ["echo", "hé"],
 *   parsed: [],
 *   action: "run",
 *   startedAt: "2025-10-01T12:00:00.000Z",
 * });
 * const grown = store.streamExec(0, { stdout: { offset: 0, content: "hé" } });
 *
 * assertEquals(started.map(({ type }) => type), ["inserted"]);
 * assertEquals(grown.map(({ type }) => type), ["appended"]);
 * assertEquals(store.outputEnd(0, "stdout"), 3);
 * assertEquals(store.snapshot().exec_call_lookup, { "call-1": 1 });
 * ```
 */
export class RecordStore {
  readonly #limits: Required<RecordLimits>;
  readonly #list: RecordList = new RecordList();
  readonly #index: RecordIndex = new RecordIndex();
  readonly #budget: OutputBudget;
  #nextId = 1;
  /** The unknown fields of the snapshot that was restored. */
  #unknownFields: { readonly [name: string]: unknown } = {};
  /** The explore record that was trailing after the last operation. */
  #trailing: Entry | undefined;

  /**
   * Constructs a new instance without records.
   *
   * @param options The limits of the text that is kept.
   * @throws {RangeError} If a limit is no whole number from 0.
   */
  constructor(options: RecordStoreOptions = {}) {
    this.#limits = checkedLimits(options.limits ?? {});
    this.#budget = new OutputBudget(this.#limits);
  }

  /**
   * Restores a store from a snapshot.
   *
   * Without `exact`, the second complete message of a stream and later ones are dropped, and if all
   * lookups are empty they are rebuilt from the records. `resume` is not kept. The `trailing` of
   * explore records is always derived.
   *
   * Pass untrusted input, such as the content of a file, through {@linkcode readSnapshot} first,
   * which also reads the layout of other programs.
   *
   * @param snapshot The snapshot. It is copied.
   * @param options The limits of the text that is kept, and whether to restore exactly.
   * @returns The store.
   * @throws {HistorySnapshotError} If it is no snapshot; payloads are not checked.
   * @throws {RangeError} If a limit is no whole number from 0.
   *
   * @example Continue from a snapshot
   * ```ts
   * import { RecordStore } from "@codexpipe/codexpipe/history";
   * import { assertEquals } from "@std/assert";
   *
   * const store = new RecordStore();
   * store.push({ type: "loading", payload: { message: "Connecting" } });
   * const restored = RecordStore.restore(store.snapshot());
   *
   * assertEquals(restored.snapshot(), store.snapshot());
   * ```
   */
  static restore(
    snapshot: HistorySnapshot,
    options: RestoreOptions = {},
  ): RecordStore {
    checkSnapshot(snapshot);
    const store = new RecordStore(options);
    store.#load(deepCopy(snapshot), options.exact ?? false);
    return store;
  }

  /** The number of records. */
  get length(): number {
    return this.#list.length;
  }

  /** The id of the next record. */
  get nextId(): number {
    return this.#nextId;
  }

  /** The stream ids of the assistant messages in progress. */
  get streamIds(): Iterable<string> {
    return this.#index.streams.keys();
  }

  /**
   * Returns the record at an index. A long output is not copied for it.
   *
   * @param index The index, from 0.
   * @returns The record, or `undefined` if there is none.
   */
  at(index: number): AnyHistoryRecord | undefined {
    const entry = this.#list.at(index);
    return entry && recordOf(entry.content);
  }

  /**
   * Returns the call id of the tool call at an index.
   *
   * @param index The index, from 0.
   * @returns The call id, or `null` if there is none.
   */
  callIdAt(index: number): string | null {
    return this.#list.at(index)?.callId ?? null;
  }

  /**
   * Finds a record by its id.
   *
   * @param id The id.
   * @returns The index of the record, or -1.
   */
  indexOf(id: number): number {
    return this.#index.get(id)?.index ?? -1;
  }

  /**
   * Finds a command by its call id.
   *
   * @param callId The call id.
   * @returns The index of the last command that was stored with this id, or -1 if that was removed.
   */
  indexOfExec(callId: string): number {
    return this.#index.get(this.#index.execCalls.get(callId))
      ?.index ?? -1;
  }

  /**
   * Finds a tool call by its call id.
   *
   * @param callId The call id.
   * @returns The index of the last tool call that was stored with this id, or -1 if that was
   *   removed.
   */
  indexOfTool(callId: string): number {
    return this.#index.get(this.#index.toolCalls.get(callId))
      ?.index ?? -1;
  }

  /**
   * Finds an assistant message in progress by its stream id.
   *
   * @param streamId The stream id.
   * @returns The index of the last message that was stored with this id, or -1 if that was removed.
   */
  indexOfStream(streamId: string): number {
    return this.#index.get(this.#index.streams.get(streamId))
      ?.index ?? -1;
  }

  /**
   * Finds the explore record that is trailing: only reasoning follows it.
   *
   * @returns Its index, or -1 if there is none.
   */
  indexOfTrailing(): number {
    return this.#list.trailing?.index ?? -1;
  }

  /**
   * Returns the offset of the next chunk of an output.
   *
   * @param index The index of the command.
   * @param stream The output.
   * @returns The end of the output in bytes of UTF-8; 0 if there is no command.
   */
  outputEnd(index: number, stream: "stdout" | "stderr"): number {
    const entry = this.#list.at(index);
    return isExec(entry) ? entry.content[stream].end : 0;
  }

  /**
   * Inserts a record with the next id.
   *
   * @param index The index; one past the end means at the end.
   * @param record The record. An `id` in it is replaced.
   * @param options The call id, for a tool call.
   * @returns The mutations.
   */
  insert(
    index: number,
    record: NewRecord,
    options: RecordOptions = {},
  ): HistoryMutation[] {
    return this.#settle([this.#insert(index, record, options)]);
  }

  /**
   * Appends a record with the next id.
   *
   * @param record The record. An `id` in it is replaced.
   * @param options The call id, for a tool call.
   * @returns The mutations.
   */
  push(record: NewRecord, options: RecordOptions = {}): HistoryMutation[] {
    return this.insert(this.#list.length, record, options);
  }

  /**
   * Replaces a record by another one, which may have another type. The id stays the same.
   *
   * @param index The index; without a record there, nothing happens.
   * @param record The new record.
   * @param options The call id, for a tool call. That of the former record is not kept.
   * @returns The mutations.
   */
  replace(
    index: number,
    record: NewRecord,
    options: RecordOptions = {},
  ): HistoryMutation[] {
    const entry = this.#list.at(index);
    if (entry === undefined) return [];
    const content = contentOf(entry.id, record);
    return this.#settle([this.#replace(entry, content, options)]);
  }

  /**
   * Removes a record. Its id is not used again.
   *
   * @param index The index; without a record there, nothing happens.
   * @returns The mutations.
   */
  remove(index: number): HistoryMutation[] {
    const entry = this.#list.at(index);
    return entry === undefined ? [] : this.#settle([this.#remove(entry)]);
  }

  /**
   * Removes all records after a given one. The next id is then the highest remaining one plus 1.
   *
   * @param id The id of the last record to keep, or 0 to remove all. Without such a record, or with
   *   none after it, nothing happens.
   * @returns The mutations.
   */
  truncateAfter(id: number): HistoryMutation[] {
    const last = this.#index.get(id);
    if (id !== 0 && last === undefined) return [];
    const index = id === 0 || last === undefined ? 0 : last.index + 1;
    if (id === 0) this.#nextId = 1;
    const dropped = this.#list.truncate(index);
    for (const entry of dropped) this.#release(entry);
    if (id === 0) this.#index.clearLookups();
    if (dropped.length === 0) return [];
    this.#nextId = this.#list.highest + 1;
    return this.#settle([{ type: "truncated", index }]);
  }

  /**
   * Drops records without a mutation; the records after them move up. Their ids are not used again,
   * unless all records are truncated. Each call visits every record, so drop many at once.
   *
   * @param ids The ids of the records. Unknown ids are ignored.
   */
  forget(ids: ReadonlySet<number>): void {
    const taken = this.#list.takeOut(({ id }) => ids.has(id));
    for (const entry of taken) this.#release(entry);
  }

  /**
   * Inserts a command that starts.
   *
   * @param start The command.
   * @returns The mutations.
   */
  startExec(start: ExecStart): HistoryMutation[] {
    return this.insert(start.index ?? Infinity, {
      type: "exec",
      payload: startedExec(start),
    });
  }

  /**
   * Adds output to a command.
   *
   * Known output from the offset of a new chunk on is dropped first. A chunk whose offset is the
   * end of the last chunk continues it; any other one is stored as a further chunk. The mutation is
   * `appended`, or `replaced` if known output was dropped.
   *
   * @param index The index of the command; without a command there, nothing happens.
   * @param output The new output.
   * @returns The mutations.
   */
  streamExec(index: number, output: ExecOutput): HistoryMutation[] {
    const entry = this.#list.at(index);
    return isExec(entry)
      ? this.#grow(entry, entry.content.record.payload, output)
      : [];
  }

  /**
   * Sets the state of waiting for a command.
   *
   * @param index The index of the command; without a command there, nothing happens.
   * @param wait The state, which replaces the known one.
   * @returns The mutations.
   */
  waitExec(index: number, wait: ExecWait): HistoryMutation[] {
    const entry = this.#list.at(index);
    if (!isExec(entry)) return [];
    const { content } = entry;
    const payload = { ...content.record.payload, ...waitFields(wait) };
    entry.content = { ...content, record: { ...content.record, payload } };
    return [replaced(entry)];
  }

  /**
   * Ends a command. A further call replaces the end.
   *
   * @param finish The end. If neither its id nor its call id is that of a command, nothing happens.
   * @returns The mutations.
   */
  finishExec(finish: ExecFinish): HistoryMutation[] {
    const { id, callId } = finish;
    const calls = this.#index.execCalls;
    const entry = this.#index.get(id ?? undefined) ??
      this.#index.get(
        typeof callId === "string" ? calls.get(callId) : undefined,
      );
    if (!isExec(entry)) return [];
    const { record, stdout, stderr } = entry.content;
    const payload: ExecPayload = {
      ...record.payload,
      status: finish.status,
      exit_code: finish.exitCode,
      completed_at: finish.completedAt,
      ...waitFields(finish.wait),
    };
    return this.#grow(entry, payload, {
      stdout: finish.stdoutTail
        ? { offset: stdout.end, content: finish.stdoutTail }
        : null,
      stderr: finish.stderrTail
        ? { offset: stderr.end, content: finish.stderrTail }
        : null,
    });
  }

  /**
   * Updates an assistant message in progress, or inserts it if there is none.
   *
   * A delta continues the last one if both have the same sequence number, or both none.
   *
   * @param update The message so far, and the new text.
   * @returns The mutations.
   */
  upsertAssistant(update: AssistantUpdate): HistoryMutation[] {
    const { streamId, preview, delta = null, metadata = null, at } = update;
    const entry = this.#index.messages(streamId).find(isStream);
    const before = entry?.content.record.payload;
    const payload = {
      ...before,
      stream_id: streamId,
      preview_markdown: preview,
      deltas: [],
      citations: metadata?.citations ?? before?.citations ?? [],
      metadata: metadata ?? before?.metadata ?? null,
      in_progress: true,
      last_updated_at: at,
    };
    if (entry === undefined || before === undefined) {
      const deltas = delta === null ? [] : [delta];
      return this.push({
        type: "assistant_stream",
        payload: { ...payload, deltas },
      });
    }
    const { content } = entry;
    entry.content = { ...content, record: { ...content.record, payload } };
    if (delta !== null) content.deltas.add(delta);
    const cut = content.deltas.keepLast(this.#limits.deltaBytes);
    if (delta === null || metadata !== null || cut) return [replaced(entry)];
    return [{
      type: "appended",
      index: entry.index,
      id: entry.id,
      field: "deltas",
      value: delta,
      ...changesOf(payload, before, STREAM_SCALARS),
    }];
  }

  /**
   * Completes an assistant message.
   *
   * The message in progress of the same stream is removed; its citations and metadata are used if
   * `final` has no metadata. A complete message of the same stream is replaced in place. Otherwise
   * the message is inserted at the end, with an id of its own.
   *
   * @param final The message.
   * @returns The mutations.
   */
  finalizeAssistant(final: AssistantFinal): HistoryMutation[] {
    const { streamId, markdown, at } = final;
    const mutations: HistoryMutation[] = [];
    let metadata = final.metadata ?? null;
    let citations = metadata?.citations ?? [];
    const messages = streamId === null ? [] : this.#index.messages(streamId);
    const stream = messages.find(isStream);
    if (stream !== undefined) {
      const { payload } = stream.content.record;
      if (metadata === null) ({ metadata, citations } = payload);
      mutations.push(this.#remove(stream));
    }
    const payload = {
      stream_id: streamId,
      markdown: keptText(markdown),
      citations,
      metadata,
      token_usage: final.tokenUsage ?? metadata?.token_usage ?? null,
      created_at: at,
    };
    const record = { type: "assistant_message", payload } as const;
    const message = messages.findLast((each) => !isStream(each));
    if (message === undefined) {
      mutations.push(this.#insert(Infinity, record, {}));
    } else {
      const content = contentOf(message.id, {
        ...message.content.record,
        type: record.type,
        payload: { ...message.content.record.payload, ...payload },
      });
      mutations.push(this.#replace(message, content, {}));
    }
    return this.#settle(mutations);
  }

  /**
   * Returns the history as plain JSON.
   *
   * @param options Whether to copy the records.
   * @returns The history, which shares no objects with the store unless `copy` is off.
   */
  snapshot(
    { copy = true }: Pick<HistorySnapshotOptions, "copy"> = {},
  ): HistorySnapshot {
    const records: AnyHistoryRecord[] = [];
    for (const { content } of this.#list) records.push(recordOf(content));
    const snapshot: HistorySnapshot = {
      records,
      next_id: this.#nextId,
      exec_call_lookup: Object.fromEntries(this.#index.execCalls),
      tool_call_lookup: Object.fromEntries(this.#index.toolCalls),
      stream_lookup: Object.fromEntries(this.#index.streams),
      ...this.#unknownFields,
    };
    return copy ? deepCopy(snapshot) : snapshot;
  }

  /** Sets the payload of a command and adds output to it; one `appended` mutation may hold both. */
  #grow(
    entry: ExecEntry,
    payload: ExecPayload,
    output: ExecOutput,
  ): HistoryMutation[] {
    const { content } = entry;
    const before = content.record.payload;
    entry.content = { ...content, record: { ...content.record, payload } };
    const mutations: HistoryMutation[] = [];
    const changed = changesOf(payload, before, EXEC_SCALARS);
    let rewritten = !sameJson(payload.wait_notes, before.wait_notes);
    this.#budget.remove(entry);
    for (const stream of ["stdout", "stderr"] as const) {
      const chunk = output[stream] ?? null;
      if (chunk === null) continue;
      const change = content[stream].add(chunk, this.#limits.streamBytes);
      if (change === "rewritten") rewritten = true;
      if (change !== "appended") continue;
      mutations.push({
        type: "appended",
        index: entry.index,
        id: entry.id,
        field: `${stream}_chunks`,
        value: chunk,
        ...changed,
      });
    }
    this.#budget.add(entry);
    const pruned = this.#budget.prune();
    if (payload !== before && mutations.length === 0) rewritten = true;
    const changes = rewritten || pruned.includes(entry)
      ? [replaced(entry)]
      : mutations;
    for (const other of pruned) {
      if (other !== entry) changes.push(replaced(other));
    }
    return changes;
  }

  // The steps of the operations: each adds its mutation, and `#settle` ends an operation.

  /** Restores the records of a snapshot, which must not be shared. */
  #load(snapshot: HistorySnapshot, exact: boolean): void {
    const {
      records,
      next_id,
      exec_call_lookup,
      tool_call_lookup,
      stream_lookup,
      resume: _resume,
      ...unknownFields
    } = snapshot;
    const lookups = [
      [exec_call_lookup, this.#index.execCalls],
      [tool_call_lookup, this.#index.toolCalls],
      [stream_lookup, this.#index.streams],
    ] as const;
    const rebuilds = !exact &&
      lookups.every(([lookup]) => Object.keys(lookup).length === 0);
    const streams = new Set<string>();
    for (const record of records) {
      const entry = newEntry(record.id, contentOf(record.id, record));
      if (!exact && isRepeated(entry, streams)) continue;
      this.#list.insert(Infinity, entry);
      this.#budget.add(entry);
      if (rebuilds) this.#index.register(entry);
      else this.#index.registerDerived(entry);
    }
    for (const [lookup, map] of rebuilds ? [] : lookups) {
      for (const [key, id] of Object.entries(lookup)) map.set(key, id);
    }
    for (const [callId, id] of this.#index.toolCalls) {
      const entry = this.#index.get(id);
      if (entry) entry.callId = callIdOf(entry.content, { callId });
    }
    this.#nextId = next_id;
    this.#unknownFields = unknownFields;
    this.#settle([]);
  }

  #insert(
    index: number,
    record: NewRecord,
    options: RecordOptions,
  ): HistoryMutation {
    const id = this.#nextId;
    if (id < Number.MAX_SAFE_INTEGER) this.#nextId = id + 1;
    const entry = newEntry(id, contentOf(id, record));
    entry.callId = callIdOf(entry.content, options);
    if (entry.content.kind === "stream") {
      entry.content.deltas.keepLast(this.#limits.deltaBytes);
    }
    this.#list.insert(index, entry);
    this.#index.register(entry);
    this.#budget.add(entry);
    this.#markTrailing(entry);
    const stored = recordOf(entry.content);
    return { type: "inserted", index: entry.index, id, record: stored };
  }

  #replace(
    entry: Entry,
    content: Content,
    options: RecordOptions,
  ): HistoryMutation {
    this.#release(entry);
    const wasSolid = isSolid(entry);
    entry.content = content;
    entry.callId = callIdOf(content, options);
    // The entries after it depend on nothing else of this one.
    if (isSolid(entry) !== wasSolid) this.#list.renumber(entry.index);
    this.#index.register(entry);
    this.#budget.add(entry);
    this.#markTrailing(entry);
    return replaced(entry);
  }

  #remove(entry: Entry): HistoryMutation {
    const { index, id } = entry;
    this.#release(entry);
    this.#list.remove(index);
    const record = recordOf(entry.content);
    return { type: "removed", index, id, record };
  }

  #release(entry: Entry): void {
    this.#index.unregister(entry);
    this.#budget.remove(entry);
  }

  /** Sets `trailing` in an explore record that was just stored. */
  #markTrailing(entry: Entry): void {
    if (this.#list.trailing === entry) setTrailing(entry, true);
  }

  /** Derives which explore record is trailing, and adds mutations where that has changed. */
  #settle(mutations: HistoryMutation[]): HistoryMutation[] {
    const before = this.#trailing;
    const now = this.#list.trailing;
    if (before !== undefined && before !== now && this.#list.has(before)) {
      if (setTrailing(before, false)) mutations.push(replaced(before));
    }
    if (now !== undefined && setTrailing(now, true)) {
      mutations.push(replaced(now));
    }
    this.#trailing = now;
    return mutations;
  }
}

const DEFAULT_LIMITS: Required<RecordLimits> = {
  streamBytes: 32 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  prunedStreamBytes: 512 * 1024,
  deltaBytes: 6 * 1024 * 1024,
};

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

const NO_WAIT: ExecWait = { totalMs: null, active: false, notes: [] };

function waitFields(
  { totalMs, active, notes }: ExecWait = NO_WAIT,
): Pick<ExecPayload, "wait_total_ms" | "wait_active" | "wait_notes"> {
  return { wait_total_ms: totalMs, wait_active: active, wait_notes: notes };
}

function newEntry(id: number, content: Content): Entry {
  return { id, index: -1, highest: 0, solid: -1, content, callId: null };
}

function replaced(entry: Entry): HistoryMutation {
  const { index, id, content } = entry;
  return { type: "replaced", index, id, record: recordOf(content) };
}

/** Returns the fields of a payload that have changed, of those that are named. */
function changesOf<T extends object, K extends keyof T>(
  payload: T,
  before: T,
  names: readonly K[],
): { [N in K]?: T[N] } {
  const changes: { [N in K]?: T[N] } = {};
  for (const name of names) {
    if (payload[name] !== before[name]) changes[name] = payload[name];
  }
  return changes;
}

export const TOOL_TYPES: ReadonlySet<string> = new Set([
  "running_tool",
  "tool_call",
]);

function callIdOf(
  { record }: Content,
  { callId = null }: RecordOptions,
): string | null {
  return TOOL_TYPES.has(record.type) ? callId : null;
}

/** Sets `trailing` of an explore record, and returns whether that has changed it. */
function setTrailing(entry: Entry, trailing: boolean): boolean {
  const { record } = entry.content;
  if (!isKnownRecord(record) || record.type !== "explore") return false;
  if (record.payload.trailing === trailing) return false;
  const payload = { ...record.payload, trailing };
  entry.content = { kind: "plain", record: { ...record, payload } };
  return true;
}

/** Whether a record is the second or a later complete message of a stream. */
function isRepeated(entry: Entry, streams: Set<string>): boolean {
  const streamId = isStream(entry) ? null : streamOf(entry);
  if (streamId === null) return false;
  const isKnown = streams.has(streamId);
  streams.add(streamId);
  return isKnown;
}

/** Finds records by their ids, and by call ids and stream ids (the lookups of a snapshot). */
class RecordIndex {
  /** Of several records with one id, which only other programs write, the last one. */
  readonly #byId = new Map<number, Entry>();
  /** The messages of each stream, in progress and complete. */
  readonly #messages = new Map<string, Set<Entry>>();

  /** The record ids of commands by call id. */
  readonly execCalls: Map<string, number> = new Map();
  /** The record ids of tool calls by call id. */
  readonly toolCalls: Map<string, number> = new Map();
  /** The record ids of messages in progress by stream id. */
  readonly streams: Map<string, number> = new Map();

  get(id: number | undefined): Entry | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Returns the messages of a stream, in progress and complete, in order. */
  messages(streamId: string): Entry[] {
    return [...this.#messages.get(streamId) ?? []]
      .sort((a, b) => a.index - b.index);
  }

  /** Adds a record and points the lookups of its call ids and stream id to it. */
  register(entry: Entry): void {
    this.registerDerived(entry);
    const { lookup, keys } = this.#lookupOf(entry);
    for (const key of keys) {
      // A snapshot holds the call id of a tool in its lookup alone: an earlier record loses it.
      const earlier = this.get(lookup.get(key));
      if (earlier !== undefined) earlier.callId = null;
      lookup.set(key, entry.id);
    }
  }

  /** Adds a record without changing a lookup. */
  registerDerived(entry: Entry): void {
    this.#byId.set(entry.id, entry);
    const streamId = streamOf(entry);
    if (streamId === null) return;
    const entries = this.#messages.get(streamId);
    if (entries === undefined) this.#messages.set(streamId, new Set([entry]));
    else entries.add(entry);
  }

  /** Removes a record and the lookup entries that still point to it. */
  unregister(entry: Entry): void {
    if (this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id);
    const { lookup, keys } = this.#lookupOf(entry);
    for (const key of keys) {
      if (lookup.get(key) === entry.id) lookup.delete(key);
    }
    const streamId = streamOf(entry);
    if (streamId === null) return;
    const entries = this.#messages.get(streamId);
    entries?.delete(entry);
    if (entries?.size === 0) this.#messages.delete(streamId);
  }

  /** Empties the lookups, including entries that point to no record. */
  clearLookups(): void {
    for (const map of [this.execCalls, this.toolCalls, this.streams]) {
      map.clear();
    }
  }

  /** Returns the lookup of a record, and its keys there: call ids or a stream id. */
  #lookupOf({ content, callId }: Entry): {
    readonly lookup: Map<string, number>;
    readonly keys: readonly string[];
  } {
    const { payload, type } = content.record;
    const { call_id, stream_id, segments } = fieldsOf(payload);
    if (content.kind === "stream") {
      return { lookup: this.streams, keys: textsOf([stream_id]) };
    }
    if (content.kind === "exec") {
      return { lookup: this.execCalls, keys: textsOf([call_id]) };
    }
    if (type !== "merged_exec") {
      return { lookup: this.toolCalls, keys: textsOf([callId]) };
    }
    // Only other producers write it.
    const calls = listOf(segments).map((each) => fieldsOf(each).call_id);
    return { lookup: this.execCalls, keys: textsOf(calls) };
  }
}

function streamOf({ content: { record } }: Entry): string | null {
  const isMessage = record.type === "assistant_stream" ||
    record.type === "assistant_message";
  return isMessage ? textOf(fieldsOf(record.payload).stream_id) ?? null : null;
}

/**
 * The records in order; each entry holds its index.
 *
 * Inserting and removing at the end takes constant time, elsewhere time in proportion to the number
 * of records after the index.
 */
class RecordList implements Iterable<Entry> {
  #entries: Entry[] = [];

  get length(): number {
    return this.#entries.length;
  }

  /** The last record other than reasoning, if it is an explore record. */
  get trailing(): Entry | undefined {
    const last = this.#entries[this.#entries.at(-1)?.solid ?? -1];
    return last?.content.record.type === "explore" ? last : undefined;
  }

  get highest(): number {
    return this.#entries.at(-1)?.highest ?? 0;
  }

  at(index: number): Entry | undefined {
    return index < 0 ? undefined : this.#entries[index];
  }

  has(entry: Entry): boolean {
    return this.#entries[entry.index] === entry;
  }

  insert(index: number, entry: Entry): void {
    const at = Math.max(0, Math.min(index, this.#entries.length));
    if (at === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(at, 0, entry);
    this.renumber(at);
  }

  remove(index: number): void {
    this.#entries.splice(index, 1);
    this.renumber(index);
  }

  truncate(index: number): Entry[] {
    return this.#entries.splice(index);
  }

  takeOut(isTaken: (entry: Entry) => boolean): Entry[] {
    const taken = this.#entries.filter(isTaken);
    this.#entries = this.#entries.filter((entry) => !isTaken(entry));
    this.renumber(0);
    return taken;
  }

  /** Updates `index`, `solid` and `highest` of the records from an index on. */
  renumber(from: number): void {
    let before = this.#entries[from - 1];
    for (let index = from; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry === undefined) break;
      entry.index = index;
      entry.solid = isSolid(entry) ? index : before?.solid ?? -1;
      entry.highest = Math.max(before?.highest ?? 0, entry.id);
      before = entry;
    }
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries.values();
  }
}

/** Whether a record is of another type than reasoning. */
function isSolid({ content }: Entry): boolean {
  return content.record.type !== "reasoning";
}

/** A record that does not grow. It is never changed, only replaced, so that it can be shared. */
interface PlainContent {
  readonly kind: "plain";
  readonly record: AnyHistoryRecord;
}

/** A command, with its output held outside the record. */
interface ExecContent {
  readonly kind: "exec";
  /** The record, without output. */
  readonly record: HistoryRecordOf<"exec">;
  readonly stdout: OutputText;
  readonly stderr: OutputText;
}

/** An assistant message in progress, with its deltas held outside the record. */
interface StreamContent {
  readonly kind: "stream";
  /** The record, without deltas. */
  readonly record: HistoryRecordOf<"assistant_stream">;
  readonly deltas: DeltaList;
}

type Content = PlainContent | ExecContent | StreamContent;

/** A record with its index and derived values. */
interface Entry {
  readonly id: number;
  index: number;
  /** The highest id of this record and those before it. */
  highest: number;
  /** The index of the last record other than reasoning up to and including this one, or -1. */
  solid: number;
  content: Content;
  /** The call id by which a tool call is found. */
  callId: string | null;
}

interface ExecEntry extends Entry {
  content: ExecContent;
}

function isExec(entry: Entry | undefined): entry is ExecEntry {
  return entry?.content.kind === "exec";
}

interface StreamEntry extends Entry {
  content: StreamContent;
}

function isStream(entry: Entry): entry is StreamEntry {
  return entry.content.kind === "stream";
}

/** Sets the id of a record and separates the growing parts from it. */
function contentOf(id: number, record: NewRecord): Content {
  const numbered = { id, ...record };
  // Replaces an `id` in the record, which the spread has kept.
  numbered.id = id;
  const whole: AnyHistoryRecord = numbered;
  if (!isKnownRecord(whole)) return { kind: "plain", record: whole };
  switch (whole.type) {
    case "exec": {
      const { stdout_chunks, stderr_chunks } = whole.payload;
      const payload = {
        ...whole.payload,
        stdout_chunks: [],
        stderr_chunks: [],
      };
      return {
        kind: "exec",
        record: { ...whole, payload },
        stdout: new OutputText(stdout_chunks),
        stderr: new OutputText(stderr_chunks),
      };
    }
    case "assistant_stream": {
      const { deltas } = whole.payload;
      const payload = { ...whole.payload, deltas: [] };
      return {
        kind: "stream",
        record: { ...whole, payload },
        deltas: new DeltaList(deltas),
      };
    }
    case "explore":
      return {
        kind: "plain",
        record: { ...whole, payload: { ...whole.payload, trailing: false } },
      };
    default:
      return { kind: "plain", record: whole };
  }
}

function recordOf(content: Content): AnyHistoryRecord {
  switch (content.kind) {
    case "plain":
      return content.record;
    case "exec": {
      const { record } = content;
      const stdout_chunks = content.stdout.chunks();
      const stderr_chunks = content.stderr.chunks();
      if (stdout_chunks.length + stderr_chunks.length === 0) return record;
      const payload = { ...record.payload, stdout_chunks, stderr_chunks };
      return { ...record, payload };
    }
    case "stream": {
      const { record, deltas } = content;
      return {
        ...record,
        payload: { ...record.payload, deltas: deltas.toArray() },
      };
    }
  }
}

/** The deltas of an assistant message, with their length in bytes. */
class DeltaList {
  readonly #deltas: AssistantDelta[];
  #bytes = 0;
  /** Whether the last delta ends in the first half of a pair of surrogates. */
  #half = false;

  constructor(deltas: readonly AssistantDelta[]) {
    this.#deltas = [...deltas];
    for (const { delta } of deltas) this.#bytes += byteLength(delta);
    this.#half = endsInHighSurrogate(deltas.at(-1)?.delta ?? "");
  }

  /** Adds a delta. It continues the last one if both have the same sequence number, or none. */
  add(delta: AssistantDelta): void {
    const last = this.#deltas.at(-1);
    if (last === undefined || last.sequence !== delta.sequence) {
      this.#deltas.push(delta);
      this.#bytes += byteLength(delta.delta);
      this.#half = endsInHighSurrogate(delta.delta);
      return;
    }
    if (delta.delta === "") return;
    this.#bytes += addedBytes(this.#half, delta.delta);
    this.#half = endsInHighSurrogate(delta.delta);
    // A new object: the old one may be part of a mutation.
    this.#deltas[this.#deltas.length - 1] = {
      ...last,
      delta: last.delta + delta.delta,
    };
  }

  /**
   * Drops text from the front, if there are more than `limit` bytes, and returns whether it did.
   * Fewer bytes are kept rather than a part of a character.
   */
  keepLast(limit: number): boolean {
    if (this.#bytes <= limit) return false;
    let dropped = 0;
    for (const first of this.#deltas) {
      const excess = this.#bytes - limit;
      if (excess <= 0) break;
      const place = placeOfByte(first.delta, excess, "up");
      this.#bytes -= place.bytes;
      if (place.units < first.delta.length) {
        const delta = first.delta.slice(place.units);
        this.#deltas[dropped] = { ...first, delta };
        break;
      }
      dropped += 1;
    }
    this.#deltas.splice(0, dropped);
    return true;
  }

  toArray(): AssistantDelta[] {
    return [...this.#deltas];
  }
}

/** Counts the output of all commands, and cuts that of the oldest ones above `totalBytes`. */
class OutputBudget {
  readonly #limits: Required<RecordLimits>;
  /** The commands with an output longer than `prunedStreamBytes`: cutting others frees nothing. */
  readonly #long = new Set<ExecEntry>();
  #bytes = 0;

  constructor(limits: Required<RecordLimits>) {
    this.#limits = limits;
  }

  add(entry: Entry): void {
    if (!isExec(entry)) return;
    const { stdout, stderr } = entry.content;
    this.#bytes += stdout.bytes + stderr.bytes;
    const longer = Math.max(stdout.bytes, stderr.bytes);
    if (longer > this.#limits.prunedStreamBytes) this.#long.add(entry);
  }

  remove(entry: Entry): void {
    if (!isExec(entry)) return;
    const { stdout, stderr } = entry.content;
    this.#bytes -= stdout.bytes + stderr.bytes;
    this.#long.delete(entry);
  }

  /**
   * Cuts the output of the oldest commands until all output together is within `totalBytes`;
   * returns the records that were cut.
   */
  prune(): Entry[] {
    if (this.#bytes <= this.#limits.totalBytes) return [];
    const pruned: Entry[] = [];
    const oldest = [...this.#long].sort((a, b) => a.index - b.index);
    for (const entry of oldest) {
      if (this.#bytes <= this.#limits.totalBytes) break;
      const { stdout, stderr } = entry.content;
      this.remove(entry);
      stdout.keepLast(this.#limits.prunedStreamBytes);
      stderr.keepLast(this.#limits.prunedStreamBytes);
      this.add(entry);
      pruned.push(entry);
    }
    return pruned;
  }
}

export function startedExec(
  { callId, command, parsed, action, startedAt }: ExecStart,
): ExecPayload {
  return {
    call_id: callId,
    command,
    parsed,
    action,
    status: "running",
    stdout_chunks: [],
    stderr_chunks: [],
    exit_code: null,
    ...waitFields(),
    started_at: startedAt,
    completed_at: null,
  };
}

/**
 * The records of a history and everything that can happen to them.
 *
 * @module
 */

import { contentOf, type Entry, type ExecContent, recordOf } from "./_entry.ts";
import { RecordCore, replaced } from "./_record_core.ts";
import { checkSnapshot } from "./_snapshot_check.ts";
import type { OutputChange } from "./exec_output.ts";
import type { HistoryMutation } from "./mutations.ts";
import { deepCopy, sameJson } from "./plain_json.ts";
import type {
  AssistantFinal,
  AssistantUpdate,
  ExecFinish,
  ExecOutput,
  ExecStart,
  ExecWait,
  RecordOptions,
  RecordStoreOptions,
  RestoreOptions,
} from "./record_operations.ts";
import type { AnyHistoryRecord, ExecPayload, NewRecord } from "./records.ts";
import type { HistorySnapshot } from "./snapshot.ts";

/** The fields of a command that may stand beside a piece of its output. */
const EXEC_SCALARS = [
  "status",
  "exit_code",
  "completed_at",
  "wait_total_ms",
  "wait_active",
] as const;

/**
 * Gives the history as {@linkcode RecordStore.snapshot} does, without a copy: it is to be read
 * before the store changes, and not to be changed itself.
 */
export let lentRecordsOf: (store: RecordStore) => HistorySnapshot;

/**
 * The records of a history, in order, and everything that can happen to them.
 *
 * Every operation answers with what it changed: whoever applies these mutations, in order,
 * has the records of {@linkcode RecordStore.snapshot} at every moment. There is no clock; times
 * are those that are handed in.
 *
 * Payloads are taken over, not copied: do not change one after it was handed in or came with a
 * mutation. A snapshot is a copy of its own.
 *
 * What happens at the end of the history costs the same however long it is, and a piece of
 * output costs what it adds, however much there is already. Limits say how much output is
 * kept; what is over them is dropped from the front, at character boundaries.
 *
 * Numbers of records come again after {@linkcode RecordStore.truncateAfter}, so forget what
 * was kept by number when it answers with a `truncated` mutation.
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
  readonly #core: RecordCore;

  /**
   * Constructs a new instance without records.
   *
   * @param options How much text is kept.
   * @throws {RangeError} If a limit is no whole number from 0.
   */
  constructor(options: RecordStoreOptions = {}) {
    this.#core = new RecordCore(options.limits);
  }

  /**
   * Makes a store of a snapshot.
   *
   * A later answer of a stream that has one already is dropped, and if all lookups are empty
   * they are made anew from the records; a snapshot that is to be continued exactly is taken
   * with `exact`. What `resume` holds is not kept. The `trailing` of explore records is always
   * derived.
   *
   * What may be something else, such as the content of a file, goes through
   * {@linkcode readSnapshot} first, which reads the other layout, too.
   *
   * @param snapshot The snapshot. It is copied.
   * @param options How much text is kept, and how exactly the snapshot is taken.
   * @returns The store.
   * @throws {HistorySnapshotError} If it is no snapshot; payloads are not looked at.
   * @throws {RangeError} If a limit is no whole number from 0.
   *
   * @example Go on from a snapshot
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
    store.#core.take(deepCopy(snapshot), options.exact ?? false);
    return store;
  }

  /** How many records there are. */
  get length(): number {
    return this.#core.list.length;
  }

  /** The number that the next record gets. */
  get nextId(): number {
    return this.#core.nextId;
  }

  /**
   * Gives the record at a place. A long output is not copied for it.
   *
   * @param index The place.
   * @returns The record, or `undefined` if there is none.
   */
  at(index: number): AnyHistoryRecord | undefined {
    const entry = this.#core.list.at(index);
    return entry && recordOf(entry.content);
  }

  /**
   * Gives the type of the record at a place.
   *
   * @param index The place.
   * @returns The type, or `undefined` if there is no record.
   */
  typeAt(index: number): string | undefined {
    return this.#core.list.at(index)?.content.record.type;
  }

  /**
   * Gives the number of the record at a place.
   *
   * @param index The place.
   * @returns The number, or `undefined` if there is no record.
   */
  idAt(index: number): number | undefined {
    return this.#core.list.at(index)?.id;
  }

  /**
   * Finds a record by its number.
   *
   * @param id The number.
   * @returns Its place, or -1.
   */
  indexOf(id: number): number {
    return this.#core.index.get(id)?.index ?? -1;
  }

  /**
   * Finds a command by the id of its call.
   *
   * @param callId The id of the call.
   * @returns The place of the newest one that is still there, or -1.
   */
  indexOfExec(callId: string): number {
    return this.#core.index.get(this.#core.index.execCalls.get(callId))
      ?.index ?? -1;
  }

  /**
   * Finds a tool by the id of its call.
   *
   * @param callId The id of the call.
   * @returns The place of the newest one that is still there, or -1.
   */
  indexOfTool(callId: string): number {
    return this.#core.index.get(this.#core.index.toolCalls.get(callId))
      ?.index ?? -1;
  }

  /**
   * Finds an answer that is being written by its stream.
   *
   * @param streamId The id of the stream.
   * @returns The place of the newest one that is still there, or -1.
   */
  indexOfStream(streamId: string): number {
    return this.#core.index.get(this.#core.index.streams.get(streamId))
      ?.index ?? -1;
  }

  /**
   * Gives the offset that the next piece of an output has.
   *
   * @param index The place of the command.
   * @param stream Which output.
   * @returns The end of the output in bytes of UTF-8; 0 if there is no command.
   */
  outputEnd(index: number, stream: "stdout" | "stderr"): number {
    const content = this.#core.list.at(index)?.content;
    return content?.kind === "exec" ? content[stream].end : 0;
  }

  /**
   * Puts a record in and gives it the next number.
   *
   * @param index The place; behind the end means at the end.
   * @param record The record. A number that it has is not kept.
   * @param options The id of the call, for a tool.
   * @returns What changed.
   */
  insert(
    index: number,
    record: NewRecord,
    options: RecordOptions = {},
  ): HistoryMutation[] {
    const mutations: HistoryMutation[] = [];
    this.#core.insert(index, record, options, mutations);
    return this.#core.settle(mutations);
  }

  /**
   * Puts a record at the end and gives it the next number.
   *
   * @param record The record. A number that it has is not kept.
   * @param options The id of the call, for a tool.
   * @returns What changed.
   */
  push(record: NewRecord, options: RecordOptions = {}): HistoryMutation[] {
    return this.insert(this.#core.list.length, record, options);
  }

  /**
   * Makes a record another one, which may be of another type. It keeps its number.
   *
   * @param index The place; if there is no record, nothing happens.
   * @param record What it becomes.
   * @param options The id of the call, for a tool. It is not taken over from before.
   * @returns What changed.
   */
  replace(
    index: number,
    record: NewRecord,
    options: RecordOptions = {},
  ): HistoryMutation[] {
    const entry = this.#core.list.at(index);
    if (entry === undefined) return [];
    const mutations: HistoryMutation[] = [];
    this.#core.replace(entry, contentOf(entry.id, record), options, mutations);
    return this.#core.settle(mutations);
  }

  /**
   * Takes a record out. Its number does not come again.
   *
   * @param index The place; if there is no record, nothing happens.
   * @returns What changed.
   */
  remove(index: number): HistoryMutation[] {
    const entry = this.#core.list.at(index);
    if (entry === undefined) return [];
    const mutations: HistoryMutation[] = [];
    this.#core.remove(entry, mutations);
    return this.#core.settle(mutations);
  }

  /**
   * Takes all records behind one out. The next number is then the highest of those that
   * remain, plus 1.
   *
   * @param id The number of the last record that remains, or 0 for none. If there is no such
   * record, or nothing behind it, nothing happens.
   * @returns What changed.
   */
  truncateAfter(id: number): HistoryMutation[] {
    const last = this.#core.index.get(id);
    if (id !== 0 && last === undefined) return [];
    const index = id === 0 || last === undefined ? 0 : last.index + 1;
    if (id === 0) this.#core.nextId = 1;
    const dropped = this.#core.list.truncate(index);
    for (const entry of dropped) this.#core.forget(entry);
    if (id === 0) this.#core.index.clearLookups();
    if (dropped.length === 0) return [];
    this.#core.index.resolve(this.#core.list);
    this.#core.nextId = this.#core.list.highest + 1;
    return this.#core.settle([{ type: "truncated", index }]);
  }

  /**
   * Lets records go, as if they had never been there: no mutation says so, and those behind
   * them move up. Their numbers do not come again, unless all are truncated. It costs what
   * looking at every record costs, so let many go at once.
   *
   * @param ids The numbers of the records. A number that no record has is left alone.
   * @returns The places that they had, in order.
   */
  forget(ids: ReadonlySet<number>): number[] {
    const taken = this.#core.list.takeOut(({ id }) => ids.has(id));
    for (const entry of taken) this.#core.forget(entry);
    this.#core.index.resolve(this.#core.list);
    return taken.map(({ index }) => index);
  }

  /**
   * Puts a command in that begins.
   *
   * @param start The command.
   * @returns What changed.
   */
  startExec(start: ExecStart): HistoryMutation[] {
    const { callId, command, parsed, action, startedAt } = start;
    return this.insert(start.index ?? Infinity, {
      type: "exec",
      payload: {
        call_id: callId,
        command,
        parsed,
        action,
        status: "running",
        stdout_chunks: [],
        stderr_chunks: [],
        exit_code: null,
        wait_total_ms: null,
        wait_active: false,
        wait_notes: [],
        started_at: startedAt,
        completed_at: null,
      },
    });
  }

  /**
   * Adds output to a command.
   *
   * What is known from the offset of a piece on is forgotten first. A piece that begins where
   * the last chunk ends continues it, any other one is a chunk of its own. The answer says
   * `appended` unless something known was dropped.
   *
   * @param index The place of the command; if there is none, nothing happens.
   * @param output What it wrote.
   * @returns What changed.
   */
  streamExec(index: number, output: ExecOutput): HistoryMutation[] {
    const entry = this.#core.list.at(index);
    if (entry?.content.kind !== "exec") return [];
    return this.#grow(
      entry,
      entry.content,
      entry.content.record.payload,
      output,
    );
  }

  /**
   * Says how a command is being waited for.
   *
   * @param index The place of the command; if there is none, nothing happens.
   * @param wait How it is waited for, which takes the place of what was known.
   * @returns What changed.
   */
  waitExec(index: number, wait: ExecWait): HistoryMutation[] {
    const entry = this.#core.list.at(index);
    if (entry?.content.kind !== "exec") return [];
    const { content } = entry;
    const payload: ExecPayload = {
      ...content.record.payload,
      wait_total_ms: wait.totalMs,
      wait_active: wait.active,
      wait_notes: wait.notes,
    };
    entry.content = { ...content, record: { ...content.record, payload } };
    return [replaced(entry)];
  }

  /**
   * Ends a command. Doing so again ends it again, with what is said then.
   *
   * @param finish How it ended. If neither its number nor its call id leads to a command,
   * nothing happens.
   * @returns What changed.
   */
  finishExec(finish: ExecFinish): HistoryMutation[] {
    const { id, callId } = finish;
    const calls = this.#core.index.execCalls;
    const entry = this.#core.index.get(id ?? undefined) ??
      this.#core.index.get(
        typeof callId === "string" ? calls.get(callId) : undefined,
      );
    if (entry?.content.kind !== "exec") return [];
    const { content } = entry;
    const payload: ExecPayload = {
      ...content.record.payload,
      status: finish.status,
      exit_code: finish.exitCode,
      completed_at: finish.completedAt,
      wait_total_ms: finish.waitTotalMs ?? null,
      wait_active: finish.waitActive ?? false,
      wait_notes: finish.waitNotes ?? [],
    };
    const { stdout, stderr } = content;
    return this.#grow(entry, content, payload, {
      stdout: finish.stdoutTail
        ? { offset: stdout.end, content: finish.stdoutTail }
        : null,
      stderr: finish.stderrTail
        ? { offset: stderr.end, content: finish.stderrTail }
        : null,
    });
  }

  /**
   * Takes in more of an answer that is being written, or the beginning of one.
   *
   * A piece with the same number as the last one, or with none like it, continues it.
   *
   * @param update The answer so far, and what is new.
   * @returns What changed.
   */
  upsertAssistant(update: AssistantUpdate): HistoryMutation[] {
    const { streamId, preview, delta = null, metadata = null, at } = update;
    const entry = this.#core.index.firstStream(streamId);
    const mutations: HistoryMutation[] = [];
    if (entry?.content.kind !== "stream") {
      const payload = {
        stream_id: streamId,
        preview_markdown: preview,
        deltas: delta === null ? [] : [delta],
        citations: metadata?.citations ?? [],
        metadata,
        in_progress: true,
        last_updated_at: at,
      };
      this.#core.insert(
        Infinity,
        { type: "assistant_stream", payload },
        {},
        mutations,
      );
      return this.#core.settle(mutations);
    }
    const { content } = entry;
    const before = content.record.payload;
    const payload = {
      ...before,
      preview_markdown: preview,
      citations: metadata?.citations ?? before.citations,
      metadata: metadata ?? before.metadata,
      in_progress: true,
      last_updated_at: at,
    };
    entry.content = { ...content, record: { ...content.record, payload } };
    if (delta !== null) content.deltas.add(delta);
    const cut = content.deltas.keepLast(this.#core.limits.deltaBytes);
    if (delta === null || metadata !== null || cut) return [replaced(entry)];
    const changed: Partial<
      Record<"preview_markdown" | "last_updated_at", string>
    > = {};
    for (const name of ["preview_markdown", "last_updated_at"] as const) {
      if (payload[name] !== before[name]) changed[name] = payload[name];
    }
    mutations.push({
      type: "appended",
      index: entry.index,
      id: entry.id,
      field: "deltas",
      value: delta,
      ...changed,
      ...(before.in_progress ? {} : { in_progress: true }),
    });
    return mutations;
  }

  /**
   * Makes an answer complete.
   *
   * What was being written is taken out; what it referred to and what else belonged to it is
   * taken over. An answer of the same stream that is complete already is changed in place;
   * otherwise the answer is put at the end, with a number of its own.
   *
   * @param final The answer.
   * @returns What changed.
   */
  finalizeAssistant(final: AssistantFinal): HistoryMutation[] {
    const { streamId, markdown, at } = final;
    const mutations: HistoryMutation[] = [];
    let metadata = final.metadata ?? null;
    let citations = metadata?.citations ?? [];
    const stream = streamId === null
      ? undefined
      : this.#core.index.firstStream(streamId);
    if (stream?.content.kind === "stream") {
      const { payload } = stream.content.record;
      if (metadata === null) ({ metadata, citations } = payload);
      this.#core.remove(stream, mutations);
    }
    const payload = {
      stream_id: streamId,
      markdown,
      citations,
      metadata,
      token_usage: final.tokenUsage ?? metadata?.token_usage ?? null,
      created_at: at,
    };
    const record = { type: "assistant_message", payload } as const;
    const message = streamId === null
      ? undefined
      : this.#core.index.lastMessage(streamId);
    if (message === undefined) {
      this.#core.insert(Infinity, record, {}, mutations);
    } else {
      const content = contentOf(message.id, {
        ...message.content.record,
        type: record.type,
        payload: { ...message.content.record.payload, ...payload },
      });
      this.#core.replace(message, content, {}, mutations);
    }
    return this.#core.settle(mutations);
  }

  /**
   * Gives the history as plain JSON.
   *
   * @returns A copy that shares nothing with the store.
   */
  snapshot(): HistorySnapshot {
    return deepCopy(lentRecordsOf(this));
  }

  static {
    lentRecordsOf = (store): HistorySnapshot => {
      const core = store.#core;
      const records: AnyHistoryRecord[] = [];
      for (const { content } of core.list) records.push(recordOf(content));
      return {
        records,
        next_id: core.nextId,
        ...core.index.lookups(),
        ...core.unknownFields,
      };
    };
  }

  /** Adds output to a command and says what became of its other fields. */
  #grow(
    entry: Entry,
    content: ExecContent,
    payload: ExecPayload,
    output: ExecOutput,
  ): HistoryMutation[] {
    const before = content.record.payload;
    const finishes = payload !== before;
    const mutations: HistoryMutation[] = [];
    const changed: { [name: string]: unknown } = {};
    let rewritten = false;
    if (finishes) {
      entry.content = { ...content, record: { ...content.record, payload } };
      for (const name of EXEC_SCALARS) {
        if (payload[name] !== before[name]) changed[name] = payload[name];
      }
      rewritten = !sameJson(payload.wait_notes, before.wait_notes);
    }
    this.#core.budget.remove(entry);
    for (const stream of ["stdout", "stderr"] as const) {
      const chunk = output[stream] ?? null;
      if (chunk === null) continue;
      const { offset, content: text } = chunk;
      const change: OutputChange = content[stream]
        .add({ offset, content: text }, this.#core.limits.streamBytes);
      if (change === "rewritten") rewritten = true;
      if (change !== "appended") continue;
      mutations.push({
        type: "appended",
        index: entry.index,
        id: entry.id,
        field: `${stream}_chunks`,
        value: { offset, content: text },
        ...changed,
      });
    }
    this.#core.budget.add(entry);
    const pruned = this.#core.budget.prune();
    if (finishes && mutations.length === 0) rewritten = true;
    if (!rewritten && !pruned.includes(entry)) {
      return [...mutations, ...pruned.map(replaced)];
    }
    return [
      replaced(entry),
      ...pruned.filter((other) => other !== entry).map(replaced),
    ];
  }
}

/** Tracks the entries of a transcript, and emits their parts. */

import { sameJson } from "../history/plain_json.ts";
import { EPOCH } from "../events/times.ts";
import type { ExploredPlace, HistoryState } from "../history/history_state.ts";
import { isOpenPatch } from "../history/mapping/file_changes.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import {
  type AnyHistoryRecord,
  type ExecChunk,
  isKnownRecord,
} from "../history/records.ts";
import { byteLength } from "../json/utf8_length.ts";
import { fieldsOf, numberOf } from "../json/fields.ts";
import type { EntryPart, EntryPhase } from "./parts.ts";

interface EntryLogOptions {
  readonly isLive: boolean;
  readonly emit: (part: EntryPart) => void;
  readonly history: Pick<HistoryState, "forget" | "recordOf">;
}

interface Entry {
  readonly id: number;
  readonly turn: number | null;
  readonly isWarning: boolean;
  readonly isFromUser: boolean;
  record: AnyHistoryRecord;
  readonly startedAt: string | null;
  endedAt: string | null;
  /** The duration that the event at its end reports, in milliseconds. */
  reportedMs: number | undefined;
  state: EntryState;
  /** Whether a `started` part was emitted, in live transcripts. */
  isStarted: boolean;
  /** The content of the last `final` or `late` part emitted; `undefined` before the first. */
  emitted: Pick<Entry, "record" | "state"> | undefined;
  /** The id of the call that asked for this plan or image, until the call is answered. */
  openCall: string | undefined;
  /** Its images that were not emitted yet; empty once they were. */
  images: readonly string[] | undefined;
  /** Outputs of an `explore` record that were not emitted yet, by the index of their command. */
  outputs: Map<number, string> | undefined;
  /** The estimated size of a complete record while it waits; 0 before. */
  weight: number;
}

/** The maximum number and total weight of entries that wait behind one that is not complete. */
const MAX_WAITING = { count: 1024, weight: 4 * 1024 * 1024 };
/** The maximum number of images that wait for the other copy of their message. */
const MAX_IMAGES = 256;
/** The maximum number of entries that may change. If there are more, the oldest one is ended. */
const MAX_ENTRIES = 4096;
/**
 * The maximum number and total weight of past entries that the history keeps, since other copies
 * of the same events may follow. With four times as many, the objects survive two collections of
 * the young generation, which made `check` a twentieth slower.
 */
const MAX_PAST = { count: 1024, weight: 8 * 1024 * 1024 };

/**
 * Turns mutations of the history into parts: each entry once when it is complete, in the order of
 * the history, or in live transcripts at once with every change.
 *
 * The public fields describe the event that the next mutations come from.
 */
export class EntryLog {
  now: string | null = null;
  turn: number | null = null;
  /** Whether errors of the event are warnings. */
  isWarning = false;
  /** The id of the call that asks for the plan or image added next; its output may refuse it. */
  openCall: string | undefined;
  isFromUser = false;
  /** Whether the event leaves its item, a plan or an image that is made, unfinished. */
  isUnfinished = false;
  /** Whether the next line may show that an answer is the summary of a compaction. */
  mayBeSummary = false;
  /** The output of a command of an `explore` record in the event, until an entry takes it. */
  printed: ExploredPlace & { readonly text: string } | undefined;
  /** The images of the event, as URLs, until entries take them. */
  images: string[] = [];
  /** The duration of the command that the event ends, as the event reports it, in milliseconds. */
  reportedMs: number | undefined;
  readonly #options: EntryLogOptions;
  readonly #entries = new Map<number, Entry>();
  /** Entries that were not emitted yet, in order, except those for the end of the turn. */
  #waiting: Entry[] = [];
  #waitingWeight = 0;
  /** The length of all held outputs of `explore` commands, in UTF-16 code units. */
  #heldOutput = 0;
  /** Entries that the next events may still add to. */
  readonly #settling = new Set<Entry>();
  /** Plans and images whose call was not answered yet, by the id of the call. */
  readonly #openCalls = new Map<string, Entry>();
  /** Entries that changed in this turn. All others are as they were emitted in the last turn. */
  readonly #changed = new Set<Entry>();
  /** Ids and weights of entries that were emitted and have ended. */
  #past: (readonly [id: number, weight: number])[] = [];
  #pastWeight = 0;

  constructor(options: EntryLogOptions) {
    this.#options = options;
  }

  change(mutation: Exclude<HistoryMutation, { type: "truncated" }>): void {
    if (mutation.type === "inserted") {
      this.settleBefore(mutation.record.type);
      this.#add(mutation.id, mutation.record);
    } else if (mutation.type === "removed") this.#remove(mutation.id);
    else this.#update(mutation);
  }

  #remove(id: number): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) {
      this.#dropOutputs(entry);
      this.#changed.delete(entry);
      this.#settling.delete(entry);
    }
    this.#entries.delete(id);
    this.#waiting = this.#waiting.filter((entry) => {
      if (entry.id !== id) return true;
      this.#waitingWeight -= entry.weight;
      return false;
    });
    this.skip(id);
  }

  answer(callId: string): void {
    const entry = this.#openCalls.get(callId);
    if (entry === undefined) return;
    this.#openCalls.delete(callId);
    entry.openCall = undefined;
    if (isPlan(entry.record)) this.#settle(entry);
    else if (entry.state === "settling") this.#settling.add(entry);
  }

  skip(id: number): void {
    this.#past.push([id, 0]);
    this.#forgetPast();
  }

  /** Ends a turn: emits every entry, and keeps only those that are still open. */
  endTurn(): void {
    this.release();
    this.turn = null;
    this.#settling.clear();
    this.#openCalls.clear();
    for (const entry of this.#changedInOrder()) {
      if (entry.state !== "open") this.#end(entry);
    }
    this.#changed.clear();
  }

  release(): void {
    for (const entry of this.#waiting) this.#emit(entry);
    for (const entry of this.#changedInOrder()) {
      const isOwed = entry.emitted === undefined
        ? entry.isStarted
        : entry.state === "settling" || entry.outputs !== undefined;
      if (isOwed) this.#emit(entry);
    }
    this.#waiting = [];
    this.#waitingWeight = 0;
    for (const entry of this.#changed) {
      const isOfTurn = entry.state === "turn" && entry.emitted === undefined;
      if (isOfTurn) this.#emit(entry);
    }
  }

  #changedInOrder(): readonly Entry[] {
    return [...this.#changed].sort((a, b) => a.id - b.id);
  }

  /**
   * Forgets the records, with this id or a higher one, that were rolled back with their ended
   * turns.
   */
  rollBack(nextId: number): void {
    for (const [id, entry] of this.#entries) {
      if (id < nextId) continue;
      this.#dropOutputs(entry);
      this.#entries.delete(id);
    }
    this.#past = this.#past.filter(([id]) => id < nextId);
    this.#pastWeight = this.#past.reduce((sum, [, weight]) => sum + weight, 0);
  }

  /** Completes the settling entries that a new record of a type shows to be complete. */
  settleBefore(type: string): void {
    for (const entry of this.#settling) {
      // Another image belongs to the same message, whose other copy is still to come.
      const goesOn = isImage(entry.record) && type === "image" &&
        this.#settling.size < MAX_IMAGES;
      if (entry.record.type !== "explore" && !goesOn) this.#settle(entry);
    }
  }

  /** Completes the answer that waits, since it comes before a part that is no entry. */
  settleAnswer(): void {
    for (const entry of this.#settling) {
      if (isAnswer(entry.record)) this.#settle(entry);
    }
  }

  #stateOf(record: AnyHistoryRecord): EntryState {
    const isOfItem = record.type === "notice" || isImage(record);
    if (this.isUnfinished && isOfItem) return "open";
    return this.mayBeSummary && isAnswer(record)
      ? "settling"
      : entryState(record);
  }

  #settle(entry: Entry): void {
    entry.state = "done";
    this.#updateState(entry);
  }

  #add(id: number, record: AnyHistoryRecord): void {
    const isRefusable = isPlan(record) || isImage(record);
    const openCall = isRefusable ? this.openCall : undefined;
    const entry: Entry = {
      id,
      turn: this.turn,
      isWarning: this.isWarning,
      isFromUser: this.isFromUser && isImage(record),
      record,
      startedAt: this.now,
      endedAt: null,
      reportedMs: undefined,
      state: openCall === undefined ? this.#stateOf(record) : "settling",
      openCall,
      isStarted: false,
      emitted: undefined,
      images: undefined,
      outputs: undefined,
      weight: 0,
    };
    this.#takeImages(entry);
    this.#entries.set(id, entry);
    this.#changed.add(entry);
    const isWaiting = entry.state !== "turn" && !this.#options.isLive;
    if (isWaiting) this.#waiting.push(entry);
    this.#updateState(entry);
    if (this.#waiting.length > MAX_WAITING.count) this.#drain();
    if (openCall !== undefined) this.#openCalls.set(openCall, entry);
    if (this.#entries.size > MAX_ENTRIES) this.#endOldest();
  }

  /** Ends the oldest entry. It was emitted before: MAX_WAITING is lower than MAX_ENTRIES. */
  #endOldest(): void {
    for (const entry of this.#entries.values()) {
      if (entry.state === "turn") continue;
      this.#openCalls.delete(entry.openCall ?? "");
      return this.#end(entry);
    }
  }

  #update(
    mutation: Extract<HistoryMutation, { type: "replaced" | "appended" }>,
  ): void {
    const entry = this.#entries.get(mutation.id);
    if (entry === undefined) {
      // A further state of a plan that ended with its turn, or since many entries followed.
      if (mutation.type === "replaced" && isPlan(mutation.record)) {
        this.#add(mutation.id, mutation.record);
      }
      return;
    }
    this.#changed.add(entry);
    const before = entry.record;
    const record = mutation.type === "replaced"
      ? mutation.record
      : this.#options.history.recordOf(mutation.id) ?? before;
    // Each state of a plan is an entry of its own.
    if (isPlan(before) && isPlan(record)) {
      this.#changed.delete(entry);
      this.#add(mutation.id, record);
      return;
    }
    entry.record = record;
    entry.state = this.#stateOf(record);
    if (record.type === "exec") entry.reportedMs ??= this.reportedMs;
    this.#holdOutput(entry, before);
    this.#takeImages(entry);
    this.#updateState(entry);
    if (this.#heldOutput > MAX_WAITING.weight) this.release();
  }

  /** Whether the input may still hand the bytes of a shown image to the model. */
  get awaitsImage(): boolean {
    for (const { record } of this.#settling) if (isImage(record)) return true;
    return false;
  }

  /** Adds the bytes of an image, as a URL, to the first image that the agent viewed without any. */
  attach(url: string): void {
    for (const entry of this.#settling) {
      if (!isImage(entry.record) || entry.isFromUser || entry.images) continue;
      entry.images = [url];
      return;
    }
  }

  /** Moves images of the event to an entry: all of them to a tool call, the next to an image. */
  #takeImages(entry: Entry): void {
    const { type } = entry.record;
    const count = type === "tool_call" ? this.images.length : 1;
    const isTaker = type === "tool_call" || type === "image";
    if (!isTaker || this.images.length === 0 || entry.images) return;
    entry.images = this.images.splice(0, count);
  }

  /** Holds the output of an `explore` command if the event has it and the command has ended. */
  #holdOutput(entry: Entry, before: AnyHistoryRecord): void {
    const { printed } = this;
    if (printed?.id !== entry.id) return;
    const { at, text } = printed;
    const now = listIn(entry.record, "entries")?.[at];
    if (fieldsOf(now).status === "running") return;
    this.printed = undefined;
    // A repeated end of the command: its output was emitted with the first one.
    const known = listIn(before, "entries")?.[at];
    if (entry.emitted !== undefined && sameJson(now, known)) return;
    entry.outputs ??= new Map();
    this.#heldOutput += text.length - (entry.outputs.get(at)?.length ?? 0);
    entry.outputs.set(at, text);
  }

  #dropOutputs(entry: Entry): void {
    for (const { length } of entry.outputs?.values() ?? []) {
      this.#heldOutput -= length;
    }
    entry.outputs = undefined;
  }

  /** Updates the sets and emits parts after an entry has changed its state. */
  #updateState(entry: Entry): void {
    const { isLive } = this.#options;
    if (entry.state !== "settling") this.#settling.delete(entry);
    else if (entry.openCall === undefined) this.#settling.add(entry);
    const isReady = entry.state === "done" ||
      (isLive && entry.state === "settling");
    // An answer ends with its own line, not with the one that shows it to be complete.
    if (isAnswer(entry.record)) entry.endedAt ??= this.now;
    else if (isReady) entry.endedAt = this.now;
    if (isLive && entry.state !== "turn") {
      if (isReady) this.#emit(entry);
      else this.#emitProgress(entry);
    } else if (isReady) {
      if (entry.emitted !== undefined) this.#emit(entry);
      else this.#weigh(entry);
      this.#drain();
    }
    if (entry.emitted !== undefined) this.#endDone(entry);
  }

  #weigh(entry: Entry): void {
    this.#waitingWeight -= entry.weight;
    entry.weight = (entry.images ?? []).reduce(
      (sum, { length }) => sum + length,
      weightOf(entry.record),
    );
    this.#waitingWeight += entry.weight;
  }

  /** Emits waiting entries up to the first incomplete one; more if too many wait. */
  #drain(): void {
    let emitted = 0;
    for (const entry of this.#waiting) {
      const isTooMuch =
        this.#waitingWeight + this.#heldOutput > MAX_WAITING.weight ||
        this.#waiting.length - emitted > MAX_WAITING.count;
      if (entry.state !== "done" && !isTooMuch) break;
      this.#waitingWeight -= entry.weight;
      this.#emit(entry);
      emitted += 1;
      this.#endDone(entry);
    }
    if (emitted > 0) this.#waiting.splice(0, emitted);
    if (this.#waiting.length === 0) this.#waitingWeight = 0;
  }

  #emitProgress(entry: Entry): void {
    // An entry whose work goes on again, after its end was emitted, is no news.
    const isNew = !entry.isStarted && entry.emitted === undefined;
    entry.isStarted = true;
    const phase = isNew ? "started" : "updated";
    this.#options.emit(entryPart(entry, phase, { record: entry.record }));
  }

  /** Emits an entry: all of it the first time, later only the news. */
  #emit(entry: Entry): void {
    const { emitted, record } = entry;
    const rest = emitted === undefined
      ? allOf(record, entry.outputs)
      : newOf(record, emitted, entry.outputs);
    if (rest !== undefined) {
      const phase = emitted === undefined ? "final" : "late";
      this.#options.emit(entryPart(entry, phase, rest));
    }
    entry.emitted = { record, state: entry.state };
    if (entry.images !== undefined) entry.images = [];
    this.#dropOutputs(entry);
  }

  /** Ends an emitted entry that is complete. Plans may have further states until the turn ends. */
  #endDone(entry: Entry): void {
    if (entry.state === "done" && !isPlan(entry.record)) this.#end(entry);
  }

  #end(entry: Entry): void {
    // A newer entry has the same id, if this one is an earlier state of a plan.
    if (this.#entries.get(entry.id) !== entry) return;
    this.#entries.delete(entry.id);
    this.#changed.delete(entry);
    this.#settling.delete(entry);
    const weight = entry.weight || weightOf(entry.record);
    this.#past.push([entry.id, weight]);
    this.#pastWeight += weight;
    this.#forgetPast();
  }

  #forgetPast(): void {
    const isMuch = this.#past.length > MAX_PAST.count ||
      this.#pastWeight > MAX_PAST.weight;
    if (!isMuch) return;
    const old = this.#past.splice(0, Math.ceil(this.#past.length / 2));
    for (const [, weight] of old) this.#pastWeight -= weight;
    this.#options.history.forget(new Set(old.map(([id]) => id)));
  }
}

function isAnswer({ type }: AnyHistoryRecord): boolean {
  return type === "assistant_message";
}

function isImage({ type }: AnyHistoryRecord): boolean {
  return type === "image";
}

function isPlan(record: AnyHistoryRecord): boolean {
  return record.type === "plan_update";
}

function entryPart(
  entry: Entry,
  phase: EntryPhase,
  { record, outputs }: Rest,
): EntryPart {
  const { id, turn, isWarning, images = [] } = entry;
  const isTimed = entry.startedAt !== null;
  const startedAt = timeIn(record, "started_at", isTimed) ?? entry.startedAt;
  const endedAt = timeIn(record, "completed_at", isTimed) ?? entry.endedAt;
  const durationMs = durationOf(record, { startedAt, endedAt }, entry);
  // Fields one by one take half the time of a literal with spreads.
  const part: { -readonly [Name in keyof EntryPart]: EntryPart[Name] } = {
    type: "entry",
    phase,
    id,
    turn,
    record,
    startedAt,
    endedAt,
    durationMs,
  };
  if (outputs !== undefined) part.outputs = outputs;
  if (images.length > 0) part.images = images;
  if (isWarning) part.isWarning = true;
  return part;
}

/** Reads a time of a record, unless the input has no times: those of its records are made up. */
function timeIn(
  { payload }: AnyHistoryRecord,
  name: "started_at" | "completed_at",
  isTimed: boolean,
): string | undefined {
  const time = fieldsOf(payload)[name];
  return isTimed && typeof time === "string" && time !== EPOCH
    ? time
    : undefined;
}

function durationOf(
  { type, payload }: AnyHistoryRecord,
  { startedAt, endedAt }: Pick<EntryPart, "startedAt" | "endedAt">,
  { reportedMs = 0 }: Entry,
): number | null {
  const isWork = type === "exec" || type === "tool_call";
  const ms = numberOf(fieldsOf(payload).duration_ms) ??
    (isWork ? msBetween(startedAt, endedAt) : null);
  return reportedMs > (ms ?? 0) ? reportedMs : ms;
}

/** Returns the milliseconds from one time to a later one; `null` if either is unknown. */
export function msBetween(
  from: string | null,
  to: string | null,
): number | null {
  if (from === null || to === null) return null;
  const ms = Date.parse(to) - Date.parse(from);
  return ms >= 0 ? ms : null;
}

/**
 * The state of a record.
 *
 * - `open`: its work goes on.
 * - `settling`: its work is done, but the next events may still add to it.
 * - `turn`: it belongs to the turn as a whole, and is emitted at the end of the turn.
 * - `done`: it is complete.
 */
type EntryState = "open" | "settling" | "turn" | "done";

function entryState(record: AnyHistoryRecord): EntryState {
  if (!isKnownRecord(record)) return "done";
  switch (record.type) {
    case "exec":
      return record.payload.status === "running" ? "open" : "done";
    case "running_tool":
    case "assistant_stream":
    case "loading":
      return "open";
    case "patch":
      return isOpenPatch(record) ? "open" : "done";
    case "reasoning":
      // Further parts may come as separate events.
      return record.payload.in_progress ? "open" : "settling";
    case "explore": {
      const { entries, trailing } = record.payload;
      if (entries.some(({ status }) => status === "running")) return "open";
      return trailing ? "settling" : "done";
    }
    case "image":
      // The other event about the same image may name its file.
      return "settling";
    case "diff":
      return "turn";
    default:
      // A plan too: each of its states is an entry of its own.
      return "done";
  }
}

const MAX_PARTS = 10_000;

function weightOf(record: AnyHistoryRecord): number {
  let weight = 200;
  const left: unknown[] = [record.payload];
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const value = left.pop();
    if (value === undefined) break;
    weight += 16;
    if (typeof value === "string") weight += value.length;
    else if (Array.isArray(value)) {
      for (const each of value) left.push(each ?? null);
    } else {
      // `for in` allocates no list, unlike `Object.values`: every record is weighed.
      const fields = fieldsOf(value);
      for (const name in fields) left.push(fields[name] ?? null);
    }
  }
  return weight;
}

/** The record of the next part, reduced to the news, and the outputs of its commands. */
type Rest = Pick<EntryPart, "record"> & {
  readonly outputs?: readonly string[] | undefined;
};

type Held = Entry["outputs"];

function allOf(record: AnyHistoryRecord, held: Held): Rest {
  const places = [...(listIn(record, "entries") ?? []).keys()];
  return { record, outputs: outputsAt(places, held) };
}

function outputsAt(places: readonly number[], held: Held) {
  return held && places.map((at) => held.get(at) ?? "");
}

/** Returns the parts of a record that were not emitted yet; `undefined` if there are none. */
function newOf(
  record: AnyHistoryRecord,
  emitted: Pick<Entry, "record" | "state">,
  held: Held,
): Rest | undefined {
  if (isKnownRecord(record) && record.type === "exec") {
    const { stdout_chunks, stderr_chunks } = record.payload;
    const { record: before } = emitted;
    const isExec = isKnownRecord(before) && before.type === "exec";
    const shown = isExec ? before.payload : undefined;
    const rest = withPayload(record, {
      stdout_chunks: chunksFrom(stdout_chunks, endOf(shown?.stdout_chunks)),
      stderr_chunks: chunksFrom(stderr_chunks, endOf(shown?.stderr_chunks)),
    });
    return { record: rest };
  }
  for (const name of ["sections", "entries"] as const) {
    const list = listIn(record, name);
    const known = listIn(emitted.record, name);
    if (list === undefined || known === undefined) continue;
    const places = [...list.keys()].filter((at) =>
      !sameJson(list[at], known[at]) || (held?.get(at) ?? "") !== ""
    );
    if (places.length === 0) return undefined;
    const rest = places.map((at) => list[at]);
    return {
      record: withPayload(record, { [name]: rest }),
      outputs: outputsAt(places, held),
    };
  }
  return emitted.state === "open" ? { record } : undefined;
}

function listIn(
  { payload }: AnyHistoryRecord,
  name: "sections" | "entries",
): readonly unknown[] | undefined {
  const list = fieldsOf(payload)[name];
  return Array.isArray(list) ? list : undefined;
}

/** Returns a copy of a record with some fields of its payload replaced. */
export function withPayload(
  record: AnyHistoryRecord,
  changes: { readonly [name: string]: unknown },
): AnyHistoryRecord {
  // The cast is safe as callers only shorten lists, which keeps the type of the record.
  return {
    ...record,
    payload: { ...record.payload, ...changes },
  } as AnyHistoryRecord;
}

function endOf(chunks: readonly ExecChunk[] = []): number {
  const last = chunks.at(-1);
  return last === undefined ? 0 : last.offset + byteLength(last.content);
}

/** Returns the chunks from an offset on, with offsets counted from there. */
function chunksFrom(chunks: readonly ExecChunk[], start: number): ExecChunk[] {
  const rest: ExecChunk[] = [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (const { offset, content } of chunks) {
    const end = offset + byteLength(content);
    if (end <= start) continue;
    const known = Math.max(0, start - offset);
    const bytes = new TextEncoder().encode(content).subarray(known);
    rest.push({
      offset: offset + known - start,
      content: decoder.decode(bytes),
    });
  }
  return rest;
}

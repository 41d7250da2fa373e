/**
 * The entries of a transcript: their state, what of them is still held, and the parts that are
 * given of them.
 *
 * @module
 */

import { sameJson } from "../history/plain_json.ts";
import { EPOCH } from "../events/times.ts";
import { applyMutation, type HistoryMutation } from "../history/mutations.ts";
import {
  type AnyHistoryRecord,
  type ExecChunk,
  type ExploreEntry,
  isKnownRecord,
} from "../history/records.ts";
import { byteLength } from "../json/utf8_length.ts";
import { fieldsOf, numberOf } from "../json/fields.ts";
import type { EntryPart, EntryPhase } from "./parts.ts";

interface EntryLogOptions {
  readonly isLive: boolean;
  readonly give: (part: EntryPart) => void;
  /** Lets records go that were given. */
  readonly forget: (ids: ReadonlySet<number>) => void;
}

/** What a command printed that has an entry in an `explore` record. */
interface ExploredOutput {
  readonly id: number;
  /** The place of the entry. */
  readonly at: number;
  /** All that was printed. */
  readonly text: string;
}

/** An entry that is not over. */
interface Entry {
  readonly id: number;
  readonly turn: number | null;
  readonly isWarning: boolean;
  readonly isFromUser: boolean;
  /** A list of one, which is what mutations are applied to. */
  readonly records: [AnyHistoryRecord];
  readonly startedAt: string | null;
  endedAt: string | null;
  /** How long its output says that it took, in milliseconds. */
  saidMs: number | undefined;
  state: EntryState;
  given: Given | undefined;
  /** The call that asked for it and has not been answered. */
  askedBy: string | undefined;
  /** Its images that were not given. */
  images: readonly string[] | undefined;
  /** What its commands printed that was not given, by their places; only of an `explore`. */
  outputs: Map<number, string> | undefined;
  /** How much its record takes, once it is complete; 0 before. */
  weight: number;
}

const NO_ENTRIES: readonly Entry[] = [];

/** How much may wait for an entry that does not end: entries, and their weight. */
const MAX_WAITING = { count: 1024, weight: 4 * 1024 * 1024 };
/** How many entries may be open: the oldest of more are given up, and an end is told apart. */
const MAX_OPEN = 4096;
/**
 * How much of what was given is still remembered: other copies of it may come. Four times as many
 * outlast two collections of new objects, and cost `check` a twentieth.
 */
const MAX_PAST = { count: 1024, weight: 8 * 1024 * 1024 };

/** Holds entries back until they are complete, in their order, or says at once what they do. */
export class EntryLog {
  /** The time of the event. */
  now: string | null = null;
  turn: number | null = null;
  /** The turn that the event names, if it is known. */
  ofTurn: number | undefined;
  /** Whether errors of the event are warnings. */
  isWarning = false;
  /** The call that asks for the plan or the image that is added next; its output may refuse it. */
  askedBy: string | undefined;
  /** Whether the event is what the user says. */
  isFromUser = false;
  /** What the event says that a command of an `explore` record printed, until that is taken. */
  printed: ExploredOutput | undefined;
  /** The images that the event has, as URLs, until they are taken. */
  images: string[] = [];
  /** How long the event says that the command took which it ends, in milliseconds. */
  saidMs: number | undefined;
  readonly #options: EntryLogOptions;
  readonly #entries = new Map<number, Entry>();
  /** What has not been given, in order; only what has no place at the end of the turn. */
  #waiting: Entry[] = [];
  #waitingWeight = 0;
  /** How much is held of what commands of `explore` records printed, in units of UTF-16. */
  #heldOutput = 0;
  /** What the next entries may still add to. */
  readonly #settling = new Set<Entry>();
  /** Those of them that are images: a message may have many, which are settled together. */
  readonly #images = new Set<Entry>();
  /** What calls have asked for that were not answered: each waits for its own answer. */
  readonly #asked = new Map<string, Entry>();
  /** What has changed in the turn: what has not is as it was given when the last one ended. */
  readonly #changed = new Set<Entry>();
  /** The highest number of an entry. */
  #lastId = 0;
  /** What was open when it was added and is not over, in order. */
  readonly #opened = new Set<Entry>();
  /** The entries that are given when the turn ends. */
  #ofTurn: Entry[] = [];
  /** What was given and is over, with its weight. */
  #past: (readonly [id: number, weight: number])[] = [];
  #pastWeight = 0;

  constructor(options: EntryLogOptions) {
    this.#options = options;
  }

  /** Takes in what has changed. */
  change(mutation: HistoryMutation): void {
    switch (mutation.type) {
      case "inserted":
        this.#settleBefore(mutation.record.type);
        this.#add(mutation.id, mutation.record);
        break;
      case "replaced":
      case "appended":
        this.#update(mutation);
        break;
      case "removed":
        this.#remove(mutation.id);
        break;
      case "truncated":
        break;
      default:
        mutation satisfies never;
    }
  }

  #remove(id: number): void {
    const entry = this.#entries.get(id);
    this.#dropOutputs(entry);
    if (entry !== undefined) {
      this.#changed.delete(entry);
      this.#opened.delete(entry);
    }
    this.#entries.delete(id);
    this.#waiting = this.#waiting.filter((entry) => {
      if (entry.id !== id) return true;
      this.#waitingWeight -= entry.weight;
      return false;
    });
    this.pass(id);
  }

  /** Takes note that a call has been answered. */
  answer(callId: string): void {
    const entry = this.#asked.get(callId);
    if (entry === undefined) return;
    this.#asked.delete(callId);
    entry.askedBy = undefined;
    this.#opened.delete(entry);
    if (isPlan(entry.records[0])) this.#settle(entry);
    else if (entry.state === "settling") this.#images.add(entry);
  }

  /** Takes note of a record that is not shown. */
  pass(id: number): void {
    this.#past.push([id, 0]);
    this.#forgetPast();
  }

  /** Ends a turn: gives everything, and goes on only with what is still at work. */
  endTurn(): void {
    this.release();
    this.turn = null;
    this.#settling.clear();
    this.#images.clear();
    this.#asked.clear();
    for (const entry of this.#changedInOrder()) {
      if (entry.state !== "open") this.#end(entry);
    }
    this.#changed.clear();
  }

  /** Gives everything that waits, as far as it is. */
  release(): void {
    for (const entry of this.#waiting) this.#give(entry);
    for (const entry of this.#changedInOrder()) {
      const isOwed = entry.given === NOTHING_GIVEN ||
        entry.state === "settling" || entry.outputs !== undefined;
      if (entry.given !== undefined && isOwed) this.#give(entry);
    }
    this.#waiting = [];
    this.#waitingWeight = 0;
    for (const entry of this.#ofTurn) this.#give(entry);
    this.#ofTurn = [];
  }

  #changedInOrder(): readonly Entry[] {
    if (this.#changed.size === 0) return NO_ENTRIES;
    return [...this.#changed].sort((a, b) => a.id - b.id);
  }

  /**
   * Forgets the records that were taken back with their turns, when those have ended.
   *
   * @param nextId The number that comes next: what has it or a higher one is gone.
   */
  takeBack(nextId: number): void {
    for (; this.#lastId >= nextId; this.#lastId--) {
      this.#dropOutputs(this.#entries.get(this.#lastId));
      this.#entries.delete(this.#lastId);
    }
    this.#past = this.#past.filter(([id]) => id < nextId);
    this.#pastWeight = this.#past.reduce((sum, [, weight]) => sum + weight, 0);
  }

  /** What comes next shows that some entries are complete. */
  #settleBefore(type: string): void {
    for (const entry of this.#settling) {
      if (entry.records[0].type === "reasoning") this.#settle(entry);
    }
    // The next image belongs to the same message, whose other copy is still to come.
    if (type === "image") return;
    for (const entry of this.#images) this.#settle(entry);
  }

  #settle(entry: Entry): void {
    entry.state = "done";
    this.#note(entry);
  }

  #add(id: number, record: AnyHistoryRecord): void {
    const records: [AnyHistoryRecord] = [record];
    applyMutation(records, { type: "replaced", index: 0, id, record });
    const isRefusable = isPlan(record) || record.type === "image";
    const askedBy = isRefusable ? this.askedBy : undefined;
    const entry: Entry = {
      id,
      turn: this.ofTurn ?? this.turn,
      isWarning: this.isWarning,
      isFromUser: this.isFromUser && record.type === "image",
      records,
      startedAt: this.now,
      endedAt: null,
      saidMs: undefined,
      state: askedBy === undefined ? entryState(record) : "settling",
      askedBy,
      given: undefined,
      images: undefined,
      outputs: undefined,
      weight: 0,
    };
    this.#takeImages(entry);
    this.#entries.set(id, entry);
    this.#changed.add(entry);
    this.#lastId = Math.max(this.#lastId, id);
    if (entry.state === "turn") this.#ofTurn.push(entry);
    else if (!this.#options.isLive) this.#waiting.push(entry);
    this.#note(entry);
    if (this.#waiting.length > MAX_WAITING.count) this.#drain();
    if (askedBy !== undefined) this.#asked.set(askedBy, entry);
    if (entry.state === "open" || askedBy !== undefined) this.#open(entry);
  }

  /** Takes note of an entry that something more is expected of, and gives up the oldest of too many. */
  #open(entry: Entry): void {
    this.#opened.add(entry);
    if (this.#opened.size <= MAX_OPEN) return;
    const [oldest = entry] = this.#opened;
    this.#opened.delete(oldest);
    if (this.#entries.get(oldest.id) !== oldest) return;
    // It has been given: few may wait.
    this.#asked.delete(oldest.askedBy ?? "");
    this.#end(oldest);
  }

  #update(
    mutation: Extract<HistoryMutation, { type: "replaced" | "appended" }>,
  ): void {
    const entry = this.#entries.get(mutation.id);
    if (entry === undefined) return;
    this.#changed.add(entry);
    const [before] = entry.records;
    const isState = mutation.type === "replaced" && isPlan(before);
    // The next state of a plan is an entry of its own.
    if (isState && isPlan(mutation.record)) {
      if (JSON.stringify(before) === JSON.stringify(mutation.record)) return;
      this.#changed.delete(entry);
      this.#add(mutation.id, mutation.record);
      return;
    }
    applyMutation(entry.records, { ...mutation, index: 0 });
    entry.state = entryState(entry.records[0]);
    if (entry.records[0].type === "exec") entry.saidMs ??= this.saidMs;
    this.#hold(entry, before);
    this.#takeImages(entry);
    this.#note(entry);
    this.#relieve();
  }

  /** Whether there is an image that the model may still be handed. */
  get awaitsImage(): boolean {
    return this.#images.size > 0;
  }

  /** Takes an image that the model was handed, for the first of those it has looked at. */
  attach(url: string): void {
    for (const entry of this.#images) {
      if (entry.images !== undefined || entry.isFromUser) continue;
      entry.images = [url];
      return;
    }
  }

  /** Takes the images of the event: a tool all that it gave, each record of an image its own. */
  #takeImages(entry: Entry): void {
    const { type } = entry.records[0];
    const count = type === "tool_call" ? this.images.length : 1;
    const isTaker = type === "tool_call" || type === "image";
    if (!isTaker || this.images.length === 0 || entry.images) return;
    entry.images = this.images.splice(0, count);
  }

  /** Takes what the event says that a command printed, once the end of the command is there. */
  #hold(entry: Entry, before: AnyHistoryRecord): void {
    const { printed } = this;
    if (printed?.id !== entry.id) return;
    const { at, text } = printed;
    const now = endedEntry(entry.records[0], at);
    if (now === undefined) return;
    this.printed = undefined;
    const isGiven = entry.given !== undefined && entry.given !== NOTHING_GIVEN;
    // The same end once more: what it printed was given with it.
    if (isGiven && sameJson(now, endedEntry(before, at))) return;
    entry.outputs ??= new Map();
    this.#heldOutput += text.length - (entry.outputs.get(at)?.length ?? 0);
    entry.outputs.set(at, text);
  }

  #dropOutputs(entry: Entry | undefined): void {
    for (const { length } of entry?.outputs?.values() ?? []) {
      this.#heldOutput -= length;
    }
    if (entry !== undefined) entry.outputs = undefined;
  }

  /** Gives what holds too much output, as far as it is. */
  #relieve(): void {
    if (this.#heldOutput <= MAX_WAITING.weight) return;
    for (const entry of this.#entries.values()) {
      const isInOrder = this.#options.isLive || entry.given !== undefined;
      if (isInOrder && entry.outputs !== undefined) this.#give(entry);
    }
    this.#drain();
  }

  /** Does what has to be done now that an entry is as it is. */
  #note(entry: Entry): void {
    const { isLive } = this.#options;
    if (entry.state === "settling") {
      const isImage = entry.records[0].type === "image";
      const settling = isImage ? this.#images : this.#settling;
      if (entry.askedBy === undefined) settling.add(entry);
    } else {
      this.#settling.delete(entry);
      this.#images.delete(entry);
    }
    const isReady = entry.state === "done" ||
      (isLive && entry.state === "settling");
    if (isReady) entry.endedAt = this.now;
    if (isLive && entry.state !== "turn") {
      if (isReady) this.#give(entry);
      else this.#sayProgress(entry);
    } else if (isReady) {
      if (entry.given !== undefined) this.#give(entry);
      else this.#weigh(entry);
      this.#drain();
    }
    if (entry.state === "done" && entry.given !== undefined) this.#end(entry);
  }

  /** Takes note of how much a complete entry holds while it waits. */
  #weigh(entry: Entry): void {
    this.#waitingWeight -= entry.weight;
    entry.weight = weightOf(entry.records[0]) + sumOfLengths(entry.images);
    this.#waitingWeight += entry.weight;
  }

  /** Gives what is complete from the beginning of what waits; if too much waits, more. */
  #drain(): void {
    let given = 0;
    for (const entry of this.#waiting) {
      const isTooMuch =
        this.#waitingWeight + this.#heldOutput > MAX_WAITING.weight ||
        this.#waiting.length - given > MAX_WAITING.count;
      if (entry.state !== "done" && !isTooMuch) break;
      this.#waitingWeight -= entry.weight;
      this.#give(entry);
      given += 1;
      if (entry.state === "done") this.#end(entry);
    }
    if (given > 0) this.#waiting.splice(0, given);
    if (this.#waiting.length === 0) this.#waitingWeight = 0;
  }

  #sayProgress(entry: Entry): void {
    const isNew = entry.given === undefined;
    entry.given ??= NOTHING_GIVEN;
    const record = copyOf(entry);
    this.#options.give(
      entryPart(entry, isNew ? "started" : "updated", { record }),
    );
  }

  /** Gives an entry, or what is new of it. */
  #give(entry: Entry): void {
    const { given } = entry;
    const record = copyOf(entry);
    const isFirst = given === undefined || given === NOTHING_GIVEN;
    const rest = isFirst
      ? allOf(record, entry.outputs)
      : newOf(record, given, entry.outputs);
    if (rest !== undefined) {
      const phase = isFirst ? "final" : "late";
      this.#options.give(entryPart(entry, phase, rest));
    }
    entry.given = givenOf(record, entry.state);
    if (entry.images !== undefined) entry.images = [];
    this.#dropOutputs(entry);
  }

  /** Takes note that nothing more is expected of an entry. */
  #end(entry: Entry): void {
    // A plan may have become another entry.
    if (this.#entries.get(entry.id) !== entry) return;
    if (isPlan(entry.records[0]) && this.turn === entry.turn) return;
    this.#entries.delete(entry.id);
    this.#changed.delete(entry);
    this.#opened.delete(entry);
    const weight = entry.weight || weightOf(entry.records[0]);
    this.#past.push([entry.id, weight]);
    this.#pastWeight += weight;
    this.#forgetPast();
  }

  /** Forgets the older half of what was given when that has become much. */
  #forgetPast(): void {
    const isMuch = this.#past.length > MAX_PAST.count ||
      this.#pastWeight > MAX_PAST.weight;
    if (!isMuch) return;
    const ids = new Set<number>();
    for (const [id, weight] of this.#past) {
      if (
        this.#past.length - ids.size <= MAX_PAST.count / 2 &&
        this.#pastWeight <= MAX_PAST.weight / 2
      ) break;
      ids.add(id);
      this.#pastWeight -= weight;
    }
    this.#past.splice(0, ids.size);
    this.#options.forget(ids);
  }
}

/** What is at work is changed in place, so what is given of it is a copy. */
function copyOf({ id, state, records: [record] }: Entry): AnyHistoryRecord {
  if (state !== "open") return record;
  const copies: [AnyHistoryRecord] = [record];
  applyMutation(copies, { type: "replaced", index: 0, id, record });
  return copies[0];
}

function isPlan(record: AnyHistoryRecord): boolean {
  return record.type === "plan_update";
}

/** Gives the entry at a place of an `explore` record, if it has ended. */
function endedEntry(
  record: AnyHistoryRecord,
  at: number,
): ExploreEntry | undefined {
  if (!isKnownRecord(record) || record.type !== "explore") return undefined;
  const entry = record.payload.entries[at];
  return entry?.status === "running" ? undefined : entry;
}

function entryPart(
  entry: Entry,
  phase: EntryPhase,
  { record, outputs }: Rest,
): EntryPart {
  const { id, turn, isWarning, isFromUser, images = [] } = entry;
  const isTimed = entry.startedAt !== null;
  const startedAt = timeIn(record, "started_at", isTimed) ?? entry.startedAt;
  const endedAt = timeIn(record, "completed_at", isTimed) ?? entry.endedAt;
  const durationMs = longer(
    durationOf(record, { startedAt, endedAt }),
    entry.saidMs,
  );
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
  if (isFromUser) part.isFromUser = true;
  return part;
}

/** Reads a time of a record. Where the input has none, all of them are made up. */
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
): number | null {
  const known = numberOf(fieldsOf(payload).duration_ms);
  if (known !== undefined) return known;
  const isWork = type === "exec" || type === "tool_call";
  return isWork ? msBetween(startedAt, endedAt) : null;
}

/** Gives the longer one of what the times tell and what the output says. */
function longer(ms: number | null, saidMs = 0): number | null {
  return saidMs > (ms ?? 0) ? saidMs : ms;
}

/** Gives the milliseconds from one time to a later one; `null` if that is not known. */
export function msBetween(
  from: string | null,
  to: string | null,
): number | null {
  if (from === null || to === null) return null;
  const ms = Date.parse(to) - Date.parse(from);
  return ms >= 0 ? ms : null;
}

/**
 * How far a record is: `open` while its work goes on; `settling` when its work is done but the
 * next records may still add to it; `turn` if it belongs to the turn as a whole; `done`.
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
    case "patch": {
      const { event } = record.payload;
      return event === "apply_begin" || event === "proposed" ? "open" : "done";
    }
    case "reasoning":
      // Its other parts may come as events of their own.
      return record.payload.in_progress ? "open" : "settling";
    case "explore": {
      const { entries, trailing } = record.payload;
      if (entries.some(({ status }) => status === "running")) return "open";
      return trailing ? "settling" : "done";
    }
    case "image":
      // The event beside the item may know the file that it came from.
      return "settling";
    case "diff":
      return "turn";
    default:
      // A plan too: each of its states is an entry of its own.
      return "done";
  }
}

function sumOfLengths(texts: readonly string[] = []): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** The most that is looked at of one record; what is longer is heavy anyway. */
const MAX_PARTS = 10_000;

/** Estimates how much memory a record takes, in units of UTF-16 and the like. */
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
      // Nothing is listed for it: this is asked of every record.
      const fields = fieldsOf(value);
      for (const name in fields) left.push(fields[name] ?? null);
    }
  }
  return weight;
}

/** The part of a record that was given. */
interface Given {
  readonly record: AnyHistoryRecord;
  /** How far it was. */
  readonly state: EntryState;
  /** How much of its stdout there was, in bytes. */
  readonly stdoutEnd: number;
  /** How much of its stderr there was, in bytes. */
  readonly stderrEnd: number;
}

/** What was given of a record that was only announced. */
const NOTHING_GIVEN: Given = {
  record: { id: 0, type: "none", payload: {} },
  state: "open",
  stdoutEnd: 0,
  stderrEnd: 0,
};

/** The part of a record that is to be given, and the output of its commands. */
type Rest = Pick<EntryPart, "record" | "outputs">;

/** Output of commands that has not been given, by their places in an `explore` record. */
type HeldOutputs = ReadonlyMap<number, string>;

function allOf(record: AnyHistoryRecord, held?: HeldOutputs): Rest {
  if (held === undefined) return { record };
  const places = [...(listIn(record, "entries") ?? []).keys()];
  return { record, ...outputsAt(places, held) };
}

function outputsAt(
  places: readonly number[],
  held: HeldOutputs | undefined,
): Pick<Rest, "outputs"> {
  return held === undefined
    ? {}
    : { outputs: places.map((at) => held.get(at) ?? "") };
}

function givenOf(record: AnyHistoryRecord, state: EntryState): Given {
  // Of what is over, nothing is new.
  const isOpen = state === "open" && isKnownRecord(record);
  const work = isOpen && record.type === "exec" ? record.payload : undefined;
  return {
    record,
    state,
    stdoutEnd: endOf(work?.stdout_chunks),
    stderrEnd: endOf(work?.stderr_chunks),
  };
}

/** Gives what a record has that was not given; `undefined` if that is nothing. */
function newOf(
  record: AnyHistoryRecord,
  given: Given,
  held?: HeldOutputs,
): Rest | undefined {
  if (isKnownRecord(record) && record.type === "exec") {
    if (given.state !== "open") return undefined;
    const { stdout_chunks, stderr_chunks } = record.payload;
    const rest = withPayload(record, {
      stdout_chunks: chunksFrom(stdout_chunks, given.stdoutEnd),
      stderr_chunks: chunksFrom(stderr_chunks, given.stderrEnd),
    });
    return { record: rest };
  }
  for (const name of ["sections", "entries"] as const) {
    const list = listIn(record, name);
    const known = listIn(given.record, name);
    if (list === undefined || known === undefined) continue;
    const places = [...list.keys()].filter((at) =>
      !sameJson(list[at], known[at]) || (held?.get(at) ?? "") !== ""
    );
    if (places.length === 0) return undefined;
    const rest = places.map((at) => list[at]);
    return {
      record: withPayload(record, { [name]: rest }),
      ...outputsAt(places, held),
    };
  }
  return given.state === "open" ? { record } : undefined;
}

function listIn(
  { payload }: AnyHistoryRecord,
  name: "sections" | "entries",
): readonly unknown[] | undefined {
  const list = fieldsOf(payload)[name];
  return Array.isArray(list) ? list : undefined;
}

/** Changes the lists of a record. */
export function withPayload(
  record: AnyHistoryRecord,
  changes: { readonly [name: string]: unknown },
): AnyHistoryRecord {
  // The boundary: a record with less in its lists has the type that it had.
  return {
    ...record,
    payload: { ...record.payload, ...changes },
  } as AnyHistoryRecord;
}

function endOf(chunks: readonly ExecChunk[] = []): number {
  const last = chunks.at(-1);
  return last === undefined ? 0 : last.offset + byteLength(last.content);
}

/** Gives what comes behind a place of the output, as if that were its beginning. */
function chunksFrom(chunks: readonly ExecChunk[], start: number): ExecChunk[] {
  const rest: ExecChunk[] = [];
  for (const { offset, content } of chunks) {
    const end = offset + byteLength(content);
    if (end <= start) continue;
    if (offset >= start) {
      rest.push({ offset: offset - start, content });
      continue;
    }
    const bytes = new TextEncoder().encode(content).subarray(start - offset);
    rest.push({ offset: 0, content: new TextDecoder().decode(bytes) });
  }
  return rest;
}

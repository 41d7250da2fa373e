/**
 * The plans of the kernel: rewritings of records that were watched, written into the kernel's
 * memory so that it can repeat them.
 *
 * The watched record is cut into values, which differ between the records of a plan, and the text
 * between them. Everything that the rules decided by is in that text or in the kinds of the values:
 * the keys of the objects that they opened, the words that they compared. So any line with the same
 * text in the same places is rewritten by the same copies.
 *
 * For example, the rules rewrite the first of these records to the second:
 *
 * ```json
 * {"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"Hi"}}
 * {"type":"item.completed","thread_id":"t1","turn_id":"synthetic-turn-1","item_id":"item_3",
 *   "status":"completed","item_type":"agent_message","content":{"text":"Hi"}}
 * ```
 *
 * The values are `"item_3"` and `"Hi"`, and the slots hold the ids of the thread and the turn. The
 * tree gets three branches: the text up to the first value, with the kind of that value; the text
 * between the values, with the kind of the second; and the closing braces, with the end of the
 * line. The plan gets five steps: a text and the slot of the thread, a text and the slot of the
 * turn, a text and the first value, a text and the second value, and the closing braces.
 */

import { isSame, NO_BYTES } from "./bytes.ts";
import {
  BRANCH_KIND,
  BRANCH_LENGTH,
  BRANCH_NEXT,
  BRANCH_TEXT,
  BRANCH_TO,
  EFFECT_CLEAR,
  EFFECT_COUNT,
  EFFECT_VALUE,
  KIND_ARRAY,
  KIND_BOOLEAN,
  KIND_END,
  KIND_ID,
  KIND_NUMBER,
  KIND_OBJECT,
  KIND_STRING,
  KIND_WHOLE,
  MAX_PARTS,
  MAX_VALUES,
  PLACE_END,
  PLACE_START,
  PLACE_STRIDE,
  PLAN_ADDED,
  PLAN_COPIES,
  PLAN_EFFECT_COUNT,
  PLAN_EFFECTS,
  PLAN_FILLED,
  PLAN_KEY,
  PLAN_NOTE,
  PLAN_NOTE_END,
  PLAN_NOTE_STEPS,
  PLAN_NUMBER,
  PLAN_PREFIX,
  PLAN_PREFIX_LENGTH,
  PLAN_RECALLS,
  PLAN_STEP_COUNT,
  PLAN_STEPS,
  SLOT_COUNT,
  STEP_FIRST,
  STEP_LAST,
  STEP_SIZE,
  STEP_SLOT,
  STEP_TEXT,
  STEP_TEXT_LENGTH,
  UNWANTED,
} from "./kernel_layout.ts";
import { JsonReader, noObservations, type Observations } from "./reader.ts";
import type { WatchedRecord } from "./record_watch.ts";
import { type JsonKind, JsonTape } from "./tape.ts";
import { JsonSlice } from "./value.ts";
import { type CopiedPart, type Proof, ValuePlan } from "./value_plan.ts";

// Shows a consumer (a selection or a proof) the record as the rules wrote it, and maps the values
// that it looked at back to the record as it was read.

/**
 * Shows a consumer the record as the rules wrote it.
 *
 * @param watched The record and how it was rewritten.
 * @param reader Reads the written record.
 * @param look The consumer.
 * @returns The observations, as values of the record as it was read; nothing if a value is not a
 *   copy from it.
 */
function lookAtOutput(
  watched: WatchedRecord,
  reader: JsonReader,
  look: (reader: JsonReader, record: JsonSlice) => void,
): Observations | undefined {
  const { output } = watched;
  // The scan needs a control character behind the value: the extra byte is 0.
  const bytes = new Uint8Array(output.length + 1);
  bytes.set(output);
  const record = reader.read(bytes, 0, output.length);
  if (record === undefined) return undefined;
  const seen = noObservations();
  reader.observe(seen);
  look(reader, record);
  reader.observe(undefined);
  return asRead(seen, bytes, watched);
}

/**
 * Maps observations of the output to values of the record that it was made from. Text of the output
 * that was not copied is the same for all records of the plan, so it needs no observation.
 *
 * @returns Nothing if the consumer looked at a slot, at text that only partly comes from the
 *   record, or at more than words and members.
 */
function asRead(
  seen: Observations,
  bytes: Uint8Array,
  { root, copies }: WatchedRecord,
): Observations | undefined {
  if (seen.isOpaque) return undefined;
  const found = noObservations();
  for (const { start, end } of seen.words) {
    const copy = copies.find(({ to, length }) =>
      to < end && start < to + length
    );
    if (copy === undefined) continue;
    const { slot, to, length } = copy;
    if (slot !== -1 || start < to || end > to + length) return undefined;
    found.words.push(sliceAt(root, start - to + copy.start, end - start));
  }
  for (const { bytes: owner, start, end } of seen.opened) {
    if (owner !== bytes) continue;
    const copy = copies.find(({ slot, to, length }) =>
      slot === -1 && to <= start && end <= to + length
    );
    if (copy === undefined) continue;
    found.opened.push(
      sliceAt(root, start - copy.to + copy.start, end - start),
    );
  }
  return found;
}

function sliceAt(
  { bytes }: JsonSlice,
  start: number,
  length: number,
): JsonSlice {
  return new JsonSlice(bytes, start, start + length, "object", false, -1);
}

// The steps that write an output: literal text, slots, and values of the record.

/** A value of a record: its range and its kind (`KIND_STRING` and so on). */
interface Value {
  readonly start: number;
  readonly end: number;
  readonly kind: number;
}

/** The source of the bytes that a step copies. */
type Source =
  | {
    readonly kind: "slot";
    readonly slot: number;
    readonly places: readonly CopiedPart[];
  }
  /** Consecutive values of the record, with the text of the record between them. */
  | {
    readonly kind: "part";
    readonly first: number;
    readonly last: number;
    /** By value, its range in the output of the watched record. */
    readonly places: readonly CopiedPart[];
  };

/** One step of the kernel: a literal text, then a slot or a part of the record. */
interface Step {
  readonly text: Uint8Array;
  /** Absent at the end of the output. */
  readonly source?: Source;
}

/** Returns the offset of the start, or the end, of a value among the places of a line. */
function startPlace(value: number): number {
  return PLACE_START + PLACE_STRIDE * value;
}

function endPlace(value: number): number {
  return PLACE_END + PLACE_STRIDE * value;
}

/**
 * Returns the steps that write an output.
 *
 * @returns Nothing if a part of a value was copied that the kernel cannot find again.
 */
function stepsOf(
  { root, output, copies }: Pick<WatchedRecord, "root" | "output" | "copies">,
  values: readonly Value[],
): readonly Step[] | undefined {
  const steps: Step[] = [];
  /** The text after the last step. */
  let text = NO_BYTES;
  const addSource = (source: Source): void => {
    steps.push({ text, source });
    text = NO_BYTES;
  };
  /**
   * Adds a value. It joins the step before it if the text between the two is the same as in the
   * record.
   */
  const addValue = (index: number, value: Value, to: number): void => {
    const place = { start: to, end: to + value.end - value.start };
    const step = steps.at(-1);
    const from = values[index - 1]?.end ?? root.start;
    if (
      step?.source?.kind === "part" && step.source.last === index - 1 &&
      text.length === value.start - from &&
      isSame(root.bytes, from, text, 0, text.length)
    ) {
      const places = [...step.source.places, place];
      const source = { ...step.source, last: index, places };
      steps[steps.length - 1] = { ...step, source };
      text = NO_BYTES;
    } else {
      addSource({ kind: "part", first: index, last: index, places: [place] });
    }
  };
  const addText = (more: Uint8Array): void => {
    if (more.length === 0) return;
    const joined = new Uint8Array(text.length + more.length);
    joined.set(text);
    joined.set(more, text.length);
    text = joined;
  };
  let at = 0;
  for (const { slot, start, end, to, length } of copies) {
    addText(output.subarray(at, to));
    at = to + length;
    if (slot !== -1) {
      const places = [{ start: to, end: to + length }];
      addSource({ kind: "slot", slot, places });
      continue;
    }
    let from = start;
    for (const [index, value] of values.entries()) {
      if (value.end <= start || value.start >= end) continue;
      // A part of a value cannot be found again.
      if (value.start < start || value.end > end) return undefined;
      addText(root.bytes.subarray(from, value.start));
      addValue(index, value, to + value.start - start);
      from = value.end;
    }
    addText(root.bytes.subarray(from, end));
  }
  addText(output.subarray(at));
  if (text.length > 0) steps.push({ text });
  return steps;
}

/** Returns how many copies the output has of the value that it has most often. */
function mostCopies(steps: readonly Step[]): number {
  const counts = new Map<number, number>();
  for (const { source } of steps) {
    if (source?.kind !== "part") continue;
    for (let value = source.first; value <= source.last; value++) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return Math.max(0, ...counts.values());
}

function partsOf(steps: readonly Step[]): CopiedPart[] {
  return steps.flatMap(({ source }) => source?.places ?? []);
}

/** The kind of a branch, by the kind of the value after its text. */
const KINDS: Readonly<Record<JsonKind, number>> = {
  string: KIND_STRING,
  number: KIND_NUMBER,
  boolean: KIND_BOOLEAN,
  object: KIND_OBJECT,
  array: KIND_ARRAY,
  // A null belongs to the text: another record with a null there never has a value of another kind.
  null: KIND_END,
};

/** The maximum depth of the objects and arrays that a plan opens. */
const LEVELS = 7;
/**
 * The maximum number of branches at one point of the tree. More would come from data that is
 * mistaken for vocabulary.
 */
const MAX_BRANCHES = 48;
/**
 * The root of the tree may have this many times more branches: an app-server has a hundred methods.
 */
const AT_ROOT = 4;
/** The number of plans that may be made before one has been used. */
const CREDIT = 128;
/** The number of lines that a plan has to rewrite to be worth its making. */
const PRICE = 16;
/**
 * After this many lines without a plan another one is made, even if the earlier plans were not
 * used.
 */
const PATIENCE = 256;
const ALIGNMENT = 16;

/** One watched rewriting, as a plan needs it. */
interface Rewriting {
  readonly watched: WatchedRecord;
  readonly steps: readonly Step[];
  /** The effects on the slots, encoded for the kernel. */
  readonly effects: readonly number[];
  readonly note: readonly Step[];
  readonly isWanted: boolean;
}

/** Addresses in the kernel's memory that plans refer to. */
interface KernelPlaces {
  /** The word that holds the address of the first branch. */
  readonly root: number;
  readonly slot: (slot: number) => number;
  readonly values: number;
}

/**
 * Selects records. Compares only words (`JsonReader.wordOf`), so that a plan, which fixes those
 * words, is wanted or not as a whole.
 */
export interface Selection {
  /** Equal for selections of the same records. */
  readonly key: string;
  wants(reader: JsonReader, record: JsonSlice): boolean;
}

/** Which records the kernel writes, and whether values are made of them. */
export interface KernelWishes {
  /** The proof for the values of records; without it, no values are made. */
  readonly proof?: Proof | undefined;
  readonly selection?: Selection | undefined;
}

export class KernelPlans {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #room: { readonly start: number; readonly end: number };
  readonly #places: KernelPlaces;
  readonly #tape = new JsonTape();
  readonly #wishes: KernelWishes;
  readonly #reader = new JsonReader(1);
  #values: (ValuePlan | undefined)[] = [];
  #free: number;
  #credit = CREDIT;

  /**
   * @param memory The kernel's memory.
   * @param room The range of the memory that plans are written to.
   * @param places Addresses in the memory that plans refer to.
   * @param wishes Which records the kernel writes, and whether values are made of them.
   */
  constructor(
    memory: ArrayBuffer,
    room: { readonly start: number; readonly end: number },
    places: KernelPlaces,
    wishes: KernelWishes,
  ) {
    this.#wishes = wishes;
    this.#bytes = new Uint8Array(memory);
    this.#words = new Uint32Array(memory);
    this.#room = room;
    this.#places = places;
    this.#free = room.start;
  }

  /** Whether another plan is worth making. */
  get isEager(): boolean {
    return this.#credit >= 1;
  }

  /**
   * Adds credit for new plans: `lines` were rewritten by plans, and the line after them had no
   * plan.
   */
  earn(lines: number): void {
    const earned = lines / PRICE + 1 / PATIENCE;
    this.#credit = Math.min(CREDIT, this.#credit + earned);
  }

  /**
   * Makes a plan from a watched record, if possible. Uses up credit even if `watched` is absent.
   */
  learn(watched: WatchedRecord | undefined): void {
    this.#credit -= 1;
    if (watched === undefined) return;
    const { root, observations } = watched;
    // The text was found valid when the record was read.
    this.#tape.scan(root.bytes, root.start, root.end, LEVELS);
    const { proof, selection } = this.#wishes;
    let isWanted = true;
    const asked = selection &&
      lookAtOutput(watched, this.#reader, (reader, record) => {
        isWanted = selection.wants(reader, record);
      });
    if (selection !== undefined && asked === undefined) return;
    const seen = asked === undefined ? [observations] : [observations, asked];
    const proved = isWanted && proof &&
      lookAtOutput(watched, this.#reader, proof.look.bind(proof));
    if (proved) {
      const values = this.#cut(root, [...seen, proved]);
      if (this.#add(watched, values, isWanted)) return;
    }
    this.#add(watched, this.#cut(root, seen), isWanted);
  }

  #add(
    watched: WatchedRecord,
    values: readonly Value[] | undefined,
    isWanted: boolean,
  ): boolean {
    if (values === undefined || values.length > MAX_VALUES) return false;
    const { start, end } = watched.root;
    const steps = isWanted ? stepsOf(watched, values) : [];
    const effects = effectsOf(watched, values);
    const note = watched.note === undefined
      ? []
      : stepsOf({ ...watched, ...watched.note }, values);
    if (steps === undefined || effects === undefined) return false;
    if (note === undefined) return false;
    if (partsOf(steps).length > MAX_PARTS) return false;
    // The kernel checks the room for each slot once.
    const slots = steps.filter(({ source }) => source?.kind === "slot");
    if (slots.length > SLOT_COUNT) return false;
    const size = 2 * (end - start) + watched.output.length + PLAN_STEPS +
      (values.length + 1) * (BRANCH_TEXT + 2 * ALIGNMENT) +
      (steps.length + note.length) * (STEP_SIZE + 2 * ALIGNMENT) +
      (watched.note?.output.length ?? 0) +
      4 * effects.length + 1024;
    if (size > this.#room.end - this.#room.start) return false;
    if (this.#free + size > this.#room.end) this.#clear();
    const plan = { watched, steps, effects, note, isWanted };
    return this.#insert(plan, values);
  }

  /** Returns how values are made of the records of a plan; nothing if they have to be parsed. */
  valuePlan(number: number): ValuePlan | undefined {
    return this.#values[number];
  }

  clear(): void {
    this.#clear();
    this.begin();
  }

  /** Begins another stream, whose records may have other forms: credits new plans. */
  begin(): void {
    this.#credit = CREDIT;
  }

  #clear(): void {
    this.#values = [];
    this.#free = this.#room.start;
    this.#words[this.#places.root >> 2] = 0;
  }

  /**
   * Returns the values of a record, which are not part of its text; nothing if the rules looked too
   * deep.
   */
  #cut(
    root: JsonSlice,
    observed: readonly Observations[],
  ): readonly Value[] | undefined {
    const tape = this.#tape;
    const starts = (
      of: (observations: Observations) => readonly JsonSlice[],
    ): ReadonlySet<number> =>
      new Set(
        observed.flatMap(of).filter(({ bytes }) => bytes === root.bytes)
          .map(({ start }) => start),
      );
    const words = starts((observations) => observations.words);
    const wholes = starts((observations) => observations.wholes);
    const opened = starts((observations) => observations.opened);
    const ids = starts(({ kept }) => kept.map(({ value }) => value));
    const values: Value[] = [];
    const walk = (entry: number, level: number): boolean => {
      if (level > LEVELS) return false;
      const behind = tape.next(entry);
      for (let at = entry + 1; at < behind; at = tape.next(at)) {
        const start = tape.start(at);
        const name = tape.kind(at);
        if (words.has(start) || name === "null") continue;
        if (opened.has(start)) {
          if (!walk(at, level + 1)) return false;
          continue;
        }
        const kind = wholes.has(start)
          ? KIND_WHOLE
          : ids.has(start)
          ? KIND_ID
          : KINDS[name];
        values.push({ start, end: tape.end(at), kind });
      }
      return true;
    };
    return walk(0, 1) ? values : undefined;
  }

  #insert(
    rewriting: Rewriting,
    values: readonly Value[],
  ): boolean {
    const { root, filled } = rewriting.watched;
    const words = this.#words;
    let head = this.#places.root;
    let from = root.start;
    for (const { start, end, kind } of values) {
      const text = root.bytes.subarray(from, start);
      const branch = this.#branch(head, text, kind);
      if (branch === undefined) return false;
      head = branch + BRANCH_TO;
      from = end;
    }
    const mask = filled.reduce((bits, is, i) => is ? bits | (1 << i) : bits, 0);
    const text = root.bytes.subarray(from, root.end);
    const plan = this.#plan(rewriting, values, mask);
    const branch = this.#branch(head, text, KIND_END, mask);
    if (branch === undefined) return false;
    words[(branch + BRANCH_TO) >> 2] = plan;
    return true;
  }

  /**
   * Finds a branch, or adds it in front of the others.
   *
   * @param head The word that holds the address of the first branch.
   * @param mask At the end of a line: the slots that must hold a text.
   * @returns Nothing if there are too many branches already.
   */
  #branch(
    head: number,
    text: Uint8Array,
    kind: number,
    mask?: number,
  ): number | undefined {
    const words = this.#words;
    let count = 0;
    for (let at = words[head >> 2] ?? 0; at !== 0;) {
      count += 1;
      const plan = words[(at + BRANCH_TO) >> 2] ?? 0;
      if (
        words[(at + BRANCH_KIND) >> 2] === kind &&
        words[(at + BRANCH_LENGTH) >> 2] === text.length &&
        (mask === undefined || words[(plan + PLAN_FILLED) >> 2] === mask) &&
        text.every((byte, i) => byte === this.#bytes[at + BRANCH_TEXT + i])
      ) return at;
      at = words[(at + BRANCH_NEXT) >> 2] ?? 0;
    }
    const isRoot = head === this.#places.root;
    if (count >= (isRoot ? AT_ROOT * MAX_BRANCHES : MAX_BRANCHES)) {
      return undefined;
    }
    const branch = this.#take(BRANCH_TEXT + text.length);
    words[(branch + BRANCH_NEXT) >> 2] = words[head >> 2] ?? 0;
    words[(branch + BRANCH_TO) >> 2] = 0;
    words[(branch + BRANCH_KIND) >> 2] = kind;
    words[(branch + BRANCH_LENGTH) >> 2] = text.length;
    this.#bytes.set(text, branch + BRANCH_TEXT);
    words[head >> 2] = branch;
    return branch;
  }

  #plan(
    { watched, steps, effects, note, isWanted }: Rewriting,
    values: readonly Value[],
    mask: number,
  ): number {
    const { effects: slotEffects, output, key, isRecalled } = watched;
    const { proof } = this.#wishes;
    const words = this.#words;
    const plan = this.#take(PLAN_STEPS + STEP_SIZE * steps.length);
    const counted = slotEffects.find((effect) => effect.kind === "count");
    const prefix = counted?.kind === "count" ? counted.text : NO_BYTES;
    let number = 0;
    if (!isWanted) number = UNWANTED;
    else if (proof !== undefined) {
      number = this.#values.length;
      this.#values.push(ValuePlan.of(output, partsOf(steps), proof));
    }
    const added = this.#writeSteps(plan + PLAN_STEPS, steps);
    const noteEnd = STEP_SIZE * note.length;
    const noteAt = this.#take(noteEnd);
    this.#writeSteps(noteAt, note);
    words[(plan + PLAN_FILLED) >> 2] = mask;
    words[(plan + PLAN_ADDED) >> 2] = added;
    words[(plan + PLAN_COPIES) >> 2] = mostCopies(steps);
    words[(plan + PLAN_EFFECT_COUNT) >> 2] = effects.length / 2;
    words[(plan + PLAN_EFFECTS) >> 2] = this.#writeWords(effects);
    words[(plan + PLAN_PREFIX) >> 2] = this.#write(prefix);
    words[(plan + PLAN_PREFIX_LENGTH) >> 2] = prefix.length;
    words[(plan + PLAN_NUMBER) >> 2] = number;
    words[(plan + PLAN_KEY) >> 2] = key === undefined
      ? 0
      : this.#keyPlace(key, values);
    words[(plan + PLAN_RECALLS) >> 2] = isRecalled ? 1 : 0;
    words[(plan + PLAN_NOTE) >> 2] = watched.note?.kind ?? 0;
    words[(plan + PLAN_NOTE_STEPS) >> 2] = noteAt;
    words[(plan + PLAN_NOTE_END) >> 2] = noteAt + noteEnd;
    words[(plan + PLAN_STEP_COUNT) >> 2] = steps.length;
    return plan;
  }

  /** Writes steps; returns how many bytes they add to the values that they copy. */
  #writeSteps(start: number, steps: readonly Step[]): number {
    const words = this.#words;
    let added = 0;
    for (const [i, { text, source }] of steps.entries()) {
      const at = start + STEP_SIZE * i;
      const part = source?.kind === "part" ? source : undefined;
      const slot = source?.kind === "slot" ? this.#places.slot(source.slot) : 0;
      words[(at + STEP_TEXT) >> 2] = this.#write(text);
      words[(at + STEP_TEXT_LENGTH) >> 2] = text.length;
      words[(at + STEP_SLOT) >> 2] = slot;
      words[(at + STEP_FIRST) >> 2] = part === undefined
        ? 0
        : startPlace(part.first);
      words[(at + STEP_LAST) >> 2] = part === undefined
        ? 0
        : endPlace(part.last);
      added += text.length;
    }
    return added;
  }

  /**
   * Returns the address of the place of a key: a value of the line, or a text that is the same in
   * all lines of the plan.
   */
  #keyPlace(
    { bytes, start, end }: JsonSlice,
    values: readonly Value[],
  ): number {
    const value = values.findIndex((each) => each.start === start);
    if (value !== -1) {
      return this.#places.values + startPlace(value);
    }
    const text = this.#write(bytes.subarray(start, end));
    return this.#writeWords([text, text + end - start]);
  }

  #write(text: Uint8Array): number {
    const at = this.#take(text.length);
    this.#bytes.set(text, at);
    return at;
  }

  #writeWords(words: readonly number[]): number {
    const at = this.#take(4 * words.length);
    this.#words.set(words, at >> 2);
    return at;
  }

  #take(size: number): number {
    const at = this.#free;
    // One unit more, because the kernel loads 16 bytes at a time.
    this.#free += ALIGNMENT * (1 + Math.ceil(size / ALIGNMENT));
    return at;
  }
}

/**
 * Encodes the effects on the slots for the kernel, as pairs of a slot and an effect; returns
 * nothing if a slot gets a text that is no value.
 */
function effectsOf(
  { effects }: WatchedRecord,
  values: readonly Value[],
): readonly number[] | undefined {
  const numbers: number[] = [];
  for (const [slot, effect] of effects.entries()) {
    if (effect.kind === "clear") numbers.push(slot, EFFECT_CLEAR);
    else if (effect.kind === "count") numbers.push(slot, EFFECT_COUNT);
    else if (effect.kind === "value") {
      const { start, end } = effect.value;
      const value = values.findIndex((each) =>
        each.start === start && each.end === end
      );
      if (value === -1) return undefined;
      numbers.push(slot, EFFECT_VALUE | (value << 8));
    }
  }
  return numbers;
}

/**
 * The plans of the kernel: what the rules were seen to do with a record, written into its
 * memory.
 *
 * The record is cut into values, which like records have others of, and the text between
 * them. All that the rules went by is in that text or in the kinds of the values: the keys
 * of the objects that they opened, the words that they looked at. So whatever has the same
 * text in the same places is rewritten by the same copies.
 */

import { isSame } from "./bytes.ts";
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
  PLAN_CUT,
  PLAN_CUT_LENGTH,
  PLAN_CUT_TAIL,
  PLAN_CUT_TEXT,
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
  STEP_AFTER,
  STEP_BEFORE,
  STEP_FIRST,
  STEP_LAST,
  STEP_SIZE,
  STEP_SLOT,
  STEP_TEXT,
  STEP_TEXT_LENGTH,
  UNWANTED,
} from "./kernel_layout.ts";
import {
  JsonReader,
  noObservations,
  type Observations,
  type ObservedCut,
} from "./reader.ts";
import type { WatchedRecord } from "./record_watch.ts";
import { type JsonKind, JsonTape } from "./tape.ts";
import { JsonSlice } from "./value.ts";
import { type CopiedPart, type Proof, ValuePlan } from "./value_plan.ts";

// Lets a consumer look at a record as the rules wrote it, and finds out which values those were
// in the record as it was read.

/**
 * Has a consumer look at a record as it was written.
 *
 * @param watched What was done with it.
 * @param reader Reads it.
 * @returns What was looked at, in the record as it was read; nothing if that is not there.
 */
function lookAtOutput(
  watched: WatchedRecord,
  reader: JsonReader,
  look: (reader: JsonReader, record: JsonSlice) => void,
): Observations | undefined {
  const { output } = watched;
  // The text behind a value must be a control character.
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
 * Finds what was looked at in an output in the record that it was made of; what is not from
 * there is always the same.
 *
 * @returns Nothing if something else was looked at.
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

// What the output of the rules consists of: values of the record, slots, and text.

/** A value of a record, and where in it. */
interface Value {
  readonly start: number;
  readonly end: number;
  readonly kind: number;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** A piece of the output. */
type Piece =
  | { readonly kind: "text"; readonly text: Uint8Array }
  | {
    readonly kind: "slot";
    readonly slot: number;
    readonly places: readonly Place[];
  }
  /** Values that follow one another in the record, and text of the record around them. */
  | {
    readonly kind: "part";
    readonly first: number;
    readonly last: number;
    readonly before: number;
    /** How much of the last one is left out: the quote of a string that goes on. */
    readonly after: number;
    /** Where in the output of the record that was watched each of them is. */
    readonly places: readonly Place[];
  };

/** Where the place is that a value starts at, or ends at, behind that of the line. */
function startPlace(value: number): number {
  return PLACE_START + PLACE_STRIDE * value;
}

function endPlace(value: number): number {
  return PLACE_END + PLACE_STRIDE * value;
}

/** What is left out at the end of a value: a text, and the inside of another value. */
interface Cut {
  readonly value: number;
  readonly text: Uint8Array;
  readonly tail: number;
}

/** What was left out, by its values; nothing if these are none. */
function cutOf(
  { value, text, tail }: ObservedCut,
  values: readonly Value[],
): Cut | undefined {
  const indexOf = ({ start }: JsonSlice): number =>
    values.findIndex((each) => each.start === start);
  const cut = { value: indexOf(value), text, tail: indexOf(tail) };
  return cut.value === -1 || cut.tail === -1 ? undefined : cut;
}

/**
 * The pieces that an output consists of.
 *
 * @param isTraced Whether the places of values in the output are to be known.
 */
function piecesOf(
  { root, output, copies, observations }: Pick<
    WatchedRecord,
    "root" | "output" | "copies" | "observations"
  >,
  values: readonly Value[],
  isTraced: boolean,
): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  /** Takes a value whose text in the output ends with that of the record before it. */
  const addValue = (index: number, value: Value, to: number): void => {
    const place = { start: to, end: to + value.end - value.start };
    const before = values[index - 1];
    const from = before?.end ?? root.start;
    const text = pieces.at(-1)?.kind === "text" ? pieces.at(-1) : undefined;
    const bytes = text?.kind === "text" ? text.text : NOTHING;
    const between = value.start - from;
    const isWhole = bytes.length >= between &&
      isSame(root.bytes, from, bytes, bytes.length - between, between);
    const earlier = pieces.at(text === undefined ? -1 : -2);
    if (
      isWhole && bytes.length === between && earlier?.kind === "part" &&
      earlier.last === index - 1
    ) {
      pieces.length -= text === undefined ? 1 : 2;
      const places = [...earlier.places, place];
      pieces.push({ ...earlier, last: index, places });
      return;
    }
    if (isWhole && text !== undefined) {
      pieces.pop();
      const rest = bytes.subarray(0, bytes.length - between);
      if (rest.length > 0) pieces.push({ kind: "text", text: rest });
    }
    pieces.push({
      kind: "part",
      first: index,
      last: index,
      before: isWhole ? between : 0,
      after: 0,
      places: [place],
    });
  };
  const addText = (text: Uint8Array): void => {
    if (text.length === 0) return;
    const last = pieces.at(-1);
    if (last?.kind !== "text") pieces.push({ kind: "text", text });
    else {
      const joined = new Uint8Array(last.text.length + text.length);
      joined.set(last.text);
      joined.set(text, last.text.length);
      pieces[pieces.length - 1] = { kind: "text", text: joined };
    }
  };
  let at = 0;
  for (const { slot, start, end, to, length } of copies) {
    addText(output.subarray(at, to));
    at = to + length;
    if (slot !== -1) {
      const places = [{ start: to, end: to + length }];
      pieces.push({ kind: "slot", slot, places });
      continue;
    }
    let from = start;
    for (const [index, value] of values.entries()) {
      if (value.end <= start || value.start >= end) continue;
      if (value.start < start || value.end > end) {
        const isInside = value.kind === KIND_STRING &&
          value.start + 1 === start;
        const isCut = observations.cuts.some((cut) =>
          cut.value.start === value.start && cut.end === end
        );
        const isWhole = value.end - 1 === end;
        // Another part of a value cannot be found again, nor this one by its place.
        if (!isInside || !(isWhole || isCut) || isTraced) return undefined;
        const last = isWhole
          ? { last: index, after: 1 }
          : { last: values.length, after: 0 };
        pieces.push({
          kind: "part",
          first: index,
          before: -1,
          ...last,
          places: [],
        });
        from = end;
        break;
      }
      addText(root.bytes.subarray(from, value.start));
      addValue(index, value, to + value.start - start);
      from = value.end;
    }
    addText(root.bytes.subarray(from, end));
  }
  addText(output.subarray(at));
  return pieces;
}

/** One step of the kernel: a text, then a slot or a part of the record. */
interface Step {
  readonly text: Uint8Array;
  readonly source: Exclude<Piece, { kind: "text" }> | undefined;
}

/** The steps that write the pieces. */
function stepsOf(pieces: readonly Piece[]): readonly Step[] {
  const steps: Step[] = [];
  let text: Uint8Array | undefined;
  for (const piece of pieces) {
    if (piece.kind === "text") text = piece.text;
    else {
      steps.push({ text: text ?? NOTHING, source: piece });
      text = undefined;
    }
  }
  if (text !== undefined) steps.push({ text, source: undefined });
  return steps;
}

/** How often the value is in the output that is there most often. */
function mostCopies(pieces: readonly Piece[]): number {
  const counts = new Map<number, number>();
  for (const piece of pieces) {
    if (piece.kind !== "part") continue;
    for (let value = piece.first; value <= piece.last; value++) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return Math.max(0, ...counts.values());
}

/** The parts of an output that were copied, in order. */
function partsOf(pieces: readonly Piece[]): CopiedPart[] {
  return pieces.flatMap((piece) => {
    if (piece.kind === "text") return [];
    const slot = piece.kind === "slot" ? piece.slot : undefined;
    return piece.places.map((place) => ({ ...place, slot }));
  });
}

/** What follows a piece of text where there is a value of a kind. */
const KINDS: Readonly<Record<JsonKind, number>> = {
  string: KIND_STRING,
  number: KIND_NUMBER,
  boolean: KIND_BOOLEAN,
  object: KIND_OBJECT,
  array: KIND_ARRAY,
  // Where one null is, another kind of value is not: it is text.
  null: KIND_END,
};

/** How deep the parts may lie that the rules asked for. */
const LEVELS = 7;
/** A place with more branches than this is taken up by data that looks like vocabulary. */
const MAX_BRANCHES = 48;
const FINE_BRANCHES = 16;
/** Where records begin, there are so many times more: an app-server has a hundred methods. */
const AT_ROOT = 4;
/** An object with more members than this is a table of data. */
const FINE_MEMBERS = 24;
/** How many plans may be made before any has been of use. */
const CREDIT = 128;
/** How many lines a plan has to rewrite to be worth the making. */
const PRICE = 16;
/** After how many lines that no plan was for another one is made, whatever became of others. */
const PATIENCE = 256;
const ALIGNMENT = 16;
interface Rewriting {
  readonly watched: WatchedRecord;
  readonly pieces: readonly Piece[];
  /** What becomes of the slots, as the kernel has it. */
  readonly effects: readonly number[];
  /** The pieces of what is noted. */
  readonly note: readonly Piece[];
  /** What is left out of a string. */
  readonly cut: Cut | undefined;
  readonly isWanted: boolean;
}

interface KernelPlaces {
  /** The word that leads to the first branch. */
  readonly root: number;
  /** Where a slot is. */
  readonly slot: (slot: number) => number;
  /** The places of the values of a line. */
  readonly values: number;
}

/** Tells wanted records from others, by words alone. */
interface Selection {
  /** The same for those that want the same. */
  readonly key: string;
  /** Says whether a record, as it was written, is wanted. */
  wants(reader: JsonReader, record: JsonSlice): boolean;
}

/** What is to be made of records, besides their text. */
export interface KernelWishes {
  /** What is to be proven of their values; without it, none are made. */
  readonly proof?: Proof | undefined;
  /** Which ones are wanted; all, without it. */
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
   * Constructs a new instance.
   *
   * @param room The part of it that plans are written to.
   * @param wishes What is to be made of records.
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

  /** Whether there is use in making another plan. */
  get isEager(): boolean {
    return this.#credit >= 1;
  }

  /** Takes to account that some lines were rewritten by plans, and the next one was not. */
  earn(lines: number): void {
    const earned = lines / PRICE + 1 / PATIENCE;
    this.#credit = Math.min(CREDIT, this.#credit + earned);
  }

  /** Makes a plan, if one can be made. */
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
    const add = (
      seen: readonly Observations[],
      isFine: boolean,
      maxBranches: number,
    ): boolean => {
      const values = this.#cut(root, seen, isFine);
      return this.#add(watched, values, maxBranches, isWanted);
    };
    if (isWanted) {
      const proved = proof &&
        lookAtOutput(watched, this.#reader, proof.look.bind(proof));
      if (
        proved !== undefined && add([...seen, proved], true, MAX_BRANCHES)
      ) return;
      // What the rules did not open, but most likely comes again with the same keys, is read
      // faster as text.
      if (add(seen, true, FINE_BRANCHES)) return;
    }
    add(seen, false, MAX_BRANCHES);
  }

  /** Adds a plan; says whether it was possible. */
  #add(
    watched: WatchedRecord,
    values: readonly Value[] | undefined,
    maxBranches: number,
    isWanted: boolean,
  ): boolean {
    if (values === undefined || values.length > MAX_VALUES) return false;
    const { start, end } = watched.root;
    const pieces = isWanted
      ? piecesOf(watched, values, this.#wishes.proof !== undefined)
      : [];
    const effects = effectsOf(watched, values);
    const note = watched.note === undefined
      ? []
      : piecesOf({ ...watched, ...watched.note }, values, false);
    if (pieces === undefined || effects === undefined) return false;
    const { cuts } = watched.observations;
    const cut = cuts[0] && cutOf(cuts[0], values);
    // A plan has room for one.
    if (cuts.length > (cut === undefined ? 0 : 1)) return false;
    if (note === undefined) return false;
    if (partsOf(pieces).length > MAX_PARTS) return false;
    const size = 2 * (end - start) + watched.output.length + PLAN_STEPS +
      (values.length + 1) * (BRANCH_TEXT + 2 * ALIGNMENT) +
      (pieces.length + note.length) * (STEP_SIZE + ALIGNMENT) +
      (watched.note?.output.length ?? 0) +
      4 * effects.length + 1024;
    if (size > this.#room.end - this.#room.start) return false;
    if (this.#free + size > this.#room.end) this.#clear();
    const plan = { watched, pieces, effects, note, cut, isWanted };
    return this.#insert(plan, values, maxBranches);
  }

  /** How values are made of the records with a plan; nothing if they have to be parsed. */
  valuePlan(number: number): ValuePlan | undefined {
    return this.#values[number];
  }

  /** Forgets all plans. */
  clear(): void {
    this.#clear();
    this.begin();
  }

  /** Begins with another stream, whose records may be of other kinds. */
  begin(): void {
    this.#credit = CREDIT;
  }

  #clear(): void {
    this.#values = [];
    this.#free = this.#room.start;
    this.#words[this.#places.root >> 2] = 0;
  }

  /** The values of a record that are not text; nothing if the rules looked too deep. */
  #cut(
    root: JsonSlice,
    observed: readonly Observations[],
    isFine: boolean,
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
        if (name === "object" || name === "array") {
          const isOpened = opened.has(start);
          if (isOpened || (isFine && this.#isUsual(at, level))) {
            if (!walk(at, level + 1)) return false;
            continue;
          }
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

  /** Whether other records most likely have a container with the same keys. */
  #isUsual(entry: number, level: number): boolean {
    if (level >= LEVELS) return false;
    const tape = this.#tape;
    const max = tape.kind(entry) === "array" ? 1 : FINE_MEMBERS;
    const behind = tape.next(entry);
    let count = 0;
    for (let at = entry + 1; at < behind; at = tape.next(at)) count += 1;
    return count <= max;
  }

  #insert(
    rewriting: Rewriting,
    values: readonly Value[],
    maxBranches: number,
  ): boolean {
    const { root, filled } = rewriting.watched;
    const words = this.#words;
    let head = this.#places.root;
    let from = root.start;
    for (const { start, end, kind } of values) {
      const text = root.bytes.subarray(from, start);
      const branch = this.#branch(head, text, kind, maxBranches);
      if (branch === undefined) return false;
      head = branch + BRANCH_TO;
      from = end;
    }
    const mask = filled.reduce((bits, is, i) => is ? bits | (1 << i) : bits, 0);
    const text = root.bytes.subarray(from, root.end);
    const plan = this.#plan(rewriting, values, mask);
    const branch = this.#branch(head, text, KIND_END, maxBranches, mask);
    if (branch === undefined) return false;
    words[(branch + BRANCH_TO) >> 2] = plan;
    return true;
  }

  /**
   * Finds a branch or makes one.
   *
   * @returns Nothing if there are too many already.
   */
  #branch(
    head: number,
    text: Uint8Array,
    kind: number,
    maxBranches: number,
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
    const most = head === this.#places.root
      ? AT_ROOT * maxBranches
      : maxBranches;
    if (count >= most) return undefined;
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
    { watched, pieces, effects, note, cut, isWanted }: Rewriting,
    values: readonly Value[],
    mask: number,
  ): number {
    const { effects: slotEffects, output, key, isRecalled } = watched;
    const { proof } = this.#wishes;
    const words = this.#words;
    const steps = stepsOf(pieces);
    const plan = this.#take(PLAN_STEPS + STEP_SIZE * steps.length);
    const counted = slotEffects.find((effect) => effect.kind === "count");
    const prefix = counted?.kind === "count" ? counted.text : NOTHING;
    let number = 0;
    if (!isWanted) number = UNWANTED;
    else if (proof !== undefined) {
      number = this.#values.length;
      this.#values.push(ValuePlan.of(output, partsOf(pieces), proof));
    }
    const added = this.#writeSteps(plan + PLAN_STEPS, steps);
    const noteSteps = stepsOf(note);
    const noteEnd = STEP_SIZE * noteSteps.length;
    const noteAt = this.#take(noteEnd);
    this.#writeSteps(noteAt, noteSteps);
    words[(plan + PLAN_FILLED) >> 2] = mask;
    words[(plan + PLAN_ADDED) >> 2] = added;
    words[(plan + PLAN_COPIES) >> 2] = mostCopies(pieces);
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
    words[(plan + PLAN_CUT) >> 2] = 0;
    if (cut !== undefined) {
      const { values: places } = this.#places;
      words[(plan + PLAN_CUT) >> 2] = places + startPlace(cut.value);
      words[(plan + PLAN_CUT_TAIL) >> 2] = places + startPlace(cut.tail);
      words[(plan + PLAN_CUT_TEXT) >> 2] = this.#write(cut.text);
      words[(plan + PLAN_CUT_LENGTH) >> 2] = cut.text.length;
    }
    words[(plan + PLAN_STEP_COUNT) >> 2] = steps.length;
    return plan;
  }

  /** Writes steps; gives how many bytes they add to the values that they copy. */
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
      words[(at + STEP_BEFORE) >> 2] = part?.before ?? 0;
      words[(at + STEP_AFTER) >> 2] = part?.after ?? 0;
      words[(at + STEP_LAST) >> 2] = part === undefined
        ? 0
        : endPlace(part.last);
      added += text.length + (part?.before ?? 0);
    }
    return added;
  }

  /** Where it is written where a key is: it is a value, or the same in all lines of a plan. */
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

  /** Writes a text, and gives its place. */
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
    // One more piece, because the kernel reads whole ones.
    this.#free += ALIGNMENT * (1 + Math.ceil(size / ALIGNMENT));
    return at;
  }
}

const NOTHING = new Uint8Array(0);

/** What becomes of the slots, as the kernel has it: pairs of a slot and an effect. */
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

/**
 * The plans of the kernel: what the rules were seen to do with a record, written into its
 * memory.
 *
 * The record is cut into values, which like records have others of, and the text between
 * them. All that the rules went by is in that text or in the kinds of the values: the keys
 * of the objects that they opened, the words that they looked at. So whatever has the same
 * text in the same places is rewritten by the same copies.
 */

import {
  effectsOf,
  firstPlace,
  lastPlace,
  NOTE_WORDS,
  notesOf,
} from "./kernel_effects.ts";
import { WordCache } from "./names.ts";
import { type Proof, ValuePlan } from "./value_plan.ts";
import { JsonReader, type Observations } from "./reader.ts";
import {
  mostCopies,
  partsOf,
  type Piece,
  piecesOf,
  stepsOf,
  type Value,
} from "./record_pieces.ts";
import { lookAtOutput } from "./output_look.ts";
import type { WatchedRecord } from "./record_watch.ts";
import { type JsonKind, JsonTape } from "./tape.ts";
import type { JsonSlice } from "./value.ts";

/** What follows a piece of text; the kinds of kernel/wasm/kernel.ts. */
const END = 0;
const WHOLE = 3;
const ID = 7;
const SAME = 8;
const KINDS: Readonly<Record<JsonKind, number>> = {
  string: 1,
  number: 2,
  boolean: 4,
  object: 5,
  array: 6,
  // Where one null is, another kind of value is not: it is text.
  null: END,
};

/** The number of plans whose records nobody wants. */
const UNWANTED = 0xffffffff;

/** Records with more values than this are seldom seen twice. */
const MAX_VALUES = 100;
/** How deep the parts may lie that the rules asked for. */
const LEVELS = 7;
/** A place with more branches than this is taken up by data that looks like vocabulary. */
const MAX_BRANCHES = 48;
const FINE_BRANCHES = 16;
/** An object with more members than this is a table of data. */
const FINE_MEMBERS = 24;
/** How many plans may be made before any has been of use. */
const CREDIT = 128;
/** How many lines a plan has to rewrite to be worth the making. */
const PRICE = 16;
/** After how many lines that no plan was for another one is made, whatever became of others. */
const PATIENCE = 256;
const ALIGNMENT = 16;
/** What stands before the text of a branch; before the steps of a plan; one of these. */
const BRANCH_HEAD = 16;
const PLAN_HEAD = 48;
const STEP = 32;

/** How a record was rewritten. */
interface Rewriting {
  readonly watched: WatchedRecord;
  /** The pieces of the output. */
  readonly pieces: readonly Piece[];
  /** What becomes of the slots, as the kernel has it. */
  readonly effects: readonly number[];
  /** The notes, as the kernel has them. */
  readonly notes: readonly number[];
  readonly isWanted: boolean;
}

/** Where things are in the memory of the kernel. */
export interface KernelPlaces {
  /** The word that leads to the first branch. */
  readonly root: number;
  /** Where a slot is. */
  readonly slot: (slot: number) => number;
}

/** Tells wanted records from others, by words alone. */
export interface Selection {
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

/** The plans of one stream. */
export class KernelPlans {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #room: { readonly start: number; readonly end: number };
  readonly #places: KernelPlaces;
  readonly #tape = new JsonTape(new WordCache());
  readonly #wishes: KernelWishes;
  readonly #reader = new JsonReader(1);
  #values: (ValuePlan | undefined)[] = [];
  #free: number;
  #credit = CREDIT;

  /**
   * Constructs a new instance.
   *
   * @param memory The memory of the kernel.
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

  /** Makes a plan, if one can be made; says whether. */
  learn(watched: WatchedRecord | undefined): boolean {
    this.#credit -= 1;
    if (watched === undefined) return false;
    const { root, observations } = watched;
    // The text was found valid when the record was read.
    this.#tape.scan(root.bytes, root.start, root.end, LEVELS);
    const { proof, selection } = this.#wishes;
    let isWanted = true;
    const asked = selection &&
      lookAtOutput(watched, this.#reader, (reader, record) => {
        isWanted = selection.wants(reader, record);
      });
    if (selection !== undefined && asked === undefined) return false;
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
      ) return true;
      // What the rules did not open, but most likely comes again with the same keys, is read
      // faster as text.
      if (add(seen, true, FINE_BRANCHES)) return true;
    }
    return add(seen, false, MAX_BRANCHES);
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
    const pieces = isWanted ? piecesOf(watched, values) : [];
    const effects = effectsOf(watched, values);
    const notes = notesOf(watched, values);
    if (
      pieces === undefined || effects === undefined || notes === undefined
    ) return false;
    const size = end - start + watched.output.length + PLAN_HEAD +
      (values.length + 1) * (BRANCH_HEAD + 2 * ALIGNMENT) +
      pieces.length * (STEP + ALIGNMENT) + 4 * (effects.length + notes.length) +
      1024;
    if (size > this.#room.end - this.#room.start) return false;
    if (this.#free + size > this.#room.end) this.#clear();
    const plan = { watched, pieces, effects, notes, isWanted };
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
    const ids = starts(({ kept }) =>
      kept.filter(({ isId }) => isId).map(({ value }) => value)
    );
    // What is kept of a value, or made of it, is of all of it.
    const undivided = starts(({ kept, made }) =>
      [...kept, ...made].map(({ value }) => value)
    );
    const sames = new Map(
      observed.flatMap(({ sames }) => sames)
        .map(({ value, slot }) => [value.start, slot]),
    );
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
          const isSplit = isOpened || (isFine && this.#isUsual(at, level));
          if (isSplit && !undivided.has(start)) {
            if (!walk(at, level + 1)) return false;
            continue;
          }
        }
        const slot = sames.get(start);
        const kind = slot !== undefined
          ? SAME + slot
          : wholes.has(start)
          ? WHOLE
          : ids.has(start)
          ? ID
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
      head = branch + 4;
      from = end;
    }
    const mask = filled.reduce((bits, is, i) => is ? bits | (1 << i) : bits, 0);
    const text = root.bytes.subarray(from, root.end);
    const plan = this.#plan(rewriting, mask);
    const branch = this.#branch(head, text, END, maxBranches, mask);
    if (branch === undefined) return false;
    words[(branch + 4) >> 2] = plan;
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
    for (let at = words[head >> 2] ?? 0; at !== 0; at = words[at >> 2] ?? 0) {
      count += 1;
      const plan = words[(at + 4) >> 2] ?? 0;
      if (
        words[(at + 8) >> 2] === kind &&
        words[(at + 12) >> 2] === text.length &&
        (mask === undefined || words[plan >> 2] === mask) &&
        text.every((byte, i) => byte === this.#bytes[at + BRANCH_HEAD + i])
      ) return at;
    }
    if (count >= maxBranches) return undefined;
    const branch = this.#take(BRANCH_HEAD + text.length);
    words[branch >> 2] = words[head >> 2] ?? 0;
    words[(branch + 4) >> 2] = 0;
    words[(branch + 8) >> 2] = kind;
    words[(branch + 12) >> 2] = text.length;
    this.#bytes.set(text, branch + BRANCH_HEAD);
    words[head >> 2] = branch;
    return branch;
  }

  #plan(
    { watched, pieces, effects, notes, isWanted }: Rewriting,
    mask: number,
  ): number {
    const { effects: slotEffects, output } = watched;
    const { proof } = this.#wishes;
    const words = this.#words;
    const steps = stepsOf(pieces);
    const plan = this.#take(PLAN_HEAD + STEP * steps.length);
    const counted = slotEffects.find((effect) => effect.kind === "count");
    const prefix = counted?.kind === "count" ? counted.text : NOTHING;
    const at = plan >> 2;
    words.fill(0, at, at + (PLAN_HEAD >> 2));
    words[at] = mask;
    words[at + 2] = effects.length / 2;
    words[at + 3] = mostCopies(pieces);
    words[at + 4] = this.#write(prefix);
    words[at + 5] = prefix.length;
    words[at + 6] = steps.length;
    if (!isWanted) words[at + 7] = UNWANTED;
    else if (proof !== undefined) {
      words[at + 7] = this.#values.length;
      this.#values.push(ValuePlan.of(output, partsOf(pieces), proof));
    }
    words[at + 8] = this.#writeWords(effects);
    words[at + 9] = notes.length / NOTE_WORDS;
    words[at + 10] = this.#writeWords(notes);
    let room = 0;
    steps.forEach(({ text, source }, i) => {
      const step = at + ((PLAN_HEAD + STEP * i) >> 2);
      words.fill(0, step, step + (STEP >> 2));
      words[step] = this.#write(text);
      words[step + 1] = text.length;
      room += text.length;
      if (source?.kind === "slot") {
        words[step + 2] = this.#places.slot(source.slot);
      } else if (source?.kind === "part") {
        words[step + 3] = firstPlace(source.first);
        words[step + 4] = -source.before;
        words[step + 5] = lastPlace(source.last);
        room += source.before;
      }
    });
    words[at + 1] = room;
    return plan;
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

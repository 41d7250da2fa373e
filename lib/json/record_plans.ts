/**
 * Does with a record what was done with another one of the same shape, without asking the
 * rules again.
 *
 * The rules are watched while they rewrite the first record of a shape: what they copy from
 * it, what they put between, and of which values they look at the text. If that is only
 * words such as types, and whether numbers are integers, then every record of the same
 * shape with the same words is rewritten by the same copies. Which rules those are does not
 * matter here, so there is one set of them (bench case `small` with and without: 0.6).
 */

import { copyOf } from "./bytes.ts";
import type { ByteWriter } from "./byte_writer.ts";
import { isWhole } from "./number.ts";
import type { JsonReader } from "./reader.ts";
import type { Slots, WatchedRecord } from "./record_watch.ts";
import { type JsonTape, NAMED_ENTRIES, type TapeShape } from "./tape.ts";

/** Shapes with more values than this are seldom seen twice. */
const MAX_ENTRIES = NAMED_ENTRIES;
/** A stream that Codex wrote has some dozens of shapes; of more, the first ones have plans. */
const MAX_PLANS = 256;
/** More plans than this for one shape are taken up by data that looks like vocabulary. */
const MAX_ALIKE = 24;
/** How many plans may be made before any has been of use. */
const CREDIT = 128;
/**
 * What a record that a plan was found for gives back of that, and what every record does, so
 * that a stream whose shapes never come again is watched now and then only: one of 100 MB took
 * 34 s with a plan for each record.
 */
const USE = 1 / 4;
const RECORD = 1 / 256;
/** What the bytes of one operation are: an entry, a slot, or a literal. */
const ENTRY = 0;
const SLOT = 1;
const LITERAL = 2;

/** How records of one shape are rewritten. */
interface Plan {
  readonly shape: TapeShape;
  /** Whether there is a value in each slot. */
  readonly slots: readonly boolean[];
  /** Entries whose text must be the same as it was. */
  readonly words: readonly {
    readonly entry: number;
    readonly text: Uint8Array;
  }[];
  /** Entries that must be integers. */
  readonly wholes: readonly number[];
  /** Threes: what is copied, and from where to where, or which entry or slot. */
  readonly steps: readonly number[];
  /** The bytes that literals are copied from. */
  readonly literals: Uint8Array;
}

/** The plans of one stream. */
export class RecordPlans {
  readonly #tape: JsonTape;
  /** By shape; `undefined` stands for a shape that cannot be planned. */
  readonly #plans = new Map<number, (Plan | undefined)[]>();
  #count = 0;
  #credit = CREDIT;

  /** Constructs a new instance. */
  constructor({ tape }: JsonReader) {
    this.#tape = tape;
  }

  /** Rewrites the record that the reader has read, if there is a plan for it. */
  repeat(bytes: Uint8Array, out: ByteWriter, slots: Slots): boolean {
    const plan = this.#planFor(bytes, slots);
    const earned = plan === undefined ? RECORD : USE;
    this.#credit = Math.min(CREDIT, this.#credit + earned);
    if (plan === undefined) return false;
    this.#carryOut(plan, bytes, out, slots);
    return true;
  }

  /** The plan for the record that the reader has read. */
  #planFor(bytes: Uint8Array, slots: Slots): Plan | undefined {
    const plans = this.#plans.get(this.#tape.shapeHash);
    if (plans === undefined) return undefined;
    for (const plan of plans) {
      if (plan !== undefined && this.#fits(plan, bytes, slots)) return plan;
    }
    return undefined;
  }

  /** Whether there is use in watching how the record that the reader has read is rewritten. */
  get isEager(): boolean {
    if (
      this.#credit < 1 || this.#count === MAX_PLANS ||
      this.#tape.count > MAX_ENTRIES
    ) return false;
    const plans = this.#plans.get(this.#tape.shapeHash);
    return plans === undefined ||
      (plans.length < MAX_ALIKE && !plans.includes(undefined));
  }

  /**
   * Makes a plan of what was done with the record that the reader has read.
   *
   * @param watched What was done; nothing if it cannot be done again.
   * @returns Whether it can.
   */
  learn(watched: WatchedRecord | undefined): boolean {
    this.#credit -= 1;
    const plan = watched && this.#planOf(watched);
    this.#add(plan);
    return plan !== undefined;
  }

  #add(plan: Plan | undefined): void {
    this.#count += 1;
    const hash = this.#tape.shapeHash;
    const plans = this.#plans.get(hash);
    if (plans === undefined) this.#plans.set(hash, [plan]);
    else plans.push(plan);
  }

  #planOf(
    { root, output, copies, observations, filled, effects }: WatchedRecord,
  ): Plan | undefined {
    const { kept, moved, sames, made, notes, isDeep } = observations;
    // Here a plan is for records that change nothing, and shapes end where the tape does.
    const hasEffects = notes.length > 0 ||
      effects.some(({ kind }) => kind !== "keep");
    const hasOthers = [kept, moved, sames, made].some(({ length }) =>
      length > 0
    );
    if (isDeep || hasEffects || hasOthers) return undefined;
    const steps: number[] = [];
    let at = 0;
    for (const { slot, start, end, to, length } of copies) {
      const entry = slot === -1 ? this.#entryAt(start, end) : -1;
      if (slot === -1 && entry === -1) return undefined;
      if (to > at) steps.push(LITERAL, at, to);
      if (slot === -1) steps.push(ENTRY, entry, 0);
      else steps.push(SLOT, slot, 0);
      at = to + length;
    }
    if (output.length > at) steps.push(LITERAL, at, output.length);
    const tape = this.#tape;
    const words: { entry: number; text: Uint8Array }[] = [];
    for (const { bytes, start, end } of observations.words) {
      // Values of the rules' own are what they are.
      if (bytes !== root.bytes) continue;
      words.push({
        entry: this.#entryAt(start, end),
        text: copyOf(bytes, start, end),
      });
    }
    const wholes = observations.wholes.map(({ start, end }) =>
      this.#entryAt(start, end)
    );
    if (wholes.includes(-1) || words.some(({ entry }) => entry === -1)) {
      return undefined;
    }
    return {
      shape: tape.shape(),
      slots: filled,
      words,
      wholes,
      steps,
      literals: output,
    };
  }

  /** The entry whose text lies at a range, or -1. */
  #entryAt(start: number, end: number): number {
    const tape = this.#tape;
    for (let entry = 1; entry < tape.count; entry++) {
      if (tape.start(entry) === start && tape.end(entry) === end) return entry;
    }
    return -1;
  }

  #fits(
    { shape, slots, words, wholes }: Plan,
    bytes: Uint8Array,
    values: Slots,
  ): boolean {
    const tape = this.#tape;
    if (!tape.has(shape)) return false;
    for (let i = 0; i < slots.length; i++) {
      if (slots[i] !== (values[i] !== undefined)) return false;
    }
    for (const { entry, text } of words) {
      const start = tape.start(entry);
      if (tape.end(entry) - start !== text.length) return false;
      for (let i = 0; i < text.length; i++) {
        if (bytes[start + i] !== text[i]) return false;
      }
    }
    for (const entry of wholes) {
      if (!isWhole(bytes, tape.start(entry), tape.end(entry))) return false;
    }
    return true;
  }

  #carryOut(
    { steps, literals }: Plan,
    bytes: Uint8Array,
    out: ByteWriter,
    slots: Slots,
  ): void {
    const tape = this.#tape;
    for (let i = 0; i < steps.length; i += 3) {
      const from = steps[i + 1] ?? 0;
      switch (steps[i]) {
        case ENTRY:
          out.range(bytes, tape.start(from), tape.end(from));
          break;
        case SLOT: {
          const value = slots[from];
          if (value !== undefined) {
            out.range(value.bytes, value.start, value.end);
          }
          break;
        }
        default:
          out.range(literals, from, steps[i + 2] ?? 0);
      }
    }
  }
}

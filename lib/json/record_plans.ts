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

import type { ByteWriter } from "./byte_writer.ts";
import { isWhole } from "./number.ts";
import type { JsonReader, Observations } from "./reader.ts";
import type { JsonTape, TapeShape } from "./tape.ts";
import type { JsonSlice } from "./value.ts";

/** Values that come from the context of a record and not from the record. */
export type Slots = readonly (JsonSlice | undefined)[];

/** Shapes with more values than this are seldom seen twice. */
const MAX_ENTRIES = 64;
/** A stream that Codex wrote has some dozens of shapes. */
const MAX_PLANS = 512;
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

/** One copy that the rules made. */
interface Copy {
  readonly kind: number;
  /** The entry or the slot; -1 if the bytes are no whole value. */
  readonly from: number;
  readonly length: number;
  /** Where in the output they went. */
  readonly to: number;
}

/** A record that is being watched. */
export interface PlanDraft {
  readonly out: ByteWriter;
  readonly from: number;
  readonly slots: Slots;
  readonly copies: Copy[];
  readonly observations: Observations;
}

/** The plans of one stream. */
export class RecordPlans {
  readonly #reader: JsonReader;
  readonly #tape: JsonTape;
  /** By shape; `undefined` stands for a shape that cannot be planned. */
  #plans = new Map<number, (Plan | undefined)[]>();
  #count = 0;

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#tape = reader.tape;
  }

  /** Rewrites the record that the reader has read, if there is a plan for it. */
  repeat(bytes: Uint8Array, out: ByteWriter, slots: Slots): boolean {
    const plans = this.#plans.get(this.#tape.shapeHash);
    if (plans === undefined) return false;
    for (const plan of plans) {
      if (plan !== undefined && this.#fits(plan, bytes, slots)) {
        this.#carryOut(plan, bytes, out, slots);
        return true;
      }
    }
    return false;
  }

  /**
   * Begins to watch how the record that the reader has read is rewritten.
   *
   * @returns What to give to {@linkcode RecordPlans.end}; nothing if there is no use in it.
   */
  begin(
    root: JsonSlice,
    out: ByteWriter,
    slots: Slots,
  ): PlanDraft | undefined {
    const plans = this.#plans.get(this.#tape.shapeHash);
    if (this.#tape.count > MAX_ENTRIES || plans?.includes(undefined)) {
      return undefined;
    }
    const sources = slots.map((value) => value?.bytes);
    // Slots are told apart by their bytes.
    if (sources.some((bytes, i) => bytes && sources.indexOf(bytes) !== i)) {
      return undefined;
    }
    const copies: Copy[] = [];
    const observations = { words: [], wholes: [], isOpaque: false };
    out.onCopy = (source, start, end, to): void => {
      const slot = sources.indexOf(source);
      const length = end - start;
      if (slot !== -1) copies.push({ kind: SLOT, from: slot, length, to });
      else if (source === root.bytes) {
        const entry = this.#entryAt(start, end);
        copies.push({ kind: ENTRY, from: entry, length, to });
      }
    };
    this.#reader.observe(observations);
    return { out, from: out.length, slots: [...slots], copies, observations };
  }

  /**
   * Ends watching.
   *
   * @param isRepeatable Whether the record was good, and changed nothing that later ones
   *   depend on.
   */
  end(
    draft: PlanDraft | undefined,
    { isGood, isRepeatable }: {
      readonly isGood: boolean;
      readonly isRepeatable: boolean;
    },
  ): void {
    if (draft === undefined) return;
    draft.out.onCopy = undefined;
    this.#reader.observe(undefined);
    // A line that failed for want of a context says nothing of those that will have one.
    if (!isGood) return;
    this.#add(isRepeatable ? this.#planOf(draft) : undefined);
  }

  #add(plan: Plan | undefined): void {
    if (this.#count === MAX_PLANS) {
      this.#plans.clear();
      this.#count = 0;
    }
    this.#count += 1;
    const hash = this.#tape.shapeHash;
    const plans = this.#plans.get(hash);
    if (plans === undefined) this.#plans.set(hash, [plan]);
    else plans.push(plan);
  }

  #planOf(
    { out, from, slots, copies, observations }: PlanDraft,
  ): Plan | undefined {
    if (observations.isOpaque) return undefined;
    const tape = this.#tape;
    const output = out.view().slice(from);
    const steps: number[] = [];
    let at = 0;
    for (const { kind, from: value, length, to } of copies) {
      if (value === -1) return undefined;
      if (to - from > at) steps.push(LITERAL, at, to - from);
      steps.push(kind, value, 0);
      at = to - from + length;
    }
    if (output.length > at) steps.push(LITERAL, at, output.length);
    const words = observations.words.map((word) => ({
      entry: this.#entryAt(word.start, word.end),
      text: word.bytes.slice(word.start, word.end),
    }));
    const wholes = observations.wholes.map(({ start, end }) =>
      this.#entryAt(start, end)
    );
    if (wholes.includes(-1) || words.some(({ entry }) => entry === -1)) {
      return undefined;
    }
    return {
      shape: tape.shape(),
      slots: slots.map((value) => value !== undefined),
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

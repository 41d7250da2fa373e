/**
 * Watches what the rules do with one record, so that it can be done again without them.
 *
 * Which rules those are does not matter here: what counts is what they copy from the record,
 * what they put between, and what of it they look at.
 */

import { copyOf } from "./bytes.ts";
import type { ByteWriter, CopyObserver } from "./byte_writer.ts";
import { KEYED_SLOT } from "./kernel_layout.ts";
import {
  type JsonReader,
  noObservations,
  type Observations,
} from "./reader.ts";
import type { JsonSlice } from "./value.ts";

/** Values that come from the context of a record and not from the record. */
export type Slots = readonly (JsonSlice | undefined)[];

/** What a record depends on besides itself, and changes for those that follow. */
export interface RecordContext {
  /** Stands for the rules: what was learned of one stream holds for all with the same. */
  readonly rules: unknown;
  /**
   * Values of JSON, in each slot of one kind; two that are not the same one have bytes of their
   * own.
   */
  readonly slots: Slots;
  /**
   * By slot, the number of the last value that was made for it by counting; absent for slots
   * whose values are not.
   */
  readonly counters: readonly (number | undefined)[];
  /** Takes over what became of the slots while records were rewritten by plans. */
  take(changes: ContextChanges): void;
  /** Gives what is kept by a key that a record names: the slots from `KEYED_SLOT` on. */
  recall?(key: string): Slots;
  /**
   * Notes what a record tells of a key. Of several in a row that tell the same of one key, plans
   * have only the last one noted.
   *
   * @param what A number of the rules, from 1.
   * @param value What it tells; the bytes may be used again afterwards.
   */
  note?(kind: number, key: string, value: JsonSlice): void;
}

/** What records that were rewritten by plans changed. */
export interface ContextChanges {
  /** Whether a slot was filled or emptied. */
  isTouched(slot: number): boolean;
  /** What is in a slot now. */
  valueOf(slot: number): JsonSlice | undefined;
  /** The number of the last value that was counted for a slot. */
  counterOf(slot: number): number;
}

/** One copy that the rules made of a part of the record or of a slot. */
interface WatchedCopy {
  /** The slot; -1 if it is a part of the record. */
  readonly slot: number;
  /** Where the part starts in the bytes of the record. */
  readonly start: number;
  readonly end: number;
  /** Where in the output it went. */
  readonly to: number;
  readonly length: number;
}

/** What becomes of a slot. */
type SlotEffect =
  | { readonly kind: "keep" | "clear" }
  /** It gets a value of the record. */
  | { readonly kind: "value"; readonly value: JsonSlice }
  /** It gets the next counted value: this text, the number, a quote. */
  | { readonly kind: "count"; readonly text: Uint8Array };

/** What was noted of a key. */
interface WatchedNote {
  readonly kind: number;
  readonly output: Uint8Array;
  /** What in it was copied, in order. */
  readonly copies: readonly WatchedCopy[];
}

/** What the rules did with one record. */
export interface WatchedRecord {
  /** Stands for the rules, as in {@linkcode RecordContext}. */
  readonly rules: unknown;
  /** The record. */
  readonly root: JsonSlice;
  /** What became of it. */
  readonly output: Uint8Array;
  /** What in the output was copied, in order. */
  readonly copies: readonly WatchedCopy[];
  /** What was looked at. */
  readonly observations: Observations;
  /** Whether there was a value in each slot. */
  readonly filled: readonly boolean[];
  /** What became of each slot. */
  readonly effects: readonly SlotEffect[];
  /** The string that slots were filled by, or that something was noted of. */
  readonly key: JsonSlice | undefined;
  /** Whether slots were filled by the key. */
  readonly isRecalled: boolean;
  /** What was noted of the key. */
  readonly note: WatchedNote | undefined;
}

interface AnyCopy {
  readonly source: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly to: number;
}

/** Watches one record after the other. */
export class RecordWatch implements CopyObserver {
  readonly #reader: JsonReader;
  readonly #out: ByteWriter;
  readonly #root: JsonSlice;
  readonly #from: number;
  readonly #context: RecordContext;
  readonly #slots: (JsonSlice | undefined)[];
  readonly #counters: readonly (number | undefined)[];
  readonly #copies: AnyCopy[] = [];
  readonly #observations = noObservations();
  #key: JsonSlice | undefined;
  #isRecalled = false;
  #noteKind = 0;
  #noted: ByteWriter | undefined;
  readonly #notedCopies: AnyCopy[] = [];

  /** Begins to watch how the record that the reader has read is rewritten. */
  constructor(
    reader: JsonReader,
    root: JsonSlice,
    out: ByteWriter,
    context: RecordContext,
  ) {
    this.#reader = reader;
    this.#root = root;
    this.#out = out;
    this.#from = out.length;
    this.#context = context;
    this.#slots = [...context.slots];
    this.#counters = [...context.counters];
    out.observer = this;
    reader.observe(this.#observations);
  }

  /** Is told of a copy. */
  copied(source: Uint8Array, start: number, end: number, to: number): void {
    this.#copies.push({ source, start, end, to });
  }

  /** Is told that slots were filled by a key. */
  recalled(key: JsonSlice, slots: Slots): void {
    this.#key = key;
    this.#isRecalled = true;
    for (const [i, value] of slots.entries()) {
      this.#slots[KEYED_SLOT + i] = value;
    }
  }

  /**
   * Is told that something is noted of a key.
   *
   * @param out Is about to take what that is, and has it until the end.
   */
  noted(kind: number, key: JsonSlice, out: ByteWriter): void {
    this.#key = key;
    this.#noteKind = kind;
    this.#noted = out;
    out.observer = {
      copied: (source, start, end, to) => {
        this.#notedCopies.push({ source, start, end, to });
      },
    };
  }

  /**
   * Ends watching.
   *
   * @returns What was done; nothing if it cannot be told what a like record would get.
   */
  end(): WatchedRecord | undefined {
    this.stop();
    const observations = this.#observations;
    const slots = this.#slots;
    if (observations.isOpaque || hasDoubles(slots)) return undefined;
    const effects: SlotEffect[] = [];
    for (let slot = 0; slot < slots.length; slot++) {
      const effect = this.#effect(slot);
      if (effect === undefined) return undefined;
      effects.push(effect);
    }
    // A plan has room for the text of one.
    if (effects.filter(({ kind }) => kind === "count").length > 1) {
      return undefined;
    }
    const copies = this.#seenOf(this.#copies, this.#from, effects);
    const noted = this.#seenOf(this.#notedCopies, 0, effects);
    if (copies === undefined || noted === undefined) return undefined;
    const note = this.#noted && {
      kind: this.#noteKind,
      output: this.#noted.view().slice(),
      copies: noted,
    };
    return {
      rules: this.#context.rules,
      root: this.#root,
      output: this.#out.view(this.#from).slice(),
      copies,
      observations,
      filled: slots.map((value) => value !== undefined),
      effects,
      key: this.#key,
      isRecalled: this.#isRecalled,
      note,
    };
  }

  /** Ends watching without a result. */
  stop(): void {
    if (this.#noted !== undefined) this.#noted.observer = undefined;
    this.#out.observer = undefined;
    this.#reader.observe(undefined);
  }

  #effect(slot: number): SlotEffect | undefined {
    if (slot >= KEYED_SLOT) return { kind: "keep" };
    const before = this.#slots[slot];
    const after = this.#context.slots[slot];
    const lastNumber = this.#counters[slot];
    const number = this.#context.counters[slot];
    if (number !== lastNumber) {
      if (after === undefined || number === undefined) return undefined;
      const text = countedText(after, number);
      return text === undefined || number !== (lastNumber ?? 0) + 1
        ? undefined
        : { kind: "count", text };
    }
    if (after === before) return { kind: "keep" };
    if (after === undefined) return { kind: "clear" };
    for (const { value, copy } of this.#observations.kept) {
      if (after === copy) return { kind: "value", value };
    }
    return undefined;
  }

  /** What copies were of; nothing if one was a part of something that is not understood. */
  #seenOf(
    all: readonly AnyCopy[],
    outStart: number,
    effects: readonly SlotEffect[],
  ): readonly WatchedCopy[] | undefined {
    const copies: WatchedCopy[] = [];
    for (const copy of all) {
      const seen = this.#seen(copy, outStart, effects);
      if (seen === undefined) return undefined;
      if (seen !== LITERAL) copies.push(seen);
    }
    return copies;
  }

  #seen(
    { source, start, end, to }: AnyCopy,
    outStart: number,
    effects: readonly SlotEffect[],
  ): WatchedCopy | typeof LITERAL | undefined {
    const from = to - outStart;
    const length = end - start;
    if (source === this.#root.bytes) {
      return { slot: -1, start, end, to: from, length };
    }
    for (const { value, copy } of this.#observations.kept) {
      if (copy.bytes !== source) continue;
      if (length !== value.end - value.start) return undefined;
      return { slot: -1, start: value.start, end: value.end, to: from, length };
    }
    for (let slot = 0; slot < effects.length; slot++) {
      // What is counted is filled in before the record is written.
      const isCounted = effects[slot]?.kind === "count";
      const value = (isCounted ? this.#context.slots : this.#slots)[slot];
      if (value?.bytes !== source) continue;
      if (start !== value.start || end !== value.end) return undefined;
      return { slot, start, end, to: from, length };
    }
    return LITERAL;
  }
}

/** A copy of something that does not depend on the record. */
const LITERAL = Symbol("literal");

/** Slots are told apart by their bytes. */
function hasDoubles(slots: Slots): boolean {
  return slots.some((value, i) =>
    value !== undefined &&
    slots.some((other, j) => j < i && other?.bytes === value.bytes)
  );
}

/** What stands before the number of a counted value, its quote included. */
function countedText(
  { bytes, start, end }: JsonSlice,
  counter: number,
): Uint8Array | undefined {
  const rest = new TextEncoder().encode(`${counter}"`);
  const from = end - rest.length;
  const isCounted = from > start &&
    rest.every((byte, i) => byte === bytes[from + i]);
  return isCounted ? copyOf(bytes, start, from) : undefined;
}

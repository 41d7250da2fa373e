/**
 * Watches how the rules rewrite one record, so that the kernel can repeat it without them.
 *
 * It does not depend on which rules those are. It records which parts of the record they copy,
 * which text they put between the copies, and which values they look at.
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

/** The values that come from the context of a record instead of the record itself, by slot. */
export type Slots = readonly (JsonSlice | undefined)[];

/**
 * The state that a record depends on besides itself, and that it changes for the records after it.
 */
export interface RecordContext {
  /**
   * Identifies the rules: a plan that was learned in one stream is valid in every stream with the
   * same value here.
   */
  readonly rules: unknown;
  /**
   * The values in the slots, as JSON. The values of one slot are always of one kind. Two different
   * values never share their array of bytes. The rules decide only by whether a slot is filled, not
   * by its value: a plan is valid for all values.
   */
  readonly slots: Slots;
  /**
   * By slot, the number of the last counted value that the slot was filled with; absent for slots
   * that are not filled by counting.
   */
  readonly counters: readonly (number | undefined)[];
  /** Receives the changes of the slots that were made while plans rewrote records. */
  take(changes: ContextChanges): void;
  /**
   * Returns the values that belong to a key in a record, such as a thread id: those of the slots
   * from `KEYED_SLOT` on.
   */
  recall?(key: string): Slots;
  /**
   * Receives a fact that a record states about a key. Of several consecutive notes of one kind
   * about one key, plans pass only the last one.
   *
   * @param kind The kind of the note: a number of the rules, from 1.
   * @param value The fact; its bytes are only valid during the call.
   */
  note?(kind: number, key: string, value: JsonSlice): void;
}

/** The slots after plans have changed some of them. */
export interface ContextChanges {
  valueOf(slot: number): JsonSlice | undefined;
  /** Returns the number of the last value that was counted for a slot. */
  counterOf(slot: number): number;
}

/** One copy that the rules made of a part of the record or of a slot. */
interface WatchedCopy {
  /** The slot; -1 for a part of the record. */
  readonly slot: number;
  /** The range of the part in the bytes of the record. */
  readonly start: number;
  readonly end: number;
  /** The index in the output that it was copied to. */
  readonly to: number;
  readonly length: number;
}

/** How a record changes a slot. */
type SlotEffect =
  | { readonly kind: "keep" | "clear" }
  /** The slot is filled with a value of the record. */
  | { readonly kind: "value"; readonly value: JsonSlice }
  /** The slot is filled with the next counted value: this text, the number, a quote. */
  | { readonly kind: "count"; readonly text: Uint8Array };

interface WatchedNote {
  readonly kind: number;
  readonly output: Uint8Array;
  readonly copies: readonly WatchedCopy[];
}

export interface WatchedRecord {
  /** Identifies the rules, as in {@linkcode RecordContext}. */
  readonly rules: unknown;
  readonly root: JsonSlice;
  /** The record as it was written. */
  readonly output: Uint8Array;
  readonly copies: readonly WatchedCopy[];
  readonly observations: Observations;
  /** By slot, whether it held a value. */
  readonly filled: readonly boolean[];
  readonly effects: readonly SlotEffect[];
  /** The string that keyed slots were filled by, or that a note is about. */
  readonly key: JsonSlice | undefined;
  readonly isRecalled: boolean;
  readonly note: WatchedNote | undefined;
}

interface AnyCopy {
  readonly source: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly to: number;
}

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

  /** Begins to watch the rewriting of the record that the reader has read. */
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

  copied(source: Uint8Array, start: number, end: number, to: number): void {
    this.#copies.push({ source, start, end, to });
  }

  recalled(key: JsonSlice, slots: Slots): void {
    this.#key = key;
    this.#isRecalled = true;
    for (const [i, value] of slots.entries()) {
      this.#slots[KEYED_SLOT + i] = value;
    }
  }

  /**
   * Records that a note about a key follows.
   *
   * @param out The writer that the note is about to be written to; it must stay unchanged until the
   *   end.
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
   * @returns The rewriting; nothing if a similar record could not be rewritten the same way.
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
    // A plan has room for the text of one counted value.
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

  /** Ends watching without a result. Idempotent. */
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

  /**
   * Finds the source of each copy, leaving out literal text; returns nothing if a copy is only a
   * part of a kept value or a slot.
   */
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
      // The counted value is in its slot before the record is written.
      const isCounted = effects[slot]?.kind === "count";
      const value = (isCounted ? this.#context.slots : this.#slots)[slot];
      if (value?.bytes !== source) continue;
      if (start !== value.start || end !== value.end) return undefined;
      return { slot, start, end, to: from, length };
    }
    return LITERAL;
  }
}

/** A copy of text that does not depend on the record. */
const LITERAL = Symbol("literal");

/** Whether two slots share their array of bytes: the source of a copy could not be told from it. */
function hasDoubles(slots: Slots): boolean {
  return slots.some((value, i) =>
    value !== undefined &&
    slots.some((other, j) => j < i && other?.bytes === value.bytes)
  );
}

/** Returns the text of a counted value before its number, its quote included. */
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

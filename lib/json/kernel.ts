/** Runs the kernel: an instance of the WebAssembly module, its memory, and the plans in it. */

import type { ByteWriter } from "./byte_writer.ts";
import { bytesOfLooseBase64, copyInto, LF } from "./bytes.ts";
import {
  KEYED_SLOT,
  SLOT_COUNT,
  SLOT_COUNTER,
  SLOT_LENGTH,
  SLOT_SIZE,
  SLOT_STRIDE,
  SLOT_TEXT,
  STATE_LIMIT,
  STATE_LINES,
  STATE_NEXT,
  STATE_OUT,
  STATE_RECORDS,
  STATE_ROOT,
  STATE_SKIPPED,
  STATE_TOGETHER,
  STATE_TOUCHED,
  STATE_TRACE,
  STATE_TRACE_END,
  TRACE_ALL_UNITS,
  TRACE_END,
  TRACE_LINE,
  TRACE_LINES,
  TRACE_NEXT,
  TRACE_PARTS,
  TRACE_PLAN,
  TRACE_START,
  TRACE_UNITS,
} from "./kernel_layout.ts";
import { KERNEL_MODULE } from "./kernel_module.ts";
import { KernelPlans, type KernelWishes } from "./kernel_plans.ts";
import { sliceAt } from "./literal.ts";
import { decodeUtf8, MAX_KEPT_TEXT } from "./utf8.ts";
import { RecordParts } from "./value_plan.ts";
import type {
  ContextChanges,
  RecordContext,
  WatchedRecord,
} from "./record_watch.ts";
import type { JsonSlice } from "./value.ts";

// The trace that the kernel writes of its records, and the values that are made from it.

/** Receives the values of the records that were written. */
interface ValueTaker {
  /**
   * Receives one record.
   *
   * @param isProven Whether `Proof.holds` was true for the plan of the record.
   * @param start The index in the memory where its line starts.
   * @param line The number of lines of the run before its own.
   */
  (
    value: unknown,
    text: string,
    isProven: boolean,
    start: number,
    line: number,
  ): void;
}

/** Reads the traces of the records of one run after the other. */
class KernelTrace {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #plans: KernelPlans;
  readonly #parts: RecordParts;

  /**
   * @param bytes The whole memory.
   * @param words The part of the memory that the kernel writes the trace to.
   * @param plans The plans that records were written by.
   */
  constructor(bytes: Uint8Array, words: Uint32Array, plans: KernelPlans) {
    this.#bytes = bytes;
    this.#words = words;
    this.#plans = plans;
    this.#parts = new RecordParts(words, bytes);
  }

  /**
   * Makes the values of the records of the last run.
   *
   * @param records The number of records.
   */
  read(records: number, take: ValueTaker): void {
    const parts = this.#parts;
    // `to` is the end of the decoded text in the memory, `from` the start of the record in that
    // text.
    let to = 0;
    let texts = "";
    let from = 0;
    let at = 0;
    for (let record = 0; record < records; record++) {
      const start = this.#at(at, TRACE_START);
      if (start >= to) {
        to = this.#endOfTexts(at, record, records);
        texts = decodeUtf8(this.#bytes, start, to);
        from = 0;
      }
      const length = this.#at(at, TRACE_UNITS);
      const text = texts.slice(from, from + length);
      const plan = this.#plans.valuePlan(this.#at(at, TRACE_PLAN));
      const make = plan?.next();
      let value: unknown;
      if (make === undefined) value = JSON.parse(text);
      else {
        const first = at + (TRACE_PARTS >> 2);
        parts.go(texts, from, length, first);
        value = make(parts);
      }
      const isProven = plan?.isProven ?? false;
      const line = this.#at(at, TRACE_LINE);
      take(value, text, isProven, line, this.#at(at, TRACE_LINES));
      // Skip the record, the texts behind it, and the LF.
      from += this.#at(at, TRACE_ALL_UNITS) + 1;
      at = this.#next(at);
    }
  }

  /**
   * Returns a field of a trace, such as `TRACE_START`. `at` is the index of the trace among the
   * words.
   */
  #at(at: number, field: number): number {
    return this.#words[at + (field >> 2)] ?? 0;
  }

  #next(at: number): number {
    return (this.#at(at, TRACE_NEXT) - this.#words.byteOffset) >> 2;
  }

  /** Returns the end of the last record that is decoded together with the first one. */
  #endOfTexts(first: number, record: number, records: number): number {
    const start = this.#at(first, TRACE_START);
    let end = this.#at(first, TRACE_END);
    let at = first;
    for (let next = record + 1; next < records; next++) {
      at = this.#next(at);
      const further = this.#at(at, TRACE_END);
      // Texts that are decoded separately may lie between two records.
      if (
        this.#at(at, TRACE_START) !== end + 1 || further - start > MAX_KEPT_TEXT
      ) break;
      end = further;
    }
    return end;
  }
}

const PAGE = 1 << 16;
/** Room for plans, in bytes; a stream that Codex wrote needs a tenth of it. */
const PLAN_SIZE = 1 << 19;
/**
 * Room for input; a longer line is left to the rules. The system provides a page of memory only
 * once it is used.
 */
const INPUT_SIZE = 1 << 23;
/** Room for the records of one block. */
const OUTPUT_SIZE = 3 << 22;
/** The number of bytes that the kernel may read or write behind the end of an area. */
const SLACK = 64;
/**
 * The number of bytes that are copied into the memory at once: they fit a second-level cache. The
 * copy takes a fifteenth of the time of a run. Without a copy, callers would have to read their
 * input into this memory.
 */
const COPIED = 1 << 18;

/** Room for the traces of several hundred records. */
const TRACE_SIZE = 1 << 16;
/** A greater counter is left to the rules. */
const MAX_COUNTER = 1 << 30;

interface KernelExports {
  readonly memory: WebAssembly.Memory;
  state(): number;
  slots(): number;
  places(): number;
  free(): number;
  run(from: number, to: number, out: number, outEnd: number): number;
}

interface KernelRun {
  /** The index of the first line that was not processed. */
  readonly next: number;
  /**
   * The number of lines that were processed, including blank lines and lines whose records are not
   * wanted.
   */
  readonly lines: number;
  readonly records: number;
}

let compiled: WebAssembly.Module | undefined;
let isRefused = false;

/**
 * Compiles the module, once; returns nothing where WebAssembly with SIMD is missing or forbidden.
 */
function moduleOf(): WebAssembly.Module | undefined {
  if (compiled !== undefined || isRefused) return compiled;
  try {
    const bytes = bytesOfLooseBase64(KERNEL_MODULE);
    compiled = bytes && new WebAssembly.Module(bytes);
  } catch {
    // There is no WebAssembly, or none with SIMD, or the policy of the page forbids it.
    isRefused = true;
  }
  return compiled;
}

/**
 * Kernels of streams that have ended, for reuse. A new kernel costs a fifth of a millisecond, and
 * memory.
 */
const IDLE: Kernel[] = [];
const MAX_IDLE = 2;

/**
 * Rewrites the lines of one stream by plans that it learns from the rules.
 *
 * The memory has a fixed size, so that views of it stay valid.
 */
export class Kernel {
  readonly #exports: KernelExports;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  /** The whole memory, as words. */
  readonly #words: Int32Array;
  readonly #state: number;
  readonly #slots: number;
  readonly #input: number;
  readonly #output: number;
  readonly #wishes: KernelWishes;
  readonly #trace: KernelTrace;
  readonly #plans: KernelPlans;
  /** By slot, the value that the memory holds. */
  readonly #held: (JsonSlice | undefined)[] = new Array(SLOT_COUNT);
  /** The array whose range `#from` to `#to` lies in the input area. */
  #source: Uint8Array | undefined;
  #rules: unknown;
  #context: RecordContext | undefined;
  readonly #changes: ContextChanges = {
    valueOf: (slot) => {
      const at = this.#slotAt(slot);
      const length = this.#words[(at + SLOT_LENGTH) >> 2] ?? 0;
      if (length === 0) return undefined;
      const from = at + SLOT_TEXT;
      return sliceAt(this.#bytes.slice(from, from + length));
    },
    counterOf: (slot) =>
      this.#words[(this.#slotAt(slot) + SLOT_COUNTER) >> 2] ?? 0,
  };
  #from = 0;
  #to = 0;

  /** The room for records, which the kernel and the rules both write to. */
  readonly home: Uint8Array<ArrayBuffer>;
  /**
   * The number of lines that the kernel has rewritten or skipped as not wanted; blank lines do not
   * count.
   */
  lines = 0;

  /**
   * Returns a kernel, a new one or one of a stream that has ended; nothing if it cannot run here.
   *
   * @param maxLineBytes The limit on the length of a line.
   * @param wishes Which records are written, and whether values are made of them.
   */
  static create(
    maxLineBytes: number,
    wishes: KernelWishes = {},
  ): Kernel | undefined {
    const idle = IDLE.findIndex((kernel) => kernel.#grants(wishes));
    const [used] = idle === -1 ? [] : IDLE.splice(idle, 1);
    if (used !== undefined) {
      used.#reset(maxLineBytes);
      return used;
    }
    const module = moduleOf();
    if (module === undefined) return undefined;
    try {
      return new Kernel(module, maxLineBytes, wishes);
    } catch {
      // The memory could not be allocated.
      return undefined;
    }
  }

  /** Whether a kernel with the same wishes can be reused, which costs nothing. */
  static hasIdle(wishes: KernelWishes): boolean {
    return IDLE.some((kernel) => kernel.#grants(wishes));
  }

  #grants({ proof, selection }: KernelWishes): boolean {
    return this.#wishes.proof === proof &&
      this.#wishes.selection?.key === selection?.key;
  }

  private constructor(
    module: WebAssembly.Module,
    maxLineBytes: number,
    wishes: KernelWishes,
  ) {
    const instance = new WebAssembly.Instance(module, {
      rules: {
        recall: (start: number, end: number) => this.#recall(start, end),
        note: (
          kind: number,
          start: number,
          end: number,
          text: number,
          textEnd: number,
        ) => {
          const value = sliceAt(this.#bytes, text, textEnd);
          this.#context?.note?.(kind, this.#key(start, end), value);
        },
      },
    });
    // The boundary where the exports get their types.
    const exports = instance.exports as unknown as KernelExports;
    const { memory } = exports;
    this.#exports = exports;
    this.#wishes = wishes;
    const plans = exports.free();
    this.#input = plans + PLAN_SIZE + SLACK;
    this.#output = this.#input + INPUT_SIZE + SLACK;
    const trace = this.#output + OUTPUT_SIZE + SLACK;
    const end = trace + TRACE_SIZE + SLACK;
    const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE);
    memory.grow(missing);
    const buffer = memory.buffer as ArrayBuffer;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
    this.#state = exports.state();
    this.#slots = exports.slots();
    this.#set(STATE_LIMIT, maxLineBytes);
    if (wishes.proof !== undefined) {
      this.#set(STATE_TRACE, trace);
      this.#set(STATE_TRACE_END, trace + TRACE_SIZE);
      this.#set(STATE_TOGETHER, MAX_KEPT_TEXT);
    }
    this.home = new Uint8Array(buffer, this.#output, OUTPUT_SIZE);
    this.#plans = new KernelPlans(
      buffer,
      { start: plans, end: plans + PLAN_SIZE },
      {
        root: this.#state + STATE_ROOT,
        slot: (slot) => this.#slotAt(slot),
        values: exports.places(),
      },
      wishes,
    );
    this.#trace = new KernelTrace(
      this.#bytes,
      new Uint32Array(buffer, trace, TRACE_SIZE >> 2),
      this.#plans,
    );
  }

  /** Ends the work for a stream, and keeps the kernel for another one. */
  release(): void {
    // The wishes of the last stream are most likely those of the next one.
    if (IDLE.length === MAX_IDLE) IDLE.shift();
    this.#context = undefined;
    IDLE.push(this);
  }

  /** Prepares for another stream. The plans are kept: they may match its lines, too. */
  #reset(maxLineBytes: number): void {
    this.lines = 0;
    this.#source = undefined;
    this.#plans.begin();
    this.#held.fill(undefined);
    for (let slot = 0; slot < SLOT_COUNT; slot++) {
      this.#setSlot(slot, undefined);
    }
    this.#set(STATE_LIMIT, maxLineBytes);
  }

  /** Whether another plan is worth making, so whether the next record should be watched. */
  get isEager(): boolean {
    return this.#plans.isEager;
  }

  learn(watched: WatchedRecord | undefined): void {
    if (watched !== undefined) this.#obey(watched.rules);
    this.#plans.learn(watched);
  }

  /** Drops all plans if they were learned from other rules than these. */
  #obey(rules: unknown): void {
    if (rules === this.#rules) return;
    this.#rules = rules;
    this.#plans.clear();
  }

  /** Forgets that the caller's bytes are in the input area: they may change from now on. */
  forget(): void {
    this.#source = undefined;
  }

  /**
   * Rewrites lines until one has no plan. With a proof it ends earlier, after each run of the
   * module: `values` must read the trace of that first.
   *
   * @param start The index of the first line.
   * @param end The index behind the last line and its LF.
   * @param out Receives the records; it must write to `home`.
   * @param context The state that records depend on; receives its changes.
   */
  run(
    bytes: Uint8Array,
    start: number,
    end: number,
    out: ByteWriter,
    context: RecordContext,
  ): KernelRun {
    let next = start;
    let lines = 0;
    let records = 0;
    this.#obey(context.rules);
    this.#context = context;
    if (!this.#load(context)) return { next, lines, records };
    while (next < end && out.isHome) {
      if (!this.#isIn(bytes, next) && !this.#copyIn(bytes, next, end)) break;
      const shift = this.#input - this.#from;
      const isDone = this.#exports.run(
        next + shift,
        Math.min(end, this.#to) + shift,
        this.#output + out.length,
        this.#output + OUTPUT_SIZE,
      );
      next = this.#get(STATE_NEXT) - shift;
      lines += this.#get(STATE_LINES);
      const written = this.#get(STATE_RECORDS);
      records += written;
      const answered = written + this.#get(STATE_SKIPPED);
      out.advance(this.#get(STATE_OUT) - this.#output);
      if (this.#get(STATE_TOUCHED) !== 0) this.#report(context);
      this.lines += answered;
      this.#plans.earn(answered);
      // The trace has to be read before the next run overwrites it.
      if (isDone === 0 || this.#wishes.proof !== undefined) break;
    }
    return { next, lines, records };
  }

  /**
   * Makes the values of the records that the last run wrote.
   *
   * @param records The number of these records.
   * @param take Receives each value. Its `start` is an index into the bytes given to that run.
   */
  values(records: number, take: ValueTaker): void {
    const shift = this.#from - this.#input;
    this.#trace.read(records, (value, text, isProven, start, line) => {
      take(value, text, isProven, start + shift, line);
    });
  }

  #isIn(bytes: Uint8Array, at: number): boolean {
    return bytes === this.#source && at >= this.#from && at < this.#to;
  }

  /** Copies whole lines into the input area; returns false if the first line has no room there. */
  #copyIn(bytes: Uint8Array, start: number, end: number): boolean {
    let to = Math.min(end, start + COPIED);
    if (to < end) {
      to = bytes.lastIndexOf(LF, to - 1) + 1;
      if (to <= start) to = bytes.indexOf(LF, start + COPIED) + 1;
    }
    if (to - start > INPUT_SIZE) return false;
    this.#bytes.set(bytes.subarray(start, to), this.#input);
    this.#source = bytes;
    this.#from = start;
    this.#to = to;
    return true;
  }

  /**
   * Writes slots and counters that have changed into the memory; returns false if one is too large
   * for it.
   */
  #load({ slots, counters }: RecordContext): boolean {
    for (let slot = 0; slot < slots.length; slot++) {
      if (!this.#loadSlot(slot, slots[slot])) return false;
      const counter = counters[slot];
      if (counter === undefined) continue;
      if (counter > MAX_COUNTER) return false;
      this.#words[(this.#slotAt(slot) + SLOT_COUNTER) >> 2] = counter;
    }
    return true;
  }

  #loadSlot(slot: number, value: JsonSlice | undefined): boolean {
    if (value === this.#held[slot]) return true;
    const length = value === undefined ? 0 : value.end - value.start;
    if (length > SLOT_SIZE) return false;
    this.#held[slot] = value;
    this.#setSlot(slot, value);
    return true;
  }

  /**
   * Fills the slots that belong to a key; returns the bit set of those that were filled, -1 if one
   * is too large.
   */
  #recall(start: number, end: number): number {
    const slots = this.#context?.recall?.(this.#key(start, end)) ?? [];
    let bits = 0;
    for (const [i, value] of slots.entries()) {
      const slot = KEYED_SLOT + i;
      // All bits: no plan needs that combination of slots, so the line is left to the rules.
      if (!this.#loadSlot(slot, value)) return -1;
      if (value !== undefined) bits |= 1 << slot;
    }
    return bits;
  }

  /** Returns the text of a key, a string without escapes. */
  #key(start: number, end: number): string {
    return decodeUtf8(this.#bytes, start + 1, end - 1);
  }

  #slotAt(slot: number): number {
    return this.#slots + slot * SLOT_STRIDE;
  }

  #setSlot(slot: number, value: JsonSlice | undefined): void {
    const at = this.#slotAt(slot);
    const length = value === undefined ? 0 : value.end - value.start;
    this.#words[(at + SLOT_LENGTH) >> 2] = length;
    if (value === undefined) return;
    copyInto(this.#bytes, at + SLOT_TEXT, value.bytes, value.start, value.end);
  }

  #get(word: number): number {
    return this.#words[(this.#state + word) >> 2] ?? 0;
  }

  #set(word: number, value: number): void {
    this.#words[(this.#state + word) >> 2] = value;
  }

  #report(context: RecordContext): void {
    context.take(this.#changes);
    const { slots } = context;
    for (let slot = 0; slot < slots.length; slot++) {
      this.#held[slot] = slots[slot];
    }
  }
}

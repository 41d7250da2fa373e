/**
 * The kernel at work: an instance of the WebAssembly module, its memory, and the plans in
 * it.
 */

import type { ByteWriter } from "./byte_writer.ts";
import { bytesOfLooseBase64, copyInto, isSame, LF } from "./bytes.ts";
import {
  KEYED_SLOT,
  SLOT_COUNT,
  SLOT_COUNTER,
  SLOT_LENGTH,
  SLOT_SIZE,
  SLOT_STRIDE,
  SLOT_TEXT,
  STATE_EPOCH,
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
  TRACE_EPOCH,
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

// What the kernel writes down of the records that it wrote, and the values that are made of
// them by it.

/** Takes the values of the records that were written. */
interface ValueTaker {
  /**
   * Takes a record.
   *
   * @param isProven Whether the value is proven to be what was to be proven.
   * @param start Where in the memory the line starts that it was made of.
   * @param line How many lines of the run come before that.
   */
  (
    value: unknown,
    text: string,
    isProven: boolean,
    start: number,
    line: number,
  ): void;
}

/** Reads what was written down of the records of one run after the other. */
class KernelTrace {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #plans: KernelPlans;
  readonly #parts: RecordParts;

  /**
   * Constructs a new instance.
   *
   * @param words The part of it that is written to.
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
   * @param records How many those are.
   */
  read(records: number, take: ValueTaker): void {
    const parts = this.#parts;
    // Where in the bytes the text ends, and where in it the record starts.
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
      let value: unknown;
      if (plan === undefined) value = JSON.parse(text);
      else {
        const first = at + (TRACE_PARTS >> 2);
        parts.go(texts, from, length, first, this.#at(at, TRACE_EPOCH));
        value = plan.make(parts);
      }
      const isProven = plan?.isProven ?? false;
      const line = this.#at(at, TRACE_LINE);
      take(value, text, isProven, line, this.#at(at, TRACE_LINES));
      // Behind the texts of the record, and the LF.
      from += this.#at(at, TRACE_ALL_UNITS) + 1;
      at = this.#next(at);
    }
  }

  /** What is told of the record that is told of at a place. */
  #at(at: number, field: number): number {
    return this.#words[at + (field >> 2)] ?? 0;
  }

  /** Where the record behind one is told of. */
  #next(at: number): number {
    return (this.#at(at, TRACE_NEXT) - this.#words.byteOffset) >> 2;
  }

  /** Where the last record ends that is decoded together with one. */
  #endOfTexts(first: number, record: number, records: number): number {
    const start = this.#at(first, TRACE_START);
    let end = this.#at(first, TRACE_END);
    let at = first;
    for (let next = record + 1; next < records; next++) {
      at = this.#next(at);
      const further = this.#at(at, TRACE_END);
      // Texts that are decoded apart may lie between.
      if (
        this.#at(at, TRACE_START) !== end + 1 || further - start > MAX_KEPT_TEXT
      ) break;
      end = further;
    }
    return end;
  }
}

const PAGE = 1 << 16;
/** Room for plans: a stream that Codex wrote needs a tenth of it. */
const PLAN_SIZE = 1 << 19;
/** Room for what is read; longer lines are not the kernel's. Pages count once they are used. */
const INPUT_SIZE = 1 << 23;
/** Room for the records of one block. */
const OUTPUT_SIZE = 3 << 22;
/** What the kernel may read or write behind the end of an area. */
const SLACK = 64;
/**
 * How much is copied in at once: what fits a second-level cache. The copy takes a fifteenth of
 * the time; blocks that would have to lie in this memory could not be anybody's own.
 */
const COPIED = 1 << 18;

/** Room for what is written down of some hundred records. */
const TRACE_SIZE = 1 << 16;
/** Numbers beyond this one are counted by the rules. */
const MAX_COUNTER = 1 << 30;
/** Longer keys are read anew each time. */
const MAX_KEY = 64;

interface KernelExports {
  readonly memory: WebAssembly.Memory;
  state(): number;
  slots(): number;
  places(): number;
  free(): number;
  run(from: number, to: number, out: number, outEnd: number): number;
}

/** What the kernel did with the lines that it was given. */
interface KernelRun {
  /** Where the first line starts that it left. */
  readonly next: number;
  /** How many it took, empty ones among them, and those whose records are not wanted. */
  readonly lines: number;
  /** How many records it wrote. */
  readonly records: number;
}

let compiled: WebAssembly.Module | undefined;
let isRefused = false;

/** Compiles the module; gives nothing where that is not possible or not allowed. */
function moduleOf(): WebAssembly.Module | undefined {
  if (compiled !== undefined || isRefused) return compiled;
  try {
    const bytes = bytesOfLooseBase64(KERNEL_MODULE);
    compiled = bytes && new WebAssembly.Module(bytes);
  } catch {
    // No WebAssembly, none with SIMD, or a page whose policy forbids it.
    isRefused = true;
  }
  return compiled;
}

/** Kernels whose streams have ended. Another one costs a fifth of a millisecond, and memory. */
const IDLE: Kernel[] = [];
const MAX_IDLE = 2;

/**
 * Rewrites the lines of one stream by plans that it learns from the rules.
 *
 * Its memory has a fixed size, so that views of it last.
 */
export class Kernel {
  readonly #exports: KernelExports;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  /** All of the memory, in words. */
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
  /** What was copied in, from where to where, and where it went. */
  #source: Uint8Array | undefined;
  #rules: unknown;
  #context: RecordContext | undefined;
  readonly #changes: ContextChanges = {
    isTouched: (slot) => (this.#get(STATE_TOUCHED) & (1 << slot)) !== 0,
    valueOf: (slot) => {
      const at = this.#slotAt(slot);
      const length = this.#words[(at + SLOT_LENGTH) >> 2] ?? 0;
      if (length === 0) return undefined;
      const from = at + SLOT_TEXT;
      return sliceAt(this.#bytes.slice(from, from + length), 0, length);
    },
    counterOf: (slot) =>
      this.#words[(this.#slotAt(slot) + SLOT_COUNTER) >> 2] ?? 0,
  };
  #from = 0;
  #to = 0;
  readonly #lastKey = new Uint8Array(MAX_KEY);
  #lastLength = 0;
  #lastText = "";

  /** Where records go: what the kernel writes and what the rules write. */
  readonly home: Uint8Array<ArrayBuffer>;
  /** How many lines it has rewritten or passed over. */
  lines = 0;

  /**
   * Gives a new kernel, if it can run here.
   *
   * @param maxLineBytes The limit on the length of a line.
   * @param wishes What is to be made of the records.
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
      // There is no memory for it.
      return undefined;
    }
  }

  /** Whether there is a kernel of a stream that has ended, which costs nothing to begin with. */
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
    if (missing > 0) memory.grow(missing);
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

  /** Ends the work for a stream: from now on the kernel may be given to another one. */
  release(): void {
    // What was wished for last is most likely wished for next.
    if (IDLE.length === MAX_IDLE) IDLE.shift();
    this.#context = undefined;
    IDLE.push(this);
  }

  /** Begins the work for another stream; the plans may be of use for it, too. */
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

  /** Whether there is use in watching how the next record is rewritten. */
  get isEager(): boolean {
    return this.#plans.isEager;
  }

  /** Makes a plan of what was done with a record, if that is possible. */
  learn(watched: WatchedRecord | undefined): void {
    if (watched !== undefined) this.#obey(watched.rules);
    this.#plans.learn(watched);
  }

  /** Forgets what was learned of other rules than these. */
  #obey(rules: unknown): void {
    if (rules === this.#rules) return;
    this.#rules = rules;
    this.#plans.clear();
  }

  /** Forgets what was copied in: the bytes that it came from will change. */
  forget(): void {
    this.#source = undefined;
  }

  /**
   * Rewrites lines as long as there are plans for them.
   *
   * @param start Where the first line starts.
   * @param end Where the last one ends, behind its LF.
   * @param out Takes the records; it must have settled at `home`.
   * @param context What the records depend on; it is told what changes.
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
      // What was written down has to be read before it is written over.
      if (isDone === 0 || this.#wishes.proof !== undefined) break;
    }
    return { next, lines, records };
  }

  /**
   * Makes values of the records that the last run wrote.
   *
   * @param records How many those are.
   * @param take Takes them; lines start where they do in the bytes of the run.
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

  /** Copies whole lines in; says whether there is room for one. */
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

  /** Gives the kernel the values that have changed; says whether it can hold them. */
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

  /** Fills the slots that are by a key; says which ones, by bits. */
  #recall(start: number, end: number): number {
    const slots = this.#context?.recall?.(this.#key(start, end)) ?? [];
    let bits = 0;
    for (const [i, value] of slots.entries()) {
      const slot = KEYED_SLOT + i;
      // No plan is for a line whose slots have no room.
      if (!this.#loadSlot(slot, value)) return -1;
      if (value !== undefined) bits |= 1 << slot;
    }
    return bits;
  }

  /** The text of a key, which is that of a string without escapes; most are the last one. */
  #key(start: number, end: number): string {
    const bytes = this.#bytes;
    const length = end - start;
    const last = this.#lastKey;
    if (length === this.#lastLength && isSame(last, 0, bytes, start, length)) {
      return this.#lastText;
    }
    const text = decodeUtf8(bytes, start + 1, end - 1);
    if (length > last.length) return text;
    copyInto(last, 0, bytes, start, end);
    this.#lastLength = length;
    return this.#lastText = text;
  }

  #slotAt(slot: number): number {
    return this.#slots + slot * SLOT_STRIDE;
  }

  #setSlot(slot: number, value: JsonSlice | undefined): void {
    const at = this.#slotAt(slot);
    const length = value === undefined ? 0 : value.end - value.start;
    this.#words[(at + SLOT_LENGTH) >> 2] = length;
    this.#set(STATE_EPOCH, this.#get(STATE_EPOCH) + 1);
    if (value === undefined) return;
    copyInto(this.#bytes, at + SLOT_TEXT, value.bytes, value.start, value.end);
  }

  #get(word: number): number {
    return this.#words[(this.#state + word) >> 2] ?? 0;
  }

  #set(word: number, value: number): void {
    this.#words[(this.#state + word) >> 2] = value;
  }

  /** Tells the rules what has happened while they were not asked. */
  #report(context: RecordContext): void {
    context.take(this.#changes);
    const { slots } = context;
    for (let slot = 0; slot < slots.length; slot++) {
      this.#held[slot] = slots[slot];
    }
  }
}

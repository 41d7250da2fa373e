/**
 * The kernel at work: an instance of the WebAssembly module, its memory, and the plans in
 * it.
 */

import { ByteWriter } from "./byte_writer.ts";
import { LF } from "./bytes.ts";
import { KernelPlans, type KernelWishes } from "./kernel_plans.ts";
import { KERNEL_MODULE } from "./kernel_module.ts";
import { KernelTrace, type ValueTaker } from "./kernel_trace.ts";
import {
  type ContextChanges,
  MAX_SLOT_BYTES,
  type RecordContext,
  type WatchedRecord,
} from "./record_watch.ts";
import { sliceAt } from "./literal.ts";
import { MAX_KEPT_TEXT } from "./own_text.ts";
import type { JsonSlice } from "./value.ts";

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

/** Where in the state the words are; see kernel/wasm/kernel.ts. */
const STATE = {
  next: 0,
  out: 1,
  lines: 2,
  noted: 3,
  touched: 4,
  root: 5,
  limit: 6,
  trace: 7,
  traceEnd: 8,
  records: 9,
  epoch: 10,
  skipped: 11,
  together: 12,
} as const;
/** Room for what is written down of some hundred records. */
const TRACE_SIZE = 1 << 16;
/** From one slot to the next, and from the length of its value to the value. */
const SLOT_STRIDE = MAX_SLOT_BYTES + 32;
const SLOT_HEAD = 16;
const SLOTS = 20;
/** Numbers beyond this one are counted by the rules. */
const MAX_COUNTER = 1 << 30;
/** How many words a note has. */
const NOTE = 3;

/** What the module exports. */
interface KernelExports {
  readonly memory: WebAssembly.Memory;
  state(): number;
  slots(): number;
  notes(): number;
  made(): number;
  free(): number;
  run(from: number, to: number, out: number, outEnd: number): number;
}

/** What the kernel did with the lines that it was given. */
export interface KernelRun {
  /** Where the first line starts that it left. */
  readonly next: number;
  /** How many it took, empty ones among them, and those whose records nobody wants. */
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
    compiled = new WebAssembly.Module(bytesOf(KERNEL_MODULE));
  } catch {
    // No WebAssembly, none with SIMD, or a page whose policy forbids it.
    isRefused = true;
  }
  return compiled;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
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
  readonly #state: Int32Array;
  /** All of the memory, in words. */
  readonly #words: Int32Array;
  readonly #slots: number;
  readonly #notes: number;
  readonly #input: number;
  readonly #output: number;
  readonly #wishes: KernelWishes;
  readonly #trace: KernelTrace;
  readonly #plans: KernelPlans;
  readonly #given: (JsonSlice | undefined)[] = new Array(SLOTS);
  /** What was copied in, from where to where, and where it went. */
  #source: Uint8Array | undefined;
  #rules: unknown;
  /** That of the run. */
  #context: RecordContext | undefined;
  readonly #made = new ByteWriter(0);
  /** What the last run changed. */
  readonly #changes: ContextChanges = {
    isTouched: (slot) =>
      ((this.#state[STATE.touched] ?? 0) & (1 << slot)) !== 0,
    valueOf: (slot) => {
      const at = this.#slotAt(slot);
      const length = this.#words[at >> 2] ?? 0;
      if (length === 0) return undefined;
      const from = at + SLOT_HEAD;
      return sliceAt(this.#bytes.slice(from, from + length), 0, length);
    },
    counterOf: (slot) => this.#words[(this.#slotAt(slot) >> 2) + 1] ?? 0,
  };
  #from = 0;
  #to = 0;

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
    const make = this.#make.bind(this);
    const instance = new WebAssembly.Instance(module, { rules: { make } });
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
    this.#state = new Int32Array(buffer, exports.state(), 16);
    this.#state[STATE.limit] = maxLineBytes;
    if (wishes.proof !== undefined) {
      this.#state[STATE.trace] = trace;
      this.#state[STATE.traceEnd] = trace + TRACE_SIZE;
      this.#state[STATE.together] = MAX_KEPT_TEXT;
    }
    this.#slots = exports.slots();
    this.#notes = exports.notes();
    this.#made.settle(new Uint8Array(buffer, exports.made(), MAX_SLOT_BYTES));
    this.home = new Uint8Array(buffer, this.#output, OUTPUT_SIZE);
    this.#plans = new KernelPlans(
      buffer,
      { start: plans, end: plans + PLAN_SIZE },
      {
        root: exports.state() + 4 * STATE.root,
        slot: (slot) => this.#slots + slot * SLOT_STRIDE,
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
    this.#context = undefined;
    if (IDLE.length < MAX_IDLE) IDLE.push(this);
  }

  /** Begins the work for another stream; the plans may be of use for it, too. */
  #reset(maxLineBytes: number): void {
    this.lines = 0;
    this.#source = undefined;
    this.#plans.begin();
    this.#given.fill(undefined);
    for (let slot = 0; slot < SLOTS; slot++) this.#setSlot(slot, undefined);
    this.#state[STATE.limit] = maxLineBytes;
  }

  /** Whether there is use in watching how the next record is rewritten. */
  get isEager(): boolean {
    return this.#plans.isEager;
  }

  /** Makes a plan of what was done with a record; says whether that was possible. */
  learn(watched: WatchedRecord | undefined): boolean {
    if (watched !== undefined) this.#obey(watched.rules);
    return this.#plans.learn(watched);
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
    if (!this.#give(context)) return { next, lines, records };
    this.#context = context;
    while (next < end && out.isHome) {
      if (!this.#isIn(bytes, next) && !this.#copyIn(bytes, next, end)) break;
      const shift = this.#input - this.#from;
      const isDone = this.#exports.run(
        next + shift,
        Math.min(end, this.#to) + shift,
        this.#output + out.length,
        this.#output + OUTPUT_SIZE,
      );
      const state = this.#state;
      next = (state[STATE.next] ?? 0) - shift;
      lines += state[STATE.lines] ?? 0;
      records += state[STATE.records] ?? 0;
      const answered = (state[STATE.records] ?? 0) +
        (state[STATE.skipped] ?? 0);
      out.advance((state[STATE.out] ?? 0) - this.#output);
      if (answered > 0) this.#tell(context);
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
  #give({ slots, counters }: RecordContext): boolean {
    for (let slot = 0; slot < slots.length; slot++) {
      const value = slots[slot];
      if (value !== this.#given[slot]) {
        const length = value === undefined ? 0 : value.end - value.start;
        if (length > MAX_SLOT_BYTES) return false;
        this.#given[slot] = value;
        this.#setSlot(slot, value);
      }
      const counter = counters[slot];
      if (counter === undefined) continue;
      if (counter > MAX_COUNTER) return false;
      this.#words[(this.#slotAt(slot) >> 2) + 1] = counter;
    }
    return true;
  }

  #slotAt(slot: number): number {
    return this.#slots + slot * SLOT_STRIDE;
  }

  #setSlot(slot: number, value: JsonSlice | undefined): void {
    const at = this.#slotAt(slot);
    this.#words[at >> 2] = value === undefined ? 0 : value.end - value.start;
    this.#state[STATE.epoch] = (this.#state[STATE.epoch] ?? 0) + 1;
    if (value === undefined) return;
    this.#bytes.set(
      value.bytes.subarray(value.start, value.end),
      at + SLOT_HEAD,
    );
  }

  /** Tells the rules what has happened while they were not asked. */
  #tell(context: RecordContext): void {
    const isTouched = this.#state[STATE.touched] !== 0;
    if (isTouched) context.take(this.#changes);
    const words = this.#words;
    const end = (this.#state[STATE.noted] ?? 0) >> 2;
    for (let at = this.#notes >> 2; at < end; at += NOTE) {
      const start = words[at + 1] ?? 0;
      context.note(words[at] ?? 0, this.#bytes, start, words[at + 2] ?? 0);
    }
    if (!isTouched) return;
    // What was noted down may decide about what is in slots.
    const { slots } = context;
    for (let slot = 0; slot < slots.length; slot++) {
      this.#given[slot] = slots[slot];
    }
  }

  /** Has a text made of a value, where `#made` writes; says how long it is, or 0. */
  #make(code: number, start: number, end: number): number {
    const out = this.#made;
    out.clear(0);
    const isMade = this.#context?.make(code, this.#bytes, start, end, out);
    return isMade === true && out.isHome ? out.length : 0;
  }
}

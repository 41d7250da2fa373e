/**
 * What the kernel writes down of the records that it wrote, and the values that are made of
 * them by it.
 */

import {
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
import type { KernelPlans } from "./kernel_plans.ts";
import { MAX_KEPT_TEXT } from "./own_text.ts";
import { RecordParts } from "./record_parts.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Takes the values of the records that were written. */
export interface ValueTaker {
  /**
   * Takes a record.
   *
   * @param value Its value.
   * @param text Its text.
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
export class KernelTrace {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #plans: KernelPlans;
  readonly #parts: RecordParts;

  /**
   * Constructs a new instance.
   *
   * @param bytes The memory of the kernel.
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
  #at(at: number, what: number): number {
    return this.#words[at + (what >> 2)] ?? 0;
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

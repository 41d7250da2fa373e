/**
 * What the kernel writes down of the records that it wrote, and the values that are made of
 * them by it.
 */

import type { KernelPlans } from "./kernel_plans.ts";
import { MAX_KEPT_TEXT } from "./own_text.ts";
import { RecordParts } from "./record_parts.ts";
import { decodeUtf8 } from "./utf8.ts";

/** What stands before the parts of a record, in words; see kernel/wasm/trace.ts. */
const HEAD = 9;

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
    const words = this.#words;
    const parts = this.#parts;
    // Where in the bytes the text ends, and where in it the record starts.
    let to = 0;
    let texts = "";
    let from = 0;
    let at = 0;
    for (let record = 0; record < records; record++) {
      const start = words[at + 2] ?? 0;
      if (start >= to) {
        to = this.#endOfTexts(at, record, records);
        texts = decodeUtf8(this.#bytes, start, to);
        from = 0;
      }
      const length = words[at + 7] ?? 0;
      const text = texts.slice(from, from + length);
      const plan = this.#plans.valuePlan(words[at] ?? 0);
      let value: unknown;
      if (plan === undefined) value = JSON.parse(text);
      else {
        parts.go(texts, from, length, at + HEAD, words[at + 6] ?? 0);
        value = plan.make(parts);
      }
      const isProven = plan?.isProven ?? false;
      take(value, text, isProven, words[at + 1] ?? 0, words[at + 5] ?? 0);
      // Behind the texts of the record, and the LF.
      from += (words[at + 8] ?? 0) + 1;
      at = this.#next(at);
    }
  }

  /** Where the record behind one is told of. */
  #next(at: number): number {
    const words = this.#words;
    return ((words[at + 4] ?? 0) - words.byteOffset) >> 2;
  }

  /** Where the last record ends that is decoded together with one. */
  #endOfTexts(first: number, record: number, records: number): number {
    const words = this.#words;
    const start = words[first + 2] ?? 0;
    let end = words[first + 3] ?? 0;
    let at = first;
    for (let next = record + 1; next < records; next++) {
      at = this.#next(at);
      const further = words[at + 3] ?? 0;
      // Texts that are decoded apart may lie between.
      if (words[at + 2] !== end + 1 || further - start > MAX_KEPT_TEXT) break;
      end = further;
    }
    return end;
  }
}

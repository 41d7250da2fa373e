/**
 * Takes the lines that cannot matter out of JSONL before anything is decoded.
 */

import { LF, OPEN_BRACE } from "../json/bytes.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import type { Emit, Stage } from "../stage.ts";
import type { WordFinder } from "./word_finder.ts";

/** Room for what is kept of a block of the usual size. */
const KEPT_CAPACITY = 1 << 16;

/**
 * Keeps the lines of JSONL in which a word stands, and everything up to the first line that
 * looks like an object; of every other line its line feed is left. So lines keep their
 * numbers, and whoever reads the rest has nothing else to know.
 *
 * Session files are mostly commands and their output; this reads past them at more than a
 * gigabyte a second. A word may stand anywhere in a line: a record that is glued to the end
 * of another one is kept.
 *
 * Memory is bounded by the longest line, or by the limit where a line is longer: such a line
 * is passed on as it comes.
 */
export class LineSieve implements Stage<Uint8Array, Uint8Array<ArrayBuffer>> {
  readonly #finder: WordFinder;
  readonly #limit: number;
  readonly #out = new ByteWriter(KEPT_CAPACITY);
  /** The beginning of a line whose end has not come. */
  readonly #held = new ByteWriter(KEPT_CAPACITY);
  /** Whether the line that is being read is passed on as it comes. */
  #isPassing = false;
  /** Whether a line that looks like an object has been kept. */
  #hasBegun = false;

  /**
   * Constructs a new instance.
   *
   * @param finder Finds the words that kept lines have one of; several sieves may share it.
   * @param limit How many bytes of a line are held back at most.
   */
  constructor(finder: WordFinder, limit: number) {
    this.#finder = finder;
    this.#limit = limit;
  }

  /**
   * Takes a block and emits what is left of the lines that it completes. What is emitted is
   * used again: it holds until the next call.
   */
  feed(block: Uint8Array, emit: Emit<Uint8Array<ArrayBuffer>>): void {
    const out = this.#out;
    let at = 0;
    if (this.#isPassing || this.#held.length > 0) {
      const end = block.indexOf(LF) + 1;
      if (end === 0) {
        this.#hold(block, 0);
        this.#give(emit);
        return;
      }
      this.#endHeld(block, end);
      at = end;
    }
    const end = block.lastIndexOf(LF) + 1;
    while (!this.#hasBegun && at < end) {
      const next = block.indexOf(LF, at) + 1;
      this.#keep(block, at, next);
      at = next;
    }
    while (at < end) {
      const hit = this.#finder.find(block, at, end);
      if (hit === -1) {
        this.#blank(block, at, end);
        break;
      }
      const start = Math.max(block.lastIndexOf(LF, hit) + 1, at);
      const next = block.indexOf(LF, hit) + 1;
      this.#blank(block, at, start);
      out.range(block, start, next);
      at = next;
    }
    if (end < block.length) this.#hold(block, Math.max(at, end));
    this.#give(emit);
  }

  /** Ends the input and emits a last line without LF. */
  flush(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    if (this.#held.length > 0) {
      const held = this.#held.view();
      if (!this.#hasBegun || this.#finder.find(held, 0, held.length) !== -1) {
        this.#out.range(held, 0, held.length);
      }
      this.#held.clear(KEPT_CAPACITY);
    }
    this.#give(emit);
  }

  /** Keeps a line before which there was no object. */
  #keep(bytes: Uint8Array, start: number, end: number): void {
    if (bytes[start] === OPEN_BRACE) this.#hasBegun = true;
    this.#out.range(bytes, start, end);
  }

  /** Leaves the line feeds of lines. */
  #blank(bytes: Uint8Array, start: number, end: number): void {
    for (
      let at = bytes.indexOf(LF, start);
      at !== -1 && at < end;
      at = bytes.indexOf(LF, at + 1)
    ) {
      this.#out.byte(LF);
    }
  }

  /** Holds the beginning of a line back, or more of it. */
  #hold(block: Uint8Array, from: number): void {
    if (this.#isPassing) {
      this.#out.range(block, from, block.length);
      return;
    }
    this.#held.range(block, from, block.length);
    if (this.#held.length <= this.#limit) return;
    const held = this.#held.view();
    if (held[0] === OPEN_BRACE) this.#hasBegun = true;
    this.#out.range(held, 0, held.length);
    this.#held.clear(KEPT_CAPACITY);
    this.#isPassing = true;
  }

  /** Deals with a line whose beginning was held back or passed on. */
  #endHeld(block: Uint8Array, end: number): void {
    if (this.#isPassing) {
      this.#out.range(block, 0, end);
      this.#isPassing = false;
      return;
    }
    this.#held.range(block, 0, end);
    const held = this.#held.view();
    if (!this.#hasBegun) this.#keep(held, 0, held.length);
    else if (this.#finder.find(held, 0, held.length) !== -1) {
      this.#out.range(held, 0, held.length);
    } else this.#out.byte(LF);
    this.#held.clear(KEPT_CAPACITY);
  }

  #give(emit: Emit<Uint8Array<ArrayBuffer>>): void {
    if (this.#out.length === 0) return;
    emit(this.#out.view());
    this.#out.clear(KEPT_CAPACITY);
  }
}

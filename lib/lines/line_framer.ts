/** Finds the lines in chunks of bytes, and hands each over where it lies. */

import { CR, LF } from "../json/bytes.ts";

/** The limit on the length of a line unless another is set: 256 MiB. */
export const DEFAULT_MAX_LINE_BYTES: number = 256 * 1024 * 1024;

/**
 * The longest line that can be asked for: a longer one would not fit a JavaScript string,
 * whose length ends at 2^29 - 24.
 */
export const MAX_LINE_BYTES: number = 2 ** 29 - 24;

export interface LineRun {
  /** How many. */
  readonly lines: number;
  /** Where the next one starts. */
  readonly next: number;
}

/** Takes what a {@linkcode LineFramer} finds. */
export interface LineVisitor {
  /**
   * A line.
   *
   * @param bytes The bytes that hold the line. The one at `end`, if there is one, is the
   *   first of its terminator.
   * @param start Where the line starts, behind a byte order mark.
   * @param end Where it ends, before its LF or CRLF.
   * @param line Its number, counted from 1.
   * @param offset Where it starts in the input, byte order mark included.
   */
  line(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): void;
  /**
   * Takes as many lines as it can at once, beginning with the first one.
   *
   * @param start Where the first line starts.
   * @param end Where the last one ends, behind its LF.
   * @param offset Where it starts in the input.
   * @returns How many it has taken and where the next one starts; nothing if there is none
   *   that it can take.
   */
  run?(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): LineRun | undefined;
  /**
   * A line over the limit; it is not kept.
   *
   * @param length How long it is, as it was read: without its LF.
   */
  tooLong(length: number, line: number, offset: number): void;
}

const BOM = [0xef, 0xbb, 0xbf] as const;
/**
 * What there is room for when a first line has to be put together, and what is kept of the room
 * that a long line needed.
 */
const FIRST_CAPACITY = 1 << 16;
const KEPT_CAPACITY = 1 << 21;

/**
 * Finds the lines in chunks of bytes.
 *
 * Only LF ends a line; one CR before it belongs to it (normalize.md L2, L6). One byte order
 * mark at the very start is left out (L5). A line that lies in one chunk is handed over
 * where it lies; one that is spread over several is put together in a buffer that doubles,
 * so that the work is linear in its length however it is cut.
 */
export class LineFramer {
  readonly #maxLineBytes: number;
  #pending: Uint8Array<ArrayBuffer> = NOTHING;
  #pendingLength = 0;
  #line = 1;
  #offset = 0;

  /**
   * Constructs a new instance.
   *
   * @param maxLineBytes The limit on the length of a line.
   */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Takes a chunk, which may be used again by the caller afterwards. */
  feed(chunk: Uint8Array, visitor: LineVisitor): void {
    let start = 0;
    let end = chunk.indexOf(LF);
    if (end !== -1 && this.#pendingLength > 0) {
      this.#keep(chunk, 0, end + 1);
      this.#take(visitor, this.#pendingLength - 1);
      start = end + 1;
      end = chunk.indexOf(LF, start);
    }
    const last = end === -1 || visitor.run === undefined
      ? 0
      : chunk.lastIndexOf(LF) + 1;
    while (end !== -1) {
      if (start < last) {
        const next = this.#run(visitor, chunk, start, last);
        if (next > start) {
          start = next;
          end = chunk.indexOf(LF, start);
          continue;
        }
      }
      this.#visit(visitor, chunk, start, end);
      start = end + 1;
      end = chunk.indexOf(LF, start);
    }
    if (start < chunk.length) this.#keep(chunk, start, chunk.length);
  }

  /** Ends the input: a last line without LF is a line. */
  flush(visitor: LineVisitor): void {
    if (this.#pendingLength === 0) return;
    const length = this.#pendingLength;
    this.#keep(END, 0, 1);
    this.#take(visitor, length);
  }

  /** Appends to the pending line; beyond the limit only its length is kept. */
  #keep(chunk: Uint8Array, start: number, end: number): void {
    const length = this.#pendingLength + end - start;
    // One byte more than the limit: the LF.
    if (length <= this.#maxLineBytes + 1) {
      if (length > this.#pending.length) {
        const grown = new Uint8Array(
          Math.max(length, 2 * this.#pending.length, FIRST_CAPACITY),
        );
        grown.set(this.#pending.subarray(0, this.#pendingLength));
        this.#pending = grown;
      }
      this.#pending.set(chunk.subarray(start, end), this.#pendingLength);
    } else if (this.#pending.length > KEPT_CAPACITY) {
      this.#pending = NOTHING;
    }
    this.#pendingLength = length;
  }

  /** Hands the pending line over; its LF lies at `length`. */
  #take(visitor: LineVisitor, length: number): void {
    const pending = this.#pending;
    this.#pendingLength = 0;
    if (pending.length > KEPT_CAPACITY) {
      this.#pending = NOTHING;
    }
    // A line over the limit has not been kept.
    const isKept = length <= this.#maxLineBytes;
    if (!isKept || this.#run(visitor, pending, 0, length + 1) === 0) {
      this.#visit(visitor, pending, 0, length);
    }
  }

  /** Lets lines be taken at once; gives where the first one starts that was not. */
  #run(
    visitor: LineVisitor,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    const run = visitor.run?.(bytes, start, end, this.#line, this.#offset);
    if (run === undefined) return start;
    this.#line += run.lines;
    this.#offset += run.next - start;
    return run.next;
  }

  #visit(
    visitor: LineVisitor,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const line = this.#line;
    const offset = this.#offset;
    const length = end - start;
    this.#line += 1;
    this.#offset += length + 1;
    if (length > this.#maxLineBytes) visitor.tooLong(length, line, offset);
    else {
      const skipped = line === 1 && startsWithBom(bytes, start, end) ? 3 : 0;
      const from = start + skipped;
      const to = end > from && bytes[end - 1] === CR ? end - 1 : end;
      visitor.line(bytes, from, to, line, offset);
    }
  }
}

const END = new Uint8Array([LF]);
const NOTHING = new Uint8Array(0);

function startsWithBom(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= BOM.length &&
    BOM.every((byte, i) => bytes[start + i] === byte);
}

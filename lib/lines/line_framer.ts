/** Finds the lines in chunks of bytes, and passes each to a visitor without copying it. */

import { CR, LF, OPEN_BRACE, SPACE } from "../json/bytes.ts";

/** The default limit on the length of a line: 256 MiB. */
export const DEFAULT_MAX_LINE_BYTES: number = 256 * 1024 * 1024;

/**
 * The greatest limit on the length of a line. A longer line would not fit into a JavaScript string,
 * whose maximum length is 2^29 - 24.
 */
export const MAX_LINE_BYTES: number = 2 ** 29 - 24;

/** The lines that a visitor has processed at once. */
export interface LineRun {
  /** The number of lines. */
  readonly lines: number;
  /** The index of the line after them. */
  readonly next: number;
}

/** Receives the lines that a {@linkcode LineFramer} finds. */
export interface LineVisitor {
  /**
   * Receives one line.
   *
   * @param bytes The bytes that contain the line. The byte at `end`, if there is one, is the first
   *   of its terminator.
   * @param start The index of the line, behind a byte order mark.
   * @param end The index of its LF or CRLF.
   * @param line Its number, counted from 1.
   * @param offset The offset of its start in the input, byte order mark included.
   */
  line(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): void;
  /**
   * Processes as many lines as possible at once, beginning with the first one.
   *
   * @param start The index of the first line.
   * @param end The index behind the last line and its LF.
   * @param line The number of the first line.
   * @param offset The offset of its start in the input.
   * @returns The number of processed lines and the index of the next one; nothing if none could be
   *   processed.
   */
  run?(
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
    offset: number,
  ): LineRun | undefined;
  /**
   * Receives the length of a line that is over the limit; its bytes are not kept.
   *
   * @param length The number of its bytes in the input, without its LF.
   */
  tooLong(length: number, line: number, offset: number): void;
}

const BOM = [0xef, 0xbb, 0xbf] as const;
/**
 * The first capacity of the buffer for a line that is spread over chunks, and the greatest capacity
 * that is kept after a long line.
 */
const FIRST_CAPACITY = 1 << 16;
const KEPT_CAPACITY = 1 << 21;

/**
 * Finds the lines in chunks of bytes.
 *
 * Only LF ends a line; one CR before it belongs to the terminator (normalize.md L2, L6). One byte
 * order mark at the very start is skipped (L5). A line inside one chunk is passed on as a range of
 * that chunk. A line that is spread over chunks is put together in a buffer whose capacity doubles,
 * so that the work is linear in the length of the line, however it is chunked.
 */
export class LineFramer {
  readonly #maxLineBytes: number;
  #pending = new Uint8Array(0);
  #pendingLength = 0;
  #line = 1;
  #offset = 0;

  /**
   * @param maxLineBytes The limit on the length of a line.
   */
  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Finds the lines that a chunk completes. The caller may reuse the chunk afterwards. */
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

  /** Appends bytes to the pending line; if it exceeds the limit, only its length is kept. */
  #keep(chunk: Uint8Array, start: number, end: number): void {
    const length = this.#pendingLength + end - start;
    // The LF may come on top of the limit.
    if (length <= this.#maxLineBytes + 1) {
      if (length > this.#pending.length) {
        this.#resize(
          Math.max(length, 2 * this.#pending.length, FIRST_CAPACITY),
        );
      }
      this.#pending.set(chunk.subarray(start, end), this.#pendingLength);
    } else if (this.#pending.length > KEPT_CAPACITY) this.#resize(0);
    this.#pendingLength = length;
  }

  /** Releases the old buffer at once: garbage of this size may stay until there is much of it. */
  #resize(capacity: number): void {
    const pending = this.#pending;
    if (CAN_TRANSFER) {
      this.#pending = new Uint8Array(pending.buffer.transfer(capacity));
      return;
    }
    this.#pending = new Uint8Array(capacity);
    this.#pending.set(pending.subarray(0, capacity));
  }

  /** Passes the pending line to the visitor; `length` is the index of its LF. */
  #take(visitor: LineVisitor, length: number): void {
    const pending = this.#pending;
    this.#pendingLength = 0;
    // The bytes of a line over the limit have not been kept.
    const isKept = length <= this.#maxLineBytes;
    if (!isKept || this.#run(visitor, pending, 0, length + 1) === 0) {
      this.#visit(visitor, pending, 0, length);
    }
    if (pending.length > KEPT_CAPACITY) this.#resize(0);
  }

  /**
   * Offers lines to the visitor's `run`; returns the index of the first one that was not processed.
   */
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
      // The LF of a shorter line differs from the mark.
      const hasBom = line === 1 &&
        BOM.every((byte, i) => bytes[start + i] === byte);
      const from = hasBom ? start + BOM.length : start;
      const to = end > from && bytes[end - 1] === CR ? end - 1 : end;
      visitor.line(bytes, from, to, line, offset);
    }
  }
}

/** False on Node 20. */
const CAN_TRANSFER = "transfer" in ArrayBuffer.prototype;
const END = new Uint8Array([LF]);

/**
 * Whether a line may hold an object, or begin an indented one, by its last byte: a brace, or white
 * space behind one, of ASCII or not. Other lines are torn, or no records; they may be long, so a
 * reader of objects does not decode them.
 *
 * @param end The index behind the last byte of the line in the bytes.
 */
export function mayEndObject(bytes: Uint8Array, end: number): boolean {
  const last = bytes[end - 1] ?? 0;
  return last <= SPACE || last >= OPEN_BRACE;
}

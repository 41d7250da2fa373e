/** A growing buffer of bytes: the output of one block. */

import {
  BACKSLASH,
  copyInto,
  LOWER_U,
  PLAIN,
  QUOTE,
  SHORT,
  SPACE,
} from "./bytes.ts";

const ENCODER = new TextEncoder();
/**
 * Longer texts are escaped byte by byte: `JSON.stringify` aborts the process when its result
 * exceeds 2^27 characters.
 */
const MAX_STRINGIFY = 1 << 20;
const LETTERS = new Map([
  [0x08, 0x62],
  [0x09, 0x74],
  [0x0a, 0x6e],
  [0x0c, 0x66],
  [0x0d, 0x72],
]);
const DIGITS = ENCODER.encode("0123456789abcdef");

/** Receives each range that is copied to a {@linkcode ByteWriter}, before it is copied. */
export interface CopyObserver {
  copied(source: Uint8Array, start: number, end: number, to: number): void;
}

/** The least capacity of a buffer that has grown. */
const LEAST = 1 << 10;

/** A buffer that bytes are appended to. */
export class ByteWriter {
  observer: CopyObserver | undefined;
  #bytes: Uint8Array<ArrayBuffer>;
  #home: Uint8Array<ArrayBuffer> | undefined;
  #length = 0;

  /**
   * @param capacity How many bytes fit before the buffer grows; by default, there is none before the
   *   first write.
   */
  constructor(capacity = 0) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The last byte that was written; 0 if there is none. */
  get last(): number {
    return this.#bytes[this.#length - 1] ?? 0;
  }

  /** Returns the written bytes, as a view that is valid until the next write. */
  view(start: number = 0, end: number = this.#length): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, end);
  }

  /** Removes the bytes behind `length`. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Removes all bytes, and replaces the buffer if it is larger than `capacity`. */
  clear(capacity: number): void {
    this.#length = 0;
    if (this.#home !== undefined) this.#bytes = this.#home;
    else if (this.#bytes.length > capacity) {
      this.#bytes = new Uint8Array(capacity);
    }
  }

  /** Passes the bytes on, if there are any: they are valid during the call. Then removes them. */
  release(
    emit: (bytes: Uint8Array<ArrayBuffer>) => void,
    capacity: number,
  ): void {
    if (this.#length > 0) emit(this.view());
    this.clear(capacity);
  }

  /**
   * Removes all bytes, and writes to `home` from now on. If that gets too small, a larger buffer is
   * used until the next `clear`.
   */
  settle(home: Uint8Array<ArrayBuffer>): void {
    this.#home = home;
    this.clear(0);
  }

  /** Removes all bytes, and no longer uses the buffer given to `settle`. */
  leave(): void {
    this.#home = undefined;
    this.#length = 0;
    this.#bytes = new Uint8Array(0);
  }

  /** Whether the written bytes are in the buffer given to `settle`. */
  get isHome(): boolean {
    return this.#bytes === this.#home;
  }

  /** Sets the length after bytes were written directly into the buffer behind the previous end. */
  advance(length: number): void {
    this.#length = length;
  }

  reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const bytes = new Uint8Array(
      Math.max(needed, Math.ceil(1.5 * this.#bytes.length), LEAST),
    );
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.reserve(1);
    this.#bytes[this.#length++] = value;
  }

  range(source: Uint8Array, start: number, end: number): void {
    const size = end - start;
    this.observer?.copied(source, start, end, this.#length);
    if (this.#length + size > this.#bytes.length) this.reserve(size);
    copyInto(this.#bytes, this.#length, source, start, end);
    this.#length += size;
  }

  all(source: Uint8Array): void {
    this.range(source, 0, source.length);
  }

  /** Appends a text as UTF-8, without escaping. */
  text(text: string): void {
    this.reserve(3 * text.length);
    const { written } = ENCODER.encodeInto(
      text,
      this.#bytes.subarray(this.#length),
    );
    this.#length += written;
  }

  /** Appends a text as a JSON string, with the fewest possible escapes. */
  string(text: string): void {
    if (text.length < SHORT && this.#plainString(text)) return;
    if (text.length <= MAX_STRINGIFY) this.text(JSON.stringify(text));
    else {
      const bytes = ENCODER.encode(text);
      this.byte(QUOTE);
      this.escaped(bytes, 0, bytes.length);
      this.byte(QUOTE);
    }
  }

  /**
   * Appends a JSON string if the text is plain ASCII; otherwise returns false and appends nothing.
   */
  #plainString(text: string): boolean {
    this.reserve(text.length + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80 || PLAIN[code] !== 1) return false;
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
    return true;
  }

  /** Appends UTF-8 bytes as the inside of a JSON string, with the fewest possible escapes. */
  escaped(source: Uint8Array, start: number, end: number): void {
    let from = start;
    for (let at = start; at < end; at++) {
      const value = source[at] ?? 0;
      if (PLAIN[value] === 1 || value >= 0x80) continue;
      this.range(source, from, at);
      from = at + 1;
      this.#escape(value);
    }
    this.range(source, from, end);
  }

  #escape(value: number): void {
    this.byte(BACKSLASH);
    const letter = LETTERS.get(value);
    if (value > SPACE) this.byte(value);
    else if (letter !== undefined) this.byte(letter);
    else {
      this.byte(LOWER_U);
      this.byte(DIGITS[0] ?? 0);
      this.byte(DIGITS[0] ?? 0);
      this.byte(DIGITS[value >> 4] ?? 0);
      this.byte(DIGITS[value & 15] ?? 0);
    }
  }
}

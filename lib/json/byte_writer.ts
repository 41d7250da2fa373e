/** Bytes that grow: the output of one block. */

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
 * Longer texts are escaped byte by byte: `JSON.stringify` aborts the process when its
 * result passes 2^27 characters.
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

/** Is told of each range that is copied to a {@linkcode ByteWriter}, before it is copied. */
export interface CopyObserver {
  /** Is told where a range lies, and where in the output it goes. */
  copied(source: Uint8Array, start: number, end: number, to: number): void;
}

/** A buffer that bytes are appended to. */
export class ByteWriter {
  /** Is told of each range. */
  observer: CopyObserver | undefined;
  #bytes: Uint8Array<ArrayBuffer>;
  #home: Uint8Array<ArrayBuffer> | undefined;
  #length = 0;

  /**
   * Constructs a new instance.
   *
   * @param capacity How many bytes fit before it grows.
   */
  constructor(capacity = 1 << 10) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** How many bytes have been written. */
  get length(): number {
    return this.#length;
  }

  /** The last byte that was written; 0 if there is none. */
  get last(): number {
    return this.#bytes[this.#length - 1] ?? 0;
  }

  /** What has been written, as a view that holds until the next write. */
  view(start: number = 0, end: number = this.#length): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, end);
  }

  /** Forgets what was written behind `length`. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Forgets all that was written, and the room above `capacity` with it. */
  clear(capacity: number): void {
    this.#length = 0;
    if (this.#home !== undefined) this.#bytes = this.#home;
    else if (this.#bytes.length > capacity) {
      this.#bytes = new Uint8Array(capacity);
    }
  }

  /**
   * Forgets all that was written, and writes to given room from now on, as long as that is
   * enough; after each `clear` again.
   */
  settle(home: Uint8Array<ArrayBuffer>): void {
    this.#home = home;
    this.clear(0);
  }

  /** Forgets all that was written, and the given room. */
  leave(): void {
    this.#home = undefined;
    this.#length = 0;
    this.#bytes = new Uint8Array(0);
  }

  /** Whether what was written lies where `settle` said. */
  get isHome(): boolean {
    return this.#bytes === this.#home;
  }

  /** Takes bytes that were written into the buffer behind the present end, up to `length`. */
  advance(length: number): void {
    this.#length = length;
  }

  /** Makes room for `size` more bytes. */
  reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const bytes = new Uint8Array(
      Math.max(needed, Math.ceil(1.5 * this.#bytes.length)),
    );
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }

  /** Appends one byte. */
  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Appends a range of bytes. */
  range(source: Uint8Array, start: number, end: number): void {
    const size = end - start;
    this.observer?.copied(source, start, end, this.#length);
    if (this.#length + size > this.#bytes.length) this.reserve(size);
    copyInto(this.#bytes, this.#length, source, start, end);
    this.#length += size;
  }

  /** Appends all of some bytes. */
  all(source: Uint8Array): void {
    this.range(source, 0, source.length);
  }

  /** Appends a text as UTF-8, as it is. */
  text(text: string): void {
    this.reserve(3 * text.length);
    const { written } = ENCODER.encodeInto(
      text,
      this.#bytes.subarray(this.#length),
    );
    this.#length += written;
  }

  /** Appends a text as a JSON string, escaping only what must be. */
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

  /** Appends a string of plain ASCII, or nothing if the text is something else. */
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

  /** Appends UTF-8 as the inside of a JSON string, escaping only what must be. */
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

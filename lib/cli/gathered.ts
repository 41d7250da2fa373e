/**
 * What is gathered to be written at once.
 */

import type { Output } from "./output.ts";

const ENCODER = new TextEncoder();
/** The size of a piece: what is gathered is never moved to make room for more. */
const PIECE = 1 << 18;

/** How many pieces are kept to be used again: memory that is given back comes back late. */
const KEPT = 8;

/** Bytes and texts, one after the other. */
export class Gathered {
  #full: Uint8Array[] = [];
  #piece = new Uint8Array(PIECE);
  #length = 0;
  /** Pieces that have been written. */
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];

  /** Adds bytes, which must not change until they are written. */
  add(bytes: Uint8Array): void {
    if (bytes.length > PIECE) {
      this.#seal();
      this.#full.push(bytes);
      return;
    }
    if (this.#length + bytes.length > PIECE) this.#seal();
    this.#piece.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Adds a text. */
  addText(text: string): void {
    if (this.#length + 3 * text.length > PIECE) this.#seal();
    const { read, written } = ENCODER.encodeInto(
      text,
      this.#piece.subarray(this.#length),
    );
    this.#length += written;
    if (read < text.length) this.add(ENCODER.encode(text.slice(read)));
  }

  /** Writes what has been gathered, and forgets it, whether that works or not. */
  async writeTo(output: Output): Promise<void> {
    const full = this.#full;
    const rest = this.#piece.subarray(0, this.#length);
    this.#full = [];
    this.#length = 0;
    for (const piece of full) {
      await output.write(piece);
      const { buffer } = piece;
      const isOwn = buffer.byteLength === PIECE &&
        buffer instanceof ArrayBuffer;
      if (isOwn && this.#spare.length < KEPT) {
        this.#spare.push(new Uint8Array(buffer));
      }
    }
    if (rest.length > 0) await output.write(rest);
  }

  #seal(): void {
    if (this.#length === 0) return;
    this.#full.push(this.#piece.subarray(0, this.#length));
    this.#piece = this.#spare.pop() ?? new Uint8Array(PIECE);
    this.#length = 0;
  }
}

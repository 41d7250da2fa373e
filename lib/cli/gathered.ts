/** What is gathered to be written at once. */

import type { Output } from "./output.ts";

const ENCODER = new TextEncoder();

/** The size of a piece: what is gathered is never moved to make room for more. */
const PIECE = 1 << 18;

/** How many pieces are kept to be used again: memory that is given back comes back late. */
const KEPT = 8;

/** How much text is gathered before it is written, in UTF-16 units. */
export const GATHERED: number = 1 << 18;

/**
 * Writes texts one behind the other, many of them at once.
 *
 * @param output Where to.
 * @param enough How much is gathered before it is written, in UTF-16 units.
 */
export async function writeTexts(
  output: Output,
  texts: Iterable<string> | AsyncIterable<string>,
  enough: number = GATHERED,
): Promise<void> {
  let gathered = "";
  for await (const text of texts) {
    gathered += text;
    if (gathered.length < enough) continue;
    await output.writeText(gathered);
    gathered = "";
  }
  await output.writeText(gathered);
}

/** Bytes and texts, one after the other. */
export class Gathered {
  #full: Uint8Array[] = [];
  // Made when there is something for it: most runs have nothing to say.
  #piece = new Uint8Array(0);
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
    this.#makeRoom(bytes.length);
    this.#piece.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  addText(text: string): void {
    this.#makeRoom(3 * text.length);
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
      // A piece that is not ours is longer, or it would have been copied.
      const isOwn = buffer.byteLength === PIECE &&
        buffer instanceof ArrayBuffer;
      if (isOwn && this.#spare.length < KEPT) {
        this.#spare.push(new Uint8Array(buffer));
      }
    }
    if (rest.length > 0) await output.write(rest);
  }

  /** Goes on to another piece if the one at hand has no room for so much. */
  #makeRoom(size: number): void {
    if (this.#length + size <= this.#piece.length) return;
    this.#seal();
    if (this.#piece.length === 0) {
      this.#piece = this.#spare.pop() ?? new Uint8Array(PIECE);
    }
  }

  /** Puts what is in the piece at hand behind what is full. */
  #seal(): void {
    if (this.#length === 0) return;
    this.#full.push(this.#piece.subarray(0, this.#length));
    this.#piece = new Uint8Array(0);
    this.#length = 0;
  }
}

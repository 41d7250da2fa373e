/**
 * The content of a packed source.
 */

import type { ByteSource } from "./byte_source.ts";
import type { PackedFormat } from "./errors.ts";
import { Pieces, unpack } from "./unpack.ts";

/** What a source holds in packed form. */
export class UnpackedSource implements ByteSource {
  readonly #packed: ByteSource;
  readonly #pieces: Pieces;
  readonly #chunks: AsyncGenerator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  /** Constructs a new instance: the rest of the source, and the first bytes of it. */
  constructor(packed: ByteSource, head: Uint8Array, format: PackedFormat) {
    this.#packed = packed;
    this.#pieces = new Pieces(head, packed);
    this.#chunks = unpack(this.#pieces, format);
  }

  /**
   * Reads what comes next of the content.
   *
   * @throws {PackedDataError} If it is damaged or cut off there.
   */
  async read(into: Uint8Array): Promise<number | null> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return null;
      this.#chunk = next.value;
    }
    const size = Math.min(into.length, this.#chunk.length);
    into.set(this.#chunk.subarray(0, size));
    this.#chunk = this.#chunk.subarray(size);
    return size;
  }

  /** Gives back what reading needs. */
  close(): void {
    this.#pieces.end();
    // What the generator still waits for is not waited for here.
    this.#chunks.return(undefined).catch(() => {});
    this.#packed.close();
  }
}

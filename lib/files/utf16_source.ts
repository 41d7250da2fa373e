/**
 * Text in UTF-16 as UTF-8.
 */

import type { ByteSource } from "./byte_source.ts";
import type { Utf16 } from "./packed_magic.ts";

/** How much is read at once. */
const BLOCK = 1 << 16;

/** Gives text in UTF-16 as UTF-8, without its byte order mark. */
export class Utf16Source implements ByteSource {
  readonly #source: ByteSource;
  readonly #decoder: TextDecoder;
  readonly #encoder = new TextEncoder();
  readonly #block = new Uint8Array(BLOCK);
  #text: Uint8Array;
  #isEnd = false;

  /** Constructs a new instance: the rest of the source, and the first bytes of it. */
  constructor(source: ByteSource, head: Uint8Array, encoding: Utf16) {
    this.#source = source;
    this.#decoder = new TextDecoder(encoding);
    this.#text = this.#encoded(head);
  }

  /** Reads what comes next of the text; half a character is U+FFFD. */
  async read(into: Uint8Array): Promise<number | null> {
    while (this.#text.length === 0) {
      if (this.#isEnd) return null;
      const size = await this.#source.read(this.#block);
      this.#isEnd = size === null;
      this.#text = this.#encoded(
        size === null ? undefined : this.#block.subarray(0, size),
      );
    }
    const size = Math.min(into.length, this.#text.length);
    into.set(this.#text.subarray(0, size));
    this.#text = this.#text.subarray(size);
    return size;
  }

  /** Gives back what reading needs. */
  close(): void {
    this.#source.close();
  }

  #encoded(bytes: Uint8Array | undefined): Uint8Array {
    return this.#encoder.encode(
      this.#decoder.decode(bytes, { stream: bytes !== undefined }),
    );
  }
}

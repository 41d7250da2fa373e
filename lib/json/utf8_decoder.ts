/**
 * UTF-8 that comes in pieces, decoded by somebody whose state can be written down.
 */

import { copyOf } from "./bytes.ts";
import { decodeUtf8, unfinishedBytes } from "./utf8.ts";

/** The longest beginning of a character that is not one yet. */
const MAX_PENDING = 3;

/**
 * Decodes UTF-8 piece by piece, as a streaming `TextDecoder` does, whose state nobody can
 * see; this one's is plain JSON.
 */
export class Utf8Decoder {
  #pending: Uint8Array;

  /**
   * Constructs a new instance.
   *
   * @param pending The bytes that waited for the rest of their character.
   */
  constructor(pending: readonly number[] = []) {
    this.#pending = Uint8Array.from(pending.slice(0, MAX_PENDING));
  }

  /** The bytes that wait for the rest of their character. */
  get pending(): readonly number[] {
    return [...this.#pending];
  }

  /**
   * Decodes a piece; what is no UTF-8 becomes U+FFFD.
   *
   * @param piece The next bytes.
   * @returns The characters that are complete now.
   */
  decode(piece: Uint8Array): string {
    let bytes = piece;
    if (this.#pending.length > 0) {
      bytes = new Uint8Array(this.#pending.length + piece.length);
      bytes.set(this.#pending);
      bytes.set(piece, this.#pending.length);
    }
    const end = bytes.length - unfinishedBytes(bytes);
    this.#pending = copyOf(bytes, end);
    return decodeUtf8(bytes, 0, end);
  }
}

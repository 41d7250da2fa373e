/**
 * Output that comes as bytes, in pieces that may end inside a character.
 *
 * @module
 */

/** The longest beginning of a character that is not one yet. */
const MAX_PENDING = 3;
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes UTF-8 piece by piece; its state is plain JSON. */
export class OutputDecoder {
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
    this.#pending = bytes.slice(end);
    return DECODER.decode(bytes.subarray(0, end));
  }
}

/** Counts the bytes at the end that may begin a character whose rest is still to come. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(MAX_PENDING, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return byte <= 0xf4 && length > back ? back : 0;
    }
  }
  return 0;
}

/**
 * Reads the bytes of an output delta.
 *
 * @param chunk The field `chunk`: base64, or a list of numbers in older releases.
 * @returns The bytes, or `undefined` if it is neither.
 */
export function chunkBytes(chunk: unknown): Uint8Array | undefined {
  if (typeof chunk === "string") {
    try {
      return Uint8Array.from(atob(chunk), (char) => char.charCodeAt(0));
    } catch {
      return undefined;
    }
  }
  if (!Array.isArray(chunk)) return undefined;
  const isBytes = chunk.every((byte) =>
    Number.isInteger(byte) && byte >= 0 && byte <= 255
  );
  return isBytes ? Uint8Array.from(chunk) : undefined;
}

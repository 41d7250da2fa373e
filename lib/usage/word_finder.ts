/**
 * Looks for any of several words in bytes.
 */

/**
 * Finds words in bytes, much faster than bytes can be decoded: where no word can end it
 * skips ahead, nearly as far as the shortest word is long (Wu and Manber 1994).
 */
export class WordFinder {
  /** How far to skip where two bytes stand; 0 where a word may begin. */
  readonly #skips = new Uint8Array(1 << 16);
  /** The words by the two bytes that stand at the end of their first {@linkcode #length}. */
  readonly #words = new Map<number, Uint8Array[]>();
  /** The length of the shortest word. */
  readonly #length: number;

  /**
   * Constructs a new instance.
   *
   * @param words The words: ASCII, two characters or more, at least one word.
   */
  constructor(words: readonly string[]) {
    const encoded = words.map((word) => new TextEncoder().encode(word));
    const length = Math.min(...encoded.map((word) => word.length), 255);
    this.#length = length;
    this.#skips.fill(length - 1);
    for (const word of encoded) {
      for (let i = 0; i + 1 < length; i++) {
        const pair = pairAt(word, i);
        const skip = length - 2 - i;
        if (skip < (this.#skips[pair] ?? 0)) this.#skips[pair] = skip;
      }
      const pair = pairAt(word, length - 2);
      this.#words.set(pair, [...(this.#words.get(pair) ?? []), word]);
    }
  }

  /**
   * Finds the first word.
   *
   * @returns Where it begins, or -1 if none does and ends in the range.
   */
  find(bytes: Uint8Array, start: number, end: number): number {
    const skips = this.#skips;
    const back = this.#length - 2;
    let at = start + back;
    while (at + 1 < end) {
      const pair = (bytes[at] ?? 0) << 8 | (bytes[at + 1] ?? 0);
      const skip = skips[pair] ?? 0;
      if (skip > 0) {
        at += skip;
        continue;
      }
      for (const word of this.#words.get(pair) ?? []) {
        if (isAt(word, bytes, at - back, end)) return at - back;
      }
      at += 1;
    }
    return -1;
  }
}

function pairAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) << 8 | (bytes[at + 1] ?? 0);
}

function isAt(
  word: Uint8Array,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (start + word.length > end) return false;
  for (let i = 0; i < word.length; i++) {
    if (word[i] !== bytes[start + i]) return false;
  }
  return true;
}

/** Decodes short words (keys, types, ids), each word only once. */

import { copyOf, isSame } from "./bytes.ts";
import { decodeUtf8 } from "./utf8.ts";

interface Word {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const SLOTS = 2048;
/** Longer words are not cached: they are data, not vocabulary. */
const MAX_BYTES = 64;
const FIRST: Word = { bytes: new Uint8Array(0), text: "" };
/**
 * How many times a word must occur before it is cached. The rules look at some words of a line
 * twice.
 */
const USUAL = 3;
/** The maximum number of words that a process interns. More would be data in the place of names. */
const MAX_INTERNED = 2048;

/**
 * A direct-mapped cache of words. Its size is fixed, whatever the input.
 *
 * The same key always returns the same string object, so a comparison with a name in the rule
 * tables compares pointers.
 *
 * A word is cached once it has occurred often enough to be expected again. Other words would become
 * garbage in the old generation, which the engine rarely collects: 140 MB in a stream of 100 MB
 * whose types never occur again.
 */
export class WordCache {
  #slots: Word[] = new Array<Word>(SLOTS).fill(FIRST);
  /** By slot, the hash of the last word that was not cached, and how often it has occurred. */
  readonly #hashes = new Int32Array(SLOTS);
  readonly #times = new Uint8Array(SLOTS);
  #interned = 0;

  /**
   * Returns the string of a range of bytes.
   *
   * @param hash A number that depends only on the bytes; see {@linkcode hashBytes}.
   */
  text(bytes: Uint8Array, start: number, end: number, hash: number): string {
    const length = end - start;
    if (length > MAX_BYTES) return decodeUtf8(bytes, start, end);
    const slot = (hash ^ (hash >>> 11)) & (SLOTS - 1);
    const word = this.#slots[slot] ?? FIRST;
    if (
      word.bytes.length === length &&
      isSame(word.bytes, 0, bytes, start, length)
    ) {
      // Another word of the slot must occur `USUAL` times in a row to replace this one.
      this.#times[slot] = 0;
      return word.text;
    }
    const text = decodeUtf8(bytes, start, end);
    if (!this.#isUsual(slot, hash)) return text;
    this.#interned += 1;
    const kept = this.#interned > MAX_INTERNED ? text : interned(text);
    this.#slots[slot] = { bytes: copyOf(bytes, start, end), text: kept };
    return kept;
  }

  /** Counts an occurrence of a word in its slot; returns whether it is time to cache it. */
  #isUsual(slot: number, hash: number): boolean {
    const isSame = this.#hashes[slot] === hash;
    const times = isSame ? (this.#times[slot] ?? 0) + 1 : 1;
    this.#hashes[slot] = hash;
    this.#times[slot] = times % USUAL;
    return times === USUAL;
  }
}

/**
 * The cache of all streams. Most of their words are the same, and creating a cache takes longer
 * than reading a small file.
 */
export const WORDS: WordCache = new WordCache();

/**
 * Returns the engine's own copy of a string. Property names and the names in the rule tables have
 * such copies, so comparing them compares pointers.
 */
function interned(text: string): string {
  return Object.keys({ [text]: undefined })[0] ?? text;
}

export function hashBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  if (end - start > MAX_BYTES) return 0;
  let hash = 0;
  for (let at = start; at < end; at++) {
    hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  }
  return hash;
}

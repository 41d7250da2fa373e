/** Bytes of short words (keys, types, ids) to strings, without decoding a word twice. */

import { copyOf, isSame } from "./bytes.ts";
import { decodeUtf8 } from "./utf8.ts";

interface Word {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const SLOTS = 2048;
/** Longer words are decoded each time: they are data, not vocabulary. */
const MAX_BYTES = 64;
const FIRST: Word = { bytes: new Uint8Array(0), text: "" };
/** How often a word comes before it is kept; rules look at some words of a line twice. */
const USUAL = 3;
/** How many words of a process may be names; more than that is data in the place of names. */
const MAX_INTERNED = 2048;

/**
 * A direct-mapped cache of words, bounded whatever the input brings.
 *
 * Giving the same string object for the same key keeps comparisons with the names in the
 * rule tables to a pointer comparison.
 *
 * A word is kept when it has come often enough that it will come again. The others would be
 * garbage among what is old, which the engine hardly ever collects: 140 MB of it in a stream
 * of 100 MB whose types never come again.
 */
export class WordCache {
  #slots: Word[] = new Array<Word>(SLOTS).fill(FIRST);
  /** By slot, the hash of the last word that was not kept, and how often it has come. */
  readonly #hashes = new Int32Array(SLOTS);
  readonly #times = new Uint8Array(SLOTS);
  #interned = 0;

  /**
   * Gives the string for a range of bytes.
   *
   * @param hash Any number that depends on the bytes only.
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
      // What comes between keeps its place.
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

  /** Counts how often a word has come to a slot; says whether that is enough. */
  #isUsual(slot: number, hash: number): boolean {
    const isSame = this.#hashes[slot] === hash;
    const times = isSame ? (this.#times[slot] ?? 0) + 1 : 1;
    this.#hashes[slot] = hash;
    this.#times[slot] = times % USUAL;
    return times === USUAL;
  }
}

/**
 * The words of all streams: most are the same ones, and a cache for each of its own takes longer
 * to make than small files to read.
 */
export const WORDS: WordCache = new WordCache();

/**
 * Gives the engine's own copy of a string: property names have one, and so have the names
 * in the rule tables, so that comparing the two is comparing pointers.
 */
function interned(text: string): string {
  return Object.keys({ [text]: undefined })[0] ?? text;
}

/** The hash of a range of bytes that {@linkcode WordCache.text} wants. */
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

/**
 * Bytes of short words (keys, types, ids) to strings, without decoding a word twice.
 */

import { decodeUtf8 } from "./utf8.ts";

/** One remembered word. */
interface Word {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const SLOTS = 2048;
/** Longer words are decoded each time: they are data, not vocabulary. */
const MAX_BYTES = 64;
const FIRST: Word = { bytes: new Uint8Array(0), text: "" };

/**
 * A direct-mapped cache of words, bounded whatever the input brings.
 *
 * Giving the same string object for the same key keeps comparisons with the names in the
 * rule tables to a pointer comparison.
 */
export class WordCache {
  #slots: Word[] = new Array<Word>(SLOTS).fill(FIRST);

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
    if (word.bytes.length === length && sameBytes(word.bytes, bytes, start)) {
      return word.text;
    }
    const text = interned(decodeUtf8(bytes, start, end));
    this.#slots[slot] = { bytes: bytes.slice(start, end), text };
    return text;
  }
}

/**
 * Gives the engine's own copy of a string: property names have one, and so have the names
 * in the rule tables, so that comparing the two is comparing pointers.
 */
function interned(text: string): string {
  return Object.keys({ [text]: undefined })[0] ?? text;
}

function sameBytes(
  word: Uint8Array,
  bytes: Uint8Array,
  start: number,
): boolean {
  for (let i = 0; i < word.length; i++) {
    if (word[i] !== bytes[start + i]) return false;
  }
  return true;
}

/** The hash of a range of bytes that {@linkcode WordCache.text} wants. */
export function hashBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let hash = 0;
  if (end - start > MAX_BYTES) return hash;
  for (let at = start; at < end; at++) {
    hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  }
  return hash;
}

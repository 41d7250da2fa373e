/** An index of names by their hash, without a copy of any name. */

import { BACKSLASH, QUOTE } from "./bytes.ts";
import { keyText } from "./tape.ts";

/** Random, so that an input cannot be made whose names all collide. */
const SEED = Math.floor(Math.random() * 2 ** 31) | 1;
const ENCODER = new TextEncoder();

/**
 * Finds the place of a name among many, by a hash of the name.
 *
 * A `Map` is not used, because the engine would keep its own copy of each name, in the old
 * generation.
 */
export class NameIndex {
  /**
   * An open-addressing hash table of places plus one; 0 is an empty slot. At most half of it is
   * filled.
   */
  readonly #slots: Int32Array;

  /** @param count The number of places that it has to hold. */
  constructor(count: number) {
    let room = 1;
    while (room < 2 * count) room *= 2;
    this.#slots = new Int32Array(room);
  }

  /** Whether the index has room for `count` places. */
  holds(count: number): boolean {
    return 2 * count <= this.#slots.length;
  }

  /**
   * Finds a place.
   *
   * @param isIt Whether a place with this hash has the name that is looked up.
   * @returns The place, or -1.
   */
  find(hash: number, isIt: (place: number) => boolean): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const place = (slots[slot] ?? 0) - 1;
      if (place === -1 || isIt(place)) return place;
    }
  }

  /** Adds a place under the hash of its name. */
  enter(hash: number, place: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = place + 1;
  }
}

/** Returns a hash of bytes that an attacker cannot predict. */
export function hashOfBytes(bytes: Uint8Array): number {
  let hash = SEED;
  for (let at = 0; at < bytes.length; at++) hash = mixed(hash, bytes[at] ?? 0);
  return finished(hash);
}

/** Returns the hash of a name: that of its UTF-8 bytes. */
export function hashOfName(name: string): number {
  let hash = SEED;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code >= 0x80) return hashOfBytes(ENCODER.encode(name));
    hash = mixed(hash, code);
  }
  return finished(hash);
}

/** Returns the hash of the name that a key spells. `key` is the index of its opening quote. */
export function hashOfKey(bytes: Uint8Array, key: number): number {
  let hash = SEED;
  for (let at = key + 1;; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return finished(hash);
    if (byte === BACKSLASH) return hashOfName(keyText(bytes, key));
    hash = mixed(hash, byte);
  }
}

function mixed(hash: number, byte: number): number {
  const next = Math.imul(hash ^ byte, SEED);
  return next ^ (next >>> 13);
}

function finished(hash: number): number {
  return hash ^ (hash >>> 7);
}

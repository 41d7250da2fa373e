/** Names to places, without a copy of a name. */

import { BACKSLASH, QUOTE } from "./bytes.ts";
import { keyText } from "./tape.ts";

/** Makes names that are looked for in the same slot a matter of luck. */
const SEED = Math.floor(Math.random() * 2 ** 31) | 1;
const ENCODER = new TextEncoder();

/**
 * Finds the place of a name among many, by a hash of it.
 *
 * Not a `Map`, which makes the engine keep a copy of its own of each name, among what is old.
 */
export class NameIndex {
  /** With open addressing: a place, plus one. At most half of them are taken. */
  readonly #slots: Int32Array;

  /**
   * Constructs a new instance.
   *
   * @param count How many places it has to hold.
   * @param make Makes room for so many numbers, all of them 0.
   */
  constructor(
    count: number,
    make: (size: number) => Int32Array = (size) => new Int32Array(size),
  ) {
    let room = 1;
    while (room < 2 * count) room *= 2;
    this.#slots = make(room);
  }

  /** Whether it can hold so many places. */
  holds(count: number): boolean {
    return 2 * count <= this.#slots.length;
  }

  /**
   * Finds a place.
   *
   * @param isIt Says whether a place is the one.
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

/** The hash of bytes, which their writer cannot foresee. */
export function hashOfBytes(bytes: Uint8Array): number {
  let hash = SEED;
  for (let at = 0; at < bytes.length; at++) hash = mixed(hash, bytes[at] ?? 0);
  return finished(hash);
}

/** The hash of a name: that of its UTF-8. */
export function hashOfName(name: string): number {
  let hash = SEED;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code >= 0x80) return hashOfBytes(ENCODER.encode(name));
    hash = mixed(hash, code);
  }
  return finished(hash);
}

/** The hash of the name that a key spells, which starts at its quote. */
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

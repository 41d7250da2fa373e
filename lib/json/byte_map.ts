/**
 * What is remembered of a stream, in one piece of memory that does not grow with it.
 */

import { hashOfBytes } from "./name_index.ts";

/** A value of a {@linkcode ByteMap}, where it lies. */
interface ByteRange {
  /** The bytes that it lies in. */
  readonly bytes: Uint8Array;
  /** Where it starts. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
}

/** The words of an entry: its hash, where its key and its value start, where that ends. */
const STRIDE = 4;
/** In the place of the start of a key: the entry is gone. */
const GONE = -1;
const FIRST_ENTRIES = 64;
const FIRST_BYTES = 1 << 10;
/** What is kept of the room that much of what is gone has needed. */
const KEPT_BYTES = 1 << 16;
const KEPT_ENTRIES = 1 << 9;

/**
 * A map from bytes to bytes that forgets what is oldest when it holds too much.
 *
 * It is there for what comes and goes with every few lines: a `Map` of objects leaves all of
 * that among what is old, because each table that it outgrows keeps the next one alive, and
 * what is old is hardly ever collected (11 MB for each 100 MB of the old dialect).
 */
export class ByteMap {
  readonly #limit: number;
  readonly #hash: (key: Uint8Array) => number;
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;
  /** How many of these bytes belong to entries that are there. */
  #used = 0;
  #entries = new Int32Array(STRIDE * FIRST_ENTRIES);
  /** How many entries there are, those that are gone among them. */
  #count = 0;
  #size = 0;
  /** All entries before this one are gone. */
  #first = 0;
  /** By hash, with open addressing: the number of an entry, plus one. */
  #table = new Int32Array(2 * FIRST_ENTRIES);

  /**
   * Constructs a new instance.
   *
   * @param limit How many bytes of keys and values are remembered, unless one entry alone has
   *   more.
   * @param hash Makes a whole number of 32 bits of a key, the same of the same key.
   */
  constructor(limit: number, hash = hashOfBytes) {
    this.#limit = limit;
    this.#hash = hash;
  }

  /** How many entries there are. */
  get size(): number {
    return this.#size;
  }

  /** Finds the value under a key; it holds until the next `set`. */
  get(key: Uint8Array): ByteRange | undefined {
    const entry = this.#find(key);
    if (entry === -1) return undefined;
    const at = STRIDE * entry;
    const start = this.#entries[at + 2] ?? 0;
    return { bytes: this.#bytes, start, end: this.#entries[at + 3] ?? 0 };
  }

  /** Remembers a range of bytes under a key, as the newest entry. */
  set(key: Uint8Array, source: Uint8Array, start: number, end: number): void {
    this.delete(key);
    const size = key.length + end - start;
    this.#forget(this.#limit - size);
    this.#makeRoom(size);
    const keyStart = this.#length;
    const valueStart = keyStart + key.length;
    this.#bytes.set(key, keyStart);
    this.#bytes.set(source.subarray(start, end), valueStart);
    this.#length += size;
    this.#used += size;
    this.#size += 1;
    const at = STRIDE * this.#count;
    this.#entries[at] = this.#hash(key);
    this.#entries[at + 1] = keyStart;
    this.#entries[at + 2] = valueStart;
    this.#entries[at + 3] = this.#length;
    this.#count += 1;
    this.#enter(this.#count - 1);
  }

  /** Forgets an entry; what `get` gave of it holds all the same. */
  delete(key: Uint8Array): void {
    if (this.#size === 0) return;
    const entry = this.#find(key);
    if (entry !== -1) this.#remove(entry);
  }

  /** Forgets everything. */
  clear(): void {
    if (this.#count === 0) return;
    this.#length = 0;
    this.#used = 0;
    this.#count = 0;
    this.#size = 0;
    this.#first = 0;
    // It is emptied with every call that stands alone: that must not take longer for good
    // because there were thousands once.
    if (this.#entries.length > STRIDE * KEPT_ENTRIES) {
      this.#entries = new Int32Array(STRIDE * FIRST_ENTRIES);
      this.#table = new Int32Array(2 * FIRST_ENTRIES);
    } else this.#table.fill(0);
    if (this.#bytes.length > KEPT_BYTES) {
      this.#bytes = new Uint8Array(FIRST_BYTES);
    }
  }

  /** All keys and values, the oldest first, as views that hold until the next `set`. */
  *entries(): Generator<readonly [key: Uint8Array, value: Uint8Array]> {
    for (let at = 0; at < STRIDE * this.#count; at += STRIDE) {
      const [, key = GONE, value, end] = this.#entries.subarray(
        at,
        at + STRIDE,
      );
      if (key === GONE) continue;
      yield [
        this.#bytes.subarray(key, value),
        this.#bytes.subarray(value, end),
      ];
    }
  }

  #find(key: Uint8Array): number {
    if (this.#size === 0) return -1;
    const mask = this.#table.length - 1;
    const hash = this.#hash(key);
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const entry = (this.#table[slot] ?? 0) - 1;
      if (entry === -1) return -1;
      if (this.#entries[STRIDE * entry] === hash && this.#has(entry, key)) {
        return entry;
      }
    }
  }

  #has(entry: number, key: Uint8Array): boolean {
    const at = STRIDE * entry;
    const start = this.#entries[at + 1] ?? GONE;
    if (start === GONE) return false;
    if ((this.#entries[at + 2] ?? 0) - start !== key.length) return false;
    for (let i = 0; i < key.length; i++) {
      if (this.#bytes[start + i] !== key[i]) return false;
    }
    return true;
  }

  #enter(entry: number): void {
    const mask = this.#table.length - 1;
    let slot = (this.#entries[STRIDE * entry] ?? 0) & mask;
    while (this.#isTaken(slot)) slot = (slot + 1) & mask;
    this.#table[slot] = entry + 1;
  }

  /** Whether a slot has an entry that is there: a key that comes again takes its own slot. */
  #isTaken(slot: number): boolean {
    const entry = (this.#table[slot] ?? 0) - 1;
    return entry !== -1 && this.#entries[STRIDE * entry + 1] !== GONE;
  }

  #remove(entry: number): void {
    const at = STRIDE * entry;
    const start = this.#entries[at + 1] ?? 0;
    this.#used -= (this.#entries[at + 3] ?? 0) - start;
    this.#entries[at + 1] = GONE;
    this.#size -= 1;
    // What a call began is most often what its end asks for next.
    if (this.#size === 0) this.clear();
  }

  /** Forgets the oldest entries until no more than so many bytes are used. */
  #forget(most: number): void {
    while (this.#used > most && this.#size > 0) {
      const entry = this.#first;
      this.#first += 1;
      if (this.#entries[STRIDE * entry + 1] !== GONE) this.#remove(entry);
    }
  }

  /** Makes room for one more entry of a size. */
  #makeRoom(size: number): void {
    const isFull = STRIDE * this.#count === this.#entries.length;
    if (!isFull && this.#length + size <= this.#bytes.length) return;
    const needed = this.#used + size;
    let room = FIRST_BYTES;
    // At least half of the room is free afterwards, so that the work is linear.
    if (needed <= this.#limit) { while (room < 2 * needed) room *= 2; }
    else room = needed;
    let most = FIRST_ENTRIES;
    while (most < 2 * (this.#size + 1)) most *= 2;
    this.#compact(room, most);
  }

  /** Moves what is there to new room. */
  #compact(room: number, most: number): void {
    const bytes = room === this.#bytes.length
      ? this.#bytes
      : new Uint8Array(room);
    const entries = most === this.#entries.length / STRIDE
      ? this.#entries
      : new Int32Array(STRIDE * most);
    let length = 0;
    let count = 0;
    for (let at = 0; at < STRIDE * this.#count; at += STRIDE) {
      const start = this.#entries[at + 1] ?? GONE;
      if (start === GONE) continue;
      const valueStart = this.#entries[at + 2] ?? 0;
      const end = this.#entries[at + 3] ?? 0;
      const hash = this.#entries[at] ?? 0;
      // To the left, where nothing is that has not been moved.
      if (bytes === this.#bytes) bytes.copyWithin(length, start, end);
      else bytes.set(this.#bytes.subarray(start, end), length);
      const to = STRIDE * count;
      entries[to] = hash;
      entries[to + 1] = length;
      entries[to + 2] = length + valueStart - start;
      length += end - start;
      entries[to + 3] = length;
      count += 1;
    }
    this.#bytes = bytes;
    this.#length = length;
    this.#entries = entries;
    this.#count = count;
    this.#first = 0;
    if (this.#table.length === 2 * most) this.#table.fill(0);
    else this.#table = new Int32Array(2 * most);
    for (let entry = 0; entry < count; entry++) this.#enter(entry);
  }
}

/**
 * What was read of a file, remembered by the hashes of its lines: enough to tell how much
 * of it another file begins with.
 */

import { LF } from "../json/bytes.ts";

/** FNV-1a, 32 bits: a line is taken for another one only if the place is the same too. */
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
/** How many line ends are remembered: a multiple of four. */
const MAX_LINES = 1 << 16;

/** Takes a line end: the offset behind it, and the hash of everything before. */
type TakeEnd = (offset: number, hash: number) => void;

/** Hashes bytes and says where lines end. */
class LineHash {
  #offset = 0;
  #hash = SEED;

  /** How many bytes were taken. */
  get offset(): number {
    return this.#offset;
  }

  /** Takes the next bytes. */
  add(bytes: Uint8Array, onEnd: TakeEnd): void {
    let hash = this.#hash;
    const start = this.#offset;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      hash = Math.imul(hash ^ byte, PRIME);
      if (byte === LF) onEnd(start + i + 1, hash);
    }
    this.#hash = hash;
    this.#offset = start + bytes.length;
  }

  /** Goes back to a line end. */
  goTo(offset: number, hash: number): void {
    this.#offset = offset;
    this.#hash = hash;
  }
}

/** Line ends in order, in arrays that stay where they are. */
class LineEnds {
  readonly offsets = new Float64Array(MAX_LINES);
  readonly hashes = new Int32Array(MAX_LINES);
  length = 0;
  /** From here on no line end between two of them was forgotten. */
  dense = 0;

  /** Adds one; if there is no room, every second one of the older half is forgotten. */
  add(offset: number, hash: number): void {
    if (this.length === MAX_LINES) this.#thin();
    this.offsets[this.length] = offset;
    this.hashes[this.length] = hash;
    this.length += 1;
  }

  #thin(): void {
    const half = MAX_LINES >> 1;
    for (let i = 1; i < half; i += 2) {
      this.offsets[i >> 1] = this.offsets[i] ?? 0;
      this.hashes[i >> 1] = this.hashes[i] ?? 0;
    }
    this.offsets.copyWithin(half >> 1, half);
    this.hashes.copyWithin(half >> 1, half);
    this.length -= half >> 1;
    this.dense = half >> 1;
  }
}

/**
 * The line ends of what was read.
 *
 * The newest tens of thousands are all there, older ones are sparser the older they are, so
 * that the memory it takes does not grow with the file.
 */
export class LineTrail {
  readonly #hash = new LineHash();
  readonly #ends = new LineEnds();

  /** Where the last line ends. */
  get end(): number {
    return this.#ends.offsets[this.#ends.length - 1] ?? 0;
  }

  /** Takes what was read next. */
  add(bytes: Uint8Array): void {
    this.#hash.add(bytes, (offset, hash) => this.#ends.add(offset, hash));
  }

  /** Forgets everything behind a line end that is remembered. */
  cutTo(offset: number): void {
    const ends = this.#ends;
    while (ends.length > 0 && this.end > offset) ends.length -= 1;
    ends.dense = Math.min(ends.dense, ends.length);
    const hash = ends.hashes[ends.length - 1] ?? SEED;
    this.#hash.goTo(this.end, hash);
  }

  /** Begins to compare another content with this one. */
  comparison(): TrailComparison {
    return new TrailComparison(this.#ends);
  }
}

/** Compares a content with what was read, as long as they are the same. */
export class TrailComparison {
  readonly #hash = new LineHash();
  readonly #ends: LineEnds;
  #next = 0;
  #hasParted = false;

  /** Constructs a new instance. */
  constructor(ends: LineEnds) {
    this.#ends = ends;
  }

  /** Up to where both are known to be the same: a line end. */
  get common(): number {
    return this.#ends.offsets[this.#next - 1] ?? 0;
  }

  /** Whether the content begins with all that was read. */
  get isWhole(): boolean {
    return this.#next === this.#ends.length;
  }

  /** Whether the content goes on otherwise than what was read. */
  get hasParted(): boolean {
    return this.#hasParted;
  }

  /** Takes the next bytes of the content. */
  add(bytes: Uint8Array): void {
    if (this.isWhole || this.#hasParted) return;
    this.#hash.add(bytes, (offset, hash) => this.#compare(offset, hash));
    this.#hasParted ||= !this.isWhole && this.#hash.offset >= this.#nextOffset;
  }

  get #nextOffset(): number {
    return this.#ends.offsets[this.#next] ?? 0;
  }

  #compare(offset: number, hash: number): void {
    if (this.isWhole || this.#hasParted) return;
    const isNext = offset === this.#nextOffset;
    if (isNext && hash === this.#ends.hashes[this.#next]) this.#next += 1;
    else if (offset >= this.#nextOffset || this.#next >= this.#ends.dense) {
      this.#hasParted = true;
    }
  }
}

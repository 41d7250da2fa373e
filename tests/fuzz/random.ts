/**
 * Random numbers from a seed.
 *
 * @module
 */

/** A generator of random numbers with a seed (mulberry32). */
export class Random {
  #state: number;

  /** Constructs a new instance. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Draws a whole number from 0 to below a limit. */
  below(limit: number): number {
    this.#state = this.#state + 0x6d2b79f5 >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ bits >>> 15, bits | 1);
    bits ^= bits + Math.imul(bits ^ bits >>> 7, bits | 61);
    return Math.floor(((bits ^ bits >>> 14) >>> 0) / 2 ** 32 * limit);
  }

  /** Draws true with a probability of one in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** Draws one of some values. */
  pick<T>(values: readonly [T, ...T[]]): T;
  pick<T>(values: readonly T[]): T | undefined;
  pick<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }
}

/** Cuts bytes into chunks of random sizes, some of them empty. */
export function* chunksOf(
  bytes: Uint8Array,
  random: Random,
): Generator<Uint8Array> {
  const sizes = bytes.length > 50_000 ? [700, 8_000] : [1, 2, 7, 64, 1_000];
  const size = random.pick(sizes) ?? 1;
  for (let at = 0; at < bytes.length;) {
    const end = at + random.below(2 * size);
    yield bytes.subarray(at, end);
    at = Math.min(end, bytes.length);
  }
}

/**
 * Streams one after the other, each of a seed of its own, so that it can be made again by itself.
 *
 * @module
 */

import { Random } from "./random.ts";
import type { Seedbed } from "./seedbeds.ts";
import { StreamMaker } from "./stream_maker.ts";

/** How many lines a stream has at most, before some of them are doubled. */
const MAX_LINES = 60;

/** A stream. */
export interface Round {
  /** Its number. */
  readonly round: number;
  /** How many lines it has, about. */
  readonly length: number;
  /** The stream. */
  readonly stream: Uint8Array<ArrayBuffer>;
  /** Gives the chance that a law is to be checked with: to each the same. */
  random(): Random;
}

/** Makes streams without end. */
export function* roundsOf(
  seedbeds: readonly Seedbed[],
  seed: number,
  first = 0,
): Generator<Round> {
  for (let round = first;; round++) {
    const number = seed * 1_000_003 + round;
    const random = new Random(number);
    const length = 1 + random.below(MAX_LINES);
    const stream = new StreamMaker(random, seedbeds).make(length);
    yield { round, length, stream, random: () => new Random(~number) };
  }
}

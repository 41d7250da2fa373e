/**
 * Rounds: each makes a stream from a seed of its own, so that it can be made again by itself.
 *
 * @module
 */

import { Random } from "./random.ts";
import type { Seedbed } from "./seedbeds.ts";
import { StreamMaker } from "./stream_maker.ts";

/** The most lines of a stream, before some of them are doubled. */
const MAX_LINES = 60;

/** A round with its stream. */
export interface Round {
  /** The number of the round. */
  readonly round: number;
  /** The number of lines, approximately. */
  readonly length: number;
  /** The stream. */
  readonly stream: Uint8Array<ArrayBuffer>;
  /** Returns the random numbers to check a law with: equal ones for each law. */
  random(): Random;
}

/** Yields rounds without end. */
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

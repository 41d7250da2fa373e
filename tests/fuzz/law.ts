/**
 * Laws: properties that must hold for every stream.
 *
 * @module
 */

import type { Random } from "./random.ts";

/** A property that must hold for every stream. */
export interface Law {
  /** The property, in words. */
  readonly name: string;
  /** Throws if the property does not hold. */
  check(
    stream: Uint8Array<ArrayBuffer>,
    random: Random,
  ): void | Promise<void>;
}

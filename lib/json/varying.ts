/**
 * Stands for a value of which only the kind is known, in what stands for all values of one
 * plan.
 */

import type { JsonKind } from "./tape.ts";

/** A value of some kind. */
export class Varying {
  /** Its kind. */
  readonly kind: JsonKind;

  /** Constructs a new instance. */
  constructor(kind: JsonKind) {
    this.kind = kind;
  }
}

/**
 * The pieces of an answer that is being written.
 *
 * @module
 */

import type { AssistantDelta } from "./records.ts";
import {
  addedBytes,
  byteLength,
  endsInHighSurrogate,
  placeOfByte,
} from "./utf8_length.ts";

/** The pieces of an answer, with their lengths. */
export class DeltaList {
  readonly #deltas: AssistantDelta[];
  #bytes = 0;
  /** Whether the last piece ends in the first half of a pair of surrogates. */
  #half = false;

  /**
   * Constructs a new instance.
   *
   * @param deltas The pieces so far.
   */
  constructor(deltas: readonly AssistantDelta[]) {
    this.#deltas = [...deltas];
    for (const { delta } of deltas) this.#bytes += byteLength(delta);
    this.#half = endsInHighSurrogate(deltas.at(-1)?.delta ?? "");
  }

  /**
   * Adds a piece. It continues the last one if both have the same number, or none.
   *
   * @param delta The piece.
   */
  add(delta: AssistantDelta): void {
    const last = this.#deltas.at(-1);
    if (last === undefined || last.sequence !== delta.sequence) {
      this.#deltas.push(delta);
      this.#bytes += byteLength(delta.delta);
      this.#half = endsInHighSurrogate(delta.delta);
      return;
    }
    if (delta.delta === "") return;
    this.#bytes += addedBytes(this.#half, delta.delta);
    this.#half = endsInHighSurrogate(delta.delta);
    // A new object: the old one may be in somebody's mutation.
    this.#deltas[this.#deltas.length - 1] = {
      ...last,
      delta: last.delta + delta.delta,
    };
  }

  /**
   * Drops text from the front.
   *
   * @param limit How many bytes may stay; fewer do where that would cut a character.
   * @returns Whether anything was dropped.
   */
  keepLast(limit: number): boolean {
    if (this.#bytes <= limit) return false;
    let dropped = 0;
    for (const first of this.#deltas) {
      const excess = this.#bytes - limit;
      if (excess <= 0) break;
      const place = placeOfByte(first.delta, excess, "up");
      this.#bytes -= place.bytes;
      if (place.units < first.delta.length) {
        const delta = first.delta.slice(place.units);
        this.#deltas[dropped] = { ...first, delta };
        break;
      }
      dropped += 1;
    }
    this.#deltas.splice(0, dropped);
    return true;
  }

  /**
   * Gives the pieces.
   *
   * @returns A new list.
   */
  toArray(): AssistantDelta[] {
    return [...this.#deltas];
  }
}

/**
 * Which calls have begun, and which of their records belong to a call whose id came again.
 *
 * Producers number their calls anew with every process, some with every turn: an id alone does
 * not say which call is meant.
 *
 * @module
 */

import { listOf, textOf, wholeOf } from "./json_fields.ts";
import type { CopySource } from "./pairing.ts";
import { savedField, savedPairs } from "./record_links.ts";

/** Who tells of calls, each a bit. */
const BITS = { item: 1, event: 2 } as const satisfies Record<
  CopySource,
  number
>;
const SOURCES: readonly CopySource[] = ["item", "event"];

/** Remembers how the newest call of each id was told of, and what is left of the older ones. */
export class CallLog {
  /** The sources that have told of the beginning of the newest call of each id, added up. */
  readonly #begun = new Map<string, number>();
  /** Records of older calls, which the lookups of the contract may still name. */
  readonly #bygone: Set<number>;

  /**
   * Constructs a new instance.
   *
   * @param saved What {@linkcode CallLog.save} gave.
   */
  constructor(saved?: unknown) {
    for (const [id, sources] of savedPairs(savedField(saved, "begun"))) {
      const callId = textOf(id);
      if (callId === undefined) continue;
      for (const source of listOf(sources)) {
        if (source === "item" || source === "event") this.begin(callId, source);
      }
    }
    this.#bygone = new Set(
      listOf(savedField(saved, "bygone")).map(wholeOf)
        .filter((id) => id !== undefined),
    );
  }

  /** Tells whether a source has told of the beginning of the newest call of an id. */
  hasBegun(callId: string, source: CopySource): boolean {
    return ((this.#begun.get(callId) ?? 0) & BITS[source]) !== 0;
  }

  /** Takes note that a source tells of the beginning of a call. */
  begin(callId: string, source: CopySource): void {
    this.#begun.set(callId, (this.#begun.get(callId) ?? 0) | BITS[source]);
  }

  /**
   * Takes note that the id of a call comes again for another one.
   *
   * @param callId The id.
   * @param records The records of the call.
   */
  leave(callId: string, records: readonly number[]): void {
    this.#begun.delete(callId);
    for (const id of records) this.setAside(id);
  }

  /** Takes note that a record belongs to a call that nothing more is told of. */
  setAside(id: number): void {
    this.#bygone.add(id);
  }

  /** Tells whether a record belongs to a call whose id is another one's by now. */
  isBygone(id: number): boolean {
    return this.#bygone.has(id);
  }

  /** Forgets a record that is gone. */
  forget(id: number): void {
    this.#bygone.delete(id);
  }

  /** Forgets the calls that have nothing to show any more. */
  retain(isShown: (callId: string) => boolean): void {
    for (const callId of this.#begun.keys()) {
      if (!isShown(callId)) this.#begun.delete(callId);
    }
  }

  /** Gives everything as plain JSON. */
  save(): unknown {
    return {
      begun: [...this.#begun.keys()].map((id) => [
        id,
        SOURCES.filter((source) => this.hasBegun(id, source)),
      ]),
      bygone: [...this.#bygone],
    };
  }
}

/**
 * Records in their order.
 *
 * @module
 */

import type { Entry } from "./_entry.ts";

/**
 * Records in their order, which know where they are.
 *
 * What is put in or taken out at the end costs the same however many there are; what is before it
 * costs what stands behind.
 */
export class RecordList implements Iterable<Entry> {
  readonly #entries: Entry[] = [];

  /** How many there are. */
  get length(): number {
    return this.#entries.length;
  }

  /** The last record other than reasoning. */
  get lastSolid(): Entry | undefined {
    const at = this.#entries.at(-1)?.solid ?? -1;
    return at === -1 ? undefined : this.#entries[at];
  }

  /** The highest number. */
  get highest(): number {
    return this.#entries.at(-1)?.highest ?? 0;
  }

  /** Gives the record at a place. */
  at(index: number): Entry | undefined {
    return index < 0 ? undefined : this.#entries[index];
  }

  /** Tells whether a record is there. */
  has(entry: Entry): boolean {
    return this.#entries[entry.index] === entry;
  }

  /** Puts a record at a place, or at the end. */
  insert(index: number, entry: Entry): void {
    const at = Math.max(0, Math.min(index, this.#entries.length));
    if (at === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(at, 0, entry);
    this.renumber(at);
  }

  /** Takes a record out. */
  remove(index: number): void {
    if (index === this.#entries.length - 1) this.#entries.pop();
    else this.#entries.splice(index, 1);
    this.renumber(index);
  }

  /** Takes out all records from a place on, and gives them. */
  truncate(index: number): Entry[] {
    return this.#entries.splice(index);
  }

  /** Takes out all records of which a predicate says so, and gives them with their places, in order. */
  takeOut(isTaken: (entry: Entry) => boolean): Entry[] {
    const taken: Entry[] = [];
    let kept = 0;
    for (const entry of this.#entries) {
      if (isTaken(entry)) taken.push(entry);
      else this.#entries[kept++] = entry;
    }
    this.#entries.length = kept;
    // Those that are gone keep the places that they had.
    this.renumber(taken[0]?.index ?? kept);
    return taken;
  }

  /** Counts anew what the records from a place on know of their place. */
  renumber(from: number): void {
    const before = this.#entries[from - 1];
    let highest = before?.highest ?? 0;
    let solid = before?.solid ?? -1;
    for (let index = from; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry === undefined) break;
      if (isSolid(entry)) solid = index;
      highest = Math.max(highest, entry.id);
      entry.index = index;
      entry.solid = solid;
      entry.highest = highest;
    }
  }

  /** Gives the records in order. */
  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries.values();
  }
}

/** Tells whether a record is something other than reasoning. */
export function isSolid({ content }: Entry): boolean {
  return content.record.type !== "reasoning";
}

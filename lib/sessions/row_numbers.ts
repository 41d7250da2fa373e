/**
 * The numbers of the rows of a session: of its records, and of the messages between them that
 * are no records.
 */

/** Counts the rows of a session, in the order in which they come. */
export class RowNumbers {
  /** For each message that is no record, the number of the next record then; never falls. */
  readonly #between: number[];

  /**
   * Constructs a new instance.
   *
   * @param between What {@linkcode RowNumbers.save} gave.
   */
  constructor(between: readonly number[] = []) {
    this.#between = [...between];
  }

  /** Gives what it takes to go on, as plain JSON. */
  save(): readonly number[] {
    return [...this.#between];
  }

  /** Gives the number of the next row, if the next record has a number. */
  next(nextRecord: number): number {
    return this.#place(nextRecord) + this.#between.length;
  }

  /** Gives the row of a new message that is no record, if the next record has a number. */
  addBetween(nextRecord: number): number {
    const row = this.next(nextRecord);
    this.#between.push(this.#place(nextRecord));
    return row;
  }

  /** Gives the row of a record. */
  of(record: number): number {
    return record + this.#countUpTo(record);
  }

  /** Forgets all messages that are no records and came after a record, and gives their rows. */
  truncateAfter(record: number): number[] {
    const first = this.#countUpTo(record);
    return this.#between.splice(first).map((place, at) => place + first + at);
  }

  /**
   * Where a message is among the records. When records were truncated, their numbers come again,
   * even if a message stands behind what is no record any more.
   */
  #place(nextRecord: number): number {
    return Math.max(nextRecord, this.#between.at(-1) ?? 0);
  }

  /** How many came before a record. */
  #countUpTo(record: number): number {
    let low = 0;
    let high = this.#between.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#between[middle] ?? 0) <= record) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

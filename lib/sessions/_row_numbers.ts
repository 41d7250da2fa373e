/**
 * The numbers of the rows of a session: of its records, and of the messages between them that
 * are no records.
 */

/** Counts the rows of a session, in the order in which they come. */
export class RowNumbers {
  /** The number that the next record gets. */
  #nextRecord: number;
  /** For each message that is no record, the number of the next record then; never falls. */
  readonly #between: number[];

  /**
   * Constructs a new instance.
   *
   * @param nextRecord The number that the next record gets; the first one has 1.
   * @param between What {@linkcode RowNumbers.save} gave.
   */
  constructor(nextRecord = 1, between: readonly number[] = []) {
    this.#nextRecord = nextRecord;
    this.#between = [...between];
  }

  /** The number of the next row. */
  get next(): number {
    return this.#nextRecord + this.#between.length;
  }

  /** Gives what it takes to go on, beside the number of the next record, as plain JSON. */
  save(): readonly number[] {
    return [...this.#between];
  }

  /** Takes note of a record. */
  add(record: number): void {
    this.#nextRecord = Math.max(this.#nextRecord, record + 1);
  }

  /** Gives the row of a new message that is no record. */
  addBetween(): number {
    const row = this.next;
    this.#between.push(this.#nextRecord);
    return row;
  }

  /** Gives the row of a record. */
  of(record: number): number {
    return record + this.#countUpTo(record);
  }

  /** Gives the rows of all messages that are no records and came after a record. */
  betweenAfter(record: number): number[] {
    const rows: number[] = [];
    for (let at = this.#countUpTo(record); at < this.#between.length; at++) {
      rows.push((this.#between[at] ?? 0) + at);
    }
    return rows;
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

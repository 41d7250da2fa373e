/**
 * The turns of a session: where they begin, and what the present one has.
 *
 * @module
 */

import { booleanOf, listOf, textOf, wholeOf } from "../../json/fields.ts";
import { savedField } from "./record_links.ts";

/** Remembers where turns begin, so that they can be rolled back. */
export class TurnLog {
  /** How many records there were when each turn began. */
  #starts: number[];
  /** Whether an event opened the present turn and none has closed it. */
  #isOpen: boolean;
  /** How many records there were when the prompt that opened the turn had been shown. */
  #promptEnd: number | null;
  /** The last answer of the turn. */
  messageId: number | null = null;
  /** The item that it is of. */
  messageItem: string | null = null;
  /** Whether a count of tokens has told what an answer of the turn took. */
  isCounted = false;
  /** The diff of the turn. */
  diffId: number | null = null;
  /** The last error of the turn. */
  errorMessage: string | null = null;

  /**
   * Constructs a new instance.
   *
   * @param saved What {@linkcode TurnLog.save} gave.
   */
  constructor(saved?: unknown) {
    this.#starts = listOf(savedField(saved, "starts")).map(wholeOf)
      .filter((start) => start !== undefined);
    this.#isOpen = booleanOf(savedField(saved, "open")) ?? false;
    this.#promptEnd = wholeOf(savedField(saved, "prompt_end")) ?? null;
    this.messageId = wholeOf(savedField(saved, "message_id")) ?? null;
    this.messageItem = textOf(savedField(saved, "message_item")) ?? null;
    this.isCounted = booleanOf(savedField(saved, "is_counted")) ?? false;
    this.diffId = wholeOf(savedField(saved, "diff_id")) ?? null;
    this.errorMessage = textOf(savedField(saved, "error_message")) ?? null;
  }

  /**
   * Begins a turn because an event says so. A turn that has nothing but its prompt yet is the
   * same one.
   *
   * @param length How many records there are.
   */
  open(length: number): void {
    if (this.#isOpen || this.#promptEnd !== length) this.#begin(length);
    this.#promptEnd = null;
    this.#isOpen = true;
  }

  /**
   * Begins a turn because the user says something, unless that is said within one.
   *
   * @param length How many records there are.
   */
  prompt(length: number): void {
    if (!this.#isOpen) this.#begin(length);
  }

  /**
   * Takes note that a prompt has been shown.
   *
   * @param length How many records there are now.
   */
  prompted(length: number): void {
    if (!this.#isOpen) this.#promptEnd = length;
  }

  /** Ends the turn; what belongs to it may still come. */
  close(): void {
    this.#isOpen = false;
    this.#promptEnd = null;
  }

  /** Takes note that a record is gone. */
  removed(index: number): void {
    for (let at = this.#starts.length - 1; at >= 0; at--) {
      const start = this.#starts[at] ?? 0;
      if (start <= index) break;
      this.#starts[at] = start - 1;
    }
    if (this.#promptEnd !== null && this.#promptEnd > index) {
      this.#promptEnd -= 1;
    }
  }

  /**
   * Takes note that many records are gone.
   *
   * @param indexes The places that they had, in order.
   */
  forgotten(indexes: readonly number[]): void {
    let before = 0;
    const moved = (place: number): number => {
      while (before < indexes.length && (indexes[before] ?? 0) < place) {
        before += 1;
      }
      return place - before;
    };
    this.#starts = this.#starts.map(moved);
    if (this.#promptEnd !== null) this.#promptEnd = moved(this.#promptEnd);
  }

  /**
   * Forgets the last turns.
   *
   * @param count How many.
   * @returns How many records remain, or `undefined` if there is nothing to forget.
   */
  rollBack(count: number): number | undefined {
    if (!(count > 0)) return undefined;
    const kept = Math.max(0, this.#starts.length - count);
    const length = count > this.#starts.length ? 0 : this.#starts[kept] ?? 0;
    this.#starts.length = kept;
    this.close();
    this.#clear();
    return length;
  }

  /** Gives the turns as plain JSON. */
  save(): unknown {
    return {
      starts: [...this.#starts],
      open: this.#isOpen,
      prompt_end: this.#promptEnd,
      message_id: this.messageId,
      message_item: this.messageItem,
      is_counted: this.isCounted,
      diff_id: this.diffId,
      error_message: this.errorMessage,
    };
  }

  #begin(length: number): void {
    this.#starts.push(length);
    this.#promptEnd = null;
    this.#clear();
  }

  #clear(): void {
    this.messageId = null;
    this.messageItem = null;
    this.isCounted = false;
    this.diffId = null;
    this.errorMessage = null;
  }
}

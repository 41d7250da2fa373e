/**
 * Which lines of a session file were copied from another thread when it began (C.5).
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  numberOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import { timeInUuid } from "./times.ts";

/**
 * How long a pause tells a thread's own lines from those that it copied when it began, where
 * nothing else does (before turns had ids), in milliseconds: copies are written in one go,
 * and the first line that is the thread's own is a prompt.
 */
const PAUSE_BEFORE_PROMPT = 25;
const PAUSE_BEFORE_OTHERS = 1000;

/** Tells whether a header says that its thread begins with what another one had. */
export function isForkHeader(meta: Fields): boolean {
  return idOf(meta.forked_from_id) !== undefined ||
    isObject(meta.history_base) || firstOrdinalOf(meta) !== null;
}

/** Gives the ordinal of the first line of the thread itself, as its header says it. */
export function firstOrdinalOf(meta: Fields): number | null {
  return numberOf(meta.subagent_history_start_ordinal) ?? null;
}

/** Follows the lines of a file that begins with what another thread had. */
export class InheritedLines {
  #thread: string | null;
  /** Whether the thread began with what another one had. */
  #isFork: boolean;
  /** The ordinal of the first line that is the thread's own; `null` if all are. */
  #firstOrdinal: number | null;
  /** When the last line was copied, while nothing else tells. */
  #copiedAt: number | null;
  /** The turn of the last line that has one. */
  #turn: string | null;
  /** When the thread and that turn began, as far as their ids tell. */
  #began: number | undefined;
  #turnBegan: number | undefined;

  constructor(saved?: unknown) {
    const fields = fieldsOf(saved);
    this.#thread = textOf(fields.thread) ?? null;
    this.#isFork = fields.is_fork === true;
    this.#firstOrdinal = numberOf(fields.first_ordinal) ?? null;
    this.#copiedAt = wholeOf(fields.copied_at) ?? null;
    this.#turn = textOf(fields.turn) ?? null;
    this.#began = timeInUuid(this.#thread);
    this.#turnBegan = timeInUuid(this.#turn);
  }

  /** Gives everything as plain JSON. */
  save(): Fields {
    return {
      thread: this.#thread,
      is_fork: this.#isFork,
      first_ordinal: this.#firstOrdinal,
      copied_at: this.#copiedAt,
      turn: this.#turn,
    };
  }

  /** Takes the header of the file in. */
  header(meta: Fields, thread: string | null): void {
    this.#thread = thread;
    this.#began = timeInUuid(thread);
    this.#isFork = isForkHeader(meta);
    this.#firstOrdinal = firstOrdinalOf(meta);
  }

  /** Takes the header of another thread in, which was copied with what follows it. */
  copiedHeader(now: string | undefined): void {
    this.#isFork = true;
    this.#copiedAt = msOf(now);
  }

  /**
   * Tells whether a line was copied.
   *
   * @param turn The turn that it belongs to; behind the end of one it is that one's.
   * @param isPrompt Whether it is what a user says.
   */
  has(
    line: Fields,
    turn: string | null,
    now: string | undefined,
    isPrompt: boolean,
  ): boolean {
    if (this.#copiedAt !== null) this.#followCopies(now, isPrompt);
    if (turn !== null && turn !== this.#turn) {
      this.#turn = turn;
      this.#turnBegan = timeInUuid(turn);
    }
    const ordinal = numberOf(line.ordinal);
    if (this.#firstOrdinal !== null && ordinal !== undefined) {
      return ordinal < this.#firstOrdinal;
    }
    if (!this.#isFork) return false;
    // Ids tell when they were made: a turn older than the thread is not the thread's own.
    if (this.#began !== undefined && this.#turnBegan !== undefined) {
      return this.#turnBegan < this.#began;
    }
    return this.#copiedAt !== null;
  }

  /** Tells whether a line is still one of those that were copied in one go. */
  #followCopies(now: string | undefined, isPrompt: boolean): void {
    const time = msOf(now);
    const pause = (time ?? Infinity) - (this.#copiedAt ?? 0);
    const limit = isPrompt ? PAUSE_BEFORE_PROMPT : PAUSE_BEFORE_OTHERS;
    this.#copiedAt = pause >= limit ? null : time;
  }
}

function msOf(now: string | undefined): number | null {
  const ms = now === undefined ? NaN : Date.parse(now);
  return Number.isNaN(ms) ? null : ms;
}

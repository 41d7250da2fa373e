/** Recognizes the lines of a session file that were copied from another thread (C.5). */

import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  numberOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import { isMigratedTurn } from "./ids.ts";
import { timeInUuid, timeOf } from "./times.ts";

/**
 * The minimum pause, in milliseconds, between copied lines and the thread's own. It decides where
 * nothing else does, before turns had ids: copies are written in one go, and the first own line of
 * the thread is a prompt.
 */
const PAUSE_BEFORE_PROMPT = 25;
const PAUSE_BEFORE_OTHERS = 1000;

/** Whether a header means that its thread begins with the history of another one. */
export function isForkHeader(meta: Fields): boolean {
  return idOf(meta.forked_from_id) !== undefined ||
    isObject(meta.history_base) || firstOrdinalOf(meta) !== null;
}

function firstOrdinalOf(meta: Fields): number | null {
  return numberOf(meta.subagent_history_start_ordinal) ?? null;
}

/** Tracks the lines of a file that begins with the history of another thread. */
export class InheritedLines {
  /** The id of the thread; `undefined` until its header has been read. */
  #thread: string | null | undefined;
  #isFork: boolean;
  /** The ordinal of the first own line of the thread; `null` if all are its own. */
  #firstOrdinal: number | null;
  /** The time of the last copied line, while only the pause decides; otherwise `null`. */
  #copiedAt: number | null;
  /** The turn of the last line that has one. */
  #turn: string | null;
  /** The start times of the thread and of that turn, if their ids contain them. */
  #began: number | undefined;
  #turnBegan: number | undefined;

  constructor(saved?: unknown) {
    const fields = fieldsOf(saved);
    this.#thread = fields.thread === null ? null : textOf(fields.thread);
    this.#isFork = fields.is_fork === true;
    this.#firstOrdinal = numberOf(fields.first_ordinal) ?? null;
    this.#copiedAt = wholeOf(fields.copied_at) ?? null;
    this.#turn = textOf(fields.turn) ?? null;
    this.#began = timeInUuid(this.#thread);
    this.#turnBegan = timeInUuid(this.#turn);
  }

  save(): Fields {
    return {
      thread: this.#thread,
      is_fork: this.#isFork,
      first_ordinal: this.#firstOrdinal,
      copied_at: this.#copiedAt,
      turn: this.#turn,
    };
  }

  get isFork(): boolean {
    return this.#isFork;
  }

  get thread(): string | null {
    return this.#thread ?? null;
  }

  /**
   * Processes a header; returns whether it is that of the file. That of another thread was copied
   * together with the lines after it.
   */
  header(
    meta: Fields,
    now: string | undefined,
    ordinal: number | undefined,
  ): boolean {
    const thread = idOf(meta.id) ?? idOf(meta.session_id) ?? null;
    if (this.#thread === undefined) {
      this.#thread = thread;
      this.#began = timeInUuid(thread);
      this.#isFork = isForkHeader(meta);
      this.#firstOrdinal = firstOrdinalOf(meta);
      // `codex migrate-rollouts` drops the copied header, but not the copied lines.
      const hasCopies = idOf(meta.forked_from_id) !== undefined &&
        !isObject(meta.history_base) && ordinal === 0;
      if (hasCopies) this.#copiedAt = timeOf(now) ?? null;
      return true;
    }
    if (thread !== this.#thread) {
      this.#isFork = true;
      this.#copiedAt = timeOf(now) ?? null;
    }
    return false;
  }

  /** Whether a line was copied. After the end of a turn, `turn` is still that turn. */
  has(
    line: Fields,
    turn: string | null,
    now: string | undefined,
    isPrompt: boolean,
  ): boolean {
    if (this.#copiedAt !== null) {
      this.#followCopies(this.#copiedAt, now, isPrompt);
    }
    if (turn !== null && turn !== this.#turn) {
      this.#turn = turn;
      this.#turnBegan = timeInUuid(turn);
    }
    const first = this.#firstOrdinal;
    const ordinal = numberOf(line.ordinal);
    const hasPlace = first !== null && ordinal !== undefined;
    if (hasPlace ? ordinal >= first : !this.#isFork) return false;
    // Ids contain their time: a turn older than the thread was copied. A later one is its own, even
    // before the first ordinal: `codex migrate-rollouts` puts that behind all lines of a sub-agent.
    if (this.#began !== undefined && this.#turnBegan !== undefined) {
      return this.#turnBegan < this.#began;
    }
    const isPlaced = hasPlace && !isMigratedTurn(this.#turn);
    return isPlaced || this.#copiedAt !== null;
  }

  /** Ends the copied part at the first line after a long enough pause. */
  #followCopies(
    copiedAt: number,
    now: string | undefined,
    isPrompt: boolean,
  ): void {
    const time = timeOf(now) ?? Infinity;
    const limit = isPrompt ? PAUSE_BEFORE_PROMPT : PAUSE_BEFORE_OTHERS;
    this.#copiedAt = time - copiedAt >= limit ? null : time;
  }
}

/**
 * What a run has been doing last, by which its end is judged where nothing says it.
 *
 * @module
 */

import type { WorkSign } from "./_work_sign.ts";

/** What had been shown of answers before one that may be taken back. */
export interface ShownAnswer {
  /** Whether there was one in the turn. */
  readonly hasAnswer: boolean;
  /** The last message; `null` if there was none. */
  readonly finalMessage: string | null;
}

/** What an answer has to give back if it was meant for the model itself. */
interface BeforeAnswer {
  /** The item of the answer. */
  readonly item: string | undefined;
  readonly endsWithAnswer: boolean;
  readonly shown: ShownAnswer;
}

/** Follows the signs of work of one input: whether it last failed, answered or did something. */
export class WorkTrail {
  #pendingError: string | null = null;
  #endsWithAnswer = false;
  /** Whether a review has ended in the turn without having found anything out. */
  #isUnreviewed = false;
  #hasWork = false;
  /** What was before the last answer. */
  #before: BeforeAnswer | undefined;

  /** What went wrong, if nothing has happened since. */
  get pendingError(): string | null {
    return this.#pendingError;
  }

  /** Whether what the model says is the last thing to happen. */
  get endsWithAnswer(): boolean {
    return this.#endsWithAnswer;
  }

  /** Whether anything has happened in the run. */
  get hasWork(): boolean {
    return this.#hasWork;
  }

  /**
   * Takes note of what was shown before an event, which may be an answer to be taken back.
   *
   * @param sign What the event says.
   * @param shown What was shown.
   */
  remember(sign: WorkSign, shown: ShownAnswer): void {
    if (sign.type !== "answer") return;
    const endsWithAnswer = this.#endsWithAnswer;
    this.#before = { item: sign.item, endsWithAnswer, shown };
  }

  /**
   * Takes in what an event says.
   *
   * @param sign What it says.
   * @returns What is shown again, if it takes the answer before it back.
   */
  heed(sign: WorkSign): ShownAnswer | undefined {
    switch (sign.type) {
      case "compacted":
        return this.#takeBackSummary(sign.item);
      case "reviewed":
      case "unreviewed":
        this.#isUnreviewed = sign.type === "unreviewed";
        return undefined;
      case "run":
        this.#hasWork = false;
        break;
    }
    this.#pendingError = sign.type === "error" ? sign.message : null;
    // What ends after an answer was left running.
    if (sign.type === "settled") return undefined;
    // What is said behind a review without a result is that it was interrupted.
    this.#endsWithAnswer = sign.type === "answer" && !this.#isUnreviewed;
    const isBorder = sign.type === "begin" || sign.type === "run";
    if (!isBorder) this.#hasWork = true;
    // Up to 0.98 nothing but a prompt says that another turn begins.
    if (isBorder || sign.type === "work") this.#isUnreviewed = false;
    return undefined;
  }

  /**
   * Takes an answer back that is the summary of a compaction: session files since 0.136 hold
   * it as if it had been said to the user.
   */
  #takeBackSummary(item: string | undefined): ShownAnswer | undefined {
    const before = this.#before;
    this.#before = undefined;
    if (before === undefined || before.item !== item) return undefined;
    this.#endsWithAnswer = before.endsWithAnswer;
    return before.shown;
  }
}

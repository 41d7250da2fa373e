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
  /** What the answer says. */
  readonly text: string;
  readonly lastAnswer: string | undefined;
  readonly shown: ShownAnswer;
}

/** Follows the signs of work of one input: whether it last failed, answered or did something. */
export class WorkTrail {
  #pendingError: string | null = null;
  /** What the model says, if that is the last thing to happen; blank if nobody knows what. */
  #lastAnswer: string | undefined;
  /** How a review has ended in the turn that is going on, if one has. */
  #review: "reviewed" | "unreviewed" | undefined;
  /** Whether the turn has a prompt that may be blank: such a one is no entry. */
  #hasUserMessage = false;
  #hasWork = false;
  /** What was before the answer that is the last thing to happen, if it says what it is. */
  #before: BeforeAnswer | undefined;

  /** What went wrong, if nothing has happened since. */
  get pendingError(): string | null {
    return this.#pendingError;
  }

  /** Whether what the model says is the last thing to happen. */
  get endsWithAnswer(): boolean {
    return this.#lastAnswer !== undefined;
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
    if (sign.type === "compacted" || isReviewEnd(sign)) return;
    this.#before = sign.type !== "answer" || sign.text === undefined
      ? undefined
      : { text: sign.text.trim(), lastAnswer: this.#lastAnswer, shown };
  }

  /**
   * Takes in what an event says.
   *
   * @param sign What it says.
   * @returns What is shown again, if it takes the answer before it back.
   */
  heed(sign: WorkSign): ShownAnswer | undefined {
    if (sign.type === "compacted") return this.#takeBackSummary(sign.message);
    if (isReviewEnd(sign)) {
      this.#review = sign.type;
      return undefined;
    }
    if (sign.type === "run") this.#hasWork = false;
    this.#pendingError = sign.type === "error" ? sign.message : null;
    // What ends after an answer was left running.
    if (sign.type === "settled") return undefined;
    // What is said behind a review without a result is that it was interrupted.
    const isAnswer = sign.type === "answer" && this.#review !== "unreviewed";
    this.#lastAnswer = isAnswer ? sign.text ?? "" : undefined;
    if (sign.type === "begin" || sign.type === "run") {
      this.#review = undefined;
      this.#hasUserMessage = false;
    } else this.#hasWork = true;
    // Up to 0.98 nothing but a prompt says that another turn begins.
    if (sign.type === "work" && this.#review === "unreviewed") {
      this.#review = undefined;
    }
    return undefined;
  }

  /** Takes note of a prompt, a blank one too. */
  heedPrompt(): void {
    this.#hasUserMessage = true;
  }

  /**
   * Tells whether a turn whose end has no last message left a prompt without an answer. What
   * the model was saying when its response was cut off is none; a blank answer, and what a
   * review found, is not told there.
   *
   * @param hasPrompt Whether a prompt was shown in the turn.
   */
  isUnanswered(hasPrompt: boolean): boolean {
    if (!hasPrompt && !this.#hasUserMessage) return false;
    const answer = this.#lastAnswer;
    return answer === undefined ||
      (answer.trim() !== "" && this.#review !== "reviewed");
  }

  /**
   * Takes an answer back that is the summary of a compaction: session files since 0.136 hold
   * it as if it had been said to the user.
   */
  #takeBackSummary(compacted: string): ShownAnswer | undefined {
    const before = this.#before;
    this.#before = undefined;
    if (before === undefined || before.text === "") return undefined;
    if (!compacted.trimEnd().endsWith(before.text)) return undefined;
    this.#lastAnswer = before.lastAnswer;
    return before.shown;
  }
}

/** Tells whether an event is the end of a review. */
function isReviewEnd(
  sign: WorkSign,
): sign is WorkSign & { readonly type: "reviewed" | "unreviewed" } {
  return sign.type === "reviewed" || sign.type === "unreviewed";
}

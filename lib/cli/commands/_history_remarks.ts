/** What is said of a session file whose history may not be all of it. */

import type { HistoryState } from "../../history/history_state.ts";
import { idText, isSessionId } from "../../sessions/session_id.ts";
import type { CommandContext } from "../command.ts";

/** The facts of a history that remarks are made of. */
type HistoryFacts = Pick<HistoryState, "base" | "threadId" | "unknownMode">;

export interface HistoryRemarksOptions {
  /** Whether nothing is said. */
  readonly isQuiet: boolean;
  /** Whether it is known what the file goes on from: that was read, or said to be missing. */
  readonly isBaseKnown?: boolean;
  /** Whether it is known that codexpipe does not know how it tells its history. */
  readonly isModeKnown?: boolean;
}

/** Says what may be missing in a history, each thing once for a file. */
export class HistoryRemarks {
  readonly #file: string;
  readonly #context: CommandContext;
  #isBaseKnown: boolean;
  #isModeKnown: boolean;

  /** Constructs a new instance for a file, or stdin. */
  constructor(
    file: string,
    context: CommandContext,
    { isQuiet, isBaseKnown = false, isModeKnown = false }:
      HistoryRemarksOptions,
  ) {
    this.#file = file;
    this.#context = context;
    this.#isBaseKnown = isBaseKnown || isQuiet;
    this.#isModeKnown = isModeKnown || isQuiet;
  }

  /** Takes what has been found out so far. */
  see({ base, threadId, unknownMode }: HistoryFacts): void {
    const { diagnostics } = this.#context;
    if (!this.#isBaseKnown && base !== null) {
      this.#isBaseKnown = true;
      diagnostics.say(
        `${this.#file}: partial: it goes on from the session ${
          idText(base.thread_id)
        }, which was not read${
          threadId !== null && isSessionId(threadId) ? joinAdvice(threadId) : ""
        }`,
      );
    }
    if (!this.#isModeKnown && unknownMode !== null) {
      this.#isModeKnown = true;
      diagnostics.say(unknownModeText(this.#file, unknownMode));
    }
  }
}

function joinAdvice(threadId: string): string {
  return `; "codexpipe sessions show ${threadId}" joins the two`;
}

/** Says that a file tells its history in a way that codexpipe does not know, and what that means. */
export function unknownModeText(file: string, mode: string): string {
  return `${file}: its history mode is ${
    JSON.stringify(mode)
  }, which is not known: it is read as what its lines look like, and something may be missing; a later release of codexpipe may know it`;
}

/** Messages about session files whose history may be incomplete. */

import type { HistoryState } from "../../history/history_state.ts";
import { idText, isSessionId } from "../../sessions/session_id.ts";
import type { CommandContext } from "../command.ts";

/** Reports what may be missing in a history, each message once for a file. */
export class HistoryRemarks {
  readonly #file: string;
  readonly #context: CommandContext;
  #isBaseKnown: boolean;
  #isModeKnown: boolean;

  /**
   * Constructs a new instance for a file, or stdin.
   *
   * @param isBaseKnown Whether the session that it continues was read or reported already.
   * @param isModeKnown Whether the unknown history mode was reported already.
   */
  constructor(
    file: string,
    context: CommandContext,
    isBaseKnown: boolean,
    isModeKnown = false,
  ) {
    this.#file = file;
    this.#context = context;
    this.#isBaseKnown = isBaseKnown;
    this.#isModeKnown = isModeKnown;
  }

  /** Checks the facts so far, and prints messages that are due. */
  see(
    { base, threadId, unknownMode }: Pick<
      HistoryState,
      "base" | "threadId" | "unknownMode"
    >,
  ): void {
    const { diagnostics } = this.#context;
    if (!this.#isBaseKnown && base !== null) {
      this.#isBaseKnown = true;
      const advice = threadId !== null && isSessionId(threadId)
        ? `; "codexpipe sessions show ${threadId}" joins the two`
        : "";
      diagnostics.remark(
        `${this.#file}: partial: it continues the session ${
          idText(base.thread_id)
        }, which was not read${advice}`,
      );
    }
    if (!this.#isModeKnown && unknownMode !== null) {
      this.#isModeKnown = true;
      diagnostics.remark(unknownModeText(this.#file, unknownMode));
    }
  }
}

/** The message for a history mode that codexpipe does not know. */
export function unknownModeText(file: string, mode: string): string {
  return `${file}: its history mode is ${
    JSON.stringify(mode)
  }, which codexpipe does not know: parts of the history may be missing; a later release of codexpipe may know the mode`;
}

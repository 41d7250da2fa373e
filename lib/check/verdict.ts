/**
 * What is found out about the runs of an input.
 *
 * @module
 */

import type { TurnStatus } from "../render/parts.ts";
import type { Tokens } from "../usage/tokens.ts";

/**
 * Why a verdict is bad. This list may expand over time.
 *
 * - `turn_failed`: the last turn of a thread says that it failed.
 * - `fatal_error`: an error ended the stream, as releases up to 0.42 end when a turn fails.
 * - `interrupted`: the last turn of a thread says that it was interrupted.
 * - `no_end`: the input ends before the last turn of a thread does.
 * - `no_turn`: nothing was begun.
 * - `failed_lines`: more lines than may be could not be read.
 * - `failed_command`: a command failed, and none may.
 * - `declined`: a command or a patch was declined, and nothing may be.
 * - `max_tokens`: more tokens than may be were used.
 * - `json_output`: the final message is no JSON, and should be.
 * - `schema`: lines are not as their schemas say, and are to be; the command adds it.
 * - `drift`: there is something that no known release of Codex writes, and nothing may be; the
 *   command adds it.
 */
export type VerdictReasonKind =
  | "turn_failed"
  | "fatal_error"
  | "interrupted"
  | "no_end"
  | "no_turn"
  | "failed_lines"
  | "failed_command"
  | "declined"
  | "max_tokens"
  | "json_output"
  | "schema"
  | "drift";

/** One reason for a bad verdict. */
export interface VerdictReason {
  /** What is wrong. */
  readonly kind: VerdictReasonKind;
  /**
   * What is wrong in a sentence, without a capital and a full stop. It may quote the log, which
   * may hold anything: escape it for where it is shown.
   */
  readonly message: string;
  /** The number of the line where it shows, from 1; `null` if it is none in particular. */
  readonly line: number | null;
}

/** A line that could not be read. */
export interface VerdictFailure {
  /** The number of the line, from 1. */
  readonly line: number;
  /** The kind of the error, such as `json`. */
  readonly kind: string;
  /** Why it could not be read. */
  readonly message: string;
}

/** What is found out about the runs of an input. */
export interface Verdict {
  /** Whether there is no reason against them. */
  readonly isPassed: boolean;
  /** What is wrong with them: first how turns ended, then what else was asked for. */
  readonly reasons: readonly VerdictReason[];
  /** The id of the last thread, of an app-server of the first; `null` if it is not said. */
  readonly threadId: string | null;
  /** How many turns there are. */
  readonly turns: number;
  /** How the last turn ended, of several threads of an app-server the worst, judged where nothing says it; `null` if there is none. */
  readonly status: Exclude<TurnStatus, "unknown"> | null;
  /** What was said last in the last turn; `null` if nothing was. */
  readonly finalMessage: string | null;
  /** How many commands failed. */
  readonly failedCommands: number;
  /** How many lines could not be read. */
  readonly failedLines: number;
  /** The first ones of them, ten at most. */
  readonly failures: readonly VerdictFailure[];
  /** The tokens that were used; `null` if the input does not say. */
  readonly tokens: Tokens | null;
}

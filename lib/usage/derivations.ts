/** Where the numbers come from: which line was counted, by which rule, and which was not. */

import type { Tokens } from "./tokens.ts";

/**
 * The name of a rule by which the counts of a line were taken, or not.
 *
 * - `record`: taken: a `token_usage_record` counts one request (0.155 and later).
 * - `request`: taken: the line counts one request (up to 0.29).
 * - `first`: taken: the first total of the thread.
 * - `grown`: taken: what the total grew by, which is the last request.
 * - `missed`: taken: what the total grew by, which is more than the last request.
 * - `restarted`: taken: a total that began anew.
 * - `unwritten`: taken: the first total in a file that lacks what came before.
 * - `inherited`: taken: the last request of the first total of a fork.
 * - `turn`: taken: the usage of the only exec turn of a thread.
 * - `thread`: taken: what the usage of an exec turn has more than that of the turn before.
 * - `run`: taken: the usage of an exec turn, each of a process of its own.
 * - `unknown`: not taken: nothing is known.
 * - `repeated`: not taken: it was said before.
 * - `recorded`: not taken: a `token_usage_record` has counted it.
 * - `replayed`: not taken: it was copied from another thread.
 * - `reviewed`: not taken: the file of the thread that did a review has counted it.
 * - `summed`: not taken: token counts have counted it.
 * - `empty`: not taken: it says that nothing was used.
 * - `copied`: not taken: another file has the same turn.
 * - `filed`: not taken: the session file of the thread is read as well.
 * - `outside`: not taken: it was at another time.
 * - `untimed`: not taken: its time is not known.
 */
export type UsageRule =
  | "record"
  | "request"
  | "first"
  | "grown"
  | "missed"
  | "restarted"
  | "unwritten"
  | "inherited"
  | "turn"
  | "thread"
  | "run"
  | "unknown"
  | "repeated"
  | "recorded"
  | "replayed"
  | "reviewed"
  | "summed"
  | "empty"
  | "copied"
  | "filed"
  | "outside"
  | "untimed";

/** What the rules say. */
const RULES: Readonly<Record<UsageRule, string>> = {
  record: "a token_usage_record: the tokens of one request",
  request: "the tokens of one request",
  first: "the first total of the thread",
  grown: "the total grew by the last request",
  missed: "the total grew by more than the last request: some were not written",
  restarted:
    "the total began anew, as in a process that resumes with 0.34 to 0.77 or 0.148 to 0.152",
  unwritten:
    "the first total in this file: it counts requests that are not in the file",
  inherited:
    "the first total of a fork: of it, the last request is the thread's own",
  turn: "the usage of the only turn of the thread",
  thread: "the usage of the thread grew by this since its turn before",
  run: "the usage of one process, not of the thread",
  unknown: "the server did not say; a total that follows begins anew",
  repeated: "the total has not changed since it was written last",
  recorded: "the token_usage_record before it has counted it",
  replayed: "copied from the thread that this one comes from",
  reviewed: "a review: the thread that did it has counted it",
  summed: "the token counts of the turn have counted it",
  empty: "it says that nothing was used",
  copied: "another file has the same turn, as completely or more so",
  filed: "the session file of the thread is among the files",
  outside: "it is not within the time that was asked for",
  untimed: "nothing says when it was, and a time was asked for",
};

/** What became of the counts of one line. */
export interface UsageDerivation {
  /** The name of the file or stream. */
  readonly source: string;
  /** The number of the line, from 1. */
  readonly line: number;
  /** The thread that the line belongs to, as far as that is known. */
  readonly thread_id: string | null;
  /** The turn that the line belongs to, as far as that is known. */
  readonly turn_id: string | null;
  /** Whether tokens were counted. */
  readonly counted: boolean;
  /** The rule that it was decided by. */
  readonly rule: UsageRule;
  /** The tokens that were counted; none, if they were not. */
  readonly tokens: Tokens;
}

/**
 * Says in words what a rule is.
 *
 * @param rule Its name.
 * @returns A sentence without a period.
 *
 * @example Why a line does not count
 * ```ts
 * import { explainRule } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   explainRule("repeated"),
 *   "the total has not changed since it was written last",
 * );
 * ```
 */
export function explainRule(rule: UsageRule): string {
  return RULES[rule];
}

/** Derivations: which lines of a file were counted and which were not, and by which rule. */

import type { Tokens } from "./tokens.ts";

/**
 * The name of the rule that decided whether the token counts of a line are counted: the rules from
 * `record` to `run` count it, those from `unknown` on do not. {@linkcode explainRule} explains each.
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

/** The explanations of the rules, as `usage --explain` shows them. */
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
    "the first total of a fork or a resumed thread: only its last request is new",
  turn: "the usage of the only turn of the thread",
  thread: "the usage of the thread grew by this since the turn before",
  run: "the usage of one process, not of the thread",
  unknown: "no counts yet; the next total begins anew",
  repeated: "the total has not changed since it was written last",
  recorded: "the token_usage_record before it has counted it",
  replayed: "copied from the thread that this one comes from",
  reviewed: "a review: the thread that did it has counted it",
  summed: "the token counts of the turn have counted it",
  empty: "all counts are zero",
  copied: "another file has the same turn, with as many tokens or more",
  filed: "the session file of the thread is among the files",
  outside: "its time is outside of the requested range",
  untimed: "it has no time, and a range of time was requested",
};

/** One line with token counts: whether they were counted, by which rule, and how many. */
export interface UsageDerivation {
  /** The name of the file or stream. */
  readonly source: string;
  /** The number of the line, from 1. */
  readonly line: number;
  /** The thread that the line belongs to; null if unknown. */
  readonly thread_id: string | null;
  /** The turn that the line belongs to; null if unknown. */
  readonly turn_id: string | null;
  /** Whether tokens were counted. */
  readonly counted: boolean;
  /** The rule that decided it. */
  readonly rule: UsageRule;
  /** The tokens that were counted; all zero if the line does not count. */
  readonly tokens: Tokens;
}

/**
 * Explains a rule in words.
 *
 * @param rule The name of the rule.
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

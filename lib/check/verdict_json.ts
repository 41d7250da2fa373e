/** Verdicts as JSON. */

import { encodeFields, type TokenFields } from "../usage/usage_records.ts";
import type { Verdict } from "./verdict_builder.ts";

/**
 * A verdict, as `codexpipe check --json` prints it.
 *
 * This list may expand over time.
 */
export interface VerdictRecord {
  /** The file; only where several are judged. */
  readonly file?: string;
  /** The answer. */
  readonly verdict: "passed" | "failed";
  /** What is wrong: see `VerdictReason`. */
  readonly reasons: readonly {
    readonly kind: string;
    readonly message: string;
    readonly line: number | null;
  }[];
  /** The id of the last thread, of an app-server of the first; null if it is not said. */
  readonly thread_id: string | null;
  /** How many turns there are. */
  readonly turns: number;
  /** How the last turn ended; null if there is none. */
  readonly status: Verdict["status"];
  /** How many commands failed. */
  readonly failed_commands: number;
  /** How many lines could not be read. */
  readonly failed_lines: number;
  /** The tokens that were used; null if the input does not say. */
  readonly usage: TokenFields | null;
  /** What was said last in the last turn; null if nothing was. */
  readonly final_message: string | null;
}

/**
 * Writes a verdict as the text of a JSON object, on one line: a {@linkcode VerdictRecord},
 * whose tokens are exact, however large.
 *
 * @param verdict The verdict.
 * @param fields What is to stand before it.
 * @returns The text.
 *
 * @example A run that is good
 * ```ts
 * import { VerdictBuilder, verdictJson } from "@codexpipe/codexpipe/check";
 * import { assertEquals } from "@std/assert";
 *
 * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n' +
 *   '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}\n';
 * const builder = new VerdictBuilder();
 * builder.feed(new TextEncoder().encode(log), () => {});
 * builder.flush(() => {});
 * const { verdict, usage } = JSON.parse(verdictJson(builder.verdict));
 *
 * assertEquals([verdict, usage.total_tokens], ["passed", 7]);
 * ```
 */
export function verdictJson(
  verdict: Verdict,
  fields: Readonly<Record<string, string>> = {},
): string {
  const { tokens, reasons, isPassed } = verdict;
  const counts = tokens === null
    ? "null"
    : encodeFields(new Map(Object.entries(tokens)));
  const before = JSON.stringify({
    ...fields,
    verdict: isPassed ? "passed" : "failed",
    reasons,
    thread_id: verdict.threadId,
    turns: verdict.turns,
    status: verdict.status,
    failed_commands: verdict.failedCommands,
    failed_lines: verdict.failedLines,
  });
  const message = JSON.stringify(verdict.finalMessage);
  return `${before.slice(0, -1)},"usage":${counts},"final_message":${message}}`;
}

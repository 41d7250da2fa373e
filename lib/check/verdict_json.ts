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
  /** Whether the runs passed. */
  readonly verdict: "passed" | "failed";
  /** The reasons for a bad verdict: see `VerdictReason`. */
  readonly reasons: readonly {
    readonly kind: string;
    readonly message: string;
    readonly line: number | null;
  }[];
  /** The id of the last thread, in an app-server's input of the first; null if it has none. */
  readonly thread_id: string | null;
  /** The number of turns. */
  readonly turns: number;
  /** How the last turn ended; null if there is none. */
  readonly status: Verdict["status"];
  /** The number of commands that failed. */
  readonly failed_commands: number;
  /** The number of lines that could not be read. */
  readonly failed_lines: number;
  /** The tokens that were used; null if the input has no counts. */
  readonly usage: TokenFields | null;
  /** The last message of the last turn; null if it has none. */
  readonly final_message: string | null;
}

/**
 * Encodes a verdict as a JSON object on one line: a {@linkcode VerdictRecord}. Token counts are
 * exact, also above 2^53.
 *
 * @param verdict The verdict.
 * @param fields Members that are written before those of the verdict, such as `file`.
 * @returns The text, without a line feed.
 *
 * @example A run that passed
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

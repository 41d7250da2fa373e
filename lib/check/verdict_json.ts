/**
 * Verdicts as JSON.
 *
 * @module
 */

import { TOKEN_KINDS } from "../usage/tokens.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Writes a verdict as the text of a JSON object, on one line.
 *
 * Its fields are `verdict` (`passed` or `failed`), `reasons` (each with `kind`, `message` and
 * `line`), `thread_id`, `turns`, `status` (`completed`, `failed`, `aborted`, `open` or null),
 * `failed_commands`, `failed_lines`, `usage` (the tokens of each kind and `total_tokens`; exact,
 * however large; null if they are not known) and `final_message`. This list may expand over
 * time.
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
    : `{${
      [...TOKEN_KINDS, "total_tokens" as const].map((kind) =>
        `"${kind}":${tokens[kind]}`
      ).join(",")
    }}`;
  const before = JSON.stringify({
    ...fields,
    verdict: isPassed ? "passed" : "failed",
    reasons: reasons.map(({ kind, message, line }) => ({
      kind,
      message,
      line,
    })),
    thread_id: verdict.threadId,
    turns: verdict.turns,
    status: verdict.status,
    failed_commands: verdict.failedCommands,
    failed_lines: verdict.failedLines,
  });
  const message = JSON.stringify(verdict.finalMessage);
  return `${before.slice(0, -1)},"usage":${counts},"final_message":${message}}`;
}

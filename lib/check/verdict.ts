/** Verdicts: why a run is good or bad, and as JSON. */

import { encodeFields, type TokenFields } from "../usage/usage_records.ts";
import type { FailurePart, TurnStatus } from "../render/parts.ts";
import type { Tokens } from "../usage/tokens.ts";

/**
 * The kind of a reason for a bad verdict. This list may expand over time.
 *
 * - `turn_failed`: the last turn of a thread failed, as its end event says.
 * - `fatal_error`: an error is the last event. Releases up to 0.42 end so when a turn fails.
 * - `interrupted`: the last turn of a thread was interrupted.
 * - `no_end`: the input ends before the last turn of a thread does.
 * - `no_turn`: no turn was begun.
 * - `failed_lines`: more lines than `maxFailures` could not be read.
 * - `failed_command`: a command failed, with `failOnCommand`.
 * - `declined`: a command or a patch was declined, with `failOnDeclined`.
 * - `max_tokens`: more tokens than `maxTokens` were used.
 * - `json_output`: the final message is no JSON, with `jsonOutput`.
 * - `schema`: lines do not match their JSON Schema; only `codexpipe check --schema` adds it.
 * - `drift`: the input has a record type or field that no known release of Codex writes; only
 *   `codexpipe check --fail-on-drift` adds it.
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
  /** The kind of the reason. */
  readonly kind: VerdictReasonKind;
  /**
   * A sentence for people, without a capital and a full stop. It may quote any text of the log:
   * escape it for the medium in which it is shown.
   */
  readonly message: string;
  /** The number of the line where the problem shows, from 1; `null` if no single line shows it. */
  readonly line: number | null;
}

/** A line that could not be read. */
export type VerdictFailure = Omit<FailurePart, "type">;

/** The judgement on the runs in an input, and the facts that it rests on. */
export interface Verdict {
  /** Whether there are no reasons against the runs. */
  readonly isPassed: boolean;
  /** The reasons for a bad verdict: first the ends of turns, then the demands of the options. */
  readonly reasons: readonly VerdictReason[];
  /** The id of the last thread, in an app-server's input of the first; `null` if it has none. */
  readonly threadId: string | null;
  /** The number of turns. */
  readonly turns: number;
  /**
   * How the last turn ended; of an app-server's threads, the worst such end. Guessed where no event
   * ends turns. `null` if there is no turn.
   */
  readonly status: Exclude<TurnStatus, "unknown"> | null;
  /** The last message of the last turn; `null` if it has none. */
  readonly finalMessage: string | null;
  /** The number of commands that failed. */
  readonly failedCommands: number;
  /** The number of lines that could not be read. */
  readonly failedLines: number;
  /** The first failed lines, ten at most. */
  readonly failures: readonly VerdictFailure[];
  /** The tokens that were used; `null` if the input has no counts. */
  readonly tokens: Tokens | null;
}

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

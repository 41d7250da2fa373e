/**
 * What is asked of a run beside that it ends well.
 */

import { countedText, countText } from "../render/quantity_text.ts";
import type { Tokens } from "../usage/tokens.ts";
import type {
  VerdictFailure,
  VerdictReason,
  VerdictReasonKind,
} from "./verdict.ts";
import type { VerdictOptions } from "./verdict_options.ts";

/** What is known of a run that something may be asked of. */
export interface RunFacts {
  /** How many lines failed. */
  readonly failedLines: number;
  /** The first of them. */
  readonly failures: readonly VerdictFailure[];
  /** How many commands failed. */
  readonly failedCommands: number;
  /** What there is to say of the first of them. */
  readonly commands: readonly string[];
  /** How many requests of the model were declined. */
  readonly declinedCount: number;
  /** What the first of them were. */
  readonly declined: readonly string[];
  /** What was said last. */
  readonly finalMessage: string | null;
  /** The tokens that were used, if they are known. */
  readonly tokens: Tokens | null;
}

/** Makes a reason. */
export function reason(
  kind: VerdictReasonKind,
  message: string,
  line: number | null = null,
): VerdictReason {
  return { kind, message, line };
}

/**
 * Holds a run against what is asked of it.
 *
 * @param options What is asked.
 * @param facts What is known.
 * @returns What is wrong.
 */
export function demandedReasons(
  { maxFailures = 0, failOnCommand, failOnDeclined, maxTokens, jsonOutput }:
    VerdictOptions,
  facts: RunFacts,
): VerdictReason[] {
  const { failedLines, failures, finalMessage, tokens } = facts;
  const { failedCommands, commands, declinedCount, declined } = facts;
  const reasons: VerdictReason[] = [];
  if (failedLines > maxFailures) {
    const [first] = failures;
    const may = maxFailures === 0 ? "" : `, ${maxFailures} may fail`;
    const message = `${
      countedText(failedLines, "line")
    } could not be read${may}; the first is line ${first?.line}: ${first?.message}`;
    reasons.push(reason("failed_lines", message, first?.line ?? null));
  }
  if (failOnCommand) {
    for (const command of commands) {
      reasons.push(reason("failed_command", command));
    }
    const more = failedCommands - commands.length;
    if (more > 0) {
      const message = `${countedText(more, "more command")} failed`;
      reasons.push(reason("failed_command", message));
    }
  }
  if (failOnDeclined) {
    for (const what of declined) {
      reasons.push(reason("declined", `declined: ${what}`));
    }
    const more = declinedCount - declined.length;
    if (more > 0) {
      const message = `${countedText(more, "more request")} declined`;
      reasons.push(reason("declined", message));
    }
  }
  if (
    maxTokens !== undefined && tokens !== null &&
    tokens.total_tokens > maxTokens
  ) {
    const used = countText(tokens.total_tokens);
    const message = `${used} tokens were used, the limit is ${
      countText(maxTokens)
    }`;
    reasons.push(reason("max_tokens", message));
  }
  if (jsonOutput && !isJson(finalMessage)) {
    const message = finalMessage === null
      ? "there is no final message, which should be JSON"
      : "the final message is not valid JSON";
    reasons.push(reason("json_output", message));
  }
  return reasons;
}

function isJson(text: string | null): boolean {
  if (text === null) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The figures of a run: turns, commands, tokens. */

import type { Verdict } from "../../check/verdict.ts";
import { countedText } from "../../render/quantity_text.ts";

export function runFigures(
  { turns, failedCommands, tokens }: Pick<
    Verdict,
    "turns" | "failedCommands" | "tokens"
  >,
): string {
  return [
    countedText(turns, "turn"),
    ...(failedCommands === 0
      ? []
      : [countedText(failedCommands, "failed command")]),
    ...(tokens === null ? [] : [countedText(tokens.total_tokens, "token")]),
  ].join(", ");
}

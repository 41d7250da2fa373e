/**
 * What entries of a transcript say of the work.
 */

import { type AnyHistoryRecord, isKnownRecord } from "../history/records.ts";
import { commandLine } from "../render/command_line.ts";
import { startOf } from "../render/cut_text.ts";

/** How much of a command is named, in characters. */
const MAX_COMMAND = 120;

/** What the model says, if the entry is that. */
export function answerOf(record: AnyHistoryRecord): string | undefined {
  return isKnownRecord(record) && record.type === "assistant_message"
    ? record.payload.markdown
    : undefined;
}

/** Says which commands of an entry failed. */
export function failedCommandsOf(record: AnyHistoryRecord): string[] {
  if (!isKnownRecord(record)) return [];
  if (record.type === "exec") {
    const { command, status, exit_code } = record.payload;
    return status === "error" ? [failedCommand(command, exit_code)] : [];
  }
  if (record.type !== "explore") return [];
  return record.payload.entries.flatMap(({ command, status }) =>
    typeof status === "string"
      ? []
      : [failedCommand(command, status.error.exit_code)]
  );
}

function failedCommand(
  command: readonly string[],
  exitCode: number | null,
): string {
  const line = commandLine(command).trim();
  const shown = line.length > MAX_COMMAND
    ? `${startOf(line, MAX_COMMAND - 1)}…`
    : line;
  const how = exitCode === null ? "" : ` with exit status ${exitCode}`;
  return `a command failed${how}: ${shown}`;
}

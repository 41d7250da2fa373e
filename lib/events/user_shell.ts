/**
 * Commands that the user runs beside the agent (`!cmd`): up to 0.147 the only trace of one is
 * what the model was told of it.
 *
 * @module
 */

import type { Fields } from "../json/fields.ts";

const USER_SHELL_REGEXP =
  /^\s*<user_shell_command>\n<command>\n([^]*?)\n<\/command>\n<result>\nExit code: (-?\d+)\nDuration: ([\d.]+) seconds\nOutput:\n([^]*?)\n?<\/result>\n<\/user_shell_command>\s*$/;

/**
 * Reads what the model was told of a command of the user's.
 *
 * @param text The text of the message.
 * @returns The content of the command; `undefined` if the text tells of none.
 */
export function userShellCommand(text: string): Fields | undefined {
  if (!text.trimStart().startsWith("<user_shell_command>")) return undefined;
  const match = USER_SHELL_REGEXP.exec(text);
  if (match === null) return undefined;
  const [, command = "", code, seconds, stdout = ""] = match;
  return {
    command,
    argv: [command],
    exit_code: Number(code),
    stdout,
    duration_ms: Math.round(Number(seconds) * 1000),
    source: "user_shell",
  };
}

/** What is said to a person whom a command waits for, and who may not know it. */

import type { CommandContext } from "../command.ts";
import { STDIN } from "../standard_streams.ts";

/** Says that a command reads from the terminal, if it does. */
export async function invite(
  file: string,
  { process: { isTerminal }, diagnostics }: CommandContext,
): Promise<void> {
  if (file !== STDIN || !isTerminal.stdin || !isTerminal.stderr) return;
  diagnostics.say("reading from the terminal");
  await diagnostics.flush();
}

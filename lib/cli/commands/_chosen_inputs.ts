/** The inputs of commands that read files, stdin or the session files of Codex homes. */

import type { CommandContext } from "../command.ts";
import { UsageError } from "../endings.ts";
import type { ChosenInputs } from "./_home_inputs.ts";

export async function chosenInputs(
  context: CommandContext,
): Promise<ChosenInputs> {
  const { args, process } = context;
  const { operands } = args;
  // In a thread, the inputs come from the thread that started it.
  if (process.starter !== undefined) {
    return { isHome: false, inputs: [], isIncomplete: false };
  }
  // With --family, --codex-home is where the family was looked up; its files are the operands.
  const isHomeGiven = args.has("home") ||
    args.has("codex-home") && !args.has("family");
  if (operands.length > 0 && isHomeGiven) {
    throw new UsageError(
      "a Codex home and files cannot be read together: give one or the other; --codex-home=DIR reads another home",
    );
  }
  if (operands.length === 0 && (isHomeGiven || process.isTerminal.stdin)) {
    // Loaded for homes only, so that reading files starts faster.
    const { homeInputs } = await import("./_home_inputs.ts");
    return await homeInputs(context);
  }
  const inputs = args.files.map((name) => ({ name }));
  return { isHome: false, inputs, isIncomplete: false };
}

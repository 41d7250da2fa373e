/**
 * What commands read that read files or a Codex home: files, stdin, or the session files of Codex homes.
 */

import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { UsageError } from "../endings.ts";
import { blockRoom, type Input, openInput } from "../input.ts";
import type { ChosenInput, ChosenInputs } from "./_home_inputs.ts";
import { STDIN } from "../flags.ts";

/**
 * Finds what is to be read.
 *
 * @param since What was last written to before that time does not matter.
 * @throws {UsageError} If files and a home are named.
 */
export async function chosenInputs(
  args: Arguments,
  context: CommandContext,
  since: number,
): Promise<ChosenInputs> {
  const { operands } = args;
  const { process } = context;
  const room = blockRoom();
  let homes: typeof import("./_home_inputs.ts") | undefined;
  const open = async (input: ChosenInput): Promise<Input> => {
    const { name, place } = input;
    if (place === undefined) return await openInput(name, process, room);
    // Files are read without all that it takes to find sessions, and begin sooner.
    homes ??= await import("./_home_inputs.ts");
    return await homes.openSessionInput(input, process, room);
  };
  // They come from the thread that started this one.
  if (process.starter !== undefined) {
    return { isHome: false, inputs: [], isIncomplete: false, open };
  }
  // The home that has a family is where its files have been looked up.
  const isHomeGiven = args.has("home") ||
    args.has("codex-home") && !args.has("family");
  if (operands.length > 0 && isHomeGiven) {
    throw new UsageError(
      "a Codex home and files cannot be read together: name one or the other",
    );
  }
  if (operands.length === 0 && (isHomeGiven || process.isTerminal.stdin)) {
    const { homeInputs } = await import("./_home_inputs.ts");
    return { ...await homeInputs(args, context, since), open };
  }
  const files = operands.length === 0 ? [STDIN] : operands;
  const inputs = files.map((name) => ({ name }));
  return { isHome: false, inputs, isIncomplete: false, open };
}

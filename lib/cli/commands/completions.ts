/** `codexpipe completions`. */

import type { RunCommand } from "../command.ts";
import { bashCompletions } from "../completions/bash.ts";
import { fishCompletions } from "../completions/fish.ts";
import { type Grammar, grammarOf } from "../completions/grammar.ts";
import { oneOf, SHELLS } from "../flags.ts";
import { zshCompletions } from "../completions/zsh.ts";
import { EXIT, UsageError } from "../endings.ts";

const SCRIPTS: Readonly<
  Record<typeof SHELLS[number], (grammar: Grammar) => string>
> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

export const run: RunCommand = async ({ args, commands, stdout }) => {
  const [name = "", ...others] = args.operands;
  const shell = SHELLS.find((shell) => shell === name);
  if (shell === undefined || others.length > 0) {
    throw new UsageError(`expected one shell: ${oneOf(SHELLS)}`);
  }
  await stdout.writeText(SCRIPTS[shell](grammarOf(commands)));
  return EXIT.done;
};

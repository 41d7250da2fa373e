/** What is refused on the command line though each word of it is known. */

import type { Arguments } from "./arguments.ts";
import { UsageError } from "./endings.ts";
import type { FlagName } from "./flags.ts";

/**
 * Refuses flags that would do nothing: who gave one relies on it.
 *
 * @param where What makes them useless, such as `with --jsonl`.
 */
export function refuseIdleFlags(
  args: Arguments,
  flags: readonly FlagName[],
  where: string,
): void {
  const idle = flags.find((name) => args.has(name));
  if (idle === undefined) return;
  throw new UsageError(`--${idle} has no use ${where}`);
}

/**
 * Refuses patterns that would mask nothing. It is called before any file is opened to be
 * written.
 *
 * @throws {UsageError} If there are some, and nothing is to be masked.
 */
export function refuseIdlePatterns(args: Arguments): void {
  if (!args.has("no-redact")) return;
  refuseIdleFlags(args, ["redact-pattern"], "with --no-redact");
}

/** Refuses operands of a command that has none; the advice says what may have been meant. */
export function refuseOperands(
  { operands: [operand] }: Arguments,
  command: string,
  advice?: string,
): void {
  if (operand === undefined) return;
  const more = advice === undefined ? "" : `: ${advice}`;
  throw new UsageError(`${command} takes no ${JSON.stringify(operand)}${more}`);
}

/** Refuses to follow several files: what they give would stand mixed in one output. */
export function refuseSeveral(
  args: Arguments,
  files: readonly string[],
): void {
  if (!args.has("follow") || files.length <= 1) return;
  throw new UsageError(
    "--follow takes one file: what comes of several could not be told apart; run one codexpipe for each",
  );
}

/** What the one session is called that a command takes; `undefined` is the last one. */
export function oneSession(
  args: Arguments,
  command: string,
): string | undefined {
  const { operands } = args;
  if (operands.length + Number(args.has("last")) === 1) return operands[0];
  throw new UsageError(
    `${command} takes one session: its id, its name or its file, or --last`,
  );
}

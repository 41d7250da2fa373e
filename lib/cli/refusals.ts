/** Checks for combinations of flags and operands that make no sense. */

import type { Arguments } from "./arguments.ts";
import { UsageError } from "./endings.ts";
import type { FlagName } from "./flags.ts";

/**
 * Refuses flags that would have no effect: a user who gives one relies on it.
 *
 * @param where The reason that they have no effect, such as `with --jsonl`.
 * @throws {UsageError} If one of them is given.
 */
export function refuseIdleFlags(
  args: Arguments,
  flags: readonly FlagName[],
  where: string,
): void {
  const idle = flags.find((name) => args.has(name));
  if (idle === undefined) return;
  throw new UsageError(`--${idle} has no effect ${where}`);
}

/**
 * Refuses `--redact-pattern` with `--no-redact`. Call it before any file is opened for writing.
 *
 * @throws {UsageError} If both are given.
 */
export function refuseIdlePatterns(args: Arguments): void {
  if (!args.has("no-redact")) return;
  refuseIdleFlags(args, ["redact-pattern"], "with --no-redact");
}

/**
 * Refuses operands of a command that has none.
 *
 * @param advice The commands or flags that the user may have meant.
 */
export function refuseOperands(
  { operands: [operand] }: Arguments,
  command: string,
  advice?: string,
): void {
  if (operand === undefined) return;
  const more = advice === undefined ? "" : `: ${advice}`;
  throw new UsageError(`${command} takes no ${JSON.stringify(operand)}${more}`);
}

/** Refuses to follow several files: their lines would be mixed in one output. */
export function refuseSeveral(
  args: Arguments,
  files: readonly string[],
): void {
  if (!args.has("follow") || files.length <= 1) return;
  throw new UsageError(
    "--follow takes one file, since the lines of several would be mixed; run one codexpipe for each",
  );
}

/** The operand of a command that takes one session; `undefined` for `--last`. */
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

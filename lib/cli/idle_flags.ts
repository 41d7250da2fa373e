/** Flags that would do nothing. */

import type { Arguments } from "./arguments.ts";
import { UsageError } from "./endings.ts";
import type { FlagName } from "./flags.ts";

/**
 * Refuses flags that would do nothing: who gave one relies on it.
 *
 * @param where What makes them useless, such as `with --jsonl`.
 * @throws {UsageError} If one of them was given.
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

/** What commands that follow a file have in common. */

import type { Arguments } from "../arguments.ts";
import { UsageError } from "../endings.ts";

/**
 * Refuses to follow several files: what they give would stand mixed in one output.
 *
 * @throws {UsageError} If several files are to be followed.
 */
export function refuseSeveral(
  args: Arguments,
  files: readonly string[],
): void {
  if (!args.has("follow") || files.length <= 1) return;
  throw new UsageError(
    "--follow takes one file: what comes of several could not be told apart; run one codexpipe for each",
  );
}

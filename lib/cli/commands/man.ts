/** `codexpipe man`. */

import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { manualPage } from "../manual.ts";

/** Prints the manual page. */
export async function run(
  { operands }: Arguments,
  { stdout, table }: CommandContext,
): Promise<number> {
  if (operands.length > 0) throw new UsageError("man takes no operand");
  await stdout.write(new TextEncoder().encode(manualPage(table)));
  return EXIT.done;
}

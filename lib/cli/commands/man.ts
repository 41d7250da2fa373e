/** `codexpipe man`. */

import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { EXIT } from "../endings.ts";
import { manualPage } from "../manual.ts";
import { refuseOperands } from "../refusals.ts";

export async function run(
  args: Arguments,
  { stdout, table }: CommandContext,
): Promise<number> {
  refuseOperands(args, "man");
  await stdout.writeText(manualPage(table));
  return EXIT.done;
}

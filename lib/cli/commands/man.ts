/** `codexpipe man`. */

import type { RunCommand } from "../command.ts";
import { EXIT } from "../endings.ts";
import { manualPage } from "../manual.ts";
import { refuseOperands } from "../refusals.ts";

export const run: RunCommand = async ({ args, stdout, table }) => {
  refuseOperands(args, "man");
  await stdout.writeText(manualPage(table));
  return EXIT.done;
};

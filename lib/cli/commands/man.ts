/** `codexpipe man`. */

import type { RunCommand } from "../command.ts";
import { EXIT } from "../endings.ts";
import { manualPage } from "../manual.ts";

export const run: RunCommand = async ({ args, stdout, table }) => {
  args.refuseOperands("man");
  await stdout.writeText(manualPage(table));
  return EXIT.done;
};

/** `codexpipe sessions path`. */

import type { RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { lookUpSession } from "./_sessions.ts";

export const run: RunCommand = async (context) => {
  const { args } = context;
  const isLast = args.has("last");
  if (isLast === args.operands.length > 0) {
    throw new UsageError(
      "sessions path takes the ids, names or files of sessions, or --last",
    );
  }
  const queries = isLast ? [undefined] : args.operands;
  const reported = new Set<string>();
  let status: number = EXIT.done;
  for (const query of queries) {
    const found = await lookUpSession(query, context, reported);
    status = Math.max(status, found.status);
    const { path } = found.session?.file ?? {};
    if (path !== undefined) await context.stdout.writeText(`${path}\n`);
  }
  return status;
};

/** `codexpipe render`. */

import { resolve } from "node:path";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { ErrorFile } from "../error_file.ts";
import { refuseIdleFlags, refuseSeveral } from "../refusals.ts";
import { STDIN } from "../context.ts";
import { openDocument } from "./_document_file.ts";
import { refuseOverwriting } from "./_overwriting.ts";
import { Rendering } from "./_rendering.ts";
import { refuseIdlePatterns } from "./_secrets.ts";

/** Renders the named files, or stdin. */
export async function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  refuseIdlePatterns(args);
  if (args.value("to") === "site") {
    const { renderSite } = await import("./render_site.ts");
    return await renderSite(args, context);
  }
  refuseIdleFlags(args, ["home", "jobs"], "without --to=site");
  const { process } = context;
  const files = args.operands.length === 0 ? [STDIN] : args.operands;
  const isFollowing = args.has("follow");
  refuseSeveral(args, files);
  const target = args.value("output");
  const errorsTo = args.value("errors-to");
  const [one, other] = [target, errorsTo].map((path) =>
    path && resolve(process.cwd(), path)
  );
  if (one !== undefined && one === other) {
    throw new UsageError("--output and --errors-to name the same file");
  }
  if (errorsTo !== undefined) {
    await refuseOverwriting("errors-to", errorsTo, files, process);
  }
  const document = await openDocument(args, context, files);
  if (!isFollowing && !files.includes(STDIN)) context.paging.begin();
  let errors: ErrorFile | undefined;
  try {
    if (errorsTo !== undefined) {
      errors = await ErrorFile.create(errorsTo, process);
    }
    const rendering = await Rendering.create(args, context, {
      ...document,
      errors,
    });
    for (const operand of files) {
      try {
        if (isFollowing) await rendering.follow(operand);
        else await rendering.render(operand);
      } catch (error) {
        // A transcript that was interrupted is one all the same.
        await rendering.end();
        throw error;
      }
      if (rendering.hasStopped) break;
    }
    await rendering.end();
    if (rendering.isIncomplete) return EXIT.io;
    const isNo = rendering.hasStopped ||
      (args.has("strict") && rendering.hasFailures);
    return isNo ? EXIT.no : EXIT.done;
  } finally {
    document.close();
    errors?.close();
  }
}

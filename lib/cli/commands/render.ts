/** `codexpipe render`. */

import type { RunCommand } from "../command.ts";
import { statusAfter, UsageError } from "../endings.ts";
import type { ErrorFile } from "../created_file.ts";
import { Rendering } from "./_rendering.ts";
import { type Destination, screenDestination } from "./_rendition.ts";
import { STDIN } from "../flags.ts";

export const run: RunCommand = async (context) => {
  const { args, process } = context;
  if (args.value("to") === "site") {
    const { renderSite } = await import("./render_site.ts");
    return await renderSite(context);
  }
  args.refuseIdle(["home", "jobs"], "without --to=site");
  if (!args.has("family")) {
    args.refuseIdle(["codex-home"], "without --to=site or --family");
  }
  const { files } = args;
  const isFollowing = args.has("follow");
  args.refuseSeveral();
  const target = args.value("output");
  const errorsTo = args.value("errors-to");
  if (target !== undefined && errorsTo !== undefined) {
    const { resolve } = await import("node:path");
    const [one, other] = [target, errorsTo].map((path) =>
      resolve(process.cwd(), path)
    );
    if (one === other) {
      throw new UsageError("--output and --errors-to name the same file");
    }
  }
  if (errorsTo !== undefined) {
    const { InputFiles } = await import("./_overwriting.ts");
    await new InputFiles(files, context).refuse("errors-to", errorsTo);
  }
  const document: Destination = target === undefined
    ? screenDestination(context)
    // Loaded here, since the checks for overwriting load slowly.
    : await import("./_document_file.ts").then(({ openDocument }) =>
      openDocument(context, files)
    );
  if (!isFollowing && !files.includes(STDIN)) context.paging.begin();
  let errors: ErrorFile | undefined;
  try {
    if (errorsTo !== undefined) {
      const { ErrorFile } = await import("../created_file.ts");
      errors = await ErrorFile.create(errorsTo, process);
    }
    const rendering = await Rendering.create(context, { ...document, errors });
    try {
      for (const operand of files) {
        if (isFollowing) await rendering.follow(operand);
        else await rendering.render(operand);
        if (rendering.work.hasStopped) break;
      }
    } finally {
      // The end of the document is written after an interrupt, too.
      await rendering.end();
    }
    return statusAfter(rendering.work, args);
  } finally {
    document.close?.();
    errors?.close();
  }
};

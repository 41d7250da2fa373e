/** `codexpipe render`. */

import type { RunCommand } from "../command.ts";
import type { ErrorFile } from "../created_file.ts";
import { statusAfter, UsageError } from "../endings.ts";
import { type Destination, formOf, Rendering } from "./_rendering.ts";
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
  let errors: ErrorFile | undefined;
  if (errorsTo !== undefined) {
    // Loaded here, since the checks for overwriting load slowly.
    const { createErrorFile, InputFiles } = await import("./_overwriting.ts");
    // Before the file of --errors-to is emptied.
    if (target !== undefined) {
      await new InputFiles(files, context).refuse("output", target);
    }
    errors = await createErrorFile(errorsTo, files, context);
  }
  const document: Destination = target === undefined
    ? { output: context.screen, form: formOf(args) }
    : await (await import("./_document_file.ts")).openDocument(context, files);
  if (!isFollowing && !files.includes(STDIN)) context.paging.begin();
  try {
    const rendering = await Rendering.create(context, { ...document, errors });
    try {
      for (const name of files) {
        if (isFollowing) await rendering.follow(name);
        else await rendering.render({ name });
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

/**
 * `codexpipe render`.
 */

import { RENDER_FORMS, type RenderForm } from "../../render/render_options.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { FileSink } from "../context.ts";
import { EXIT, IoError, UsageError } from "../endings.ts";
import { ErrorFile } from "../error_file.ts";
import { Output } from "../output.ts";
import { reasonOf } from "../reasons.ts";
import { STDIN } from "../standard_streams.ts";
import { refuseOverwriting } from "./_overwriting.ts";
import { Rendering } from "./_rendering.ts";

/** The forms that names of files stand for. */
const FORMS_BY_ENDING: ReadonlyMap<string, RenderForm> = new Map([
  ["txt", "text"],
  ["md", "markdown"],
  ["markdown", "markdown"],
  ["html", "html"],
  ["htm", "html"],
]);

/** Renders the named files, or stdin. */
export async function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  const { process, stdout } = context;
  const files = args.operands.length === 0 ? [STDIN] : args.operands;
  const isFollowing = args.has("follow");
  if (isFollowing && files.length > 1) {
    throw new UsageError(
      "--follow takes one file: what is shown of several could not be told apart; run one codexpipe for each",
    );
  }
  const target = args.value("output");
  const errorsTo = args.value("errors-to");
  if (target !== undefined && target === errorsTo) {
    throw new UsageError("--output and --errors-to name the same file");
  }
  for (const flag of ["output", "errors-to"] as const) {
    const path = args.value(flag);
    if (path === undefined) continue;
    await refuseOverwriting(flag, path, files, process);
  }
  const errors = errorsTo === undefined
    ? undefined
    : await ErrorFile.create(errorsTo, process);
  let file: FileSink | undefined;
  try {
    file = target === undefined ? undefined : await create(target, context);
    const output = file === undefined
      ? stdout
      : new Output(file, target ?? "", process);
    const rendering = new Rendering(args, context, {
      output,
      isTerminal: file === undefined && process.isTerminal.stdout,
      form: formOf(args, target),
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
    file?.close();
    errors?.close();
  }
}

/** The form that is asked for, or that the name of the file stands for. */
function formOf(
  args: Arguments,
  target: string | undefined,
): RenderForm | undefined {
  const ending = /\.([^./\\]+)$/.exec(target ?? "")?.[1]?.toLowerCase();
  return args.choice("to", RENDER_FORMS) ?? FORMS_BY_ENDING.get(ending ?? "");
}

async function create(
  path: string,
  { process }: CommandContext,
): Promise<FileSink> {
  try {
    return await process.create(path);
  } catch (error) {
    const message = `${path}: cannot create: ${reasonOf(error)}`;
    throw new IoError(message, { cause: error });
  }
}

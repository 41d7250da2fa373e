/**
 * Where a document goes: to stdout, or to the file that `--output` names.
 */

import { RENDER_FORMS, type RenderForm } from "../../render/render_options.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { createFile } from "../created_file.ts";
import { refuseIdleFlags } from "../idle_flags.ts";
import { Output } from "../output.ts";
import { refuseOverwriting } from "./_overwriting.ts";
import { folderOf } from "./_sessions.ts";
import type { Destination } from "./_rendition.ts";

/** A place for a document. */
export interface DocumentFile extends Destination {
  /** Gives the file back. */
  close(): void;
}

/** The forms that names of files stand for. */
const FORMS_BY_ENDING: ReadonlyMap<string, RenderForm> = new Map([
  ["txt", "text"],
  ["md", "markdown"],
  ["markdown", "markdown"],
  ["html", "html"],
  ["htm", "html"],
]);

/**
 * Opens the place that the flags ask for.
 *
 * @param args What the command was called with.
 * @param context What the command works with.
 * @param inputs The files that are to be read.
 * @returns The place; it is closed when the document is written.
 * @throws {UsageError} If it is one of the files that are to be read, or in a Codex home.
 * @throws {IoError} If the file cannot be made.
 * @throws {Interrupted} If the user wants the work to end.
 */
export async function openDocument(
  args: Arguments,
  context: CommandContext,
  inputs: readonly string[],
): Promise<DocumentFile> {
  const { process, screen } = context;
  const target = args.value("output");
  const form = formOf(args, target);
  if (form !== "html") refuseIdleFlags(args, ["images"], "without --to=html");
  if (target === undefined) {
    const isTerminal = process.isTerminal.stdout;
    return { output: screen, isTerminal, form, close(): void {} };
  }
  const homes = args.values("codex-home").map((folder) =>
    folderOf(folder, process)
  );
  await refuseOverwriting("output", target, inputs, process, homes);
  const file = await createFile(target, process);
  return {
    output: new Output(file, target, process),
    isTerminal: false,
    form,
    close: () => file.close(),
  };
}

/** The form that is asked for, or that the name of the file stands for. */
function formOf(
  args: Arguments,
  target: string | undefined,
): RenderForm | undefined {
  const ending = /\.([^./\\]+)$/.exec(target ?? "")?.[1]?.toLowerCase();
  return args.choice("to", RENDER_FORMS) ?? FORMS_BY_ENDING.get(ending ?? "");
}

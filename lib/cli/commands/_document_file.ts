/** Where a document goes: to stdout, or to the file that `--output` names. */

import { basename } from "node:path";
import type { RenderForm } from "../../render/render_options.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { createFile } from "../created_file.ts";
import { Output } from "../output.ts";
import { InputFiles } from "./_overwriting.ts";
import {
  type Destination,
  type FollowingPages,
  screenDestination,
} from "./_rendition.ts";
import { folderOf } from "./_sessions.ts";

export interface DocumentFile extends Destination {
  /** Gives the file back. */
  close(): void;
}

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
 * @returns The place; it is closed when the document is written.
 * @throws {UsageError} If it is one of the files that are to be read, or in a Codex home.
 */
export async function openDocument(
  args: Arguments,
  context: CommandContext,
  inputs: readonly string[],
): Promise<DocumentFile> {
  const { process } = context;
  const target = args.value("output");
  const ending = /\.([^./\\]+)$/.exec(target ?? "")?.[1]?.toLowerCase() ?? "";
  const screen = screenDestination(args, context, FORMS_BY_ENDING.get(ending));
  if (target === undefined) return { ...screen, close(): void {} };
  const { form } = screen;
  const homes = args.values("codex-home").map((folder) =>
    folderOf(folder, process)
  );
  const files = new InputFiles(inputs, process, homes);
  const created = (path: string): Promise<CreatedPage> =>
    createPage(path, files, process);
  const [output, close] = await created(target);
  const following = followingPages(target, close, created);
  const pages = form === "html" && /\.html?$/i.test(target)
    ? following
    : undefined;
  return { output, pages, isTerminal: false, form, close: following.close };
}

/** A file that was made, and what gives it back. */
export type CreatedPage = readonly [output: Output, close: () => void];

/**
 * Makes a file that documents are written to.
 *
 * @param isInFolder Whether it is in a folder that has been found to be in no Codex home.
 * @throws {UsageError} If it is one of the files that are to be read, or in a Codex home.
 */
export async function createPage(
  path: string,
  inputs: InputFiles,
  process: Surroundings,
  isInFolder = false,
): Promise<CreatedPage> {
  await inputs.refuse("output", path, isInFolder);
  const file = await createFile(path, process);
  return [new Output(file, path, process), () => file.close()];
}

/**
 * Gives the pages behind `NAME.html`: `NAME.2.html` and so on, one of them open at a time.
 *
 * @param first The first page, which is open.
 * @param close Gives it back.
 * @param create Makes another one.
 * @param taken The names that none of them may have.
 */
export function followingPages(
  first: string,
  close: () => void,
  create: (page: string) => Promise<CreatedPage>,
  taken: ReadonlySet<string> = new Set(),
): FollowingPages & Pick<DocumentFile, "close"> {
  const [stem, ending = ""] = first.split(/(\.[^.]*)$/);
  const pathOf = (page: number, sign = "."): string => {
    const path = page === 1 ? first : `${stem}${sign}${page}${ending}`;
    return page > 1 && taken.has(path) ? pathOf(page, `${sign}-`) : path;
  };
  return {
    nameOf: (page) => basename(pathOf(page)),
    async open(page): Promise<Output> {
      close();
      const [output, closePage] = await create(pathOf(page));
      close = closePage;
      return output;
    },
    close: () => close(),
  };
}

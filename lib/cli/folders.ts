/** Folders where files are named. */

import type { Surroundings } from "./context.ts";

/** What session files are called. */
const SESSION_REGEXP = /^rollout-.+\.jsonl(?:\.zst|\.gz)?$/i;

/**
 * Names the session files below the folders among some files, instead of the folders.
 *
 * @returns The files, those of a folder in the order of their paths, which is that of time; a
 *   folder stays where it is if there is nothing to read below it.
 */
export async function withoutFolders(
  paths: readonly string[],
  context: Pick<Surroundings, "list" | "look">,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const isFolder = (await context.look(path))?.isDirectory ?? false;
    const files = isFolder ? await sessionFiles(path, context) : [];
    for (const file of files.length === 0 ? [path] : files) found.push(file);
  }
  return found;
}

async function sessionFiles(
  folder: string,
  context: Pick<Surroundings, "list">,
): Promise<string[]> {
  const found: string[] = [];
  const prefix = folder.replace(/(?<=.)[/\\]$/, "");
  for (const { name, isDirectory } of await context.list(folder)) {
    const path = `${prefix}/${name}`;
    if (isDirectory) found.push(...await sessionFiles(path, context));
    else if (SESSION_REGEXP.test(name)) found.push(path);
  }
  return found.sort();
}

/** Shared by commands that write one or more files for each input into a folder. */

import { basename, dirname, resolve } from "node:path";
import { homeInPath } from "../../sessions/session_places.ts";
import {
  readSessionHead,
  type SessionHead,
} from "../../sessions/session_head.ts";
import { sessionFileAt } from "../../sessions/session_files.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { UsageError } from "../endings.ts";
import { refuseCodexHome } from "./_overwriting.ts";
import { folderOf } from "./_places.ts";
import { STDIN } from "../flags.ts";
import type { ChosenInput } from "../input.ts";
import { cannot } from "../reasons.ts";

/** Resolves the output folder of a flag, and creates it. Refuses one in a Codex home. */
export async function targetFolder(
  flag: "output" | "to",
  name: string,
  context: CommandContext,
): Promise<string> {
  const { process } = context;
  const folder = folderOf(name, process);
  await refuseCodexHome(flag, folder, context);
  const found = await process.look(folder);
  if (found?.isDirectory === false) {
    throw new UsageError(`--${flag}: ${name} is not a folder`);
  }
  if (found === undefined) {
    try {
      await process.createFolder(folder);
    } catch (error) {
      throw cannot("create", name, error);
    }
  }
  return folder;
}

/** Reads the heads of inputs; `undefined` for one that is not a session file with a header. */
export async function headsOfInputs(
  inputs: readonly ChosenInput[],
  { process, progress }: CommandContext,
): Promise<readonly (SessionHead | undefined)[]> {
  const heads: (SessionHead | undefined)[] = [];
  for (const input of inputs) {
    process.interrupt.throwIfAborted();
    if (inputs.length > 1) {
      const title = "Reading heads of sessions";
      await progress.count(title, heads.length, inputs.length);
    }
    heads.push(await headOf(input, process));
  }
  return heads;
}

async function headOf(
  input: ChosenInput,
  { cwd }: Surroundings,
): Promise<SessionHead | undefined> {
  const path = resolve(cwd(), input.name);
  try {
    const file = await sessionFileAt(path, homeInPath(path) ?? dirname(path));
    const head = await readSessionHead(file);
    return head.hasHeader ? head : undefined;
  } catch {
    // Reading the input later reports the error. A pipe is no error: it is read only then.
    return undefined;
  }
}

/** Gives each input a unique stem, other than the reserved one, for the names of its output. */
export function stems(reserved = ""): (name: string) => string {
  const taken = new Set([reserved]);
  return (name) => {
    const stem = name === STDIN
      ? "stdin"
      : basename(name).replace(/(?:\.jsonl?)?(?:\.zst|\.gz)?$/i, "");
    let unique = stem;
    // Compared in lower case, since some file systems ignore case.
    for (let n = 2; taken.has(unique.toLowerCase()); n++) {
      unique = `${stem}-${n}`;
    }
    taken.add(unique.toLowerCase());
    return unique;
  };
}

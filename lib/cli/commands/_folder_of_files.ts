/** What commands share that write files into a folder, one or more for each input. */

import { basename, dirname, resolve } from "node:path";
import {
  homeInPath,
  readSessionHead,
  sessionFileAt,
  type SessionHead,
} from "../../sessions/sessions.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { UsageError } from "../endings.ts";
import { refuseCodexHome } from "./_overwriting.ts";
import { folderOf } from "./_sessions.ts";
import type { ChosenInput } from "./_home_inputs.ts";
import { STDIN } from "../flags.ts";

/** The folder that a flag names to write to, if it does: one that is there, and not in a Codex home. */
export async function targetFolder(
  args: Arguments,
  { process }: CommandContext,
  flag: "output" | "to" = "output",
): Promise<string | undefined> {
  const given = args.value(flag);
  if (given === undefined) return undefined;
  const folder = folderOf(given, process);
  const homes = args.values("codex-home").map((home) =>
    folderOf(home, process)
  );
  await refuseCodexHome(flag, folder, process, homes);
  if ((await process.look(folder))?.isDirectory !== true) {
    throw new UsageError(`--${flag}: ${given} is no folder: make it first`);
  }
  return folder;
}

/** Reads the head of an input, if it is a session file with a header. */
export async function headOfInput(
  input: Pick<ChosenInput, "name">,
  { cwd, look }: Surroundings,
): Promise<SessionHead | undefined> {
  const path = resolve(cwd(), input.name);
  // What a pipe has given is gone.
  if ((await look(path))?.identity === undefined) return undefined;
  try {
    const file = await sessionFileAt(path, homeInPath(path) ?? dirname(path));
    const head = await readSessionHead(file);
    return head.hasHeader ? head : undefined;
  } catch {
    // Whatever is wrong with it will be seen when it is read.
    return undefined;
  }
}

/**
 * Gives each input a name that files can begin with, and no two of them the same.
 *
 * @param reserved A name that none is given.
 */
export function stems(reserved = ""): (name: string) => string {
  const taken = new Set([reserved]);
  return (name) => {
    const stem = name === STDIN
      ? "stdin"
      : basename(name).replace(/(?:\.jsonl?)?(?:\.zst|\.gz)?$/i, "");
    let own = stem;
    // Some file systems take names for the same that differ in case.
    for (let n = 2; taken.has(own.toLowerCase()); n++) own = `${stem}-${n}`;
    taken.add(own.toLowerCase());
    return own;
  };
}

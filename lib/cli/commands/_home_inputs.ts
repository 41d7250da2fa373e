/** The session files of Codex homes, as inputs. */

import { relative } from "node:path";
import { isObjectPath } from "../../sessions/session_start.ts";
import { findSessionFiles } from "../../sessions/session_files.ts";
import type { CommandContext } from "../command.ts";
import type { ChosenInput } from "../input.ts";
import { homesToRead } from "./_places.ts";
import { reportHomes } from "./_sessions.ts";

export interface ChosenInputs {
  /** Whether the inputs are the sessions of Codex homes. */
  readonly isHome: boolean;
  /** The files and streams; those of a home are sorted from old to new. */
  readonly inputs: readonly ChosenInput[];
  /** Whether a file or folder could not be read; that was reported. */
  readonly isIncomplete: boolean;
}

/** Finds the sessions of the Codex homes written to since `--since`; reports what is unreadable. */
export async function homeInputs(
  context: CommandContext,
): Promise<ChosenInputs> {
  const { args, process } = context;
  const codexHomes = homesToRead(context);
  const since = args.time("since", process.now()) ?? -Infinity;
  const { files, ...rest } = await findSessionFiles({ codexHomes });
  const isIncomplete = reportHomes({ ...rest, total: files.length }, context);
  // The session files of the first CLI have no token counts.
  const inputs = files.filter(({ path, mtime }) =>
    mtime >= since && !isObjectPath(path)
  ).reverse().map((file) => ({
    name: file.path,
    place: relative(file.home, file.path),
    size: file.size,
  }));
  return { isHome: true, inputs, isIncomplete };
}

/** The session files of Codex homes, as inputs. */

import { relative } from "node:path";
import { isObjectPath } from "../../sessions/session_start.ts";
import { findSessionFiles } from "../../sessions/session_files.ts";
import { openSession } from "../../sessions/open_session.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { Input } from "../input.ts";
import type { JobInput } from "../jobs.ts";
import { cannot } from "../reasons.ts";
import { homesToRead } from "./_places.ts";
import { reportHomes } from "./_sessions.ts";

/** An input: a file, stdin or a session. */
export interface ChosenInput extends JobInput {
  /** The path relative to the Codex home, if found in one: it does not contain a user name. */
  readonly place?: string;
}

export interface ChosenInputs {
  /** Whether the inputs are the sessions of Codex homes. */
  readonly isHome: boolean;
  /** The files and streams; those of a home are sorted from old to new. */
  readonly inputs: readonly ChosenInput[];
  /** Whether a file or folder could not be read; that was reported. */
  readonly isIncomplete: boolean;
  /** Opens one of the inputs. */
  open(input: ChosenInput): Promise<Input>;
}

/** Finds the sessions of the Codex homes written to since `--since`; reports what is unreadable. */
export async function homeInputs(
  context: CommandContext,
): Promise<Omit<ChosenInputs, "open">> {
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

/** Opens a session file, even if Codex compresses it at the same time. */
export async function openSessionInput(
  { name: path, size }: ChosenInput,
  process: Surroundings,
): Promise<Input> {
  try {
    return new Input(await openSession({ path, size }), path, process);
  } catch (error) {
    throw cannot("open", path, error);
  }
}

/** The session files of Codex homes, as inputs. */

import { findSessionFiles, openSession } from "../../sessions/sessions.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { type BlockRoom, Input } from "../input.ts";
import type { JobInput } from "../jobs.ts";
import { cannot } from "../reasons.ts";
import { reportHomes, sessionPlaces } from "./_sessions.ts";

/** An input: a file, stdin or a session. */
export interface ChosenInput extends JobInput {
  /** Its name from the Codex home on, if it was found in one: that says nothing of whose it is. */
  readonly place?: string;
}

/** The inputs of a command. */
export interface ChosenInputs {
  /** Whether it is all of a Codex home. */
  readonly isHome: boolean;
  /** The files and streams, those of a home from the oldest on. */
  readonly inputs: readonly ChosenInput[];
  /** Whether something could not be looked at; it has been said. */
  readonly isIncomplete: boolean;
  /** Opens one of them; the one before must have been read. */
  open(input: ChosenInput): Promise<Input>;
}

/** The first CLI, which wrote one object a file, did not count. */
const UNCOUNTED_REGEXP = /\.json$/i;

/**
 * Finds the session files of the Codex homes.
 *
 * @param context What the command works with; is told what could not be looked at.
 * @param since What was last written to before that time does not matter.
 */
export async function homeInputs(
  args: Arguments,
  context: CommandContext,
  since: number,
): Promise<Omit<ChosenInputs, "open">> {
  const { process } = context;
  const { codexHomes } = sessionPlaces(args, process);
  const { files, ...rest } = await findSessionFiles({ codexHomes });
  const isIncomplete = reportHomes(
    { ...rest, total: files.length },
    args,
    context,
  );
  const inputs = files.filter(({ path, mtime }) =>
    mtime >= since && !UNCOUNTED_REGEXP.test(path)
  ).reverse().map((file) => ({
    name: file.path,
    place: placeIn(codexHomes, file.path),
    size: file.size,
  }));
  return { isHome: true, inputs, isIncomplete };
}

/** The path of a file from its home on. */
function placeIn(codexHomes: readonly string[], path: string): string {
  const home = codexHomes.find((home) => path.startsWith(home)) ?? "";
  return path.slice(home.length).replace(/^[\\/]+/, "");
}

/** Opens a session file, also while Codex packs it. */
export async function openSessionInput(
  { name: path, size }: ChosenInput,
  process: Surroundings,
  room?: BlockRoom,
): Promise<Input> {
  try {
    return new Input(await openSession({ path, size }), path, process, {
      room,
    });
  } catch (error) {
    throw cannot("open", path, error);
  }
}

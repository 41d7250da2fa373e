/**
 * What `codexpipe usage` reads: files, stdin, or the session files of Codex homes.
 */

import {
  findSessionFiles,
  openSession,
  type SessionFile,
} from "../../sessions/sessions.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { IoError, UsageError } from "../endings.ts";
import { Input, openInput } from "../input.ts";
import { reasonOf } from "../reasons.ts";
import { STDIN } from "../standard_streams.ts";
import { reportHomes, sessionPlaces } from "./_sessions.ts";

/** The first CLI, which wrote one object a file, did not count. */
const UNCOUNTED_REGEXP = /\.json$/i;

/** Something to read. */
export interface UsageInput {
  /** Its name. */
  readonly name: string;
  /**
   * Opens it.
   *
   * @throws {IoError} If it cannot be opened.
   */
  open(): Promise<Input>;
}

/** What there is to read. */
export interface UsageInputs {
  /** Whether it is all of a Codex home. */
  readonly isHome: boolean;
  /** The files and streams, those of a home from the oldest on. */
  readonly inputs: readonly UsageInput[];
  /** Whether something could not be looked at; it has been said. */
  readonly isIncomplete: boolean;
}

/**
 * Finds what is to be read.
 *
 * @param args What the command was called with.
 * @param context What it works with.
 * @param since What was last written to before that time does not matter.
 * @returns What there is to read.
 * @throws {UsageError} If files and a home are named.
 */
export async function usageInputs(
  args: Arguments,
  context: CommandContext,
  since: number,
): Promise<UsageInputs> {
  const { operands } = args;
  const { process } = context;
  const isHomeGiven = args.has("home") || args.has("codex-home");
  if (operands.length > 0 && isHomeGiven) {
    throw new UsageError(
      "a Codex home and files cannot be counted together: name one or the other",
    );
  }
  if (operands.length === 0 && (isHomeGiven || process.isTerminal.stdin)) {
    return await homeInputs(args, context, since);
  }
  const files = operands.length === 0 ? [STDIN] : operands;
  const inputs = files.map((name) => ({
    name,
    open: () => openInput(name, process),
  }));
  return { isHome: false, inputs, isIncomplete: false };
}

async function homeInputs(
  args: Arguments,
  context: CommandContext,
  since: number,
): Promise<UsageInputs> {
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
    open: () => openSessionInput(file, process),
  }));
  return { isHome: true, inputs, isIncomplete };
}

/** Opens a session file, also while Codex packs it. */
async function openSessionInput(
  file: SessionFile,
  process: Surroundings,
): Promise<Input> {
  try {
    return new Input(await openSession(file), file.path, process);
  } catch (error) {
    const message = `${file.path}: cannot open: ${reasonOf(error)}`;
    throw new IoError(message, { cause: error });
  }
}

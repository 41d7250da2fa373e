/** Files that are read and written at once. */

import { STDIN, type Surroundings } from "./context.ts";
import { UsageError } from "./endings.ts";

/**
 * Asks what tells an input from any other file.
 *
 * @param input The path of a file, or `-`.
 * @param isQuick Whether nothing is said either if it takes long to find out.
 * @returns What tells it, if it is a regular file.
 */
export async function identityOf(
  input: string,
  process: Surroundings,
  isQuick = false,
): Promise<string | undefined> {
  return input === STDIN
    ? await process.streamIdentity("stdin", isQuick)
    : (await process.look(input))?.identity;
}

/**
 * Refuses to read what is written to stdout: it would have no end. What was written before that
 * was known is taken back.
 *
 * @param input The path of the file that is read, or `-`.
 * @param size How large it was when reading began, if that is known: inputs before it may have
 *   made it grow by then.
 * @param isQuick Whether to look only if it does not take long.
 * @throws {UsageError} If stdout is the same file.
 */
export async function refuseOwnOutput(
  input: string,
  process: Surroundings,
  { size, isQuick = false }: {
    readonly size?: number | undefined;
    readonly isQuick?: boolean;
  } = {},
): Promise<void> {
  const written = await process.streamIdentity("stdout", isQuick);
  if (written === undefined) return;
  if (written !== await identityOf(input, process, isQuick)) return;
  const isAsBefore = size === undefined || await process.takeBack?.(size);
  const rest = isAsBefore
    ? ""
    : `; its first ${size} bytes are what it was when reading began`;
  const name = input === STDIN ? "the file of stdin" : input;
  throw new UsageError(
    `stdout is ${name}, which is to be read: write to another file${rest}`,
  );
}

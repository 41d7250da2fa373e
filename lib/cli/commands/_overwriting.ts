/**
 * Files that are written must not be those that are read.
 */

import type { Surroundings } from "../context.ts";
import { UsageError } from "../endings.ts";
import { identityOf } from "../same_file.ts";
import { STDIN } from "../standard_streams.ts";

/** The name of a session file; nothing that this command writes is called like that. */
const SESSION_FILE_REGEXP =
  /(?:^|[\\/])rollout-[^\\/]+\.jsonl(?:\.zst|\.gz)?$/i;

/**
 * Refuses to write to a file that is to be read, since emptying it would lose it, and to any
 * session file: those are Codex's own.
 *
 * @param flag What names the file to write, without the dashes.
 * @param path The file to write.
 * @param files The files to read.
 * @param process Knows which names are of the same file.
 * @throws {UsageError} If it is one of them, or the session file of whatever session.
 */
export async function refuseOverwriting(
  flag: string,
  path: string,
  files: readonly string[],
  process: Surroundings,
): Promise<void> {
  const found = await process.look(path);
  const identity = found?.identity;
  for (const file of files) {
    const isStdin = file === STDIN;
    if (!isStdin && file === path) throw overwriting(flag, file);
    if (identity === undefined) continue;
    if (await identityOf(file, process) === identity) {
      throw overwriting(flag, isStdin ? path : file);
    }
  }
  // A link is called otherwise than what would be lost.
  if (found !== undefined && SESSION_FILE_REGEXP.test(found.realPath)) {
    throw new UsageError(
      `--${flag} would overwrite ${path}, a session file: name another file`,
    );
  }
}

function overwriting(flag: string, file: string): UsageError {
  return new UsageError(
    `--${flag} would overwrite ${file}, which is to be read`,
  );
}

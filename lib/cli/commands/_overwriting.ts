/**
 * Files that are written must not be those that are read.
 */

import type { Surroundings } from "../context.ts";
import { UsageError } from "../endings.ts";
import { STDIN } from "../standard_streams.ts";

/**
 * Refuses to write to a file that is to be read: emptying it would lose it.
 *
 * @param flag What names the file to write, without the dashes.
 * @param path The file to write.
 * @param files The files to read.
 * @param process Knows which names are of the same file.
 * @throws {UsageError} If it is one of them.
 */
export async function refuseOverwriting(
  flag: string,
  path: string,
  files: readonly string[],
  process: Surroundings,
): Promise<void> {
  const identity = (await process.look(path))?.identity;
  for (const file of files) {
    if (file === STDIN) continue;
    const isSame = file === path || (identity !== undefined &&
      (await process.look(file))?.identity === identity);
    if (isSame) {
      throw new UsageError(
        `--${flag} would overwrite ${file}, which is to be read`,
      );
    }
  }
}

/** Opening a file to write. */

import type { FileSink, Surroundings } from "./context.ts";
import { Interrupted, IoError } from "./endings.ts";
import { unlessInterrupted } from "./input.ts";
import { reasonOf } from "./reasons.ts";

/** Opens a file to write, emptied. */
export async function createFile(
  path: string,
  { create, interrupt }: Pick<Surroundings, "create" | "interrupt">,
): Promise<FileSink> {
  try {
    // A named pipe is open when it has a reader.
    return await unlessInterrupted(create(path), interrupt);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    const message = `${path}: cannot create: ${reasonOf(error)}`;
    throw new IoError(message, { cause: error });
  }
}

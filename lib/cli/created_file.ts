/** Opening output files. */

import type { Surroundings } from "./context.ts";
import { Interrupted } from "./endings.ts";
import { unlessInterrupted } from "./input.ts";
import { Output } from "./output.ts";
import { cannot } from "./reasons.ts";

/** Opens a file for writing: truncates it, or appends to it. */
export async function createFile(
  path: string,
  context: Pick<Surroundings, "create" | "interrupt" | "pause">,
  options?: { readonly isAppending?: boolean },
): Promise<Output> {
  const { create, interrupt } = context;
  try {
    // Opening a named pipe waits for a reader.
    const file = await unlessInterrupted(create(path, options), interrupt);
    return new Output(file, path, context);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    throw cannot("create", path, error);
  }
}

/** Writes a text to a file: replaces its content, or appends to it. */
export async function writeFile(
  path: string,
  text: string,
  process: Surroundings,
  options?: { readonly isAppending?: boolean },
): Promise<void> {
  const output = await createFile(path, process, options);
  try {
    await output.writeText(text);
  } finally {
    output.close();
  }
}

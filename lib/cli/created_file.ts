/** Output files. */

import type { FailureView } from "../lines/failures.ts";
import type { Surroundings } from "./context.ts";
import { ClosedOutput } from "./endings.ts";
import { unlessInterrupted } from "./input.ts";
import { Gathered, Output } from "./output.ts";
import { cannot } from "./reasons.ts";

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
    if (error === interrupt.reason) throw error;
    throw cannot("create", path, error);
  }
}

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

/** The file of `--errors-to`: buffers the records of failed lines, and writes them in blocks. */
export class ErrorFile {
  readonly #file: Output;
  readonly #records = new Gathered();

  constructor(file: Output) {
    this.#file = file;
  }

  /** Adds a failed line, at its place in its own file if the input joins several files. */
  add(
    failed: FailureView,
    at?: { readonly line: number; readonly offset: number },
  ): void {
    this.#records.add(failed.encode(at));
    this.#records.addText("\n");
  }

  async flush(): Promise<void> {
    try {
      await this.#records.writeTo(this.#file);
    } catch (error) {
      // The file can be a pipe whose reader closed it: the work goes on.
      if (!(error instanceof ClosedOutput)) throw error;
    }
  }

  close(): void {
    this.#file.close();
  }
}

/** The file of `--errors-to`. */

import type { FailureView } from "../pipeline/pipeline.ts";
import type { Surroundings } from "./context.ts";
import { createFile } from "./created_file.ts";
import { ClosedOutput } from "./endings.ts";
import { Gathered, type Output } from "./output.ts";

const LINE_END = new Uint8Array([0x0a]);

/** Buffers the records of failed lines, and writes them in blocks. */
export class ErrorFile {
  readonly #file: Output;
  readonly #records = new Gathered();

  private constructor(file: Output) {
    this.#file = file;
  }

  static async create(path: string, context: Surroundings): Promise<ErrorFile> {
    return new ErrorFile(await createFile(path, context));
  }

  /** Adds a failed line, at its place in its own file if the input joins several files. */
  add(
    failed: FailureView,
    at?: { readonly line: number; readonly offset: number },
  ): void {
    this.#records.add(failed.encode(at));
    this.#records.add(LINE_END);
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

/** The file that failed lines are kept in. */

import type { FailureView } from "../pipeline/pipeline.ts";
import type { FileSink, Surroundings } from "./context.ts";
import { createFile } from "./created_file.ts";
import { ClosedOutput } from "./endings.ts";
import { Gathered, Output } from "./output.ts";

const LINE_END = new Uint8Array([0x0a]);

/** Gathers the records of failed lines, and writes them a block at a time. */
export class ErrorFile {
  readonly #file: FileSink;
  readonly #output: Output;
  readonly #records = new Gathered();

  private constructor(file: FileSink, path: string, context: Surroundings) {
    this.#file = file;
    this.#output = new Output(file, path, context);
  }

  /** Opens a file, emptied. */
  static async create(path: string, context: Surroundings): Promise<ErrorFile> {
    return new ErrorFile(await createFile(path, context), path, context);
  }

  /** Adds a failed line, which is at a place of its own if several files are one input. */
  add(
    failed: FailureView,
    at?: { readonly line: number; readonly offset: number },
  ): void {
    this.#records.add(failed.encode(at));
    this.#records.add(LINE_END);
  }

  /** Writes what has been added. */
  async flush(): Promise<void> {
    try {
      await this.#records.writeTo(this.#output);
    } catch (error) {
      // A pipe whose reader has enough: that is no reason to end.
      if (!(error instanceof ClosedOutput)) throw error;
    }
  }

  /** Ends the file. */
  close(): void {
    this.#file.close();
  }
}

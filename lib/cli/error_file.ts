/**
 * The file that failed lines are kept in.
 */

import { encodeOutcome, type FailedLine } from "../../mod.ts";
import type { Sink } from "./io.ts";

/** Gathers the records of failed lines, and writes them with the answers to the others. */
export class ErrorFile {
  readonly #sink: Sink;
  #records: Uint8Array[] = [];

  /** Constructs a new instance. */
  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Adds a failed line. */
  add(failed: FailedLine): void {
    this.#records.push(encodeOutcome(failed.toFailure()));
  }

  /** Writes what has been added. */
  async flush(): Promise<void> {
    const records = this.#records;
    this.#records = [];
    for (const record of records) await this.#sink.write(record);
  }

  /** Ends the file. */
  close(): void {
    this.#sink.close();
  }
}

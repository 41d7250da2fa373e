/** Writes to the index what was read of many files at once. */

import type { FileUpdate, IndexWriter, OnStep } from "./_index_writer.ts";
import type { SessionFile } from "./session_files.ts";
import type { SessionIndexDatabase } from "./session_index_database.ts";

/** What can have become of a file. */
export type Count = "added" | "grown" | "changed" | "moved" | "removed";

/** What was read and is not yet written. */
interface Waiting {
  readonly update: FileUpdate;
  readonly count: Count;
}

/** How an {@linkcode IndexBatch} writes. */
export interface IndexBatchOptions {
  readonly database: SessionIndexDatabase;
  readonly writer: IndexWriter;
  /** Is told of each step of what is written. */
  readonly onStep: OnStep;
  /** How many files are written at once at most. */
  readonly maxFiles: number;
  /** Takes what became of the files that were written. */
  readonly counts: Record<Count, number>;
  /** Is asked whether to stop while another process writes. */
  readonly shouldStop: () => boolean;
  /** Is told that another process has written about a file first. */
  readonly onOvertaken: () => void;
}

/** How much text is written at once: others wait as long as that takes. */
const MAX_UNITS = 4 << 20;

/** Gathers what was read of files, and writes it together. */
export class IndexBatch {
  readonly #options: IndexBatchOptions;
  #waiting: Waiting[] = [];
  #waitingUnits = 0;
  /** Whether another process does the same, and is faster. */
  isBehind = false;

  /** Constructs a new instance. */
  constructor(options: IndexBatchOptions) {
    this.#options = options;
  }

  /** The files that were read and are not written yet. */
  get waiting(): readonly SessionFile[] {
    return this.#waiting.map(({ update }) => update.file);
  }

  /** Writes what was read of a file, now or with others. */
  async add(count: Count, update: FileUpdate): Promise<void> {
    this.#waiting.push({ update, count });
    for (const { text } of update.piece?.messages ?? []) {
      this.#waitingUnits += text.length;
    }
    if (
      this.#waitingUnits > MAX_UNITS ||
      this.#waiting.length >= this.#options.maxFiles
    ) await this.flush();
  }

  /**
   * Writes what waits.
   *
   * @throws {StoppedWaiting} If another process writes, and it was to stop.
   */
  async flush(): Promise<void> {
    const { database, writer, onStep, counts, shouldStop, onOvertaken } =
      this.#options;
    // FTS5 writes out what it has gathered whenever a number is lower than the one before.
    const waiting = this.#waiting.sort((a, b) =>
      writer.numberOf(a.update) - writer.numberOf(b.update)
    );
    if (waiting.length === 0) return;
    const written = await database.transaction(
      () => waiting.filter(({ update }) => writer.write(update) !== undefined),
      shouldStop,
    );
    this.#waiting = [];
    this.#waitingUnits = 0;
    onStep("committed");
    for (const { count } of written) counts[count] += 1;
    if (written.length < waiting.length) onOvertaken();
    this.isBehind ||= 2 * written.length < waiting.length;
  }
}

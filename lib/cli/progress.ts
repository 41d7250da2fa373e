/**
 * How far long work is, for the person who waits for it.
 */

import { ClosedOutput, IoError } from "./endings.ts";
import { escapeControls } from "./escape.ts";
import type { Output } from "./output.ts";

/** How long work takes before it is worth a word, in milliseconds. */
const PATIENCE = 500;
/** How often what is said changes, in milliseconds. */
const PERIOD = 100;
/** The width of a terminal that does not tell. */
const WIDTH = 80;
/** Goes to the start of the line and empties it. */
const ERASE = "\r\x1b[2K";

const ENCODER = new TextEncoder();

/** What progress is shown on. */
export interface ProgressOptions {
  /** Takes what is shown. */
  readonly output: Output;
  /** Whether a person looks at it. */
  readonly isTerminal: boolean;
  /** The width of the terminal. */
  columns(): number | undefined;
  /** The clock, in milliseconds. */
  now(): number;
}

/** One line on a terminal that says how far long work is, and is gone when it is done. */
export class Progress {
  readonly #options: ProgressOptions;
  #start: number | undefined;
  #shown: number | undefined;
  /** Whether the work says how far it is. */
  #isTold = false;

  /** Constructs a new instance. */
  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /**
   * Says how far the work is, if it has taken a while and a person looks on.
   *
   * @param text Makes the text; it is asked only if it is shown.
   */
  async update(text: () => string): Promise<void> {
    this.#isTold = true;
    await this.#update(text);
  }

  /**
   * Says how far a file has been read, unless the work itself says how far it is.
   *
   * @param read What has been read of it, and its size, in bytes.
   */
  async reading(
    read: { readonly bytes: number; readonly size: number },
  ): Promise<void> {
    if (this.#isTold || read.size === 0) return;
    await this.#update((elapsed) => {
      const share = Math.min(1, read.bytes / read.size);
      const left = Math.ceil(
        elapsed * (1 - share) / Math.max(share, 0.001) / 1_000,
      );
      return `Reading: ${Math.floor(100 * share)} %, ${left} s left`;
    });
  }

  async #update(text: (elapsed: number) => string): Promise<void> {
    const { isTerminal, now, columns } = this.#options;
    if (!isTerminal) return;
    const time = now();
    this.#start ??= time;
    if (time - this.#start < PATIENCE) return;
    if (this.#shown !== undefined && time - this.#shown < PERIOD) return;
    this.#shown = time;
    const width = (columns() ?? WIDTH) - 1;
    await this.#write(
      ERASE + escapeControls(text(time - this.#start)).slice(0, width),
    );
  }

  /** Takes away what is shown: the work is done, or something else is to be said. */
  async clear(): Promise<void> {
    this.#start = undefined;
    if (this.#shown === undefined) return;
    this.#shown = undefined;
    await this.#write(ERASE);
  }

  /** If it cannot be shown, the work goes on all the same. */
  async #write(text: string): Promise<void> {
    try {
      await this.#options.output.write(ENCODER.encode(text));
    } catch (error) {
      const isExpected = error instanceof ClosedOutput ||
        error instanceof IoError;
      if (!isExpected) throw error;
    }
  }
}

/** The progress line on a terminal. */

import type { RunningWork } from "../render/text.ts";
import type { RunContext } from "./context.ts";
import { isWriteError } from "./endings.ts";
import { escapeControls } from "./escape.ts";
import type { Output } from "./output.ts";
import { COLUMNS } from "./terminal.ts";

/** The duration of work after which progress is shown, in milliseconds. */
const PATIENCE = 500;

/** The interval between updates, in milliseconds. */
const PERIOD = 100;

/** Moves to the start of the line and erases it. */
const ERASE = "\r\x1b[2K";

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** The terminal and the clock of a progress line. */
export interface ProgressOptions
  extends Pick<RunContext, "columns" | "now" | "every"> {
  /** The output of the terminal. */
  readonly output: Output;
  /** Whether it is a terminal; otherwise nothing is shown. */
  readonly isTerminal: boolean;
}

/** One line on a terminal that shows the progress of long work, and is erased at its end. */
export class Progress {
  readonly #options: ProgressOptions;
  #start: number | undefined;
  #shown: number | undefined;
  /** Whether the work reports its own progress, with `update`. */
  #hasUpdates = false;
  /** Stops the timer of {@linkcode Progress.watch}. */
  #stop = (): void => {};
  /** The last write; the next one waits for it, since the timer writes too. */
  #written = Promise.resolve();

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /**
   * Shows the progress of the work, if it has taken a while.
   *
   * @param text Returns the text; called only if it is shown.
   */
  async update(text: () => string): Promise<void> {
    this.#hasUpdates = true;
    await this.#update(text);
  }

  /**
   * Shows how much of a file has been read, unless the work reports its own progress.
   *
   * @param read The number of bytes read, and the size of the file.
   */
  async reading(
    read: { readonly bytes: number; readonly size: number },
  ): Promise<void> {
    if (this.#hasUpdates || read.size === 0) return;
    await this.#update((elapsed) => {
      const share = Math.min(1, read.bytes / read.size);
      const left = Math.ceil(
        elapsed * (1 - share) / Math.max(share, 0.001) / 1_000,
      );
      return `Reading: ${Math.floor(100 * share)} %, ${left} s left`;
    });
  }

  /**
   * Shows the running call and its duration, from a timer, while nothing is written.
   *
   * @param running Returns the running call; without it, the timer is stopped.
   */
  watch(running?: () => RunningWork | undefined): void {
    this.#stop();
    this.#stop = (): void => {};
    if (running === undefined || !this.#options.isTerminal) return;
    const { every, now } = this.#options;
    let work: RunningWork | undefined;
    let start = now();
    this.#stop = every(PERIOD, () => {
      const last = work;
      work = running();
      if (work !== last) start = now();
      if (work === undefined) return;
      void this.#showRunning(work, now() - start);
    });
  }

  async #showRunning({ title }: RunningWork, elapsed: number): Promise<void> {
    // Loaded here, since few runs on a terminal take long: the others start faster.
    const [{ durationText }, { TextRuler }] = await Promise.all([
      import("../render/quantity_text.ts"),
      import("./text_ruler.ts"),
    ]);
    const { columns } = this.#options;
    const frame = FRAMES[Math.floor(elapsed / PERIOD) % FRAMES.length] ?? "";
    const time = durationText(1_000 * Math.floor(elapsed / 1_000))
      .replace(/^0ms$/, "0s").replace(".0s", "s");
    const around = `${frame}  · ${time}`.length;
    const ruler = await TextRuler.for([title, "…"]);
    const shown = ruler.fitted(
      title,
      (columns() ?? COLUMNS) - 1 - around,
      "end",
    );
    await this.update(() => `${frame} ${shown} · ${time}`);
  }

  async #update(text: (elapsed: number) => string): Promise<void> {
    const { isTerminal, now, columns } = this.#options;
    if (!isTerminal) return;
    const time = now();
    this.#start ??= time;
    if (time - this.#start < PATIENCE) return;
    if (this.#shown !== undefined && time - this.#shown < PERIOD) return;
    this.#shown = time;
    const width = (columns() ?? COLUMNS) - 1;
    await this.#write(
      ERASE + escapeControls(text(time - this.#start)).slice(0, width),
    );
  }

  /** Erases the line: the work is done, or other output follows. */
  async clear(): Promise<void> {
    this.#start = undefined;
    if (this.#shown === undefined) return;
    this.#shown = undefined;
    await this.#write(ERASE);
  }

  /** Writes to the terminal; a failed write does not end the work. */
  #write(text: string): Promise<void> {
    return this.#written = this.#written.then(() => this.#writeNow(text));
  }

  async #writeNow(text: string): Promise<void> {
    try {
      await this.#options.output.writeText(text);
    } catch (error) {
      if (!isWriteError(error)) throw error;
    }
  }
}

/** How far long work is, for the person who waits for it. */

import type { RunningWork } from "../render/text.ts";
import type { RunContext } from "./context.ts";
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

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** What progress is shown on. */
export interface ProgressOptions
  extends Pick<RunContext, "columns" | "now" | "every"> {
  /** Takes what is shown. */
  readonly output: Output;
  /** Whether a person looks at it. */
  readonly isTerminal: boolean;
}

/** One line on a terminal that says how far long work is, and is gone when it is done. */
export class Progress {
  readonly #options: ProgressOptions;
  #start: number | undefined;
  #shown: number | undefined;
  /** Whether the work says how far it is. */
  #isTold = false;
  /** Ends what {@linkcode Progress.watch} began. */
  #stop = (): void => {};
  /** Writes follow one another, also those of the clock. */
  #written = Promise.resolve();

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

  /**
   * Shows what runs, and for how long it has, whenever nothing was written for a while.
   *
   * @param running Is asked what runs; nothing does any more without it.
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
    // Few runs last so long and are watched: the others start without.
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
    const shown = ruler.fitted(title, (columns() ?? WIDTH) - 1 - around, "end");
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
  #write(text: string): Promise<void> {
    return this.#written = this.#written.then(() => this.#writeNow(text));
  }

  async #writeNow(text: string): Promise<void> {
    try {
      await this.#options.output.writeText(text);
    } catch (error) {
      const isExpected = error instanceof ClosedOutput ||
        error instanceof IoError;
      if (!isExpected) throw error;
    }
  }
}

/** The progress line on a terminal. */

import type { RunningWork } from "../render/text.ts";
import type { RunContext } from "./context.ts";
import { isWriteError } from "./endings.ts";
import { escapeControls } from "./escape.ts";
import type { Output } from "./output.ts";

/** The width of a terminal whose width is unknown, in columns. */
export const COLUMNS = 80;

/** The height of a terminal whose height is unknown, in lines. */
export const ROWS = 24;

/** Erases the screen from the cursor on. */
export const ERASE_BELOW = "\x1b[J";

/** The duration of work after which progress is shown, in milliseconds. */
const PATIENCE = 500;

/** The interval between updates, in milliseconds. */
const PERIOD = 100;

/** Moves to the start of the line and erases it. */
const ERASE = "\r\x1b[2K";

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** One line on a terminal that shows the progress of long work, and is erased at its end. */
export class Progress {
  readonly #output: Output;
  readonly #context: Pick<RunContext, "columns" | "now" | "every">;
  readonly #isShown: () => boolean;
  #start: number | undefined;
  #shown: number | undefined;
  /** Whether the work reports its own progress, with `update`. */
  #hasUpdates = false;
  /** Stops the timer of {@linkcode Progress.watch}. */
  #stop = (): void => {};
  /** The last write; the next one waits for it, since the timer writes too. */
  #written = Promise.resolve();

  /** @param isShown Whether the output is a terminal that nothing else uses. */
  constructor(
    output: Output,
    context: Pick<RunContext, "columns" | "now" | "every">,
    isShown: () => boolean,
  ) {
    this.#output = output;
    this.#context = context;
    this.#isShown = isShown;
  }

  /** Shows the progress of work that has taken a while; its text is made only then. */
  async update(text: () => string): Promise<void> {
    this.#hasUpdates = true;
    await this.#update(text);
  }

  /** Shows how many things are done: `Reading sessions: 3 of 1,200`. */
  async count(
    title: string,
    done: number,
    total: number,
    noun = "",
  ): Promise<void> {
    if (!this.#isShown()) return;
    const { countText } = await import("../render/quantity_text.ts");
    await this.update(() =>
      `${title}: ${countText(done)} of ${countText(total)} ${noun}`.trimEnd()
    );
  }

  /** Shows how many bytes of a file have been read, unless the work reports its own progress. */
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

  /** Shows the running call and its duration, from a timer, until called without `running`. */
  watch(running?: () => RunningWork | undefined): void {
    this.#stop();
    this.#stop = (): void => {};
    if (running === undefined || !this.#isShown()) return;
    let work: RunningWork | undefined;
    let start = this.#context.now();
    this.#stop = this.#context.every(PERIOD, () => {
      const last = work;
      work = running();
      const now = this.#context.now();
      if (work !== last) start = now;
      if (work !== undefined) void this.#showRunning(work, now - start);
    });
  }

  async #showRunning({ title }: RunningWork, elapsed: number): Promise<void> {
    // Loaded here, since few runs on a terminal take long: the others start faster.
    const [{ durationText }, { TextRuler }] = await Promise.all([
      import("../render/quantity_text.ts"),
      import("./text_ruler.ts"),
    ]);
    const frame = FRAMES[Math.floor(elapsed / PERIOD) % FRAMES.length] ?? "";
    const seconds = Math.floor(elapsed / 1_000);
    const time = seconds < 60 ? `${seconds}s` : durationText(1_000 * seconds);
    const around = `${frame}  · ${time}`.length;
    const ruler = await TextRuler.for([title, "…"]);
    const shown = ruler.fitted(title, this.#width - around);
    await this.update(() => `${frame} ${shown} · ${time}`);
  }

  async #update(text: (elapsed: number) => string): Promise<void> {
    if (!this.#isShown()) return;
    const time = this.#context.now();
    this.#start ??= time;
    if (time - this.#start < PATIENCE) return;
    if (this.#shown !== undefined && time - this.#shown < PERIOD) return;
    this.#shown = time;
    const shown = escapeControls(text(time - this.#start));
    await this.#write(ERASE + shown.slice(0, this.#width));
  }

  get #width(): number {
    return (this.#context.columns() ?? COLUMNS) - 1;
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
    return this.#written = this.#written.then(async () => {
      try {
        await this.#output.writeText(text);
      } catch (error) {
        if (!isWriteError(error)) throw error;
      }
    });
  }
}

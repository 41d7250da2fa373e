/** Waiting until a file may have changed. */

import type { FSWatcher } from "node:fs";
import { checkedCount } from "../checked.ts";

/** Knows when it is time to look at a file again. */
export interface ChangeWaiter {
  /**
   * Waits until the file may have changed, or something may have come under its name.
   * Waking up for nothing costs a look and does no harm.
   *
   * @param path The file; there may be nothing.
   * @param signal Ends the waiting.
   */
  wait(path: string, signal: AbortSignal): Promise<void>;
  /**
   * What the platform has told since this was asked last, if it tells: the paths, and whether what
   * wrote there has closed the file.
   */
  told?(): ReadonlyMap<string, { readonly isClosed: boolean }>;
  /** Gives back what waiting needs; safe to call twice. */
  close(): void;
}

/** Options for {@linkcode FileChanges}. */
export interface FileChangesOptions {
  /**
   * After how many milliseconds a look is due whatever the platform says.
   *
   * @default {200}
   */
  readonly pollMs?: number | undefined;
}

/**
 * Waits for what the platform tells about a file, and looks anyway after a while: not every
 * file system tells (network drives, containers), none tells everything, and a watch is
 * lost when a file is replaced.
 *
 * @example Wait until a signal ends it
 * ```ts
 * import { FileChanges } from "@codexpipe/codexpipe/files";
 * import { assert } from "@std/assert";
 *
 * const changes = new FileChanges();
 * const end = new AbortController();
 * const waiting = changes.wait("deno.json", end.signal);
 * end.abort();
 * await waiting;
 * changes.close();
 *
 * assert(end.signal.aborted);
 * ```
 */
export class FileChanges implements ChangeWaiter {
  readonly #pollMs: number;
  #watcher: { readonly path: string; readonly inner: FSWatcher } | undefined;
  #hasChanged = false;
  #wake: () => void = () => {};
  /** How often nothing was heard of the watch. */
  #silences = 0;
  #isClosed = false;

  /**
   * Constructs a new instance.
   *
   * @param options How long to wait at most.
   * @throws {RangeError} If that is no whole number from 0.
   */
  constructor(options: FileChangesOptions = {}) {
    const { pollMs = POLL_MS } = options;
    this.#pollMs = Math.min(checkedCount("pollMs", pollMs), MAX_TIMEOUT_MS);
  }

  /**
   * Waits until the file may have changed.
   *
   * @param path The file; there may be nothing.
   * @param signal Ends the waiting.
   */
  async wait(path: string, signal: AbortSignal): Promise<void> {
    await this.#watch(path);
    if (this.#isClosed) return this.#unwatch();
    if (!this.#hasChanged && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          this.#silences += 1;
          resolve();
        }, this.#pollMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener("abort", this.#wake, { once: true });
      }).finally(() => signal.removeEventListener("abort", this.#wake));
    }
    this.#hasChanged = false;
  }

  /** Gives back what waiting needs; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    this.#wake();
  }

  async #watch(path: string): Promise<void> {
    const isStale = this.#silences >= MAX_SILENCES;
    if (this.#watcher?.path === path && !isStale) return;
    this.#unwatch();
    const { watch } = await import("node:fs");
    try {
      const inner = watch(path, { persistent: false }, (event) => {
        // The watch may have gone away with the file.
        if (event === "rename") this.#unwatch();
        this.#changed();
      });
      inner.on("error", () => this.#unwatch());
      this.#watcher = { path, inner };
    } catch {
      // Nothing is there, or the platform has no watch to spare: the clock is left.
    }
  }

  #changed(): void {
    this.#silences = 0;
    this.#hasChanged = true;
    this.#wake();
  }

  #unwatch(): void {
    this.#watcher?.inner.close();
    this.#watcher = undefined;
    this.#silences = 0;
  }
}

const POLL_MS = 200;
/** What is longer is no time at all to a timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** After how many silences a watch is made anew, in case it is one of a file that is gone. */
const MAX_SILENCES = 10;

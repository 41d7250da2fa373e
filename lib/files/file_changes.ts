/** Waits until a file may have changed. */

import type { FSWatcher } from "node:fs";
import { checkedCount } from "../checked.ts";

/** Waits for changes of files. */
export interface ChangeWaiter {
  /**
   * Waits until the file may have changed, or another file may have taken its name. It may return
   * without a change: the caller then looks once more than needed.
   *
   * @param path The path of the file, which need not exist.
   * @param signal Ends the waiting.
   */
  wait(path: string, signal: AbortSignal): Promise<void>;
  /**
   * The paths that the platform has reported since the last call, each with whether its writer has
   * closed the file. Missing if the platform does not report paths.
   */
  told?(): ReadonlyMap<string, { readonly isClosed: boolean }>;
  /** Releases the watch. Idempotent. */
  close(): void;
}

/** Options for {@linkcode FileChanges}. */
export interface FileChangesOptions {
  /**
   * After how many milliseconds {@linkcode FileChanges.wait} returns without a report of the
   * platform.
   *
   * @default {200}
   */
  readonly pollMs?: number | undefined;
}

/**
 * Waits for the platform to report a change of a file, and at most `pollMs`: some file systems
 * report nothing (network drives, containers), none reports everything, and a watch is lost when a
 * file is replaced.
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
  #isClosed = false;

  /**
   * Constructs a new instance.
   *
   * @param options The longest wait.
   * @throws {RangeError} If `pollMs` is not a whole number from 0.
   */
  constructor(options: FileChangesOptions = {}) {
    const { pollMs = POLL_MS } = options;
    this.#pollMs = Math.min(checkedCount("pollMs", pollMs), MAX_TIMEOUT_MS);
  }

  /**
   * Waits until the file may have changed.
   *
   * @param path The path of the file, which need not exist.
   * @param signal Ends the waiting.
   */
  async wait(path: string, signal: AbortSignal): Promise<void> {
    await this.#watch(path);
    if (this.#isClosed) return this.#unwatch();
    if (!this.#hasChanged) {
      await until(this.#pollMs, signal, (wake) => this.#wake = wake);
    }
    this.#hasChanged = false;
  }

  /** Closes the watch and ends a wait. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    this.#wake();
  }

  async #watch(path: string): Promise<void> {
    if (this.#watcher?.path === path) return;
    this.#unwatch();
    const { watch } = await import("node:fs");
    try {
      const inner = watch(path, { persistent: false }, (event) => {
        // A renamed or removed file may have taken the watch with it.
        if (event === "rename") this.#unwatch();
        this.#hasChanged = true;
        this.#wake();
      });
      inner.on("error", () => this.#unwatch());
      this.#watcher = { path, inner };
    } catch {
      // The file does not exist, or the platform has no watch left: the timer alone ends the wait.
    }
  }

  #unwatch(): void {
    this.#watcher?.inner.close();
    this.#watcher = undefined;
  }
}

const POLL_MS = 200;
/** The longest time of a timer: a longer one fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Waits until the time has passed, the signal is aborted, or what `onWait` got is called. */
export async function until(
  ms: number,
  signal: AbortSignal,
  onWait: (wake: () => void) => void,
): Promise<void> {
  if (signal.aborted) return;
  let wake = (): void => {};
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", wake);
    onWait(wake);
  });
  // Otherwise each wait would leave a listener on the signal.
  signal.removeEventListener("abort", wake);
}

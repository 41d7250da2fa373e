/** Waiting for other processes that keep an index busy. */

import { isBusy } from "./_index_damage.ts";
import { SessionIndexError } from "./session_index_error.ts";

/** How to wait for others. */
export interface IndexWaiting {
  readonly path: string;
  /** Is called before each try but the first, and waited for. */
  readonly onBusy?: ((waited: number) => void | Promise<void>) | undefined;
  /** Is asked whether to wait no longer. */
  readonly shouldStop?: (() => boolean) | undefined;
}

/** The others are not waited for any more. */
export class StoppedWaiting extends Error {
  override readonly name = "StoppedWaiting";
}

/** How long others may keep the index busy, in milliseconds. */
const PATIENCE = 30_000;
/** How long to wait before it is tried again, in milliseconds. */
const PAUSE = 50;

/**
 * Does something as soon as others let it.
 *
 * @param work What to do; it is called again as long as the index is busy.
 * @throws {SessionIndexError} If the others take too long.
 * @throws {StoppedWaiting} If it is to stop.
 */
export async function whenFree<T>(
  work: () => T,
  { path, onBusy = pause, shouldStop = () => false }: IndexWaiting,
): Promise<T> {
  let start: number | undefined;
  for (;;) {
    try {
      return work();
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      if (shouldStop()) throw new StoppedWaiting();
      const now = performance.now();
      start ??= now;
      if (now - start >= PATIENCE) {
        throw new SessionIndexError("busy", path, { cause });
      }
      await onBusy(now - start);
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}

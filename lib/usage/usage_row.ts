/**
 * What was used, in the smallest parts that are told apart.
 *
 * @module
 */

import type { Tokens } from "./tokens.ts";

/** What one turn used on one day, of one model, in one directory. */
export interface UsageRow extends Tokens {
  /** The name of the file or stream that says so. */
  readonly source: string;
  /**
   * The thread; `synthetic-thread-N` where a release names none (up to 0.42), null in a
   * stream without its beginning.
   */
  readonly thread_id: string | null;
  /** The thread that spawned it, if it is a sub-agent. */
  readonly parent_thread_id: string | null;
  /** The turn; `synthetic-turn-N` where a release names none, null where none is known. */
  readonly turn_id: string | null;
  /** The model; null if nothing says it, as in exec streams since 0.44. */
  readonly model: string | null;
  /** The working directory; null if nothing says it, as in exec streams since 0.44. */
  readonly cwd: string | null;
  /** The day, `YYYY-MM-DD`; null if nothing says it, as in exec streams. */
  readonly day: string | null;
}

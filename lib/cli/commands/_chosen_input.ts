/** What commands read that read files or a Codex home, wherever it is from. */

import type { Input } from "../input.ts";
import type { JobInput } from "../jobs.ts";

/** Something to read. */
export interface ChosenInput extends JobInput {
  /** Its name from the Codex home on, if it was found in one: that says nothing of whose it is. */
  readonly place?: string;
}

/** What there is to read. */
export interface ChosenInputs {
  /** Whether it is all of a Codex home. */
  readonly isHome: boolean;
  /** The files and streams, those of a home from the oldest on. */
  readonly inputs: readonly ChosenInput[];
  /** Whether something could not be looked at; it has been said. */
  readonly isIncomplete: boolean;
  /** Opens one of them; the one before must have been read. */
  open(input: ChosenInput): Promise<Input>;
}

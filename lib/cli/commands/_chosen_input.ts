/**
 * What commands read that read files or a Codex home, wherever it is from.
 */

import type { Input } from "../input.ts";

/** Something to read. */
export interface ChosenInput {
  /** Its name. */
  readonly name: string;
  /** Its name from the Codex home on, if it is of one: that says nothing of whose it is. */
  readonly place?: string;
  /**
   * Opens it.
   *
   * @throws {IoError} If it cannot be opened.
   */
  open(): Promise<Input>;
}

/** What there is to read. */
export interface ChosenInputs {
  /** Whether it is all of a Codex home. */
  readonly isHome: boolean;
  /** The files and streams, those of a home from the oldest on. */
  readonly inputs: readonly ChosenInput[];
  /** Whether something could not be looked at; it has been said. */
  readonly isIncomplete: boolean;
}

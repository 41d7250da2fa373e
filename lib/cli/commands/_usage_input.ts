/**
 * What `codexpipe usage` reads, wherever it is from.
 */

import type { Input } from "../input.ts";

/** Something to read. */
export interface UsageInput {
  /** Its name. */
  readonly name: string;
  /**
   * Opens it.
   *
   * @throws {IoError} If it cannot be opened.
   */
  open(): Promise<Input>;
}

/** What there is to read. */
export interface UsageInputs {
  /** Whether it is all of a Codex home. */
  readonly isHome: boolean;
  /** The files and streams, those of a home from the oldest on. */
  readonly inputs: readonly UsageInput[];
  /** Whether something could not be looked at; it has been said. */
  readonly isIncomplete: boolean;
}

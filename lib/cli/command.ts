/**
 * What every command is.
 */

import type { Arguments } from "./arguments.ts";
import type { Surroundings } from "./context.ts";
import type { Diagnostics } from "./diagnostics.ts";
import type { FlagName } from "./flags.ts";
import type { Output } from "./output.ts";

/** What a command works with. */
export interface CommandContext {
  /** The process. */
  readonly process: Surroundings;
  /** Where data goes, and nothing else. */
  readonly stdout: Output;
  /** Where diagnostics go. */
  readonly diagnostics: Diagnostics;
}

/** One command. */
export interface Command {
  /** Its name. */
  readonly name: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** What else there is to say. */
  readonly details: string;
  /** How it is called. */
  readonly usage: readonly string[];
  /** What it takes beside flags: the name, and what it is. */
  readonly operands: readonly (readonly [string, string])[];
  /** The flags that it has beside those of all commands. */
  readonly flags: readonly FlagName[];
  /** Loads its code. */
  load(): Promise<{ readonly run: RunCommand }>;
}

/**
 * Does the work of a command.
 *
 * @param args What it was called with, without its name.
 * @param context What it works with.
 * @returns The exit status.
 */
export type RunCommand = (
  args: Arguments,
  context: CommandContext,
) => Promise<number>;

/** The types of commands and of what they work with. */

import type { Arguments } from "./arguments.ts";
import type { Surroundings } from "./context.ts";
import type { Diagnostics } from "./diagnostics.ts";
import type { FlagName, flagsOf, NarrowedFlag } from "./flags.ts";
import type { Output } from "./output.ts";
import type { Paging } from "./paging.ts";
import type { Progress } from "./progress.ts";
import type { TextStyle } from "../render/text_style.ts";

/** The process, the outputs and the tables that a command works with. */
export interface CommandContext {
  readonly process: Surroundings;
  /** What it was called with, all of it. */
  readonly words: readonly string[];
  /** Where data goes, and nothing else; on a terminal, without its control characters. */
  readonly stdout: Output;
  /** Stdout as it is, for what was made to be looked at: in it nothing of a log does anything. */
  readonly screen: Output;
  /** Where diagnostics go. */
  readonly diagnostics: Diagnostics;
  /** Shows on a terminal what is there already a screen at a time, from when it is told to. */
  readonly paging: Pick<Paging, "begin">;
  /** Where long work says how far it is. */
  readonly progress: Progress;
  /** How data is set off when it is shown to a person: colours, or none. */
  readonly style: TextStyle;
  /** All commands and flags. */
  readonly table: CommandTable;
}

export interface Command {
  /** Its name: a word, or two if it belongs to a group. */
  readonly name: string;
  /** A summary in one sentence. */
  readonly summary: string;
  /** The details that the long help adds. */
  readonly details: string;
  readonly usage: readonly string[];
  /** What it takes beside flags: the name, what it is, and which there are if they are few. */
  readonly operands: readonly (readonly [
    name: string,
    what: string,
    choices?: readonly string[],
  ])[];
  /** The flags that it has beside those of all commands. */
  readonly flags: readonly (FlagName | NarrowedFlag)[];
  load(): Promise<{ readonly run: RunCommand }>;
}

/** Some commands that share their first word. */
export interface CommandGroup {
  readonly name: string;
  /** A summary in one sentence. */
  readonly summary: string;
}

export interface CommandTable {
  /** The commands, in the order of the help. */
  readonly commands: readonly Command[];
  /** The first words that several commands share. */
  readonly groups: readonly CommandGroup[];
  /** The flags that every command has. */
  readonly commonFlags: ReturnType<typeof flagsOf>;
}

/**
 * Does the work of a command.
 *
 * @param args What it was called with, without its name.
 */
export type RunCommand = (
  args: Arguments,
  context: CommandContext,
) => Promise<number>;

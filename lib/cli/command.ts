/** What every command is. */

import type { Arguments } from "./arguments.ts";
import type { Surroundings } from "./context.ts";
import type { Diagnostics } from "./diagnostics.ts";
import {
  ALL_FLAGS,
  type Flag,
  type FlagName,
  type FlagValue,
} from "./flags.ts";
import type { Output } from "./output.ts";
import type { Paging } from "./paging.ts";
import type { Progress } from "./progress.ts";
import type { Style } from "./styles.ts";

/** What a command works with. */
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
  readonly style: Style;
  /** What the command line can be. */
  readonly table: CommandTable;
}

/** A flag as one command has it, where it differs from the table. */
export interface NarrowedFlag {
  /** Its name in the table. */
  readonly name: FlagName;
  /** The values that this command takes. */
  readonly choices?: readonly string[];
  /** What holds if it is not given. */
  readonly default?: string;
  /** What it takes here, if that is something else. */
  readonly value?: FlagValue;
  /** What it does here, in one line. */
  readonly summary?: string;
  /** What else there is to say here. */
  readonly details?: string;
}

export interface Command {
  /** Its name: a word, or two if it belongs to a group. */
  readonly name: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** What else there is to say. */
  readonly details: string;
  /** How it is called. */
  readonly usage: readonly string[];
  /** What it takes beside flags: the name, what it is, and which there are if they are few. */
  readonly operands: readonly (readonly [
    name: string,
    what: string,
    choices?: readonly string[],
  ])[];
  /** The flags that it has beside those of all commands. */
  readonly flags: readonly (FlagName | NarrowedFlag)[];
  /** Loads its code. */
  load(): Promise<{ readonly run: RunCommand }>;
}

/** Some commands that share their first word. */
export interface CommandGroup {
  /** The word. */
  readonly name: string;
  /** What they are about, in one sentence. */
  readonly summary: string;
}

/** The commands, and what they share. */
export interface CommandTable {
  /** The commands, in the order of the help. */
  readonly commands: readonly Command[];
  /** The first words that several commands share. */
  readonly groups: readonly CommandGroup[];
  /** The flags that every command has. */
  readonly commonFlags: readonly FlagName[];
}

/**
 * Asks for the flags of a command.
 *
 * @returns Its flags in the order of the table, as this command has them.
 */
export function flagsOf(
  { flags }: Pick<Command, "flags">,
): readonly (Flag & { readonly name: FlagName })[] {
  const uses = new Map(flags.map((use) => [nameOf(use), use]));
  return ALL_FLAGS.flatMap((flag) => {
    const use = uses.get(flag.name);
    if (use === undefined) return [];
    return typeof use === "string" ? [flag] : [narrowed(flag, use)];
  });
}

function nameOf(use: FlagName | NarrowedFlag): FlagName {
  return typeof use === "string" ? use : use.name;
}

function narrowed<F extends Flag>(flag: F, use: NarrowedFlag): F {
  const { summary = flag.summary, details = flag.details } = use;
  if (use.value !== undefined) {
    return { ...flag, summary, details, value: use.value };
  }
  if (flag.value === undefined) return { ...flag, summary, details };
  const { choices, default: fallback } = use;
  const value = {
    ...flag.value,
    ...(choices === undefined ? {} : { choices }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
  return { ...flag, summary, details, value };
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

/** The types of commands and their context. */

import type { Arguments } from "./arguments.ts";
import type { Surroundings } from "./context.ts";
import type { Diagnostics } from "./diagnostics.ts";
import type { Description, FlagName, NarrowedFlag } from "./flags.ts";
import type { Output } from "./output.ts";
import type { Paging } from "./paging.ts";
import type { Progress } from "./progress.ts";
import type { TextStyle } from "../render/text_style.ts";

/** The process, the outputs and the tables that a command works with. */
export interface CommandContext {
  /** The arguments, without the name of the command. */
  readonly args: Arguments;
  readonly process: Surroundings;
  /** All arguments of the process. */
  readonly words: readonly string[];
  /** Stdout for data. On a terminal, control characters are escaped. */
  readonly stdout: Output;
  /** Stdout without escaping, for text whose parts from logs are already escaped. */
  readonly screen: Output;
  /** Whether stdout is a terminal that interprets escape sequences. */
  readonly isLive: boolean;
  /** The width of the terminal in columns; `undefined` if stdout is none: a pipe gets whole lines. */
  width(): number | undefined;
  readonly diagnostics: Diagnostics;
  /** The pager of a terminal; it is used once a command calls `begin`. */
  readonly paging: Paging;
  readonly progress: Progress;
  /** The style of data for people: colours, or none. */
  readonly style: TextStyle;
  /** All commands, for those that write about the command line itself. */
  readonly commands: readonly Command[];
}

export interface Command extends Description {
  /** The name: one word, or two if the command belongs to a group. */
  readonly name: string;
  readonly usage: readonly string[];
  /** The arguments beside flags: placeholder, description, and choices if there is a fixed set. */
  readonly operands: readonly (readonly [
    name: string,
    text: string,
    choices?: readonly string[],
  ])[];
  /** The flags, without the common ones. */
  readonly flags: readonly (FlagName | NarrowedFlag)[];
  load(): Promise<{ readonly run: RunCommand }>;
}

export type CommandGroup = Pick<Command, "name" | "summary">;

/** The only group of commands. */
export const SESSIONS: CommandGroup = {
  name: "sessions",
  summary: "Finds, reads, follows and searches the sessions on this machine.",
};

/** Runs a command, and returns the exit status. */
export type RunCommand = (context: CommandContext) => Promise<number>;

/**
 * The commands, in one table. A command is loaded when it is run.
 */

import type { FlagName } from "./flags.ts";
import type { Io } from "./io.ts";
import type { Arguments } from "./arguments.ts";

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
  /** The flags that it has. */
  readonly flags: readonly FlagName[];
  /** Loads its code. */
  load(): Promise<{
    readonly run: (args: Arguments, io: Io) => Promise<number>;
  }>;
}

/** The commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: "normalize",
    summary:
      "Reads Codex JSONL of any dialect and writes normalized JSONL to stdout.",
    details:
      "Every line that is not blank becomes one record or one failure, in order. What is not rewritten keeps its exact text. .gz and .zst files are read through. Several files are independent streams, written one after the other.",
    usage: [
      "codexpipe normalize [OPTIONS] [FILE ...]",
      'codex exec --json "…" | codexpipe normalize',
    ],
    operands: [["[FILE ...]", 'Input files; "-" or none reads stdin.']],
    flags: [
      "from",
      "max-line-bytes",
      "thread-id",
      "turn-id",
      "on-error",
      "errors-to",
      "strict",
      "line-buffered",
      "color",
      "quiet",
      "verbose",
      "help",
      "version",
    ],
    load: () => import("./commands/normalize.ts"),
  },
];

/**
 * The commands, in one table. A command is loaded when it is run.
 */

import { JSON_SCHEMA_NAMES } from "../schema_names.ts";
import type { Command, CommandGroup } from "./command.ts";
import { SHELLS } from "./completions/shells.ts";
import type { FlagName } from "./flags.ts";

/** The flags that every command has. */
export const COMMON_FLAGS: readonly FlagName[] = ["color", "help", "version"];

/** The first words that several commands share. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    name: "sessions",
    summary: "Finds, reads, follows and searches the sessions on this machine.",
  },
];

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
      "engine",
      "quiet",
      "verbose",
    ],
    load: () => import("./commands/normalize.ts"),
  },
  {
    name: "history",
    summary:
      "Folds a stream or session file into the history that a reader sees.",
    details:
      "Prints a HistoryState snapshot: the messages, commands, patches, plans and tool calls of a session, each once and in order. Reads exec streams, session files, and snapshots in either layout, which are printed in the contract's. Several files are independent: one snapshot each.",
    usage: [
      "codexpipe history [OPTIONS] [FILE ...]",
      'codex exec --json "…" | codexpipe history --mutations',
    ],
    operands: [["[FILE ...]", 'Input files; "-" or none reads stdin.']],
    flags: [
      "from",
      "max-line-bytes",
      "thread-id",
      "turn-id",
      "restore",
      "stamp",
      "strict",
      "mutations",
      "checkpoint",
      "pretty",
      "quiet",
      "verbose",
    ],
    load: () => import("./commands/history.ts"),
  },
  {
    name: "schema",
    summary: "Prints the JSON Schema of what codexpipe writes.",
    details:
      "ThreadEvent: a line of a normalized exec stream. RolloutLine: a line of a normalized session file. LineFailed: the record of a failed line. HistorySnapshot, HistoryMutation: what history prints. Without NAME, one schema of all of them. JSON Schema 2020-12; fields that it does not name are let through.",
    usage: ["codexpipe schema [NAME]"],
    operands: [[
      "[NAME]",
      `${JSON_SCHEMA_NAMES.slice(0, -1).join(", ")} or ${
        JSON_SCHEMA_NAMES.at(-1)
      }.`,
      JSON_SCHEMA_NAMES,
    ]],
    flags: [],
    load: () => import("./commands/schema.ts"),
  },
  {
    name: "completions",
    summary: "Prints the script that completes command lines in a shell.",
    details:
      "For bash: `source <(codexpipe completions bash)` in ~/.bashrc. For zsh: `source <(codexpipe completions zsh)` in ~/.zshrc, after compinit. For fish: `codexpipe completions fish > ~/.config/fish/completions/codexpipe.fish`. Commands, options, their values, files and the ids of sessions are completed.",
    usage: ["codexpipe completions SHELL"],
    operands: [["SHELL", "bash, zsh or fish.", SHELLS]],
    flags: [],
    load: () => import("./commands/completions.ts"),
  },
  {
    name: "man",
    summary: "Prints the manual page.",
    details:
      "In roff: `codexpipe man > codexpipe.1` writes it to be installed, `codexpipe man | man -l -` shows it where man can read stdin.",
    usage: ["codexpipe man"],
    operands: [],
    flags: [],
    load: () => import("./commands/man.ts"),
  },
];

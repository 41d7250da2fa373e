/** The grammar of the command line for completions, from the tables of commands and flags. */

import { type Command, SESSIONS } from "../command.ts";
import { COMMON_FLAGS, type Flag, flagsOf } from "../flags.ts";

/** The values that complete a place on the command line: a list of words, or a kind. */
export type Filler =
  | readonly string[]
  | "files"
  | "folders"
  | "sessions"
  | "anything";

/** A word that names a command or a group. */
export type Word = Pick<Command, "name" | "summary">;

/** A flag of one command. */
export interface FlagPlace {
  readonly flag: Flag;
  /** The completions of its value; `undefined` for a switch. */
  readonly value: Filler | undefined;
}

export interface CommandPlace {
  /** The name: one word, or two. */
  readonly name: string;
  /** The flags, including the common ones. */
  readonly flags: readonly FlagPlace[];
  /** The completions of its operands. */
  readonly operand: Filler | undefined;
}

/** The shell command that lists ids of sessions. */
export const LIST_SESSIONS =
  "codexpipe sessions list --format=ids --limit=100 2>/dev/null";

/** The whole grammar. */
export interface Grammar {
  /** The first words. */
  readonly first: readonly Word[];
  /** The second words of commands about sessions. */
  readonly sessions: readonly Word[];
  /** The flags that are valid without a command. */
  readonly common: readonly FlagPlace[];
  readonly commands: readonly CommandPlace[];
}

export function grammarOf(commands: readonly Command[]): Grammar {
  const first: Word[] = [];
  for (const { name, summary } of commands) {
    const [word = ""] = name.split(" ");
    if (first.some(({ name }) => name === word)) continue;
    first.push(word === SESSIONS.name ? SESSIONS : { name, summary });
  }
  first.push({ name: "help", summary: "Shows the help of a command." });
  const common = COMMON_FLAGS.map(placeOf);
  return {
    first,
    common,
    sessions: commands.flatMap(({ name, summary }) => {
      const [, word] = name.split(" ");
      return word === undefined ? [] : [{ name: word, summary }];
    }),
    commands: commands.map((command) => {
      const [operand] = command.operands;
      return {
        name: command.name,
        flags: [...flagsOf(command).map(placeOf), ...common],
        operand: operand && fillerOf(operand[0], operand[2]),
      };
    }),
  };
}

function placeOf(flag: Flag): FlagPlace {
  const filler = flag.value && fillerOf(flag.value.name, flag.value.choices);
  // Every ID but that of a turn is the id of a session.
  return { flag, value: flag.name === "turn-id" ? "anything" : filler };
}

/** Derives the completions from the placeholder of the help. */
function fillerOf(name: string, choices?: readonly string[]): Filler {
  if (choices !== undefined) return choices;
  if (/\bFILE\b/.test(name)) return "files";
  if (/\bDIR\b/.test(name)) return "folders";
  return /\bID\b/.test(name) ? "sessions" : "anything";
}

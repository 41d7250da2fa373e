/**
 * What can stand on the command line, for programs that complete it: made from the tables of
 * commands and flags.
 */

import type { Command, CommandTable } from "../command.ts";
import { type Flag, flagsOf } from "../flags.ts";

/** What a place on the command line can be filled with. */
export type Filler =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "files" | "folders" | "sessions" | "anything" };

/** A word that chooses what the words behind it mean. */
export interface Word {
  readonly name: string;
  /** Its summary, in one sentence. */
  readonly summary: string;
}

/** A flag as one command has it. */
export interface FlagPlace {
  readonly flag: Flag;
  /** What its value can be; nothing, if it is a switch. */
  readonly value: Filler | undefined;
}

export interface CommandPlace {
  /** Its name: a word, or two. */
  readonly name: string;
  /** Its flags, with those of all commands. */
  readonly flags: readonly FlagPlace[];
  /** The kind of its operands. */
  readonly operand: Filler | undefined;
}

/** What lists the sessions whose ids can be completed. */
export const LIST_SESSIONS =
  "codexpipe sessions list --format=ids --limit=100 2>/dev/null";

/** All that a command line can hold. */
export interface Grammar {
  /** The words that it can begin with. */
  readonly first: readonly Word[];
  /** What can be the second word, by the first one. */
  readonly groups:
    readonly (readonly [first: string, words: readonly Word[]])[];
  /** The flags that need no command. */
  readonly common: readonly FlagPlace[];
  readonly commands: readonly CommandPlace[];
}

export function grammarOf(
  { commands, groups, commonFlags }: CommandTable,
): Grammar {
  const first: Word[] = [];
  for (const { name, summary } of commands) {
    const [word = ""] = name.split(" ");
    if (first.some(({ name }) => name === word)) continue;
    const group = groups.find(({ name }) => name === word);
    first.push({ name: word, summary: group?.summary ?? summary });
  }
  first.push({ name: "help", summary: "Shows the help of a command." });
  const common = commonFlags.map(placeOf);
  return {
    first,
    common,
    groups: groups.map(({ name: group }) => [
      group,
      commands.filter(({ name }) => name.startsWith(`${group} `))
        .map(({ name, summary }) => ({
          name: name.slice(group.length + 1),
          summary,
        })),
    ]),
    commands: commands.map((command) => ({
      name: command.name,
      flags: [...flagsOf(command).map(placeOf), ...common],
      operand: operandOf(command),
    })),
  };
}

function placeOf(flag: Flag): FlagPlace {
  return { flag, value: flag.value && valueOf(flag) };
}

function valueOf({ name, value }: Flag): Filler {
  const filler = fillerOf(value?.name ?? "", value?.choices);
  // An id is that of a session if it is that of a thread.
  return filler.kind === "sessions" && name !== "thread-id"
    ? { kind: "anything" }
    : filler;
}

function operandOf({ operands }: Command): Filler | undefined {
  const [operand] = operands;
  return operand && fillerOf(operand[0], operand[2]);
}

/** What a name in the help says that can stand there. */
function fillerOf(name: string, choices?: readonly string[]): Filler {
  if (choices !== undefined) return { kind: "choices", choices };
  if (/\bFILE\b/.test(name)) return { kind: "files" };
  if (/\bDIR\b/.test(name)) return { kind: "folders" };
  if (/\bID\b/.test(name)) return { kind: "sessions" };
  return { kind: "anything" };
}

/** What can complete a word of a command line, from the tables of commands and flags. */

import { type Command, SESSIONS } from "../command.ts";
import { ALL_FLAGS, COMMON_FLAGS, type Flag, flagsOf } from "../flags.ts";

/** A word that completes another one, and its description. */
export interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** What can complete a word: one of some words, or a kind of words. */
export type Completion =
  | readonly Candidate[]
  | "files"
  | "folders"
  | "sessions";

/**
 * Returns what can complete the last of the words after `codexpipe`. The words of a list need not
 * begin as it does: the shell leaves out the others.
 *
 * @param words The words up to the cursor. bash passes `--flag=value` as three words.
 */
export function completionOf(
  words: readonly string[],
  commands: readonly Command[],
): Completion {
  const last = words.at(-1) ?? "";
  const current = last === "=" ? "" : last;
  const operands: string[] = [];
  /** The flag whose value comes next. */
  let open: Flag | undefined;
  for (const word of words.slice(0, -1)) {
    if (word === "=") continue;
    if (open !== undefined) open = undefined;
    else if (word.startsWith("-")) open = flagBefore(word);
    else operands.push(word);
  }
  const isHelp = operands[0] === "help";
  const names = isHelp ? operands.slice(1) : operands;
  const command = commands.find(({ name }) =>
    name.split(" ").every((word, at) => word === names[at])
  );
  const flags = [...(command ? flagsOf(command) : []), ...COMMON_FLAGS];
  const [before = "", name = open?.name] = /^--([^=]*)=/.exec(current) ?? [];
  if (name !== undefined) {
    const flag = flags.find((flag) => flag.name === name);
    return flag === undefined ? [] : valuesOf(flag, current, before);
  }
  if (current.startsWith("-")) {
    return flags.map(({ name, summary }) => ({ word: `--${name}`, summary }));
  }
  if (command === undefined) {
    const next = nextWords(names, isHelp, commands);
    const isCommand = next.some(({ word }) => word.startsWith(current));
    // Without a command, operands are files.
    return isCommand || isHelp ? next : "files";
  }
  const [operand] = command.operands;
  return isHelp || operand === undefined
    ? []
    : completionFor(operand[0], operand[2]);
}

/** The flag of a word that is followed by its value, if the word is one. */
function flagBefore(word: string): Flag | undefined {
  return ALL_FLAGS.find(({ name, short, value }) =>
    value !== undefined && (word === `--${name}` || word === `-${short}`)
  );
}

/** @param before The part of the word before the value. */
function valuesOf(flag: Flag, current: string, before: string): Completion {
  const { name, value, isRepeatable } = flag;
  // Every other ID is the id of a session.
  if (value === undefined || name === "turn-id") return [];
  const completion = completionFor(value.name, value.choices);
  if (typeof completion === "string") return completion;
  // The last word of a list with commas.
  const start = isRepeatable && current.includes(",")
    ? current.slice(0, current.lastIndexOf(",") + 1)
    : before;
  return completion.map(({ word, summary }) => ({
    word: start + word,
    summary,
  }));
}

/** Derives a completion from the placeholder of the help. */
function completionFor(
  placeholder: string,
  choices?: readonly string[],
): Completion {
  if (choices !== undefined) {
    return choices.map((word) => ({ word, summary: "" }));
  }
  if (/\bFILE\b/.test(placeholder)) return "files";
  if (/\bDIR\b/.test(placeholder)) return "folders";
  return /\bID\b/.test(placeholder) ? "sessions" : [];
}

/** The words that continue the name of a command. */
function nextWords(
  names: readonly string[],
  isHelp: boolean,
  commands: readonly Command[],
): readonly Candidate[] {
  const found = new Map<string, string>();
  for (const { name, summary } of commands) {
    const words = name.split(" ");
    const word = words[names.length];
    if (word === undefined || names.some((name, at) => name !== words[at])) {
      continue;
    }
    const isGroup = words.length > names.length + 1;
    found.set(word, isGroup ? SESSIONS.summary : summary);
  }
  if (names.length === 0 && !isHelp) {
    found.set("help", "Shows the help of a command.");
  }
  return [...found].map(([word, summary]) => ({ word, summary }));
}

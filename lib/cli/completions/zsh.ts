/** Completions for zsh. */

import { shellWord } from "../../dialects/exec/command_line.ts";
import {
  type CommandPlace,
  type Filler,
  type FlagPlace,
  type Grammar,
  LIST_SESSIONS,
  type Word,
} from "./grammar.ts";

/** Writes a script that completes the command line in zsh: to be sourced, or a file in `fpath`. */
export function zshCompletions(
  { first, sessions, common, commands }: Grammar,
): string {
  return `#compdef codexpipe
# zsh completion of codexpipe: source <(codexpipe completions zsh)

_codexpipe() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C -s -S \\
${common.map((place) => `    ${argument(place)} \\`).join("\n")}
    '1: :->command' '*:: :->rest' && return
  case $state in
    # Without a command, operands are files.
    command) _codexpipe_first || _files ;;
    rest)
      case $words[1] in
        help)
          if (( CURRENT == 2 )); then
            _codexpipe_first
          elif (( CURRENT == 3 )) && [[ $words[2] == sessions ]]; then
            _codexpipe_sessions
          fi
          ;;
        sessions)
          if (( CURRENT == 2 )); then
            _codexpipe_sessions
          else
            shift words
            (( CURRENT-- ))
            case $words[1] in
${
    commands.filter(({ name }) => name.includes(" "))
      .map((command) => branch(command, " ".repeat(14))).join("\n")
  }
            esac
          fi
          ;;
${
    commands.filter(({ name }) => !name.includes(" "))
      .map((command) => branch(command, " ".repeat(8))).join("\n")
  }
        *) _files ;;
      esac
      ;;
  esac
}

_codexpipe_first() {
${described(first)}
}

_codexpipe_sessions() {
${described(sessions)}
}

_codexpipe_ids() {
  local -a ids
  ids=(\${(f)"$(${LIST_SESSIONS})"})
  _describe -V session ids
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _codexpipe "$@"
else
  compdef _codexpipe codexpipe
fi
`;
}

function branch(
  { name, flags, operand }: CommandPlace,
  indent: string,
): string {
  const word = name.split(" ").at(-1) ?? name;
  const lines = [
    ...flags.map(argument),
    ...(operand === undefined ? [] : [`'*: :${action(operand)}'`]),
  ];
  return `${indent}${word})\n${indent}  _arguments -s -S \\\n${
    lines.map((line) => `${indent}    ${line}`).join(" \\\n")
  }\n${indent}  ;;`;
}

function argument({ flag, value }: FlagPlace): string {
  const { name, short, summary, isRepeatable } = flag;
  const text = `[${summary.replace(/\.$/, "").replace(/[[\]:\\]/g, "\\$&")}]`;
  const kind = flag.value?.name.toLowerCase();
  const isList = isRepeatable && typeof value !== "string";
  const rest = value === undefined
    ? ""
    : `:${kind}:${
      isList ? `_values -s , ${kind} ${value.join(" ")}` : action(value)
    }`;
  const equals = value === undefined ? "" : "=";
  const long = `--${name}${equals}${text}${rest}`;
  if (isRepeatable) return shellWord(`*${long}`);
  if (short === undefined) return shellWord(long);
  const pair = `(-${short} --${name})`;
  return `${shellWord(`${pair}-${short}${text}${rest}`)} ${
    shellWord(`${pair}${long}`)
  }`;
}

const ACTIONS = {
  files: "_files",
  folders: "_files -/",
  sessions: "_codexpipe_ids",
  anything: " ",
};

function action(filler: Filler): string {
  return typeof filler === "string" ? ACTIONS[filler] : `(${filler.join(" ")})`;
}

function described(words: readonly Word[]): string {
  const rows = words.map(({ name, summary }) =>
    `    ${shellWord(`${name}:${summary.replace(/\.$/, "")}`)}`
  );
  return `  local -a words_
  words_=(
${rows.join("\n")}
  )
  _describe command words_`;
}

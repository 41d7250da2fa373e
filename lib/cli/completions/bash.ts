/** Completions for bash. */

import {
  type Filler,
  type FlagPlace,
  type Grammar,
  LIST_SESSIONS,
  type Word,
} from "./grammar.ts";

/** Writes a script that completes the command line in bash (3.2 and later), to be sourced. */
export function bashCompletions(
  { first, sessions, common, commands }: Grammar,
): string {
  return `# bash completion of codexpipe: source <(codexpipe completions bash)

_codexpipe() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local command="" before="" word i
  COMPREPLY=()
  # bash splits "--flag=value" at "=", unless COMP_WORDBREAKS lacks it.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $cur == --*=* ]]; then
    prev=\${cur%%=*}
    before=$prev=
    cur=\${cur#*=}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$command:$word" in
${
    [
      ...first.map(({ name }) => `      :${name}) command=${name} ;;`),
      ...sessions.map(({ name }) =>
        `      sessions:${name}) command="sessions ${name}" ;;`
      ),
      `      help:?*) command="help $word" ;;`,
    ].join("\n")
  }
    esac
  done

  # The value of a flag.
  case "$command:$prev" in
${
    [
      ...commands.flatMap(({ name, flags }) => valueCases(`"${name}:`, flags)),
      // The common flags, with any command or none.
      ...valueCases('*":', common),
    ].join("\n")
  }
  esac

  # A flag.
  if [[ $cur == -* ]]; then
    case "$command" in
${
    commands.map(({ name, flags }) =>
      `      "${name}") _codexpipe_words "${flagWords(flags)}" ;;`
    ).join("\n")
  }
      *) _codexpipe_words "${flagWords(common)}" ;;
    esac
    return
  fi

  # An operand.
  case "$command" in
    "")
      _codexpipe_words "${wordList(first)}"
      # Without a command, operands are files.
      if [[ -z $COMPREPLY ]]; then _codexpipe_paths -f; fi
      ;;
    help) _codexpipe_words "${wordList(first)}" ;;
    sessions | "help sessions") _codexpipe_words "${wordList(sessions)}" ;;
${
    commands.flatMap(({ name, operand }) =>
      operand === undefined ? [] : [`    "${name}") ${fill(operand)} ;;`]
    ).join("\n")
  }
  esac
}

_codexpipe_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "$cur"))
}

# Completes the last word of a list with commas.
_codexpipe_list() {
  local IFS=$' \\t\\n' first=""
  if [[ $cur == *,* ]]; then
    first=\${cur%,*},
  fi
  COMPREPLY=($(compgen -P "$before$first" -W "$1" -- "\${cur##*,}"))
}

_codexpipe_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -P "$before" -- "$cur"))
}

complete -F _codexpipe codexpipe
`;
}

/** @param start The beginning of the pattern, up to the colon before the flag. */
function valueCases(start: string, flags: readonly FlagPlace[]): string[] {
  return flags.flatMap(({ flag, value }) => {
    if (value === undefined) return [];
    const spellings = [`${start}--${flag.name}"`];
    if (flag.short !== undefined) spellings.push(`${start}-${flag.short}"`);
    const words = flag.isRepeatable && typeof value !== "string"
      ? `_codexpipe_list "${value.join(" ")}"`
      : fill(value);
    return [`    ${spellings.join(" | ")}) ${words}; return ;;`];
  });
}

const FILLS = {
  files: "_codexpipe_paths -f",
  folders: "_codexpipe_paths -d",
  sessions: `_codexpipe_words "$(${LIST_SESSIONS})"`,
  anything: ":",
};

function fill(filler: Filler): string {
  return typeof filler === "string"
    ? FILLS[filler]
    : `_codexpipe_words "${filler.join(" ")}"`;
}

function wordList(words: readonly Word[]): string {
  return words.map(({ name }) => name).join(" ");
}

function flagWords(flags: readonly FlagPlace[]): string {
  return flags.map(({ flag }) => `--${flag.name}`).join(" ");
}

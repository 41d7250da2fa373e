/**
 * Completions for bash.
 */

import type { CommandTable } from "../command.ts";
import {
  type CommandPlace,
  commandPlaces,
  commonPlaces,
  type Filler,
  firstWords,
  type FlagPlace,
  LIST_SESSIONS,
  secondWords,
} from "./grammar.ts";

/**
 * Writes a script that completes the command line in bash (3.2 and later), to be sourced.
 *
 * @param table What the command line can be.
 * @returns The script.
 */
export function bashCompletions(table: CommandTable): string {
  const first = firstWords(table).map(({ name }) => name);
  const groups = [...secondWords(table)];
  const commands = commandPlaces(table);
  return `# bash completion of codexpipe: source <(codexpipe completions bash)

_codexpipe() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local command="" word i
  COMPREPLY=()
  # bash takes "--flag=value" apart.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$command:$word" in
${
    [
      ...first.map((name) => `      :${name}) command=${name} ;;`),
      ...groups.flatMap(([group, words]) =>
        words.map(({ name }) =>
          `      ${group}:${name}) command="${group} ${name}" ;;`
        )
      ),
      `      help:?*) command="help $word" ;;`,
    ].join("\n")
  }
    esac
  done

  # The value of a flag.
  case "$command:$prev" in
${commands.flatMap((command) => valueCases(command)).join("\n")}
  esac

  # A flag.
  if [[ $cur == -* ]]; then
    case "$command" in
${
    commands.map(({ name, flags }) =>
      `      "${name}") _codexpipe_words "${flagWords(flags)}" ;;`
    ).join("\n")
  }
      *) _codexpipe_words "${flagWords(commonPlaces(table))}" ;;
    esac
    return
  fi

  # An operand.
  case "$command" in
    "" | help) _codexpipe_words "${first.join(" ")}" ;;
${
    groups.map(([group, words]) =>
      `    ${group} | "help ${group}") _codexpipe_words "${
        words.map(({ name }) => name).join(" ")
      }" ;;`
    ).join("\n")
  }
${
    commands.flatMap(({ name, operand }) =>
      operand === undefined ? [] : [`    "${name}") ${fill(operand)} ;;`]
    ).join("\n")
  }
  esac
}

_codexpipe_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_codexpipe_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$cur"))
}

complete -F _codexpipe codexpipe
`;
}

function valueCases({ name, flags }: CommandPlace): string[] {
  return flags.flatMap(({ flag, value }) => {
    if (value === undefined) return [];
    const spellings = [`"${name}:--${flag.name}"`];
    if (flag.short !== undefined) spellings.push(`"${name}:-${flag.short}"`);
    return [
      `    ${spellings.join(" | ")}) ${fill(value)}; return ;;`,
    ];
  });
}

function fill(filler: Filler): string {
  switch (filler.kind) {
    case "choices":
      return `_codexpipe_words "${filler.choices.join(" ")}"`;
    case "files":
      return "_codexpipe_paths -f";
    case "folders":
      return "_codexpipe_paths -d";
    case "sessions":
      return `_codexpipe_words "$(${LIST_SESSIONS})"`;
    case "anything":
      return ":";
  }
}

function flagWords(flags: readonly FlagPlace[]): string {
  return flags.map(({ flag }) => `--${flag.name}`).join(" ");
}

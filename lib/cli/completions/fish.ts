/** Completions for fish. */

import type { Flag } from "../flags.ts";
import {
  type Filler,
  type FlagPlace,
  type Grammar,
  LIST_SESSIONS,
} from "./grammar.ts";

/** Writes a script that completes the command line in fish, to be sourced. */
export function fishCompletions(
  { first, sessions, common, commands }: Grammar,
): string {
  return `# fish completion of codexpipe: codexpipe completions fish | source

# Prints the words typed so far that name a command.
function __codexpipe_command
    set -l words (string match -v -- '-*' (commandline -opc)[2..-1])
    switch "$words[1]"
        case sessions help
            echo "$words[1] $words[2]" | string trim
        case '*'
            echo "$words[1]"
    end
end

function __codexpipe_is
    test "$(__codexpipe_command)" = "$argv"
end

complete -c codexpipe -f
# Without a command, operands are files.
complete -c codexpipe -n '__codexpipe_is ""; and test -n "$(commandline -ct)"' -F
${
    first.flatMap(({ name, summary }) => [
      `complete -c codexpipe -n '__codexpipe_is ""' -a ${name} -d ${
        quote(summary)
      }`,
      ...(name === "help"
        ? []
        : [`complete -c codexpipe -n '__codexpipe_is help' -a ${name}`]),
    ]).join("\n")
  }
${
    sessions.flatMap(({ name, summary }) => [
      `complete -c codexpipe -n '__codexpipe_is sessions' -a ${name} -d ${
        quote(summary)
      }`,
      `complete -c codexpipe -n '__codexpipe_is help sessions' -a ${name}`,
    ]).join("\n")
  }
${common.map((place) => flagLine("", place)).join("\n")}
${
    commands.flatMap(({ name, flags, operand }) => {
      const condition = `-n '__codexpipe_is ${name}'`;
      return [
        ...flags.filter((place) => !common.includes(place))
          .map((place) => flagLine(condition, place)),
        ...(operand === undefined || operand === "anything"
          ? []
          : [`complete -c codexpipe ${condition} ${fill(operand, false)}`]),
      ];
    }).join("\n")
  }
`;
}

function flagLine(condition: string, { flag, value }: FlagPlace): string {
  return [
    "complete -c codexpipe",
    condition,
    `-l ${flag.name}`,
    flag.short === undefined ? "" : `-s ${flag.short}`,
    value === undefined ? "" : valueOf(flag, value),
    `-d ${quote(flag.summary)}`,
  ].filter((part) => part !== "").join(" ");
}

function valueOf({ isRepeatable }: Flag, value: Filler): string {
  return isRepeatable && typeof value !== "string"
    ? `-x -a '(__fish_append , ${value.join(" ")})'`
    : fill(value, true);
}

function fill(filler: Filler, isValue: boolean): string {
  const required = isValue ? "-x " : "";
  if (typeof filler !== "string") {
    return `${required}-a ${quote(filler.join(" "))}`;
  }
  switch (filler) {
    case "files":
      return isValue ? "-r -F" : "-F";
    case "folders":
      return `${required}-a '(__fish_complete_directories (commandline -ct))'`;
    case "sessions":
      return `${required}-a '(${LIST_SESSIONS})'`;
    case "anything":
      return required.trim();
  }
}

function quote(text: string): string {
  return `'${text.replace(/\.$/, "").replace(/['\\]/g, "\\$&")}'`;
}

/** The manual page, made from the tables of commands and flags. */

import { ABOUT, STATUSES, VERSION_TEXT } from "./about.ts";
import type { Command, CommandTable } from "./command.ts";
import { CACHE_FOLDER, type Flag, flagsOf } from "./flags.ts";

export function manualPage({ commands, commonFlags }: CommandTable): string {
  return [
    `.TH CODEXPIPE 1 "" "${VERSION_TEXT}" "User Commands"`,
    ".SH NAME",
    `codexpipe \\- ${roff(lowered(ABOUT))}`,
    ".SH SYNOPSIS",
    ".B codexpipe",
    "\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR ...]",
    ".SH DESCRIPTION",
    "Logs of every release of Codex are read, each line gives exactly one outcome, and nothing is lost.",
    "Without a COMMAND, files and what comes through a pipe are shown on a terminal, as render does, and normalized elsewhere.",
    "A folder where files are named stands for the session files below it.",
    "Data goes to stdout, and everything else to stderr. On a terminal, control characters of logs are escaped.",
    ".SH COMMANDS",
    ...commands.flatMap(commandSection),
    ".SH COMMON OPTIONS",
    ...commonFlags.flatMap(flagEntry),
    ".SH EXIT STATUS",
    ...STATUSES.flatMap(([status, meaning]) => [
      ".TP",
      `.B ${status}`,
      roff(`${meaning}.`),
    ]),
    ".SH ENVIRONMENT",
    ...ENVIRONMENT.flatMap(([name, meaning]) => [
      ".TP",
      `.B ${name}`,
      roff(meaning),
    ]),
    "",
  ].join("\n");
}

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ["CODEX_HOME", "Where Codex keeps its sessions, unless --codex-home says."],
  ["HOME", "The home of the user; on Windows, USERPROFILE comes first."],
  [
    "XDG_CACHE_HOME",
    `The cache folder is ${CACHE_FOLDER}. Its folder codexpipe holds what can be made again, such as the index of searches.`,
  ],
  ["NO_COLOR", "If it is set and not empty, nothing is coloured by itself."],
  [
    "TERM",
    "If it is dumb, nothing is coloured by itself, no progress shown and no pager started.",
  ],
  [
    "CODEXPIPE_PAGER, PAGER",
    "What shows text that is longer than the terminal: a program and its arguments, the first of the two before the second, less without either. An empty one, or cat, is none.",
  ],
  ["LESS", "What less is told; FRX, if it is not set."],
  ["GITHUB_STEP_SUMMARY", "The file that check --github adds a summary to."],
  ["GITHUB_OUTPUT", "The file that check --github writes its outputs to."],
];

function commandSection(command: Command): string[] {
  const { name, summary, details, usage, operands } = command;
  return [
    `.SS ${roff(name)}`,
    roff(summary),
    ".PP",
    roff(details),
    ".PP",
    ".nf",
    ...usage.map((line) => `\\&    ${roff(line)}`),
    ".fi",
    ...operands.flatMap(([operand, what]) => [
      ".TP",
      `.I ${roff(operand)}`,
      roff(what),
    ]),
    ...flagsOf(command).flatMap(flagEntry),
  ];
}

function flagEntry({ name, short, value, summary, details }: Flag): string[] {
  const letter = short === undefined ? "" : `\\fB\\-${short}\\fR, `;
  const operand = value === undefined ? "" : `=\\fI${roff(value.name)}\\fR`;
  const choices = value?.choices === undefined
    ? []
    : [`One of ${value.choices.join(", ")}.`];
  const fallback = value?.default === undefined
    ? []
    : [`The default is ${value.default}.`];
  return [
    ".TP",
    `${letter}\\fB\\-\\-${roff(name)}\\fR${operand}`,
    roff([summary, details, ...choices, ...fallback].join(" ")),
  ];
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
}

/** Makes text of what roff would take for something else. */
function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-")
    .replaceAll("`", "\\(ga").replace(/^['.]/, "\\&$&");
}

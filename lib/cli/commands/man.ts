/** `codexpipe man`: the manual page. */

import { ABOUT, STATUSES, VERSION_TEXT } from "../about.ts";
import type { Command, RunCommand } from "../command.ts";
import { EXIT } from "../endings.ts";
import { CACHE_FOLDER, COMMON_FLAGS, type Flag, flagsOf } from "../flags.ts";

export const run: RunCommand = async ({ commands, stdout }) => {
  await stdout.writeText(manualPage(commands));
  return EXIT.done;
};

function manualPage(commands: readonly Command[]): string {
  return [
    `.TH CODEXPIPE 1 "" "${VERSION_TEXT}" "User Commands"`,
    ".SH NAME",
    `codexpipe \\- ${roff(ABOUT.charAt(0).toLowerCase() + ABOUT.slice(1, -1))}`,
    ".SH SYNOPSIS",
    ".B codexpipe",
    "\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR ...]",
    ".SH DESCRIPTION",
    "Reads the logs of every release of Codex. A line that cannot be read is reported, and does not end the stream.",
    "Without a COMMAND, files and piped input are rendered if stdout is a terminal, as render does, and normalized otherwise.",
    "A folder given as a FILE stands for the session files below it.",
    "Data goes to stdout, and everything else to stderr. On a terminal, control characters of logs are escaped.",
    ".SH COMMANDS",
    ...commands.flatMap(commandSection),
    ".SH COMMON OPTIONS",
    ...COMMON_FLAGS.flatMap(flagEntry),
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
  ["CODEX_HOME", "The Codex home, unless --codex-home is given."],
  [
    "CODEX_SQLITE_HOME",
    "The folder with the index of Codex, for sessions list.",
  ],
  ["HOME", "Your home folder; on Windows, USERPROFILE takes precedence."],
  [
    "XDG_CACHE_HOME",
    `The cache folder is ${CACHE_FOLDER}. Its folder codexpipe holds files that can be deleted at any time, such as the search index.`,
  ],
  [
    "NO_COLOR",
    "If it is set and not empty, colour is off unless --color=always is given.",
  ],
  [
    "TERM",
    "If it is dumb, colour is off unless --color=always is given, and there is no progress line and no pager.",
  ],
  [
    "CODEXPIPE_PAGER, PAGER",
    "The pager, a program and its arguments, for text that does not fit the terminal. CODEXPIPE_PAGER takes precedence; the default is less. An empty value, or cat, turns the pager off.",
  ],
  ["LESS", "The options of less. The default is FRX."],
  [
    "GITHUB_STEP_SUMMARY",
    "The file to which check --github appends a summary.",
  ],
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
    ...operands.flatMap(([operand, text]) => [
      ".TP",
      `.I ${roff(operand)}`,
      roff(text),
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

function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-")
    .replaceAll("`", "\\(ga").replace(/^['.]/, "\\&$&");
}

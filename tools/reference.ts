/** Generates the reference page of all commands and options from the table of commands. */

import { STATUSES } from "../lib/cli/about.ts";
import type { Command } from "../lib/cli/command.ts";
import { COMMON_FLAGS, type Flag, flagsOf } from "../lib/cli/flags.ts";

/** The path of the page, from the root. */
export const REFERENCE_PAGE = "docs/reference.md";

/** Returns the text of the page. */
export function referencePage(commands: readonly Command[]): string {
  return `${
    [
      "# All commands and options",
      "This page is generated from the same table as `codexpipe COMMAND --help` and `codexpipe man`; `deno task golden` writes it.",
      "Without a command, files and piped input are rendered if stdout is a terminal, as `render` does, and normalized otherwise, as `normalize` does. `codexpipe sessions` lets you choose a session on a terminal, and lists the sessions otherwise.",
      commands.map(({ name, summary }) =>
        `- [${name}](#${name.replaceAll(" ", "-")}): ${text(lowered(summary))}`
      ).join("\n"),
      ...commands.flatMap(sectionOf),
      "## Options of every command",
      ...flagLines(COMMON_FLAGS),
      "## Exit status",
      STATUSES.map(([status, meaning]) => `- ${status}: ${text(meaning)}`)
        .join("\n"),
    ].join("\n\n")
  }\n`;
}

function sectionOf(command: Command): string[] {
  const { name, summary, details, usage, operands } = command;
  return [
    `## ${name}`,
    text(summary),
    `\`\`\`sh\n${usage.join("\n")}\n\`\`\``,
    text(details),
    ...(operands.length === 0 ? [] : [
      operands.map(([name, doc]) => `- \`${name}\`: ${text(doc)}`).join(
        "\n",
      ),
    ]),
    ...flagLines(flagsOf(command)),
  ];
}

function flagLines(flags: readonly Flag[]): string[] {
  return flags.length === 0 ? [] : [flags.map(flagLine).join("\n")];
}

function flagLine({ name, short, value, summary, details }: Flag): string {
  const letter = short === undefined ? "" : `\`-${short}\`, `;
  const operand = value === undefined ? "" : `=${value.name}`;
  const facts = [
    ...(value?.choices === undefined
      ? []
      : [`One of ${value.choices.map((word) => `\`${word}\``).join(", ")}.`]),
    ...(value?.default === undefined
      ? []
      : [`The default is \`${value.default}\`.`]),
  ];
  const description = [text(summary), text(details), ...facts].join(" ");
  return `- ${letter}\`--${name}${operand}\`: ${description}`;
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Escapes the characters that Markdown would interpret, except in code. */
function text(words: string): string {
  return words.split(/(`[^`]*`)/).map((part, i) =>
    i % 2 === 1 ? part : part.replace(/[\\*_<>[\]~|]/g, "\\$&")
  ).join("");
}

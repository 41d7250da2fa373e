/** The help texts, generated from the tables of commands and flags. */

import { ABOUT, STATUSES, VERSION } from "./about.ts";
import type { Command, CommandGroup } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { CATEGORIES, COMMON_FLAGS, type Flag, flagsOf } from "./flags.ts";
import type { TextStyle } from "../render/text_style.ts";
import { fold } from "./text_ruler.ts";

/** The width at which help lines are folded, in columns. */
const WIDTH = 79;

/** The column at which the text of a flag begins. */
const COLUMN = 24;

export interface HelpOptions {
  /** Whether details are shown (`--help`), and not only summaries (`-h`). */
  readonly isLong: boolean;
  readonly style: TextStyle;
}

export function overview(
  group: CommandGroup | undefined,
  { isLong, style }: HelpOptions,
): string {
  const isWhole = group === undefined;
  const name = isWhole ? "codexpipe" : `codexpipe ${group.name}`;
  const prefix = isWhole ? "" : `${group.name} `;
  return [
    style.bold(`${name} ${VERSION}`),
    ...fold(isWhole ? ABOUT : group.summary, WIDTH),
    "",
    `Use "${name} COMMAND -h" for a summary and --help for details.`,
    "",
    style.bold("USAGE:"),
    `  ${name} COMMAND [OPTIONS]${isWhole ? " [FILE ...]" : ""}`,
    isWhole
      ? "  codexpipe [OPTIONS] FILE ...   (render on a terminal, normalize in a pipe)"
      : `  ${name} [OPTIONS]   (choose on a terminal, list in a pipe)`,
    "",
    style.bold("COMMANDS:"),
    ...COMMANDS.filter((command) => command.name.startsWith(prefix))
      .flatMap(({ name, summary }) => beside(`  ${name}`, summary)),
    ...(isWhole
      ? beside("  help [COMMAND]", "Shows the help of a command, or this one.")
      : []),
    "",
    style.bold("OPTIONS:"),
    ...flagLines(COMMON_FLAGS, isLong),
    "",
    ...statusLines(style),
    "",
  ].join("\n");
}

export function helpOf(
  command: Command,
  { isLong, style }: HelpOptions,
): string {
  const { name, summary, details, usage, operands } = command;
  const flags = [...flagsOf(command), ...COMMON_FLAGS];
  return [
    style.bold(`codexpipe ${name} ${VERSION}`),
    ...fold(summary, WIDTH),
    "",
    ...(isLong
      ? fold(details, WIDTH)
      : ["Use -h for this summary and --help for details."]),
    "",
    style.bold("USAGE:"),
    ...usage.map((line) => `  ${line}`),
    "",
    ...(operands.length === 0 ? [] : [
      style.bold("ARGUMENTS:"),
      ...operands.flatMap(([operand, text]) => beside(`  ${operand}`, text)),
      "",
    ]),
    ...CATEGORIES.flatMap((category) => {
      const shown = flags.filter((flag) => flag.category === category);
      return shown.length === 0
        ? []
        : [style.bold(`${category}:`), ...flagLines(shown, isLong), ""];
    }),
    ...statusLines(style),
    "",
  ].join("\n");
}

function flagLines(flags: readonly Flag[], isLong: boolean): string[] {
  const indent = " ".repeat(COLUMN);
  return flags.flatMap((flag, i) => {
    const lines = beside(headOf(flag), summaryOf(flag));
    if (!isLong) return lines;
    const details = fold(flag.details, WIDTH - COLUMN)
      .map((line) => indent + line);
    return [...(i === 0 ? [] : [""]), ...lines, ...details];
  });
}

function headOf({ name, short, value }: Flag): string {
  const letter = short === undefined ? "    " : `-${short}, `;
  return `  ${letter}--${name}${value === undefined ? "" : `=${value.name}`}`;
}

function summaryOf({ summary, value }: Flag): string {
  const facts = [
    ...(value?.choices === undefined ? [] : [value.choices.join(", ")]),
    ...(value?.default === undefined ? [] : [`default: ${value.default}`]),
  ];
  return facts.length === 0 ? summary : `${summary} (${facts.join("; ")})`;
}

function statusLines(style: TextStyle): string[] {
  return [
    style.bold("EXIT STATUS:"),
    ...STATUSES.flatMap(([status, meaning]) =>
      beside(`${status}`.padStart(5), meaning, 8)
    ),
  ];
}

/** Lays out a text to the right of a head, or below it if the head is too long. */
function beside(head: string, text: string, column = COLUMN): string[] {
  const indent = " ".repeat(column);
  const [first = "", ...rest] = fold(text, WIDTH - column);
  const others = rest.map((line) => indent + line);
  return head.length + 2 > column
    ? [head, indent + first, ...others]
    : [head.padEnd(column) + first, ...others];
}

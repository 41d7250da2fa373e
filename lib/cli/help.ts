/**
 * The helps, made from the tables of commands and flags.
 */

import config from "../../deno.json" with { type: "json" };
import { type Command, COMMANDS } from "./commands.ts";
import { CATEGORIES, type Flag, flagOf } from "./flags.ts";

/** The width that help is folded at. */
const WIDTH = 79;
/** Where the text beside a flag begins. */
const COLUMN = 24;

/** `codexpipe` and its version. */
export const VERSION_TEXT = `codexpipe ${config.version}`;

/** The help of the whole: what it is, and its commands. */
export function overview(): string {
  return [
    VERSION_TEXT,
    "Reads what OpenAI's Codex CLI writes as JSONL and makes it reliable.",
    "",
    "Use codexpipe COMMAND -h for a summary and --help for details.",
    "",
    "USAGE:",
    "  codexpipe COMMAND [OPTIONS] [FILE ...]",
    "",
    "COMMANDS:",
    ...COMMANDS.flatMap(({ name, summary }) => beside(`  ${name}`, summary)),
    "",
    "OPTIONS:",
    ...beside("  -h, --help", "Show this help."),
    ...beside("  -V, --version", "Show the version."),
    "",
    ...statuses(),
    "",
  ].join("\n");
}

/** The help of a command, in short or in full. */
export function helpOf(command: Command, isLong: boolean): string {
  const { name, summary, details, usage, operands } = command;
  const lines = [
    `codexpipe ${name} ${config.version}`,
    ...fold(summary, WIDTH),
    "",
    ...(isLong
      ? [...fold(details, WIDTH), ""]
      : ["Use -h for this summary and --help for details.", ""]),
    "USAGE:",
    ...usage.map((line) => `  ${line}`),
    "",
    "ARGUMENTS:",
    ...operands.flatMap(([operand, what]) => beside(`  ${operand}`, what)),
  ];
  const flags = command.flags.map((flag) => flagOf(flag)).filter((flag) =>
    flag !== undefined
  );
  for (const category of CATEGORIES) {
    const own = flags.filter((flag) => flag.category === category);
    if (own.length === 0) continue;
    lines.push("", `${category}:`);
    for (const [i, flag] of own.entries()) {
      if (isLong && i > 0) lines.push("");
      lines.push(...flagLines(flag, isLong));
    }
  }
  return [...lines, "", ...statuses(), ""].join("\n");
}

function flagLines(flag: Flag, isLong: boolean): string[] {
  const { name, short, value, summary, details } = flag;
  const letter = short === undefined ? "    " : `-${short}, `;
  const head = `  ${letter}--${name}${value === undefined ? "" : `=${value}`}`;
  const facts = [
    ...(flag.choices === undefined ? [] : [flag.choices.join(", ")]),
    ...(flag.default === undefined ? [] : [`default: ${flag.default}`]),
  ];
  const note = facts.length === 0 ? "" : ` (${facts.join("; ")})`;
  const lines = beside(head, `${summary}${note}`);
  if (!isLong) return lines;
  const indent = " ".repeat(COLUMN);
  return [
    ...lines,
    ...fold(details, WIDTH - COLUMN).map((line) => indent + line),
  ];
}

function statuses(): string[] {
  return [
    "EXIT STATUS:",
    "  0  done     1  the answer is no     2  usage     3  could not read or write",
    "  70  a bug of codexpipe's",
  ];
}

/** A text beside a head, or below it if the head is too long. */
function beside(head: string, text: string): string[] {
  const indent = " ".repeat(COLUMN);
  const [first = "", ...rest] = fold(text, WIDTH - COLUMN);
  const others = rest.map((line) => indent + line);
  return head.length + 2 > COLUMN
    ? [head, indent + first, ...others]
    : [head.padEnd(COLUMN) + first, ...others];
}

function fold(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

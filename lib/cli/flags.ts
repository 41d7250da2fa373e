/**
 * The flags, in one table: parsing, both helps and the tests read it.
 */

import { DIALECTS } from "../../mod.ts";

/** The headings that flags stand under in the help. */
export const CATEGORIES = ["INPUT", "FAILURES", "OUTPUT", "OTHER"] as const;

/** A heading of the help. */
export type Category = typeof CATEGORIES[number];

/** One flag. */
export interface Flag {
  /** Its name, without the dashes. */
  readonly name: string;
  /** Its letter, without the dash. */
  readonly short?: string;
  /** What its value is called; a flag without one is a switch. */
  readonly value?: string;
  /** The values that it takes, if they are few. */
  readonly choices?: readonly string[];
  /** What holds if it is not given. */
  readonly default?: string;
  /** The heading that it stands under. */
  readonly category: Category;
  /** What it does, in one line. */
  readonly summary: string;
  /** What else there is to say. */
  readonly details: string;
}

/** Every flag of every command. */
export const FLAGS = [
  {
    name: "from",
    value: "DIALECT",
    choices: DIALECTS,
    default: "auto",
    category: "INPUT",
    summary: "What the input is.",
    details:
      "exec is what `codex exec --json` prints, in every spelling since Codex 0.8; rollout is a session file (rollout-*.jsonl), in every shape since 0.1. auto decides by the first line that is a JSON object, each file by itself.",
  },
  {
    name: "max-line-bytes",
    value: "NUM",
    default: "256M",
    category: "INPUT",
    summary: "Fail lines that are longer.",
    details:
      "The longest line that is read, in bytes, without its line feed. A longer one is a line_too_long failure and the next line is read. K, M and G stand for powers of 1024. At most 536870888.",
  },
  {
    name: "thread-id",
    value: "ID",
    category: "INPUT",
    summary: "The thread of lines before the first thread line.",
    details:
      "For exec logs that were cut at the start: the thread that lines belong to until the first one names its own.",
  },
  {
    name: "turn-id",
    value: "ID",
    category: "INPUT",
    summary: "The turn of lines before the first turn line.",
    details:
      "For exec logs that were cut at the start: the turn that lines belong to until the first thread or turn line.",
  },
  {
    name: "on-error",
    value: "HOW",
    choices: ["report", "inline", "drop", "stop"],
    default: "report",
    category: "FAILURES",
    summary: "What becomes of failed lines.",
    details:
      "report says FILE:LINE: KIND: MESSAGE on stderr and goes on. inline does not, and writes a line.failed record in the line's place, with the line in it. drop leaves the line out without a word. stop says what failed and ends with status 1.",
  },
  {
    name: "errors-to",
    value: "FILE",
    category: "FAILURES",
    summary: "Write failed lines to FILE, as JSONL.",
    details:
      "Each failed line is written as a line.failed record, whatever --on-error says. FILE is emptied first.",
  },
  {
    name: "strict",
    category: "FAILURES",
    summary: "Exit 1 if any line failed.",
    details:
      "Everything is read and written all the same; only the exit status differs.",
  },
  {
    name: "line-buffered",
    category: "OUTPUT",
    summary: "Write each answer before the next line is answered.",
    details:
      "Without it, the answers to lines that arrived together are written together; nothing is ever held back when the input pauses. With --on-error=inline every line that is not blank is answered by exactly one line (of a rollout: a torn line with a record glued to it, by two).",
  },
  {
    name: "color",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    default: "auto",
    category: "OUTPUT",
    summary: "Colour diagnostics.",
    details:
      "auto colours what goes to a terminal unless NO_COLOR is set. Data is never coloured.",
  },
  {
    name: "quiet",
    short: "q",
    category: "OTHER",
    summary: "Say nothing about failed lines.",
    details:
      "Failed lines are not reported on stderr; files that cannot be read still are.",
  },
  {
    name: "verbose",
    short: "v",
    category: "OTHER",
    summary: "Say what each input was read as.",
    details:
      "For each input one line on stderr: the dialect found, and how many lines became records and how many failed.",
  },
  {
    name: "help",
    short: "h",
    category: "OTHER",
    summary: "Show help: -h in short, --help in full.",
    details: "-h shows one line for each flag, --help all there is to say.",
  },
  {
    name: "version",
    short: "V",
    category: "OTHER",
    summary: "Show the version.",
    details: "Shows the name and the version of the command.",
  },
] as const satisfies readonly Flag[];

/** The name of a flag. */
export type FlagName = typeof FLAGS[number]["name"];

/** A flag by its name. */
export function flagOf(name: FlagName): Flag | undefined {
  return FLAGS.find((flag) => flag.name === name);
}

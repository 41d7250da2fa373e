/**
 * The flags, in one table: parsing, both helps and the tests read it.
 */

import { DIALECTS } from "../dialect_names.ts";
import { MAX_LINE_BYTES } from "../lines/line_framer.ts";
import type { Engine, OnError } from "../pipeline.ts";
import { parseByteSize } from "./byte_size.ts";
import { STDIN } from "./standard_streams.ts";
import { parseTime } from "./times.ts";

/** The headings that flags stand under in the help. */
export const CATEGORIES = [
  "INPUT",
  "SELECTION",
  "FAILURES",
  "VERDICT",
  "OUTPUT",
  "OTHER",
] as const;

/** A heading of the help. */
export type Category = typeof CATEGORIES[number];

/** What a flag takes. */
export interface FlagValue {
  /** What stands for it in the help. */
  readonly name: string;
  /** The values that are taken, if they are few. */
  readonly choices?: readonly string[];
  /** What is taken, in words, if it is not one of a few. */
  readonly expects?: string;
  /** Whether a value is taken; without it, all that have a letter are. */
  readonly admits?: (text: string) => boolean;
  /** What holds if the flag is not given. */
  readonly default?: string;
  /** A value that is taken, for messages. */
  readonly example?: string;
}

/** One flag. */
export interface Flag {
  /** Its name, without the dashes. */
  readonly name: string;
  /** Its letter, without the dash. */
  readonly short?: string;
  /** What it takes; a flag without one is a switch. */
  readonly value?: FlagValue;
  /** Whether it may come several times, each time with a value that counts. */
  readonly isRepeatable?: boolean;
  /** The flag that it undoes, and that undoes it: the last one counts. */
  readonly undoes?: string;
  /** The flag that it is short for, and the value of that. */
  readonly means?: { readonly name: string; readonly value: string };
  /** The heading that it stands under. */
  readonly category: Category;
  /** What it does, in one line. */
  readonly summary: string;
  /** What else there is to say. */
  readonly details: string;
}

/** The forms that any command's data may have; each command says which of them it has. */
export const FORMATS = [
  "table",
  "json",
  "jsonl",
  "csv",
  "tsv",
  "text",
  "ids",
  "paths",
] as const;

/** What may happen to failed lines. */
export const ON_ERROR: readonly OnError[] = [
  "report",
  "inline",
  "drop",
  "stop",
];

/** What may answer the lines. */
export const ENGINES: readonly Engine[] = ["auto", "js", "wasm"];

/** When there are colours. */
export const COLOR = ["auto", "always", "never"] as const;

/** Every flag of every command. */
export const FLAGS = [
  {
    name: "from",
    value: { name: "DIALECT", choices: DIALECTS, default: "auto" },
    category: "INPUT",
    summary: "What the input is.",
    details:
      "exec is what `codex exec --json` prints, in every spelling since Codex 0.8; rollout is a session file (rollout-*.jsonl), in every shape since 0.1. auto decides by the first line that is a JSON object, for each file by itself.",
  },
  {
    name: "max-line-bytes",
    value: {
      name: "NUM",
      expects:
        `a number of bytes from 1 to ${MAX_LINE_BYTES}, such as 1000000 or 16M`,
      admits: isLineLimit,
      default: "256M",
    },
    category: "INPUT",
    summary: "Fail lines that are longer.",
    details:
      `The longest line that is read, in bytes, without its line feed. A longer one is a line_too_long failure, and the next line is read. K, M and G stand for powers of 1024. At most ${MAX_LINE_BYTES}.`,
  },
  {
    name: "thread-id",
    value: { name: "ID", expects: "the id of a thread", admits: () => true },
    category: "INPUT",
    summary: "The thread of lines before the first thread line.",
    details:
      "For exec logs that were cut at the start: the thread that lines belong to until the first one names its own. A blank one is none.",
  },
  {
    name: "turn-id",
    value: { name: "ID", expects: "the id of a turn", admits: () => true },
    category: "INPUT",
    summary: "The turn of lines before the first turn line.",
    details:
      "For exec logs that were cut at the start: the turn that lines belong to until the first thread or turn line. A blank one is none.",
  },
  {
    name: "codex-home",
    value: {
      name: "DIR",
      expects: "a folder",
      example: "~/.codex",
    },
    isRepeatable: true,
    category: "INPUT",
    summary: "Where Codex keeps its sessions.",
    details:
      "The folder that holds sessions/ and archived_sessions/. May be given several times: the sessions of all of them are one list. Without it, CODEX_HOME; without that, .codex in the home folder. It is only ever read.",
  },
  {
    name: "cwd",
    value: { name: "DIR", expects: "a folder", example: "." },
    category: "SELECTION",
    summary: "Only sessions that ran in DIR or below it.",
    details:
      "A relative DIR is taken from the current folder. The folder need not exist any more.",
  },
  {
    name: "since",
    value: {
      name: "TIME",
      expects:
        "a date (2026-01-31), a time (2026-01-31T12:00:00Z), or how long ago (90m, 12h, 7d, 2w)",
      admits: isTime,
      example: "7d",
    },
    category: "SELECTION",
    summary: "Only what is of TIME or later.",
    details:
      "A date alone begins at midnight, and a time without an offset is taken, in UTC. m, h, d and w stand for minutes, hours, days and weeks before now.",
  },
  {
    name: "until",
    value: {
      name: "TIME",
      expects:
        "a date (2026-01-31), a time (2026-01-31T12:00:00Z), or how long ago (90m, 12h, 7d, 2w)",
      admits: isTime,
      example: "2026-01-31",
    },
    category: "SELECTION",
    summary: "Only what is from before TIME.",
    details: "The same forms as --since; what is of TIME itself is left out.",
  },
  {
    name: "limit",
    value: {
      name: "NUM",
      expects: "a whole number from 1 up",
      admits: isCount,
      example: "20",
    },
    category: "SELECTION",
    summary: "At most NUM of them.",
    details: "The first ones in the order that they are listed in.",
  },
  {
    name: "on-error",
    value: { name: "HOW", choices: ON_ERROR, default: "report" },
    category: "FAILURES",
    summary: "What becomes of failed lines.",
    details:
      "report says FILE:LINE: KIND: MESSAGE on stderr and goes on. inline says nothing and writes a line.failed record in the line's place, with the line in it. drop leaves the line out without a word. stop says what failed and ends with status 1.",
  },
  {
    name: "errors-to",
    value: {
      name: "FILE",
      expects: "the name of a file",
      admits: (text: string): boolean => text !== "" && text !== STDIN,
    },
    category: "FAILURES",
    summary: "Write failed lines to FILE, as JSONL.",
    details:
      "Each failed line is written as a line.failed record, with the line in it, whatever --on-error says. FILE is emptied first.",
  },
  {
    name: "strict",
    category: "FAILURES",
    summary: "Exit 1 if any line failed.",
    details:
      "Everything is read and written all the same; only the exit status differs.",
  },
  {
    name: "mutations",
    category: "OUTPUT",
    summary: "Print each change of the history as it happens.",
    details:
      "Instead of the history at the end: each mutation as a line of JSONL, written as soon as its event has arrived. Whoever applies them holds the records at every moment.",
  },
  {
    name: "format",
    value: { name: "FORMAT", choices: FORMATS },
    category: "OUTPUT",
    summary: "The form of the data.",
    details:
      "table is for people; json is one value, jsonl one value a line; csv and tsv begin with a line of names.",
  },
  {
    name: "json",
    means: { name: "format", value: "json" },
    category: "OUTPUT",
    summary: "Short for --format=json.",
    details: "The last one of both counts.",
  },
  {
    name: "pretty",
    category: "OUTPUT",
    summary: "Indent the JSON.",
    details: "Without it, the history is one line. Mutations are always lines.",
  },
  {
    name: "restore",
    value: { name: "FILE", expects: "a file" },
    category: "INPUT",
    summary: "Go on from the snapshot in FILE.",
    details:
      "A snapshot that --checkpoint wrote is continued exactly: the rest of a stream gives what the whole would have given. Of any other one the records are kept, and the input is read as a new stream.",
  },
  {
    name: "stamp",
    category: "INPUT",
    summary: "Take the time from the clock.",
    details:
      "For live exec streams, whose events have no time: records get the time at which their events were read, and mutations a timestamp with it. Without it such times are 1970-01-01T00:00:00.000Z, so that the same input gives the same output.",
  },
  {
    name: "checkpoint",
    category: "OUTPUT",
    summary: "Write what it takes to go on, too.",
    details:
      "Adds the field resume to the snapshot, for --restore. Others ignore it. With --mutations, the snapshot follows the last mutation.",
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
    value: { name: "WHEN", choices: COLOR, default: "auto" },
    category: "OUTPUT",
    summary: "Colour diagnostics and help.",
    details:
      "auto colours what goes to a terminal unless NO_COLOR is set. Data is never coloured.",
  },
  {
    name: "engine",
    value: { name: "ENGINE", choices: ENGINES, default: "auto" },
    category: "OTHER",
    summary: "What answers the lines.",
    details:
      "The answers are the same. wasm answers lines like those before them in WebAssembly, the others in JavaScript; js does without. auto begins with js and takes wasm when there is enough to do, if it can run here. --verbose says which one ran.",
  },
  {
    name: "quiet",
    short: "q",
    undoes: "verbose",
    category: "OTHER",
    summary: "Say nothing about failed lines.",
    details:
      "What could not be read or written is still reported, and the exit status stays the same.",
  },
  {
    name: "verbose",
    short: "v",
    undoes: "quiet",
    category: "OTHER",
    summary: "Say what each input was read as.",
    details:
      "For each input one line on stderr: the dialect, how many lines became records and how many failed, and which engine answered how many of them.",
  },
  {
    name: "help",
    short: "h",
    category: "OTHER",
    summary: "Show help: -h in short, --help in full.",
    details: "-h shows one line for each option, --help all there is to say.",
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

/** Every flag, in the order of the help. */
export const ALL_FLAGS: readonly (Flag & { readonly name: FlagName })[] = FLAGS;

/** What a flag takes, in words. */
export function expectationOf({ choices, expects }: FlagValue): string {
  if (choices === undefined) return expects ?? "a value";
  return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

function isLineLimit(text: string): boolean {
  const bytes = parseByteSize(text);
  return bytes !== undefined && bytes >= 1 && bytes <= MAX_LINE_BYTES;
}

function isTime(text: string): boolean {
  return parseTime(text, 0) !== undefined;
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

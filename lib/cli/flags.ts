/** The flags, in one table: parsing, both helps and the tests read it. */

import { DIALECTS } from "../dialects/dialect_names.ts";
import { TABLE_NAMES } from "../export/tables.ts";
import { MAX_LINE_BYTES } from "../lines/line_framer.ts";
import type { Engine, OnError } from "../pipeline/pipeline.ts";
import { REASONING, RENDER_FORMS, TOOLS } from "../render/render_options.ts";
import { MESSAGE_ROLES } from "../sessions/session_records.ts";
import { RUN_COUNTERS, USAGE_KEYS } from "../usage/usage_names.ts";
import { parseTime } from "./times.ts";

const SIZE_REGEXP = /^(\d+)([KMG]?)$/i;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["K", 2 ** 10],
  ["M", 2 ** 20],
  ["G", 2 ** 30],
]);

/**
 * Reads a number of bytes, such as `1000000` or `16M`.
 *
 * @returns The number, which may be larger than what can be told apart exactly;
 *   `undefined` if the text is none.
 */
export function parseByteSize(text: string): number | undefined {
  const [, digits = "", unit = ""] = SIZE_REGEXP.exec(text) ?? [];
  const factor = UNITS.get(unit.toUpperCase());
  return digits === "" || factor === undefined
    ? undefined
    : Number(digits) * factor;
}

/** What stands for stdin among files, and for stdout where a file is written. */
export const STDIN = "-";

export interface FlagValue {
  /** What stands for it in the help. */
  readonly name: string;
  /** The values that are taken, if they are few. */
  readonly choices?: readonly string[];
  /** Other words for some of the values. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** What is taken, in words, if it is not one of a few. */
  readonly expects?: string;
  /** Whether a value is taken; without it, all that have a letter are. */
  readonly admits?: (text: string) => boolean;
  /** What holds if the flag is not given. */
  readonly default?: string;
  /** A value that is taken, for messages. */
  readonly example?: string;
}

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

export const REPORT_FORMATS = ["text", "json"] as const;

export const SEARCH_FORMATS = ["text", "json", "jsonl"] as const;

export const LIVE_FORMATS = ["text", "jsonl"] as const;

export const LIST_FORMATS = [
  "table",
  "json",
  "jsonl",
  "tsv",
  "ids",
  "paths",
] as const;

export const SCHEMA_FORMATS = ["json", "sql"] as const;

export const TABLE_FORMATS = ["jsonl", "csv"] as const;

export const FAMILY_FORMATS = [
  "table",
  "json",
  "jsonl",
  "ids",
  "paths",
] as const;

export const USAGE_FORMATS = ["table", "json", "jsonl", "csv"] as const;

/** The forms that any command's data may have; each command says which of them it has. */
const FORMATS: readonly string[] = [
  ...new Set([
    ...USAGE_FORMATS,
    ...LIST_FORMATS,
    ...SEARCH_FORMATS,
    ...REPORT_FORMATS,
    ...LIVE_FORMATS,
    ...SCHEMA_FORMATS,
  ]),
];

/** What the input of a command can be that reads histories too. */
export const HISTORY_INPUTS = [...DIALECTS, "history"] as const;

/** What forms of transcripts are called as well. */
export const FORM_ALIASES: Readonly<Record<string, string>> = {
  htm: "html",
  md: "markdown",
  txt: "text",
};

export const ON_ERROR: readonly OnError[] = [
  "report",
  "inline",
  "drop",
  "stop",
];

export const ENGINES: readonly Engine[] = ["auto", "js", "wasm"];

export const COLOR = ["auto", "always", "never"] as const;

export const CACHE_FOLDER =
  "XDG_CACHE_HOME, else ~/.cache (on macOS ~/Library/Caches, on Windows LOCALAPPDATA)";

export const DIALECT_MEANINGS =
  "exec is what `codex exec --json` prints, in every spelling since Codex 0.8; app-server is what `codex app-server` writes, with or without what its client writes to it; rollout is a session file (rollout-*.jsonl), in every shape since 0.1";

const TIME_FORMS =
  "a date (2026-01-31), a time (2026-01-31T12:00:00Z), or how long ago (90m, 12h, 7d, 2w)";

/** A file that is written: stdout has no name. */
const FILE_NAME = {
  name: "FILE",
  expects: "the name of a file",
  admits: (text: string): boolean => text !== "" && text !== STDIN,
};

/** Every flag of every command, under the heading that it stands under in the help. */
const FLAGS = {
  INPUT: [
    {
      name: "from",
      value: { name: "DIALECT", choices: DIALECTS, default: "auto" },
      summary: "What the input is.",
      details:
        `${DIALECT_MEANINGS}. auto decides by the first line that is a JSON object, for each file by itself.`,
    },
    {
      name: "max-line-bytes",
      value: {
        name: "NUM",
        expects:
          `a number of bytes from 1 to ${MAX_LINE_BYTES}, such as 1000000 or 16M`,
        admits: isLineLimit,
        example: "16M",
        default: "256M",
      },
      summary: "Fail lines that are longer.",
      details:
        `The longest line that is read, in bytes, without its line feed. A longer one is a line_too_long failure, and the next line is read. A history snapshot may be as long, in however many lines. K, M and G stand for powers of 1024. At most ${MAX_LINE_BYTES}.`,
    },
    {
      name: "follow",
      short: "f",
      summary: "Keep reading as the file grows.",
      details:
        "Like tail -F, line by line: a last line is held back until it is complete. The file may not be there yet, and may be moved, archived, packed or written anew with the same beginning: nothing is lost and nothing comes twice. If it is emptied or replaced by another one, that is another stream, from its start. Ctrl-C ends it, behind everything that is complete, with 130. Takes one file, in UTF-8; stdin is read to its end as ever.",
    },
    {
      name: "thread",
      value: { name: "ID", expects: "the id of a thread", admits: () => true },
      summary: "Only the events of this thread.",
      details:
        "For streams of an app-server, which have any number of threads among one another. What is of no thread is left out, too. Session files are of one thread, and are read whole.",
    },
    {
      name: "thread-id",
      value: { name: "ID", expects: "the id of a thread", admits: () => true },
      summary: "The thread of lines before the first thread line.",
      details:
        "For exec logs that were cut at the start: the thread that lines belong to until the first one names its own. A blank one is none.",
    },
    {
      name: "turn-id",
      value: { name: "ID", expects: "the id of a turn", admits: () => true },
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
      summary: "Where Codex keeps its sessions.",
      details:
        "The folder that holds sessions/ and archived_sessions/. May be given several times: the sessions of all of them are one list. Without it, CODEX_HOME; without that, .codex in the home folder. It is only ever read.",
    },
    {
      name: "family",
      value: {
        name: "ID",
        expects: "a session",
        admits: (text) => text !== "",
      },
      summary: "Read a session, and its forks and sub-agents.",
      details:
        "All sessions of the family that `codexpipe sessions family ID` shows, the root first. ID is what it takes there; --codex-home says where to look.",
    },
    {
      name: "index",
      value: { name: "FILE", expects: "a file", example: "sessions.sqlite" },
      summary: "Use the index in FILE.",
      details:
        `A SQLite database, which is made if it is not there, and anew if it is damaged: an empty file FILE-lock says that it is one. A file that is something else is left alone. Without it, one in the folder codexpipe of the cache folder, which may be deleted at any time: ${CACHE_FOLDER}. It is of the Codex homes that it was last brought up to date for.`,
    },
    {
      name: "rebuild",
      summary: "Make the index anew.",
      details: "All sessions are read again, also those that have not changed.",
    },
    {
      name: "no-refresh",
      summary: "Search the index as it is.",
      details:
        "Without it, what has changed since the last time is read first, for three seconds at most, the newest sessions first.",
    },
    {
      name: "home",
      summary: "Read the Codex home, whatever stdin is.",
      details:
        "Without it and without --codex-home, the home is read only if no FILE is named and stdin is a terminal. In a script, --home says that nothing is to be read from stdin.",
    },
    {
      name: "baseline",
      value: { name: "FILE", expects: "a file", example: "baseline.json" },
      summary: "Compare with FILE instead of what codexpipe knows.",
      details:
        "FILE is what --write-baseline wrote. If it is of five sessions or more, kinds of records that all of them had and others lack are told as well.",
    },
    {
      name: "run-counters",
      value: { name: "WHAT", choices: RUN_COUNTERS, default: "auto" },
      summary: "What the usage of exec turns counts.",
      details:
        "After `codex exec resume`, the usage that a turn ends with counts the whole thread (0.80 to 0.147, and 0.155 and later) or the process (up to 0.77, and 0.148 to 0.152), and nothing in the stream says which. auto takes it for the thread's if the turns of a thread can be put in an order in which it never shrinks.",
    },
    {
      name: "fast",
      summary: "Read only the first lines of files.",
      details:
        "Leaves out how sessions ended, their tokens and how long they took, which only whole files tell.",
    },
    {
      name: "restore",
      value: { name: "FILE", expects: "a file" },
      summary: "Go on from the snapshot in FILE.",
      details:
        "A snapshot that --checkpoint wrote is continued exactly: the rest of a stream gives what the whole would have given. Of any other one the records are kept, and the input is read as a new stream.",
    },
    {
      name: "stamp",
      summary: "Take the time from the clock.",
      details:
        "For live exec streams, whose events have no time: records get the time at which their events were read, and mutations a timestamp with it. Without it such times are 1970-01-01T00:00:00.000Z, so that the same input gives the same output.",
    },
  ],
  SELECTION: [
    {
      name: "cwd",
      value: { name: "DIR", expects: "a folder", example: "." },
      summary: "Only sessions that ran in DIR or below it.",
      details:
        "A relative DIR is taken from the current folder. The folder need not exist any more. Of those of Windows, which may be named anywhere, upper and lower case are the same.",
    },
    {
      name: "since",
      value: {
        name: "TIME",
        expects: TIME_FORMS,
        admits: isTime,
        example: "7d",
      },
      summary: "Only what is of TIME or later.",
      details:
        "A date alone begins at midnight, and a time without an offset is taken, in UTC. m, h, d and w stand for minutes, hours, days and weeks before now.",
    },
    {
      name: "until",
      value: {
        name: "TIME",
        expects: TIME_FORMS,
        admits: isTime,
        example: "2026-01-31",
      },
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
      summary: "At most NUM of them.",
      details: "The first ones in the order that they are listed in.",
    },
    {
      name: "cursor",
      value: {
        name: "CURSOR",
        expects: "a time and an id, as the page before gave it",
        example:
          "2026-01-31T12:00:00.000Z|01a1f99d-5874-7011-9c38-b543d19d65ba",
      },
      summary: "Only what comes behind CURSOR.",
      details:
        "The next page: a list that --limit has cut says the cursor of what follows. Cursors that releases of Codex give are taken as well. Pages neither repeat nor leave out a session, however many share a time.",
    },
    {
      name: "branch",
      value: { name: "NAME", expects: "the name of a branch", example: "main" },
      summary: "Only sessions that began on this branch.",
      details: "The branch that was checked out when the session began.",
    },
    {
      name: "originator",
      value: {
        name: "NAME",
        expects: "the name of a program",
        example: "codex_exec",
      },
      summary: "Only sessions that this program began.",
      details:
        "Such as codex_exec, codex_cli_rs, codex-tui or codex_vscode; sessions from before 0.34 do not say.",
    },
    {
      name: "grep",
      value: {
        name: "REGEXP",
        expects: "a regular expression",
        admits: isRegularExpression,
        example: "flaky",
      },
      summary: "Only sessions whose title or place matches.",
      details:
        "A JavaScript regular expression, in upper or lower case, that is looked for in the id, the name, the start of the first message, the working directory, the branch and the name of a sub-agent. To look into whole sessions, use sessions search.",
    },
    {
      name: "archived",
      summary: "Only archived sessions.",
      details:
        "Without it, both those that are archived and those that are not.",
    },
    {
      name: "role",
      value: { name: "ROLE", choices: MESSAGE_ROLES, example: "user" },
      isRepeatable: true,
      summary: "Only what has this role.",
      details:
        "user is what the person wrote, assistant what the model answered, reasoning what it thought; command is a command and its output, patch a change to files, tool a call of another tool, plan a plan; notice is what the program said, error an error. Several may be given: --role=user,assistant, or each with a flag of its own.",
    },
    {
      name: "last",
      summary: "The session that was written to last.",
      details:
        "Instead of an ID. Sub-agents and archived sessions count only if there is no other one.",
    },
    {
      name: "from-start",
      summary: "Begin with what is there already.",
      details:
        "Without it, only what is written from now on. What is there already is what the file that is followed holds: of a fork, or a session that goes on in further files, `codexpipe sessions show` shows what came before.",
    },
    {
      name: "exit-on",
      value: {
        name: "WHEN",
        expects: "turn, or idle=SECONDS",
        admits: (text) => /^(?:turn|idle=\d{1,9}(?:\.\d+)?)$/.test(text),
        example: "idle=60",
      },
      isRepeatable: true,
      summary: "End by itself: with a turn, or when nothing happens.",
      details:
        "turn ends it when a turn has ended and nothing follows; with --from-start that may be at once. Session files say so since 0.104; of older ones nothing tells. idle=SECONDS ends it when nothing was written for so long. Both may be given: the first one counts. The exit status is 0 however the turn ended; ask check for that.",
    },
  ],
  FAILURES: [
    {
      name: "on-error",
      value: { name: "HOW", choices: ON_ERROR, default: "report" },
      summary: "What becomes of failed lines.",
      details:
        "report says FILE:LINE: KIND: MESSAGE on stderr and goes on. inline says nothing and writes a line.failed record in the line's place, with the line in it. drop leaves the line out and says nothing. stop says what failed and ends with status 1. With --from=auto, one line says so if most lines of an input failed, unless --quiet is given.",
    },
    {
      name: "errors-to",
      value: FILE_NAME,
      summary: "Write failed lines to FILE, as JSONL.",
      details:
        "Each failed line is written as a line.failed record, with the line in it, whatever --on-error says. FILE is emptied first.",
    },
    {
      name: "strict",
      summary: "Exit 1 if any line failed.",
      details:
        "Everything is read and written all the same; only the exit status differs.",
    },
  ],
  VERDICT: [
    {
      name: "max-failures",
      value: {
        name: "NUM",
        expects: "a number of lines, such as 0 or 10",
        admits: isWholeNumber,
        default: "0",
        example: "10",
      },
      summary: "Let NUM lines fail.",
      details:
        "More lines than these that could not be read make the verdict bad. With stderr in the log (2>&1), its lines are such.",
    },
    {
      name: "fail-on-command",
      summary: "Fail if a command failed.",
      details:
        "A command that ended with another status than 0, or was killed. One that was left running when its turn ended has not failed.",
    },
    {
      name: "fail-on-declined",
      summary: "Fail if a command or patch was declined.",
      details:
        "By whoever was asked, or by a rule. Without it, what the model asked for and did not get fails nothing.",
    },
    {
      name: "schema",
      summary: "Fail if lines are not as codexpipe schema says.",
      details:
        "Lines are normalized and held to ThreadEvent or RolloutLine. Each path that is not as it should be is a reason by itself, once, with the first line and how many there are.",
    },
    {
      name: "fail-on-drift",
      summary: "Fail if there is something that no known release writes.",
      details:
        "Without it that is said, and fails nothing. `codexpipe drift` says what it is.",
    },
    {
      name: "max-tokens",
      value: {
        name: "NUM",
        expects: "a number of tokens, such as 200000",
        admits: isWholeNumber,
        example: "200000",
      },
      summary: "Fail if more tokens were used.",
      details:
        "Input and output together, each request once, counted as `codexpipe usage` counts. What says nothing of tokens has used none as far as can be known; that is said on stderr.",
    },
    {
      name: "json-output",
      summary: "Fail if the final message is no JSON; print it if it is.",
      details:
        "For runs with --output-schema. The message must be JSON as it is, without a fence around it. It is printed as --last-message prints it, unless --tee or --format=json have stdout.",
    },
  ],
  OUTPUT: [
    {
      name: "shards",
      value: {
        name: "NUM",
        expects: "a whole number from 1 to 10000",
        admits: (text: string): boolean => isCount(text) && Number(text) <= 1e4,
        example: "8",
      },
      summary: "Divide all sessions into NUM parts.",
      details:
        "Parts that other commands can read apart, on as many machines: files of one family are in one part, and parts are about as large. The same files are always divided the same way. There are fewer parts where there are fewer families.",
    },
    {
      name: "mutations",
      summary: "Print each change of the history as it happens.",
      details:
        "Instead of the history at the end: each mutation as a line of JSONL, written as soon as its event has arrived. Whoever applies them holds the records at every moment.",
    },
    {
      name: "format",
      value: { name: "FORMAT", choices: FORMATS },
      summary: "The form of the data.",
      details:
        "table is for people; json is one value, jsonl one value a line; csv and tsv begin with a line of names.",
    },
    {
      name: "json",
      means: { name: "format", value: "json" },
      summary: "Short for --format=json.",
      details: "The last one of both counts.",
    },
    {
      name: "by",
      value: { name: "WHAT", choices: USAGE_KEYS, example: "model" },
      isRepeatable: true,
      summary: "What the tokens are summed up by.",
      details:
        "turn and thread are in the order of the input, the others in their own. Several make a group of each combination: --by=day,model, or --by day --by model.",
    },
    {
      name: "time-zone",
      value: {
        name: "ZONE",
        example: "Europe/Berlin",
        expects:
          "UTC, local, or the name of a time zone, such as Europe/Berlin",
        admits: isTimeZone,
        default: "UTC",
      },
      summary: "The time zone that days are of.",
      details:
        "Session files have times in UTC. local is the time zone of this machine, so that the same files give other days on another one.",
    },
    {
      name: "prices",
      value: { name: "FILE", expects: "a file", example: "prices.json" },
      summary: "Say what it cost, by the prices in FILE.",
      details:
        '{"MODEL": {"input": 1.25, "cached_input": 0.125, "output": 10}}: what a million tokens cost. cached_input and cache_write_input are as dear as input, and reasoning_output as output, unless FILE says otherwise; the model "*" is any other. No prices are built in. Arithmetic is exact; tables show four decimal places.',
    },
    {
      name: "explain",
      summary: "Show how each number was derived.",
      details:
        "Instead of the sums: for each line that has counts, whether they were counted and by which rule, or why not.",
    },
    {
      name: "to",
      value: {
        name: "FORM",
        choices: RENDER_FORMS,
        aliases: FORM_ALIASES,
        example: "html",
      },
      summary: "The form of the transcript.",
      details:
        "text is a live view for a terminal; markdown is for pasting and keeping; html is one page that needs nothing else and no network; github is a job summary. Without it: what the name of --output ends in (.txt, .md, .html); without --output text on a terminal; else markdown.",
    },
    {
      name: "output",
      short: "o",
      value: { ...FILE_NAME, example: "session.html" },
      summary: "Write to FILE instead of stdout.",
      details: "FILE is emptied first.",
    },
    {
      name: "write-baseline",
      value: { ...FILE_NAME, example: "baseline.json" },
      summary: "Write to FILE what there is, to compare with later.",
      details:
        "Nothing is compared then. With --baseline, what that has is in it too; both may be one file. It holds kinds, paths, types and words, and no value of anybody's.",
    },
    {
      name: "reasoning",
      value: { name: "HOW", choices: REASONING, example: "omit" },
      summary: "What becomes of reasoning.",
      details:
        "omit leaves it out; fold shows it folded, in text its headings; include shows it. Without it, fold, and include in text. A summary for github never has any.",
    },
    {
      name: "tools",
      value: { name: "HOW", choices: TOOLS, default: "full" },
      summary: "What becomes of commands, edits and tools.",
      details:
        "none leaves them out; names shows which ones there were and how they ended; full also shows what went in and came out.",
    },
    {
      name: "max-output-lines",
      value: {
        name: "NUM",
        expects: "a whole number from 0 up",
        admits: (text: string): boolean => /^\d{1,9}$/.test(text),
        example: "100",
      },
      summary: "Show at most NUM lines of each output.",
      details:
        "What is left out is said. Text and github keep the last lines, the others as many from the beginning as from the end. Without it, 5 in text and 20 of a diff there, 2000 in html, 20 in a summary for github, and all in markdown. Of a page on stdout, 20 after 12 MB of it.",
    },
    {
      name: "images",
      summary: "Show images on a page, though nothing in them is masked.",
      details:
        "Those that the log holds: what the user attached, what tools gave, and what the agent made, up to 4 MiB each and 24 MiB on a page. Without it, they are shown with --no-redact; otherwise it is said where one is.",
    },
    {
      name: "redact",
      undoes: "no-redact",
      summary: "Mask secrets.",
      details:
        "Tokens of known shapes, private keys, Authorization headers, passwords in URLs, and values behind names of secrets become [redacted:KIND], before anything is cut; how many of each kind is said on stderr. The default for markdown, html and github. What has no known shape and no name is not found.",
    },
    {
      name: "no-redact",
      undoes: "redact",
      summary: "Do not mask secrets.",
      details: "The default for text.",
    },
    {
      name: "redact-pattern",
      value: {
        name: "REGEXP",
        expects: "a regular expression",
        admits: isRegularExpression,
        example: "ACME-\\d+",
      },
      isRepeatable: true,
      summary: "Mask what matches, too.",
      details:
        "A JavaScript regular expression, by the Unicode rules. It takes time linear in the length of the text: back references, looks ahead and behind, and repetitions of more than a thousand steps are refused. May be given several times; it turns --redact on.",
    },
    {
      name: "content",
      summary: "Write messages, and what went into calls and came out, too.",
      details:
        "Without it they are left out: their formats have them only if they are asked for.",
    },
    {
      name: "table",
      value: { name: "NAME", choices: TABLE_NAMES },
      summary: "The only table that is written.",
      details:
        "Of --to=tables. Without it, each of them goes to a file of its own, and --output says where.",
    },
    {
      name: "jsonl",
      summary: "Print its lines, normalized.",
      details: "Line by line, as normalize does.",
    },
    {
      name: "history",
      summary: "Print its history: a HistoryState snapshot.",
      details: "One JSON object, as the command history prints it.",
    },
    {
      name: "meta",
      summary: "Print what is known about it, as JSON.",
      details:
        "One JSON object, with the fields that sessions list --json has; ancestors, the sessions that it goes on from; and missing, what of that is not there.",
    },
    {
      name: "command",
      summary: "Print only the command that goes on with it.",
      details: "One line for a shell: codex resume and the id.",
    },
    {
      name: "tee",
      summary: "Pass the input through to stdout.",
      details:
        "Byte for byte, as it comes, but for control characters on a terminal, which are escaped; of .gz and .zst files what is in them, and UTF-16 as UTF-8. If its reader goes away, the rest is judged all the same.",
    },
    {
      name: "last-message",
      summary: "Print the final message.",
      details:
        "What the agent said last in the last turn, as it was said, and a line feed. Nothing, if there is none.",
    },
    {
      name: "github",
      summary: "Tell GitHub Actions.",
      details:
        "Reasons against the run become annotations (workflow commands on stderr), a summary is added to the file that GITHUB_STEP_SUMMARY names, and verdict, status, thread-id, tokens and final-message to the one that GITHUB_OUTPUT names. Secrets are masked in all of them.",
    },
    {
      name: "pretty",
      summary: "Indent the JSON.",
      details:
        "Without it, the history is one line. Mutations are always lines.",
    },
    {
      name: "checkpoint",
      summary: "Write what it takes to go on, too.",
      details:
        "Adds the field resume to the snapshot, for --restore. Others ignore it. With --mutations, the snapshot follows the last mutation.",
    },
    {
      name: "line-buffered",
      summary: "Write each answer before the next line is answered.",
      details:
        "Without it, the answers to lines that arrived together are written together; nothing is ever held back when the input pauses. With --on-error=inline every line that is not blank is answered by exactly one line (of a rollout: a torn line with a record glued to it, by two).",
    },
    {
      name: "no-pager",
      summary: "Show everything at once.",
      details:
        "Without it, more than the terminal has room for is shown by a pager: CODEXPIPE_PAGER, else PAGER, a program and its arguments, else less, with LESS=FRX unless that is set. An empty one, or cat, is none. Pipes, files, what is followed or comes from stdin, and terminals that are dumb have none, nor has a command that may not run it: Deno wants --allow-run.",
    },
    {
      name: "color",
      value: { name: "WHEN", choices: COLOR, default: "auto" },
      summary: "Colour text for people, diagnostics and help.",
      details:
        "auto colours what goes to a terminal unless NO_COLOR is set or TERM is dumb. Of data, only what is laid out for people is coloured.",
    },
    {
      name: "no-color",
      means: { name: "color", value: "never" },
      summary: "Short for --color=never.",
      details: "The last one of both counts.",
    },
  ],
  OTHER: [
    {
      name: "engine",
      value: { name: "ENGINE", choices: ENGINES, default: "auto" },
      summary: "What answers the lines.",
      details:
        "The answers are the same. wasm answers lines like those before them in WebAssembly, the others in JavaScript; js does without. auto begins with js and takes wasm when there is enough to do, if it can run here. --verbose says which one ran.",
    },
    {
      name: "jobs",
      short: "j",
      value: {
        name: "NUM",
        expects: "a whole number from 1 to 256",
        admits: isJobs,
        example: "4",
      },
      summary: "Read NUM files at once.",
      details:
        "What is written is the same, in the order of the files; each one that is read takes up to 60 MB of memory. Without it, one for each 64 MB, and at most as many as the machine has cores. With stdin among them they are read one after the other, and so they are with --errors-to, --on-error=stop, --line-buffered, --verbose and --github.",
    },
    {
      name: "quiet",
      short: "q",
      undoes: "verbose",
      summary: "Say nothing about failed lines.",
      details:
        "What could not be read or written is still reported, and the exit status stays the same.",
    },
    {
      name: "verbose",
      short: "v",
      undoes: "quiet",
      summary: "Say what each input was read as.",
      details:
        "For each input one line on stderr: the dialect, how many lines became records and how many failed, and which engine answered how many of them. Another one says whether there is something that no known release of Codex writes.",
    },
    {
      name: "help",
      short: "h",
      summary: "Show help: -h in short, --help in full.",
      details: "-h shows one line for each option, --help all there is to say.",
    },
    {
      name: "version",
      short: "V",
      summary: "Show the version.",
      details: "Shows the name and the version of the command.",
    },
  ],
} as const satisfies Readonly<
  Record<string, readonly Omit<Flag, "category">[]>
>;

/** A heading of the help. */
type Category = keyof typeof FLAGS;

/** The headings that flags stand under in the help. */
export const CATEGORIES = Object.keys(FLAGS) as readonly Category[];

export type FlagName = typeof FLAGS[Category][number]["name"];

/** Every flag, in the order of the help. */
export const ALL_FLAGS: readonly (Flag & { readonly name: FlagName })[] =
  CATEGORIES.flatMap((category) =>
    FLAGS[category].map((flag) => ({ ...flag, category }))
  );

export function expectationOf({ choices, expects }: FlagValue): string {
  if (choices === undefined) return expects ?? "a value";
  return oneOf(choices);
}

/** Some words, of which one is meant: `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
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

function isJobs(text: string): boolean {
  return isCount(text) && Number(text) <= 256;
}

function isWholeNumber(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text);
    return text !== "";
  } catch {
    return false;
  }
}

function isTimeZone(text: string): boolean {
  if (text.toLowerCase() === "local") return true;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** A flag as one command has it, where it differs from the table. */
export interface NarrowedFlag {
  /** Its name in the table. */
  readonly name: FlagName;
  /** The values that this command takes. */
  readonly choices?: readonly string[];
  /** What holds if it is not given. */
  readonly default?: string;
  /** What it takes here, if that is something else. */
  readonly value?: FlagValue;
  /** What it does here, in one line. */
  readonly summary?: string;
  /** What else there is to say here. */
  readonly details?: string;
}

/**
 * Asks for the flags of a command.
 *
 * @returns Its flags in the order of the table, as this command has them.
 */
export function flagsOf(
  { flags }: { readonly flags: readonly (FlagName | NarrowedFlag)[] },
): readonly (Flag & { readonly name: FlagName })[] {
  const uses = new Map(flags.map((use) => [nameOf(use), use]));
  return ALL_FLAGS.flatMap((flag) => {
    const use = uses.get(flag.name);
    if (use === undefined) return [];
    return typeof use === "string" ? [flag] : [narrowed(flag, use)];
  });
}

function nameOf(use: FlagName | NarrowedFlag): FlagName {
  return typeof use === "string" ? use : use.name;
}

function narrowed<F extends Flag>(flag: F, use: NarrowedFlag): F {
  const { choices, default: fallback, value = flag.value, ...others } = use;
  if (value === undefined) return { ...flag, ...others };
  const own = {
    ...value,
    ...(choices === undefined ? {} : { choices }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
  return { ...flag, ...others, value: own };
}

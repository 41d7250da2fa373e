/** The table of flags. The parser, the helps, the manual page and the tests read it. */

import { DIALECTS } from "../dialects/dialect_names.ts";
import { TABLE_NAMES } from "../export/tables.ts";
import { MAX_LINE_BYTES } from "../lines/line_framer.ts";
import type { Engine, OnError } from "../pipeline/line_answers.ts";
import { REASONING, RENDER_FORMS, TOOLS } from "../render/render_options.ts";
import { MESSAGE_ROLES } from "../sessions/session_records.ts";
import { RUN_COUNTERS, USAGE_KEYS } from "../usage/usage_names.ts";
import { parseTime } from "./times.ts";

/** Parses a number of bytes, such as `1000000` or `16M`; huge ones are rounded. */
export function parseByteSize(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d+)([KMG]?)$/i.exec(text) ?? [];
  const units = ["", "K", "M", "G"];
  return digits === undefined
    ? undefined
    : Number(digits) * 1024 ** units.indexOf(unit.toUpperCase());
}

/** The name that stands for stdin as an input file, and for stdout as an output file. */
export const STDIN = "-";

export interface FlagValue {
  /** The placeholder of the value in the help. */
  readonly name: string;
  /** The accepted values, if there is a fixed set. */
  readonly choices?: readonly string[];
  /** Synonyms of choices: each key is read as its value. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** A description of the accepted values for error messages, if there are no choices. */
  readonly expects?: string;
  /** Returns whether a value is accepted; without it, every non-empty text is. */
  readonly admits?: (text: string) => boolean;
  /** The value if the flag is not given. */
  readonly default?: string;
}

interface FlagRow {
  /** The short form: one letter, without the dash. */
  readonly short?: string;
  /** The value; a flag without one is a switch. */
  readonly value?: FlagValue;
  /** Whether the flag can be given several times and all values count, not only the last. */
  readonly isRepeatable?: boolean;
  /** The opposite flag: if both are given, the last one counts. */
  readonly undoes?: string;
  /** The flag and value that this switch abbreviates. */
  readonly means?: { readonly name: string; readonly value: string };
  /** The summary, which is one sentence that says what the flag does, and the details. */
  readonly text: string;
}

export interface Description {
  /** One sentence, which `-h` shows. */
  readonly summary: string;
  /** Further sentences, which `--help` adds. */
  readonly details: string;
}

export function described(text: string): Description {
  const [, summary = text, details = ""] = /^(.*?\.) (.*)$/s.exec(text) ?? [];
  return { summary, details };
}

export interface Flag extends Omit<FlagRow, "text">, Description {
  readonly name: FlagName;
  readonly category: Category;
}

/** The values of `--format`, by the kind of output. */
export const FORMATS = {
  usage: ["table", "json", "jsonl", "csv"],
  list: ["table", "json", "jsonl", "tsv", "ids", "paths"],
  family: ["table", "json", "jsonl", "ids", "paths"],
  search: ["text", "json", "jsonl"],
  report: ["text", "json"],
  live: ["text", "jsonl"],
  schema: ["json", "sql"],
  table: ["jsonl", "csv"],
} as const;

/** The values of `--from` in commands that also read history snapshots. */
export const HISTORY_INPUTS = [...DIALECTS, "history"] as const;

export const FORM_ALIASES: Readonly<Record<string, string>> = {
  htm: "html",
  md: "markdown",
  txt: "text",
};

export const SESSION_FILTERS = [
  "cwd",
  "since",
  "until",
  "branch",
  "originator",
  "grep",
  "archived",
] as const;

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
  "exec is the output of `codex exec --json`, in every dialect since Codex 0.8; app-server is the output of `codex app-server`, with or without the messages of its client; rollout is a session file (rollout-*.jsonl), of every release since 0.1";

export const HOW_JOBS_READ =
  "The output is the same, in the order of the files. Each file that is being read takes up to 60 MB of memory. The default is one for each 64 MB of input, and at most the number of cores. Files are read one after the other if stdin is one of them";

const TIME = {
  name: "TIME",
  expects:
    "a date (2026-01-31), a time (2026-01-31T12:00:00Z), or how long ago (90m, 12h, 7d, 2w)",
  admits: (text: string): boolean => parseTime(text, 0) !== undefined,
};

const REGEXP = {
  name: "REGEXP",
  expects: "a regular expression",
  admits: isRegularExpression,
};

/** A number of files, results or parts: at least 1, and of at most nine digits. */
function countUpTo(most = Infinity): FlagValue {
  return {
    name: "NUM",
    expects: `a whole number from 1 ${most === Infinity ? "up" : `to ${most}`}`,
    admits: (text) => /^[1-9]\d{0,8}$/.test(text) && Number(text) <= most,
  };
}

/** The name of an output file; `-` is refused. */
const FILE_NAME = {
  name: "FILE",
  expects: "the name of a file",
  admits: (text: string): boolean => text !== "" && text !== STDIN,
};

/** All flags of all commands, by their heading in the help. A text stands for a switch. */
const FLAGS = {
  INPUT: {
    from: {
      value: { name: "DIALECT", choices: DIALECTS, default: "auto" },
      text:
        `Set the dialect of the input. ${DIALECT_MEANINGS}. auto detects the dialect of each file by its first line that is a JSON object.`,
    },
    "max-line-bytes": {
      value: {
        name: "NUM",
        expects:
          `a number of bytes from 1 to ${MAX_LINE_BYTES}, such as 1000000 or 16M`,
        admits: isLineLimit,
        default: "256M",
      },
      text:
        `Fail lines longer than NUM bytes. The line feed does not count. A longer line is a line_too_long failure, and reading goes on with the next line. The limit of a line is also the limit of a whole history snapshot, which may have several lines. The suffixes K, M and G are powers of 1024. NUM is at most ${MAX_LINE_BYTES}.`,
    },
    follow: {
      short: "f",
      text:
        "Keep reading as the file grows. Works like tail -F, line by line: a last line is read once it is complete. The file need not exist yet, and it may be moved, archived, compressed, or rewritten with the same beginning: no line is lost or repeated. If the file is emptied or replaced by another one, its content is read from the start as a new stream. Ctrl-C ends the command after the last complete line, with exit status 130. Takes one file in UTF-8; stdin is read to its end as without this option.",
    },
    thread: {
      value: { name: "ID", expects: "the id of a thread", admits: () => true },
      text:
        "Read only the events of this thread. For app-server streams, in which events of several threads are interleaved. Events without a thread are left out. Session files hold one thread and are read whole.",
    },
    "thread-id": {
      value: { name: "ID", expects: "the id of a thread", admits: () => true },
      text:
        "Set the thread of lines before the first thread line. For exec logs whose beginning was cut off: lines belong to this thread until a line names its own. A blank ID counts as none.",
    },
    "turn-id": {
      value: { name: "ID", expects: "the id of a turn", admits: () => true },
      text:
        "Set the turn of lines before the first turn line. For exec logs whose beginning was cut off: lines belong to this turn until the first line that starts a thread or a turn. A blank ID counts as none.",
    },
    "codex-home": {
      value: { name: "DIR", expects: "a folder" },
      isRepeatable: true,
      text:
        "Read the sessions in this Codex home. The folder that holds sessions/ and archived_sessions/. If it is given several times, the sessions of all homes form one list. The default is CODEX_HOME, or else .codex in your home folder. codexpipe never writes to it.",
    },
    family: {
      value: { name: "ID", expects: "a session" },
      text:
        "Read all sessions of the family that ID belongs to. A family is a session with its forks and sub-agents, as `codexpipe sessions family ID` shows it. The root is read first. ID is a session id, a name or a file; --codex-home sets where it is searched.",
    },
    index: {
      value: { name: "FILE", expects: "a file" },
      text:
        `Use the index in FILE. FILE is a SQLite database. It is created if it does not exist, and created again if it is damaged. An empty file FILE-lock marks it as an index; a file that is not an index is left alone. An index covers the Codex homes that it was last updated for. By default, the index is in the folder codexpipe of the cache folder, where you can delete it at any time. The cache folder is ${CACHE_FOLDER}.`,
    },
    rebuild:
      "Rebuild the index. Reads all sessions again, even if they have not changed.",
    "no-refresh":
      "Search the index without updating it first. Without this option, sessions that changed since the last update are read first, the newest first, for at most three seconds. If nothing is found and some are still unread then, the exit status is 3.",
    home:
      "Read the Codex home even if stdin is not a terminal. Without --home and --codex-home, the home is read only if no FILE is given and stdin is a terminal. In a script, --home keeps the command from reading stdin.",
    baseline: {
      value: { name: "FILE", expects: "a file" },
      text:
        "Compare with FILE instead of the known releases. FILE was written with --write-baseline. If it was made of five sessions or more, kinds of records that all of them had and an input lacks are reported as well.",
    },
    "run-counters": {
      value: { name: "SCOPE", choices: RUN_COUNTERS, default: "auto" },
      text:
        "Set the scope of the token counts in exec streams. After `codex exec resume`, the token counts at the end of a turn cover the whole thread (Codex 0.79 to 0.147, and 0.155 and later) or only the process (up to 0.77, and 0.148 to 0.152), and nothing in the stream tells which. auto assumes the whole thread if the turns of a thread can be ordered so that the counts never decrease.",
    },
    fast:
      "Read only the first lines of session files. Leaves out how sessions ended, their tokens and their duration: those need the whole file.",
    restore: {
      value: { name: "FILE", expects: "a file" },
      text:
        "Continue from the snapshot in FILE. If the snapshot was written with --checkpoint, the rest of its stream gives the same history as the whole stream at once. From any other snapshot only the records are taken, and the input is read as a new stream.",
    },
    stamp:
      "Take times from the clock. For live exec streams, whose events have no time: records get the time at which their events were read, and mutations get it as their timestamp. Without this option such times are 1970-01-01T00:00:00.000Z, so that the same input gives the same output.",
  },
  SELECTION: {
    cwd: {
      value: { name: "DIR", expects: "a folder" },
      text:
        "Select sessions that ran in DIR or below it. A relative DIR starts from the current folder. The folder need not exist any more. The case of letters does not matter in Windows paths, on any platform, nor in the drives that WSL mounts (/mnt/c).",
    },
    since: {
      value: TIME,
      text:
        "Leave out everything before TIME. A date without a time means midnight; dates, and times without an offset, are in UTC. m, h, d and w are minutes, hours, days and weeks before now.",
    },
    until: {
      value: TIME,
      text:
        "Leave out everything from TIME on. Takes the same forms as --since. TIME itself is left out.",
    },
    limit: {
      value: countUpTo(),
      text:
        "Show at most NUM results. The first ones in the order of the list.",
    },
    cursor: {
      value: {
        name: "CURSOR",
        expects: "a time and an id, as the previous page gave it",
      },
      text:
        "Show the page that starts after CURSOR. A list that --limit cut gives the cursor of the next page. Cursors of Codex itself are accepted too. Pages neither repeat nor leave out a session, even if many sessions share a time.",
    },
    branch: {
      value: { name: "NAME", expects: "the name of a branch" },
      text:
        "Select sessions that began on this git branch. The branch that was checked out when the session began.",
    },
    originator: {
      value: { name: "NAME", expects: "the name of a program" },
      text:
        "Select sessions that this program started. Such as codex_exec, codex_cli_rs, codex-tui or codex_vscode. Session files record it since Codex 0.34.",
    },
    grep: {
      value: REGEXP,
      text:
        "Select sessions whose title or location matches. REGEXP is a JavaScript regular expression; case does not matter. It is matched against the id, the name, the start of the first message, the working directory, the branch and the name of a sub-agent. To search the content of sessions, use sessions search.",
    },
    archived:
      "Select only archived sessions. Without this option, both archived and other sessions are selected.",
    role: {
      value: { name: "ROLE", choices: MESSAGE_ROLES },
      isRepeatable: true,
      text:
        "Search only text of this role. user: messages of the user. assistant: messages of the model. reasoning: its reasoning. command: commands and their output. patch: changes to files. tool: calls of other tools. plan: plans. notice: messages of Codex. error: errors. Several roles can be given: --role=user,assistant, or --role=user --role=assistant.",
    },
    last:
      "Use the session that was written to last. Takes the place of an ID. Sub-agents and archived sessions are used only if there are no others.",
    "from-start":
      "Begin at the start of the session file. Without this option, only new lines are printed. The earlier part of a fork, or of a session that continues in further files, is in other files: `codexpipe sessions show` shows it.",
    "exit-on": {
      value: {
        name: "WHEN",
        expects: "turn, or idle=SECONDS",
        admits: (text) => /^(?:turn|idle=\d{1,9}(?:\.\d+)?)$/.test(text),
      },
      isRepeatable: true,
      text:
        "Exit after a turn, or after some time without changes. turn exits when a turn has ended and no line follows; with --from-start that may be at once. Session files record the end of a turn since Codex 0.101; with older ones the command does not exit. idle=SECONDS exits when nothing was written for that time. If both are given, the command exits at the first of them. The exit status is 0 even if the turn failed; use `codexpipe check` to judge a turn.",
    },
  },
  FAILURES: {
    "on-error": {
      value: { name: "HOW", choices: ON_ERROR, default: "report" },
      text:
        "Choose how failed lines are handled. report prints FILE:LINE: KIND: MESSAGE to stderr and goes on. inline prints no message and writes a line.failed record, which holds the line, in its place. drop leaves the line out without a message. stop reports the line and exits with status 1. With --from=auto, one message warns if most lines of an input failed, unless --quiet is given.",
    },
    "errors-to": {
      value: FILE_NAME,
      text:
        "Write failed lines to FILE, as JSONL. Writes a line.failed record for each failed line, with the line in it, in addition to what --on-error does. FILE is overwritten.",
    },
    strict:
      "Exit with status 1 if any line failed. Only the exit status changes; all lines are still processed.",
  },
  VERDICT: {
    "max-failures": {
      value: {
        name: "NUM",
        expects: "a number of lines, such as 0 or 10",
        admits: isWholeNumber,
        default: "0",
      },
      text:
        "Accept up to NUM unreadable lines. More unreadable lines than NUM fail the run. If the log contains stderr (2>&1), lines from stderr are unreadable lines.",
    },
    "fail-on-command":
      "Fail if a command failed. A command failed if its exit status is not 0 or if it was killed. A command that was still running when its turn ended did not fail.",
    "fail-on-declined":
      "Fail if a command or patch was declined. Declined by the user, by another approver or by a rule. Without this option, declined commands and patches do not fail the run.",
    schema:
      "Fail if a line does not match its JSON Schema. Lines are normalized and validated with the schema ThreadEvent or RolloutLine, as `codexpipe schema` prints them. Each path that does not match is one reason, with the first line and the number of lines.",
    "fail-on-drift":
      "Fail on data that no known Codex release writes. Without this option, such data is reported but does not fail the run. `codexpipe drift` lists it.",
    "max-tokens": {
      value: {
        name: "NUM",
        expects: "a number of tokens, such as 200000",
        admits: isWholeNumber,
      },
      text:
        "Fail if more than NUM tokens were used. Counts input and output, each request once, as `codexpipe usage` does. An input without token counts passes, with a message on stderr.",
    },
    "json-output":
      "Fail unless the final message is JSON, and print it. For runs with --output-schema. The message must be JSON only, without a code fence around it. It is printed as --last-message prints it, unless --tee or --format=json write to stdout.",
  },
  OUTPUT: {
    shards: {
      value: countUpTo(10_000),
      text:
        "Divide all sessions into NUM parts. Parts are about equally large and can be processed apart, for example on several machines: all files of a family are in the same part. The same files are always divided in the same way. If there are fewer families than NUM, there are fewer parts.",
    },
    mutations:
      "Print each change of the history as it happens. Instead of the history at the end, prints each mutation as a line of JSONL as soon as its event arrives. A program that applies them in order has the current history at any time; `codexpipe schema HistoryMutation` describes them.",
    format: {
      value: {
        name: "FORMAT",
        choices: [...new Set(Object.values(FORMATS).flat())],
      },
      text:
        "Choose the output format. table is for people; json is one value, jsonl one value per line; csv and tsv begin with a header line.",
    },
    json: {
      means: { name: "format", value: "json" },
      text: "Short for --format=json. If both are given, the last one counts.",
    },
    by: {
      value: { name: "KEY", choices: USAGE_KEYS },
      isRepeatable: true,
      text:
        "Group the tokens by KEY. The default is day for a Codex home and thread for files. Turns and threads are in the order of the input, other groups are sorted. With several keys there is a group for each combination: --by=day,model, or --by day --by model.",
    },
    "time-zone": {
      value: {
        name: "ZONE",
        expects:
          "UTC, local, or the name of a time zone, such as Europe/Berlin",
        admits: isTimeZone,
        default: "UTC",
      },
      text:
        "Set the time zone of days. Session files have times in UTC. local is the time zone of this machine: the same files may give other days on another machine.",
    },
    prices: {
      value: { name: "FILE", expects: "a file" },
      text:
        'Show costs, computed with the prices in FILE. FILE holds the price of a million tokens: {"MODEL": {"input": 1.25, "cached_input": 0.125, "output": 10}}. By default, cached_input and cache_write_input cost as much as input, and reasoning_output as much as output; the model "*" stands for all other models. No prices are built in. Costs are exact; tables show four decimal places.',
    },
    explain:
      "Show how each number was derived. Instead of the sums, lists each line that has token counts: whether they were counted, and by which rule, or why not.",
    to: {
      value: { name: "FORM", choices: RENDER_FORMS, aliases: FORM_ALIASES },
      text:
        "Choose the form of the transcript. text is a live view for a terminal; markdown is for pasting and keeping; html is one self-contained page that needs no network; github is a job summary for GitHub Actions. The default follows the extension of --output (.txt, .md, .html); without --output it is text on a terminal, and otherwise markdown.",
    },
    output: {
      short: "o",
      value: FILE_NAME,
      text: "Write to FILE instead of stdout. FILE is overwritten.",
    },
    "write-baseline": {
      value: FILE_NAME,
      text:
        "Write a baseline to FILE, to compare with later. Nothing is compared. With --baseline, the new baseline contains the old one too; both may be the same file. A baseline holds kinds of records, paths of fields, types and words of enumerations, but none of your data.",
    },
    reasoning: {
      value: { name: "HOW", choices: REASONING },
      text:
        "Choose how reasoning is shown. omit leaves it out; fold shows it folded (in text, only its headings); include shows all of it. The default is include in text, and otherwise fold. A summary for github never contains reasoning.",
    },
    tools: {
      value: { name: "HOW", choices: TOOLS, default: "full" },
      text:
        "Choose how commands, edits and tool calls are shown. none leaves them out; names shows their names and how they ended; full also shows their input and output.",
    },
    "max-output-lines": {
      value: {
        name: "NUM",
        expects: "a whole number from 0 up",
        admits: (text: string): boolean => /^\d{1,9}$/.test(text),
      },
      text:
        "Show at most NUM lines of each output. A note says how many lines were left out. text and github keep the last lines, the other forms as many from the beginning as from the end. The default is 5 in text (20 for a diff), 2000 in html, 20 in github, and no limit in markdown. After 12 MB of a page on stdout, the limit is 20.",
    },
    images:
      "Show images in html; secrets in them are not masked. Shows the images in the log: attached by the user, returned by tools or made by the agent, up to 4 MiB each and 24 MiB per page. Without this option, images are shown only with --no-redact; otherwise a note stands in the place of each.",
    redact: {
      undoes: "no-redact",
      text:
        "Mask secrets. Replaces tokens of known formats, private keys, Authorization headers, passwords in URLs, and values whose name denotes a secret with [redacted:KIND], before any text is shortened. The number of secrets of each kind is reported on stderr. The default for markdown, html and github. Secrets without a known format or name are not found.",
    },
    "no-redact": {
      undoes: "redact",
      text: "Do not mask secrets. The default for text.",
    },
    "redact-pattern": {
      value: REGEXP,
      isRepeatable: true,
      text:
        "Mask text that matches REGEXP, too. REGEXP is a JavaScript regular expression in Unicode mode. Matching takes time linear in the length of the text; therefore back references, lookaheads, lookbehinds, and repetitions of more than a thousand steps are refused. Can be given several times. Implies --redact.",
    },
    content:
      "Include messages, and the input and output of calls. For --to=otlp and --to=tables, which leave them out by default.",
    table: {
      value: { name: "NAME", choices: TABLE_NAMES },
      text:
        "Write only this table. For --to=tables. Without this option, each table is written to its own file in the folder that --output names.",
    },
    jsonl:
      "Print the lines of the session, normalized. The same lines as `codexpipe normalize` prints.",
    history:
      "Print the history of the session as JSON. A HistoryState snapshot, as `codexpipe history` prints it.",
    meta:
      "Print facts about the session as JSON. One JSON object with the fields of sessions list --json but hidden, outcome, total_tokens and duration_ms, with ancestors (the sessions that this one continues) and with missing (the one of them that was not found, or null).",
    command:
      "Print only the command that resumes the session. One line for a shell: codex resume and the id.",
    tee:
      "Copy the input to stdout. Copies the input as it arrives, byte for byte, with three exceptions: control characters are escaped on a terminal, .gz and .zst files are decompressed, and UTF-16 is written as UTF-8. If the reader of stdout closes it, the rest of the input is still judged.",
    "last-message":
      "Print the final message. The last message of the agent in the last turn, unchanged, and a line feed. Prints nothing if there is no such message.",
    github:
      "Report to GitHub Actions. Turns the reasons of a failure into annotations (workflow commands on stderr), appends a summary to the file that GITHUB_STEP_SUMMARY names, and writes verdict, status, thread-id, tokens and final-message to the file that GITHUB_OUTPUT names. Secrets are masked in all of them.",
    pretty:
      "Indent the JSON. Without this option, the history is one line. Mutations are always one line each.",
    checkpoint:
      "Add the state that --restore needs to the snapshot. Adds the field resume, which other programs can ignore. With --mutations, the snapshot is printed after the last mutation.",
    complete:
      "Print what completes the last WORD, instead of the script. The script calls this whenever you press Tab.",
    "line-buffered":
      "Write each result before the next line is processed. Without this option, the results of lines that arrived together are written together; when the input pauses, no result is held back.",
    "no-pager":
      "Do not use a pager. By default, output that does not fit the terminal is shown in a pager: the program and arguments in CODEXPIPE_PAGER, or else in PAGER, or else less, with LESS=FRX if LESS is not set. An empty variable, or cat, turns the pager off. There is no pager if stdout is a pipe or a file, if the input is stdin or is followed, if TERM is dumb, or if the pager must not be run: Deno needs --allow-run.",
    color: {
      value: { name: "WHEN", choices: COLOR, default: "auto" },
      text:
        "Choose when to use colour. Text for people, diagnostics and help can be coloured; output for programs never is. auto uses colour on a terminal, unless NO_COLOR is set or TERM is dumb.",
    },
    "no-color": {
      means: { name: "color", value: "never" },
      text: "Short for --color=never. If both are given, the last one counts.",
    },
  },
  OTHER: {
    engine: {
      value: { name: "ENGINE", choices: ENGINES, default: "auto" },
      text:
        "Choose the engine that processes lines. The output is the same. wasm processes lines that resemble earlier ones in WebAssembly, and the others in JavaScript; js uses only JavaScript. auto starts with js and switches to wasm for large inputs, if WebAssembly can run here. --verbose reports which engine ran.",
    },
    jobs: {
      short: "j",
      value: countUpTo(256),
      text: `Read NUM files at once. ${HOW_JOBS_READ}.`,
    },
    quiet: {
      short: "q",
      undoes: "verbose",
      text:
        "Do not report failed lines. Files that cannot be read or written are still reported, and the exit status stays the same.",
    },
    verbose: {
      short: "v",
      undoes: "quiet",
      text:
        "Report how each input was read. Prints a line to stderr for each input: the dialect, the number of records and of failed lines, and the engine, with the share of lines that WebAssembly processed. A second line reports data that no known Codex release writes, if there is any. Of a file that is followed, it is also reported when it is archived, compressed, emptied or replaced.",
    },
    help: {
      short: "h",
      text:
        "Show help: -h for a summary, --help for details. -h describes each option in one sentence.",
    },
    version: {
      short: "V",
      text: "Show the version. Prints the name and the version of the command.",
    },
  },
} as const satisfies Readonly<
  Record<string, Record<string, FlagRow | string>>
>;

type Category = keyof typeof FLAGS;

export const CATEGORIES = Object.keys(FLAGS) as readonly Category[];

export type FlagName = { [C in Category]: keyof typeof FLAGS[C] }[Category];

export const ALL_FLAGS: readonly Flag[] = CATEGORIES.flatMap((category) =>
  Object.entries<FlagRow | string>(FLAGS[category]).map(([name, given]) => {
    const { text, ...row } = typeof given === "string"
      ? { text: given }
      : given;
    // The cast is safe: the names are the keys of the table.
    return { ...row, ...described(text), name: name as FlagName, category };
  })
);

export function expectationOf({ choices, expects }: FlagValue): string {
  if (choices === undefined) return expects ?? "a value";
  return oneOf(choices);
}

export function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function isLineLimit(text: string): boolean {
  const bytes = parseByteSize(text);
  return bytes !== undefined && bytes >= 1 && bytes <= MAX_LINE_BYTES;
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

/** A flag of one command, with the properties in which it differs from the table. */
export type NarrowedFlag =
  & Pick<Flag, "name">
  & Partial<Pick<Flag, "value" | "summary" | "details">>
  & Partial<Pick<FlagRow, "text">>
  & Pick<FlagValue, "choices" | "default">;

/** Lists the flags of a command in the order of the table, with the changes of the command. */
export function flagsOf(
  { flags }: { readonly flags: readonly (FlagName | NarrowedFlag)[] },
): readonly Flag[] {
  const uses = new Map(flags.map((use) => {
    const flag = typeof use === "string" ? { name: use } : use;
    return [flag.name, flag];
  }));
  return ALL_FLAGS.flatMap((flag) => {
    const use = uses.get(flag.name);
    return use === undefined ? [] : [narrowed(flag, use)];
  });
}

export const COMMON_FLAGS: readonly Flag[] = flagsOf({
  flags: ["color", "no-color", "help", "version"],
});

function narrowed(
  flag: Flag,
  { value = flag.value, text, summary, details, name: _, ...ofValue }:
    NarrowedFlag,
): Flag {
  return {
    ...flag,
    ...(text !== undefined && described(text)),
    ...(summary !== undefined && { summary }),
    ...(details !== undefined && { details }),
    ...(value && { value: { ...value, ...ofValue } }),
  };
}

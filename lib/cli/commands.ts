/** The table of commands. The code of a command is loaded only when it runs. */

import { EXPORT_FORMATS } from "../export/formats.ts";
import { JSON_SCHEMA_NAMES } from "../schema_names.ts";
import type { Command } from "./command.ts";
import { TABLE_NAMES } from "../export/tables.ts";
import { RENDER_FORMS } from "../render/render_options.ts";
import { SIZE_KEYS } from "../sessions/session_records.ts";
import {
  CACHE_FOLDER,
  described,
  DIALECT_MEANINGS,
  FORMATS,
  HISTORY_INPUTS,
  HOW_JOBS_READ,
  type NarrowedFlag,
  oneOf,
  SESSION_FILTERS,
  SHELLS,
} from "./flags.ts";

export const SEVERAL_FILES = "[FILE ...]";

const INPUT_FILES: Command["operands"] = [[
  SEVERAL_FILES,
  'Input files, or folders with session files; "-" or none reads stdin.',
]];

const FROM_WITH_SNAPSHOTS: NarrowedFlag = {
  name: "from",
  choices: HISTORY_INPUTS,
  details:
    `${DIALECT_MEANINGS}; history is a history snapshot, as \`codexpipe history\` prints it. auto detects the dialect of each file by its first line.`,
};

const FILES_OR_HOME: Command["operands"] = [[
  SEVERAL_FILES,
  'Input files, or folders with session files; "-" is stdin. Without files, stdin is read, or the Codex home if stdin is a terminal.',
]];

/** The flags that select a thread and set the ids of lines before the first thread or turn line. */
const THREADS = ["thread", "thread-id", "turn-id"] as const;

const READING = ["from", "max-line-bytes", ...THREADS] as const;

const ONE_SESSION = ["last", "codex-home"] as const;

/** `--format`, of which the first choice is the default, and its short form `--json`. */
function formats(
  choices: readonly [string, ...string[]],
  details: string,
): Command["flags"] {
  return [{ name: "format", choices, default: choices[0], details }, "json"];
}

/** `--jobs` of a command with options for which files are read one after the other. */
function jobsInTurnWith(options: string): NarrowedFlag {
  return { name: "jobs", details: `${HOW_JOBS_READ}, and with ${options}.` };
}

const TRANSCRIPT: Command["flags"] = [
  "reasoning",
  "tools",
  "max-output-lines",
  "images",
  "redact",
  "no-redact",
  "redact-pattern",
];

/** The flags of commands that write a result for each line. */
const ANSWERING: Command["flags"] = [
  ...READING,
  "follow",
  "on-error",
  "errors-to",
  "strict",
  "line-buffered",
  "engine",
  jobsInTurnWith("--errors-to, --on-error=stop, --line-buffered and --verbose"),
  "quiet",
  "verbose",
];

const FORKS =
  "If the file of a fork holds only the part after the fork, the session before the fork is read first, from the same Codex home or the same folder. If that session is not found, or if the file comes from stdin, a message says that the output is partial.";

const WHAT_AN_ID_IS =
  "ID is a session id or its beginning, the name of a session, or the path of its file, even if the file was moved since";

const WHICH_SESSIONS: Command["flags"] = [
  "codex-home",
  ...SESSION_FILTERS,
  // Of two entries for a flag, the later one counts.
  { name: "since", summary: "Select sessions that began at TIME or later." },
  { name: "until", summary: "Select sessions that began before TIME." },
];

/** A row of the table; `text` holds the summary, one sentence, and the details. */
interface CommandRow extends Omit<Command, "name" | "summary" | "details"> {
  readonly text: string;
}

/** All commands by name, in the order of the help. */
const COMMANDS_BY_NAME: Readonly<Record<string, CommandRow>> = {
  normalize: {
    text:
      "Reads Codex JSONL of any dialect and writes normalized JSONL to stdout. Each line that is not blank gives one record or one failure, in order (in a session file, a torn line with a record glued to it gives both); `codexpipe schema ThreadEvent` prints the schema of records. Values that are not rewritten keep their exact text. .gz and .zst files are decompressed, and UTF-16 with a byte order mark is accepted, as Windows PowerShell 5 writes it. Several files are independent streams, written one after the other.",
    usage: [
      "codexpipe normalize [OPTIONS] [FILE ...]",
      'codex exec --json "…" | codexpipe normalize',
      "codexpipe normalize --follow FILE",
    ],
    operands: INPUT_FILES,
    flags: ANSWERING,
    load: () => import("./commands/normalize.ts"),
  },
  events: {
    text:
      "Converts Codex logs to thread, turn and item events. From an exec stream, the events are the records of normalize. From a session file, they are the events that `codex exec --json` would have printed for that session, and more in the same form; an event that the file records twice is written once. docs/events.md describes the content of each item type, and `codexpipe schema SessionItem` the items that only session files and app-servers have. Several files are independent streams, written one after the other.",
    usage: [
      "codexpipe events [OPTIONS] [FILE ...]",
      "codexpipe events ~/.codex/sessions/2026/11/20/rollout-*.jsonl",
      "codexpipe events --follow FILE",
    ],
    operands: INPUT_FILES,
    flags: ANSWERING,
    load: () => import("./commands/events.ts"),
  },
  history: {
    text:
      `Prints the history of a session as JSON, or its changes. Prints a HistoryState snapshot: the messages, commands, patches, plans and tool calls of a session, each once and in order. Reads exec streams, app-server streams, session files, and snapshots in both of their layouts; the output always has the same layout, which \`codexpipe schema HistorySnapshot\` prints. Several files are independent: each gives one snapshot. ${FORKS}`,
    usage: [
      "codexpipe history [OPTIONS] [FILE ...]",
      'codex exec --json "…" | codexpipe history --mutations',
    ],
    operands: INPUT_FILES,
    flags: [
      FROM_WITH_SNAPSHOTS,
      "max-line-bytes",
      {
        name: "follow",
        details:
          "With --mutations: prints each change as the file grows. A last line is read once it is complete; the file may be moved, archived, compressed, or rewritten with the same beginning. If the file is emptied or replaced by another one, a truncated mutation with the index 0 is printed, and then the history of the new content. Ctrl-C ends the command with exit status 130. Takes one file in UTF-8; stdin is read to its end as without this option.",
      },
      ...THREADS,
      "restore",
      "stamp",
      "strict",
      "mutations",
      "checkpoint",
      "pretty",
      "quiet",
      "verbose",
    ],
    load: () => import("./commands/history.ts"),
  },
  usage: {
    text:
      "Counts the tokens that were used, each request once. Reads exec streams, app-server streams and session files of every release, from files, stdin or a whole Codex home, and sums up input, cached input, cache writes, output and reasoning. Totals that are repeated, histories that forks and sub-agents copied, and counters that restart or continue are recognized and not counted twice; --explain shows how, line by line. If the session file of a thread is read, its exec stream is left out. Exec streams contain no time and, since Codex 0.44, no model and directory: those are unknown.",
    usage: [
      "codexpipe usage [OPTIONS]",
      "codexpipe usage [OPTIONS] FILE ...",
      'codex exec --json "…" | codexpipe usage',
    ],
    operands: FILES_OR_HOME,
    flags: [
      "from",
      "max-line-bytes",
      "thread",
      "codex-home",
      "home",
      "family",
      "run-counters",
      {
        name: "cwd",
        summary: "Count only tokens that were used in DIR or below it.",
      },
      "since",
      "until",
      {
        name: "strict",
        text:
          "Exit with status 1 if a line failed that may contain token counts. Lines that cannot contain threads, turns, models or tokens are not checked. Only the exit status changes; all lines are still processed.",
      },
      "by",
      ...formats(
        FORMATS.usage,
        "table is for people and ends with the total. json is one object with the groups and the total; jsonl is one group per line; csv is one group per row, after a header row (RFC 4180), and puts an apostrophe before text that a spreadsheet would take for a formula.",
      ),
      "time-zone",
      "prices",
      "explain",
      "jobs",
      {
        name: "quiet",
        summary: "Do not report failed lines and left-out tokens.",
      },
      "no-pager",
    ],
    load: () => import("./commands/usage.ts"),
  },
  render: {
    text:
      `Renders a session as text, Markdown, HTML or a summary. Shows messages, commands and their output, edits, plans and tool calls, each once and in order, with turns, durations and token counts where the input has them. Reads exec streams, app-server streams, session files of all releases, and snapshots. Text from stdin, or from a file that is followed, is written as it arrives. The content of the log is harmless in every form: control characters, HTML and workflow commands in it have no effect, and Markdown has one only in messages and reasoning, where it is made harmless. Several files are sessions of one document, or with --to=site a page each. ${FORKS}`,
    usage: [
      'codex exec --json "…" | codexpipe render --to=text',
      "codexpipe render [OPTIONS] [FILE ...]",
      "codexpipe render -o session.html rollout-….jsonl",
      "codexpipe render --to=site -o DIR --home",
      'codexpipe render --to=github run.jsonl >> "$GITHUB_STEP_SUMMARY"',
    ],
    operands: INPUT_FILES,
    flags: [
      {
        name: "to",
        choices: [...RENDER_FORMS, "site"],
        details:
          "text is a live view for a terminal; markdown is for pasting and keeping; html is one self-contained page that needs no network; github is a job summary for GitHub Actions; site is a page for each session and an index page with a search and token counts, in the folder that --output names. The default follows the extension of --output (.txt, .md, .html); without --output it is text on a terminal, and otherwise markdown.",
      },
      {
        name: "output",
        details:
          "FILE is overwritten. With --to=site, FILE is a folder outside the Codex home: it is created if it does not exist, and files of the same names in it are overwritten.",
      },
      "follow",
      ...TRANSCRIPT,
      "family",
      {
        name: "codex-home",
        summary:
          "With --to=site or --family, read the sessions in this Codex home.",
      },
      {
        name: "home",
        summary:
          "With --to=site, read the Codex home even if stdin is not a terminal.",
      },
      FROM_WITH_SNAPSHOTS,
      {
        name: "stamp",
        text:
          "Take times and durations from the clock. For live exec streams, whose events have no time: the time of an event is when it was read. Without this option there are no durations, so that the same input gives the same output.",
      },
      "max-line-bytes",
      ...THREADS,
      {
        name: "on-error",
        details:
          "report prints FILE:LINE: KIND: MESSAGE to stderr and adds the failure to the transcript; inline only adds it to the transcript. drop leaves the line out without a message. stop reports the line and exits with status 1. With --from=auto, one message warns if most lines of an input failed, unless --quiet is given.",
      },
      "errors-to",
      "strict",
      {
        name: "jobs",
        text:
          "Write NUM pages at once. For --to=site. The output is the same. Each page that is being written takes up to 200 MB of memory. The default is one for each 64 MB of sessions, and at most the number of cores; with --on-error=stop it is one.",
      },
      "quiet",
      "verbose",
      "no-pager",
    ],
    load: () => import("./commands/render.ts"),
  },
  export: {
    text:
      `Exports sessions as ATIF trajectories, OpenTelemetry traces or tables. Reads exec streams, app-server streams and session files of every release, from files, stdin or a whole Codex home, and writes them as ${
        EXPORT_FORMATS.map(({ name, summary }) => `${name} (${summary})`)
          .join("; ")
      }. docs/export.md describes the fields of each format. The same input gives the same output. Secrets are masked.`,
    usage: [
      "codexpipe export --to=FORMAT [OPTIONS] [FILE ...]",
      "codexpipe export --to=FORMAT -o DIR --home",
    ],
    operands: FILES_OR_HOME,
    flags: [
      {
        name: "to",
        value: {
          name: "FORMAT",
          choices: EXPORT_FORMATS.map(({ name }) => name),
        },
        text: `Choose the format to export to. ${
          EXPORT_FORMATS.map(({ name, summary }) => `${name}: ${summary}`)
            .join(". ")
        }.`,
      },
      {
        name: "output",
        value: { name: "DIR", expects: "a folder" },
        text:
          "Write files into DIR instead of stdout. DIR is a folder outside the Codex home. It is created if it does not exist; files of the same names in it are overwritten.",
      },
      ...READING,
      "codex-home",
      "home",
      "family",
      { name: "redact", text: "Mask secrets. The default." },
      {
        name: "no-redact",
        text:
          "Do not mask secrets. The output contains the secrets of the input.",
      },
      "redact-pattern",
      "content",
      {
        name: "stamp",
        text:
          "Take times from the clock where the input has none. For --to=otlp and live exec streams, whose events have no time: the time of an event is when it was read.",
      },
      "table",
      {
        name: "format",
        choices: FORMATS.table,
        details:
          "For --to=tables. jsonl, the default, is one row per line. csv is one row per line after a header row (RFC 4180), and puts an apostrophe before text that a spreadsheet would take for a formula.",
      },
      {
        name: "on-error",
        choices: ["report", "drop", "stop"],
        details:
          "report prints FILE:LINE: KIND: MESSAGE to stderr and goes on. drop prints no message. stop reports the line and exits with status 1. With --from=auto, one message warns if most lines of an input failed, unless --quiet is given.",
      },
      "errors-to",
      "strict",
      "engine",
      {
        name: "jobs",
        details:
          `For --to=tables: with other formats, the output for a file depends on the files before it. ${HOW_JOBS_READ}, and with --errors-to, --on-error=stop and --verbose.`,
      },
      "quiet",
      "verbose",
    ],
    load: () => import("./commands/export.ts"),
  },
  redact: {
    text:
      "Masks secrets in Codex JSONL and changes nothing else. Lines keep their order, and only strings that contain a secret are rewritten: tokens of known formats, private keys, Authorization headers and cookies, passwords in URLs, values whose name denotes a secret, and text that --redact-pattern matches become [redacted:KIND]. Command output in base64 or bytes (Codex 0.20 to 0.42) is searched too, and so are the failed lines in line.failed records. Lines that are not JSON are redacted as text. On a terminal, control characters are escaped. The number of secrets of each kind is reported on stderr. Secrets without a known format or name are not found. Secrets that are split over several deltas are found: lines with deltas are written when their item ends, or after 64 KiB of it.",
    usage: [
      "codexpipe redact [OPTIONS] [FILE ...]",
      'codex exec --json "…" | codexpipe redact > run.jsonl',
    ],
    operands: INPUT_FILES,
    flags: [
      {
        name: "max-line-bytes",
        details:
          "The line feed does not count. A longer line cannot be searched for secrets: a line.failed record without its text is written in its place. The suffixes K, M and G are powers of 1024.",
      },
      {
        name: "redact-pattern",
        details:
          "REGEXP is a JavaScript regular expression. Can be given several times. Matches are counted as the kind pattern.",
      },
      { name: "strict", summary: "Exit with status 1 if a line was too long." },
      {
        name: "quiet",
        summary: "Do not report masked secrets and failed lines.",
      },
    ],
    load: () => import("./commands/redact.ts"),
  },
  check: {
    text:
      "Checks whether a run ended well; exit status 1 if not. A run fails if its last turn failed, was interrupted or has no end, if an error ended the run, if lines cannot be read, or if a condition of an option is not met. The exit status of Codex is not relied on: up to 0.42 it was 0 even for failed turns. Reads exec streams, app-server streams and session files of every release. In a thread that was resumed the last turn counts; of several threads, all must pass. Errors after which Codex retried, warnings, and commands left running do not fail a run. Data that no known Codex release writes is reported but does not fail it. The verdict and up to ten reasons are printed to stderr.",
    usage: [
      'codex exec --json "…" | codexpipe check --tee > run.jsonl',
      "codexpipe check [OPTIONS] [FILE ...]",
      "codexpipe check --json-output run.jsonl | jq .summary",
    ],
    operands: INPUT_FILES,
    flags: [
      ...READING,
      "max-failures",
      "fail-on-command",
      "fail-on-declined",
      "fail-on-drift",
      "schema",
      "max-tokens",
      "json-output",
      "tee",
      "last-message",
      "github",
      ...formats(
        FORMATS.report,
        "text prints the verdict to stderr, for people. json prints one object for each file to stdout: file (if there are several), verdict, reasons (kind, message, line), thread_id, turns, status, failed_commands, failed_lines, usage and final_message.",
      ),
      {
        name: "redact",
        text: "Mask secrets in the report to GitHub Actions. The default.",
      },
      {
        name: "no-redact",
        text:
          "Do not mask secrets in the report to GitHub Actions. For final messages that must not be changed.",
      },
      {
        name: "redact-pattern",
        details:
          "For the report to GitHub Actions. REGEXP is a JavaScript regular expression. Can be given several times.",
      },
      jobsInTurnWith("--github"),
      {
        name: "quiet",
        text:
          "Print no verdict: only set the exit status. Files that cannot be read or written are still reported.",
      },
    ],
    load: () => import("./commands/check.ts"),
  },
  drift: {
    text:
      "Reports records, fields and values that no known Codex release writes; exit status 1 if there are any. Reads exec streams, session files and app-server streams, from files, stdin or a whole Codex home, and compares them with the output of known releases since 0.1. Each finding is one line: the new kind of record, field, type or word, its release and dialect, its path in the record, how often it occurs, where it occurs first, and how codexpipe treats it: understood, kept as it is, or refused. Findings contain no values of your logs and can be shared: names and words that may not be Codex's own are replaced by *.",
    usage: [
      "codexpipe drift [OPTIONS] [FILE ...]",
      "codexpipe drift --home",
      "codexpipe drift --write-baseline baseline.json logs/*.jsonl",
      "codexpipe drift --baseline baseline.json run.jsonl",
    ],
    operands: FILES_OR_HOME,
    flags: [
      "max-line-bytes",
      "codex-home",
      "home",
      "baseline",
      "write-baseline",
      {
        name: "since",
        summary: "Read only files of a Codex home changed since TIME.",
      },
      {
        name: "github",
        details:
          "Also prints findings as annotations (workflow commands on stderr), ten at most.",
      },
      ...formats(
        FORMATS.search,
        "text is for people: FILE:LINE, the release, the dialect, the kind of record, the path, the change, how often it occurs, and how codexpipe treats it. json is one object with the findings and the number of further ones; jsonl is one finding per line.",
      ),
      jobsInTurnWith("--write-baseline"),
      { name: "quiet", summary: "Do not print messages about the input." },
    ],
    load: () => import("./commands/drift.ts"),
  },
  watch: {
    text:
      "Shows the activity of all sessions, live. Reports new sessions and sub-agents, the start and end of turns and commands, the verdict of each turn, and sessions that are archived, compressed or deleted. On a terminal, running turns and commands are in a table, and other events are lines above it; elsewhere each event is a line. If the home does not exist yet, the command waits for it. A session file that cannot be read is reported, and the others are still watched. Ctrl-C ends the command with exit status 130.",
    usage: [
      "codexpipe watch [OPTIONS]",
      "codexpipe watch --json --since=2026-11-20T15:14:16.259Z",
    ],
    operands: [],
    flags: [
      "codex-home",
      {
        name: "since",
        text:
          "First report the events after TIME. Without this option, only events from now on are reported. To continue after a restart, give the time in the field at of the last event: no event is reported twice. Session files that were written to since TIME are read. A time without an offset is in UTC; m, h, d and w are minutes, hours, days and weeks before now.",
      },
      ...formats(
        FORMATS.search,
        "text is for people. jsonl is one object per line (`codexpipe schema HappeningRecord`); json is the same here, because the output has no end.",
      ),
    ],
    load: () => import("./commands/watch.ts"),
  },
  "sessions list": {
    text:
      `Lists the sessions on this machine, newest first. Lists active and archived sessions of every release, compressed or not, each once; sub-agents and forks are marked as such. A file that cannot be read is listed with the reason. A session that Codex itself does not show is marked with the reason: the index of Codex (state_N.sqlite, of which a copy is read) lacks the session, or has it at another path or without a message, or the file cannot be read. Without such an index, no session is marked. How a session ended (the status of check), its tokens and the duration of its turns need the whole file. Files are read one after the other and rows are written as they become known, so \`| head\` reads little more than it shows; ids and paths need no whole files, and --fast reads only the first lines. Results are cached until the file changes, in the cache folder: ${CACHE_FOLDER}. Times are in UTC; a table on a terminal shows how long ago they were. Such a table rounds tokens and cuts values that do not fit; all other output is complete. json is one value with sessions, next_cursor, total, problems and codex_indexes; jsonl is one session per line. If no session matches the options, the exit status is 1; a Codex home without sessions gives an empty list.`,
    usage: [
      "codexpipe sessions list [OPTIONS]",
      "codexpipe sessions list --cwd=. --since=7d",
    ],
    operands: [],
    flags: [
      ...WHICH_SESSIONS,
      {
        name: "limit",
        text:
          "List at most NUM sessions. By default all are listed; a table on a terminal shows 50. If more sessions follow, the command that lists them is printed to stderr, and json has the cursor in next_cursor.",
      },
      "cursor",
      "fast",
      ...formats(
        FORMATS.list,
        "table is for people; json is one value; jsonl is one session per line; tsv begins with a header line; ids and paths are input for other commands.",
      ),
      "no-pager",
    ],
    load: () => import("./commands/sessions_list.ts"),
  },
  "sessions choose": {
    text:
      "Lets you choose a session from a list on the terminal. On a terminal, `codexpipe sessions` is short for this command; elsewhere it lists the sessions. The arrow keys go up and down, and letters filter by title, folder, branch and id. Below the list are the folder, the branch, the model and the first message of the selected session. Enter shows the session, r (or Ctrl-R while there is a filter) prints the command that resumes it, Esc leaves.",
    usage: ["codexpipe sessions", "codexpipe sessions choose --cwd=."],
    operands: [],
    flags: [
      ...WHICH_SESSIONS,
      { name: "limit", summary: "List at most NUM sessions.", default: "1000" },
      "no-pager",
    ],
    load: () => import("./commands/sessions_choose.ts"),
  },
  "sessions path": {
    text:
      `Prints the path of a session file. ${WHAT_AN_ID_IS}. If several sessions have the same name, the one that got it last is used. Any other ambiguous ID is an error: the sessions are listed, and the exit status is 1. The exit status is 3 if a folder cannot be read, since the session may be there; paths that were found are still printed.`,
    usage: [
      "codexpipe sessions path [OPTIONS] ID ...",
      "codexpipe sessions path --last",
    ],
    operands: [["ID ...", "The sessions to find."]],
    flags: ONE_SESSION,
    load: () => import("./commands/sessions_path.ts"),
  },
  "sessions family": {
    text:
      `Shows the family of a session: forks and sub-agents. The root of the family comes first. Below each session are the sessions that were forked or spawned from it, oldest first, according to the headers of their files or the calls that spawned them; archived and compressed sessions are included. A missing session is reported. json is one value with sessions and missing, where a session has depth, files and the fields of sessions list but hidden, outcome, total_tokens and duration_ms; jsonl is one session per line. ${WHAT_AN_ID_IS}. With --shards, all sessions are divided by families instead.`,
    usage: [
      "codexpipe sessions family [OPTIONS] ID",
      "codexpipe sessions family --shards=8 --format=paths > shards.txt",
      "codexpipe usage --family=ID",
    ],
    operands: [["ID", "A session of the family."]],
    flags: [
      ...ONE_SESSION,
      "shards",
      ...formats(
        FORMATS.family,
        "table is for people; json is one value; jsonl is one session per line; ids and paths are input for other commands. With --shards, jsonl is one shard per line, with its number, its families, its bytes and its files; paths has an empty line between shards; ids is not available.",
      ),
      "no-pager",
    ],
    load: () => import("./commands/sessions_family.ts"),
  },
  "sessions show": {
    text:
      `Shows a session as text, Markdown, HTML or JSON. Renders the session as render does: text on a terminal, Markdown elsewhere. If the file of a fork holds only the part after the fork, the session before the fork is shown first, even if it is archived or compressed. If that session is not found, a message says that the transcript is partial. ${WHAT_AN_ID_IS}.`,
    usage: [
      "codexpipe sessions show [OPTIONS] ID",
      "codexpipe sessions show --last -o session.html",
      "codexpipe sessions show --jsonl ID | codexpipe usage",
    ],
    operands: [["ID", "The session."]],
    flags: [
      ...ONE_SESSION,
      "to",
      "output",
      "jsonl",
      "history",
      "meta",
      {
        name: "pretty",
        text:
          "Indent the JSON of --history and --meta. Without this option, it is one line.",
      },
      ...TRANSCRIPT,
      "quiet",
      "verbose",
      "no-pager",
    ],
    load: () => import("./commands/sessions_show.ts"),
  },
  "sessions resume": {
    text:
      `Prints the command that resumes a session, or its history as JSON. On a terminal, prints the command line that resumes the session in Codex, and the title of the session. Elsewhere, prints one JSON object: type (resumed), conversation_id, history (every line of the session, normalized), rollout_path, missing, and command. The history of a fork begins with that of the session before the fork; missing is null, or names the session that was not found. ${WHAT_AN_ID_IS}.`,
    usage: [
      "codexpipe sessions resume [OPTIONS] ID",
      "codexpipe sessions resume --command --last",
    ],
    operands: [["ID", "The session."]],
    flags: [
      ...ONE_SESSION,
      "command",
      {
        name: "format",
        choices: FORMATS.report,
        details:
          "text is the command line and the title of the session; json is one object. The default is text on a terminal and json elsewhere.",
      },
      "json",
      "quiet",
      "verbose",
    ],
    load: () => import("./commands/sessions_resume.ts"),
  },
  "sessions follow": {
    text:
      `Shows a session live, while Codex writes it. Prints text on a terminal, and normalized JSONL elsewhere, each line once it is complete. The file may be archived, unarchived, compressed and decompressed meanwhile. Without an ID, the session that was written to last is shown. ${WHAT_AN_ID_IS}. Ctrl-C ends the command with exit status 130. \`codexpipe watch\` shows all sessions, including new ones.`,
    usage: [
      "codexpipe sessions follow [OPTIONS] [ID]",
      "codexpipe sessions follow --from-start --exit-on=turn",
    ],
    operands: [["[ID]", "The session; by default the last one written to."]],
    flags: [
      ...ONE_SESSION,
      "from-start",
      "exit-on",
      {
        name: "format",
        choices: FORMATS.live,
        details:
          "text is for people; jsonl is normalized lines. The default is text on a terminal and jsonl elsewhere.",
      },
      "quiet",
      "verbose",
    ],
    load: () => import("./commands/sessions_follow.ts"),
  },
  "sessions search": {
    text:
      'Searches the content of all sessions. Searches messages, reasoning, commands and their output, edits, tool calls and their results, plans and errors; of a text longer than 64 KB, the beginning and the end. Text that a fork repeats is found once. All parts of the QUERY must be in one message: whole words, in any order; "a phrase" in quotation marks; begin* for words with that beginning. A part with other characters (src/main.rs, foo(bar), C:\\a\\b, "error: no") is matched literally, also within words, in upper or lower case. There are no other operators; a QUERY that begins with a dash goes after --. The best matches come first, equally good ones newest first. Of more than 500 matches, the newest 500 are ranked among themselves and shown before the older ones. If all parts are matched literally, the newest come first. If the index cannot be written, as on a read-only disk, it is searched as it is; if there is none, the newest session files are read. If nothing is found, the exit status is 1.',
    usage: [
      "codexpipe sessions search [OPTIONS] QUERY ...",
      "codexpipe sessions search --role=user --since=30d flaky test",
      "codexpipe sessions search '\"cannot find module\"' src/main.rs",
    ],
    operands: [["QUERY ...", "The words, phrases and strings to find."]],
    flags: [
      "role",
      {
        name: "cwd",
        summary: "Search only sessions that ran in DIR or below it.",
      },
      { name: "since", summary: "Search only text written at TIME or later." },
      {
        name: "limit",
        default: "20",
        text:
          "Show at most NUM messages. The first ones in the order of the output.",
      },
      "codex-home",
      "index",
      "no-refresh",
      ...formats(
        FORMATS.search,
        "text is for people: the session, the time in UTC, the role and the title, and a line of the text with the matches marked. json is one value with query, hits, has_more, files_left and makeshift, which names what was searched if the index could not be used; jsonl is one hit per line.",
      ),
      "no-pager",
    ],
    load: () => import("./commands/sessions_search.ts"),
  },
  "sessions index": {
    text:
      "Updates the index that sessions search uses. A search updates the index too, but only for a few seconds; this command has no time limit, and reports what it did. Files that have not changed are not opened, and a file that has grown is read from where it ended before. The command can be interrupted, and can run several times at once. Each update and each search checks a part of the index; a damaged index is rebuilt.",
    usage: ["codexpipe sessions index [OPTIONS]"],
    operands: [],
    flags: [
      "codex-home",
      "index",
      "rebuild",
      ...formats(FORMATS.report, "text is for people; json is one value."),
      "jobs",
    ],
    load: () => import("./commands/sessions_index.ts"),
  },
  "sessions du": {
    text:
      "Shows how much disk space sessions take, by content, kind, age or project. Reads every session file once and sums up its bytes by content (inherited lines, images, output of commands and its copies, reasoning, instructions, world state, messages, compactions, the rest), by kind, by age and by project, and shows the largest files. The parts of a file add up to its exact size; those of a compressed file add up to the decompressed size, and its size on disk is shown beside it. Sessions that could be removed are listed as commands for Codex: archived sessions, sessions of which a fork holds a full copy, and sub-agents whose parent is gone. Nothing is deleted or written.",
    usage: [
      "codexpipe sessions du [OPTIONS]",
      "codexpipe sessions du --by=content --format=csv",
    ],
    operands: [],
    flags: [
      "codex-home",
      {
        name: "limit",
        default: "10",
        text:
          "Show at most NUM rows of each table. With --by, all rows are shown unless NUM is given. In json, NUM limits the list of the largest files; jsonl and csv have every row.",
      },
      {
        name: "by",
        choices: SIZE_KEYS,
        text:
          "Sum up the bytes by KEY. By default, there is a table for each key, for the largest sessions, and for the sessions that could be removed. With several keys there is a table for each.",
      },
      ...formats(
        FORMATS.usage,
        "table is for people. json is one object with the sums, the largest files and the sessions that could be removed. jsonl and csv have a line for each file, or with --by for each sum.",
      ),
      "jobs",
      "no-pager",
    ],
    load: () => import("./commands/sessions_du.ts"),
  },
  "sessions repair": {
    text:
      `Copies a session file without its damaged parts. For files in which a crash, a full disk or an interrupted copy left lines that are not JSON: such lines are left out. If a whole record follows a torn part in the same line, only the torn part is left out; of a truncated compressed file, the part after the break. Every other line is copied byte for byte. The copy is not compressed, has the name of the file and is written into DIR, never in place. Its path is printed, and the parts that were left out are reported on stderr. ${WHAT_AN_ID_IS}.`,
    usage: [
      "codexpipe sessions repair ID --to DIR",
      "codexpipe sessions repair --last --to=.",
    ],
    operands: [["ID", "The session."]],
    flags: [
      ...ONE_SESSION,
      {
        name: "to",
        value: { name: "DIR", expects: "a folder" },
        text:
          "Write the copy into DIR. DIR is a folder outside the Codex home. It is created if it does not exist; a file of the same name in it is not overwritten.",
      },
    ],
    load: () => import("./commands/sessions_repair.ts"),
  },
  schema: {
    text:
      "Prints the JSON Schemas of the output of codexpipe. ThreadEvent: a line of a normalized exec stream, or an event. SessionItem: an event of an item that only session files and app-servers have. RolloutLine: a line of a normalized session file; lines with fields that no known release has are written by normalize too, but do not match. LineFailed: the record of a failed line. HistorySnapshot, HistoryMutation: the output of history. UsageReport, UsageRecord: the output of usage with --format=json, and each line with jsonl. UsageDerivationRecord: each count with usage --explain, in a list or a line. VerdictRecord: the output of check with --format=json. HappeningRecord: a line of watch --json. DriftReport, DriftFinding: the output of drift with --format=json, and each line with jsonl. SessionListReport, SessionRecord: the output of sessions list with --format=json, and each line with jsonl. SessionSizesReport, SessionSizeRecord, SessionSizeGroup: the output of sessions du with --format=json, and each line with jsonl, without and with --by. ThreadRow, TurnRow, ItemRow, ToolCallRow, RequestRow, FailureRow: the rows of export --to=tables. Without NAME, one schema defines all of them. The schemas are JSON Schema 2020-12 and allow additional fields. With --format=sql, NAME is a table of export --to=tables.",
    usage: [
      "codexpipe schema [NAME]",
      "codexpipe schema --format=sql [--content] [TABLE]",
    ],
    operands: [[
      "[NAME]",
      `${oneOf(JSON_SCHEMA_NAMES)}; with --format=sql ${oneOf(TABLE_NAMES)}.`,
      [...JSON_SCHEMA_NAMES, ...TABLE_NAMES],
    ]],
    flags: [
      {
        name: "format",
        choices: FORMATS.schema,
        default: "json",
        details:
          "json is JSON Schema. sql is CREATE TABLE statements for the rows of export --to=tables, for DuckDB, SQLite and PostgreSQL.",
      },
      {
        name: "content",
        text:
          "With --format=sql: include the columns with content. The columns that export --content adds.",
      },
    ],
    load: () => import("./commands/schema.ts"),
  },
  completions: {
    text:
      "Prints a completion script for bash, zsh or fish. For bash: `source <(codexpipe completions bash)` in ~/.bashrc. For zsh: `source <(codexpipe completions zsh)` in ~/.zshrc, after compinit. For fish: `codexpipe completions fish > ~/.config/fish/completions/codexpipe.fish`. Completes commands, options, their values, files and session ids. The script runs `codexpipe`, so it knows the options of the installed version.",
    usage: ["codexpipe completions SHELL"],
    operands: [
      ["SHELL", `${oneOf(SHELLS)}.`, SHELLS],
      [
        "[WORD ...]",
        "With --complete: the words after codexpipe, behind a --.",
      ],
    ],
    flags: ["complete"],
    load: () => import("./commands/completions.ts"),
  },
  man: {
    text:
      "Prints the manual page. The page is in roff. `codexpipe man > codexpipe.1` writes it to a file; `codexpipe man | man -l -` shows it, if man can read stdin.",
    usage: ["codexpipe man"],
    operands: [],
    flags: [],
    load: () => import("./commands/man.ts"),
  },
};

export const COMMANDS: readonly Command[] = Object.entries(COMMANDS_BY_NAME)
  .map(([name, { text, ...row }]) => ({ name, ...described(text), ...row }));

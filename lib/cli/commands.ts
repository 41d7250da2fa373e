/** The commands, in one table. A command is loaded when it is run. */

import { EXPORT_FORMATS } from "../export/formats.ts";
import { JSON_SCHEMA_NAMES } from "../schema_names.ts";
import type { Command, CommandGroup, CommandTable } from "./command.ts";
import { TABLE_NAMES } from "../export/tables.ts";
import { RENDER_FORMS } from "../render/render_options.ts";
import { SIZE_KEYS } from "../sessions/session_records.ts";
import {
  CACHE_FOLDER,
  DIALECT_MEANINGS,
  FAMILY_FORMATS,
  flagsOf,
  FORM_ALIASES,
  HISTORY_INPUTS,
  LIST_FORMATS,
  LIVE_FORMATS,
  type NarrowedFlag,
  oneOf,
  REPORT_FORMATS,
  SCHEMA_FORMATS,
  SEARCH_FORMATS,
  SHELLS,
  TABLE_FORMATS,
  USAGE_FORMATS,
} from "./flags.ts";

/** The flags that every command has. */
export const COMMON_FLAGS: CommandTable["commonFlags"] = flagsOf({
  flags: ["color", "no-color", "help", "version"],
});

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    name: "sessions",
    summary: "Finds, reads, follows and searches the sessions on this machine.",
  },
];

/** What operands are called that are files, of which there may be several. */
export const SEVERAL_FILES = "[FILE ...]";

/** What the commands take that read any input. */
const INPUT_FILES: Command["operands"] = [[
  SEVERAL_FILES,
  'Input files, or folders with session files; "-" or none reads stdin.',
]];

/** What the input can be of the commands that read snapshots too. */
const FROM_WITH_SNAPSHOTS: NarrowedFlag = {
  name: "from",
  choices: HISTORY_INPUTS,
  details:
    `${DIALECT_MEANINGS}; history is a snapshot. auto decides by the first line, for each file by itself.`,
};

/** What the commands take that read a Codex home, too. */
const FILES_OR_HOME: Command["operands"] = [[
  SEVERAL_FILES,
  'Input files, or folders with session files; "-" is stdin. None reads stdin or, if that is a terminal, the Codex home.',
]];

/** Which thread is wanted, and which one lines belong to before one says it. */
const THREADS = ["thread", "thread-id", "turn-id"] as const;

/** What the commands have that answer each line. */
const ANSWERING: Command["flags"] = [
  "from",
  "follow",
  "max-line-bytes",
  ...THREADS,
  "on-error",
  "errors-to",
  "strict",
  "line-buffered",
  "engine",
  "jobs",
  "quiet",
  "verbose",
];

const WHAT_AN_ID_IS =
  "An ID is the id of a session or enough of its beginning, the name that it was given, or the path of its file";

/** What sessions of a home can be chosen by. */
const WHICH_SESSIONS: Command["flags"] = [
  "codex-home",
  "cwd",
  { name: "since", summary: "Only sessions that began at TIME or later." },
  { name: "until", summary: "Only sessions that began before TIME." },
  "branch",
  "originator",
  "grep",
  "archived",
];

export const COMMANDS: readonly Command[] = [
  {
    name: "normalize",
    summary:
      "Reads Codex JSONL of any dialect and writes normalized JSONL to stdout.",
    details:
      "Every line that is not blank becomes one record or one failure, in order; `codexpipe schema ThreadEvent` says what records look like. What is not rewritten keeps its exact text. .gz and .zst files are read through, and UTF-16 with a byte order mark, as Windows PowerShell 5 writes it. Several files are independent streams, written one after the other.",
    usage: [
      "codexpipe normalize [OPTIONS] [FILE ...]",
      'codex exec --json "…" | codexpipe normalize',
      "codexpipe normalize --follow FILE",
    ],
    operands: INPUT_FILES,
    flags: ANSWERING,
    load: () => import("./commands/normalize.ts"),
  },
  {
    name: "events",
    summary:
      "Writes what happened as one stream of thread, turn and item events.",
    details:
      "Of an exec stream these are the records of normalize. A line of a session file gives the events that it tells of: what `codex exec --json` would have said of that session, and more, in the same words; of what is told twice, one. docs/events.md says what each item type holds, and `codexpipe schema SessionItem` what is only told by session files. Several files are independent streams, written one after the other.",
    usage: [
      "codexpipe events [OPTIONS] [FILE ...]",
      "codexpipe events ~/.codex/sessions/2026/11/20/rollout-*.jsonl",
      "codexpipe events --follow FILE",
    ],
    operands: INPUT_FILES,
    flags: ANSWERING,
    load: () => import("./commands/events.ts"),
  },
  {
    name: "history",
    summary:
      "Folds a stream or session file into the history that a reader sees.",
    details:
      "Prints a HistoryState snapshot: the messages, commands, patches, plans and tool calls of a session, each once and in order. Reads exec streams, session files, and snapshots, of which there are two layouts; what is printed has one. Several files are independent: one snapshot each. Of a fork whose file holds only what came after the fork, what it goes on from is read before it if that is in the same Codex home, or beside it; if it is not, or the file comes from stdin, it is said that the history is partial.",
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
          "With --mutations: each change is printed as the file grows. A last line is held back until it is complete; the file may be moved, archived, packed or written anew with the same beginning. If it is emptied or replaced by another one, a truncated mutation with the index 0 comes first, and then the other history. Ctrl-C ends it, with 130. Takes one file, in UTF-8; stdin is read to its end as ever.",
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
  {
    name: "usage",
    summary: "Counts the tokens that were used, each request once.",
    details:
      "Reads exec streams and session files of every release, from files, stdin or a whole Codex home, and sums up input, cached input, cache writes, output and reasoning. Totals that are written again, histories that forks and sub-agents copied, and counters that begin anew or go on are told apart; --explain says how, line by line. Of a thread whose session file is read, its exec stream is left out. Exec streams say neither time nor, since 0.44, model and directory: those are unknown.",
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
        summary: "Only what was used in DIR or below it.",
      },
      "since",
      "until",
      {
        name: "strict",
        summary: "Exit 1 if a line failed that could have counted.",
        details:
          "Lines that can say nothing of threads, turns, models or tokens are not looked at. Everything is read and written all the same; only the exit status differs.",
      },
      {
        name: "by",
        details:
          "Without it, day for a Codex home and thread for files. turn and thread are in the order of the input, the others in their own. Several make a group of each combination: --by=day,model, or --by day --by model.",
      },
      {
        name: "format",
        choices: USAGE_FORMATS,
        default: "table",
        details:
          "table is for people and ends with the total. json is one object with the groups and the total, jsonl one group a line, csv one group a row, below a row of names (RFC 4180); a text that a spreadsheet would take for a formula gets an apostrophe in front.",
      },
      "json",
      "time-zone",
      "prices",
      "explain",
      "jobs",
      {
        name: "quiet",
        summary: "Say nothing about failed lines and what is left out.",
      },
      "no-pager",
    ],
    load: () => import("./commands/usage.ts"),
  },
  {
    name: "render",
    summary: "Shows a session to people: live, as Markdown, HTML or a summary.",
    details:
      "Prints what a reader of the session sees: messages, commands and their output, edits, plans and tool calls, each once and in order, with the borders of turns, durations and tokens as far as the input says them. Reads exec streams, session files of all releases, and snapshots. Text of stdin, and of a file that is followed, is written as it happens. Text of the log can do nothing in any form: no control character, HTML or workflow command in it has an effect, and no Markdown but that of messages and reasoning, made harmless. Several files are sessions of one document, or with --to=site each a page of its own. Of a fork whose file holds only what came after the fork, what it goes on from is read before it if that is in the same Codex home, or beside it; if it is not, or the file comes from stdin, it is said that the transcript is partial.",
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
        value: {
          name: "FORM",
          choices: [...RENDER_FORMS, "site"],
          aliases: FORM_ALIASES,
          example: "html",
        },
        details:
          "text is a live view for a terminal; markdown is for pasting and keeping; html is one page that needs nothing else and no network; github is a job summary; site is a page of each session and an index of them, with a search and what they used, for which --output names a folder. Without it: what the name of --output ends in (.txt, .md, .html); without --output text on a terminal; else markdown.",
      },
      {
        name: "output",
        details:
          "FILE is emptied first. With --to=site it is a folder that is there, and not in a Codex home: files of the same names in it are overwritten.",
      },
      "follow",
      "reasoning",
      "tools",
      "max-output-lines",
      "images",
      "redact",
      "no-redact",
      "redact-pattern",
      "family",
      "codex-home",
      "home",
      FROM_WITH_SNAPSHOTS,
      {
        name: "stamp",
        summary: "Take times and durations from the clock.",
        details:
          "For live exec streams, whose events have no time: an event happened when it was read. Without it there are no durations, so that the same input gives the same output.",
      },
      "max-line-bytes",
      ...THREADS,
      {
        name: "on-error",
        details:
          "report says FILE:LINE: KIND: MESSAGE on stderr and in the transcript; inline says it in the transcript only. drop leaves the line out and says nothing. stop says what failed and ends with status 1. With --from=auto, one line says so if most lines of an input failed, unless --quiet is given.",
      },
      "errors-to",
      "strict",
      {
        name: "jobs",
        summary: "Write NUM pages at once.",
        details:
          "With --to=site. What is written is the same. Each page that is written takes up to 200 MB of memory. Without it, one for each 64 MB of sessions, and at most as many as the machine has cores; with --on-error=stop one.",
      },
      "quiet",
      "verbose",
      "no-pager",
    ],
    load: () => import("./commands/render.ts"),
  },
  {
    name: "export",
    summary: "Writes sessions in formats of other tools.",
    details:
      `Reads exec streams, app-servers and session files of every release, from files, stdin or a whole Codex home, and writes them as ${
        EXPORT_FORMATS.map(({ name, summary }) => `${name} (${summary})`)
          .join("; ")
      }. docs/export.md says what becomes of what. The same input gives the same output. Secrets are masked.`,
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
        summary: "The format.",
        details: `${
          EXPORT_FORMATS.map(({ name, summary }) => `${name}: ${summary}`)
            .join(". ")
        }.`,
      },
      {
        name: "output",
        value: {
          name: "DIR",
          expects: "a folder",
          example: "exported",
        },
        summary: "Write files into DIR instead of stdout.",
        details:
          "A folder that is there, and not in a Codex home. Files of the same names in it are overwritten.",
      },
      "from",
      "max-line-bytes",
      ...THREADS,
      "codex-home",
      "home",
      "family",
      {
        name: "redact",
        summary: "Mask secrets.",
        details: "The default.",
      },
      {
        name: "no-redact",
        summary: "Do not mask secrets.",
        details: "What is written has them as the input does.",
      },
      "redact-pattern",
      "content",
      {
        name: "stamp",
        summary: "Take the time from the clock where the input has none.",
        details:
          "For live exec streams, whose events have no time: an event happened when it was read.",
      },
      "table",
      {
        name: "format",
        choices: TABLE_FORMATS,
        details:
          "Of --to=tables. jsonl, which is the default, is one row a line; csv one row a line below a row of names (RFC 4180), where a text that a spreadsheet would take for a formula gets an apostrophe in front.",
      },
      {
        name: "on-error",
        choices: ["report", "drop", "stop"],
        details:
          "report says FILE:LINE: KIND: MESSAGE on stderr and goes on. drop says nothing. stop says what failed and ends with status 1. With --from=auto, one line says so if most lines of an input failed, unless --quiet is given.",
      },
      "errors-to",
      "strict",
      "engine",
      {
        name: "jobs",
        details:
          "Of --to=tables: what the others write of a file depends on those before it. What is written is the same, in the order of the files; each one that is read takes up to 60 MB of memory. Without it, one for each 64 MB, and at most as many as the machine has cores; with stdin among them, --errors-to, --on-error=stop and --verbose one.",
      },
      "quiet",
      "verbose",
    ],
    load: () => import("./commands/export.ts"),
  },
  {
    name: "redact",
    summary: "Masks the secrets in Codex JSONL, and changes nothing else.",
    details:
      "Every line comes out where it went in, and only the strings that hold a secret are written anew: tokens of known shapes, private keys, Authorization headers and cookies, passwords in URLs, values behind names of secrets, and what --redact-pattern matches become [redacted:KIND]. Output of commands in base64 or bytes (0.20 to 0.42) is looked into, and so are failed lines that line.failed records hold. Lines that are no JSON are redacted as text. On a terminal, control characters are escaped. How many of each kind were masked is said on stderr. What has no known shape and no name is not found. Secrets that deltas divide are found: lines with deltas come out when their item ends, or 64 KiB of it.",
    usage: [
      "codexpipe redact [OPTIONS] [FILE ...]",
      'codex exec --json "…" | codexpipe redact > run.jsonl',
    ],
    operands: INPUT_FILES,
    flags: [
      {
        name: "max-line-bytes",
        details:
          "The longest line that is read, in bytes, without its line feed. A longer one cannot be looked at: a line.failed record without its text stands in its place. K, M and G stand for powers of 1024.",
      },
      {
        name: "redact-pattern",
        details:
          "A JavaScript regular expression. May be given several times. What it matches is counted as kind pattern.",
      },
      {
        name: "strict",
        summary: "Exit 1 if a line was too long.",
      },
      {
        name: "quiet",
        summary: "Say nothing about secrets and failed lines.",
      },
    ],
    load: () => import("./commands/redact.ts"),
  },
  {
    name: "check",
    summary: "Judges a run for CI: exit status 1 if it did not end well.",
    details:
      "Fails a run whose last turn failed, was interrupted or has no end, whatever status Codex left with (up to 0.42 it left with 0), one that an error ended, lines that cannot be read, and what the options ask for. Reads exec streams, app-servers and session files of every release. Of a thread that was resumed the last turn counts; of several threads all must be good. Errors that were tried again after, warnings and commands left running are no failures; nor is what no known release of Codex writes, which is said. The verdict is said on stderr, with the reasons against it: of many the first ten.",
    usage: [
      'codex exec --json "…" | codexpipe check --tee > run.jsonl',
      "codexpipe check [OPTIONS] [FILE ...]",
      "codexpipe check --json-output run.jsonl | jq .summary",
    ],
    operands: INPUT_FILES,
    flags: [
      "from",
      "max-line-bytes",
      ...THREADS,
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
      {
        name: "format",
        choices: REPORT_FORMATS,
        default: "text",
        details:
          "text says it on stderr, for people. json prints one object for each file on stdout: verdict, reasons (kind, message, line), thread_id, turns, status, failed_commands, failed_lines, the tokens and final_message.",
      },
      "json",
      {
        name: "redact",
        summary: "Mask secrets in what GitHub is told.",
        details: "The default.",
      },
      {
        name: "no-redact",
        summary: "Do not mask secrets in what GitHub is told.",
        details: "Final messages may be needed as they are.",
      },
      {
        name: "redact-pattern",
        details:
          "A JavaScript regular expression, for what GitHub is told. May be given several times.",
      },
      "jobs",
      {
        name: "quiet",
        summary: "Say nothing; the exit status tells.",
        details: "What could not be read or written is still reported.",
      },
    ],
    load: () => import("./commands/check.ts"),
  },
  {
    name: "drift",
    summary:
      "Says what Codex writes that no known release wrote: exit status 1 if there is something.",
    details:
      "Reads exec streams, session files and streams of the app-server, from files, stdin or a whole Codex home, and compares them with what releases from 0.1 on are known to write. One line says what is new: a kind of record, a field, a type or a word; of which release and dialect, where in the record, how often, where first, and what codexpipe does with it: understood, kept as it is, or refused. No value of anybody's is told, so that it can be shown to others: names and words that may not be Codex's stand there as *.",
    usage: [
      "codexpipe drift [OPTIONS] [FILE ...]",
      "codexpipe drift --home",
      "codexpipe drift --write-baseline baseline.json logs/*.jsonl",
      "codexpipe drift --baseline baseline.json run.jsonl",
    ],
    operands: [[
      "[FILE ...]",
      'Input files; "-" is stdin. None reads stdin or, if that is a terminal, the Codex home.',
    ]],
    flags: [
      "max-line-bytes",
      "codex-home",
      "home",
      "baseline",
      "write-baseline",
      {
        name: "since",
        summary:
          "Only files of a Codex home that were written to at TIME or later.",
      },
      {
        name: "github",
        details:
          "What is new becomes annotations as well (workflow commands on stderr), ten at most.",
      },
      {
        name: "format",
        choices: SEARCH_FORMATS,
        default: "text",
        details:
          "text is for people: FILE:LINE, the release, the dialect, the kind of record, the path, what is new, how often, and what codexpipe does with it. json is one object with the findings and how many there are more, jsonl one finding a line.",
      },
      "json",
      "jobs",
      {
        name: "quiet",
        summary: "Say nothing about failed lines and what was read.",
      },
    ],
    load: () => import("./commands/drift.ts"),
  },
  {
    name: "watch",
    summary: "Tells what happens in the Codex home, as it happens.",
    details:
      "New sessions and sub-agents, turns and commands when they begin and end, each turn with its verdict, and what is archived, packed or deleted. On a terminal, what is going on stands in a table below what has ended; elsewhere each happening is a line. A home that is not there yet is waited for. A session file that cannot be read is told, and the others go on. Ctrl-C ends it with 130.",
    usage: [
      "codexpipe watch [OPTIONS]",
      "codexpipe watch --json --since=2026-11-20T15:14:16.259Z",
    ],
    operands: [],
    flags: [
      "codex-home",
      {
        name: "since",
        summary: "Tell first what happened after TIME.",
        details:
          "Without it, only what happens from now on. TIME is the at of what was told last, to go on there: nothing is told again. Session files that were written to since then are read. A time without an offset is taken in UTC; m, h, d and w stand for minutes, hours, days and weeks before now.",
      },
      {
        name: "format",
        choices: SEARCH_FORMATS,
        default: "text",
        summary: "The form of what is told.",
        details:
          "text is for people. jsonl is one object a line (`codexpipe schema HappeningRecord`), and json is the same here, since there is no end.",
      },
      "json",
    ],
    load: () => import("./commands/watch.ts"),
  },
  {
    name: "sessions list",
    summary: "Lists the sessions on this machine, newest first.",
    details:
      `Active and archived sessions of every release, packed or not, each once; sub-agents and forks say what they are. A file that cannot be read is listed with the reason. What Codex itself does not show is marked, with why: its own index (state_N.sqlite in its home, of which a copy is read) lacks it or has it at another place, or its file cannot be read; where there is no such index, nothing is marked. How each session that is listed ended (as the status of check), its tokens and how long its turns took need its whole file, one after the other: rows are written as they are known, so \`| head\` reads little more than it shows, and ids and paths read none. --fast reads the first lines of files alone. What was read is remembered in the cache folder until the file changes: ${CACHE_FOLDER}. Times are in UTC; a table on a terminal says how long ago that was. There tokens are rounded, and where it has no room for a value, it is cut; all other forms give everything. json is one value with sessions, next_cursor, total and problems; jsonl one session a line. If no session is what the options ask for, the exit status is 1; that there are no sessions at all is a list without any.`,
    usage: [
      "codexpipe sessions list [OPTIONS]",
      "codexpipe sessions list --cwd=. --since=7d",
    ],
    operands: [],
    flags: [
      ...WHICH_SESSIONS,
      {
        name: "limit",
        summary: "At most NUM sessions.",
        details:
          "Without it, all; a table on a terminal shows 50. Where sessions follow, the command that shows them is said on stderr, and json has the cursor in next_cursor.",
      },
      "cursor",
      "fast",
      {
        name: "format",
        choices: LIST_FORMATS,
        default: "table",
        details:
          "table is for people; json is one value, jsonl one session a line; tsv begins with a line of names; ids and paths are what other commands take.",
      },
      "json",
      "no-pager",
    ],
    load: () => import("./commands/sessions_list.ts"),
  },
  {
    name: "sessions choose",
    summary: "Shows a list of sessions on a terminal to choose one from.",
    details:
      "What `codexpipe sessions` does on a terminal. The arrows go up and down, and letters filter by title, folder, branch and id; how the selected one ended, its tokens and how long it took stand below, once its file is read; Enter shows the session, r (with a filter, Ctrl-R) prints the command that goes on with it, Esc leaves. It needs a terminal; elsewhere `codexpipe sessions` lists.",
    usage: ["codexpipe sessions", "codexpipe sessions choose --cwd=."],
    operands: [],
    flags: [
      ...WHICH_SESSIONS,
      {
        name: "limit",
        summary: "At most NUM sessions.",
        default: "1000",
      },
      "no-pager",
    ],
    load: () => import("./commands/sessions_choose.ts"),
  },
  {
    name: "sessions path",
    summary: "Prints the path of the file of a session.",
    details:
      `${WHAT_AN_ID_IS}, from which it may have been moved. Of several sessions with one name it is the one that was given it last. One that could be several sessions otherwise is not guessed: they are listed, and the exit status is 1. It is 3 if a folder could not be read, as what was meant may lie there; what was found is printed all the same.`,
    usage: [
      "codexpipe sessions path [OPTIONS] ID ...",
      "codexpipe sessions path --last",
    ],
    operands: [["ID ...", "The sessions."]],
    flags: ["last", "codex-home"],
    load: () => import("./commands/sessions_path.ts"),
  },
  {
    name: "sessions family",
    summary: "Shows a session with its forks and sub-agents, and theirs.",
    details:
      `The root of the family comes first, and behind each session what was forked or spawned from it, the oldest first, as the headers of their files say or the calls that spawned them; also what is archived or packed. That a session is missing is said. json is one value with sessions and missing, where a session has the fields that sessions list has, depth and files; jsonl is one session a line. ${WHAT_AN_ID_IS}. With --shards, all sessions are divided by their families instead.`,
    usage: [
      "codexpipe sessions family [OPTIONS] ID",
      "codexpipe sessions family --shards=8 --format=paths > shards.txt",
      "codexpipe usage --family=ID",
    ],
    operands: [["ID", "A session of the family."]],
    flags: [
      "last",
      "codex-home",
      "shards",
      {
        name: "format",
        choices: FAMILY_FORMATS,
        default: "table",
        details:
          "table is for people, json one value, jsonl one session a line; ids and paths are for other commands. With --shards, jsonl is one shard a line, with its number, its families, its bytes and its files; paths has an empty line between shards; there are no ids.",
      },
      "json",
      "no-pager",
    ],
    load: () => import("./commands/sessions_family.ts"),
  },
  {
    name: "sessions show",
    summary: "Shows a session: as text, Markdown or HTML, or its lines.",
    details:
      `What a reader of the session sees, as render shows it: text on a terminal, Markdown elsewhere. A fork whose file holds only what came after the fork is joined with what it goes on from, across archives and packed files; if that is not there, it is shown as it is, and said to be partial. ${WHAT_AN_ID_IS}.`,
    usage: [
      "codexpipe sessions show [OPTIONS] ID",
      "codexpipe sessions show --last -o session.html",
      "codexpipe sessions show --jsonl ID | codexpipe usage",
    ],
    operands: [["ID", "The session."]],
    flags: [
      "last",
      "codex-home",
      "to",
      "output",
      "jsonl",
      "history",
      "meta",
      {
        name: "pretty",
        summary: "Indent the JSON of --history and --meta.",
        details: "Without it, they are one line.",
      },
      "reasoning",
      "tools",
      "max-output-lines",
      "images",
      "redact",
      "no-redact",
      "redact-pattern",
      "quiet",
      "verbose",
      "no-pager",
    ],
    load: () => import("./commands/sessions_show.ts"),
  },
  {
    name: "sessions resume",
    summary: "Prints what it takes to go on with a session.",
    details:
      `On a terminal the command line that goes on with it in Codex, and what it was about. Elsewhere one JSON object: type (resumed), conversation_id, history (every line of the session, normalized), rollout_path, missing, and command. A fork is joined with what it goes on from; missing is null, or what of that is not there. ${WHAT_AN_ID_IS}.`,
    usage: [
      "codexpipe sessions resume [OPTIONS] ID",
      "codexpipe sessions resume --command --last",
    ],
    operands: [["ID", "The session."]],
    flags: [
      "last",
      "codex-home",
      "command",
      {
        name: "format",
        choices: REPORT_FORMATS,
        details:
          "text is the command line and what the session was about; json is one object. Without it, text on a terminal and json elsewhere.",
      },
      "json",
      "quiet",
      "verbose",
    ],
    load: () => import("./commands/sessions_resume.ts"),
  },
  {
    name: "sessions follow",
    summary: "Prints what a session does, as it does it.",
    details:
      `On a terminal as text, else as normalized JSONL, line by line. A line that is not complete yet is waited for. The file may be archived, taken back, packed and unpacked meanwhile. Without an ID, the session that was written to last. ${WHAT_AN_ID_IS}. Ctrl-C ends it with 130. \`codexpipe watch\` tells of all sessions, also of new ones.`,
    usage: [
      "codexpipe sessions follow [OPTIONS] [ID]",
      "codexpipe sessions follow --from-start --exit-on=turn",
    ],
    operands: [["[ID]", "The session; without one, the last one."]],
    flags: [
      "last",
      "codex-home",
      "from-start",
      "exit-on",
      {
        name: "format",
        choices: LIVE_FORMATS,
        summary: "The form of what is written.",
        details:
          "text is for people, jsonl is one normalized line each. Without it, text on a terminal and jsonl elsewhere.",
      },
      "quiet",
      {
        name: "verbose",
        summary: "Say what happens to the file.",
        details:
          "When it is archived, packed, emptied, replaced, or not there for a while.",
      },
    ],
    load: () => import("./commands/sessions_follow.ts"),
  },
  {
    name: "sessions search",
    summary: "Searches everything that sessions showed.",
    details:
      'Looks into messages, reasoning, commands and their output, edits, calls of tools and what they gave, plans and errors; of what is longer than 64 KB, into the beginning and the end. What a fork repeats is found once. All of the QUERY must be in one message: words, in any order and whole; "a phrase" in quotation marks; begin* for words that begin so. Anything with other characters in it (src/main.rs, foo(bar), C:\\a\\b, "error: no") is found as it stands, also within words, in upper or lower case. Nothing has another meaning, but a QUERY that begins with a dash goes behind --. Best matches first, of equals the newest; of more than 500, the newest 500 are compared with each other, then those before them. Of strings alone, the newest come first. Where the index cannot be written, as on a disk that is read-only, it is searched as it is; where there is none, the newest session files are read. If nothing is found, the exit status is 1.',
    usage: [
      "codexpipe sessions search [OPTIONS] QUERY ...",
      "codexpipe sessions search --role=user --since=30d flaky test",
      "codexpipe sessions search '\"cannot find module\"' src/main.rs",
    ],
    operands: [["QUERY ...", "What to search."]],
    flags: [
      "role",
      {
        name: "cwd",
        summary: "Only in sessions that ran in DIR or below it.",
      },
      {
        name: "since",
        summary: "Only what was said at TIME or later.",
      },
      {
        name: "limit",
        default: "20",
        summary: "At most NUM messages.",
        details: "The first ones in the order that they are shown in.",
      },
      "codex-home",
      "index",
      "no-refresh",
      {
        name: "format",
        choices: SEARCH_FORMATS,
        default: "text",
        details:
          "text is for people: the session, the time in UTC, the role and the title, and a line of the text with the matches marked. json is one value with query, hits, has_more, files_left and makeshift, which says what was searched if the index could not be used; jsonl one hit a line.",
      },
      "json",
      "no-pager",
    ],
    load: () => import("./commands/sessions_search.ts"),
  },
  {
    name: "sessions index",
    summary: "Brings the index that searches use up to date.",
    details:
      "Searches do that by themselves; this does it without a limit on time, and says what was done. Files that have not changed are not opened, and one that has grown is read from where it ended. It can be interrupted, and run twice at once. Each run and each search check a part of the index; one that is damaged is made anew.",
    usage: ["codexpipe sessions index [OPTIONS]"],
    operands: [],
    flags: [
      "codex-home",
      "index",
      "rebuild",
      {
        name: "format",
        choices: REPORT_FORMATS,
        default: "text",
        details: "text is for people; json is one value.",
      },
      "json",
      "jobs",
    ],
    load: () => import("./commands/sessions_index.ts"),
  },
  {
    name: "sessions du",
    summary: "Says what sessions take, and of what.",
    details:
      "Reads every session file once and sums up its bytes by content (inherited lines, images, output of commands and its copies, reasoning, instructions, world state, messages, compactions, the rest), by kind, by age and by project, and shows the largest. The parts of a file are its size to the byte; of packed files, the size of what is in them, with what they take on the disk beside it. Sessions that could go are named in commands for Codex: archived ones, those that a fork holds whole, sub-agents whose parent is gone. Nothing is deleted, and nothing written.",
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
        summary: "At most NUM rows of each table.",
        details:
          "With --by, all unless it is given. Of json, it is how many of the largest files are in it.",
      },
      {
        name: "by",
        choices: SIZE_KEYS,
        summary: "What the bytes are summed up by.",
        details:
          "Without it, each of them, the largest sessions, and what could go. Several give a table each.",
      },
      {
        name: "format",
        choices: USAGE_FORMATS,
        default: "table",
        details:
          "table is for people. json is one object with the sums, the largest files and what could go. jsonl and csv have one file a line; with --by, one sum.",
      },
      "json",
      "jobs",
    ],
    load: () => import("./commands/sessions_du.ts"),
  },
  {
    name: "sessions repair",
    summary: "Writes a copy of a session without what is torn in it.",
    details:
      `For files that a crash, a full disk or a copy cut short has left with lines that are no JSON: they are left out, of a line with a record glued to a torn part only that part, and of a packed file what comes behind the place where it breaks off. Every other line is copied byte for byte. The copy is plain, has the name of the file and is written into DIR, never in place; its path is printed, and what was left out is said on stderr. ${WHAT_AN_ID_IS}.`,
    usage: [
      "codexpipe sessions repair ID --to DIR",
      "codexpipe sessions repair --last --to=.",
    ],
    operands: [["ID", "The session."]],
    flags: [
      "last",
      "codex-home",
      {
        name: "to",
        value: { name: "DIR", expects: "a folder", example: "repaired" },
        summary: "Write the copy into DIR.",
        details:
          "A folder that is there, and not in a Codex home. A file of the same name in it is not overwritten.",
      },
    ],
    load: () => import("./commands/sessions_repair.ts"),
  },
  {
    name: "schema",
    summary: "Prints the JSON Schema of what codexpipe writes.",
    details:
      "ThreadEvent: a line of a normalized exec stream, or an event. SessionItem: an event of an item that only session files tell of. RolloutLine: a line of a normalized session file; normalize also writes lines whose fields are not those of the releases that are known, which do not match. LineFailed: the record of a failed line. HistorySnapshot, HistoryMutation: what history prints. UsageReport, UsageRecord: what usage prints with --format=json, and each line with jsonl. UsageDerivationRecord: each count with usage --explain, in a list or a line. VerdictRecord: what check prints with --format=json. HappeningRecord: a line of watch --json. DriftReport, DriftFinding: what drift prints with --format=json, and each line with jsonl. SessionListReport, SessionRecord: what sessions list prints with --format=json, and each line with jsonl. SessionSizesReport, SessionSizeRecord, SessionSizeGroup: what sessions du prints with --format=json, and each line with jsonl, without and with --by. ThreadRow, TurnRow, ItemRow, ToolCallRow, RequestRow, FailureRow: the rows that export writes with --to=tables. Without NAME, one schema of all of them. JSON Schema 2020-12; fields that it does not name are let through. With --format=sql, NAME is a table of export --to=tables.",
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
        choices: SCHEMA_FORMATS,
        default: "json",
        details:
          "json is JSON Schema. sql is CREATE TABLE, for DuckDB, SQLite and PostgreSQL, of the rows that export writes with --to=tables.",
      },
      {
        name: "content",
        summary: "With --format=sql: have the columns with contents, too.",
        details: "Those that export --content writes.",
      },
    ],
    load: () => import("./commands/schema.ts"),
  },
  {
    name: "completions",
    summary: "Prints the script that completes command lines in a shell.",
    details:
      "For bash: `source <(codexpipe completions bash)` in ~/.bashrc. For zsh: `source <(codexpipe completions zsh)` in ~/.zshrc, after compinit. For fish: `codexpipe completions fish > ~/.config/fish/completions/codexpipe.fish`. Commands, options, their values, files and the ids of sessions are completed.",
    usage: ["codexpipe completions SHELL"],
    operands: [["SHELL", `${oneOf(SHELLS)}.`, SHELLS]],
    flags: [],
    load: () => import("./commands/completions.ts"),
  },
  {
    name: "man",
    summary: "Prints the manual page.",
    details:
      "In roff: `codexpipe man > codexpipe.1` writes it to be installed, `codexpipe man | man -l -` shows it where man can read stdin.",
    usage: ["codexpipe man"],
    operands: [],
    flags: [],
    load: () => import("./commands/man.ts"),
  },
];

/** All of it, for commands that are about the command line itself. */
export const TABLE: CommandTable = {
  commands: COMMANDS,
  groups: COMMAND_GROUPS,
  commonFlags: COMMON_FLAGS,
};

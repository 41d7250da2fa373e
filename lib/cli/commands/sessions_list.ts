/** `codexpipe sessions list`. */

import { shellWord } from "../../dialects/exec/command_line.ts";
import {
  hiddenFromCodex,
  type HiddenSessions,
} from "../../sessions/codex_index.ts";
import type { Session } from "../../sessions/session.ts";
import type { SessionPage } from "../../sessions/session_list.ts";
import type {
  SessionListReport,
  SessionRecord,
} from "../../sessions/session_records.ts";
import type { SessionRun } from "../../sessions/session_run.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT } from "../endings.ts";
import { escapeControls } from "../escape.ts";
import { FORMATS, SESSION_FILTERS } from "../flags.ts";
import { formatOf, listTexts, writePages } from "./_formats.ts";
import { reportPage, sessionPage } from "./_session_page.ts";
import { sessionPlaces } from "./_places.ts";
import { problemRecords, sessionRecord } from "./_sessions.ts";
import { sessionsTable } from "./_sessions_table.ts";

const SCREENFUL = 50;

export const run: RunCommand = async (context) => {
  const { args, diagnostics } = context;
  const form = formatOf(args, FORMATS.list);
  if (form === "ids" || form === "paths") {
    args.refuseIdle(["fast"], `with --format=${form}, which is fast`);
  }
  const isScreen = form === "table" && context.process.isTerminal.stdout;
  const limit = args.number("limit") ?? (isScreen ? SCREENFUL : undefined);
  const page = await sessionPage(context, limit);
  // Lists of ids and paths do not show it.
  const codex = form === "ids" || form === "paths"
    ? NOTHING_HIDDEN
    : await hiddenFromCodex(page.sessions, {
      cache: sessionPlaces(context).cache,
      env: context.process.env,
    });
  const pieces = piecesOf({ ...page, codex }, form, context);
  // Each row is written at once: when the reader closes the pipe, no further file is read.
  await writePages(form, pieces, context, args.has("fast") ? undefined : 1);
  const isIncomplete = reportPage(page, context);
  if (page.nextCursor !== undefined) {
    const next = nextCommand(args, page.nextCursor);
    diagnostics.say(`more sessions follow: ${next}`);
  }
  for (const { state, file, reason } of codex.indexes) {
    if (state !== "unknown") continue;
    diagnostics.say(
      `${file}: cannot tell which sessions Codex itself does not show: ${reason}`,
    );
  }
  if (isIncomplete) return EXIT.io;
  // Without filters, an empty list is a valid result.
  const isNo = page.sessions.length === 0 &&
    (page.total > 0 || SESSION_FILTERS.some((name) => args.has(name)));
  return isNo ? EXIT.no : EXIT.done;
};

const NOTHING_HIDDEN: HiddenSessions = { hidden: new Map(), indexes: [] };

interface MarkedPage extends SessionPage {
  readonly codex: HiddenSessions;
}

/** A session, with its outcome, tokens and duration if its file was read. */
type RunSession = readonly [session: Session, run: SessionRun | undefined];

/** Yields the sessions of a page, and reads the file of each only when it is requested. */
async function* runSessions(
  { sessions }: MarkedPage,
  { args, process, progress }: CommandContext,
): AsyncGenerator<RunSession> {
  if (args.has("fast")) {
    for (const session of sessions) yield [session, undefined];
    return;
  }
  const { readSessionRuns } = await import("../../sessions/head_reader.ts");
  const { cache } = sessionPlaces({ args, process });
  const signal = process.interrupt;
  let done = 0;
  for await (const each of readSessionRuns(sessions, { cache, signal })) {
    yield each;
    done += 1;
    await progress.count("Reading sessions", done, sessions.length);
  }
}

async function* piecesOf(
  page: MarkedPage,
  form: typeof FORMATS.list[number],
  context: CommandContext,
): AsyncGenerator<string> {
  const { sessions, codex: { hidden } } = page;
  switch (form) {
    case "table": {
      if (sessions.length === 0) break;
      const runs = new Map<string, SessionRun>();
      for await (const [{ file }, run] of runSessions(page, context)) {
        if (run !== undefined) runs.set(file.path, run);
      }
      yield await sessionsTable(page, context, { hidden, runs });
      break;
    }
    case "json": {
      const rest: Omit<SessionListReport, "sessions"> = {
        next_cursor: page.nextCursor ?? null,
        total: page.total,
        problems: problemRecords(page, context.args),
        codex_indexes: page.codex.indexes,
      };
      yield '{"sessions":';
      yield* listTexts(recordTexts(page, context));
      yield `,${JSON.stringify(rest).slice(1)}\n`;
      break;
    }
    case "jsonl":
      for await (const text of recordTexts(page, context)) yield `${text}\n`;
      break;
    case "tsv":
      yield `${TSV_FIELDS.join("\t")}\n`;
      for await (const each of runSessions(page, context)) {
        yield tsvLine(each, page);
      }
      break;
    case "ids":
      for (const { head, file } of sessions) yield `${head.id || file.path}\n`;
      break;
    case "paths":
      for (const { file } of sessions) yield `${file.path}\n`;
      break;
  }
}

async function* recordTexts(
  page: MarkedPage,
  context: CommandContext,
): AsyncGenerator<string> {
  for await (const each of runSessions(page, context)) {
    yield JSON.stringify(listedRecord(each, page));
  }
}

const TSV_FIELDS = [
  "id",
  "started",
  "updated",
  "title",
  "cwd",
  "git_branch",
  "git_commit",
  "cli_version",
  "source",
  "originator",
  "model",
  "kind",
  "forked_from",
  "parent_id",
  "archived",
  "path",
  "problem",
  "hidden",
  "outcome",
  "total_tokens",
  "duration_ms",
] as const;

function tsvLine(session: RunSession, page: MarkedPage): string {
  const record = listedRecord(session, page);
  const cells = TSV_FIELDS.map((name) =>
    escapeControls(
      // As in JSON: \\, \t, \n and \r.
      String(record[name] ?? "").replace(
        /[\\\t\n\r]/g,
        (character) => JSON.stringify(character).slice(1, -1),
      ),
    )
  );
  return `${cells.join("\t")}\n`;
}

function listedRecord(
  [session, run]: RunSession,
  { codex: { hidden } }: MarkedPage,
): SessionRecord {
  return {
    ...sessionRecord(session),
    hidden: hidden.get(session.file.path) ?? null,
    outcome: run?.outcome ?? null,
    total_tokens: run?.totalTokens ?? null,
    duration_ms: run?.durationMs ?? null,
  };
}

function nextCommand(args: Arguments, cursor: string): string {
  // --json and --no-color are left out, since their meanings are among the flags too.
  const flags = args.given
    .filter(({ name }) => !["cursor", "json", "no-color"].includes(name))
    .flatMap(({ name, values }) =>
      values.map((value) =>
        value === "" ? `--${name}` : `--${name}=${shellWord(value)}`
      )
    );
  return ["codexpipe sessions list", ...flags, `--cursor=${shellWord(cursor)}`]
    .join(" ");
}

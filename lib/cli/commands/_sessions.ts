/** Lookup of sessions, messages about files that cannot be read, and the record of a session. */

import type { Session } from "../../sessions/session.ts";
import {
  findSessionFiles,
  type SessionProblem,
} from "../../sessions/session_files.ts";
import type { SessionPage } from "../../sessions/session_list.ts";
import {
  AmbiguousSessionError,
  findLastSession,
  findSession,
  SessionNotFoundError,
} from "../../sessions/session_lookup.ts";
import type {
  SessionProblemRecord,
  SessionRecord,
} from "../../sessions/session_records.ts";
import { startedAt } from "../../sessions/session_start.ts";
import { isWindowsPath } from "../../sessions/working_directory.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { Surroundings } from "../context.ts";
import { EXIT } from "../endings.ts";
import { cannot, isPlatformError } from "../reasons.ts";
import { folderOf, homesToRead, NO_HOME, sessionPlaces } from "./_places.ts";

/** Returns the absolute path of a working directory; Windows paths are not resolved anywhere. */
export function workingFolderOf(
  folder: string,
  process: Pick<Surroundings, "env" | "cwd">,
): string {
  return isWindowsPath(folder) ? folder : folderOf(folder, process);
}

/**
 * Finds a session by its id, name or path, or the last one. Reports files that could not be read,
 * except `reported` ones, and why no session was found.
 */
export async function lookUpSession(
  query: string | undefined,
  { args, process, diagnostics }: CommandContext,
  reported: Set<string> = new Set(),
): Promise<{ readonly session?: Session; readonly status: number }> {
  let status: number = EXIT.done;
  const options = {
    ...sessionPlaces({ args, process }),
    onProblem(problem: Pick<SessionProblem, "path" | "message">): void {
      status = EXIT.io;
      if (reported.has(problem.path)) return;
      reported.add(problem.path);
      diagnostics.say(problemLine(problem));
    },
  };
  try {
    const session = query === undefined
      ? await findLastSession({
        ...options,
        codexHomes: homesToRead({ args, process }),
      })
      : await findSession(query, options);
    return { session, status };
  } catch (error) {
    if (error instanceof SessionNotFoundError) {
      const { missingHomes } = await findSessionFiles(options);
      problemRecords({ problems: [], missingHomes }, args)
        .forEach(options.onProblem);
      for (const line of notFoundLines(error)) diagnostics.say(line);
    } else if (error instanceof AmbiguousSessionError) {
      for (const line of ambiguousLines(error)) diagnostics.say(line);
    } else if (isPlatformError(error)) {
      throw cannot("read", query ?? "the last session", error);
    } else throw error;
    // If a folder could not be read, the session may be there: that status takes precedence.
    return { status: status || EXIT.no };
  } finally {
    await diagnostics.flush();
  }
}

/** The result of a search of the Codex homes, as far as it has to be reported. */
type FoundInHomes = Pick<SessionPage, "total" | "problems" | "missingHomes">;

/** Reports what could not be read, and homes without sessions; returns whether any was unread. */
export function reportHomes(
  { total, problems, missingHomes }: FoundInHomes,
  { args, process, diagnostics }: CommandContext,
): boolean {
  const unread = problemRecords({ problems, missingHomes }, args);
  for (const problem of unread) diagnostics.say(problemLine(problem));
  if (total === 0 && unread.length === problems.length) {
    diagnostics.say(noSessions(sessionPlaces({ args, process }).codexHomes));
  }
  return unread.length > 0;
}

function noSessions(codexHomes: readonly string[]): string {
  return `no sessions in ${
    codexHomes.join(", ")
  }, neither in sessions nor in archived_sessions; use --codex-home=DIR for another home`;
}

export function problemLine(
  { path, message }: Pick<SessionProblem, "path" | "message">,
): string {
  return `${path}: cannot read: ${message}`;
}

/**
 * The records of files and folders that could not be read, and of given homes that do not exist. A
 * missing default home only means that it has no sessions.
 */
export function problemRecords(
  { problems, missingHomes }: Omit<FoundInHomes, "total">,
  args: Arguments,
): readonly SessionProblemRecord[] {
  const missing = args.has("codex-home") ? missingHomes : [];
  return [
    ...problems.map(({ path, code, message }) => ({
      path,
      code: code === "" ? null : code,
      message,
    })),
    ...missing.map((path) => ({ path, code: "ENOENT", message: "not found" })),
  ];
}

/** Writes a time for people: to the minute, in UTC. */
export function minuteOf(time: number): string {
  const text = new Date(time).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 16)}`;
}

export function sessionRecord(
  { file, head, name, title }: Session,
): SessionRecord {
  return {
    id: head.id === "" ? null : head.id,
    started: head.started ?? null,
    updated: new Date(file.mtime).toISOString(),
    title,
    name: name ?? null,
    first_message: head.firstMessage ?? null,
    cwd: head.cwd ?? null,
    git_branch: head.gitBranch ?? null,
    git_commit: head.gitCommit ?? null,
    git_url: head.gitUrl ?? null,
    cli_version: head.cliVersion ?? null,
    source: head.source ?? null,
    originator: head.originator ?? null,
    model: head.model ?? null,
    model_provider: head.modelProvider ?? null,
    kind: head.kind,
    forked_from: head.forkedFrom ?? null,
    parent_id: head.parent ?? null,
    agent: head.agent ?? null,
    history_mode: head.historyMode ?? null,
    archived: file.isArchived,
    compression: file.compression,
    size: file.size,
    home: file.home,
    path: file.path,
    copies: file.copies,
    problem: head.problem ?? null,
  };
}

function notFoundLines({ query, codexHomes }: SessionNotFoundError): string[] {
  const where = codexHomes.length === 0
    ? NO_HOME
    : `searched ${
      codexHomes.join(", ")
    }; use --codex-home=DIR for another home`;
  return query === undefined ? [noSessions(codexHomes)] : [
    `there is no session "${query}": it is neither the beginning of an id, nor the name of a session, nor a file`,
    where,
    '"codexpipe sessions list" shows the sessions',
  ];
}

function ambiguousLines(
  { query, candidates, total, shortIds }: AmbiguousSessionError,
): string[] {
  // A copy under another name has the same id.
  const isUnique = (id: string): boolean =>
    candidates.filter(({ head }) => head.id === id).length === 1;
  const names = candidates.map(({ file, head }) =>
    isUnique(head.id) && shortIds.get(head.id) || file.path
  );
  const width = Math.max(...names.map(({ length }) => length));
  const rows = candidates.map(({ file, head, title }, i) =>
    `  ${names[i]?.padEnd(width)}  ${
      minuteOf(startedAt(file, head.started))
    }  ${title}`
  );
  const more = total - candidates.length;
  const choice = candidates.every(({ head }) => isUnique(head.id))
    ? "its id"
    : "its id or its file";
  return [
    `"${query}" could be one of ${total} sessions; give ${choice}:`,
    ...rows,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

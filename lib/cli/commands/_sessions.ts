/**
 * What the commands about sessions share: where to look, which session is meant, and how one
 * is written as a record.
 */

import { resolve } from "node:path";
import {
  cacheFolder,
  codexHomesFrom,
  withUserHome,
} from "../../sessions/codex_homes.ts";
import type { Session } from "../../sessions/session.ts";
import type { SessionProblem } from "../../sessions/session_files.ts";
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
import { cannot, isPlatformError, reasonOf } from "../reasons.ts";

export interface SessionPlaces {
  readonly codexHomes: readonly string[];
  /** Where heads are remembered; `undefined` if there is no place for that. */
  readonly cache: string | undefined;
}

/** The flags that say where to look, and the environment, in this order. */
export function sessionPlaces(
  args: Arguments,
  process: Pick<Surroundings, "env" | "cwd">,
): SessionPlaces {
  const { env } = process;
  const named = args.values("codex-home");
  const given = named.map((folder) => folderOf(folder, process));
  const codexHomes = codexHomesFrom({ env, given });
  return { codexHomes, cache: cacheFolder({ env }) };
}

/** Gives the absolute path of a folder that a flag names. A `~` stands for the user's home. */
export function folderOf(
  folder: string,
  { env, cwd }: Pick<Surroundings, "env" | "cwd">,
): string {
  return resolve(cwd(), withUserHome(folder, env));
}

/**
 * Gives the absolute path of a folder that sessions ran in. One of Windows is what it is, also
 * where that is not.
 */
export function workingFolderOf(
  folder: string,
  process: Pick<Surroundings, "env" | "cwd">,
): string {
  return isWindowsPath(folder) ? folder : folderOf(folder, process);
}

export interface LookedUpSession {
  /** The session; `undefined` if there is none, or several. */
  readonly session: Session | undefined;
  /** The exit status of a command that does no more than to look it up. */
  readonly status: number;
}

/**
 * Finds the session that an argument means.
 *
 * @param query What it is called; `undefined` for the last one.
 * @param args Say where to look.
 * @param context What the command works with; is told what could not be looked at, and why
 *   there is none.
 * @param told The paths of what could not be looked at and is not to be said again.
 */
export async function lookUpSession(
  query: string | undefined,
  args: Arguments,
  { process, diagnostics }: CommandContext,
  told: Set<string> = new Set(),
): Promise<LookedUpSession> {
  let status: number = EXIT.done;
  const options = {
    ...sessionPlaces(args, process),
    onProblem(problem: SessionProblem): void {
      status = EXIT.io;
      if (told.has(problem.path)) return;
      told.add(problem.path);
      diagnostics.say(problemLine(problem));
    },
  };
  try {
    const session = query === undefined
      ? await findLastSession(options)
      : await findSession(query, options);
    return { session, status };
  } catch (error) {
    if (error instanceof SessionNotFoundError) {
      for (const line of notFoundLines(error)) diagnostics.say(line);
    } else if (error instanceof AmbiguousSessionError) {
      for (const line of ambiguousLines(error)) diagnostics.say(line);
    } else if (isPlatformError(error)) {
      throw cannot("read", query ?? "the last session", error);
    } else throw error;
    // Where something could not be read, what was meant may be there.
    return { session: undefined, status: status || EXIT.no };
  } finally {
    await diagnostics.flush();
  }
}

/** What was found in the Codex homes, as far as people have to be told. */
interface FoundInHomes {
  readonly total: number;
  readonly problems: readonly SessionProblem[];
  readonly missingHomes: readonly string[];
}

/**
 * Says what could not be looked at, which of the homes that were named are not there, and
 * where there is nothing at all.
 *
 * @returns Whether something could not be read that was asked for.
 */
export function reportHomes(
  { total, problems, missingHomes }: FoundInHomes,
  args: Arguments,
  { process, diagnostics }: CommandContext,
): boolean {
  for (const problem of problems) diagnostics.say(problemLine(problem));
  const missing = lackingHomes(missingHomes, args);
  for (const home of missing) {
    diagnostics.say(`${home}: cannot read: not found`);
  }
  if (total === 0 && missing.length === 0) {
    diagnostics.say(noSessions(sessionPlaces(args, process).codexHomes));
  }
  return problems.length > 0 || missing.length > 0;
}

/** That the usual home is not there means that there are no sessions, and no more. */
function lackingHomes(
  missingHomes: readonly string[],
  args: Arguments,
): readonly string[] {
  return args.has("codex-home") ? missingHomes : [];
}

export function noSessions(codexHomes: readonly string[]): string {
  return codexHomes.length === 0
    ? "no Codex home: neither CODEX_HOME nor HOME is set; --codex-home=DIR names one"
    : `no sessions in ${
      codexHomes.join(", ")
    }, neither in sessions nor in archived_sessions; --codex-home=DIR looks elsewhere`;
}

export function problemLine({ path, code, message }: SessionProblem): string {
  const error = Object.assign(new Error(message), { code });
  return `${path}: cannot read: ${reasonOf(error)}`;
}

/**
 * Writes what could not be looked at as records, the homes among it that were named and are
 * not there.
 */
export function problemRecords(
  { problems, missingHomes }: Omit<FoundInHomes, "total">,
  args: Arguments,
): readonly SessionProblemRecord[] {
  const missing = lackingHomes(missingHomes, args);
  return [
    ...problems.map(({ path, code, message }) => ({
      path,
      code: code === "" ? null : code,
      message,
    })),
    ...missing.map((path) => ({ path, code: "ENOENT", message: "not found" })),
  ];
}

/** When a session began, for people: to the minute, in UTC. */
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

function notFoundLines(
  { query, codexHomes }: SessionNotFoundError,
): string[] {
  const where = codexHomes.length === 0
    ? noSessions(codexHomes)
    : `looked into ${codexHomes.join(", ")}; --codex-home=DIR looks elsewhere`;
  return query === undefined ? [noSessions(codexHomes)] : [
    `there is no session "${query}": no id begins with it, no session has this name, and no file is there`,
    where,
    '"codexpipe sessions list" shows the sessions',
  ];
}

function ambiguousLines(
  { query, candidates, total, shortIds }: AmbiguousSessionError,
): string[] {
  // A copy under another name has the same id.
  const isTold = (id: string): boolean =>
    candidates.filter(({ head }) => head.id === id).length === 1;
  const rows = candidates.map(({ file, head, title }) =>
    `  ${isTold(head.id) && shortIds.get(head.id) || file.path}  ${
      minuteOf(startedAt(file, head.started))
    }  ${title}`
  );
  const more = total - candidates.length;
  const what = candidates.every(({ head }) => isTold(head.id))
    ? "its id"
    : "its id or its file";
  return [
    `"${query}" could be one of ${total} sessions; name one by ${what}:`,
    ...rows,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

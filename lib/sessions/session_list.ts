/** Lists sessions, one page at a time. */

import { checkedCount, checkedTime } from "../checked.ts";
import { codexHomesFrom } from "./codex_homes.ts";
import { encodeCursor, isBehind, parseCursor } from "./cursor.ts";
import { HeadReader, type ReadSessionRunsOptions } from "./head_reader.ts";
import {
  type FindSessionFilesOptions,
  latestOf,
  type ListedFile,
  listSessionFiles,
  type SessionFile,
  type SessionProblem,
} from "./session_files.ts";
import type { Session } from "./session.ts";
import { startedAt } from "./session_start.ts";
import { shortIdsOf } from "./short_ids.ts";
import { WorkingFolder } from "./working_directory.ts";

/** The progress of a list. */
export interface SessionProgress {
  /** How many session files have been read. */
  readonly done: number;
  /** How many session files there are; fewer are read if the page is full before. */
  readonly total: number;
}

/** Options for {@linkcode listSessions}. */
export interface ListSessionsOptions
  extends SessionFilter, FindSessionFilesOptions, ReadSessionRunsOptions {
  /**
   * The most sessions of the page: a whole number from 1.
   *
   * @default {Infinity}
   */
  readonly limit?: number | undefined;
  /**
   * Where the page begins: the `nextCursor` of the page before, a cursor of Codex, or a time.
   *
   * @default {undefined}
   */
  readonly cursor?: string | undefined;
  /**
   * Receives the progress; a returned promise is awaited.
   *
   * @default {undefined}
   */
  readonly onProgress?:
    | ((progress: SessionProgress) => void | Promise<void>)
    | undefined;
}

/** A page of a list of sessions. */
export interface SessionPage {
  /** The sessions, newest first. */
  readonly sessions: readonly Session[];
  /** The cursor of the next page; `undefined` if this is the last one. */
  readonly nextCursor: string | undefined;
  /** How many sessions there are, regardless of the filter. */
  readonly total: number;
  /** For each id of the page, its shortest beginning that no other id has. */
  readonly shortIds: ReadonlyMap<string, string>;
  /** The folders, and files of names, that could not be read. */
  readonly problems: readonly SessionProblem[];
  /** The homes that do not exist. */
  readonly missingHomes: readonly string[];
}

const AT_ONCE = 16;

/**
 * Lists sessions, newest first.
 *
 * Sessions are ordered by their start, newest first, and at the same time by id, the higher one
 * first; the cursor is the place of the last session in that order. So however many sessions share
 * a time, and whatever is added or removed between two calls, no page repeats a session or omits
 * one that existed all the time.
 *
 * No session is left out because of a problem: a file that cannot be read is listed with the
 * `problem` of its head. Only the first lines of files are read, and with a `cache` only those of
 * files that have changed.
 *
 * @param options The homes, the filter, and the size of the page.
 * @returns The page.
 * @throws {CursorError} If the cursor is not valid.
 * @throws {RangeError} If the limit is not a whole number from 1, or a time is `NaN`.
 *
 * @example All sessions, in pages of ten
 * ```ts
 * import { listSessions } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const titles: string[] = [];
 * let cursor: string | undefined;
 * do {
 *   const page = await listSessions({ codexHomes: ["no/such/home"], limit: 10, cursor });
 *   titles.push(...page.sessions.map(({ title }) => title));
 *   cursor = page.nextCursor;
 * } while (cursor !== undefined);
 *
 * assertEquals(titles, []);
 * ```
 */
export async function listSessions(
  options: ListSessionsOptions = {},
): Promise<SessionPage> {
  const {
    codexHomes = codexHomesFrom(),
    limit = Infinity,
    cursor,
    onProgress,
    signal,
  } = options;
  checkedCount("limit", limit, 1);
  const from = cursor === undefined ? undefined : parseCursor(cursor);
  const { cwd, since, until } = options;
  if (since !== undefined) checkedTime("since", since);
  if (until !== undefined) checkedTime("until", until);
  const folder = cwd === undefined ? undefined : await WorkingFolder.of(cwd);
  const { files, problems, missingHomes } = await listSessionFiles(codexHomes);
  const latest = latestOf(files);
  const candidates = latest.filter((file) =>
    (from === undefined || isBehind(file, from)) && mayMatch(file, options)
  );
  const reader = await HeadReader.open(files, options.cache);
  const sessions: Session[] = [];
  // Reads one session more than the page holds, to know whether there is another page.
  for (let at = 0; at < candidates.length && sessions.length <= limit;) {
    signal?.throwIfAborted();
    const batch = candidates.slice(at, at + batchSize(limit, sessions));
    at += batch.length;
    for (const session of await reader.read(batch)) {
      if (matches(session, options, folder)) sessions.push(session);
    }
    await onProgress?.({ done: at, total: candidates.length });
  }
  await reader.save();
  const page = sessions.slice(0, limit);
  const last: SessionFile | undefined = page.at(-1)?.file;
  const hasMore = last !== undefined && sessions.length > page.length;
  return {
    sessions: page,
    nextCursor: hasMore ? encodeCursor(last) : undefined,
    total: latest.length,
    shortIds: shortIdsOf(page, files),
    problems: [...problems, ...reader.names.problems],
    missingHomes,
  };
}

/** Returns how many heads to read next: no more than the page needs, but not one by one. */
function batchSize(limit: number, { length }: readonly Session[]): number {
  return Math.max(AT_ONCE, Math.min(16 * AT_ONCE, limit + 1 - length));
}

/** Selects sessions; all given conditions must hold. */
export interface SessionFilter {
  /**
   * The folder that the working directory of a session must be, or be in.
   *
   * @default {undefined}
   */
  readonly cwd?: string | undefined;
  /**
   * The earliest start of a session, in milliseconds since 1970.
   *
   * @default {undefined}
   */
  readonly since?: number | undefined;
  /**
   * The time before which a session must have begun, in milliseconds since 1970.
   *
   * @default {undefined}
   */
  readonly until?: number | undefined;
  /**
   * The branch on which a session must have begun.
   *
   * @default {undefined}
   */
  readonly branch?: string | undefined;
  /**
   * The program that must have begun a session, such as `codex_exec`.
   *
   * @default {undefined}
   */
  readonly originator?: string | undefined;
  /**
   * A pattern that must match the id, the name, the first message, the working directory, the
   * branch or the name of the agent of a session.
   *
   * @default {undefined}
   */
  readonly grep?: RegExp | undefined;
  /**
   * `true` selects archived sessions only, `false` all others.
   *
   * @default {undefined}
   */
  readonly archived?: boolean | undefined;
}

/** The time in a name is local: it can differ from UTC by more than a day. */
const ZONES = 26 * 3_600_000;

/** Whether the session of a file can match a filter, before its head is read. */
function mayMatch(
  { isArchived, start }: ListedFile,
  { archived, since, until }: SessionFilter,
): boolean {
  if (archived !== undefined && isArchived !== archived) return false;
  if (since !== undefined && start < since - ZONES) return false;
  return until === undefined || start < until + ZONES;
}

/** Whether a session matches a filter, of which `folder` is the working directory. */
function matches(
  { head, name, file }: Session,
  { since, until, branch, originator, grep }: SessionFilter,
  folder: WorkingFolder | undefined,
): boolean {
  const start = startedAt(file, head.started);
  if (since !== undefined && start < since) return false;
  if (until !== undefined && start >= until) return false;
  if (branch !== undefined && head.gitBranch !== branch) return false;
  if (originator !== undefined && head.originator !== originator) return false;
  if (folder?.holds(head.cwd) === false) return false;
  if (grep === undefined) return true;
  const { id, firstMessage, cwd, gitBranch, agent } = head;
  return [id, name, firstMessage, cwd, gitBranch, agent].some((text) =>
    // Not `test`: that of a global pattern would continue where the last match ended.
    text !== undefined && text.search(grep) !== -1
  );
}

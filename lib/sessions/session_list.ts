/** Lists sessions, a page at a time. */

import { checkedTime } from "../checked.ts";
import { codexHomesFrom } from "./codex_homes.ts";
import { encodeCursor, isBehind, parseCursor } from "./cursor.ts";
import { HeadReader } from "./head_reader.ts";
import {
  type FindSessionFilesOptions,
  type ListedFile,
  listSessionFiles,
  lookAtAll,
  type SessionFile,
  type SessionProblem,
} from "./session_files.ts";
import type { Session } from "./session.ts";
import { startedAt } from "./session_start.ts";
import { shortIdsOf } from "./short_ids.ts";
import { WorkingFolder } from "./working_directory.ts";

/** How far a long piece of work has come. */
export interface SessionProgress {
  /** How many session files were looked at. */
  readonly done: number;
  /** How many there are; fewer are looked at when a page is full before. */
  readonly total: number;
}

/** Options for {@linkcode listSessions}. */
export interface ListSessionsOptions
  extends SessionFilter, FindSessionFilesOptions {
  /**
   * How many sessions the page has at most: a whole number from 1.
   *
   * @default {Infinity}
   */
  readonly limit?: number | undefined;
  /**
   * Where the page begins: the `nextCursor` of the page before; see {@linkcode parseCursor}.
   *
   * @default {undefined}
   */
  readonly cursor?: string | undefined;
  /**
   * The folder where heads are remembered from one call to the next; see
   * {@linkcode cacheFolder}. Without it, nothing is written anywhere.
   *
   * @default {undefined}
   */
  readonly cache?: string | undefined;
  /**
   * Is called now and then, and waited for.
   *
   * @default {undefined}
   */
  readonly onProgress?:
    | ((progress: SessionProgress) => void | Promise<void>)
    | undefined;
  /**
   * Ends the work when it is aborted: the promise rejects with its reason.
   *
   * @default {undefined}
   */
  readonly signal?: AbortSignal | undefined;
}

/** A page of a list of sessions. */
export interface SessionPage {
  /** The sessions, newest first. */
  readonly sessions: readonly Session[];
  /** The cursor of the next page; `undefined` if no other session follows. */
  readonly nextCursor: string | undefined;
  /** How many sessions there are, whatever the list is about. */
  readonly total: number;
  /** For each id in the page, the beginning that tells it from all others. */
  readonly shortIds: ReadonlyMap<string, string>;
  /** The folders, and files with names, that could not be read. */
  readonly problems: readonly SessionProblem[];
  /** The homes that are not there. */
  readonly missingHomes: readonly string[];
}

/** How many heads are read at once. */
const AT_ONCE = 16;

/**
 * Lists sessions, newest first.
 *
 * Sessions are in the order of their start, and of one time the higher id comes first; the
 * cursor is the place of the last one in that order. So however many sessions share a time,
 * and whatever is added or removed between two calls, no page repeats a session or leaves
 * one out that was there all the time.
 *
 * No session is left out because something is wrong with it: a file that cannot be read is
 * listed with the `problem` of its head. Only the first lines of files are read, and with a
 * `cache` only of those that have changed.
 *
 * @param options Where to look, for what, and how much.
 * @returns The page.
 * @throws {CursorError} If the cursor is none.
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
  if (!(limit >= 1) || (limit !== Infinity && limit % 1 !== 0)) {
    throw new RangeError(
      `Cannot list sessions: limit is ${limit}, expected a whole number from 1`,
    );
  }
  const from = cursor === undefined ? undefined : parseCursor(cursor);
  const { cwd, since, until } = options;
  if (since !== undefined) checkedTime("since", since);
  if (until !== undefined) checkedTime("until", until);
  const folder = cwd === undefined ? undefined : await WorkingFolder.of(cwd);
  const matcher = new SessionMatcher(options, folder);
  const { files, problems, missingHomes } = await listSessionFiles(codexHomes);
  const latest = files.filter(({ isContinued }) => !isContinued);
  const listed = latest.filter((file) =>
    (from === undefined || isBehind(file, from)) && matcher.admits(file)
  );
  const end = listed.findIndex((file) => matcher.endsAt(file));
  const count = end === -1 ? listed.length : end;
  // Before heads fill the memory, if all of them may be on the page.
  const candidates = limit < listed.length || end !== -1
    ? listed
    : await lookAtAll(listed);
  const expected = matcher.needsHeads ? count : Math.min(limit + 1, count);
  const reader = await HeadReader.open(files, options.cache);
  const sessions: Session[] = [];
  // One more than asked for, to know whether there is another page.
  for (let at = 0; at < candidates.length && sessions.length <= limit;) {
    signal?.throwIfAborted();
    const batch = candidates.slice(at, at + batchSize(limit, sessions));
    at += batch.length;
    const looked = await lookAtAll(batch);
    for (const session of await reader.read(looked, expected)) {
      if (matcher.matches(session)) sessions.push(session);
    }
    await onProgress?.({ done: at, total: candidates.length });
    if (batch.some((file) => matcher.endsAt(file))) break;
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

/** How many heads to read next: no more than the page needs, but not one by one. */
function batchSize(limit: number, { length }: readonly Session[]): number {
  return Math.max(AT_ONCE, Math.min(16 * AT_ONCE, limit + 1 - length));
}

/** Which sessions a list is about; all that is given must hold. */
export interface SessionFilter {
  /**
   * A folder: sessions whose working directory it is, or lies below it.
   *
   * @default {undefined}
   */
  readonly cwd?: string | undefined;
  /**
   * Sessions that began then or later, in milliseconds since 1970.
   *
   * @default {undefined}
   */
  readonly since?: number | undefined;
  /**
   * Sessions that began before then, in milliseconds since 1970.
   *
   * @default {undefined}
   */
  readonly until?: number | undefined;
  /**
   * Sessions that began on this branch.
   *
   * @default {undefined}
   */
  readonly branch?: string | undefined;
  /**
   * Sessions that this program began, such as `codex_exec`.
   *
   * @default {undefined}
   */
  readonly originator?: string | undefined;
  /**
   * Sessions where this matches the id, the name, the first message, the working directory,
   * the branch or the name of the agent.
   *
   * @default {undefined}
   */
  readonly grep?: RegExp | undefined;
  /**
   * `true`: archived sessions only; `false`: all but those.
   *
   * @default {undefined}
   */
  readonly archived?: boolean | undefined;
}

/** A name is local time: more than a day can lie between it and the time in UTC. */
const ZONES = 26 * 3_600_000;

/** Says of sessions whether a list is about them. */
class SessionMatcher {
  readonly #filter: SessionFilter;
  readonly #folder: WorkingFolder | undefined;

  constructor(filter: SessionFilter, folder: WorkingFolder | undefined) {
    this.#filter = filter;
    this.#folder = folder;
  }

  /** Whether it takes heads to say which files are of sessions that match. */
  get needsHeads(): boolean {
    const { branch, originator, grep } = this.#filter;
    return this.#folder !== undefined ||
      [branch, originator, grep].some((wanted) => wanted !== undefined);
  }

  /** Whether no file behind this one, in the order newest first, can match. */
  endsAt(file: ListedFile): boolean {
    const { since } = this.#filter;
    return since !== undefined && file.start < since - ZONES;
  }

  /** Whether a file can be that of a session that matches; its head decides. */
  admits(file: ListedFile): boolean {
    const { archived, until } = this.#filter;
    if (archived !== undefined && file.isArchived !== archived) return false;
    return until === undefined || file.start < until + ZONES;
  }

  matches(session: Session): boolean {
    const { head, name, file } = session;
    const { since, until, branch, originator, grep } = this.#filter;
    const start = startedAt(file, head.started);
    if (since !== undefined && start < since) return false;
    if (until !== undefined && start >= until) return false;
    if (branch !== undefined && head.gitBranch !== branch) return false;
    if (originator !== undefined && head.originator !== originator) {
      return false;
    }
    if (this.#folder?.holds(head.cwd) === false) return false;
    if (grep === undefined) return true;
    const { id, firstMessage, cwd, gitBranch, agent } = head;
    return [id, name, firstMessage, cwd, gitBranch, agent].some((text) =>
      // A pattern that remembers where it was would skip every other one.
      text !== undefined && text.search(grep) !== -1
    );
  }
}

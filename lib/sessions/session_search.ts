/** Searches the texts of sessions. */

import { basename } from "node:path";
import { checkedCount, checkedTime } from "../checked.ts";
import {
  IndexDisagreement,
  isIndexDamage,
  isSqliteError,
} from "./_index_damage.ts";
import { isInside } from "./codex_homes.ts";
import { checkFileSum, checkIndex, checkMessageSum } from "./index_check.ts";
import { MESSAGE_ROLES, type MessageRole } from "./session_records.ts";
import { SearchCandidates } from "./search_candidates.ts";
import { SearchMatcher } from "./search_matcher.ts";
import {
  expressionsOf,
  parseSearchQuery,
  type SearchTerm,
} from "./search_query.ts";
import { snippetOf, type SnippetPart } from "./search_snippet.ts";
import {
  openIndexInMemory,
  openIndexToRead,
  type SessionIndexDatabase,
  type SessionIndexOptions,
  type SqlRow,
  type SqlValue,
  withSessionIndex,
} from "./session_index_database.ts";
import { SessionIndexError } from "./session_index_error.ts";
import { FILE_FACTS, ROWS_PER_FILE } from "./session_index_tables.ts";
import {
  type IndexingReport,
  type RefreshOptions,
  refreshSessionIndex,
  reportUnread,
} from "./session_indexer.ts";
import { idInName, sessionIdInName } from "./session_start.ts";
import { shortIds } from "./short_ids.ts";

/** What to search, and where. */
export interface SearchSessionsOptions
  extends RefreshOptions, SessionIndexOptions {
  /** What to search; see {@linkcode parseSearchQuery}. */
  readonly query: string;
  /**
   * Whether the index is brought up to date first.
   *
   * @default {true}
   */
  readonly refresh?: boolean | undefined;
  /**
   * Only messages of these roles.
   *
   * @default {undefined} All.
   */
  readonly roles?: readonly MessageRole[] | undefined;
  /**
   * Only sessions whose working directory is this folder, or lies below it.
   *
   * @default {undefined}
   */
  readonly cwd?: string | undefined;
  /**
   * Only messages from then on, in milliseconds since 1970.
   *
   * @default {undefined}
   */
  readonly since?: number | undefined;
  /**
   * How many messages to give at most.
   *
   * @default {20}
   */
  readonly limit?: number | undefined;
  /**
   * How long snippets are, about, in UTF-16 code units.
   *
   * @default {200}
   */
  readonly snippetLength?: number | undefined;
}

/** A message that was found. */
export interface SearchHit {
  /** The id of its session. */
  readonly session_id: string;
  /** As much of the id as tells the session from the others in the index. */
  readonly short_id: string;
  /** What the session is called. */
  readonly title: string;
  /** The working directory of the session; `null` if it is not known. */
  readonly cwd: string | null;
  /** The file of the session. */
  readonly rollout_path: string;
  /** Where the line begins in the file that it came with, in bytes of the unpacked file. */
  readonly offset: number;
  /** When it was made, in RFC 3339. */
  readonly time: string;
  /** The author of the message. */
  readonly role: MessageRole;
  /** The type of the record in the history that it is, or is a part of. */
  readonly kind: string;
  /** The tool that ran, if one did. */
  readonly tool_name: string | null;
  /** The part of it that shows why it was found. */
  readonly snippet: readonly SnippetPart[];
}

/** What a search found. */
export interface SearchResult {
  /** The messages, the best ones first. */
  readonly hits: readonly SearchHit[];
  /** Whether there are more than were asked for. */
  readonly hasMore: boolean;
  /** How many files of sessions the index has. */
  readonly files: number;
  /**
   * How the index was brought up to date, as far as it was; `undefined` if that was not asked
   * for.
   */
  readonly refresh: IndexingReport | undefined;
  /**
   * What was searched if the index could not be used as it should be, and why not: the index as
   * it was, or else the newest files. `undefined` if it could.
   */
  readonly makeshift: SearchMakeshift | undefined;
}

/** What was searched in place of an index that is up to date. */
export interface SearchMakeshift {
  /** The index as it was, because it cannot be written; or the newest files, without one. */
  readonly searched: "old_index" | "newest_files";
  /** Why the index could not be used. */
  readonly error: SessionIndexError;
}

/** How many messages are found unless another number is given. */
const LIMIT = 20;
/** How many messages are compared with each other at once; of more, the newest ones are. */
const RANKED = 500;
/** How much of an index is checked on the way: that takes about 2 ms. */
const CHECKED = { rows: 16, units: 1 << 15 };
/** How often a search begins again because others made the index anew meanwhile. */
const MAX_ROUNDS = 8;
/** How many bytes of files are read into memory if the index cannot be used. */
const MAX_READ = 64 << 20;

/**
 * Searches the texts of sessions: what the user and the model said, commands and their output,
 * changes to files, calls of tools, plans, errors.
 *
 * All terms of the query must be in one message. Those that say what is searched most, of all
 * they say, come first, and of equals the newest one: of more than 500 that may be it, the newest
 * 500 are compared with each other, then those before them. Strings alone are not compared: the
 * newest messages come first. What a forked session repeats of the one it comes from is found
 * once.
 *
 * An index that cannot be brought up to date, as on a disk that is read-only, is searched as it
 * is. If there is none that can be read, the newest files are read into memory, up to 64 MB of
 * them.
 *
 * @param options What to search, and where.
 * @returns What was found.
 * @throws {SessionIndexError} If the index is another file; if it cannot be used and is not to be
 *   brought up to date, or is to be made anew.
 * @throws {RangeError} If `limit` is no whole number from 0, or `since` is `NaN`.
 *
 * @example Nothing there
 * ```ts
 * import { searchSessions } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const folder = await Deno.makeTempDir();
 * const { hits } = await searchSessions({
 *   query: "flaky test",
 *   codexHomes: [`${folder}/no-home`],
 *   path: `${folder}/index.sqlite`,
 * });
 * await Deno.remove(folder, { recursive: true });
 *
 * assertEquals(hits, []);
 * ```
 */
export async function searchSessions(
  options: SearchSessionsOptions,
): Promise<SearchResult> {
  try {
    return await withSessionIndex(
      options,
      (database) => searchRefreshed(database, options),
    );
  } catch (error) {
    const isHopeless = !(error instanceof SessionIndexError) ||
      error.kind === "foreign" || options.rebuild === true;
    const found = isHopeless
      ? undefined
      : await searchMakeshift(error, options);
    if (found === undefined) throw error;
    return found;
  }
}

async function searchRefreshed(
  database: SessionIndexDatabase,
  options: SearchSessionsOptions,
): Promise<SearchResult> {
  for (let round = 1;; round++) {
    const { generation } = database;
    checkIndex(database, CHECKED);
    const refresh = options.refresh === false
      ? undefined
      : await refreshSessionIndex(database, options);
    const found = await searchSessionIndex(database, options);
    // What was found in an index that was emptied meanwhile is not all there is.
    if (database.generation === generation || round === MAX_ROUNDS) {
      return { ...found, refresh, makeshift: undefined };
    }
  }
}

/** Searches what there is where the index cannot be used; `undefined` if there is nothing. */
async function searchMakeshift(
  error: SessionIndexError,
  options: SearchSessionsOptions,
): Promise<SearchResult | undefined> {
  try {
    return await searchOldIndex(error, options) ??
      await searchNewestFiles(error, options);
  } catch (other) {
    if (other instanceof SessionIndexError) return undefined;
    throw other;
  }
}

async function searchOldIndex(
  error: SessionIndexError,
  options: SearchSessionsOptions,
): Promise<SearchResult | undefined> {
  const database = await openIndexToRead(options.path);
  if (database === undefined) return undefined;
  try {
    checkIndex(database, CHECKED);
    const refresh = options.refresh === false
      ? undefined
      : await reportUnread(database, options);
    const found = await searchSessionIndex(database, options);
    return { ...found, refresh, makeshift: { searched: "old_index", error } };
  } catch (other) {
    if (isIndexDamage(other) || isSqliteError(other)) return undefined;
    throw other;
  } finally {
    database.close();
  }
}

async function searchNewestFiles(
  error: SessionIndexError,
  options: SearchSessionsOptions,
): Promise<SearchResult | undefined> {
  if (options.refresh === false) return undefined;
  const database = await openIndexInMemory(options.path);
  let bytes = 0;
  try {
    const refresh = await refreshSessionIndex(database, {
      ...options,
      shouldStop: () => bytes > MAX_READ || options.shouldStop?.() === true,
      onProgress(progress) {
        bytes = progress.bytes;
        return options.onProgress?.(progress);
      },
    });
    const found = await searchSessionIndex(database, options);
    return {
      ...found,
      refresh,
      makeshift: { searched: "newest_files", error },
    };
  } finally {
    database.close();
  }
}

/**
 * Searches an open index as it is; see {@linkcode searchSessions}.
 *
 * @throws {RangeError} If `limit` is no whole number from 0, or `since` is `NaN`.
 */
async function searchSessionIndex(
  database: SessionIndexDatabase,
  options: SearchSessionsOptions,
): Promise<Omit<SearchResult, "refresh" | "makeshift">> {
  if (options.since !== undefined) checkedTime("since", options.since);
  const terms = parseSearchQuery(options.query);
  const expressions = expressionsOf(terms);
  const search = new Search(database, options, {
    candidates: await SearchCandidates.of(database, expressions, options),
    terms,
  });
  const { files } = database.get("SELECT count(*) AS files FROM files") ?? {};
  return { ...search.run(), files: Number(files ?? 0) };
}

/** A message that is what is searched. */
interface Message {
  readonly id: number;
  readonly row: SqlRow;
  readonly text: string;
}

/** A message, and how much of it is about the query. */
interface ComparedMessage extends Message {
  readonly score: number;
}

class Search {
  readonly #database: SessionIndexDatabase;
  readonly #candidates: SearchCandidates;
  readonly #sessions: SearchedSessions;
  readonly #options: SearchSessionsOptions;
  readonly #limit: number;
  readonly #matcher: SearchMatcher;
  /** How many messages are compared at once; of those with a string, the newest is the best. */
  readonly #ranked: number;
  /** The places of the hits, by what they say and the session that said it first. */
  readonly #places = new Map<string, number>();
  readonly #hits: { hit: SearchHit; id: number }[] = [];
  /** The state of the index when the search began. */
  readonly #dataVersion: number;

  constructor(
    database: SessionIndexDatabase,
    options: SearchSessionsOptions,
    { candidates, terms }: {
      readonly candidates: SearchCandidates;
      readonly terms: readonly SearchTerm[];
    },
  ) {
    this.#database = database;
    this.#candidates = candidates;
    this.#sessions = new SearchedSessions(database, options.codexHomes);
    this.#limit = checkedCount("limit", options.limit ?? LIMIT);
    this.#options = options;
    this.#matcher = new SearchMatcher(terms);
    this.#dataVersion = database.dataVersion;
    this.#ranked = terms.some(({ kind }) => kind === "words") ? RANKED : 1;
  }

  run(): Pick<SearchResult, "hits" | "hasMore"> {
    const limit = this.#limit;
    this.#search(limit);
    const hits = this.#hits.slice(0, limit).map(({ hit }) => hit);
    return { hits, hasMore: this.#hits.length > limit };
  }

  /**
   * Looks at messages, the newest first, and compares so many, then those before them, until there
   * are more than enough.
   */
  #search(limit: number): void {
    let compared: ComparedMessage[] = [];
    let left = this.#ranked;
    for (const id of this.#candidates.newest()) {
      const message = this.#message(id);
      if (message !== undefined) {
        const score = this.#ranked === 1
          ? 0
          : this.#matcher.score(message.text);
        compared.push({ ...message, score });
      }
      if (--left > 0) continue;
      this.#takeBest(compared, limit);
      if (this.#hits.length > limit) return;
      compared = [];
      left = this.#ranked;
    }
    this.#takeBest(compared, limit);
  }

  #takeBest(messages: ComparedMessage[], limit: number): void {
    messages.sort((a, b) => b.score - a.score || b.id - a.id);
    for (const message of messages) {
      this.#take(message);
      if (this.#hits.length > limit) return;
    }
  }

  /**
   * Gives a message if it is what is searched.
   *
   * @throws {IndexDisagreement} If what finds messages found one that is not there.
   */
  #message(id: number): Message | undefined {
    const session = this.#sessionOf(id);
    if (session !== undefined && !session.isWanted) return undefined;
    const row = session && this.#database.get(
      `SELECT id, records.offset AS offset, messages.offset - in_line AS line_start, in_line, time,
         sum, role, kind, tool_name, text
         FROM records JOIN messages ON session_id = ? AND messages.offset = records.offset
         WHERE records.id = ?`,
      session.key,
      id,
    );
    if (row === undefined) {
      this.#checkTextless(id);
      return undefined;
    }
    checkMessageSum(row, true);
    const { roles } = this.#options;
    // A message may say what a role is in the index.
    if (roles?.every((role) => role !== row.role)) return undefined;
    const text = textOrNull(row.text) ?? "";
    return this.#matcher.confirms(text) ? { id, row, text } : undefined;
  }

  /** Holds a row without a message to being one, unless others have removed it since. */
  #checkTextless(id: number): void {
    const place = this.#database.get(
      "SELECT id, offset, in_line, time, sum FROM records WHERE id = ?",
      id,
    );
    if (this.#database.dataVersion !== this.#dataVersion) return;
    if (place === undefined || this.#sessionOf(id) === undefined) {
      throw new IndexDisagreement(`the message ${id}`);
    }
    checkMessageSum(place, false);
  }

  #sessionOf(id: number): SearchedSession | undefined {
    return this.#sessions.at(Math.floor(id / ROWS_PER_FILE));
  }

  /** Takes a message as a hit, unless it repeats what another session has said. */
  #take({ id, row, text }: Message): void {
    const session = this.#sessionOf(id);
    if (session === undefined) return;
    const { id: sessionId, path, title, cwd } = session;
    const hit = {
      session_id: sessionId,
      short_id: this.#sessions.shortId(sessionId),
      title,
      cwd,
      rollout_path: path,
      offset: Number(row.line_start),
      time: new Date(Number(row.time)).toISOString(),
      role: MESSAGE_ROLES.find((role) => role === row.role) ?? "notice",
      kind: textOrNull(row.kind) ?? "",
      tool_name: textOrNull(row.tool_name),
      snippet: snippetOf(
        text,
        this.#matcher.matches(text),
        this.#options.snippetLength,
      ),
    };
    const key = `${this.#sessions.oldestOf(sessionId)}\n${hit.role}\n${text}`;
    const place = this.#places.get(key);
    const known = place === undefined ? undefined : this.#hits[place];
    if (place === undefined || known === undefined) {
      this.#places.set(key, this.#hits.length);
      this.#hits.push({ hit, id });
    } else if (known.hit.session_id === sessionId) {
      // Said twice in one session: it is there twice.
      this.#hits.push({ hit, id });
    } else if (id < known.id) this.#hits[place] = { hit, id };
  }
}

interface SearchedSession {
  readonly id: string;
  /** What the index calls it: a session that goes on in further files is several there. */
  readonly key: string;
  readonly path: string;
  readonly title: string;
  /** Its working directory; `null` if it is not known. */
  readonly cwd: string | null;
  /** Whether it is of one of the homes that are searched. */
  readonly isWanted: boolean;
}

/** How far the line of ancestors of a session is followed. */
const MAX_ANCESTORS = 32;

/** Looks up sessions, each once. */
class SearchedSessions {
  readonly #database: SessionIndexDatabase;
  readonly #codexHomes: readonly string[];
  readonly #files = new Map<number, SearchedSession | undefined>();
  readonly #shortIds = new Map<string, string>();
  readonly #oldest = new Map<string, string>();

  constructor(database: SessionIndexDatabase, codexHomes: readonly string[]) {
    this.#database = database;
    this.#codexHomes = codexHomes;
  }

  /**
   * Gives the session of a file, by the number of the file.
   *
   * @throws {IndexDisagreement} If it is another one than was written.
   */
  at(number: number): SearchedSession | undefined {
    if (this.#files.has(number)) return this.#files.get(number);
    const row = this.#database.get(
      `SELECT sum, ${FILE_FACTS} FROM files
         LEFT JOIN sessions ON sessions.id = session_id WHERE number = ?`,
      number,
    );
    if (row !== undefined) checkFileSum(row);
    const path = String(row?.path);
    const key = String(row?.session_id);
    const id = idInName(basename(path)) === key
      ? sessionIdInName(basename(path)) ?? key
      : key;
    // A session that goes on in further files is called as the first of them is.
    const first = id === key ? row : this.#database.get(
      "SELECT title FROM sessions WHERE id = ?",
      id,
    );
    const file = row && {
      id,
      key,
      path,
      title: textOrNull(first?.title) ?? textOrNull(row.title) ?? "",
      cwd: textOrNull(row.cwd),
      isWanted: this.#codexHomes.some((home) => isInside(path, home)),
    };
    this.#files.set(number, file);
    return file;
  }

  /** The session that one comes from in the end, itself if from none. */
  oldestOf(sessionId: string): string {
    const known = this.#oldest.get(sessionId);
    if (known !== undefined) return known;
    let oldest = sessionId;
    for (let step = 0; step < MAX_ANCESTORS; step++) {
      const row = this.#database.get(
        "SELECT origin FROM files WHERE session_id = ?",
        oldest,
      );
      if (typeof row?.origin !== "string") break;
      oldest = row.origin;
    }
    this.#oldest.set(sessionId, oldest);
    return oldest;
  }

  /** As much of an id as tells it from those before and behind it. */
  shortId(sessionId: string): string {
    const known = this.#shortIds.get(sessionId);
    if (known !== undefined) return known;
    const row = this.#database.get(
      `SELECT (SELECT max(session_id) FROM files WHERE session_id < ?) AS before,
         (SELECT min(session_id) FROM files WHERE session_id > ?) AS behind`,
      sessionId,
      sessionId,
    );
    const ids = [row?.before, sessionId, row?.behind]
      .filter((id) => typeof id === "string");
    const short = shortIds(ids).get(sessionId) ?? sessionId;
    this.#shortIds.set(sessionId, short);
    return short;
  }
}

function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

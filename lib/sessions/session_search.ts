/** Searches the messages of sessions. */

import { checkedCount, checkedTime } from "../checked.ts";
import {
  IndexDisagreement,
  isIndexDamage,
  isSqliteError,
} from "./_index_damage.ts";
import { isInside } from "./codex_homes.ts";
import { checkFileSum, checkIndex, checkMessageSum } from "./index_check.ts";
import { MESSAGE_ROLES, type MessageRole } from "./session_records.ts";
import { searchCandidates } from "./search_candidates.ts";
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
import type { SessionFilter } from "./session_list.ts";
import { shortIds } from "./short_ids.ts";
import { WorkingFolder } from "./working_directory.ts";

/** Options for {@linkcode searchSessions}. */
export interface SearchSessionsOptions
  extends RefreshOptions, SessionIndexOptions, Pick<SessionFilter, "cwd"> {
  /**
   * The query. Every query is valid: syntax that is not recognized is searched as a string.
   *
   * - `word`: the word, in any letter case, with or without accents.
   * - `"two words"`: the words one after the other.
   * - `begin*`: words with this beginning.
   * - `foo(bar)`, `C:\a\b`, `--flag`, `"error: no"`: exactly this text, even within words.
   *
   * Of a term of more than 1,000 characters, the first 1,000 are searched.
   */
  readonly query: string;
  /**
   * Whether the index is updated first.
   *
   * @default {true}
   */
  readonly refresh?: boolean | undefined;
  /**
   * The roles of messages to search.
   *
   * @default {undefined} All roles.
   */
  readonly roles?: readonly MessageRole[] | undefined;
  /**
   * The earliest time of a message, in milliseconds since 1970.
   *
   * @default {undefined}
   */
  readonly since?: number | undefined;
  /**
   * The most messages to return.
   *
   * @default {20}
   */
  readonly limit?: number | undefined;
  /**
   * The approximate length of snippets, in UTF-16 code units.
   *
   * @default {200}
   */
  readonly snippetLength?: number | undefined;
}

/** A message that was found. */
export interface SearchHit {
  /** The id of its session. */
  readonly session_id: string;
  /** The beginning of the id that no other session in the index has. */
  readonly short_id: string;
  /** The title of the session. */
  readonly title: string;
  /** The working directory of the session; `null` if it is not known. */
  readonly cwd: string | null;
  /** The file of the session. */
  readonly rollout_path: string;
  /** The offset of the line of the message, in bytes of the unpacked file. */
  readonly offset: number;
  /** The time of the message, in RFC 3339. */
  readonly time: string;
  /** The role of the message. */
  readonly role: MessageRole;
  /** The type of the history record that the message is, or is a part of. */
  readonly kind: string;
  /** The name of the tool that ran; `null` if none did. */
  readonly tool_name: string | null;
  /** The part of the message around the matches. */
  readonly snippet: readonly SnippetPart[];
}

/** The result of a search. */
export interface SearchResult {
  /** The messages, the best ones first. */
  readonly hits: readonly SearchHit[];
  /** Whether there are more messages than the limit. */
  readonly hasMore: boolean;
  /** How many session files the index has. */
  readonly files: number;
  /** The report of the update of the index, even of one that was stopped, if there was one. */
  readonly refresh: IndexingReport | undefined;
  /** The fallback that was searched, if the index could not be used or updated. */
  readonly makeshift: SearchMakeshift | undefined;
}

/** The fallback that was searched instead of an updated index. */
export interface SearchMakeshift {
  /**
   * The index as it was, if it cannot be written; the newest files, if there is no index that can
   * be read.
   */
  readonly searched: "old_index" | "newest_files";
  /** Why the index could not be used. */
  readonly error: SessionIndexError;
}

const LIMIT = 20;
/** How many messages are ranked at once; of more matches the newest come first. */
const RANKED = 500;
/** How many rows of an index are checked before a search: about 2 ms. */
const CHECKED = 16;
/** How many times a search is repeated because another process has rebuilt the index. */
const MAX_ROUNDS = 8;
/** How many bytes of files are read into memory if the index cannot be used. */
const MAX_READ = 64 << 20;

/**
 * Searches the messages of sessions: the words of the user and the model, commands and their
 * output, patches, tool calls, plans, errors.
 *
 * A message has to match all terms of the query. Messages are ranked by how often they have the
 * terms for their length; equal ones are ordered newest first. Of more than 500 matches the
 * newest 500 are ranked among each other and come first, then the 500 before them, and so on. A
 * query of strings only is not ranked: the newest messages come first. A message that a forked
 * session repeats from its origin is returned once, and one of a turn that was taken back never.
 *
 * An index that cannot be updated, for example on a read-only disk, is searched as it is. If there
 * is no index that can be read, the newest files are read into memory, up to 64 MB of them.
 *
 * @param options The query, the homes, and the path of the index.
 * @returns The messages found.
 * @throws {SessionIndexError} If the file at `path` is not an index, or if the index cannot be used
 *   while `refresh` is false or `rebuild` is true.
 * @throws {RangeError} If `limit` is not a whole number from 0, or `since` is `NaN`.
 *
 * @example A search without sessions
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
    if (
      !(error instanceof SessionIndexError) || error.kind === "foreign" ||
      options.rebuild === true
    ) throw error;
    try {
      const found = await searchOldIndex(error, options) ??
        await searchNewestFiles(error, options);
      if (found !== undefined) return found;
    } catch (other) {
      if (!(other instanceof SessionIndexError)) throw other;
    }
    throw error;
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
    // An index that was rebuilt during the search was incomplete.
    if (database.generation === generation || round === MAX_ROUNDS) {
      return { ...found, refresh, makeshift: undefined };
    }
  }
}

/** Searches an index that cannot be written; `undefined` if it cannot be read either. */
async function searchOldIndex(
  error: SessionIndexError,
  options: SearchSessionsOptions,
): Promise<SearchResult | undefined> {
  const database = await openIndexToRead(options.path);
  if (database === undefined) return undefined;
  try {
    checkIndex(database, CHECKED);
    const found = await searchSessionIndex(database, options);
    // Without an update, the index as it is was wanted.
    return options.refresh === false
      ? { ...found, refresh: undefined, makeshift: undefined }
      : {
        ...found,
        refresh: await reportUnread(database, options),
        makeshift: { searched: "old_index", error },
      };
  } catch (other) {
    if (isIndexDamage(other) || isSqliteError(other)) return undefined;
    throw other;
  } finally {
    database.close();
  }
}

/** Searches the newest files, read into memory; `undefined` if no files are to be read. */
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

/** Searches an open index without an update. */
async function searchSessionIndex(
  database: SessionIndexDatabase,
  options: SearchSessionsOptions,
): Promise<Omit<SearchResult, "refresh" | "makeshift">> {
  const { since, cwd, roles } = options;
  if (since !== undefined) checkedTime("since", since);
  const terms = parseSearchQuery(options.query);
  const expressions = expressionsOf(terms);
  const folder = cwd === undefined ? undefined : await WorkingFolder.of(cwd);
  // One snapshot: each candidate has its message, whatever other processes write.
  return database.snapshot(() => {
    const filter = { roles, since, folder };
    const candidates = searchCandidates(database, expressions, filter);
    const search = new Search(database, options, { candidates, terms });
    const row = database.get("SELECT count(*) AS files FROM files");
    return { ...search.run(), files: Number(row?.files ?? 0) };
  });
}

interface Message {
  readonly id: number;
  readonly session: SearchedSession;
  readonly row: SqlRow;
  readonly text: string;
  /** Its relevance; 0 if messages are not ranked. */
  readonly score: number;
}

class Search {
  readonly #database: SessionIndexDatabase;
  readonly #candidates: Iterable<number>;
  readonly #sessions: SearchedSessions;
  readonly #options: SearchSessionsOptions;
  readonly #limit: number;
  readonly #matcher: SearchMatcher;
  /** How many messages are ranked at once; 1 for a query of strings, which is not ranked. */
  readonly #ranked: number;
  readonly #hits: SearchHit[] = [];
  /** The places of first hits, by the oldest ancestor of the session, the role and the text. */
  readonly #places = new Map<string, number>();

  constructor(
    database: SessionIndexDatabase,
    options: SearchSessionsOptions,
    { candidates, terms }: {
      readonly candidates: Iterable<number>;
      readonly terms: readonly SearchTerm[];
    },
  ) {
    this.#database = database;
    this.#candidates = candidates;
    this.#sessions = new SearchedSessions(database, options.codexHomes);
    this.#limit = checkedCount("limit", options.limit ?? LIMIT);
    this.#options = options;
    this.#matcher = new SearchMatcher(terms);
    this.#ranked = terms.some(({ kind }) => kind === "words") ? RANKED : 1;
  }

  /** Ranks matches, the newest first, in groups of `#ranked`, until the limit is exceeded. */
  run(): Pick<SearchResult, "hits" | "hasMore"> {
    const compared: Message[] = [];
    for (const id of this.#candidates) {
      const message = this.#message(id);
      if (message === undefined) continue;
      compared.push(message);
      if (compared.length < this.#ranked) continue;
      this.#takeBest(compared.splice(0));
      if (this.#hasMore) break;
    }
    this.#takeBest(compared);
    return { hits: this.#hits.slice(0, this.#limit), hasMore: this.#hasMore };
  }

  get #hasMore(): boolean {
    return this.#hits.length > this.#limit;
  }

  #takeBest(messages: Message[]): void {
    messages.sort((a, b) => b.score - a.score || b.id - a.id);
    for (const message of messages) {
      this.#take(message);
      if (this.#hasMore) return;
    }
  }

  #message(id: number): Message | undefined {
    const session = this.#sessions.at(Math.floor(id / ROWS_PER_FILE));
    if (!session.isWanted) return undefined;
    const row = this.#database.get(
      `SELECT id, records.offset AS offset, messages.offset - in_line AS line_start, in_line, time,
         sum, role, kind, tool_name, text
         FROM records JOIN messages ON session_id = ? AND messages.offset = records.offset
         WHERE records.id = ?`,
      session.key,
      id,
    );
    if (row === undefined) throw new IndexDisagreement(`the message ${id}`);
    checkMessageSum(row);
    if (Number(row.line_start) >= session.end) return undefined;
    const { roles } = this.#options;
    // The role is indexed as a word, which may also be a word of the message.
    if (roles?.every((role) => role !== row.role)) return undefined;
    const text = String(row.text);
    if (!this.#matcher.confirms(text)) return undefined;
    const score = this.#ranked === 1 ? 0 : this.#matcher.score(text);
    return { id, session, row, text, score };
  }

  /** Adds a message as a hit, unless it repeats a message of another session. */
  #take({ session, row, text }: Message): void {
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
      kind: String(row.kind),
      tool_name: textOrNull(row.tool_name),
      snippet: snippetOf(
        text,
        this.#matcher.matches(text),
        this.#options.snippetLength,
      ),
    };
    const key = `${this.#sessions.oldestOf(sessionId)}\n${hit.role}\n${text}`;
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, this.#hits.length);
    else if (this.#hits[place]?.session_id !== sessionId) {
      // The messages with one text come newest first, the one that others repeat at last.
      this.#hits[place] = hit;
      return;
    }
    // A message repeated within one session is returned twice.
    this.#hits.push(hit);
  }
}

interface SearchedSession {
  readonly id: string;
  /** The session id in the index, which has several for a session with further files. */
  readonly key: string;
  readonly path: string;
  readonly title: string;
  readonly cwd: string | null;
  /** Whether the session is in one of the homes to search. */
  readonly isWanted: boolean;
  /** The offset from which on a later file of the session takes the lines back. */
  readonly end: number;
}

const MAX_ANCESTORS = 32;

class SearchedSessions {
  readonly #database: SessionIndexDatabase;
  readonly #codexHomes: readonly string[];
  readonly #files = new Map<number, SearchedSession>();

  constructor(database: SessionIndexDatabase, codexHomes: readonly string[]) {
    this.#database = database;
    this.#codexHomes = codexHomes;
  }

  /** Returns the session of a file, by the number of the file. */
  at(number: number): SearchedSession {
    const known = this.#files.get(number);
    if (known !== undefined) return known;
    const row = this.#database.get(
      `SELECT sum, ${FILE_FACTS} FROM files
         LEFT JOIN sessions ON sessions.id = session_id WHERE number = ?`,
      number,
    );
    if (row === undefined) throw new IndexDisagreement(`the file ${number}`);
    checkFileSum(row);
    const path = String(row.path);
    const key = String(row.session_id);
    const id = textOrNull(row.part_of) ?? key;
    // A session with further files has the title of its first file.
    const first = id === key ? row : this.#database.get(
      "SELECT title FROM sessions WHERE id = ?",
      id,
    );
    const file = {
      id,
      key,
      path,
      title: textOrNull(first?.title) ?? String(row.title),
      cwd: textOrNull(row.cwd),
      isWanted: this.#codexHomes.some((home) => isInside(path, home)),
      end: this.#endOf(key, id),
    };
    this.#files.set(number, file);
    return file;
  }

  /** Returns the offset up to which a file is a part of its session, which may have several. */
  #endOf(key: string, id: string): number {
    const parts = this.#database.all(
      `SELECT session_id, base, base_end FROM files
         WHERE part_of = ? ORDER BY session_id DESC`,
      id,
    );
    if (parts.length === 0) return Infinity;
    // From the last file back to the first: ids of files grow with time.
    const ends = new Map([[parts[0]?.session_id, Infinity]]);
    for (const { session_id, base = null, base_end = null } of parts) {
      if (!ends.has(session_id)) continue;
      if (base === null) return Infinity;
      ends.set(base, base_end === null ? Infinity : Number(base_end));
    }
    return ends.get(key) ?? 0;
  }

  /** Returns the oldest ancestor of a session, or the session itself if it has none. */
  oldestOf(sessionId: string): string {
    let oldest = sessionId;
    for (let step = 0; step < MAX_ANCESTORS; step++) {
      const row = this.#database.get(
        "SELECT origin FROM files WHERE session_id = ?",
        oldest,
      );
      if (typeof row?.origin !== "string") break;
      oldest = row.origin;
    }
    return oldest;
  }

  /** Returns the beginning of an id that neither the id before nor the one after it has. */
  shortId(sessionId: string): string {
    const row = this.#database.get(
      `SELECT (SELECT max(session_id) FROM files WHERE session_id < ?1) AS before,
         (SELECT min(session_id) FROM files WHERE session_id > ?1) AS behind`,
      sessionId,
    );
    const ids = [row?.before, sessionId, row?.behind]
      .filter((id) => typeof id === "string");
    return shortIds(ids).get(sessionId) ?? sessionId;
  }
}

function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

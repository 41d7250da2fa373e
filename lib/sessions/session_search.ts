/**
 * Searches the texts of sessions.
 *
 * @module
 */

import { RECORDS_PER_FILE } from "./session_index_tables.ts";
import { isInside } from "./codex_homes.ts";
import { MESSAGE_ROLES, type MessageRole } from "./message_roles.ts";
import {
  expressionsOf,
  parseSearchQuery,
  SearchMatcher,
} from "./search_query.ts";
import { snippetOf, type SnippetPart } from "./search_snippet.ts";
import { shortIds } from "./short_ids.ts";
import { WorkingFolder } from "./working_directory.ts";
import {
  type SessionIndexDatabase,
  type SessionIndexOptions,
  type SqlValue,
  withSessionIndex,
} from "./session_index_database.ts";
import {
  type IndexingReport,
  type RefreshOptions,
  refreshSessionIndex,
} from "./session_indexer.ts";

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
  readonly refresh?: boolean;
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
  readonly limit?: number;
  /**
   * How long snippets are, about, in UTF-16 code units.
   *
   * @default {200}
   */
  readonly snippetLength?: number;
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
  /** Where the line is in the file that it came with, in bytes of the unpacked file. */
  readonly offset: number;
  /** When it was made, in RFC 3339. */
  readonly time: string;
  /** Whose it is. */
  readonly role: MessageRole;
  /** The type of its record in the history. */
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
  /** How many sessions the index has. */
  readonly sessions: number;
  /** How the index was brought up to date; `undefined` if it was not. */
  readonly refresh: IndexingReport | undefined;
}

/** How many messages are found unless another number is given. */
const LIMIT = 20;
/** How many messages are compared with each other at once; beyond, the newest ones are. */
const RANKED = 3_000;
/** How far the line of ancestors of a session is followed. */
const MAX_ANCESTORS = 32;

/**
 * Searches the texts of sessions: what the user and the model said, commands and their output,
 * changes to files, calls of tools, plans, errors.
 *
 * All terms of the query must be in one message. Those that say the searched words most, of
 * all they say, come first, and of equals the newest one. What a forked session repeats of the
 * one it comes from is found once.
 *
 * @param options What to search, and where.
 * @returns What was found.
 * @throws {SessionIndexError} If the index cannot be used.
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
  return await withSessionIndex(options, async (database) => {
    const refresh = options.refresh === false
      ? undefined
      : await refreshSessionIndex(database, options);
    return { ...await searchSessionIndex(database, options), refresh };
  });
}

/**
 * Searches an open index as it is; see {@linkcode searchSessions}.
 *
 * @param database The index.
 * @param options What to search.
 * @returns What was found.
 */
export async function searchSessionIndex(
  database: SessionIndexDatabase,
  options: SearchSessionsOptions,
): Promise<Omit<SearchResult, "refresh">> {
  const search = new Search(
    database,
    options,
    await wantedFiles(database, options),
  );
  const { sessions } = database.get("SELECT count(*) AS sessions FROM files") ??
    {};
  return { ...search.run(), sessions: Number(sessions ?? 0) };
}

/** A session whose messages are searched. */
interface SearchedFile {
  readonly sessionId: string;
  /** Whether it is of one of the homes that are searched. */
  readonly isWanted: boolean;
}

/** A message that may be what is searched. */
interface Candidate {
  readonly id: number;
  readonly rank: number;
}

/** The numbers of the files of sessions that ran in a folder; `undefined` if that is no matter. */
async function wantedFiles(
  database: SessionIndexDatabase,
  { cwd }: SearchSessionsOptions,
): Promise<ReadonlySet<number> | undefined> {
  if (cwd === undefined) return undefined;
  const folder = await WorkingFolder.of(cwd);
  const rows = database.all(
    "SELECT number, cwd FROM files JOIN sessions ON sessions.id = session_id",
  );
  const wanted = rows.filter((row) => folder.holds(textOrNull(row.cwd)));
  return new Set(wanted.map(({ number }) => Number(number)));
}

/** One search. */
class Search {
  readonly #database: SessionIndexDatabase;
  readonly #wanted: ReadonlySet<number> | undefined;
  readonly #files = new Map<number, SearchedFile | undefined>();
  readonly #options: SearchSessionsOptions;
  readonly #matcher: SearchMatcher;
  readonly #words: string | undefined;
  readonly #symbols: string | undefined;
  /** Whether messages are compared; of those with a string, the newest is the best. */
  readonly #isRanked: boolean;
  /** The places of the hits, by what they say and the session that said it first. */
  readonly #places = new Map<string, number>();
  readonly #hits: { hit: SearchHit; id: number }[] = [];

  constructor(
    database: SessionIndexDatabase,
    options: SearchSessionsOptions,
    wanted: ReadonlySet<number> | undefined,
  ) {
    const terms = parseSearchQuery(options.query);
    const { words, symbols } = expressionsOf(terms);
    this.#database = database;
    this.#wanted = wanted;
    this.#options = options;
    this.#matcher = new SearchMatcher(terms);
    this.#words = words;
    this.#symbols = symbols;
    this.#isRanked = terms.some(({ kind }) => kind === "words");
  }

  run(): Pick<SearchResult, "hits" | "hasMore"> {
    const { limit = LIMIT } = this.#options;
    if (this.#words !== undefined || this.#symbols !== undefined) {
      if (this.#isRanked) this.#searchRanked(limit);
      else this.#searchNewest(limit);
    }
    const hits = this.#hits.slice(0, limit).map(({ hit }) => hit);
    return { hits, hasMore: this.#hits.length > limit };
  }

  /** Looks at messages, the newest first, until there are more than enough. */
  #searchNewest(limit: number): void {
    for (const { id } of this.#candidates(Number.MAX_SAFE_INTEGER)) {
      this.#consider(id);
      if (this.#hits.length > limit) return;
    }
  }

  /** Looks at the best of many messages, then at those of the many before them. */
  #searchRanked(limit: number): void {
    let below = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const candidates: Candidate[] = [];
      for (const candidate of this.#candidates(below)) {
        candidates.push(candidate);
        below = candidate.id;
        if (candidates.length === RANKED) break;
      }
      candidates.sort((a, b) => a.rank - b.rank || b.id - a.id);
      for (const { id } of candidates) {
        this.#consider(id);
        if (this.#hits.length > limit) return;
      }
      if (candidates.length < RANKED) return;
    }
  }

  /** Finds messages that may be what is searched, below a number; the newest ones first. */
  *#candidates(below: number): Generator<Candidate> {
    const { sql, values } = this.#statement(below);
    for (const row of this.#database.iterate(sql, ...values)) {
      const id = Number(row.id);
      const number = Math.floor(id / RECORDS_PER_FILE);
      if (this.#wanted?.has(number) === false) continue;
      yield { id, rank: Number(row.rank) };
    }
  }

  #statement(below: number): { sql: string; values: SqlValue[] } {
    const { roles, since } = this.#options;
    const words = this.#words;
    const symbols = this.#symbols;
    const table = words === undefined ? "symbols" : "words";
    const id = `${table}.rowid`;
    const conditions = [`${table} MATCH ?`, `${id} < ?`];
    const values: SqlValue[] = [words ?? symbols ?? "", below];
    let from = table;
    if (words !== undefined && symbols !== undefined) {
      // Without the sign, SQLite would look up the words once for every number.
      conditions.push(
        `+${id} IN (SELECT rowid FROM symbols WHERE symbols MATCH ?)`,
      );
      values.push(symbols);
    }
    if (roles !== undefined) {
      conditions.push(`records.role IN (${roles.map(() => "?").join(", ")})`);
      values.push(...roles);
    }
    if (since !== undefined) {
      conditions.push("records.time >= ?");
      values.push(since);
    }
    if (roles !== undefined || since !== undefined) {
      from += ` CROSS JOIN records ON records.id = ${id}`;
    }
    const rank = this.#isRanked ? "bm25(words)" : "0";
    const sql = `SELECT ${id} AS id, ${rank} AS rank FROM ${from}
      WHERE ${conditions.join(" AND ")} ORDER BY ${id} DESC`;
    return { sql, values };
  }

  /** Looks at a message, and takes it if it is what is searched. */
  #consider(id: number): void {
    const file = this.#file(Math.floor(id / RECORDS_PER_FILE));
    const row = file?.isWanted && this.#database.get(
      `SELECT messages.offset, time, messages.role, kind, tool_name, text, title, cwd, rollout_path
         FROM records
         JOIN messages ON session_id = ? AND messages.offset = records.offset
         LEFT JOIN sessions ON sessions.id = session_id
         WHERE records.id = ?`,
      file.sessionId,
      id,
    );
    if (file === undefined || !row) return;
    const text = textOrNull(row.text) ?? "";
    if (!this.#matcher.hasStrings(text)) return;
    const matches = this.#matcher.matches(text);
    const hit = {
      session_id: file.sessionId,
      short_id: this.#shortId(file.sessionId),
      title: textOrNull(row.title) ?? "",
      cwd: textOrNull(row.cwd),
      rollout_path: textOrNull(row.rollout_path) ?? "",
      offset: Number(row.offset),
      time: new Date(Number(row.time)).toISOString(),
      role: MESSAGE_ROLES.find((role) => role === row.role) ?? "notice",
      kind: textOrNull(row.kind) ?? "",
      tool_name: textOrNull(row.tool_name),
      snippet: snippetOf(text, matches, this.#options.snippetLength),
    };
    const key = `${this.#oldest(file.sessionId)}\n${hit.role}\n${text}`;
    const place = this.#places.get(key);
    const known = place === undefined ? undefined : this.#hits[place];
    if (place === undefined || known === undefined) {
      this.#places.set(key, this.#hits.length);
      this.#hits.push({ hit, id });
    } else if (known.hit.session_id === file.sessionId) {
      // Said twice in one session: it is there twice.
      this.#hits.push({ hit, id });
    } else if (id < known.id) this.#hits[place] = { hit, id };
  }

  #file(number: number): SearchedFile | undefined {
    if (this.#files.has(number)) return this.#files.get(number);
    const row = this.#database.get(
      "SELECT path, session_id FROM files WHERE number = ?",
      number,
    );
    const path = String(row?.path);
    const file = row && {
      sessionId: String(row.session_id),
      isWanted: this.#options.codexHomes.some((home) => isInside(path, home)),
    };
    this.#files.set(number, file);
    return file;
  }

  /** The session that one comes from in the end, itself if from none. */
  #oldest(sessionId: string): string {
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

  /** As much of an id as tells it from those before and behind it. */
  #shortId(sessionId: string): string {
    const row = this.#database.get(
      `SELECT (SELECT max(session_id) FROM files WHERE session_id < ?) AS before,
         (SELECT min(session_id) FROM files WHERE session_id > ?) AS behind`,
      sessionId,
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

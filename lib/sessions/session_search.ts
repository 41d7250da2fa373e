/**
 * Searches the texts of sessions.
 *
 * @module
 */

import { checkedCount, checkedTime } from "../checked.ts";
import { SearchCandidates } from "./search_candidates.ts";
import {
  type SearchedSession,
  SearchedSessions,
} from "./_searched_sessions.ts";
import { MESSAGE_ROLES, type MessageRole } from "./message_roles.ts";
import { SearchMatcher } from "./search_matcher.ts";
import {
  expressionsOf,
  parseSearchQuery,
  type SearchTerm,
} from "./search_query.ts";
import { snippetOf, type SnippetPart } from "./search_snippet.ts";
import {
  type SessionIndexDatabase,
  type SessionIndexOptions,
  type SqlRow,
  type SqlValue,
  withSessionIndex,
} from "./session_index_database.ts";
import { ROWS_PER_FILE } from "./session_index_tables.ts";
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
  /** Whose it is. */
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
  /** How the index was brought up to date; `undefined` if it was not. */
  readonly refresh: IndexingReport | undefined;
}

/** How many messages are found unless another number is given. */
const LIMIT = 20;
/** How many messages are compared with each other at once; of more, the newest ones are. */
const RANKED = 500;

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
 * @param options What to search, and where.
 * @returns What was found.
 * @throws {SessionIndexError} If the index cannot be used.
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
  return await withSessionIndex(options, async (database) => {
    for (;;) {
      const { generation } = database;
      const refresh = options.refresh === false
        ? undefined
        : await refreshSessionIndex(database, options);
      const found = await searchSessionIndex(database, options);
      // What was found in an index that was emptied meanwhile is not all there is.
      if (database.generation === generation) return { ...found, refresh };
    }
  });
}

/**
 * Searches an open index as it is; see {@linkcode searchSessions}.
 *
 * @param database The index.
 * @param options What to search.
 * @returns What was found.
 * @throws {RangeError} If `limit` is no whole number from 0, or `since` is `NaN`.
 */
export async function searchSessionIndex(
  database: SessionIndexDatabase,
  options: SearchSessionsOptions,
): Promise<Omit<SearchResult, "refresh">> {
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

/** One search. */
class Search {
  readonly #database: SessionIndexDatabase;
  readonly #candidates: SearchCandidates;
  readonly #sessions: SearchedSessions;
  readonly #options: SearchSessionsOptions;
  readonly #limit: number;
  readonly #matcher: SearchMatcher;
  /** Whether messages are compared; of those with a string, the newest is the best. */
  readonly #isRanked: boolean;
  /** The places of the hits, by what they say and the session that said it first. */
  readonly #places = new Map<string, number>();
  readonly #hits: { hit: SearchHit; id: number }[] = [];

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
    this.#isRanked = terms.some(({ kind }) => kind === "words");
  }

  run(): Pick<SearchResult, "hits" | "hasMore"> {
    const limit = this.#limit;
    if (this.#isRanked) this.#searchRanked(limit);
    else this.#searchNewest(limit);
    const hits = this.#hits.slice(0, limit).map(({ hit }) => hit);
    return { hits, hasMore: this.#hits.length > limit };
  }

  /** Looks at messages, the newest first, until there are more than enough. */
  #searchNewest(limit: number): void {
    for (const id of this.#candidates.newest()) {
      const message = this.#message(id);
      if (message === undefined) continue;
      this.#take(message);
      if (this.#hits.length > limit) return;
    }
  }

  /** Compares the newest messages, then those before them, until there are more than enough. */
  #searchRanked(limit: number): void {
    let compared: ComparedMessage[] = [];
    let left = RANKED;
    for (const id of this.#candidates.newest()) {
      const message = this.#message(id);
      if (message !== undefined) {
        const score = this.#matcher.score(message.text);
        compared.push({ ...message, score });
      }
      if (--left > 0) continue;
      this.#takeBest(compared, limit);
      if (this.#hits.length > limit) return;
      compared = [];
      left = RANKED;
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

  /** Gives a message if it is what is searched. */
  #message(id: number): Message | undefined {
    const session = this.#sessionOf(id);
    const row = session?.isWanted && this.#database.get(
      `SELECT messages.offset - in_line AS line_start, time, role, kind, tool_name, text
         FROM records JOIN messages ON session_id = ? AND messages.offset = records.offset
         WHERE records.id = ?`,
      session.key,
      id,
    );
    if (!row) return undefined;
    const { roles } = this.#options;
    // A message may say what a role is in the index.
    if (roles?.every((role) => role !== row.role)) return undefined;
    const text = textOrNull(row.text) ?? "";
    return this.#matcher.confirms(text) ? { id, row, text } : undefined;
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

function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

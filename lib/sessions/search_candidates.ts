/** Finds the messages in the index that may match a search. */

import type { MessageRole } from "./session_records.ts";
import { quoted, type SearchExpressions } from "./search_query.ts";
import type {
  SessionIndexDatabase,
  SqlValue,
} from "./session_index_database.ts";
import { roleToken, ROWS_PER_FILE } from "./session_index_tables.ts";
import type { WorkingFolder } from "./working_directory.ts";

export interface SearchFilter {
  /** The roles of messages; all if absent. */
  readonly roles?: readonly MessageRole[] | undefined;
  /** The folder that holds the working directories of sessions; any if absent. */
  readonly folder?: WorkingFolder | undefined;
  /** The earliest time of messages, in milliseconds since 1970; any if absent. */
  readonly since?: number | undefined;
}

/** How many of the newest messages with the words are tested first: mostly enough of them match. */
const SCANNED = 1_000;

/** An expression to look up, and the table to look it up in. */
interface Lookup {
  readonly table: "words" | "symbols";
  readonly expression: string;
  /** An expression for the symbols, which the messages must match as well. */
  readonly symbols?: string;
}

interface Range {
  readonly first: number;
  readonly end: number;
}

interface SearchScope {
  readonly database: SessionIndexDatabase;
  /** The roles of messages, as an expression; `undefined` for all. */
  readonly roles: string | undefined;
  readonly since: number | undefined;
  /** The numbers of the files to search, ascending; `undefined` for all. */
  readonly files: readonly number[] | undefined;
  readonly range: Range;
}

/** Finds messages that may match a search; returns their row ids, the highest first. */
export function searchCandidates(
  database: SessionIndexDatabase,
  { words, symbols }: SearchExpressions,
  { roles, since, folder }: SearchFilter,
): Iterable<number> {
  const files = filesOf(database, folder);
  const range = rangeOf(database, files, since);
  if (range === undefined || roles?.length === 0) return [];
  const scope: SearchScope = {
    database,
    roles: roles?.map((role) => quoted(roleToken(role))).join(" OR "),
    since,
    files,
    range,
  };
  if (words !== undefined) {
    const byWords = { table: "words", expression: words } as const;
    return symbols === undefined
      ? lookUp(scope, byWords)
      : common(scope, byWords, symbols);
  }
  return symbols === undefined
    ? []
    : lookUp(scope, { table: "symbols", expression: symbols });
}

/** Yields messages that match both words and symbols: the newest ones by words only. */
function* common(
  scope: SearchScope,
  byWords: Lookup,
  symbols: string,
): Generator<number> {
  const newest = lookUp(scope, byWords).take(SCANNED).toArray();
  yield* newest;
  const end = newest[SCANNED - 1];
  if (end === undefined) return;
  const range = { ...scope.range, end };
  yield* lookUp({ ...scope, range }, { ...byWords, symbols });
}

/** Yields row ids within the roles, the files and the time of the search. */
function* lookUp(
  { database, roles, since, files, range: { first, end } }: SearchScope,
  { table, expression, symbols }: Lookup,
): Generator<number> {
  const id = `${table}.rowid`;
  let from: string = table;
  const conditions = [`${id} >= ?`, `${id} < ?`, `${table} MATCH ?`];
  const parts = [expression, roles].filter((part) => part !== undefined);
  const match = parts.map((part) => `(${part})`).join(" AND ");
  const values: SqlValue[] = [first, end, match];
  if (symbols !== undefined) {
    // The `+` keeps SQLite from looking up each of the ids.
    conditions.push(
      `+${id} IN (SELECT rowid FROM symbols
         WHERE symbols MATCH ? AND rowid >= ? AND rowid < ?)`,
    );
    values.push(symbols, first, end);
  }
  if (files !== undefined) {
    conditions.push(
      `${id} / ${ROWS_PER_FILE} IN (SELECT value FROM json_each(?))`,
    );
    values.push(JSON.stringify(files));
  }
  if (since !== undefined) {
    from += ` CROSS JOIN records ON records.id = ${id}`;
    conditions.push("records.time >= ?");
    values.push(since);
  }
  const sql = `SELECT ${id} AS id FROM ${from}
    WHERE ${conditions.join(" AND ")} ORDER BY ${id} DESC`;
  for (const row of database.iterate(sql, ...values)) {
    yield Number(row.id);
  }
}

/** Returns the numbers of the files of sessions that ran in a folder, ascending; `undefined` for all. */
function filesOf(
  database: SessionIndexDatabase,
  folder: WorkingFolder | undefined,
): readonly number[] | undefined {
  if (folder === undefined) return undefined;
  const known = database.all("SELECT DISTINCT cwd FROM sessions")
    .map((row) => row.cwd);
  const wanted = known.filter((cwd) =>
    typeof cwd === "string" && folder.holds(cwd)
  );
  if (wanted.length === known.length) return undefined;
  return database.all(
    `SELECT number FROM files JOIN sessions ON sessions.id = session_id
       WHERE cwd IN (SELECT value FROM json_each(?)) ORDER BY number`,
    JSON.stringify(wanted),
  ).map(({ number }) => Number(number));
}

/** Returns the range of the row ids to search; `undefined` if there are none. */
function rangeOf(
  database: SessionIndexDatabase,
  files: readonly number[] | undefined,
  since: number | undefined,
): Range | undefined {
  let first = 0;
  let end = Number.MAX_SAFE_INTEGER;
  if (files !== undefined) {
    first = (files[0] ?? Infinity) * ROWS_PER_FILE;
    end = ((files.at(-1) ?? 0) + 1) * ROWS_PER_FILE;
  }
  if (since !== undefined) {
    const row = database.get(
      "SELECT id FROM records WHERE time >= ? ORDER BY id LIMIT 1",
      since,
    );
    first = Math.max(first, Number(row?.id ?? Infinity));
  }
  return first < end ? { first, end } : undefined;
}

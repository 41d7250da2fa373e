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

/**
 * How many of the newest messages are tested first, where looking up all of their terms takes long:
 * mostly enough of them match.
 */
const SCANNED = 1_000;
/** How many row ids are cheap to gather: 280,000 took 70 ms, comparing as many took 15 ms. */
const FEW = 5_000;

/** An expression to look up, and the table to look it up in; `records` has all messages. */
interface Lookup {
  readonly table: "words" | "symbols" | "records";
  readonly expression?: string;
}

interface Range {
  readonly first: number;
  readonly end: number;
}

/** Rows, as SQL that selects their ids. */
interface Rows {
  readonly sql: string;
  readonly values: readonly SqlValue[];
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
  { words, symbols, beginnings }: SearchExpressions,
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
  if (words !== undefined && symbols !== undefined) {
    return common(scope, words, symbols);
  }
  if (words !== undefined) {
    return lookUp(scope, { table: "words", expression: words });
  }
  if (symbols !== undefined) {
    return lookUp(scope, { table: "symbols", expression: symbols });
  }
  return beginnings === undefined ? [] : beginning(scope, beginnings);
}

/** Finds the rows that match both words and symbols: at first by words only. */
function* common(
  scope: SearchScope,
  words: string,
  symbols: string,
): Generator<number> {
  const byWords = { table: "words", expression: words } as const;
  const bySymbols = { table: "symbols", expression: symbols } as const;
  const found = lookUp(scope, byWords);
  try {
    const newest = take(found, SCANNED);
    yield* newest;
    const end = newest[SCANNED - 1];
    if (end === undefined) return;
    const range = { ...scope.range, end };
    const rest = take(found, FEW);
    // The smaller set is gathered, and the larger one is filtered by it.
    yield* rest.length < FEW
      ? lookUp(scope, bySymbols, range, listed(rest))
      : lookUp(scope, byWords, range, {
        sql: `SELECT rowid FROM symbols
          WHERE symbols MATCH ? AND rowid >= ? AND rowid < ?`,
        values: [symbols, range.first, range.end],
      });
  } finally {
    found.return(undefined);
  }
}

/** Yields the newest messages untested, then those with the beginnings, slow to look up. */
function* beginning(scope: SearchScope, expression: string): Generator<number> {
  const all = lookUp(scope, {
    table: scope.roles === undefined ? "records" : "words",
  });
  const newest = take(all, SCANNED);
  all.return(undefined);
  yield* newest;
  const end = newest[SCANNED - 1];
  if (end === undefined) return;
  const range = { ...scope.range, end };
  yield* lookUp(scope, { table: "words", expression }, range);
}

/** Yields row ids within the roles, files and time of the search, and within `among`. */
function* lookUp(
  { database, roles, since, files, range }: SearchScope,
  { table, expression }: Lookup,
  { first, end }: Range = range,
  among?: Rows,
): Generator<number> {
  const id = `${table}.rowid`;
  let from: string = table;
  const conditions = [`${id} >= ?`, `${id} < ?`];
  const values: SqlValue[] = [first, end];
  if (table !== "records") {
    const parts = [expression, roles]
      .filter((part) => part !== undefined).map((part) => `(${part})`);
    conditions.push(`${table} MATCH ?`);
    values.push(parts.join(" AND "));
  }
  if (among !== undefined) {
    // The `+` keeps SQLite from looking up each of the ids.
    conditions.push(`+${id} IN (${among.sql})`);
    values.push(...among.values);
  }
  if (files !== undefined) {
    const { sql, values: numbers } = listed(files);
    conditions.push(`${id} / ${ROWS_PER_FILE} IN (${sql})`);
    values.push(...numbers);
  }
  if (since !== undefined) {
    if (table !== "records") {
      from += ` CROSS JOIN records ON records.id = ${id}`;
    }
    conditions.push("records.time >= ?");
    values.push(since);
  }
  const sql = `SELECT ${id} AS id FROM ${from}
    WHERE ${conditions.join(" AND ")} ORDER BY ${id} DESC`;
  for (const row of database.iterate(sql, ...values)) {
    yield Number(row.id);
  }
}

function take<T>(from: Iterator<T>, count: number): T[] {
  const taken: T[] = [];
  while (taken.length < count) {
    const { done, value } = from.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

function listed(ids: readonly number[]): Rows {
  return {
    sql: "SELECT value FROM json_each(?)",
    values: [JSON.stringify(ids)],
  };
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

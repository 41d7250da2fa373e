/** Opens the database of the index of sessions, and rebuilds it. */

import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf } from "../files/byte_source.ts";
import {
  BUSY_TIMEOUT,
  type Connect,
  IndexDisagreement,
  isBusy,
  isDeletedInUse,
  isForeign,
  isIndexDamage,
  isSqliteError,
  markIndex,
  mayBeGone,
  pragma,
  removeDamaged,
} from "./_index_damage.ts";
import { SessionIndexError } from "./session_index_error.ts";
import {
  APPLICATION_ID,
  INDEX_VERSION,
  TABLE_NAMES,
  TABLES,
} from "./session_index_tables.ts";

/** Options for opening an index. */
export interface SessionIndexOptions {
  /** The path of the database. */
  readonly path: string;
  /**
   * Whether only an index can be at this path, as in the cache folder of codexpipe. A file with
   * other content then counts as a damaged index and is rebuilt.
   *
   * @default {false}
   */
  readonly isOwnPath?: boolean | undefined;
  /**
   * Whether to rebuild the index even if it is sound.
   *
   * @default {false}
   */
  readonly rebuild?: boolean | undefined;
  /**
   * Called when the index turns out to be damaged, before it is rebuilt.
   *
   * @default {() => {}}
   */
  readonly onDamage?: (() => void) | undefined;
}

export type SqlValue = string | number | bigint | null | Uint8Array;

export interface SqlRow {
  readonly [column: string]: SqlValue;
}

/** How many times a damaged index is opened or rebuilt before giving up. */
const ATTEMPTS = 4;
/** The highest version that is believed: a higher one is a flipped bit. */
const MAX_VERSION = 1_000;

/** The database of an index of sessions, opened by {@linkcode withSessionIndex}. */
export class SessionIndexDatabase {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, connection: DatabaseSync) {
    this.path = path;
    this.#connection = connection;
  }

  /** A number that changes when the index is rebuilt. */
  get generation(): number {
    return Number(this.get("PRAGMA schema_version")?.schema_version);
  }

  all(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.#run(() => this.#statement(sql).all(...values)) as SqlRow[];
  }

  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#run(() => this.#statement(sql).get(...values)) as
      | SqlRow
      | undefined;
  }

  /** Yields the rows of a query, one at a time. */
  *iterate(sql: string, ...values: SqlValue[]): Generator<SqlRow> {
    // Not a cached statement: this one is in use until its last row.
    const rows = this.#run(() =>
      this.#connection.prepare(sql).iterate(...values)
    );
    try {
      for (;;) {
        const { done, value } = this.#run(() => rows.next());
        if (done) return;
        yield value as SqlRow;
      }
    } finally {
      // Ends the read: an open one keeps other processes from truncating the log.
      rows.return?.();
    }
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.#run(() => this.#statement(sql).run(...values));
  }

  /**
   * Runs `work` in a transaction: all of it is written or none, even if the process is killed; no
   * other process writes meanwhile.
   */
  transaction<T>(work: () => T): T {
    this.run("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      rollBack(this.#connection);
      throw error;
    }
  }

  /** Runs queries that all see the same state of the index. */
  snapshot<T>(work: () => T): T {
    this.run("BEGIN");
    try {
      return work();
    } finally {
      rollBack(this.#connection);
    }
  }

  close(): void {
    this.#statements.clear();
    try {
      this.#connection.close();
    } catch {
      // Closed already.
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // SQLite holds an integer that no number can: codexpipe never writes one.
      if (error instanceof RangeError) throw new IndexDisagreement("a number");
      throw isBusy(error)
        ? new SessionIndexError("busy", this.path, { cause: error })
        : error;
    }
  }
}

/**
 * Runs `work` with the index of sessions, which is created if there is none. An index of an older
 * version is emptied; a damaged one is rebuilt, and the work repeated. A file that was never an
 * index is never touched: an empty file beside an index records that it is one.
 *
 * @throws {SessionIndexError} If the file is not an index, or cannot be used.
 */
export async function withSessionIndex<T>(
  options: SessionIndexOptions,
  work: (database: SessionIndexDatabase) => Promise<T>,
): Promise<T> {
  const { path, isOwnPath = false, onDamage = () => {} } = options;
  let { rebuild = false } = options;
  const DatabaseSync = await connect(path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new SessionIndexError("io", path, { cause });
  }
  let isDamaged = false;
  for (let attempt = 1;; attempt++) {
    let database: SessionIndexDatabase | undefined;
    try {
      if (!isOwnPath && isForeign(path)) {
        throw new SessionIndexError("foreign", path);
      }
      const open = (): SessionIndexDatabase =>
        prepared(DatabaseSync, { ...options, rebuild });
      if (isDamaged || isDeletedInUse(path)) {
        removeDamaged(DatabaseSync, path, () => open().close());
      }
      // Readable by its owner only: it holds what people said to Codex.
      closeSync(openSync(path, "a", 0o600));
      database = open();
      if (!isOwnPath) markIndex(path);
      return await work(database);
    } catch (error) {
      if (isBusy(error)) {
        throw new SessionIndexError("busy", path, { cause: error });
      }
      const isDamage = isIndexDamage(error);
      const isOfIndex = isDamage || isSqliteError(error) ||
        (database === undefined && codeOf(error) !== "");
      if (!isOfIndex) throw error;
      if (attempt === ATTEMPTS || !(isDamage || mayBeGone(error))) {
        throw new SessionIndexError("io", path, { cause: error });
      }
      if (isDamage) onDamage();
      // One that can be opened is emptied in place: other processes may use it.
      rebuild ||= isDamage && database !== undefined;
      isDamaged = isDamage && database === undefined;
    } finally {
      database?.close();
    }
  }
}

/** Loads SQLite on demand: it takes as long as a short command. */
async function connect(path: string): Promise<Connect> {
  try {
    return (await import("node:sqlite")).DatabaseSync;
  } catch {
    const cause = new Error(
      "this runtime has no node:sqlite; Deno, Bun and Node 22.13 have it",
    );
    throw new SessionIndexError("io", path, { cause });
  }
}

/** Opens an index for reading only; returns nothing if none of this version can be read. */
export async function openIndexToRead(
  path: string,
): Promise<SessionIndexDatabase | undefined> {
  const DatabaseSync = await connect(path);
  // To read an index, SQLite creates a file beside it, which fails on a read-only disk unless the
  // index is opened as immutable. A log beside the index means that other processes may write: then
  // it is never opened as immutable.
  const unchanging = pathToFileURL(path);
  unchanging.searchParams.set("immutable", "1");
  const places = existsSync(`${path}-wal`) ? [path] : [path, unchanging];
  for (const place of places) {
    let connection: DatabaseSync | undefined;
    try {
      connection = new DatabaseSync(place, { readOnly: true });
      connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
      if (pragma(connection, "user_version") === INDEX_VERSION) {
        checkTables(connection);
        return new SessionIndexDatabase(path, connection);
      }
    } catch {
      // An index that cannot be read counts as none.
    }
    connection?.close();
  }
  return undefined;
}

/** Creates an index in memory, which ends with the process. Messages name the path. */
export async function openIndexInMemory(
  path: string,
): Promise<SessionIndexDatabase> {
  const DatabaseSync = await connect(path);
  const connection = new DatabaseSync(":memory:");
  connection.exec(TABLES);
  return new SessionIndexDatabase(path, connection);
}

function prepared(
  Connection: Connect,
  options: SessionIndexOptions,
): SessionIndexDatabase {
  const { path, rebuild = false } = options;
  const connection = new Connection(path);
  try {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    const isReady = pragma(connection, "user_version") === INDEX_VERSION;
    if (!isReady || rebuild) makeTables(connection, path, rebuild);
    // After the tables: the application id is in the file itself then, not in the log.
    if (pragma(connection, "journal_mode") !== "wal") useLog(connection);
    // A cache of 32 MB makes the first index of 20,000 sessions no faster, and takes 25 MB more.
    connection.exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192");
    checkTables(connection);
    return new SessionIndexDatabase(path, connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Makes an index write to a log. SQLite does not wait here for another process that makes the same
 * index; that one, or the next to open it, makes the change.
 */
function useLog(connection: DatabaseSync): void {
  try {
    connection.exec("PRAGMA journal_mode = WAL");
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/**
 * Checks that all tables can be used, and are described as they were made: SQLite takes a column
 * `Title` for `title`, but names it so in its rows.
 */
function checkTables(connection: DatabaseSync): void {
  const described = new Map(
    connection.prepare("SELECT name, sql FROM sqlite_schema").all()
      .map(({ name, sql }) => [name, String(sql)]),
  );
  for (const name of TABLE_NAMES) {
    connection.exec(`SELECT 1 FROM ${name} LIMIT 0`);
    if (TABLES.includes(described.get(name) ?? "?")) continue;
    throw new IndexDisagreement(`the table ${name}`);
  }
}

function makeTables(
  connection: DatabaseSync,
  path: string,
  rebuild: boolean,
): void {
  // Effective for a new file only. Messages of some thousand bytes waste less of a large page.
  connection.exec("PRAGMA page_size = 8192");
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have created the tables while this one waited.
    const version = pragma(connection, "user_version");
    const isNewer = typeof version === "number" && version > INDEX_VERSION &&
      version <= MAX_VERSION;
    if (isNewer) {
      throw new SessionIndexError("newer", path);
    }
    if (version !== INDEX_VERSION || rebuild) {
      for (const name of TABLE_NAMES) {
        connection.exec(`DROP TABLE IF EXISTS ${name}`);
      }
      connection.exec(TABLES);
      connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      connection.exec(`PRAGMA user_version = ${INDEX_VERSION}`);
    }
    connection.exec("COMMIT");
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

function rollBack(connection: DatabaseSync): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // The error that failed the transaction has ended it.
  }
}

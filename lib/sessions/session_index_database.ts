/** The database of the index of sessions: opening, and making it anew. */

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

/** Options for whatever opens an index. */
export interface SessionIndexOptions {
  /** The path of the database. */
  readonly path: string;
  /**
   * Whether a file at this path can be nothing but an index, as it is in codexpipe's own
   * folder: then one that is something else is damaged, and made anew.
   *
   * @default {false}
   */
  readonly isOwnPath?: boolean | undefined;
  /**
   * Make it anew, whatever is in it.
   *
   * @default {false}
   */
  readonly rebuild?: boolean | undefined;
  /**
   * Is called while other processes keep the index busy, with how long they have in
   * milliseconds, and waited for before it is tried again; what it throws ends the work. After
   * half a minute the index cannot be used.
   *
   * @default {undefined} Waits a moment.
   */
  readonly onBusy?: ((waited: number) => void | Promise<void>) | undefined;
  /**
   * Is told when the index turns out to be damaged, before it is made anew.
   *
   * @default {() => {}}
   */
  readonly onDamage?: (() => void) | undefined;
}

export type SqlValue = string | number | bigint | null | Uint8Array;

export interface SqlRow {
  /** The value of a column. */
  readonly [column: string]: SqlValue;
}

/** How often a damaged index is made anew before it is given up. */
const ATTEMPTS = 4;
/** No version will be higher: that is a flipped bit. */
const MAX_VERSION = 1_000;

/** The database of an index of sessions. It is opened by {@linkcode openSessionIndex}. */
export class SessionIndexDatabase {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #onBusy: SessionIndexOptions["onBusy"];
  readonly #statements = new Map<string, StatementSync>();

  /** Constructs a new instance around a connection. */
  constructor(
    { path, onBusy }: Pick<SessionIndexOptions, "path" | "onBusy">,
    connection: DatabaseSync,
  ) {
    this.path = path;
    this.#connection = connection;
    this.#onBusy = onBusy;
  }

  /** A number that changes when the index is made anew. */
  get generation(): number {
    return Number(this.get("PRAGMA schema_version")?.schema_version);
  }

  /** A number that is another one as soon as another process has written. */
  get dataVersion(): number {
    return Number(this.get("PRAGMA data_version")?.data_version);
  }

  /** Gives all rows that a statement answers. */
  all(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.#run(() => this.#statement(sql).all(...values)) as SqlRow[];
  }

  /** Gives the first row that a statement answers. */
  get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
    return this.#run(() => this.#statement(sql).get(...values)) as
      | SqlRow
      | undefined;
  }

  /** Gives the rows that a statement answers, one at a time. */
  *iterate(sql: string, ...values: SqlValue[]): Generator<SqlRow> {
    // Not from those that are kept: it is in use until the last row.
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
      // Or others could not tidy up behind it.
      rows.return?.();
    }
  }

  /** Runs a statement that answers nothing. */
  run(sql: string, ...values: SqlValue[]): void {
    this.#run(() => this.#statement(sql).run(...values));
  }

  /**
   * Does something that happens as a whole or not at all, also when the process is killed.
   *
   * @param work What to do; no other process writes meanwhile.
   * @throws {StoppedWaiting} If it was to stop.
   */
  async transaction<T>(
    work: () => T,
    shouldStop?: () => boolean,
  ): Promise<T> {
    await whenFree(() => this.#statement("BEGIN IMMEDIATE").run(), {
      path: this.path,
      onBusy: this.#onBusy,
      shouldStop,
    });
    let isDone = false;
    try {
      const result = work();
      this.run("COMMIT");
      isDone = true;
      return result;
    } finally {
      if (!isDone) this.#rollBack();
    }
  }

  /** Does something that reads, all of it from one state of the index. */
  snapshot<T>(work: () => T): T {
    this.run("BEGIN");
    try {
      return work();
    } finally {
      this.#rollBack();
    }
  }

  /** Gives the database back; safe to call twice. */
  close(): void {
    this.#statements.clear();
    try {
      this.#connection.close();
    } catch {
      // It was closed before; there is nothing to lose.
    }
  }

  #rollBack(): void {
    try {
      this.#connection.exec("ROLLBACK");
    } catch {
      // What made the transaction fail has ended it.
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
      // Of a number that no number can hold: none such is ever written.
      if (error instanceof RangeError) throw new IndexDisagreement("a number");
      throw isBusy(error)
        ? new SessionIndexError("busy", this.path, { cause: error })
        : error;
    }
  }
}

/**
 * Opens the index of sessions, and makes it if there is none.
 *
 * One of an older version is emptied, a damaged one is made anew. A file that has never been
 * an index is never touched: that one was made there, an empty file beside it tells.
 *
 * @param options Where it is.
 * @returns The database; close it when it is done with.
 * @throws {SessionIndexError} If the file is something else, or cannot be used.
 */
export async function openSessionIndex(
  options: SessionIndexOptions,
): Promise<SessionIndexDatabase> {
  const { path, isOwnPath = false, onBusy, onDamage = () => {} } = options;
  // Not whether to stop, which callers give as well: without an index there is nothing to say.
  const waiting = { path, onBusy };
  const DatabaseSync = await connect(path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new SessionIndexError("io", path, { cause });
  }
  let isDamaged = false;
  for (let attempt = 1;; attempt++) {
    try {
      if (!isOwnPath && isForeign(path)) {
        throw new SessionIndexError("foreign", path);
      }
      // What looks sound and yet cannot be used is beyond help.
      if (isDamaged) onDamage();
      if (isDamaged || isDeletedInUse(path)) {
        const isCertain = attempt > 2;
        await whenFree(
          () => removeDamaged(DatabaseSync, path, isCertain),
          waiting,
        );
      }
      // What people said to Codex is nobody else's business.
      closeSync(openSync(path, "a", 0o600));
      const database = await whenFree(
        () => prepared(DatabaseSync, options),
        waiting,
      );
      if (!isOwnPath) markIndex(path);
      return database;
    } catch (error) {
      // What has no code is neither SQLite's nor the platform's.
      if (codeOf(error) === "") throw error;
      const isHopeless = !isIndexDamage(error) && !mayBeGone(error);
      if (isHopeless || attempt === ATTEMPTS) {
        throw new SessionIndexError("io", path, { cause: error });
      }
      isDamaged = isIndexDamage(error);
    }
  }
}

/** Loads SQLite; only where it is used, as that takes as long as a short command. */
async function connect(path: string): Promise<Connect> {
  try {
    return (await import("node:sqlite")).DatabaseSync;
  } catch {
    const cause = new Error(
      "this runtime has no node:sqlite; Deno, Bun and Node 22.13 have",
    );
    throw new SessionIndexError("io", path, { cause });
  }
}

/**
 * Works with the index of sessions. If it turns out to be damaged, it is made anew, and the work
 * begins again.
 *
 * @param options Where it is.
 * @param work What to do; it may be called twice.
 * @throws {SessionIndexError} If the index cannot be used.
 */
export async function withSessionIndex<T>(
  options: SessionIndexOptions,
  work: (database: SessionIndexDatabase) => Promise<T>,
): Promise<T> {
  let rebuild = options.rebuild ?? false;
  for (let isRetry = false;; isRetry = true) {
    const database = await openSessionIndex({ ...options, rebuild });
    try {
      return await work(database);
    } catch (error) {
      const isDamage = isIndexDamage(error);
      if (!isDamage && !isSqliteError(error)) throw error;
      if (isRetry || (!isDamage && !mayBeGone(error))) {
        throw new SessionIndexError("io", options.path, { cause: error });
      }
      if (isDamage) options.onDamage?.();
      rebuild ||= isDamage;
    } finally {
      database.close();
    }
  }
}

/**
 * Opens an index as it is, for reading only.
 *
 * @returns The database; `undefined` if there is none of this version that can be read.
 */
export async function openIndexToRead(
  path: string,
): Promise<SessionIndexDatabase | undefined> {
  const DatabaseSync = await connect(path);
  // SQLite puts a file beside an index to read it, which nobody can on a disk that is read-only,
  // unless it is told that nobody writes. Where others might, one of theirs is there.
  const unchanging = pathToFileURL(path);
  unchanging.searchParams.set("immutable", "1");
  const places = existsSync(`${path}-wal`) ? [path] : [path, unchanging];
  for (const place of places) {
    let connection: DatabaseSync | undefined;
    try {
      connection = new DatabaseSync(place, { readOnly: true });
      connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
      if (pragma(connection, "user_version") === INDEX_VERSION) {
        return new SessionIndexDatabase({ path }, connection);
      }
    } catch {
      // What cannot be read is none.
    }
    connection?.close();
  }
  return undefined;
}

/**
 * Makes an index in memory, which ends with the process.
 *
 * @param path The path that it stands for.
 */
export async function openIndexInMemory(
  path: string,
): Promise<SessionIndexDatabase> {
  const DatabaseSync = await connect(path);
  const connection = new DatabaseSync(":memory:");
  connection.exec(TABLES);
  return new SessionIndexDatabase({ path }, connection);
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
    // Behind the tables: the number that makes the file ours is in the file itself then.
    if (pragma(connection, "journal_mode") !== "wal") {
      connection.exec("PRAGMA journal_mode = WAL");
    }
    // With a cache of 32 MB the first index of 20,000 sessions takes as long, and 25 MB more.
    connection.exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192");
    for (const name of TABLE_NAMES) {
      connection.exec(`SELECT 1 FROM ${name} LIMIT 0`);
    }
    return new SessionIndexDatabase(options, connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function makeTables(
  connection: DatabaseSync,
  path: string,
  rebuild: boolean,
): void {
  // Of a file that is not yet there; messages of some thousand bytes leave less room unused.
  connection.exec("PRAGMA page_size = 8192");
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have made them while this one waited.
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
    if (connection.isTransaction !== false) {
      try {
        connection.exec("ROLLBACK");
      } catch {
        // What went wrong has ended the transaction.
      }
    }
    throw error;
  }
}

interface IndexWaiting {
  readonly path: string;
  /** Is called before each try but the first, and waited for. */
  readonly onBusy?: ((waited: number) => void | Promise<void>) | undefined;
  /** Is asked whether to wait no longer. */
  readonly shouldStop?: (() => boolean) | undefined;
}

/** The others are not waited for any more. */
export class StoppedWaiting extends Error {
  override readonly name = "StoppedWaiting";
}

/** How long others may keep the index busy, in milliseconds. */
const PATIENCE = 30_000;
/** How long to wait before it is tried again, in milliseconds. */
const PAUSE = 50;

/**
 * Does something as soon as others let it.
 *
 * @param work What to do; it is called again as long as the index is busy.
 * @throws {SessionIndexError} If the others take too long.
 * @throws {StoppedWaiting} If it is to stop.
 */
async function whenFree<T>(
  work: () => T,
  { path, onBusy = pause, shouldStop = () => false }: IndexWaiting,
): Promise<T> {
  let start: number | undefined;
  for (;;) {
    try {
      return work();
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      if (shouldStop()) throw new StoppedWaiting();
      const now = performance.now();
      start ??= now;
      if (now - start >= PATIENCE) {
        throw new SessionIndexError("busy", path, { cause });
      }
      await onBusy(now - start);
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}

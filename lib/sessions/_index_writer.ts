/** Writes what was read of session files into the index. */

import { fileSum, messageSum } from "./index_check.ts";
import { titleOf } from "./session.ts";
import { markOf } from "./session_content.ts";
import type { SessionFile } from "./session_files.ts";
import type { FoldedMessage, FoldedPiece } from "./session_fold.ts";
import type { SessionHead } from "./session_head.ts";
import type { SessionIndexDatabase, SqlRow } from "./session_index_database.ts";
import {
  FILE_FACTS,
  roleToken,
  ROWS_PER_FILE,
} from "./session_index_tables.ts";
import { startOf } from "./session_start.ts";
import { symbolGrams } from "./symbol_grams.ts";

export interface IndexedFile {
  readonly number: number;
  readonly path: string;
  readonly sessionId: string;
  /** Its size on disk when it was read. */
  readonly size: number;
  /** When it had been written to when it was read. */
  readonly mtime: number;
  /** Up to where its lines have been read. */
  readonly readTo: number;
  /** What tells whether they still are the same. */
  readonly readMark: string;
  /** Whether it has been read to its end. */
  readonly isRead: boolean;
  /** The name of the session when it was read. */
  readonly name: string | undefined;
  /** Why it could not be read, or not to its end. */
  readonly problem: string | undefined;
  /** Changes with everything that is written about the file. */
  readonly revision: number;
}

export interface FileUpdate {
  readonly file: SessionFile;
  /** What the index knew of it when it was read; `undefined` if nothing. */
  readonly before: IndexedFile | undefined;
  /** From which row on what the index has is void: 0 for all of it. */
  readonly voidFrom: number;
  /** What was read; `undefined` if only its place is another. */
  readonly piece: FoldedPiece | undefined;
  /** Whether it has been read to its end. */
  readonly isRead: boolean;
  /** What its first lines tell; `undefined` if that is known. */
  readonly head: SessionHead | undefined;
  readonly name: string | undefined;
  /** Why it could not be read, or not to its end. */
  readonly problem: string | undefined;
}

/** What tells the rows of a file: its number, and the id of its session in the index. */
type FileRows = Pick<IndexedFile, "number" | "sessionId">;

/** Is told of each step, so that tests can stop there. */
export type OnStep = (step: string) => void;

/** The source of a sub-agent that a tool of its parent spawned. */
const SPAWNED = "subagent:thread_spawn";
/** The first second that a number of a file stands for, since 1970. */
const FIRST_SECOND = Date.UTC(2020, 0, 1) / 1000;
/** The highest number that is wanted: some higher ones are left for files of one second. */
const MAX_NUMBER = (2 ** 53 / ROWS_PER_FILE) - 2 ** 20;
const FILE_COLUMNS =
  "number, path, session_id, size, mtime, read_to, read_mark, is_read, name, problem, revision";

/**
 * Gives the numbers that files should have, by their paths. They grow with the time at which
 * sessions began, and of a session that goes on in further files, with that at which each of them
 * did; of those of one second too, whichever of them is written first.
 *
 * @param files The files, newest first.
 */
function numbersOf(
  files: readonly SessionFile[],
): ReadonlyMap<string, number> {
  const wanted = files.map((file) => ({
    path: file.path,
    number: numberOf(file),
  }));
  let last = 0;
  return new Map(
    wanted.reverse().sort((a, b) => a.number - b.number)
      .map(({ path, number }) => [path, last = Math.max(number, last + 1)]),
  );
}

function numberOf({ id, sessionId, nameTime, start }: SessionFile): number {
  const began = id === sessionId || nameTime === undefined
    ? start
    : startOf(Date.parse(nameTime), id);
  const second = Math.floor(began / 1000) - FIRST_SECOND;
  return Math.min(Math.max(1, second), MAX_NUMBER);
}

/** Writes into an index, a file at a time; call it inside a transaction. */
export class IndexWriter {
  readonly #database: SessionIndexDatabase;
  readonly #files: readonly SessionFile[];
  #numbersByPath: ReadonlyMap<string, number> | undefined;
  readonly #onStep: OnStep;

  /**
   * Constructs a new instance.
   *
   * @param files All session files that were found, newest first.
   */
  constructor(
    database: SessionIndexDatabase,
    files: readonly SessionFile[],
    onStep: OnStep,
  ) {
    this.#database = database;
    this.#files = files;
    this.#onStep = onStep;
  }

  /** Gives all files of an index. */
  static files(database: SessionIndexDatabase): IndexedFile[] {
    return database.all(`SELECT ${FILE_COLUMNS} FROM files`).map(fileOf);
  }

  /** Gives what an index knows of the file at a path. */
  static file(
    database: SessionIndexDatabase,
    path: string,
  ): IndexedFile | undefined {
    const row = database.get(
      `SELECT ${FILE_COLUMNS} FROM files WHERE path = ?`,
      path,
    );
    return row && fileOf(row);
  }

  /** Gives what it takes to read on in a file. */
  static checkpoint(
    database: SessionIndexDatabase,
    number: number,
  ): Uint8Array | undefined {
    const row = database.get(
      "SELECT state FROM checkpoints WHERE number = ?",
      number,
    );
    return row?.state instanceof Uint8Array ? row.state : undefined;
  }

  /** The numbers that the files which were found should have; where nothing is new, they are not asked for. */
  get #numbers(): ReadonlyMap<string, number> {
    return this.#numbersByPath ??= numbersOf(this.#files);
  }

  /** Gives the number of a file, unless another one has it: the order to write files in. */
  numberOf({ before, file }: Pick<FileUpdate, "before" | "file">): number {
    return before?.number ?? this.#numbers.get(file.path) ?? MAX_NUMBER;
  }

  /**
   * Writes what was read of a file.
   *
   * @returns What the index knows of it now; `undefined` if another process has written about it
   *   since it was looked up. Then nothing is written.
   */
  write(update: FileUpdate): IndexedFile | undefined {
    const { file, before } = update;
    if (!this.#isUnchanged(before, file.path)) return undefined;
    const number = before?.number ?? this.#freeNumber(this.numberOf(update));
    const sessionId = this.#sessionId(update, number);
    this.#onStep("file");
    // What is known goes by another id: it is read anew the next time.
    const isLost = before !== undefined && before.sessionId !== sessionId &&
      update.voidFrom > 0;
    const voidFrom = isLost ? 0 : update.voidFrom;
    const piece = isLost ? undefined : update.piece;
    if (before !== undefined && voidFrom < ROWS_PER_FILE) {
      this.#removeRows(before, voidFrom);
    }
    if (piece !== undefined) {
      const at = { number, sessionId };
      for (const row of piece.removed) this.#removeMessage(at, row);
      for (const message of piece.messages) this.#writeMessage(at, message);
      this.#database.run(
        "INSERT OR REPLACE INTO checkpoints(number, state) VALUES (?, ?)",
        number,
        piece.checkpoint,
      );
    }
    const after: IndexedFile = {
      number,
      path: file.path,
      sessionId,
      size: file.size,
      mtime: file.mtime,
      readTo: isLost ? 0 : piece?.readTo ?? before?.readTo ?? 0,
      readMark: piece === undefined
        ? before?.readMark ?? ""
        : markOf(piece.tail),
      isRead: update.isRead && !isLost,
      name: update.name,
      problem: update.problem,
      // Of an index that was made anew, no file must look as it was before.
      revision: (before?.revision ?? Math.floor(Math.random() * 2 ** 32)) + 1,
    };
    this.#writeFile(after);
    this.#writeSession(update, after);
    this.#writeSum(number);
    this.#onStep("written");
    return after;
  }

  /**
   * Removes a file and all that is known of it.
   *
   * @returns Whether it was there as it was looked up.
   */
  remove(file: IndexedFile): boolean {
    if (!this.#isUnchanged(file, file.path)) return false;
    this.#removeRows(file, 0);
    this.#database.run("DELETE FROM checkpoints WHERE number = ?", file.number);
    this.#database.run("DELETE FROM files WHERE number = ?", file.number);
    this.#database.run("DELETE FROM sessions WHERE id = ?", file.sessionId);
    this.#onStep("removed");
    return true;
  }

  #isUnchanged(before: IndexedFile | undefined, path: string): boolean {
    const revisionAt = (place: string): unknown =>
      this.#database.get("SELECT revision FROM files WHERE path = ?", place)
        ?.revision;
    if (before === undefined) return revisionAt(path) === undefined;
    return revisionAt(before.path) === before.revision &&
      (before.path === path || revisionAt(path) === undefined);
  }

  /** The id of a session is its own; one that another file has too is that of the other one. */
  #sessionId({ file, head, before }: FileUpdate, number: number): string {
    const wanted = file.id === ""
      ? head?.id ?? before?.sessionId ?? ""
      : file.id;
    if (wanted === "") return file.path;
    const row = this.#database.get(
      `SELECT ${FILE_COLUMNS} FROM files WHERE session_id = ? AND number <> ?`,
      wanted,
      number,
    );
    if (row === undefined) return wanted;
    const other = fileOf(row);
    if (this.#numbers.has(other.path)) return file.path;
    this.remove(other);
    return wanted;
  }

  /** Gives the first number that is free, from the one that is wanted on. */
  #freeNumber(wanted: number): number {
    const row = this.#database.get(
      `SELECT number + 1 AS free FROM files AS taken WHERE number >= ?1
         AND EXISTS (SELECT 1 FROM files WHERE number = ?1)
         AND NOT EXISTS (SELECT 1 FROM files WHERE number = taken.number + 1)
         ORDER BY number LIMIT 1`,
      wanted,
    );
    return Number(row?.free ?? wanted);
  }

  #writeFile(file: IndexedFile): void {
    this.#database.run(
      `INSERT INTO files(${FILE_COLUMNS})
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT(number) DO UPDATE SET path = excluded.path,
           session_id = excluded.session_id, size = excluded.size,
           mtime = excluded.mtime, read_to = excluded.read_to,
           read_mark = excluded.read_mark, is_read = excluded.is_read,
           name = excluded.name, problem = excluded.problem,
           revision = excluded.revision`,
      file.number,
      file.path,
      file.sessionId,
      file.size,
      file.mtime,
      file.readTo,
      file.readMark,
      file.isRead ? 1 : 0,
      file.name ?? null,
      file.problem ?? null,
      file.revision,
    );
  }

  #writeSession(
    { file, before, piece, head, name }: FileUpdate,
    { sessionId, path }: IndexedFile,
  ): void {
    if (before !== undefined && before.sessionId !== sessionId) {
      this.#database.run("DELETE FROM sessions WHERE id = ?", before.sessionId);
    }
    if (head === undefined) {
      this.#database.run(
        "UPDATE sessions SET rollout_path = ? WHERE id = ?",
        path,
        sessionId,
      );
      return;
    }
    const known = piece === undefined
      ? this.#database.get(
        "SELECT last_event_at FROM sessions WHERE id = ?",
        sessionId,
      )
      : undefined;
    const last = new Date(piece?.lastTime ?? file.mtime).toISOString();
    this.#database.run(
      `INSERT OR REPLACE INTO sessions(id, started_at, cwd, cli_version, originator,
         git_branch, git_commit, title, rollout_path, last_event_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      sessionId,
      head.started ?? null,
      head.cwd ?? null,
      head.cliVersion ?? null,
      head.originator ?? null,
      head.gitBranch ?? null,
      head.gitCommit ?? null,
      titleOf(head, name),
      path,
      known?.last_event_at ?? last,
    );
    this.#database.run(
      "UPDATE files SET origin = ? WHERE session_id = ?",
      originOf(head) ?? null,
      sessionId,
    );
  }

  /** Removes the messages of a file, from a row on. */
  #removeRows({ number, sessionId }: FileRows, from: number): void {
    const first = number * ROWS_PER_FILE + from;
    const end = (number + 1) * ROWS_PER_FILE;
    const range = "id >= ? AND id < ?";
    for (const table of ["words", "symbols"]) {
      this.#database.run(
        `DELETE FROM ${table} WHERE rowid IN (SELECT id FROM records WHERE ${range})`,
        first,
        end,
      );
    }
    this.#database.run(
      `DELETE FROM messages WHERE session_id = ? AND offset IN
         (SELECT offset FROM records WHERE ${range})`,
      sessionId,
      first,
      end,
    );
    this.#database.run(`DELETE FROM records WHERE ${range}`, first, end);
  }

  #removeMessage(
    { number, sessionId }: FileRows,
    row: number,
  ): SqlRow | undefined {
    const id = number * ROWS_PER_FILE + row;
    const known = this.#database.get(
      "SELECT offset, in_line, time FROM records WHERE id = ?",
      id,
    );
    if (known === undefined) return undefined;
    this.#database.run("DELETE FROM words WHERE rowid = ?", id);
    this.#database.run("DELETE FROM symbols WHERE rowid = ?", id);
    this.#database.run("DELETE FROM records WHERE id = ?", id);
    this.#database.run(
      "DELETE FROM messages WHERE session_id = ? AND offset = ?",
      sessionId,
      known.offset ?? null,
    );
    return known;
  }

  #writeMessage(
    at: FileRows,
    { row, role, kind, text, toolName, isNew, ...found }: FoldedMessage,
  ): void {
    const before = this.#removeMessage(at, row);
    // One that has grown and was not there had no text so far.
    const known = isNew ? undefined : before;
    const inLine = known?.in_line ?? found.inLine;
    const offset = known?.offset ?? found.offset + found.inLine;
    const time = known?.time ?? found.time;
    const id = at.number * ROWS_PER_FILE + row;
    const hasText = text !== "";
    const place = { id, offset, in_line: inLine, time };
    this.#database.run(
      "INSERT INTO records(id, offset, in_line, time, sum) VALUES (?, ?, ?, ?, ?)",
      id,
      offset,
      inLine,
      time,
      messageSum({ ...place, role, kind, tool_name: toolName, text }, hasText),
    );
    if (!hasText) return;
    this.#database.run(
      `INSERT OR REPLACE INTO messages(session_id, offset, role, kind, text, tool_name)
         VALUES (?, ?, ?, ?, ?, ?)`,
      at.sessionId,
      offset,
      role,
      kind,
      text,
      toolName,
    );
    this.#database.run(
      "INSERT INTO words(rowid, text) VALUES (?, ?)",
      id,
      `${text}\n${roleToken(role)}`,
    );
    this.#database.run(
      "INSERT INTO symbols(rowid, text) VALUES (?, ?)",
      id,
      `${symbolGrams(text)} ${roleToken(role)}`,
    );
    this.#onStep("message");
  }

  #writeSum(number: number): void {
    const facts = this.#database.get(
      `SELECT ${FILE_FACTS} FROM files LEFT JOIN sessions ON id = session_id WHERE number = ?`,
      number,
    );
    if (facts === undefined) return;
    this.#database.run(
      "UPDATE files SET sum = ? WHERE number = ?",
      fileSum(facts),
      number,
    );
  }
}

/**
 * The session whose texts one may repeat. A sub-agent that was spawned and is no fork began with
 * nothing: what it says is its own, also if another one of the same parent says it.
 */
function originOf(
  { forkedFrom, parent, source }: SessionHead,
): string | undefined {
  return forkedFrom ?? (source === SPAWNED ? undefined : parent);
}

function fileOf(row: SqlRow): IndexedFile {
  return {
    number: Number(row.number),
    path: String(row.path),
    sessionId: String(row.session_id),
    size: Number(row.size),
    mtime: Number(row.mtime),
    readTo: Number(row.read_to),
    readMark: String(row.read_mark),
    isRead: row.is_read === 1,
    name: typeof row.name === "string" ? row.name : undefined,
    problem: typeof row.problem === "string" ? row.problem : undefined,
    revision: Number(row.revision),
  };
}

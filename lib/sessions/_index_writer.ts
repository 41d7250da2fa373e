/** Writes the messages and facts read from session files into the index. */

import { createHash } from "node:crypto";
import { IndexDisagreement } from "./_index_damage.ts";
import { fileSum, messageSum } from "./index_check.ts";
import { titleOf } from "./session.ts";
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

export interface IndexedFile
  extends Pick<SessionFile, "path" | "sessionId" | "size" | "mtime"> {
  readonly number: number;
  /** The offset up to which lines have been read. */
  readonly readTo: number;
  /** The hash of the bytes before {@linkcode readTo}, by which a changed file is recognized. */
  readonly readMark: string;
  readonly isRead: boolean;
  /** The name of the session when it was read. */
  readonly name: string | undefined;
  /** Changes with every write about the file. */
  readonly revision: number;
}

export interface FileUpdate {
  readonly file: SessionFile;
  /** The entry of the file in the index when it was read; `undefined` if it had none. */
  readonly before: IndexedFile | undefined;
  /** The first row of the file in the index that is void; 0 for all rows. */
  readonly voidFrom: number;
  /** The part that was read; `undefined` if only the path or name has changed. */
  readonly piece: FoldedPiece | undefined;
  readonly isRead: boolean;
  /** The head of the file; `undefined` if the index has it already. */
  readonly head: SessionHead | undefined;
  readonly name: string | undefined;
}

/** Identifies the rows of a file: its number, and the id of its session in the index. */
type FileRows = Pick<IndexedFile, "number" | "sessionId">;

/** The source of a sub-agent that a tool call of its parent spawned. */
const SPAWNED = "subagent:thread_spawn";
/** The second that file number 0 stands for, since 1970. */
const FIRST_SECOND = Date.UTC(2020, 0, 1) / 1000;
/** The highest number derived from a time; higher ones are left for files of the same second. */
const MAX_NUMBER = (2 ** 53 / ROWS_PER_FILE) - 2 ** 20;
const FILE_COLUMNS =
  "number, path, session_id, size, mtime, read_to, read_mark, is_read, name, revision";

/**
 * Assigns numbers to files, which are given newest first, by path. They grow with the time at which
 * sessions began; for a session that continues in further files, with the time at which each file
 * began. Files of the same second get consecutive numbers, so that the order of writing does not
 * matter.
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

/** Writes into an index, one file at a time. To be called inside a transaction. */
export class IndexWriter {
  readonly #database: SessionIndexDatabase;
  readonly #files: readonly SessionFile[];
  #numbersByPath: ReadonlyMap<string, number> | undefined;

  /** @param files All session files found, newest first. */
  constructor(database: SessionIndexDatabase, files: readonly SessionFile[]) {
    this.#database = database;
    this.#files = files;
  }

  files(): IndexedFile[] {
    return this.#database.all(`SELECT ${FILE_COLUMNS} FROM files`).map(fileOf);
  }

  file(path: string): IndexedFile | undefined {
    const row = this.#database.get(
      `SELECT ${FILE_COLUMNS} FROM files WHERE path = ?`,
      path,
    );
    return row && fileOf(row);
  }

  checkpoint(number: number): Uint8Array | undefined {
    const row = this.#database.get(
      "SELECT state FROM checkpoints WHERE number = ?",
      number,
    );
    return row?.state instanceof Uint8Array ? row.state : undefined;
  }

  /** The numbers of the files found; computed only when a file is new. */
  get #numbers(): ReadonlyMap<string, number> {
    return this.#numbersByPath ??= numbersOf(this.#files);
  }

  /** Returns the number of a file, or the one it gets unless it is taken: the order of writing. */
  numberOf({ before, file }: Pick<FileUpdate, "before" | "file">): number {
    return before?.number ?? this.#numbers.get(file.path) ?? MAX_NUMBER;
  }

  /**
   * Writes one update of a file, and returns the new entry; nothing if the file has to be planned
   * again: another process has changed the entry since it was looked up, or session ids change.
   */
  write(update: FileUpdate): IndexedFile | undefined {
    const { file, before, voidFrom, piece, head } = update;
    if (!this.#isUnchanged(before, file.path)) return undefined;
    const number = before?.number ?? this.#freeNumber(this.numberOf(update));
    const sessionId = this.#sessionId(update, number);
    if (sessionId === undefined) return undefined;
    if (before !== undefined && before.sessionId !== sessionId) {
      // Its rows belong to another session id: without an entry, the whole file is read again.
      this.remove(before);
      return undefined;
    }
    if (before !== undefined && voidFrom < ROWS_PER_FILE) {
      this.#removeRows(before, voidFrom);
    }
    if (piece !== undefined) {
      const at = { number, sessionId };
      for (const row of piece.removed) this.#removeMessage(at, row);
      for (const message of piece.messages) this.#writeMessage(at, message);
      this.#put("checkpoints", "number", { number, state: piece.checkpoint });
    }
    const row = {
      number,
      path: file.path,
      session_id: sessionId,
      size: file.size,
      mtime: file.mtime,
      read_to: piece?.readTo ?? before?.readTo ?? 0,
      read_mark: piece === undefined
        ? before?.readMark ?? ""
        : markOf(piece.tail),
      is_read: update.isRead ? 1 : 0,
      name: update.name ?? null,
      part_of: file.id === file.sessionId ? null : file.sessionId,
      ...(head && {
        origin: originOf(head) ?? null,
        base: head.historyBase?.thread_id ?? null,
        base_end: head.historyBase?.end_byte_offset ?? null,
      }),
      // Random, so that no entry of a rebuilt index looks like the one of the index before.
      revision: (before?.revision ?? Math.floor(Math.random() * 2 ** 32)) + 1,
    };
    this.#put("files", "number", row);
    const after = fileOf(row);
    this.#writeSession(update, after);
    const facts = this.#database.get(
      `SELECT ${FILE_FACTS} FROM files LEFT JOIN sessions ON id = session_id WHERE number = ?`,
      number,
    );
    const sum = facts && fileSum(facts);
    this.#put("files", "number", { ...row, sum: sum ?? null });
    return after;
  }

  /** Removes a file and its rows if its entry is as it was looked up; returns whether it is. */
  remove(file: IndexedFile): boolean {
    if (!this.#isUnchanged(file, file.path)) return false;
    this.#removeRows(file, 0);
    this.#database.run("DELETE FROM checkpoints WHERE number = ?", file.number);
    this.#database.run("DELETE FROM files WHERE number = ?", file.number);
    this.#database.run("DELETE FROM sessions WHERE id = ?", file.sessionId);
    return true;
  }

  #isUnchanged(before: IndexedFile | undefined, path: string): boolean {
    const isFree = before?.path === path || this.file(path) === undefined;
    return isFree && (before === undefined ||
      this.file(before.path)?.revision === before.revision);
  }

  /**
   * Returns the session id of a file in the index: the one in its name; without one that of its
   * header, or its path if another existing file has that id. Returns nothing if the entry of an
   * existing file had that id: it was removed, so that its file gets another one.
   */
  #sessionId({ file, head }: FileUpdate, number: number): string | undefined {
    const id = file.id || head?.id || file.path;
    const row = this.#database.get(
      `SELECT ${FILE_COLUMNS} FROM files WHERE session_id = ? AND number <> ?`,
      id,
      number,
    );
    const other = row && fileOf(row);
    const isThere = other !== undefined &&
      this.#files.some(({ path }) => path === other.path);
    if (
      file.id === "" && (isThere || this.#files.some((each) => each.id === id))
    ) return file.path;
    if (other !== undefined) this.remove(other);
    return isThere ? undefined : id;
  }

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

  /** Writes a row; of a row with the same key, only the columns of `row` are changed. */
  #put(table: string, key: string, row: SqlRow): void {
    const columns = Object.keys(row);
    const values = columns.map(() => "?");
    const news = columns.map((column) => `excluded.${column}`);
    this.#database.run(
      `INSERT INTO ${table}(${columns}) VALUES (${values})
         ON CONFLICT(${key}) DO UPDATE SET (${columns}) = (${news})`,
      ...Object.values(row),
    );
  }

  #writeSession(
    { file, piece, head, name }: FileUpdate,
    { sessionId, path }: IndexedFile,
  ): void {
    this.#put("sessions", "id", {
      id: sessionId,
      ...(head && {
        started_at: head.started ?? null,
        cwd: head.cwd ?? null,
        cli_version: head.cliVersion ?? null,
        originator: head.originator ?? null,
        git_branch: head.gitBranch ?? null,
        git_commit: head.gitCommit ?? null,
        title: titleOf(head, name),
      }),
      rollout_path: path,
      ...(piece && {
        last_event_at: new Date(piece.lastTime ?? file.mtime).toISOString(),
      }),
    });
  }

  #removeRows(
    { number, sessionId }: FileRows,
    from: number,
    to: number = ROWS_PER_FILE,
  ): void {
    const first = number * ROWS_PER_FILE + from;
    const end = number * ROWS_PER_FILE + to;
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

  /** Removes a message; returns its place and time, if it is in the index. */
  #removeMessage(at: FileRows, row: number): SqlRow | undefined {
    const known = this.#database.get(
      "SELECT offset, in_line, time FROM records WHERE id = ?",
      at.number * ROWS_PER_FILE + row,
    );
    if (known !== undefined) this.#removeRows(at, row, row + 1);
    return known;
  }

  #writeMessage(
    at: FileRows,
    { row, role, kind, text, toolName, place: found }: FoldedMessage,
  ): void {
    const id = at.number * ROWS_PER_FILE + row;
    const facts = found === undefined ? this.#removeMessage(at, row) : {
      offset: found.offset + found.inLine,
      in_line: found.inLine,
      time: found.time,
    };
    if (facts === undefined) throw new IndexDisagreement(`the message ${id}`);
    const place = { id, ...facts };
    const hasText = text !== "";
    const message = { role, kind, text, tool_name: toolName };
    const sum = messageSum({ ...place, ...(hasText ? message : {}) });
    this.#put("records", "id", { ...place, sum });
    if (!hasText) return;
    this.#put("messages", "session_id, offset", {
      session_id: at.sessionId,
      offset: facts.offset ?? null,
      ...message,
    });
    const terms = {
      words: `${text}\n${roleToken(role)}`,
      symbols: `${symbolGrams(text)} ${roleToken(role)}`,
    };
    for (const [table, text] of Object.entries(terms)) {
      const sql = `INSERT INTO ${table}(rowid, text) VALUES (?, ?)`;
      this.#database.run(sql, id, text);
    }
  }
}

/**
 * Returns the session whose texts a session may repeat. A sub-agent that was spawned and is no fork
 * began empty: its texts are its own, even if another sub-agent of the same parent has the same.
 */
function originOf(
  { forkedFrom, parent, source }: SessionHead,
): string | undefined {
  return forkedFrom ?? (source === SPAWNED ? undefined : parent);
}

/** Returns a hash of bytes: 22 characters of SHA-256 in base64url. */
export function markOf(tail: Uint8Array): string {
  return createHash("sha256").update(tail).digest("base64url").slice(0, 22);
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
    revision: Number(row.revision),
  };
}

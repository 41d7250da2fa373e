/** What searches say of the sessions that messages are from. */

import { basename } from "node:path";
import { checkFileSum } from "./index_check.ts";
import { isInside } from "./codex_homes.ts";
import type {
  SessionIndexDatabase,
  SqlValue,
} from "./session_index_database.ts";
import { FILE_FACTS } from "./session_index_tables.ts";
import { idInName, sessionIdInName } from "./session_start.ts";
import { shortIds } from "./short_ids.ts";

/** A session whose messages are searched. */
export interface SearchedSession {
  readonly id: string;
  /** What the index calls it: a session that goes on in further files is several there. */
  readonly key: string;
  /** Its file. */
  readonly path: string;
  /** What it is called. */
  readonly title: string;
  /** Its working directory; `null` if it is not known. */
  readonly cwd: string | null;
  /** Whether it is of one of the homes that are searched. */
  readonly isWanted: boolean;
}

/** How far the line of ancestors of a session is followed. */
const MAX_ANCESTORS = 32;

/** Looks up sessions, each once. */
export class SearchedSessions {
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

/** The text of a column; `null` if it has none. */
export function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

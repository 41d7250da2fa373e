/**
 * Helpers for the tests of the index of sessions.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { assertEquals } from "@std/assert";
import { checkIndex } from "../../lib/sessions/index_check.ts";
import {
  SessionIndexDatabase,
  type SessionIndexOptions,
  withSessionIndex,
} from "../../lib/sessions/session_index_database.ts";
import {
  type IndexingReport,
  type RefreshOptions,
  refreshSessionIndex,
} from "../../lib/sessions/session_indexer.ts";
import {
  type SearchHit,
  searchSessions,
  type SearchSessionsOptions,
} from "../../lib/sessions/session_search.ts";

/** A home and the index of it. */
export interface IndexedHome extends SessionIndexOptions, RefreshOptions {}

/** The home and the index of it in a folder. */
export function indexIn(folder: string, home = `${folder}/home`): IndexedHome {
  return { codexHomes: [home], path: `${folder}/index.sqlite` };
}

/** Brings an index up to date; `batchFiles` are the most files written in one transaction. */
export async function refresh(
  index: IndexedHome,
  batchFiles?: number,
): Promise<IndexingReport> {
  return await withSessionIndex(
    index,
    (database) => refreshSessionIndex(database, index, batchFiles),
  );
}

/** Searches an index; by default without a refresh, and up to 1,000 hits. */
export async function find(
  index: IndexedHome,
  query: string,
  options: Partial<SearchSessionsOptions> = {},
): Promise<readonly SearchHit[]> {
  const search = { ...index, query, refresh: false, limit: 1000, ...options };
  return (await searchSessions(search)).hits;
}

/** The text of a snippet, with its matches in brackets. */
export function marked({ snippet }: SearchHit): string {
  return snippet.map(({ text, isMatch }) => isMatch ? `[${text}]` : text)
    .join("");
}

/** Flips one bit of the database of an index that is not open. */
export async function flipBit(
  { path }: Pick<IndexedHome, "path">,
  at: number,
  bit: number,
): Promise<void> {
  const bytes = await Deno.readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  await Deno.writeFile(path, bytes);
}

/** Returns all offsets in the database of an index at which a text begins. */
export async function placesOf(
  { path }: Pick<IndexedHome, "path">,
  text: string,
): Promise<number[]> {
  // One character for each byte.
  const bytes = new TextDecoder("latin1").decode(await Deno.readFile(path));
  return [...bytes.matchAll(new RegExp(RegExp.escape(text), "g"))]
    .map(({ index }) => index);
}

/**
 * Returns the rows of an index, except the numbers of its files; fails if the index is not valid.
 */
export function contentOf({ path }: IndexedHome): unknown {
  const database = new DatabaseSync(path);
  try {
    checkIndex(new SessionIndexDatabase(path, database), 1e9);
    const all = (sql: string): unknown[] =>
      database.prepare(sql).all().map((row) => ({ ...row }));
    assertEquals(all("PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
    for (const table of ["words", "symbols"]) {
      database.exec(
        `INSERT INTO ${table}(${table}) VALUES ('integrity-check')`,
      );
    }
    assertEquals(
      all("SELECT id FROM words_docsize ORDER BY id"),
      all(`SELECT records.id FROM records
        JOIN files ON files.number = records.id / ${2 ** 23}
        JOIN messages USING (session_id, offset) ORDER BY records.id`),
    );
    return {
      sessions: all("SELECT * FROM sessions ORDER BY id"),
      messages: all("SELECT * FROM messages ORDER BY session_id, offset"),
      files: all(
        `SELECT path, session_id, size, mtime, read_to, read_mark, is_read,
        name, origin, part_of, base, base_end FROM files ORDER BY path`,
      ),
      records: all(`SELECT session_id, offset, time FROM records
        JOIN files ON files.number = records.id / ${2 ** 23}
        ORDER BY session_id, offset`),
      checkpoints: all("SELECT count(*) AS count FROM checkpoints"),
    };
  } finally {
    database.close();
  }
}

/** Checks the rows of an index against their checksums and against each other. */

import zlib from "node:zlib";
import { IndexDisagreement } from "./_index_damage.ts";
import { quoted } from "./search_query.ts";
import type { SessionIndexDatabase, SqlRow } from "./session_index_database.ts";
import {
  FILE_FACTS,
  roleToken,
  ROWS_PER_FILE,
} from "./session_index_tables.ts";

/** How many messages of a part are looked up by a word of their text. */
const LOOKED_UP = 2;
/** A run of letters that the tokenizer takes for one word, whatever surrounds it. */
const WORD_REGEXP = /(?<![^ \n])[a-z]{3,20}(?=[ \n])/g;

/**
 * Checks a part of an index: each row has to match its checksum, to be found by its keys, and to
 * have the rows of other tables that belong to it. The part is random, so that each run checks
 * another one without recording which: at most `rows` files, and as many messages.
 */
export function checkIndex(
  database: SessionIndexDatabase,
  rows: number,
): void {
  // One snapshot: all queries see the same state while other processes write.
  database.snapshot(() => {
    checkFiles(database, rows);
    checkMessages(database, rows);
  });
}

function checkFiles(database: SessionIndexDatabase, rows: number): void {
  const sql = (range: string): string =>
    `SELECT sum, ${FILE_FACTS} FROM files LEFT JOIN sessions ON sessions.id = session_id
       WHERE ${range} ORDER BY number LIMIT ?`;
  for (const row of part(database, "files", "number", { rows, sql })) {
    checkFileSum(row);
    const { number = null, path = null, session_id = null, part_of = null } =
      row;
    // Looked up by each index, which may lead to another row or to none.
    const found = database.get(
      `SELECT (SELECT number FROM files WHERE path = ?1) AS by_path,
         (SELECT number FROM files WHERE session_id = ?2) AS by_id,
         (SELECT number FROM files INDEXED BY parts
           WHERE part_of = ?3 AND session_id = ?2) AS by_part,
         (SELECT id FROM sessions WHERE rowid =
           (SELECT rowid FROM sessions WHERE id = ?2)) AS session`,
      path,
      session_id,
      part_of,
    );
    if (
      found?.by_path !== number || found.by_id !== number ||
      found.by_part !== (part_of === null ? null : number) ||
      found.session !== session_id
    ) {
      throw new IndexDisagreement(`the place of the file ${String(number)}`);
    }
  }
}

function checkMessages(database: SessionIndexDatabase, rows: number): void {
  const sql = (range: string): string =>
    `SELECT records.id AS id, records.offset AS offset, in_line, time, sum,
       messages.role AS role, messages.kind AS kind, messages.tool_name AS tool_name,
       messages.text AS text, files.number AS file, files.session_id AS wanted,
       own.session_id AS found, own.offset AS found_offset
       FROM (SELECT * FROM records WHERE ${range} ORDER BY id LIMIT ?) AS records
       LEFT JOIN (SELECT number, session_id FROM files) AS files
         ON files.number = records.id / ${ROWS_PER_FILE}
       LEFT JOIN messages ON messages.session_id = files.session_id
         AND messages.offset = records.offset
       LEFT JOIN messages AS own ON own.rowid = messages.rowid
       ORDER BY records.id`;
  let lookedUp = 0;
  for (const row of part(database, "records", "id", { rows, sql })) {
    if (row.file === null) {
      throw new IndexDisagreement(`the message ${String(row.id)}`);
    }
    checkMessageSum(row);
    if (row.text === null) continue;
    // The index of the primary key holds copies of the keys.
    if (row.found !== row.wanted || row.found_offset !== row.offset) {
      throw new IndexDisagreement(`the place of the message ${String(row.id)}`);
    }
    if (lookedUp < LOOKED_UP && checkLookUp(database, row)) lookedUp += 1;
  }
}

/** Checks that the {@linkcode FILE_FACTS} of a file and its session match their checksum. */
export function checkFileSum({ sum, ...facts }: SqlRow): void {
  if (sum === fileSum(facts)) return;
  throw new IndexDisagreement(`the file ${String(facts.number)}`);
}

/** Checks that a message, as {@linkcode messageSum} takes it, matches its checksum. */
export function checkMessageSum(row: SqlRow): void {
  if (row.sum === messageSum(row)) return;
  throw new IndexDisagreement(`the message ${String(row.id)}`);
}

/** Looks a message up by one of its words and its role; returns whether it had such a word. */
function checkLookUp(
  database: SessionIndexDatabase,
  { id = null, role, text }: SqlRow,
): boolean {
  const words = String(text).slice(0, 1_000).match(WORD_REGEXP) ?? [];
  const word = words[Math.floor(words.length / 2)];
  const isThere = (table: string, term: string): boolean =>
    database.get(
      `SELECT 1 FROM ${table} WHERE ${table} MATCH ? AND rowid = ?`,
      quoted(term),
      id,
    ) !== undefined;
  if (
    word !== undefined && !isThere("words", word) ||
    !isThere("symbols", roleToken(String(role)))
  ) throw new IndexDisagreement(`the words of the message ${String(id)}`);
  return word !== undefined;
}

/** Yields rows of a table: from a random place on, and after the last row from the first one on. */
function* part(
  database: SessionIndexDatabase,
  table: string,
  key: string,
  { rows, sql }: {
    readonly rows: number;
    readonly sql: (range: string) => string;
  },
): Generator<SqlRow> {
  const ends = database.get(
    `SELECT (SELECT min(${key}) FROM ${table}) AS first,
       (SELECT max(${key}) FROM ${table}) AS last`,
  );
  const first = Number(ends?.first ?? 0);
  const from = first +
    Math.floor(Math.random() * (Number(ends?.last ?? 0) - first + 1));
  let left = rows;
  for (const range of [`${key} >= ?`, `${key} < ?`]) {
    for (const row of database.iterate(sql(range), from, left)) {
      yield row;
      left -= 1;
    }
  }
}

/**
 * Computes the checksum of a message, from its columns of `records`, and of `messages` if it has a
 * row there.
 */
export function messageSum(row: SqlRow): number {
  const { id, offset, in_line, time, role, kind, tool_name, text = null } = row;
  const place = [id, offset, in_line, time];
  return text === null ? zlib.crc32(place.join("\n")) : zlib.crc32(
    String(text),
    zlib.crc32([...place, role, kind, tool_name].join("\n")),
  );
}

/** Computes the checksum of a file from its facts as SQLite returns them. */
export function fileSum(row: SqlRow): number {
  return zlib.crc32(Object.values(row).join("\n"));
}

/** Recognizes damaged, foreign and deleted index files, and removes damaged ones. */

import {
  closeSync,
  existsSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { codeOf } from "../files/byte_source.ts";
import { APPLICATION_ID } from "./session_index_tables.ts";

export type Connect = new (
  path: string | URL,
  options?: { readonly readOnly?: boolean },
) => DatabaseSync;

/**
 * How long SQLite waits for other processes, in milliseconds. Their transactions take up to a
 * second.
 */
export const BUSY_TIMEOUT = 5_000;
const HEADER_BYTES = 100;
const APPLICATION_ID_AT = 68;
const MAGIC = "SQLite format 3\0";
/** Messages of SQLite for damage, including those for tables whose definition is damaged. */
const DAMAGE_REGEXP =
  /file is not a database|database disk image is malformed|fts5: corrupt|invalid fts5 file format|vtable constructor failed|no such (?:table|column|module|tokenizer)|has no column named|malformed database schema|unrecognized (?:option|token)|parse error in|error in tokenizer|syntax error|incomplete input/i;
const BUSY_REGEXP = /database (?:table )?is locked/i;
const GONE_REGEXP = /attempt to write a readonly database|disk I\/O error/i;

/** Rows of an index that SQLite can read, but that contradict each other: one bit flipped. */
export class IndexDisagreement extends Error {
  override readonly name = "IndexDisagreement";

  constructor(subject: string) {
    super(`it disagrees with itself about ${subject}`);
  }
}

export function isIndexDamage(error: unknown): boolean {
  return error instanceof IndexDisagreement || says(error, DAMAGE_REGEXP);
}

export function isBusy(error: unknown): boolean {
  return says(error, BUSY_REGEXP);
}

/**
 * Whether an error is one that SQLite reports after another process has removed a damaged file
 * while it was open. If so, opening the index again succeeds.
 */
export function mayBeGone(error: unknown): boolean {
  return says(error, GONE_REGEXP);
}

/** Whether a message of SQLite has these words: Deno does not set the result code. */
function says(error: unknown, words: RegExp): boolean {
  return isSqliteError(error) && words.test(error.message);
}

export function isSqliteError(error: unknown): error is Error {
  return codeOf(error) === "ERR_SQLITE_ERROR";
}

function lockOf(path: string): string {
  return `${path}-lock`;
}

/** Records that the file at a path is an index, so that it is recognized even when damaged. */
export function markIndex(path: string): void {
  closeSync(openSync(lockOf(path), "a", 0o600));
}

/**
 * Whether a file is something other than an index: it exists, is not empty, and does not begin like
 * an index. A file that was once made as an index counts as a damaged one, unless it is another
 * database now. Pipes and devices are foreign: opening one may block forever.
 */
export function isForeign(path: string): boolean {
  let header: Uint8Array;
  try {
    const facts = statSync(path);
    if (!facts.isFile() && !facts.isDirectory()) return true;
    header = headerOf(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
  if (header.length === 0 || isIndexHeader(header)) return false;
  return isDatabaseHeader(header) || !existsSync(lockOf(path));
}

function headerOf(path: string): Uint8Array {
  const file = openSync(path, "r");
  try {
    const header = new Uint8Array(HEADER_BYTES);
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function isIndexHeader(header: Uint8Array): boolean {
  const view = new DataView(header.buffer, header.byteOffset);
  return isDatabaseHeader(header) &&
    view.getUint32(APPLICATION_ID_AT) === APPLICATION_ID;
}

function isDatabaseHeader(header: Uint8Array): boolean {
  return header.length === HEADER_BYTES &&
    new TextDecoder().decode(header.subarray(0, MAGIC.length)) === MAGIC;
}

/**
 * Whether an index was deleted while a process has it open: its log is still there, and SQLite must
 * not take it for the log of a new index.
 */
export function isDeletedInUse(path: string): boolean {
  return !existsSync(path) &&
    (existsSync(`${path}-wal`) || existsSync(`${path}-shm`));
}

/**
 * Removes an index that `open` cannot open, unless another process has already replaced it. Holds
 * an exclusive lock on a small database beside the index meanwhile, which ends with the process.
 */
export function removeDamaged(
  Connection: Connect,
  path: string,
  open: () => void,
): void {
  const lock = new Connection(lockOf(path));
  try {
    lock.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; BEGIN EXCLUSIVE`);
    try {
      if (!isDeletedInUse(path)) return open();
    } catch (error) {
      if (!isIndexDamage(error)) throw error;
    }
    // The log goes before the database: it must never be applied to another one.
    for (const suffix of ["-wal", "-shm", "-journal", ""]) {
      rmSync(path + suffix, { force: true });
    }
  } finally {
    lock.close();
  }
}

export function pragma(connection: DatabaseSync, name: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

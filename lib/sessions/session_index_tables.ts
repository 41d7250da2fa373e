/** The tables of the index of sessions. */

import type { MessageRole } from "./session_records.ts";
import { ASCII_SYMBOLS } from "./symbol_grams.ts";

/** Says that a database is an index of sessions: `CPsi`. It must never change. */
export const APPLICATION_ID = 0x43507369;

/**
 * The version of the tables and of what is put into them; a change of either makes it higher,
 * and older indexes are made anew. Also what the mapping of lines to records gives counts.
 */
export const INDEX_VERSION = 7;

/** How many rows a file can have: what of the number of a row is counted within the file. */
export const ROWS_PER_FILE = 2 ** 23;

/** How much FTS5 gathers before it writes: all of a transaction. */
const GATHERED_BYTES = 32 << 20;

/**
 * `sessions` and `messages` are those of the contract, to the letter (chat-persistence.md). The
 * `offset` of a message is that of the line in its file that it came with, in bytes of the
 * unpacked file; where one line made several messages, the next ones count on by 1, since it is
 * half of their key. `in_line` of `records` says by how much: what is less that is shown.
 *
 * The others are ours. `files` says how far each file has been read; its numbers grow with the
 * time at which sessions began. `checkpoints` has what it takes to read on from there. `records`
 * numbers the messages, by the number of the file and that of the row in it: the rows of `words`
 * and `symbols`, which hold no text. To both, the role of a message is one more word of it. What
 * is called `sum` tells whether a row still says what was written (`index_check.ts`).
 */
export const TABLES = `
CREATE TABLE sessions(
  id TEXT PRIMARY KEY, started_at TEXT, cwd TEXT, cli_version TEXT, originator TEXT,
  git_branch TEXT, git_commit TEXT, title TEXT, rollout_path TEXT, last_event_at TEXT
);
CREATE TABLE messages(
  session_id TEXT, offset INTEGER, role TEXT, kind TEXT, text TEXT, tool_name TEXT,
  PRIMARY KEY(session_id, offset)
);
CREATE TABLE files(
  number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL, mtime INTEGER NOT NULL, read_to INTEGER NOT NULL,
  read_mark TEXT NOT NULL, is_read INTEGER NOT NULL, name TEXT, problem TEXT, origin TEXT,
  revision INTEGER NOT NULL, sum INTEGER
);
CREATE TABLE checkpoints(number INTEGER PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE records(
  id INTEGER PRIMARY KEY, offset INTEGER NOT NULL, in_line INTEGER NOT NULL,
  time INTEGER NOT NULL, sum INTEGER
);
CREATE VIRTUAL TABLE words USING fts5(
  text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE symbols USING fts5(
  text, content='', contentless_delete=1, detail=none,
  tokenize="ascii tokenchars '${quoted(ASCII_SYMBOLS)}'"
);
INSERT INTO words(words, rank) VALUES ('hashsize', ${GATHERED_BYTES});
INSERT INTO symbols(symbols, rank) VALUES ('hashsize', ${GATHERED_BYTES});
`;

/** The names of the tables, in an order in which they can be dropped. */
export const TABLE_NAMES = [
  "symbols",
  "words",
  "records",
  "checkpoints",
  "files",
  "messages",
  "sessions",
] as const;

/** What the sum of a row of `files` is made of: that row, and that of the session. */
export const FILE_FACTS =
  `number, path, session_id, size, mtime, read_to, read_mark, is_read, name, problem, origin,
   revision, started_at, cwd, cli_version, originator, git_branch, git_commit, title,
   rollout_path, last_event_at`;

/** What hardly a message says: a character of nobody's, a letter to both tokenizers. */
const ROLE_MARK = "\uf8c1";

/** Gives the word that a role is in the index. */
export function roleToken(role: MessageRole): string {
  return `${ROLE_MARK}${role}`;
}

/** Quotes text for a string in single quotes within one in double quotes. */
function quoted(text: string): string {
  return text.replaceAll("'", "''").replaceAll('"', '""');
}

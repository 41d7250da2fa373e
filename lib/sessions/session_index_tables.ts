/** The tables of the index of sessions. */

import { ASCII_SYMBOLS } from "./symbol_grams.ts";

/** The application id of an index of sessions in SQLite: `CPsi`. It must never change. */
export const APPLICATION_ID = 0x43507369;

/**
 * The version of the tables and of their content. It has to be raised with any change of either,
 * including a change of how lines are mapped to records; indexes of older versions are rebuilt.
 */
export const INDEX_VERSION = 24;

/** How many rows a file can have: row ids are the number of the file times this, plus the row. */
export const ROWS_PER_FILE = 2 ** 23;

/** How much FTS5 buffers before it writes: all of a transaction. */
const GATHERED_BYTES = 32 << 20;

/**
 * The statements that create the tables.
 *
 * `sessions` and `messages` have exactly the columns of the contract (chat-persistence.md). The
 * `offset` of a message is that of its line in the file, in bytes of the unpacked file. Offsets are
 * half of the key, so where one line makes several messages, the later ones add 1 each; `in_line`
 * of `records` holds the number added, which is subtracted from the offset that is shown.
 *
 * The other tables are internal. `files` records up to which offset each file has been read; its
 * numbers grow with the time at which sessions began. A later file of a session has the id of the
 * session in `part_of`; `base` is the id of the file that it continues, and `base_end` the offset
 * from which on it takes that file back. `checkpoints` holds the state to read on from
 * there. `records` numbers the messages by file and row; its ids are the row ids of `words` and
 * `symbols`, which hold no text. In both, the role of a message is indexed as one more word.
 * Columns called `sum` hold a checksum of their row (`index_check.ts`).
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
  read_mark TEXT NOT NULL, is_read INTEGER NOT NULL, name TEXT, origin TEXT,
  revision INTEGER NOT NULL, part_of TEXT, base TEXT, base_end INTEGER, sum INTEGER
);
CREATE INDEX parts ON files(part_of, session_id) WHERE part_of IS NOT NULL;
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

/** The names of the tables, in the order to drop them. */
export const TABLE_NAMES = [
  "symbols",
  "words",
  "records",
  "checkpoints",
  "files",
  "messages",
  "sessions",
] as const;

/** The columns that the checksum of a file is made of: those of `files` and of its session. */
export const FILE_FACTS =
  `number, path, session_id, size, mtime, read_to, read_mark, is_read, name, origin,
   revision, part_of, base, base_end, started_at, cwd, cli_version, originator, git_branch, git_commit, title,
   rollout_path, last_event_at`;

/** A private-use character that hardly any message holds; both tokenizers take it for a letter. */
const ROLE_MARK = "\uf8c1";

/** Returns the word by which a role is indexed. */
export function roleToken(role: string): string {
  return `${ROLE_MARK}${role}`;
}

/** Escapes text for a string in single quotes within a string in double quotes. */
function quoted(text: string): string {
  return text.replaceAll("'", "''").replaceAll('"', '""');
}

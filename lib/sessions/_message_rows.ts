/** The rows that the index has for a message: its text, and what it is found by. */

import { messageSum } from "./_row_sums.ts";
import type { SessionIndexDatabase, SqlRow } from "./session_index_database.ts";
import { roleToken, ROWS_PER_FILE } from "./session_index_tables.ts";
import type { FoldedMessage, FoldedPiece } from "./session_fold.ts";
import { symbolGrams } from "./symbol_grams.ts";

export interface FileRows {
  readonly number: number;
  /** The id of its session in the index. */
  readonly sessionId: string;
}

/** Writes the rows of messages; call it inside a transaction. */
export class MessageRows {
  readonly #database: SessionIndexDatabase;
  readonly #onMessage: () => void;

  constructor(database: SessionIndexDatabase, onMessage: () => void) {
    this.#database = database;
    this.#onMessage = onMessage;
  }

  /** Removes the messages of a file, from a row on. */
  removeFrom({ number, sessionId }: FileRows, from: number): void {
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

  /** Removes the messages of all files. */
  clear(): void {
    for (const table of ["words", "symbols"]) {
      this.#database.run(
        `INSERT INTO ${table}(${table}) VALUES ('delete-all')`,
      );
    }
    for (const table of ["messages", "records"]) {
      this.#database.run(`DELETE FROM ${table}`);
    }
  }

  /** Writes what a piece of a file changes. */
  write(at: FileRows, { removed, messages }: FoldedPiece): void {
    for (const row of removed) this.#removeMessage(at, row);
    for (const message of messages) this.#writeMessage(at, message);
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
    const message = text === "" ? undefined : { role, kind, toolName, text };
    this.#database.run(
      "INSERT INTO records(id, offset, in_line, time, sum) VALUES (?, ?, ?, ?, ?)",
      id,
      offset,
      inLine,
      time,
      messageSum({ id, offset, inLine, time, message }),
    );
    if (message === undefined) return;
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
    this.#onMessage();
  }
}

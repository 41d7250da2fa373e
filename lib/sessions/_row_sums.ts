/** Sums over the rows of the index, which tell whether a row still says what was written. */

import zlib from "node:zlib";
import type { SqlRow, SqlValue } from "./session_index_database.ts";

/** What the index says of a message, in the columns that it has. */
export interface MessageSumFields {
  /** The number of its row. */
  readonly id: SqlValue | undefined;
  /** See the table `records`. */
  readonly offset: SqlValue | undefined;
  /** See the table `records`. */
  readonly inLine: SqlValue | undefined;
  /** See the table `records`. */
  readonly time: SqlValue | undefined;
  /** The columns of `messages`; `undefined` if it has no text, and no row there. */
  readonly message: {
    readonly role: SqlValue | undefined;
    readonly kind: SqlValue | undefined;
    readonly toolName: SqlValue | undefined;
    readonly text: SqlValue | undefined;
  } | undefined;
}

/**
 * Gives the sum of a message; `null` if its text comes out of SQLite as another one than went
 * in: one that is not well-formed, or that has a NUL, where it ends for some.
 */
export function messageSum(
  { id, offset, inLine, time, message }: MessageSumFields,
): number | null {
  const place = [id, offset, inLine, time];
  if (message === undefined) return sumOf(place.join("\n"), "");
  const { role, kind, toolName, text } = message;
  return sumOf([...place, role, kind, toolName].join("\n"), String(text));
}

/** Gives the sum of the row of a file, and of what is said of its session. */
export function fileSum(row: SqlRow): number | null {
  return sumOf(Object.values(row).join("\n"), "");
}

function sumOf(facts: string, text: string): number | null {
  const isKept = isKeptText(facts) && isKeptText(text);
  return isKept ? zlib.crc32(text, zlib.crc32(facts)) : null;
}

/** Whether SQLite gives a text back as it was. */
function isKeptText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

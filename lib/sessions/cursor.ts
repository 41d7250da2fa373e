/** Cursors: where a page of a list of sessions ends. */

import { utcTimestamp } from "../dialects/rollout/timestamp.ts";
import {
  compareNewestFirst,
  type SessionPlace,
  startOf,
} from "./session_start.ts";

/** A place in a list of sessions; the next page begins after it. */
export interface SessionCursor {
  /** The time at which the last session began, in milliseconds since 1970. */
  readonly start: number;
  /**
   * The key of the last session; `undefined` if the cursor is only a time. All sessions of that
   * time then count as seen.
   */
  readonly key: string | undefined;
}

/** Thrown for a text that is no cursor. */
export class CursorError extends RangeError {
  /** The name of the class. */
  override readonly name = "CursorError";
  /** The text. */
  readonly cursor: string;

  /**
   * Constructs a new instance.
   *
   * @param cursor The text.
   */
  constructor(cursor: string) {
    super(
      `Cannot read the cursor: it is ${
        JSON.stringify(cursor.slice(0, 80))
      }, expected a time and an id, such as 2026-11-20T15:40:01.000Z|01a1f99d-5874-7011-9c38-b543d19d65ba`,
    );
    this.cursor = cursor;
  }
}

/** The time of day in the names of files, with dashes for colons. */
const NAME_TIME_REGEXP = /T(\d\d)-(\d\d)-(\d\d)/;

/** Formats the cursor for the page after a session: RFC 3339, a bar, and the key. */
export function encodeCursor({ start, key }: SessionPlace): string {
  return `${new Date(start).toISOString()}|${key}`;
}

/**
 * Parses a cursor.
 *
 * Besides its own format it accepts those of Codex releases: `YYYY-MM-DDThh-mm-ss|uuid`, a time in
 * RFC 3339 with or without `|uuid`, and the time alone in the format of file names (rollout.md
 * D.4). A time without a zone is UTC. A time from a file name is local time; where the id holds the
 * time in UTC, the time is corrected by it, as for the file itself.
 *
 * @throws {CursorError} If the text has none of these formats.
 */
export function parseCursor(text: string): SessionCursor {
  const bar = text.indexOf("|");
  const time = (bar === -1 ? text : text.slice(0, bar)).trim()
    .replace(NAME_TIME_REGEXP, "T$1:$2:$3");
  const key = bar === -1 ? undefined : text.slice(bar + 1).trim();
  const at = Date.parse(utcTimestamp(time) ?? utcTimestamp(`${time}Z`) ?? "");
  if (Number.isNaN(at) || key === "") throw new CursorError(text);
  return { start: startOf(at, key), key };
}

/** Whether a session comes after a cursor, in the order newest first. */
export function isBehind(
  place: SessionPlace,
  { start, key }: SessionCursor,
): boolean {
  return key === undefined
    ? place.start < start
    : compareNewestFirst(place, { start, key }) > 0;
}

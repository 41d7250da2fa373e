/** The facts in the names of session files, and the order of sessions by their start. */

import {
  fileNameTimestamp,
  utcTimestamp,
} from "../dialects/rollout/timestamp.ts";
import { timeInUuid } from "../events/times.ts";

const UUID_REGEXP = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const UUID_LENGTH = 36;
const SUFFIX_REGEXP = /\.jsonl?(?:\.zst|\.gz)?$/i;
const PACKED_REGEXP = /\.(?:zst|gz)$/i;
const OBJECT_REGEXP = /\.json$/i;
/**
 * Names with a further dot are those of other files: of snapshots that a fork of Codex writes
 * beside sessions, and of exports.
 */
const NAME_REGEXP = /^rollout-[^.]+\.(?:jsonl(?:\.zst|\.gz)?|json)$/i;
const DAY_REGEXP = /^rollout-(\d{4}-\d\d-\d\d)-/;
/** Time zones differ from UTC by whole quarters of an hour, from 12 hours behind to 14 ahead. */
const QUARTER = 15 * 60_000;
const MOST_BEHIND = -12 * 3_600_000;
const MOST_AHEAD = 14 * 3_600_000;
/** The time in a file name has whole seconds, and is taken a moment after the id was made. */
const SLACK = 1_000;

/** The place of a session in the order of sessions. */
export interface SessionPlace {
  /** The time at which the session began, in milliseconds since 1970. */
  readonly start: number;
  /** The id of the session, or the path of its file if the file name has none. */
  readonly key: string;
}

/** Whether the name of a file, without folders, is that of a session file (rollout.md D.1). */
export function isSessionName(name: string): boolean {
  return NAME_REGEXP.test(name);
}

/** Returns a path without the suffix of a compression. */
export function unpackedPath(path: string): string {
  return path.replace(PACKED_REGEXP, "");
}

/** Whether a file is one of the first CLI: one JSON object, whose lines are made while reading. */
export function isObjectPath(path: string): boolean {
  return OBJECT_REGEXP.test(path);
}

/** Returns the id in the name of a file, in lower case: the UUID at its end, if it has one. */
export function idInName(name: string): string | undefined {
  return idAtEnd(name.replace(SUFFIX_REGEXP, ""));
}

function idAtEnd(stem: string): string | undefined {
  const id = stem.slice(-UUID_LENGTH);
  return UUID_REGEXP.test(id) ? id.toLowerCase() : undefined;
}

/**
 * Returns the id of the session in the name of a rollout file, in lower case. A file that continues
 * a session of another file (0.150 and later) has the id of that session before its own.
 */
export function sessionIdInName(name: string): string | undefined {
  const stem = name.replace(SUFFIX_REGEXP, "");
  const id = idAtEnd(stem);
  if (id === undefined || stem.at(-UUID_LENGTH - 1) !== "_") return id;
  return idAtEnd(stem.slice(0, -UUID_LENGTH - 1)) ?? id;
}

/**
 * Returns the time in the name of a rollout file, in RFC 3339, if it has one.
 *
 * It is local time, read as if it were UTC, as Codex reads it (rollout.md D.1). Names of the first
 * CLI hold the day only.
 */
export function timeInName(name: string): string | undefined {
  const time = fileNameTimestamp(name);
  if (time !== undefined) return time;
  const day = DAY_REGEXP.exec(name)?.[1];
  return day === undefined ? undefined : utcTimestamp(`${day}T00:00:00.000Z`);
}

/**
 * Determines when a session began, from the time in the name of its file as if it were UTC. Times
 * are in milliseconds since 1970.
 *
 * A file name holds local time of an unknown zone. Since 0.40 the id is a UUID v7, which begins
 * with the time in UTC. The time of the id is used where it differs from the name by a time zone
 * only. So sessions from before and after a journey, or a change to summer time, are in order.
 */
export function startOf(nameTime: number, id: string | undefined): number {
  const idTime = timeInUuid(id);
  if (idTime === undefined) return nameTime;
  const zone = nameTime - idTime;
  if (!(zone >= MOST_BEHIND - SLACK && zone <= MOST_AHEAD + SLACK)) {
    return nameTime;
  }
  const rest = Math.abs(zone - Math.round(zone / QUARTER) * QUARTER);
  return rest <= SLACK ? idTime : nameTime;
}

/** Compares two places: newest first, and at the same time the higher id first (rollout.md D.4). */
export function compareNewestFirst(
  one: SessionPlace,
  other: SessionPlace,
): number {
  if (one.start !== other.start) return other.start - one.start;
  if (one.key === other.key) return 0;
  return one.key > other.key ? -1 : 1;
}

/** Returns when a session began, in milliseconds since 1970: by its header, else by its place. */
export function startedAt(
  place: SessionPlace,
  started: string | undefined,
): number {
  const time = started === undefined ? NaN : Date.parse(started);
  return Number.isNaN(time) ? place.start : time;
}

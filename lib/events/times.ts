/** Points in time and durations, in all of their formats. */

import { utcTimestamp } from "../dialects/rollout/timestamp.ts";
import { type Fields, fieldsOf, numberOf } from "../json/fields.ts";
import { ownText } from "../json/utf8.ts";

/** The timestamp that stands for an unknown time. */
export const EPOCH = "1970-01-01T00:00:00.000Z";

const ISO_DURATION_REGEXP =
  /^P(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** The milliseconds that a `Date` can hold, in both directions. */
const MAX_DATE_MS = 8.64e15;

/** Converts an RFC 3339 time to `YYYY-MM-DDTHH:mm:ss.sssZ`; further digits are cut off. */
export function timestampOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (value !== last.said) {
    const time = utcTimestamp(value);
    // The time may be kept longer than its line, so it must not keep the text of the line alive.
    last = { said: value, time: time === undefined ? time : ownText(time) };
  }
  return last.time;
}

/** The last conversion: readers and folds all convert the time of the same line. */
let last: { readonly said: string; readonly time: string | undefined } = {
  said: "",
  time: undefined,
};

/** Formats milliseconds since 1970 as a timestamp; `undefined` beyond years of four digits. */
export function timestampOfMs(ms: number): string | undefined {
  if (!(Math.abs(ms) <= MAX_DATE_MS)) return undefined;
  const whole = Math.trunc(ms);
  const start = Math.floor(whole / MINUTE_MS) * MINUTE_MS;
  if (start !== minute.start) {
    const text = new Date(start).toISOString();
    minute = { start, text: text.slice(0, -"00.000Z".length) };
  }
  if (minute.text.length !== TO_MINUTE) return undefined;
  const rest = String(100_000 + whole - start);
  const seconds = `${rest.slice(1, 3)}.${rest.slice(3)}Z`;
  return minute.text + seconds;
}

/** The length of the part of a timestamp before its seconds. */
const TO_MINUTE = "YYYY-MM-DDTHH:mm:".length;

const MINUTE_MS = 60_000;

/** The last minute that was formatted: the call of `Date` takes four times as long as the rest. */
let minute = { start: NaN, text: "" };

/** Returns the milliseconds since 1970 of a timestamp in the format of {@linkcode timestampOf}. */
export function msOf(timestamp: string): number {
  return Date.parse(timestamp);
}

/** Parses an RFC 3339 time: milliseconds since 1970, or `undefined` if the value is not a time. */
export function timeOf(value: unknown): number | undefined {
  const timestamp = timestampOf(value);
  return timestamp === undefined ? undefined : msOf(timestamp);
}

/**
 * Returns the time of an event in the format of {@linkcode timestampOf}, if it has one. Events of
 * exec streams have none; messages of app-servers have the time when they were sent (0.145 and
 * later). Before, items have times of their own, and beginnings of turns have theirs in seconds.
 */
export function eventTime(event: Fields): string | undefined {
  const time = timestampOf(event.timestamp);
  if (time !== undefined) return time;
  const { emittedAtMs, completedAtMs, startedAtMs, type, started_at } = event;
  const ms = numberOf(emittedAtMs ?? completedAtMs ?? startedAtMs);
  const seconds = type === "turn.started" ? numberOf(started_at) : undefined;
  return timestampOfMs(ms ?? (seconds ?? NaN) * 1000);
}

/** Returns the time when a thread began, in the format of {@linkcode timestampOf}. */
export function threadTime(started: Fields): string | undefined {
  // An app-server states it in seconds; its response has no time of its own.
  return timestampOf(started.started_at) ??
    timestampOfMs((numberOf(started.created_at) ?? NaN) * 1000) ??
    eventTime(started);
}

export function eventMs(event: Fields): number | undefined {
  const time = eventTime(event);
  return time === undefined ? undefined : msOf(time);
}

/** Reads a duration (milliseconds, ISO 8601 text or `{secs, nanos}`) as whole milliseconds. */
export function durationMsOf(value: unknown): number | undefined {
  const ms = rawMsOf(value);
  return ms === undefined || !Number.isFinite(ms) || ms < 0
    ? undefined
    : Math.floor(ms);
}

function rawMsOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "string") {
    const match = ISO_DURATION_REGEXP.exec(value);
    if (match === null || value.endsWith("P") || value.endsWith("T")) {
      return undefined;
    }
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1)
      .map((part: string | undefined) => Number(part ?? 0));
    // Rounded where it is composed: otherwise 0.29 s would be 289.99… ms.
    return Math.round(
      (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1e6,
    ) / 1e3;
  }
  const { secs, nanos } = fieldsOf(value);
  const seconds = numberOf(secs);
  if (seconds === undefined) return undefined;
  return seconds * 1000 + Math.floor((numberOf(nanos) ?? 0) / 1e6);
}

/** Formats milliseconds for people: `850ms`, `2s`, `1m 05s`, `1h 02m`. */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

function twoDigits(n: number): string {
  return String(n).padStart(2, "0");
}

const UUID_V7_REGEXP =
  /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Reads the time, in milliseconds since 1970, from a UUID of version 7 (RFC 9562). Codex uses them
 * for threads since 0.42 and for turns since they have ids.
 */
export function timeInUuid(id: string | null | undefined): number | undefined {
  const [, high, low] = UUID_V7_REGEXP.exec(id ?? "") ?? [];
  return high === undefined ? undefined : parseInt(`${high}${low}`, 16);
}

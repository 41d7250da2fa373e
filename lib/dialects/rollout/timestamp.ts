/**
 * Points in time in all forms of RFC 3339, and the time that lines without their own are given.
 *
 * @module
 */

/** The first 28 days of all months there are, in which nothing else has to be looked at. */
const PLAIN_REGEXP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const EXACT_REGEXP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RFC_3339_REGEXP =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-]\d\d):?(\d\d))$/;
const START_OF_MONTH_REGEXP = /^.{8}01T00:00:00/;
const FILE_NAME_REGEXP =
  /rollout-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-[^/\\]*$/;

/**
 * Writes a point in time as `YYYY-MM-DDTHH:mm:ss.sssZ`; finer digits are cut off.
 *
 * A leap second is the one behind it, as in Unix time.
 *
 * @param text The point in time, in any form of RFC 3339; its offset may lack the colon.
 * @returns The same in UTC, with milliseconds, or `undefined` if it names none.
 */
export function utcTimestamp(text: string): string | undefined {
  if (PLAIN_REGEXP.test(text)) return text;
  // What Codex writes needs nothing but a look at whether there is such a day.
  if (EXACT_REGEXP.test(text) && isInDay(text)) return text;
  const match = RFC_3339_REGEXP.exec(text);
  if (match === null) return undefined;
  const [, date, minute, second, digits = "", hours, minutes] = match;
  const isLeap = second === "60";
  const millis = digits.slice(0, 3).padEnd(3, "0");
  const local = `${date}T${minute}:${isLeap ? "59" : second}.${millis}`;
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`;
  const ms = isInDay(`${local}Z`) ? Date.parse(`${local}${zone}`) : NaN;
  if (Number.isNaN(ms)) return undefined;
  const utc = new Date(ms + (isLeap ? 1000 : 0)).toISOString();
  // Only months end with a leap second.
  if (isLeap && !START_OF_MONTH_REGEXP.test(utc)) return undefined;
  // An offset can lead out of the years that have four digits.
  return EXACT_REGEXP.test(utc) ? utc : undefined;
}

/** Tells whether there is such a day and hour: `Date` makes 1 March of 29 February. */
function isInDay(utc: string): boolean {
  return new Date(utc).getUTCDate() === Number(utc.slice(8, 10));
}

/**
 * Writes a point in time as {@linkcode utcTimestamp} does; a text that names none is left as
 * it is.
 *
 * @returns The same in UTC, with milliseconds.
 */
export function canonicalTimestamp(text: string): string {
  return utcTimestamp(text) ?? text;
}

/**
 * Reads the time out of the name of a rollout file, `rollout-YYYY-MM-DDThh-mm-ss-<id>…`.
 *
 * It is the local time of the machine that made the file; nothing says which zone that
 * was, so it is given as if it were UTC, as Codex itself reads it (rollout.md D.1).
 *
 * @param name The name or path of the file.
 * @returns The time, or `undefined` if the name has none.
 */
export function fileNameTimestamp(name: string): string | undefined {
  const match = FILE_NAME_REGEXP.exec(name);
  if (match === null) return undefined;
  const [, date, hours, minutes, seconds] = match;
  return utcTimestamp(`${date}T${hours}:${minutes}:${seconds}.000Z`);
}

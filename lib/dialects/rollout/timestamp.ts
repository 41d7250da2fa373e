/** Converts times of RFC 3339 to one form; reads the time in the name of a rollout file. */

/** Times on the first 28 days of a month: those need no further check. */
const PLAIN_REGEXP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const EXACT_REGEXP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RFC_3339_REGEXP =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-]\d\d):?(\d\d))$/;
const START_OF_MONTH_REGEXP = /^.{8}01T00:00:00/;
const FILE_NAME_REGEXP =
  /rollout-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-[^/\\]*$/;

/**
 * Converts a time in any form of RFC 3339 to `YYYY-MM-DDTHH:mm:ss.sssZ`; `undefined` for any other
 * text. The offset may lack the colon, finer digits are cut off, and a leap second becomes the
 * second after it, as in Unix time.
 */
export function utcTimestamp(text: string): string | undefined {
  if (PLAIN_REGEXP.test(text)) return text;
  // Codex writes this form: only the day has to be checked.
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
  // Leap seconds are only at the end of a month.
  if (isLeap && !START_OF_MONTH_REGEXP.test(utc)) return undefined;
  // With its offset applied, a time may fall out of the years with four digits.
  return EXACT_REGEXP.test(utc) ? utc : undefined;
}

/** Returns whether the day and hour exist: `Date` turns 29 February into 1 March. */
function isInDay(utc: string): boolean {
  return new Date(utc).getUTCDate() === Number(utc.slice(8, 10));
}

/** Converts a time as {@linkcode utcTimestamp} does; returns any other text unchanged. */
export function canonicalTimestamp(text: string): string {
  return utcTimestamp(text) ?? text;
}

/**
 * Returns the time in the name or path of a rollout file, `rollout-YYYY-MM-DDThh-mm-ss-<id>…`, if
 * it has one.
 *
 * The name has the local time of the machine, without its zone. It is read as UTC, as Codex itself
 * does (rollout.md D.1).
 */
export function fileNameTimestamp(name: string): string | undefined {
  const match = FILE_NAME_REGEXP.exec(name);
  if (match === null) return undefined;
  const [, date, hours, minutes, seconds] = match;
  return utcTimestamp(`${date}T${hours}:${minutes}:${seconds}.000Z`);
}

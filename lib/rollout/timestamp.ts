/**
 * The time that lines without their own are given.
 *
 * @module
 */

const EXACT_REGEXP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ZONED_REGEXP = /^\d{4}-\d\d-\d\dT(?!24).*(?:Z|[+-]\d\d:?\d\d)$/i;
const FILE_NAME_REGEXP =
  /rollout-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-[^/\\]*$/;

/**
 * Writes a point in time as `YYYY-MM-DDTHH:mm:ss.sssZ`; a text that names none is left as
 * it is.
 *
 * @param text The point in time, in any form of RFC 3339.
 * @returns The same in UTC, with milliseconds.
 */
export function canonicalTimestamp(text: string): string {
  if (EXACT_REGEXP.test(text) || !ZONED_REGEXP.test(text)) return text;
  // `Date` makes 1 March of 29 February.
  const day = new Date(text.slice(0, 10));
  const date = new Date(text);
  if (day.getUTCDate() !== Number(text.slice(8, 10))) return text;
  if (Number.isNaN(date.getTime())) return text;
  const time = date.toISOString();
  // An offset can lead out of the years that have four digits.
  return EXACT_REGEXP.test(time) ? time : text;
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
  const time = `${date}T${hours}:${minutes}:${seconds}.000Z`;
  return Number.isNaN(Date.parse(time)) ? undefined : time;
}

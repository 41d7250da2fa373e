/** Times on the command line. */

const UNITS: ReadonlyMap<string, number> = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

/** What ages are said in, the longest first; a month is a twelfth of a year. */
const AGES = [
  { name: "y", length: 31_557_600_000 },
  { name: "mo", length: 2_629_800_000 },
  { name: "d", length: 86_400_000 },
  { name: "h", length: 3_600_000 },
  { name: "min", length: 60_000 },
] as const;

const AGO_REGEXP = /^(\d{1,6})([mhdw])$/;
const DATE_REGEXP = /^\d{4}-\d{2}-\d{2}$/;
const TIME_REGEXP =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Parses a date, a time, or how long ago something was.
 *
 * @param text `2026-01-31`, `2026-01-31T12:00`, with seconds, a fraction and an offset if
 * need be, or `90m`, `12h`, `7d`, `2w`; in UTC unless an offset says otherwise.
 * @param now The present, in milliseconds since 1970.
 * @returns Milliseconds since 1970; `undefined` if it is no time.
 */
export function parseTime(text: string, now: number): number | undefined {
  const [, count, unit = ""] = AGO_REGEXP.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS.get(unit) ?? 0);
  if (DATE_REGEXP.test(text)) return valid(text, text);
  const [, date, time, offset = "Z"] = TIME_REGEXP.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  const zone = /^[+-]\d{4}$/.test(offset)
    ? `${offset.slice(0, 3)}:${offset.slice(3)}`
    : offset.toUpperCase();
  return valid(`${date}T${time}${zone}`, date);
}

/**
 * Says how long ago something was, in the largest unit that it is one of.
 *
 * @param time When it was, in milliseconds since 1970.
 * @param now The present, in milliseconds since 1970.
 * @returns Such as `2 h ago`; `just now` if it is less than a minute, or still to come.
 */
export function ageText(time: number, now: number): string {
  const age = now - time;
  const unit = AGES.find(({ length }) => age >= length);
  if (unit === undefined) return "just now";
  return `${Math.floor(age / unit.length)} ${unit.name} ago`;
}

/** The time, unless its day is none of the calendar: 2026-02-31 would be taken for March. */
function valid(text: string, date: string): number | undefined {
  const time = Date.parse(text);
  const day = Date.parse(date);
  if (Number.isNaN(time) || Number.isNaN(day)) return undefined;
  return new Date(day).toISOString().startsWith(date) ? time : undefined;
}

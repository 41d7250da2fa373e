/** Parsing of times on the command line, and texts for ages. */

const UNITS: ReadonlyMap<string, number> = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

/** The units of ages in milliseconds, the longest first; a month is a twelfth of a year. */
const AGES = [
  { name: "y", length: 31_557_600_000 },
  { name: "mo", length: 2_629_800_000 },
  { name: "d", length: 86_400_000 },
  { name: "h", length: 3_600_000 },
  { name: "min", length: 60_000 },
] as const;

const AGO_REGEXP = /^(\d{1,6})([mhdw])$/;
const TIME_REGEXP =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Parses a date, a time with optional seconds, fraction and offset, or an age such as `90m`, to
 * milliseconds since 1970; `undefined` for any other text.
 */
export function parseTime(text: string, now: number): number | undefined {
  const [, count, unit = ""] = AGO_REGEXP.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS.get(unit) ?? 0);
  const [, date, clock = "00:00", offset = "Z"] = TIME_REGEXP.exec(text) ?? [];
  if (date === undefined) return undefined;
  const zone = /^[+-]\d{4}$/.test(offset)
    ? `${offset.slice(0, 3)}:${offset.slice(3)}`
    : offset.toUpperCase();
  const time = Date.parse(`${date}T${clock}${zone}`);
  if (Number.isNaN(time)) return undefined;
  // Date.parse() takes 2026-02-31 for March 3.
  const day = new Date(Date.parse(date)).toISOString();
  return day.startsWith(date) ? time : undefined;
}

/** Writes an age in the largest unit that gives at least 1: `2 h ago`, or `just now`. */
export function ageText(time: number, now: number): string {
  const age = now - time;
  const unit = AGES.find(({ length }) => age >= length);
  if (unit === undefined) return "just now";
  return `${Math.floor(age / unit.length)} ${unit.name} ago`;
}

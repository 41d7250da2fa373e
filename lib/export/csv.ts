/**
 * Comma-separated values (RFC 4180).
 *
 * @module
 */

/** Matches a first character that begins a formula in a spreadsheet, or is skipped before one. */
const FORMULA_REGEXP = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const QUOTED_REGEXP = /[",\r\n]/;

/**
 * Formats one row.
 *
 * A text that a spreadsheet would evaluate as a formula gets an apostrophe in front, which
 * spreadsheets do not show: texts come from logs, whose authors must not run formulas. Numbers
 * stay as they are.
 *
 * @param values The values of the row; null is an empty field.
 * @returns The row, with CRLF at its end.
 *
 * @example A text with a comma, and a text that looks like a formula
 * ```ts
 * import { csvRow } from "@codexpipe/codexpipe/export";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(csvRow(["a, b", "=1+1", 3n, null]), `"a, b",'=1+1,3,\r\n`);
 * ```
 */
export function csvRow(
  values: readonly (string | number | bigint | boolean | null)[],
): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value: string | number | bigint | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = FORMULA_REGEXP.test(value) ? `'${value}` : value;
  return QUOTED_REGEXP.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

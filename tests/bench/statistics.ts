/**
 * Statistics of repeated measurements, and tables for them.
 *
 * @module
 */

/** The median and range of some values. */
export interface Spread {
  /** The middle value, or the mean of the two in the middle. */
  readonly median: number;
  /** The smallest value. */
  readonly min: number;
  /** The largest value. */
  readonly max: number;
}

/**
 * Computes the spread of values.
 *
 * @param values The values, at least one.
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (place: number): number => sorted[Math.floor(place)] ?? NaN;
  const last = sorted.length - 1;
  const median = (at(last / 2) + at((last + 1) / 2)) / 2;
  return { median, min: at(0), max: at(last) };
}

/**
 * Formats cells in columns: the first two are aligned left, all others, which are numbers, right.
 *
 * @param rows The cells, with the titles in the first row.
 * @returns The lines, without a line end at the end.
 */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row.map((cell, i) => {
      const width = widths[i] ?? 0;
      return i < 2 ? cell.padEnd(width) : cell.padStart(width);
    }).join("  ").trimEnd()
  ).join("\n");
}

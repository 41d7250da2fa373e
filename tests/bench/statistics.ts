/**
 * What is said of several measurements of the same thing.
 *
 * @module
 */

/** The middle of some values, and how far they lie apart. */
export interface Spread {
  /** The middle one, or the mean of the two in the middle. */
  readonly median: number;
  /** The smallest one. */
  readonly min: number;
  /** The largest one. */
  readonly max: number;
}

/**
 * Sums values up.
 *
 * @param values At least one.
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (place: number): number => sorted[Math.floor(place)] ?? NaN;
  const last = sorted.length - 1;
  const median = (at(last / 2) + at((last + 1) / 2)) / 2;
  return { median, min: at(0), max: at(last) };
}

/**
 * Lays cells out in columns, the first two to the left, numbers to the right.
 *
 * @param rows The cells, the titles first.
 * @returns The lines.
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

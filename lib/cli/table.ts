/** Tables for people. */

import { escapeControls } from "./escape.ts";
import type { TextStyle } from "../render/text_style.ts";
import { TextRuler } from "./text_ruler.ts";

const GAP = "  ";

const MIN_WIDTH = 8;

/** A column of a table with a row for each value of type `T`. */
export interface Column<T> {
  readonly title: string;
  cell(row: T): string;
  /** The alignment of the cells; numbers are aligned to the right. */
  readonly align?: "left" | "right";
  /** The side at which cells are cut if the table is too wide; by default, they are not cut. */
  readonly cut?: "start" | "end";
  /** Whether the column is left out if the table is too wide; the last one first. */
  readonly isSpare?: boolean;
  /** The width to which it is cut before spare columns are left out; by default, it is not cut. */
  readonly keptWidth?: number;
  /** The width relative to other columns that are cut. The default is 1. */
  readonly share?: number;
  /** Styles a cell; by default, cells are plain. */
  readonly look?: (text: string) => string;
}

export function numbers<T>(title: string, cell: Column<T>["cell"]): Column<T> {
  return { title, cell, align: "right" };
}

export interface TableOptions {
  /** The available width in terminal columns; by default, there is no limit. */
  readonly width?: number | undefined;
  readonly style: TextStyle;
}

/**
 * Lays out a table: a line of titles, and one for each row.
 *
 * Control characters are escaped, so a cell is one line and cannot affect a terminal. If the
 * table is too wide, spare columns are left out, and then the widest columns that can be cut are
 * cut until it fits, or until all have their minimum width.
 */
export async function tableText<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  options: TableOptions,
): Promise<string> {
  const { width = Infinity, style } = options;
  const cells = rows.map((row) =>
    columns.map(({ cell }) => escapeControls(cell(row)))
  );
  const titles = columns.map(({ title }) => title);
  const ruler = await TextRuler.for([...titles, ...cells.flat()]);
  const widths = titles.map((title, i) =>
    cells.reduce(
      (most, row) => Math.max(most, ruler.widthOf(row[i] ?? "")),
      ruler.widthOf(title),
    )
  );
  const gaps = GAP.length * (columns.length - 1);
  const kept = widths.map((each, i) =>
    Math.min(each, columns[i]?.keptWidth ?? each)
  );
  const spare = columns.findLastIndex(({ isSpare }) => isSpare === true);
  if (spare !== -1 && total(kept) + gaps > width) {
    return await tableText(columns.toSpliced(spare, 1), rows, options);
  }
  shrink(columns, widths, total(widths) + gaps - width);
  const lineOf = (
    row: readonly string[],
    look: (text: string, column: Column<T>) => string,
  ): string =>
    columns.map((column, i) => {
      const room = widths[i] ?? 0;
      const text = ruler.fitted(row[i] ?? "", room, column.cut);
      const space = " ".repeat(Math.max(0, room - ruler.widthOf(text)));
      const isLast = i === columns.length - 1;
      if (column.align === "right") return space + look(text, column);
      return look(text, column) + (isLast ? "" : space);
    }).join(GAP).trimEnd() + "\n";
  return [
    lineOf(titles, (text) => style.bold(text)),
    ...cells.map((row) =>
      lineOf(row, (text, { look }) => look?.(text) ?? text)
    ),
  ].join("");
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0);
}

/** Reduces the widest columns that can be cut, until the table fits. */
function shrink(
  columns: readonly Pick<Column<never>, "cut" | "share">[],
  widths: number[],
  excess: number,
): void {
  for (let left = excess; left > 0; left--) {
    let widest = -1;
    let most = 0;
    for (const [i, { cut, share = 1 }] of columns.entries()) {
      const width = widths[i] ?? 0;
      if (cut === undefined || width <= MIN_WIDTH) continue;
      if (width / share <= most) continue;
      widest = i;
      most = width / share;
    }
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

/** Tables for people. */

import { escapeControls } from "./escape.ts";
import type { TextStyle } from "../render/text_style.ts";
import { TextRuler } from "./text_ruler.ts";

const GAP = "  ";

/** What a column that can shrink keeps at least. */
const MIN_WIDTH = 8;

export interface Column {
  /** Its heading. */
  readonly title: string;
  /** The side that its cells stand at; numbers stand at the right. */
  readonly align?: "left" | "right";
  /** The side that its cells lose text at where the table is too wide; without it, none. */
  readonly cut?: "start" | "end";
  /** How many times as wide as others it stays where text is lost; once, if it is left out. */
  readonly share?: number;
  /** How its cells look; they are plain, if it is left out. */
  readonly look?: (text: string) => string;
}

export interface TableOptions {
  /** What it should fit into, in columns of a terminal; there is no limit without it. */
  readonly width?: number | undefined;
  /** How the titles are set off. */
  readonly style: TextStyle;
}

/**
 * Lays out a table: a line of titles, and one for each row.
 *
 * Control characters are escaped, so a cell is one line and does nothing to a terminal. Where
 * the table is too wide, the widest columns that may lose text do until it fits, or until
 * nothing is left to cut.
 *
 * @param rows The cells of each row, as plain text.
 */
export async function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, style }: TableOptions,
): Promise<string> {
  const cells = rows.map((row) =>
    columns.map((_, i) => escapeControls(row[i] ?? ""))
  );
  const titles = columns.map(({ title }) => title);
  const ruler = await TextRuler.for([...titles, ...cells.flat()]);
  const widths = titles.map((title, i) =>
    cells.reduce(
      (most, row) => Math.max(most, ruler.widthOf(row[i] ?? "")),
      ruler.widthOf(title),
    )
  );
  shrink(columns, widths, width);
  const lineOf = (
    row: readonly string[],
    look: (text: string, column: Column) => string,
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

/** Takes width from the widest columns that can give some, until the table fits. */
function shrink(
  columns: readonly Column[],
  widths: number[],
  width = Infinity,
): void {
  const gaps = GAP.length * (columns.length - 1);
  let excess = widths.reduce((sum, width) => sum + width, gaps) - width;
  while (excess > 0) {
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
    excess -= 1;
  }
}

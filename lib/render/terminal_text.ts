/** Fits text into the columns of a terminal. */

import stringWidth from "string-width";

const ASCII_REGEXP = /^[\u0020-\u007e]*$/;

/** Returns the width of a line on a terminal, in columns. */
export function widthOf(line: string): number {
  return ASCII_REGEXP.test(line) ? line.length : stringWidth(line);
}

export interface Layout {
  /** The width of the terminal in columns; `undefined` if lines may have any length. */
  readonly columns: number | undefined;
  /** The prefix of the first line; the other lines are indented by its length. */
  readonly sign: string;
}

/** Lays out lines, and breaks those that are too long between words. */
export function wrapped(
  lines: readonly string[],
  { columns, sign }: Layout,
): string[] {
  const room = roomOf(columns, sign);
  return prefixed(lines.flatMap((line) => broken(line, room)), sign);
}

/** Lays out lines, and cuts those that are too long. */
export function clipped(
  lines: readonly string[],
  { columns, sign }: Layout,
): string[] {
  const room = roomOf(columns, sign);
  return prefixed(lines.map((line) => clip(line, room)), sign);
}

/** Puts a prefix before the first line, and another before the rest: by default, an indent. */
export function prefixed(
  lines: readonly string[],
  first: string,
  rest: string = " ".repeat(first.length),
): string[] {
  return lines.map((line, at) => ((at === 0 ? first : rest) + line).trimEnd());
}

function roomOf(columns: number | undefined, sign: string): number {
  if (columns === undefined) return Infinity;
  return Math.max(16, columns - widthOf(sign));
}

function clip(line: string, room: number): string {
  if (room === Infinity || head(line, room).length === line.length) return line;
  return `${head(line, room - 1)}…`;
}

/** Returns as much of a line as fits the width, and at least one character. */
function head(line: string, room: number): string {
  // 16 UTF-16 code units per column are more than characters have on average.
  const near = line.slice(0, room * 16 + 16);
  if (ASCII_REGEXP.test(near)) return line.slice(0, Math.max(1, room));
  let fitting = "";
  let width = 0;
  for (const { segment } of SEGMENTER.segment(near)) {
    width += stringWidth(segment);
    if (width > room && fitting !== "") break;
    fitting += segment;
  }
  return fitting;
}

const SEGMENTER = new Intl.Segmenter("en");

/** Breaks a line between words, or within one that is too long; its indent is kept. */
export function broken(line: string, room: number): string[] {
  if (room === Infinity || widthOf(line) <= room) return [line.trimEnd()];
  const indent = line.slice(
    0,
    Math.min(line.search(/[^ ]|$/), Math.floor(room / 2)),
  );
  const lines: string[] = [];
  let current = indent;
  let width = indent.length;
  let isEmpty = true;
  for (const word of line.slice(indent.length).split(" ")) {
    const wordWidth = widthOf(word);
    if (!isEmpty && width + 1 + wordWidth > room) {
      lines.push(current.trimEnd());
      current = indent;
      width = indent.length;
      isEmpty = true;
    }
    if (!isEmpty) {
      current += ` ${word}`;
      width += 1 + wordWidth;
      continue;
    }
    let left = word;
    // Measuring the width of `left` in each round would take quadratic time for a long word.
    for (let piece; (piece = head(left, room - width)).length < left.length;) {
      lines.push(current + piece);
      left = left.slice(piece.length);
      current = indent;
      width = indent.length;
    }
    current += left;
    width += widthOf(left);
    isEmpty = false;
  }
  lines.push(current.trimEnd());
  return lines;
}

/**
 * Text on a terminal: it fits.
 *
 * @module
 */

import stringWidth from "string-width";

const ASCII_REGEXP = /^[\u0020-\u007e]*$/;

export function widthOf(line: string): number {
  return ASCII_REGEXP.test(line) ? line.length : stringWidth(line);
}

export interface Layout {
  /** How many columns there are; `undefined` if lines may be of any length. */
  readonly columns: number | undefined;
  /** What stands before the first line; the others are indented by as much. */
  readonly sign: string;
}

/**
 * Lays out lines, each broken between words where it is too long.
 *
 * @returns The lines as they are printed.
 */
export function wrapped(
  lines: readonly string[],
  { columns, sign }: Layout,
): string[] {
  const room = roomOf(columns, sign);
  const rest = " ".repeat(sign.length);
  return lines.flatMap((line) => broken(line, room))
    .map((line, at) => (at === 0 ? sign : line === "" ? "" : rest) + line);
}

/** Lays out lines, each cut where it is too long. */
export function clipped(
  lines: readonly string[],
  { columns, sign }: Layout,
): string[] {
  const room = roomOf(columns, sign);
  const rest = " ".repeat(sign.length);
  return lines.map((line, at) =>
    ((at === 0 ? sign : rest) + clip(line, room)).trimEnd()
  );
}

function roomOf(columns = Infinity, sign: string): number {
  return Math.max(16, columns - widthOf(sign));
}

/** Cuts a line to a width; `…` stands for what is gone. */
function clip(line: string, room: number): string {
  if (room === Infinity || head(line, room).length === line.length) return line;
  return `${head(line, room - 1)}…`;
}

/** Gives as much of a line as fits, and at least one character. */
function head(line: string, room: number): string {
  // Characters have fewer units than these on average.
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
  const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(room / 2)) ?? "";
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
    // The width of what is left is not asked for: a word may be a megabyte long.
    for (
      let piece = head(left, room - width);
      piece.length < left.length;
      piece = head(left, room - width)
    ) {
      lines.push(current + piece);
      left = left.slice(piece.length);
      current = indent;
      width = indent.length;
    }
    current += left;
    width += widthOf(left);
    isEmpty = false;
  }
  if (!isEmpty) lines.push(current.trimEnd());
  return lines;
}

/**
 * Cuts off the letters that a text ends with. A regular expression would look at each run of them
 * once for every letter of it: 300,000 line ends and another letter took minutes.
 */
export function withoutEnd(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/**
 * Text of a log on a terminal: it does nothing there, and it fits.
 *
 * @module
 */

import stringWidth from "string-width";

/** Colours, moves of the cursor and modes, which show nothing themselves. */
const CONTROL_SEQUENCE_REGEXP =
  // deno-lint-ignore no-control-regex
  /(?:\u001b\[|\u009b)[\d;:?]*[A-HJKSTfhlmnsu]/g;
/** Other programs end lines in other ways; a lone CR goes back to the beginning of the line. */
const LINE_END_REGEXP = /\r\n?|[\u2028\u2029]/g;
/**
 * Control characters, characters that turn or hide the text around them, and halves of pairs.
 * The joiners U+200C and U+200D stay: words and emoji need them.
 */
const UNSAFE_REGEXP =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;
/** A command to GitHub's runner, which reads what a step prints: `##[` counts anywhere. */
const RUNNER_MARK_REGEXP = /##(?=\[)/g;
const ASCII_REGEXP = /^[\u0020-\u007e]*$/;
const TAB = "    ";

/**
 * Makes text of a log harmless on a terminal.
 *
 * Control characters become escapes such as `\u001b`; sequences that only colour text or move the
 * cursor are left out. Line ends of all
 * systems become LF, also a lone CR: what a terminal would overwrite is shown.
 *
 * @param text The text.
 * @returns The text, of lines that hold nothing but what they show.
 */
export function inertText(text: string): string {
  return text.replace(CONTROL_SEQUENCE_REGEXP, "").replace(
    LINE_END_REGEXP,
    "\n",
  )
    .replaceAll("\t", TAB).replace(UNSAFE_REGEXP, escaped)
    .replace(RUNNER_MARK_REGEXP, "#\\#");
}

/**
 * Makes a line harmless that is about to be printed: no line may begin with `::`, which is a
 * command to GitHub's runner.
 */
export function inertLine(line: string): string {
  return line.replace(/^(\s*)::/, "$1\\::");
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

/** Gives the columns that a line takes. */
export function widthOf(line: string): number {
  return ASCII_REGEXP.test(line) ? line.length : stringWidth(line);
}

/** How a text is laid out. */
export interface Layout {
  /** How many columns there are; `undefined` if lines may be of any length. */
  readonly columns: number | undefined;
  /** What stands before the first line. */
  readonly first: string;
  /** What stands before the others: as wide as the first. */
  readonly rest: string;
}

/**
 * Lays out lines, each broken between words where it is too long.
 *
 * @param lines The lines.
 * @param layout How much room there is.
 * @returns The lines as they are printed.
 */
export function wrapped(
  lines: readonly string[],
  { columns, first, rest }: Layout,
): string[] {
  const room = columns === undefined
    ? Infinity
    : Math.max(16, columns - widthOf(first));
  return lines.flatMap((line) => broken(line, room))
    .map((line, at) => (at === 0 ? first : line === "" ? "" : rest) + line);
}

/**
 * Lays out lines, each cut where it is too long.
 *
 * @param lines The lines.
 * @param layout How much room there is.
 * @returns As many lines.
 */
export function clipped(
  lines: readonly string[],
  { columns, first, rest }: Layout,
): string[] {
  const room = columns === undefined
    ? Infinity
    : Math.max(16, columns - widthOf(first));
  return lines.map((line, at) =>
    ((at === 0 ? first : rest) + clip(line, room)).trimEnd()
  );
}

/** Cuts a line to a width; `…` stands for what is gone. */
function clip(line: string, room: number): string {
  if (room === Infinity || head(line, room).length === line.length) return line;
  return `${head(line, room - 1)}…`;
}

/** Gives as much of a line as fits, and at least one character. */
function head(line: string, room: number): string {
  // No character is longer than this many units on average that anybody writes.
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
function broken(line: string, room: number): string[] {
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

/**
 * Private keys in PEM, as a file has them and as programs show them: with line numbers, as
 * a diff, in source code, on one line with or without escaped line ends, cut off.
 */

import type { Mask } from "./_placeholder.ts";
import { characterSet, endOfRun } from "./_runs.ts";

const BORDER_REGEXP =
  /-----(BEGIN|END) [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Where source code ends a string and goes on with the next one, on another line. */
const JOINT = `["'\`][ \\t+.,\\\\]{0,8}\\r?\\n[ \\t+.]{0,64}["'\`]`;
/** A line end, real or escaped, or the space that stands for it. */
const BREAK = String
  .raw`(?:(?:\\{1,8}[rn]){0,2}${JOINT}|\r?\n|(?:\\{1,8}[rn]){1,2}|[ \t]{1,64})`;
/** White space, what quotes or comments, a diff's sign. */
const SIGNS = String.raw`(?:[ \t>|│+#*/-]|\\{1,8}t){0,32}`;
/** What programs put before a line: the name of its file, signs, its number. */
const MARGIN = String
  .raw`(?:[\w./-]{1,200}?[:-](?=\d{1,6}[:-]|-----|[A-Za-z\d+/=]{24}))?${SIGNS}(?:L?\d{1,6}(?:[ \t:|│-]|\\{1,8}t){1,8}${SIGNS})?`;
const LINE_START_REGEXP = new RegExp(
  // All of a key on one line has nothing behind its beginning.
  String.raw`(?:${BREAK}${MARGIN}|(?<=-----)(?=[A-Za-z\d+/=]{24}))` +
    String.raw`(?:[A-Za-z-]{2,24}: [^\r\n\\"]{0,200})?`,
  "y",
);
const LINE = characterSet(/[A-Za-z\d+/=]/);
const LINE_END_REGEXP = new RegExp(
  String
    .raw`[ \t]{0,16}(?:[\r\n\\"',)…]|\u0060|$|-----| [A-Za-z\d+/=]{16})`,
  "y",
);
const END_REGEXP = new RegExp(
  `${BREAK}?${MARGIN}-----END [A-Z\\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----`,
  "y",
);
/** What stands before the end of a key on its line. */
const MARGIN_REGEXP = new RegExp(`^${MARGIN}$`);
const WHOLE_LINE_REGEXP = new RegExp(
  `^(${MARGIN}|.{0,200}…)([A-Za-z\\d+/=]{1,100})[ \\t]{0,16}\\r?$`,
);
/** How long a line of a key is and a word of a language is not. */
const LONG = 24;
/** How long a line of a key is at most, with all that stands before it. */
const LONGEST = 400;

/**
 * Masks the private keys in a text.
 *
 * A key whose end was cut off is masked as far as its lines go on, and one whose beginning
 * was, as far as they go back.
 *
 * @param text The text.
 * @param mask Gives what stands in place of a key.
 * @returns The text without the keys.
 */
export function maskPrivateKeys(text: string, mask: Mask): string {
  if (!text.includes("PRIVATE KEY")) return text;
  let masked = "";
  let from = 0;
  BORDER_REGEXP.lastIndex = 0;
  for (
    let found = BORDER_REGEXP.exec(text);
    found !== null;
    found = BORDER_REGEXP.exec(text)
  ) {
    const isBegin = found[1] === "BEGIN";
    const behind = BORDER_REGEXP.lastIndex;
    const start = isBegin ? found.index : startOfKey(text, found.index, from);
    const end = isBegin ? endOfKey(text, behind) : behind;
    // The words alone are no key: a program may look for them.
    if (start === undefined || end === undefined) continue;
    masked += text.slice(from, start) + mask("private_key");
    from = end;
    BORDER_REGEXP.lastIndex = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/**
 * Finds where the lines of a key start whose end is at an index, and whose beginning was cut
 * off; `undefined` if there are none.
 */
function startOfKey(
  text: string,
  end: number,
  least: number,
): number | undefined {
  let lineStart = startOfLine(text, end, least);
  if (!MARGIN_REGEXP.test(text.slice(lineStart, end))) return undefined;
  let isKey = false;
  let start: number | undefined;
  while (lineStart > least) {
    const lineEnd = lineStart - 1;
    lineStart = startOfLine(text, lineEnd, least);
    const line = WHOLE_LINE_REGEXP.exec(text.slice(lineStart, lineEnd));
    if (line === null) break;
    const [, margin = "", body = ""] = line;
    // The last line of a key may be short.
    if (body.length < LONG && start !== undefined) break;
    isKey ||= body.length >= LONG;
    start = lineStart + margin.length;
  }
  return isKey ? start : undefined;
}

/** Where the line starts that an index is in, as far as a line of a key may go back. */
function startOfLine(text: string, index: number, least: number): number {
  const from = Math.max(least, index - LONGEST);
  return from + text.slice(from, index).lastIndexOf("\n") + 1;
}

/** Finds where a key ends whose body starts at an index; `undefined` if there is none. */
function endOfKey(text: string, start: number): number | undefined {
  let at = start;
  let isKey = false;
  let end: number | undefined;
  for (;;) {
    END_REGEXP.lastIndex = at;
    if (END_REGEXP.test(text)) return isKey ? END_REGEXP.lastIndex : undefined;
    LINE_START_REGEXP.lastIndex = at;
    if (!LINE_START_REGEXP.test(text)) return end;
    const lineStart = LINE_START_REGEXP.lastIndex;
    at = endOfRun(text, lineStart, LINE);
    LINE_END_REGEXP.lastIndex = at;
    if (!LINE_END_REGEXP.test(text)) return end;
    isKey ||= at > lineStart;
    // The last line of what was cut off may be short.
    if (at - lineStart >= LONG || end !== undefined && at === text.length) {
      end = at;
    }
  }
}

/**
 * Private keys in PEM, as a file has them and as programs show them: with line numbers, as
 * a diff, on one line with escaped line ends, cut off.
 */

import type { Mask } from "./_placeholder.ts";
import { characterSet, endOfRun } from "./_runs.ts";

const BEGIN_REGEXP = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** A line end, real or escaped, or the space that stands for it. */
const BREAK = String.raw`(?:\r?\n|(?:\\{1,8}[rn]){1,2}|[ \t]{1,64})`;
/** What programs put before a line: white space, a quotation mark, a diff's sign, its number. */
const MARGIN = String.raw`[ \t>|+]{0,16}(?:\d{1,6}[ \t:|]{1,8}[+]?)?`;
const LINE_START_REGEXP = new RegExp(
  String.raw`${BREAK}${MARGIN}(?:[A-Za-z-]{2,24}: [^\r\n\\"]{0,200})?`,
  "y",
);
const LINE = characterSet(/[A-Za-z\d+/=]/);
const LINE_END_REGEXP =
  /[ \t]{0,16}(?:[\r\n\\"'`,)]|$|-----| [A-Za-z\d+/=]{16})/y;
const END_REGEXP = new RegExp(
  `${BREAK}?${MARGIN}-----END [A-Z\\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----`,
  "y",
);
/** How long a line of a key is and a word of a language is not. */
const LONG = 24;

/**
 * Masks the private keys in a text.
 *
 * A key whose end was cut off is masked as far as its lines go on.
 *
 * @param text The text.
 * @param mask Gives what stands in place of a key.
 * @returns The text without the keys.
 */
export function maskPrivateKeys(text: string, mask: Mask): string {
  if (!text.includes("PRIVATE KEY")) return text;
  let masked = "";
  let from = 0;
  BEGIN_REGEXP.lastIndex = 0;
  for (
    let found = BEGIN_REGEXP.exec(text);
    found !== null;
    found = BEGIN_REGEXP.exec(text)
  ) {
    const end = endOfKey(text, BEGIN_REGEXP.lastIndex);
    // The words alone are no key: a program may look for them.
    if (end === undefined) continue;
    masked += text.slice(from, found.index) + mask("private_key");
    from = end;
    BEGIN_REGEXP.lastIndex = end;
  }
  return from === 0 ? text : masked + text.slice(from);
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

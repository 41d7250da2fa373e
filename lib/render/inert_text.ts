/** Makes text of a log harmless for terminals and GitHub's runner. */

import { withoutControlSequences } from "../redact/control_sequences.ts";

/** The control sequences that set colours and modes, or erase the rest of a line. */
const LOOK_REGEXP =
  // deno-lint-ignore no-control-regex
  /\u001b\[(?:[\d;:]{0,64}m|\?[\d;]{0,64}[hl]|0?K)/g;
/** Line ends other than LF. A lone CR moves a terminal's cursor to the beginning of the line. */
const LINE_END_REGEXP = /\r\n?|[\u2028\u2029]/g;
/**
 * The pattern of characters that are never written as they are:
 *
 * - control characters other than tab and line feed;
 * - characters that reorder or hide the text around them: bidirectional controls, invisible
 *   operators and fillers, tags. The joiners U+200C and U+200D stay: words and emoji need them;
 * - lone surrogates, which no encoding can represent.
 */
export const HIDDEN: string = String
  .raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]`;
const HIDDEN_REGEXP = new RegExp(HIDDEN, "gu");
/** The start of a command to GitHub's runner, which finds `##[` anywhere in a printed line. */
const RUNNER_MARK_REGEXP = /##(?=\[)/g;
const TAB = "    ";

/** Removes the control sequences of ordinary programs from their output. */
export function plainTerminalText(text: string): string {
  return text.replace(LOOK_REGEXP, "");
}

/**
 * Makes text of a log harmless on a terminal.
 *
 * Control characters become escapes such as `\u001b`; control sequences that only colour text or
 * move the cursor are removed. Line ends of all systems become LF. So does a lone CR, so that text
 * which a terminal would overwrite is shown. Tabs become four spaces.
 */
export function inertText(text: string): string {
  const shown = withoutControlSequences(text)
    .replace(LINE_END_REGEXP, "\n").replaceAll("\t", TAB);
  return escapedText(shown).replace(RUNNER_MARK_REGEXP, "#\\#");
}

/** Makes a text harmless as {@linkcode inertText} does, and joins its lines. */
export function inertLabel(text: string): string {
  return inertText(text).replaceAll("\n", " ");
}

/** Escapes a leading `::` of a line to be printed, which is a command to GitHub's runner. */
export function inertLine(line: string): string {
  return line.replace(/^(\s*)::/, "$1\\::");
}

/** Writes hidden characters as escapes such as `\u001b`, and a lone surrogate as U+FFFD. */
export function escapedText(text: string): string {
  return text.replace(HIDDEN_REGEXP, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
    const hex = code.toString(16);
    return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  });
}

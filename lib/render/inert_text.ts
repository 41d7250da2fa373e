/**
 * Text of a log that does nothing where it is shown, to a terminal or to GitHub's runner.
 *
 * @module
 */

/** Colours, moves of the cursor and modes, which show nothing themselves. */
const CONTROL_SEQUENCE_REGEXP =
  // deno-lint-ignore no-control-regex
  /(?:\u001b\[|\u009b)[\d;:?]*[A-HJKSTfhlmnsu]/g;
/** Of these, what is about looks and nothing else. */
const LOOK_REGEXP =
  // deno-lint-ignore no-control-regex
  /\u001b\[[\d;:]{0,64}m/g;
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
const TAB = "    ";

/** Gives output of a program without its colours and emphasis. */
export function plainTerminalText(text: string): string {
  return text.replace(LOOK_REGEXP, "");
}

/**
 * Makes text of a log harmless on a terminal.
 *
 * Control characters become escapes such as `\u001b`; sequences that only colour text or move the
 * cursor are left out. Line ends of all systems become LF, also a lone CR: what a terminal would
 * overwrite is shown.
 *
 * @returns The text, of lines that hold nothing but what they show.
 */
export function inertText(text: string): string {
  return text.replace(CONTROL_SEQUENCE_REGEXP, "")
    .replace(LINE_END_REGEXP, "\n").replaceAll("\t", TAB)
    .replace(UNSAFE_REGEXP, escaped)
    .replace(RUNNER_MARK_REGEXP, "#\\#");
}

/**
 * Makes a line harmless that is about to be printed: no line may begin with `::`, which is a
 * command to GitHub's runner.
 */
export function inertLine(line: string): string {
  return line.replace(/^(\s*)::/, "$1\\::");
}

/** Writes a character that is not to be shown; what is half of one has no name. */
export function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

/** Text from logs and file names, made safe to show. */

/** Control characters, and those that turn or hide the text around them. */
const UNSAFE_REGEXP =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/**
 * Writes lines of text so that line ends and tabs are all in it that does something to a terminal.
 *
 * What is JSON stays JSON that means the same: only a carriage return can stand between its values,
 * and becomes a space.
 */
export function escapeLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\r", " ")
    .replace(/[^\n\t]+/g, escapeControls);
}

/** Writes control characters as escapes, so that they do nothing to a terminal. */
export function escapeControls(text: string): string {
  return text.replace(
    UNSAFE_REGEXP,
    (character) =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

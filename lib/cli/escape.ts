/** Escaping of text from logs and file names, for terminals. */

/** Control characters, and those that reorder or hide text; not the joiners of words and emoji. */
const UNSAFE_REGEXP =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/**
 * Escapes all control characters of lines but line feeds and tabs. JSON stays JSON with the same
 * value: between its values, a carriage return is the only one, and becomes a space.
 */
export function escapeLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\r", " ")
    .replace(/[^\n\t]+/g, escapeControls);
}

/** Replaces control characters by `\uXXXX` escapes, so that they have no effect on a terminal. */
export function escapeControls(text: string): string {
  return text.replace(
    UNSAFE_REGEXP,
    (character) =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

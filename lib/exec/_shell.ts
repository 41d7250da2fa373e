/**
 * Command lines as a POSIX shell would read them back (normalize.md F:command_execution).
 */

const BARE_WORD_REGEXP = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Joins the words of a command, quoting those that a shell would not take as they are. */
export function joinCommand(words: readonly string[]): string {
  return words.map((word) =>
    BARE_WORD_REGEXP.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
  ).join(" ");
}

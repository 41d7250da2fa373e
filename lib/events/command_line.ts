/**
 * Command lines of words, quoted as normalize.md has it for `command_execution`.
 *
 * @module
 */

const BARE_REGEXP = /^[\w@%+=:,./-]+$/;

/** Joins the words of a command; a single one is a line of shell already. */
export function commandLineOf(argv: readonly string[]): string {
  if (argv.length === 1) return argv[0] ?? "";
  return argv.map((word) =>
    BARE_REGEXP.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
  ).join(" ");
}

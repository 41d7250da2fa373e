/**
 * Words as a shell takes them, quoted as normalize.md has it for `command_execution`.
 *
 * @module
 */

const BARE_REGEXP = /^[\w@%+=:,./-]+$/;

/**
 * Writes a word so that a POSIX shell takes it for one.
 *
 * @param word The word.
 * @returns The word itself, or in quotes if a shell would not take it as it is.
 *
 * @example A file name
 * ```ts
 * import { shellWord } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(`cat ${shellWord("my notes.md")}`, "cat 'my notes.md'");
 * ```
 */
export function shellWord(word: string): string {
  return BARE_REGEXP.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** Joins the words of a command; a single one is a line of shell already. */
export function commandLineOf(argv: readonly string[]): string {
  return argv.length === 1 ? argv[0] ?? "" : argv.map(shellWord).join(" ");
}

/**
 * Quotes words for a shell, by the rules of normalize.md for `command_execution`.
 *
 * @module
 */

const BARE_REGEXP = /^[\w@%+=:,./-]+$/;

/**
 * Quotes a word for a POSIX shell.
 *
 * @param word The word.
 * @returns The word itself if a shell reads it unchanged, otherwise the word in quotes.
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

/**
 * Joins the words of a command to a command line. A single word is a line of shell already, and is
 * not quoted.
 */
export function commandLineOf(argv: readonly string[]): string {
  return argv.length === 1 ? argv[0] ?? "" : argv.map(shellWord).join(" ");
}

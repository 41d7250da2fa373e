/**
 * Quotes words for a shell, by the rules of normalize.md for `command_execution`, and finds the
 * scripts that shells are started to run.
 */

const BARE_REGEXP = /^[\w@%+=:,./-]+$/;
/** The program of a command that runs a script in a POSIX-like shell. */
const SHELL_REGEXP = /(?:^|[\\/])(?:ba|da|fi|k|z)?sh(?:\.exe)?$/i;
const SHELL_FLAG_REGEXP = /^-[a-z]*c$/;
const POWERSHELL_REGEXP = /(?:^|[\\/])(?:powershell|pwsh)(?:\.exe)?$/i;
const CMD_REGEXP = /(?:^|[\\/])cmd(?:\.exe)?$/i;

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

/** Returns the script that a shell was started to run, or `undefined` for other commands. */
export function shellScriptOf(
  words: readonly string[],
): string | undefined {
  const [program = "", flag = "", ...rest] = words;
  const last = words.at(-1);
  if (SHELL_REGEXP.test(program)) {
    if (SHELL_FLAG_REGEXP.test(flag) && rest.length === 1) return last;
    return flag === "-l" && rest[0] === "-c" && rest.length === 2
      ? last
      : undefined;
  }
  if (POWERSHELL_REGEXP.test(program)) {
    return /^-c(?:ommand)?$/i.test(words.at(-2) ?? "") ? last : undefined;
  }
  const isCmd = CMD_REGEXP.test(program) && /^\/[cks]$/i.test(flag);
  return isCmd && rest.length === 1 ? last : undefined;
}

/**
 * Quotes words for a shell, by the rules of normalize.md for `command_execution`, finds the scripts
 * that shells are started to run, and writes commands as people type them.
 */

const BARE_REGEXP = /^[\w@%+=:,./-]+$/;
/** The programs that run a script, each with the flags before it. */
const SHELLS: readonly (readonly [program: RegExp, flags: RegExp])[] = [
  [/(?:^|[\\/])(?:ba|da|fi|k|z)?sh(?:\.exe)?$/i, /^(?:-l )?-[a-z]*c$/],
  [/(?:^|[\\/])(?:powershell|pwsh)(?:\.exe)?$/i, /(?:^| )-c(?:ommand)?$/i],
  [/(?:^|[\\/])cmd(?:\.exe)?$/i, /^\/[cks]$/i],
];
/** A word that joins commands or redirects their output. */
const OPERATOR_REGEXP = /^(?:&&|\|\|?|\|&|;|&|\d?>{1,2}(?:&\d)?|&>|<{1,3})$/;

/**
 * Writes a command as a person would type it: without the shell that was started to run it, and
 * with quotes only where a shell needs them. A word that is only an operator, such as `&&`, is not
 * quoted: some logs hold command lines that were split at their spaces.
 *
 * A command of a single word is returned unchanged: that word is a whole line that could not be
 * split.
 *
 * @param words The command and its arguments.
 * @returns The command line.
 */
export function commandLine(words: readonly string[]): string {
  if (words.length === 1) return words[0] ?? "";
  return shellScriptOf(words) ??
    words.map((word) => OPERATOR_REGEXP.test(word) ? word : shellWord(word))
      .join(" ");
}

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
  const [name = ""] = words;
  const [, flags] = SHELLS.find(([program]) => program.test(name)) ?? [];
  const isScript = flags?.test(words.slice(1, -1).join(" "));
  return isScript ? words.at(-1) : undefined;
}

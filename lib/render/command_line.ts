/** Writes commands as people type them. */

import { shellScriptOf, shellWord } from "../dialects/exec/command_line.ts";

export { shellWord } from "../dialects/exec/command_line.ts";

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
 *
 * @example A script in a shell
 * ```ts
 * import { commandLine } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(commandLine(["/bin/bash", "-lc", "ls | head"]), "ls | head");
 * assertEquals(commandLine(["git", "commit", "-m", "Go on"]), "git commit -m 'Go on'");
 * ```
 */
export function commandLine(words: readonly string[]): string {
  if (words.length === 1) return words[0] ?? "";
  return shellScriptOf(words) ??
    words.map((word) => OPERATOR_REGEXP.test(word) ? word : shellWord(word))
      .join(" ");
}

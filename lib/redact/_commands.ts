/**
 * Passwords in command lines and files of settings that give no name to them.
 */

import { isPlaceholder, type Mask } from "./_placeholder.ts";
import { characterSet, replaceRuns, UNQUOTED } from "./_runs.ts";
import { isStandIn } from "./_stand_ins.ts";

/** The user and the password of a request. */
const USER = {
  head:
    /(?<=^|\s)(?:-u|--user|--proxy-user)[= \t]{0,8}\\{0,8}["']?[\w.@%+-]{1,64}:/g,
  run: UNQUOTED,
};
/** How much of a command is looked at for the program's name. */
const COMMAND_LENGTH = 400;
/** A line of a `.netrc`. */
const NETRC = {
  head: /\blogin[ \t]{1,8}[^\s"'\\]{1,64}[ \t]{1,8}password[ \t]{1,8}/g,
  run: characterSet(/[^\s"'\\]/),
};
const SSHPASS = {
  head: /\bsshpass[ \t]{1,8}-p[ \t]{0,8}\\{0,8}["']?/g,
  run: UNQUOTED,
};

/**
 * Masks the passwords of command lines in a text.
 *
 * @param text The text.
 * @param mask Gives what stands in place of a password.
 * @returns The text without the passwords.
 */
export function maskCommands(text: string, mask: Mask): string {
  const hide = ([head]: RegExpExecArray, run: string): string | undefined =>
    run.length < 4 || isPlaceholder(run) || isStandIn(run)
      ? undefined
      : head + mask("password");
  let masked = text;
  if (/curl|wget/.test(masked)) {
    const before = masked;
    masked = replaceRuns(before, USER, (head, run) => {
      const start = Math.max(0, head.index - COMMAND_LENGTH);
      const command = before.slice(start, head.index);
      return /curl|wget/.test(command) ? hide(head, run) : undefined;
    });
  }
  if (masked.includes("login")) masked = replaceRuns(masked, NETRC, hide);
  if (masked.includes("sshpass")) masked = replaceRuns(masked, SSHPASS, hide);
  return masked;
}

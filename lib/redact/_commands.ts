/**
 * Passwords in command lines and files of settings that give no name to them.
 */

import { isPlaceholder, type Mask } from "./_placeholder.ts";
import { characterSet, replaceRuns, UNQUOTED } from "./_runs.ts";
import { isStandIn } from "./_stand_ins.ts";

/** The user and the password of a request. */
const USER = {
  head:
    /(?<=^|\s)(?:-([A-Za-z#]{0,8})[uU]|--user|--proxy-user)[= \t]{0,8}\\{0,8}["']?[\w.@%+-]{1,64}:/g,
  run: UNQUOTED,
};
/** How much of a command is looked at for the program's name. */
const COMMAND_LENGTH = 400;
/** White space between the words of a `.netrc`; an entry may have several lines. */
const GAP = String
  .raw`(?:[ \t]{1,8}|(?:\r?\n|(?:\\{1,8}[rn]){1,2})[ \t+-]{0,16})`;
/** The beginning of an entry of a `.netrc`; "the login form password check" is none. */
const NETRC = {
  head: new RegExp(
    String
      .raw`(?:\b(machine)[ \t]{1,8}[^\s"'\\]{1,253}${GAP}|^[ \t+-]{0,16}(?:default${GAP})?)` +
      String.raw`login[ \t]{1,8}[^\s"'\\]{1,64}${GAP}` +
      String
        .raw`(?:(?:account|port)[ \t]{1,8}[^\s"'\\]{1,64}${GAP})?password[ \t]{1,8}`,
    "gm",
  ),
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
      if (!/curl|wget/.test(command) || isNoUser(head, run)) return undefined;
      return hide(head, run);
    });
  }
  if (masked.includes("login")) {
    const before = masked;
    masked = replaceRuns(before, NETRC, (head, run) => {
      const end = head.index + head[0].length + run.length;
      // A sentence may begin with these words, and goes on.
      const isEntry = head[1] !== undefined ||
        /^[ \t]*(?:[\r\n\\]|$)/.test(before.slice(end, end + 40));
      return isEntry ? hide(head, run) : undefined;
    });
  }
  if (masked.includes("sshpass")) masked = replaceRuns(masked, SSHPASS, hide);
  return masked;
}

/** Whether it is what other programs take: the numbers of a user and a group, or a host's path. */
function isNoUser([head, flags]: RegExpExecArray, run: string): boolean {
  if (/[\s=]\d+:$/.test(head) && /^\d+$/.test(run)) return true;
  return flags !== undefined && flags !== "" && /^[~.]?\//.test(run);
}

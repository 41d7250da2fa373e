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
/**
 * Programs with a flag whose value is a password: the same letter is a port, a path or a pattern
 * for others. The head ends where the password, or its quotation mark, begins.
 */
const FLAGS: readonly (readonly [program: RegExp, head: RegExp])[] = [
  [/sshpass/, /-p[ \t]{0,8}/],
  [/mariadb|mysql/, /-p(?=[^\s-])/],
  [/mongo/, /-p[ \t]{1,8}/],
  [/redis-cli/, /-a[ \t]{1,8}/],
  [
    /(?:docker|podman|nerdctl|helm|oras|skopeo|buildah|crane) .{0,80}login/,
    /-p[ \t=]{1,8}/,
  ],
  [/ldap[a-z]{3,8}/, /-w[ \t]{0,8}/],
  [/sqlcmd|bcp/, /-P[ \t]{0,8}/],
  [/mosquitto_/, /-P[ \t]{1,8}/],
  [/zip/, /-P[ \t]{0,8}/],
  [/7z/, /-p(?=[^\s-])/],
  [/openssl/, /-pass(?:in|out)?[ \t]{1,8}pass:/],
  [/smbclient/, /-U[ \t]{0,8}[\w./\\-]{1,64}%/],
];
const FLAG_RULES = FLAGS.map(([program, head]) => ({
  program: new RegExp(`(?:^|[\\s/"'(])(?:${program.source})`),
  head: new RegExp(`(?<=[ \\t])${head.source}\\\\{0,8}["']?`, "g"),
  run: UNQUOTED,
}));
/** What all of these flags begin with: few texts hold such, and many the names of programs. */
const FLAG_REGEXP =
  /(?<=^|[ \t\n])-(?:-(?:proxy-)?user|[A-Za-z#]{0,8}[uU]|[Ppaw])/;
/** What ends a command. */
const END_REGEXP = /[\n;|&][^\n;|&]*$/;
/** An entry of a `.pgpass`: host, port, database, user and password. */
const PGPASS = {
  head:
    /^[ \t+-]{0,8}(?:[\w.*-]{1,253}|\/[\w./-]{1,200}):(?:54\d\d|6432|\*):[^\s:"'\\]{1,64}:[^\s:"'\\]{1,64}:/gm,
  run: characterSet(/[^\s"'`]/),
};
const PGPASS_HINT_REGEXP = /:(?:54\d\d|6432|\*):[^\s:]{1,64}:[^\s:]/;

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
  if (FLAG_REGEXP.test(masked)) {
    const before = masked;
    masked = replaceRuns(before, USER, (head, run) => {
      const start = Math.max(0, head.index - COMMAND_LENGTH);
      const command = before.slice(start, head.index);
      if (!/curl|wget/.test(command) || isNoUser(head, run)) return undefined;
      return hide(head, run);
    });
    for (const rule of FLAG_RULES) {
      const before = masked;
      if (!rule.program.test(before)) continue;
      masked = replaceRuns(before, rule, (head, run) => {
        const start = Math.max(0, head.index - COMMAND_LENGTH);
        const command = before.slice(start, head.index);
        const own = END_REGEXP.exec(command)?.[0] ?? command;
        return rule.program.test(own) ? hide(head, run) : undefined;
      });
    }
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
  return PGPASS_HINT_REGEXP.test(masked)
    ? replaceRuns(masked, PGPASS, hide)
    : masked;
}

/** Whether it is what other programs take: the numbers of a user and a group, or a host's path. */
function isNoUser([head, flags]: RegExpExecArray, run: string): boolean {
  if (/[\s=]\d+:$/.test(head) && /^\d+$/.test(run)) return true;
  return flags !== undefined && flags !== "" && /^[~.]?\//.test(run);
}

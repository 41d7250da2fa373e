/**
 * Passwords in URLs.
 */

import { isPlaceholder, type Mask, PLACEHOLDER } from "./_placeholder.ts";
import { characterSet, endOfRun } from "./_runs.ts";
import { isStandIn } from "./_stand_ins.ts";

/** What stands before the host; the slashes may be escaped, as some programs write JSON. */
const SLASHES_REGEXP = /:(?:\/\/|\\\/\\\/)/g;
const USER = characterSet(/[^\s/?#@:"'`\\<>[\]]/);
/** An `@` in a password should be escaped, and often is not: the last one counts. */
const PASSWORD = characterSet(/[^\s/?#@"'`\\<>]/);

/**
 * Masks the passwords in the URLs of a text, and user names that are tokens.
 *
 * @param text The text.
 * @param mask Gives what stands in place of a password.
 * @returns The text without the passwords.
 */
export function maskUrls(text: string, mask: Mask): string {
  if (!text.includes("@")) return text;
  let masked = "";
  let from = 0;
  SLASHES_REGEXP.lastIndex = 0;
  while (SLASHES_REGEXP.test(text)) {
    const start = SLASHES_REGEXP.lastIndex;
    const userEnd = endOfUser(text, start);
    const hasPassword = text.charAt(userEnd) === ":";
    const secretStart = hasPassword ? userEnd + 1 : start;
    let end = userEnd;
    let at = hasPassword ? endOfRun(text, secretStart, PASSWORD) : userEnd;
    while (text.charAt(at) === "@") {
      end = at;
      at = hasPassword ? endOfRun(text, at + 1, PASSWORD) : at + 1;
    }
    // The colon of the next URL may be the last character of this one.
    SLASHES_REGEXP.lastIndex = Math.max(start, at - 1);
    if (text.charAt(end) !== "@") continue;
    const secret = text.slice(secretStart, end);
    if (!(hasPassword ? isPassword(secret) : isToken(secret))) continue;
    masked += text.slice(from, secretStart) +
      mask(hasPassword ? "url_password" : "url_user");
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

function endOfUser(text: string, start: number): number {
  if (!text.startsWith(PLACEHOLDER, start)) {
    return endOfRun(text, start, USER);
  }
  const close = text.slice(start, start + 60).indexOf("]");
  return close === -1 ? start : start + close + 1;
}

function isPassword(text: string): boolean {
  return text !== "" && !isPlaceholder(text) && !isStandIn(text);
}

function isToken(text: string): boolean {
  const beginning = text.slice(0, 256);
  return text.length >= 20 && /^[\w-]{20}/.test(beginning) &&
    /\d/.test(beginning) && /[A-Za-z]/.test(beginning);
}

/**
 * Secrets in the headers of HTTP requests, as a request, a command or a program has them.
 */

import { isBasicCredentials } from "./_basic_credentials.ts";
import { isPlaceholder, type Mask } from "./_placeholder.ts";
import { characterSet, replaceRuns, UNQUOTED } from "./_runs.ts";
import { isStandIn } from "./_stand_ins.ts";

/** Between a name and its value: a quote, an index's end, a colon, equals sign or comma. */
const BETWEEN =
  String.raw`\\{0,8}["']?\]?[ \t]{0,16}[:=,][ \t]{0,16}\\{0,8}["'` +
  "`]?";
/** Schemes whose credentials are a list of parameters, the whole rest of the line. */
const LIST = {
  head: new RegExp(
    String.raw`(authorization${BETWEEN}` +
      String
        .raw`(?:aws4-[\w-]{1,24}|digest|hawk|oauth|signature|vapid)[ \t]{1,16})[\w-]{1,24}=`,
    "gi",
  ),
  run: characterSet(/[^\r\n'\\]/),
};
const AUTHORIZATION = {
  head: new RegExp(
    String.raw`authorization${BETWEEN}([A-Za-z][\w-]{1,24}[ \t]{1,16})?`,
    "gi",
  ),
  run: UNQUOTED,
};
const SCHEME_REGEXP =
  /^(?:api-?key|aws4-[\w-]+|basic|bearer|digest|dpop|hawk|hmac[\w-]*|key|negotiate|ntlm|oauth|signature|splunk|ssws|token)$/i;
/** What is called or indexed is source code; a URL and a path are no credentials. */
const NO_CREDENTIALS_REGEXP =
  /^[A-Za-z_$][\w$.]*[([]|^https?:|^[~.]{0,2}\/|\.[a-z]{2,4}[,.;:!?)]*$/;
const BEARER = {
  head: /\bbearer[ \t]{1,16}/gi,
  run: characterSet(/[\w.~+/=-]/),
};
const COOKIE = {
  head: new RegExp(
    String.raw`(cookie\\{0,8}["']?[ \t]{0,16}:[ \t]{0,16}\\{0,8}["']?)` +
      String.raw`[\w.%-]{1,128}=`,
    "gi",
  ),
  run: characterSet(/[^\r\n"'\\]/),
};
/** What settings of Docker keep for a registry. */
const AUTH = {
  head: /"auth\\{0,8}"[ \t]{0,16}:[ \t]{0,16}\\{0,8}"/g,
  run: characterSet(/[A-Za-z\d+/=]/),
};
const HINT_REGEXP = /authorization|bearer|cookie|"auth\\{0,8}"/i;

/**
 * Masks the credentials and cookies of headers in a text.
 *
 * @param text The text.
 * @param mask Gives what stands in place of a secret.
 * @returns The text without them.
 */
export function maskHeaders(text: string, mask: Mask): string {
  if (!HINT_REGEXP.test(text)) return text;
  let masked = replaceRuns(
    text,
    LIST,
    ([, name = ""]) => name + mask("authorization"),
  );
  const before = masked;
  masked = replaceRuns(before, AUTHORIZATION, (found, credentials) => {
    const [head, scheme] = found;
    const isKnown = SCHEME_REGEXP.test(scheme?.trim() ?? "");
    if (isPlaceholder(credentials) || isStandIn(credentials)) return undefined;
    const end = found.index + head.length + credentials.length;
    // A scheme that nobody knows may be a word of a sentence, which goes on, and no scheme a name
    // in source code.
    const isSecret = isKnown
      ? credentials.length >= 4
      : isRandom(credentials, 8) &&
        !NO_CREDENTIALS_REGEXP.test(credentials.slice(0, 256)) &&
        (scheme === undefined || !/[ \t]/.test(before.charAt(end)));
    return isSecret ? head + mask("authorization") : undefined;
  });
  masked = replaceRuns(
    masked,
    BEARER,
    ([head], token) =>
      isRandom(token, 16) ? head + mask("authorization") : undefined,
  );
  masked = replaceRuns(
    masked,
    AUTH,
    ([head], run) =>
      isBasicCredentials(run) ? head + mask("password") : undefined,
  );
  return replaceRuns(masked, COOKIE, ([head, name = ""], rest) => {
    const cookies = head.slice(name.length) + rest;
    const value = cookies.slice(cookies.indexOf("=") + 1);
    return isPlaceholder(value) || isStandIn(value) || value === ""
      ? undefined
      : name + mask("cookie");
  });
}

/** Whether a text is no word of a language. */
function isRandom(text: string, least: number): boolean {
  const beginning = text.slice(0, 256);
  return text.length >= least && /\d/.test(beginning) &&
    /[A-Za-z]/.test(beginning);
}

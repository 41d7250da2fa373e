/**
 * Values that stand behind the name of a secret: in environments, settings, JSON, YAML,
 * source code, command lines and query strings.
 */

import { isBasicCredentials } from "./_basic_credentials.ts";
import { isPlaceholder, type Mask, PLACEHOLDER } from "./_placeholder.ts";
import { characterSet, endOfRun, UNQUOTED } from "./_runs.ts";
import { type SecretName, secretName } from "./_secret_names.ts";
import { isStandIn } from "./_stand_ins.ts";
import { isMixed } from "./_token_shapes.ts";

/** What every name of a secret holds. */
const WORD_REGEXP =
  /token|secret|passw|passphrase|passcode|pswd|pwd|[a-z_-]pass|key|cred|_auth/gi;
const NAME_REGEXP = /[\w-]{0,64}/y;
const SEPARATOR_REGEXP =
  /\\{0,8}["'`]?\]?[ \t]{0,16}(?:=>|:=|=|:(?!:))[ \t]{0,16}/y;
const FLAG_SEPARATOR_REGEXP = /[ \t]{1,16}(?=[^\s-])/y;
/** What sets a variable whose name and value stand behind it: in files of Docker, in shells. */
const SETTER_REGEXP =
  /(?:^|[\s;&|(])(?:ENV|setenv|setx|set[ \t]{1,4}-[A-Za-z]{1,4})[ \t]{1,8}$|SetEnvironmentVariable\([ \t]{0,4}["']$/;
const SETTER_SEPARATOR_REGEXP = /["']?,?[ \t]{1,16}(?=[^\s-])/y;
/** How much is looked at for what sets a variable, or for an element of XML. */
const SETTER_LENGTH = 40;
/** From the name of an element to its text, and from a name in an attribute to its value. */
const TAG_END_REGEXP = /(?:[ \t][^<>\r\n]{0,200})?>/y;
const KEY_END_REGEXP = /<\/key>\s{0,64}<string>/y;
const ATTRIBUTE_REGEXP = /\\{0,8}["'][ \t]{1,8}value=(?=\\{0,8}["'])/iy;
const NAMED_TAG_END_REGEXP = /\\{0,8}["'][^<>\r\n]{0,80}>/y;
/** The text of an element. */
const ELEMENT = characterSet(/[^<>\r\n]/);
const QUOTE_REGEXP = /(\\{0,15})(["'`])/y;
/** What a bare value is made of; in a file of settings only white space ends it. */
const BARE = characterSet(/[^\s"'`\\&;,(){}[\]<>|]/);
/** How many names are remembered. */
const MAX_NAMES = 256;
/** Longer values are no words, names or paths. */
const LONG = 256;
const NAME_CHARACTER_REGEXP = /[\w.-]/;

/** A type, which Python may have in quotes. */
const TYPE_NAME_REGEXP = /^(?:\w{1,40}\.){0,4}_?(?:[A-Z]+[a-z]+){1,8}$/;

/** Headers whose whole value is a secret. */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ["authorization", "authorization"],
  ["proxy-authorization", "authorization"],
  ["cookie", "cookie"],
  ["set-cookie", "cookie"],
]);
/** What is a name, and no text that happens to end in one. */
const MEMBER_REGEXP = /^[\w .-]{1,64}$/;

/** How a value stands behind a name. */
export interface Place {
  /** What is known of the name. */
  readonly name: SecretName;
  /** Whether the value stands in quotes. */
  readonly isQuoted: boolean;
  /** Whether it is one of an environment or a command line, where every text is a value. */
  readonly isPlain: boolean;
}

/**
 * Masks the values behind names of secrets in a text.
 *
 * @param text The text.
 * @param mask Gives what stands in place of a value.
 * @returns The text without the values.
 */
export function maskAssignments(text: string, mask: Mask): string {
  let masked = "";
  let from = 0;
  // Few names are written often; what each of them means is found out once.
  const names = new Map<string, SecretName | undefined>();
  WORD_REGEXP.lastIndex = 0;
  for (
    let found = WORD_REGEXP.exec(text);
    found !== null;
    found = WORD_REGEXP.exec(text)
  ) {
    const nameEnd = sticky(NAME_REGEXP, text, WORD_REGEXP.lastIndex);
    const nameStart = startOfName(text, found.index);
    WORD_REGEXP.lastIndex = Math.max(nameEnd, WORD_REGEXP.lastIndex);
    const value = valueBehind(text, nameStart, nameEnd, names);
    if (value === undefined) continue;
    if (!value.isSecret) {
      // There may be names in it; a long one is not read again from each of them.
      if (value.end - value.start > LONG) WORD_REGEXP.lastIndex = value.end;
      continue;
    }
    masked += text.slice(from, value.start) + mask(value.kind);
    from = value.end;
    WORD_REGEXP.lastIndex = value.end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** What the name of a member says: that its value is a secret, if it looks like one. */
export interface SecretMember {
  /** What the value is called where it is counted. */
  readonly kind: string;
  /** How the value stands behind the name; `undefined` for a header, whose whole value it is. */
  readonly place: Place | undefined;
  /** Whether only a user and a password in base64 are one. */
  readonly isBasic?: boolean;
}

/**
 * Tells whether a member has the name of a secret.
 *
 * @param name The name of a member of a JSON object, or a flag with its dashes.
 * @returns What it says; `undefined` if it is none.
 */
export function secretMember(name: string): SecretMember | undefined {
  if (!MEMBER_REGEXP.test(name)) return undefined;
  const header = HEADERS.get(name.toLowerCase());
  if (header !== undefined) return { kind: header, place: undefined };
  // In settings of Docker; others have a word there.
  if (name === "auth") {
    return { kind: "password", place: undefined, isBasic: true };
  }
  const known = secretName(name.replace(/^-+/, ""));
  if (known === undefined) return undefined;
  const isPlain = /^(?:--.*|[A-Z][A-Z\d_]*)$/.test(name);
  return {
    kind: known.kind,
    place: { name: known, isQuoted: true, isPlain },
  };
}

/** Tells whether a value is the secret that the name of its member says. */
export function isSecretOf(
  { place, isBasic }: SecretMember,
  value: string,
): boolean {
  if (isBasic === true) return isBasicCredentials(value);
  if (place !== undefined) return isSecret(value, place);
  return value !== "" && !isPlaceholder(value) &&
    !isStandIn(value.slice(value.lastIndexOf(" ") + 1));
}

/** A value behind the name of a secret. */
interface NamedValue {
  readonly kind: string;
  readonly isSecret: boolean;
  readonly start: number;
  readonly end: number;
}

function valueBehind(
  text: string,
  nameStart: number,
  nameEnd: number,
  names: Map<string, SecretName | undefined>,
): NamedValue | undefined {
  const isFlag = text.startsWith("--", nameStart);
  let start = sticky(SEPARATOR_REGEXP, text, nameEnd);
  let isSet = false;
  let isElement = false;
  if (start === nameEnd && isFlag) {
    start = sticky(FLAG_SEPARATOR_REGEXP, text, nameEnd);
  } else if (start === nameEnd) {
    const before = text.slice(
      Math.max(0, nameStart - SETTER_LENGTH),
      nameStart,
    );
    isSet = /[\s"']/.test(text.charAt(nameEnd)) && SETTER_REGEXP.test(before);
    if (isSet) start = sticky(SETTER_SEPARATOR_REGEXP, text, nameEnd);
    if (start === nameEnd) {
      start = startInMarkup(text, nameEnd, before);
      isElement = text.charAt(start - 1) === ">";
    }
  }
  if (start === nameEnd) return undefined;
  const nameText = text.slice(nameStart, nameEnd).replace(/^[-.]+/, "");
  if (!names.has(nameText) && names.size < MAX_NAMES) {
    names.set(nameText, secretName(nameText));
  }
  const name = names.has(nameText) ? names.get(nameText) : secretName(nameText);
  if (name === undefined) return undefined;
  const before = text.slice(Math.max(0, nameStart - 12), nameStart);
  // `isIt ? "password" : "user"` is a choice between two words, and a placeholder no name.
  if (/\?[ \t]{0,8}["'`]$|\[redacted:$/.test(before)) return undefined;
  const { kind } = name;
  if (isElement) {
    const end = endOfRun(text, start, ELEMENT);
    const value = text.slice(start, end);
    const isWhole = text.startsWith("</", end);
    const place = { name, isQuoted: true, isPlain: false };
    return { kind, start, end, isSecret: isWhole && isSecret(value, place) };
  }
  const isEnvironment = isSet || text.charAt(nameEnd) === "=" &&
      /^[A-Z][A-Z\d_]*$/.test(nameText);
  QUOTE_REGEXP.lastIndex = start;
  const [opening = "", backslashes = "", quote = ""] =
    QUOTE_REGEXP.exec(text) ?? [];
  if (opening !== "") {
    // `ask("Password:")`: the quotation began before the name, and ends here.
    if (
      text.charAt(nameStart - 1) === quote &&
      !text.slice(nameEnd, start).includes(quote)
    ) return undefined;
    start += opening.length;
    const place = { name, isQuoted: true, isPlain: isFlag || isEnvironment };
    // Judged by its beginning first: what is refused is not read to its end.
    if (isStandIn(text.slice(start, start + 40))) return undefined;
    const end = endOfQuoted(text, start, quote, backslashes.length);
    const value = text.slice(start, end);
    return { kind, start, end, isSecret: isSecret(value, place) };
  }
  const startsLine = isEnvironment && isStartOfLine(text, nameStart);
  const end = endOfRun(text, start, startsLine ? UNQUOTED : BARE);
  const value = text.slice(start, end);
  // `--password PASSWORD`: a help text.
  if (isFlag && /^[A-Z_]+$/.test(value.slice(0, LONG))) return undefined;
  // What is called or indexed is source code.
  if (/[([]/.test(text.charAt(end))) {
    const isRedacted = text.startsWith(PLACEHOLDER, end) && value !== "";
    if (!isRedacted) return { kind, start, end, isSecret: false };
  }
  const endsLine = /^[ \t]*(?:[\r\n]|$)/.test(text.slice(end, end + 40));
  const isYaml = endsLine && text.charAt(nameEnd) === ":" && name.isCertain &&
    value.length >= 4 && (kind === "password" || !isTypeName(value));
  const place = {
    name,
    isQuoted: false,
    isPlain: isEnvironment || isFlag || isYaml,
  };
  return { kind, start, end, isSecret: isSecret(value, place) };
}

/**
 * Where the value starts whose name is that of an element of XML, or the value of an attribute;
 * where the name ends if it is neither.
 */
function startInMarkup(text: string, nameEnd: number, before: string): number {
  const next = text.charAt(nameEnd);
  if (next === "<") {
    return before.endsWith("<key>")
      ? sticky(KEY_END_REGEXP, text, nameEnd)
      : nameEnd;
  }
  if (next === ">" || next === " ") {
    return /<(?:[\w-]{1,32}:)?$/.test(before)
      ? sticky(TAG_END_REGEXP, text, nameEnd)
      : nameEnd;
  }
  // `<add key="…" value="…" />`, `<string name="…">…</string>`
  if (/\bkey=\\{0,8}["']$/.test(before)) {
    return sticky(ATTRIBUTE_REGEXP, text, nameEnd);
  }
  return /<string name=\\{0,8}["']$/.test(before)
    ? sticky(NAMED_TAG_END_REGEXP, text, nameEnd)
    : nameEnd;
}

/** Tells a secret from what else stands behind such a name. */
function isSecret(value: string, { name, isQuoted, isPlain }: Place): boolean {
  const least = isPlain ? 1 : isQuoted ? 3 : 4;
  if (
    value.length < least || /^[\s,;:)\]}]/.test(value) ||
    isPlaceholder(value) ||
    isStandIn(value)
  ) return false;
  const beginning = value.slice(0, LONG);
  const isRandom = /\d/.test(beginning) && /[A-Za-z]/.test(beginning) ||
    /^\w{16,128}$/.test(beginning) && isMixed(beginning);
  if (isPath(beginning) || !isPlain && isSourceName(beginning)) return false;
  // An environment and a command line have nothing but values.
  const isCertain = name.isCertain || isPlain && name.kind !== "api_key";
  if (!isCertain) {
    const leastRandom = name.kind === "api_key" ? 20 : 12;
    return isRandom && value.length >= leastRandom && !/\s/.test(beginning);
  }
  if (name.kind !== "password") {
    // Of tokens and keys there are none that are numbers or sentences.
    if (/^\d{1,9}$/.test(value)) return false;
    if (!isPlain && /\s/.test(beginning)) return false;
    if (isQuoted && isTypeName(value)) return false;
    // What no name in source code has.
    const isNoName = value.length >= 8 && /[^\w$.!?:]/.test(beginning);
    return isRandom || isQuoted && value.length >= 8 || isPlain || isNoName;
  }
  if (isQuoted || isPlain) return true;
  // Bare words are names in source code, and words of a sentence.
  return !/^[A-Za-z_$][A-Za-z_$.-]*[.!?:]?$/.test(beginning);
}

function isTypeName(value: string): boolean {
  return TYPE_NAME_REGEXP.test(value.slice(0, LONG));
}

/** Members of members: `config.token2`. */
function isSourceName(value: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value);
}

function isPath(value: string): boolean {
  if (/^[A-Za-z0-9/+]{40}={0,2}$/.test(value)) return false;
  return /^(?:~|\.{1,2})?\/[\w.@-]*(?:\/|\.[a-z]{1,5}$|$)/.test(value) ||
    /^[A-Za-z]:[\\/]/.test(value) || /^(?:https?|file):\/\//.test(value);
}

/** Finds the quotation mark that ends a value, the line's end, or that of an outer quotation. */
function endOfQuoted(
  text: string,
  start: number,
  quote: string,
  depth: number,
): number {
  let backslashes = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") {
      backslashes += 1;
      continue;
    }
    if (character === "\n" || character === "\r") return at;
    if (character === quote && backslashes <= depth) return at - backslashes;
    backslashes = 0;
  }
  return text.length;
}

/** Where a name starts that holds an index. */
function startOfName(text: string, index: number): number {
  const least = Math.max(0, index - 64);
  let at = index;
  while (at > least && NAME_CHARACTER_REGEXP.test(text.charAt(at - 1))) {
    at -= 1;
  }
  // `\nFOO_TOKEN`: the letter belongs to the escape.
  if (text.charAt(at - 1) === "\\" && /[nrt]/.test(text.charAt(at))) at += 1;
  return at;
}

function isStartOfLine(text: string, index: number): boolean {
  return /(?:^|\n|\\n)[ \t+-]{0,8}(?:export[ \t]+)?$/.test(
    text.slice(Math.max(0, index - 24), index),
  );
}

function sticky(regexp: RegExp, text: string, at: number): number {
  regexp.lastIndex = at;
  return regexp.test(text) ? regexp.lastIndex : at;
}

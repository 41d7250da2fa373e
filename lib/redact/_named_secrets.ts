/**
 * Finds values after the names of secrets: in environments, settings, JSON, YAML, source code,
 * command lines and query strings.
 */

import { isPlaceholder, type Mask, PLACEHOLDER } from "./_placeholder.ts";
import { characterSet, endOfRun, replaceRuns, UNQUOTED } from "./_runs.ts";
import { isMixed } from "./_known_shapes.ts";

/** A user and a password in base64, as in the settings of Docker. */
function isBasicCredentials(text: string): boolean {
  if (!/^[A-Za-z\d+/]{6,1000}={0,2}$/.test(text)) return false;
  try {
    return /^[!-9;-~]{1,256}:[ -~]{1,512}$/.test(atob(text));
  } catch {
    return false;
  }
}

function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

// Stand-ins: texts that people and programs write in place of a secret.

/** A variable, template or tag, which another program replaces, and a regular expression. */
const REFERENCE_REGEXP =
  /^(?:\$(?:$|[A-Za-z_{(0-9@*#])|<|&lt;|\{\{|\{[a-z_ ]*\}|\{[a-z_][\w.()]*\}$|%[A-Za-z_]+%|%[sdv]|@[A-Z]|#\{|\/\^|\.\.\.|…|\.[*+]|\[[a-z_ -]*\]$|`[a-z]+[ \t]|(?:id|source|src|type)=|fileb?:\/\/)|^(?:process|os|env|secrets|vars|import|context|settings|config|self|this)\.[a-z]/i;
/** One sign, repeated, and a secret of which a program shows only the ends. */
const HIDDEN_REGEXP =
  /^(?:([-_#?.*•…x])\1*|[\w-]{0,16}(?:[*.•]{3,}|…+|x{6,})[\w-]{0,6})$/i;
/** Words of sentences behind a name or a flag, types, and words that are to be replaced. */
const WORDS_REGEXP =
  /^(?:and|any|are|arg|argument|as|at|bool|boolean|but|by|bytes|can|cannot|changeit|change[-_]?me|char|command|disabled|dummy|duration|empty|enabled|example|expects|false|file|filename|flag|flags|float|for|from|function|has|hidden|if|in|int|integer|into|invalid|is|it|masked|may|missing|must|name|needs|nil|no|none|not|null|number|object|of|omitted|on|only|option|optional|options|or|parameter|path|placeholder|read|redacted|replace[-_]?me|required|requires|secretstr|should|str|string|stringarray|strings|takes|tbd|that|this|to|todo|token|tokens|true|undefined|unknown|unset|value|varchar|via|void|was|when|which|will|with|without|write|yes)[.:!?]?$/i;
const YOURS_REGEXP =
  /^(?:[a-z]{2,4}-)?(?:your|my|the|some|insert|enter|paste)[-_ ]\D*$/i;

/** Returns whether a value only stands in for a secret: a variable, a template, a type, asterisks. */
function isStandIn(value: string): boolean {
  // Stand-ins are short, and no test should read a long value.
  const text = value.slice(0, 200).trim();
  return REFERENCE_REGEXP.test(text) || HIDDEN_REGEXP.test(text) ||
    WORDS_REGEXP.test(text) || YOURS_REGEXP.test(text);
}

function isReal(value: string): boolean {
  return value !== "" && !isPlaceholder(value) && !isStandIn(value);
}

// Names whose values are secrets.

interface SecretName {
  /** The kind that its value is counted as. */
  readonly kind: string;
  /** Whether the name is sufficient; otherwise, the value must look like a secret, too. */
  readonly isCertain: boolean;
  /** Checks the value, if only those of one form are secrets. */
  readonly accept?: (value: string) => boolean;
  /** Whether it is a header, whose whole value is a secret, except a stand-in at its end. */
  readonly isHeader?: boolean;
}

const PASSWORD: SecretName = { kind: "password", isCertain: true };
const TOKEN: SecretName = { kind: "token", isCertain: true };
const SECRET: SecretName = { kind: "secret", isCertain: true };
const API_KEY: SecretName = { kind: "api_key", isCertain: true };
const PRIVATE_KEY: SecretName = { kind: "private_key", isCertain: true };

/** The last words of names, written as one. */
const ENDINGS: ReadonlyMap<string, SecretName> = new Map(
  ([
    [
      PASSWORD,
      "password passwd passphrase passcode pswd psk sshpass requirepass keypass storepass",
    ],
    [
      TOKEN,
      "token accesstoken apitoken authtoken bearertoken idtoken refreshtoken sessiontoken",
    ],
    [
      SECRET,
      "secret appsecret authsecret clientsecret jwtsecret secretkeybase secretstring",
    ],
    [
      API_KEY,
      "apikey accesskey accountkey authkey masterkey secretkey sharedaccesskey subscriptionkey",
    ],
    [PRIVATE_KEY, "encryptionkey presharedkey privatekey signingkey"],
  ] as const).flatMap(([name, words]) =>
    words.split(" ").map((word) => [word, name])
  ),
);

/** Last words of names that need another word before them: `DB_PASS`, but not `pass`. */
const BEHIND_ANOTHER: ReadonlyMap<string, SecretName> = new Map([
  ["pass", PASSWORD],
  ["pw", PASSWORD],
  ["pwd", PASSWORD],
  ["creds", { ...SECRET, isCertain: false }],
  ["credential", { ...SECRET, isCertain: false }],
  ["credentials", { ...SECRET, isCertain: false }],
  ["key", { ...API_KEY, isCertain: false }],
]);

/** Words before `token` that make it a token of a parser, a model or a list. */
const NO_TOKEN_REGEXP =
  /^(?:begin|bos|cancel|cancellation|cls|continuation|count|current|end|eof|eos|first|input|last|mask|max|min|next|num|output|pad|page|paging|per|prev|previous|sep|special|start|stop|sync|syntax|total|unk)$/;
/** Words before `pass` that make it a step of a program, such as one that draws. */
const NO_PASS_REGEXP =
  /^(?:compute|depth|final|first|last|on|post|pre|render|second|shadow|single)$/;
/** Words at the end of names that are ignored. */
const SUFFIX_REGEXP =
  /^(?:\d+|dev|development|live|new|old|plain|prod|production|raw|staging|test|text|val|value)$/;

/** Classifies a variable, key, flag or header, such as `apiKey`; `undefined` if it is no secret's. */
function secretName(name: string): SecretName | undefined {
  const words = name.slice(-64).replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2").toLowerCase()
    .split(/[^a-z\d]+/).filter((word) => word !== "");
  while (words.length > 1 && SUFFIX_REGEXP.test(words.at(-1) ?? "")) {
    words.pop();
  }
  const last = (words.at(-1) ?? "").replace(/\d+$/, "");
  const before = words.at(-2) ?? "";
  // Settings of Docker have credentials there, and other settings a word.
  if (name === "auth") return { ...PASSWORD, accept: isBasicCredentials };
  // Old releases of npm keep a user name and a password in `_auth`.
  if (name === "_auth") return PASSWORD;
  if (name === "Pwd" || name === "pwd") {
    return { ...PASSWORD, isCertain: false };
  }
  // Not one of the ciphers that OpenSSL has: `HIGH:!aPSK:!SRP`.
  if (last === "psk" && !/(?:psk|_PSK)\d*$/.test(name)) return undefined;
  // The id of a public key, in the settings of Git.
  if (/(?:^|\.)signingkey$/.test(name)) return undefined;
  if (last === "token") {
    if (NO_TOKEN_REGEXP.test(before)) return undefined;
    return before === "" ? { ...TOKEN, isCertain: false } : TOKEN;
  }
  if (last === "secret") {
    if (before === "") return { ...SECRET, isCertain: false };
    // The name of an object, in the values of Helm.
    if (before === "existing") return undefined;
  }
  // Vault's is a UUID, that of other stores a name.
  if (last === "id" && before === "secret") {
    return { ...SECRET, accept: isUuid };
  }
  // `PGPASSWORD`, `dbpassword`.
  const written = /(?:password|passwd|passphrase|apikey|secretkey)$/.exec(last)
    ?.[0];
  const found = ENDINGS.get(written ?? "") ??
    ENDINGS.get((words.at(-3) ?? "") + before + last) ??
    ENDINGS.get(before + last) ?? ENDINGS.get(last);
  if (found !== undefined) return found;
  if (last === "key") {
    // Names in capitals count, such as `STRIPE_KEY`; `CACHE_KEY` and `primaryKey` do not.
    return before !== "" && /^[A-Z\d_-]+$/.test(name) &&
        !/^(?:cache|foreign|host|idempotency|partition|primary|public|restore|sort|websocket)$/
          .test(before)
      ? BEHIND_ANOTHER.get(last)
      : undefined;
  }
  const isStep = last === "pass" && NO_PASS_REGEXP.test(before);
  return before === "" || isStep ? undefined : BEHIND_ANOTHER.get(last);
}

/** Finds names of secrets, and of programs: every one contains a match. */
const WORD_REGEXP =
  /token|secret|assw|pass(?:phrase|code|(?<=[a-z_-]pass)|(?=\\{0,8}["']?:))|pswd|psk|pwd|_pw|key|cred|auth(?<=["_]auth|basicauth)|auth(?= ?= ?\()|identified|sqlplus|(?:vault|wandb) login|redis-cli|net user?|rabbitmqctl|securestring/gi;
const NAME_REGEXP = /[\w-]{0,64}/y;
/**
 * A quotation mark inside of a quoted argument of a shell: `'\''` or `'"'"'`, and `'"'` or `"'"` at
 * a change between the two marks, as in the commands of exec streams.
 */
const SHELL_QUOTE = String
  .raw`'\\{1,15}''|'\\{0,15}"'(?:\\{0,15}"')?|\\{0,15}"'\\{0,15}"`;
const SEPARATOR_REGEXP = new RegExp(
  String.raw`(?:${SHELL_QUOTE}|\\{0,8}["'` + "`]?)" +
    String
      .raw`\]?[ \t]{0,16}(?:=>|:=|={2,3}(?=[\w$])|=(?!=)|:(?!:))[ \t]{0,16}` +
    // In the outputs of Terraform.
    String.raw`(?:\{[^{}]{0,100}\bvalue\\{0,8}"[ \t]?:[ \t]?(?=\\{0,8}"))?` +
    // In a sentence.
    String.raw`|(?<=[Pp]ass(?:word|phrase))[ \t]is:?[ \t]`,
  "y",
);
const FLAG_SEPARATOR_REGEXP = /[ \t]{1,16}(?=[^\s-])/y;
/**
 * The text before a name and a value that are separated by a space or a comma: commands in
 * Dockerfiles and shells, of programs that keep settings, and functions for the environment.
 */
const SETTER_REGEXP =
  /(?:^|[\s;&|("'`])(?:ENV|setenv|setx|set[ \t]{1,4}-[A-Za-z]{1,4})[ \t]{1,8}$|(?:[Ss]et|[Gg]et|[Pp]ut)_?[Ee]nv(?:ironmentVariable)?\([ \t]{0,4}["']$|\bdefine\([ \t]{0,4}["']$|\b(?:environ\.(?:get|setdefault)|ENV\.fetch|env(?:\.set)?)\([ \t]{0,4}["']$|\b(?:config|configure|user-secrets)[ \t]{1,4}set[ \t]{1,4}(?:--secret[ \t]{1,4})?["']?(?:[\w./-]{1,32}:)?$/;
const SETTER_SEPARATOR_REGEXP =
  /["']?(?:,[ \t]{0,16}(?=["'])|[ \t]{1,16}(?=[^\s-]))/y;
/** The number of characters before a name that are examined for a command or an XML element. */
const SETTER_LENGTH = 40;
/** The last word of a command, before a flag with one dash; a line of a diff begins with a dash. */
const FLAG_BEFORE_REGEXP = /\S[ \t]{1,10}$/;
/** The key before a name whose value has a key of its own: `{"name": "FOO_TOKEN", "value": "…"}`. */
const PAIR_REGEXP =
  /(?:key|name)\\{0,8}["']?[ \t]{0,8}:[ \t]{0,8}\\{0,8}["']?$/i;
const PAIR_VALUE_REGEXP =
  /\\{0,8}["']?,?(?:\s|\\{1,8}[nrt]){0,64}\\{0,8}["']?(?:parameter)?value\\{0,8}["']?[ \t]{0,16}:[ \t]{0,16}/iy;
/** From the name of an XML element to its text, or from a name in an attribute to its value. */
const TAG_END_REGEXP = /(?:[ \t][^<>\r\n]{0,200})?>/y;
const KEY_END_REGEXP = /<\/key>\s{0,64}<string>/y;
const ATTRIBUTE_REGEXP = /\\{0,8}["'][ \t]{1,8}value=(?=\\{0,8}["'])/iy;
const NAMED_TAG_END_REGEXP = /\\{0,8}["'][^<>\r\n]{0,80}(?<!\/)>/y;
const ELEMENT = characterSet(/[^<>\r\n]/);
/** The number of characters before a keyword that are examined for its statement. */
const SQL_LENGTH = 400;
/** The beginning of a statement about a user, and from a keyword to the quoted password. */
const SQL_REGEXP =
  /\b(?:(?:alter|create)\s{1,16}(?:role|user)|grant)\s[^;]{0,400}\b(?:identified|password)$/i;
const SQL_SEPARATOR_REGEXP = new RegExp(
  String
    .raw`[ \t]{1,8}(?:(?:with[ \t]{1,8}\S{1,64}[ \t]{1,8})?by[ \t]{1,8})?(?=${SHELL_QUOTE}|\\{0,8}')`,
  "iy",
);
const QUOTE_REGEXP = new RegExp(
  String.raw`${SHELL_QUOTE}|\\{0,15}["'` + "`]",
  "y",
);
/** The characters of an unquoted value; in settings files, see `UNQUOTED`, more are allowed. */
const BARE = characterSet(/[^\s"'`\\&;,(){}[\]<>|]/);
/** The maximum length of words, names and paths. */
const LONG = 256;
const NAME_CHARACTER_REGEXP = /[\w.-]/;

/** The name of a type, which may be quoted in Python. */
const TYPE_NAME_REGEXP = /^(?:\w{1,40}\.){0,4}_?(?:[A-Z]+[a-z]+){1,8}$/;

/** Headers whose whole value is a secret. */
const HEADERS: ReadonlyMap<string, SecretName> = new Map(
  (["authorization", "proxy-authorization", "cookie", "set-cookie"] as const)
    .map((name) => {
      const kind = name.replace(/^.*-/, "");
      return [name, { kind, isCertain: true, isHeader: true }];
    }),
);
/** A key that is a name, and not a text that happens to end in one. */
const MEMBER_REGEXP = /^[\w .-]{1,64}$/;

// Passwords without a name at a place of a command; those behind flags are below.

/** The quotation mark that may be before a value, also inside of a quoted argument of a shell. */
const QUOTES = String.raw`["'\\]{0,40}`;
const BLANK = String.raw`[ \t]{1,8}`;
/** A user, a file or a network. */
const WORD = String.raw`${QUOTES}[\w.@%+$\\/-]{1,200}`;
const ARGUMENT = `${WORD}["']?${BLANK}`;
/**
 * A program or a setting, from its name to a password that has no flag. The names contain a match of
 * `WORD_REGEXP`.
 */
const POSITION_REGEXP = new RegExp(
  [
    // With -b, a password is the last argument; with -n, there is no file.
    String
      .raw`htpasswd${BLANK}(?=[^\n;|&]{0,20}-[A-Za-z]{0,8}b)(?:-[A-Za-z]{0,8}n[A-Za-z]{0,8}${BLANK}|(?:-[A-Za-z]{1,8}${BLANK}){1,4}${ARGUMENT})${ARGUMENT}`,
    String
      .raw`sqlplus${BLANK}(?:-\S{1,8}${BLANK}){0,4}${QUOTES}[\w$#]{1,64}/`,
    String
      .raw`vault login${BLANK}(?:(?:-|username=)[^\s;|&]{1,80}${BLANK}){0,4}(?:(?:password|token)=)?(?!-|username=)`,
    String
      .raw`wandb login${BLANK}(?:-[^\s;|&]{1,80}${BLANK}){0,4}(?=[\da-f]{40}|\w{80})`,
    String
      .raw`requirepass(?<=(?:^|\n|\\n|["']|[Ss][Ee][Tt][ \t]{1,8})\w{11})${BLANK}`,
    String
      .raw`redis-cli[^\n;|&]{0,200}?[ \t](?:AUTH|auth)${BLANK}(?:default${BLANK})?`,
    String.raw`rabbitmqctl (?:add_user|change_password)${BLANK}${ARGUMENT}`,
    String.raw`wpa_passphrase${BLANK}${ARGUMENT}`,
    String
      .raw`net use${BLANK}(?:\w:${BLANK})?\\{2,16}\S{1,200}${BLANK}(?:/user:\S{1,64}${BLANK})?(?!/)`,
    String.raw`net user${BLANK}${ARGUMENT}(?=\S{4,64}${BLANK}/)`,
    String
      .raw`ConvertTo-SecureString${BLANK}(?:-(?:AsPlainText|Force|String)${BLANK}){0,3}(?![-$(])`,
    String
      .raw`(?:password|wifi-sec\.psk)(?<=(?:mysqladmin|nmcli)[^\n;|&]{0,200}[ \t]\S{8,12})${BLANK}`,
    // Of a user in MySQL, and in a role's settings.
    String
      .raw`(?:PASSWORD FOR|password for)[^=\n]{1,200}=[ \t]{0,8}(?:PASSWORD\()?(?=${SHELL_QUOTE}|\\{0,8}["'])`,
    // In the settings of Gradle.
    String.raw`(?:key|store)Password${BLANK}(?=["'])`,
    String.raw`Key(?<=\bUnseal Key) \d{1,2}:${BLANK}`,
    // Behind a user, in source code.
    String
      .raw`(?:[\w.]{0,32}(?:[Bb]asic_?[Aa]uth|NetworkCredential)|auth ?= ?)\([ \t]{0,4}\\{0,8}["'][^"'\\\n]{1,64}\\{0,8}["'],[ \t]{0,4}(?=\\{0,8}["'])`,
    String
      .raw`pass\\{0,8}["']?:[ \t]{0,8}(?<=\buser(?:name)?\\{0,8}["']?:[ \t]{0,8}\\{0,8}["'][^"'\\\n]{1,64}\\{0,8}["'],(?:\s|\\n){0,32}\\{0,8}["']?pass\\{0,8}["']?:[ \t]{0,8})(?=\\{0,8}["'])`,
    // The answer to a prompt.
    String
      .raw`[Pp]?assword[^"'\n]{0,20}["'](?:[);\s{]|\\n){0,16}[\w.]{0,32}send(?:line)?[ \t(]{1,4}(?:--[ \t])?`,
  ].join("|"),
  "y",
);

/** The context of a value after a name. */
export interface Place {
  readonly name: SecretName;
  readonly isQuoted: boolean;
  /** Whether it is in an environment or a command line, where every text is a value. */
  readonly isPlain: boolean;
  /** The name, if the value may be its label in a form. */
  readonly label: string | undefined;
}

/** Masks the values after names of secrets in a text. */
export function maskAssignments(text: string, mask: Mask): string {
  let masked = "";
  let from = 0;
  WORD_REGEXP.lastIndex = 0;
  for (let found; (found = WORD_REGEXP.exec(text)) !== null;) {
    const nameEnd = sticky(NAME_REGEXP, text, WORD_REGEXP.lastIndex);
    const nameStart = startOfName(text, found.index);
    WORD_REGEXP.lastIndex = Math.max(nameEnd, WORD_REGEXP.lastIndex);
    const value = valueBehind(text, nameStart, nameEnd);
    if (value === undefined) continue;
    if (!value.isSecret) {
      // The value may contain names. A long one is skipped, or it would be read again for each.
      if (value.end - value.start > LONG) WORD_REGEXP.lastIndex = value.end;
      continue;
    }
    masked += text.slice(from, value.start) + mask(value.kind);
    from = value.end;
    WORD_REGEXP.lastIndex = value.end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/**
 * Returns the context of the value of a member of a JSON object, or of a flag with its dashes;
 * `undefined` if the name is not that of a secret.
 */
export function secretMember(name: string): Place | undefined {
  if (!MEMBER_REGEXP.test(name)) return undefined;
  const header = HEADERS.get(name.toLowerCase());
  const secret = header ?? secretName(name.replace(/^-+/, ""));
  if (secret === undefined) return undefined;
  const isPlain = /^(?:-.*|[A-Z][A-Z\d_]*)$/.test(name);
  const label = isPlain || header !== undefined ? undefined : name;
  return { name: secret, isQuoted: true, isPlain, label };
}

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
): NamedValue | undefined {
  const isFlag = text.startsWith("--", nameStart) ||
    text.charAt(nameStart) === "-" &&
      FLAG_BEFORE_REGEXP.test(
        text.slice(Math.max(0, nameStart - 12), nameStart),
      );
  let start = ` \t:"'\\=(`.includes(text.charAt(nameEnd))
    ? sticky(POSITION_REGEXP, text, nameStart)
    : nameStart;
  let isPassword = start > nameEnd;
  if (!isPassword) start = sticky(SEPARATOR_REGEXP, text, nameEnd);
  let isSet = false;
  let isElement = false;
  let isPair = false;
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
      start = PAIR_REGEXP.test(before)
        ? sticky(PAIR_VALUE_REGEXP, text, nameEnd)
        : startInMarkup(text, nameEnd, before);
      isElement = text.charAt(start - 1) === ">";
      isPair = start > nameEnd && !isElement;
    }
  }
  if (start === nameEnd) {
    isPassword = true;
    start = startInSql(text, nameStart, nameEnd);
  }
  if (start === nameEnd) return undefined;
  const nameText = text.slice(nameStart, nameEnd).replace(/^[-.]+/, "");
  // `Uid=sa;Pwd=…`: a connection string. Alone, it may be a directory.
  const isConnection = text.charAt(nameStart - 1) === ";" &&
    /^pwd$/i.test(nameText);
  const before = text.slice(Math.max(0, nameStart - 12), nameStart);
  // `API key: …`, as programs print it.
  const isSpaced = /^key$/i.test(nameText) &&
    /\b(?:access|api|private|secret|signing) $/i.test(before);
  const name = isPassword || isConnection
    ? PASSWORD
    : isSpaced
    ? BEHIND_ANOTHER.get("key")
    : secretName(nameText);
  if (name === undefined) return undefined;
  // Not a name: a word in `isIt ? "password" : "user"`, the kind in a placeholder, and the type in
  // the name of a secret on AWS, behind the number of an account.
  if (/\?[ \t]{0,8}["'`]$|\[redacted:$|\d{11}:$/.test(before)) return undefined;
  const { kind } = name;
  if (isElement) {
    const end = endOfRun(text, start, ELEMENT);
    const value = text.slice(start, end);
    const isWhole = text.startsWith("</", end);
    const place = { name, isQuoted: true, isPlain: false, label: nameText };
    return { kind, start, end, isSecret: isWhole && isSecret(value, place) };
  }
  const isEnvironment = isSet || isPassword ||
    (isPair || text.charAt(nameEnd) === "=") &&
      /^[A-Z][A-Z\d_]*$/.test(nameText);
  const opening = text.slice(start, sticky(QUOTE_REGEXP, text, start));
  if (opening !== "") {
    const [last, backslashes = "", quote = ""] = /(\\*)(.)$/.exec(opening) ??
      [];
    const mark = opening === last ? quote : opening;
    // `ask("Password:")`: the quote closes a string that began before the name.
    if (
      text.slice(nameStart - mark.length, nameStart) === mark &&
      !text.slice(nameEnd, start).includes(mark)
    ) return undefined;
    start += opening.length;
    const isPlain = isFlag || isEnvironment;
    const label = isPlain ? undefined : nameText;
    const place = { name, isQuoted: true, isPlain, label };
    // Checks the beginning first, so that a stand-in is not read to its end.
    if (isStandIn(text.slice(start, start + 40))) return undefined;
    const end = endOfQuoted(text, start, quote, backslashes.length);
    const value = text.slice(start, end);
    return { kind, start, end, isSecret: isSecret(value, place) };
  }
  const startsLine = isEnvironment && !isPassword &&
    isStartOfLine(text, nameStart);
  const end = endOfRun(text, start, startsLine ? UNQUOTED : BARE);
  const value = text.slice(start, end);
  // `--password PASSWORD`: a help text.
  if (isFlag && /^[A-Z_]+$/.test(value.slice(0, LONG))) return undefined;
  // A tag of YAML: `!Ref DbPassword`.
  if (/^!\w{1,40}[ \t]$/.test(value.slice(0, LONG) + text.charAt(end))) {
    return undefined;
  }
  // A value that is called or indexed is source code.
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
    label: isEnvironment || isFlag ? undefined : nameText,
  };
  return { kind, start, end, isSecret: isSecret(value, place) };
}

/**
 * Returns the start of a value whose name is an XML element or the value of an attribute;
 * `nameEnd` if it is neither.
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
  if (/\b(?:key|name)=\\{0,8}["']$/.test(before)) {
    const start = sticky(ATTRIBUTE_REGEXP, text, nameEnd);
    if (start > nameEnd) return start;
  }
  return /<(?:entry key|(?:property|string) name)=\\{0,8}["']$/.test(before)
    ? sticky(NAMED_TAG_END_REGEXP, text, nameEnd)
    : nameEnd;
}

/** Returns the start of the password of a user in SQL; `nameEnd` if it is none. */
function startInSql(text: string, nameStart: number, nameEnd: number): number {
  const start = sticky(SQL_SEPARATOR_REGEXP, text, nameEnd);
  if (start === nameEnd) return nameEnd;
  const isUser = text.slice(nameStart, nameEnd) === "IDENTIFIED" ||
    SQL_REGEXP.test(text.slice(Math.max(0, nameEnd - SQL_LENGTH), nameEnd));
  return isUser ? start : nameEnd;
}

/** Returns whether a value after the name of a secret is one, and not, for example, a type. */
export function isSecret(value: string, place: Place): boolean {
  const { name, label, isPlain } = place;
  if (name.isHeader === true) {
    return value !== "" && !isPlaceholder(value) &&
      !isStandIn(value.slice(value.lastIndexOf(" ") + 1));
  }
  const beginning = value.slice(0, LONG);
  return mayBeSecret(value, place) && !isPath(beginning) &&
    !isVariable(beginning, place) &&
    (isPlain || !isSourceName(beginning)) &&
    (label === undefined || !isLabel(label, value));
}

function mayBeSecret(
  value: string,
  { name, isQuoted, isPlain }: Place,
): boolean {
  const least = isPlain ? 1 : isQuoted ? 3 : 4;
  if (
    value.length < least || /^[\s,;:)\]}]/.test(value) || !isReal(value)
  ) return false;
  if (name.accept !== undefined) return name.accept(value);
  const beginning = value.slice(0, LONG);
  const isRandom = /\d/.test(beginning) && /[A-Za-z]/.test(beginning) ||
    /^\w{16,128}$/.test(beginning) && isMixed(beginning);
  // In environments and command lines, every text is a value.
  const isCertain = name.isCertain || isPlain && name.kind !== "api_key";
  if (!isCertain) {
    const leastRandom = name.kind === "api_key" ? 20 : 12;
    return isRandom && value.length >= leastRandom && !/\s/.test(beginning);
  }
  if (name.kind !== "password") {
    // Tokens and keys are neither short numbers nor sentences.
    if (/^\d{1,9}$/.test(value)) return false;
    if (!isPlain && /\s/.test(beginning)) return false;
    if (isQuoted && isTypeName(value)) return false;
    // A character that names in source code do not contain.
    const isNoName = value.length >= 8 && /[^\w$.!?:]/.test(beginning);
    return isRandom || isQuoted && value.length >= 8 || isPlain || isNoName;
  }
  if (isQuoted || isPlain) return true;
  // Bare words are names in source code, and words of a sentence.
  return !/^[A-Za-z_$][A-Za-z_$.-]*[.!?:]?$/.test(beginning);
}

/**
 * Returns whether a value is a label of a form: its name in other words, words on a password, or a
 * text in a script that passwords are not written in. `{"forgotPassword": "Forgot password?"}`
 */
function isLabel(name: string, value: string): boolean {
  const lettersOf = (text: string) =>
    text.slice(0, LONG).replace(/[^A-Za-z\d]/g, "").toLowerCase();
  const beginning = value.slice(0, LONG);
  return value.length < 2 * name.length + 4 &&
      lettersOf(name.slice(name.lastIndexOf(".") + 1)) === lettersOf(value) ||
    /\s/.test(beginning) &&
      /\bpass(?:code|e|phrase|wor[dt])s?\b/i.test(beginning) ||
    /^[^\0-\x7f]+$/.test(beginning);
}

/**
 * Returns whether a value is the name of a secret itself: `SECRET_KEY = "AWS_SECRET_KEY"`, or a
 * variable in source code.
 */
function isVariable(
  value: string,
  { name, isQuoted, isPlain }: Place,
): boolean {
  if (!/^[A-Za-z_]\w{0,63}$/.test(value) || secretName(value) === undefined) {
    return false;
  }
  return /^[A-Z\d]+_[A-Z\d_]+$/.test(value) ||
    !isQuoted && !isPlain && name.kind !== "password";
}

function isTypeName(value: string): boolean {
  return TYPE_NAME_REGEXP.test(value.slice(0, LONG));
}

/**
 * Returns whether a value is a member of an object, or a number, in source code: `config.token2`,
 * `e?.token===`, `e.tokens.length-1`.
 */
function isSourceName(value: string): boolean {
  return /^(?:[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+(?:\?{1,2}|(?:===|!==?).*|[-+]\d{1,4})?|0[Xx][\dA-Fa-f_]{1,16})$/
    .test(value);
}

/** Returns whether a value is the place of a secret: a path, a URL, the name of a file. */
function isPath(value: string): boolean {
  if (/^[A-Za-z0-9/+]{40}={0,2}$/.test(value)) return false;
  return /^(?:~|\.{1,2})?\/[\w.@-]*(?:\/|\.[a-z]{1,5}$|$)/.test(value) ||
    /^(?:[A-Za-z]:[\\/]|[a-z][a-z+-]{1,20}:\/\/|env:|file:|projects\/)/.test(
      value,
    ) ||
    /^(?:[\w.-]{1,64}\.(?:cer|crt|env|ini|jks|json|key|p12|pem|pfx|ppk|toml|txt|ya?ml)|id_(?:dsa|ecdsa|ed25519|rsa))$/
      .test(value);
}

/** Returns the end of a quoted value: its quote, that of an outer one, or the end of the line. */
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

/** Returns the start of the name that contains an index. */
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

// Secrets in the headers of HTTP, as written in requests, commands and source code.

/** The text between a name and its value: a quote, `]`, a colon, an equals sign or a comma. */
const BETWEEN =
  String.raw`\\{0,8}["']?\]?[ \t]{0,16}(?:[:,]|=(?!=))[ \t]{0,16}\\{0,8}["'` +
  "`]?";
/** Schemes whose credentials are a list of parameters: the whole rest of the line. */
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
/** Texts that are not credentials: a call or an index in source code, a URL, a header, a path. */
const NO_CREDENTIALS_REGEXP =
  /^[A-Za-z_$][\w$.]*[([]|^https?:|^x-[a-z]|^[~.]{0,2}\/|\.[a-z]{2,4}[,.;:!?)]*$/;
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
const HINT_REGEXP = /authorization|bearer|cookie/i;

/** Masks the credentials and cookies of headers in a text. */
export function maskHeaders(text: string, mask: Mask): string {
  if (!HINT_REGEXP.test(text)) return text;
  let masked = replaceRuns(
    text,
    LIST,
    ([, name = ""]) => name + mask("authorization"),
  );
  masked = replaceRuns(masked, AUTHORIZATION, (found, credentials) => {
    const [head, scheme] = found;
    const isKnown = SCHEME_REGEXP.test(scheme?.trim() ?? "");
    if (!isReal(credentials)) return undefined;
    const end = found.index + head.length + credentials.length;
    // With an unknown scheme, it may be a sentence, which continues after the next word. Without a
    // scheme, it may be a name in source code.
    const isSecret = isKnown
      ? credentials.length >= 4
      : isRandomText(credentials, 8) &&
        !NO_CREDENTIALS_REGEXP.test(credentials.slice(0, 256)) &&
        (scheme === undefined || !/[ \t]/.test(found.input.charAt(end)));
    return isSecret ? head + mask("authorization") : undefined;
  });
  masked = replaceRuns(
    masked,
    BEARER,
    ([head], token) =>
      isRandomText(token, 16) && isReal(token)
        ? head + mask("authorization")
        : undefined,
  );
  return replaceRuns(masked, COOKIE, ([head, name = ""], rest) => {
    const cookies = head.slice(name.length) + rest;
    const value = cookies.slice(cookies.indexOf("=") + 1);
    return isReal(value) ? name + mask("cookie") : undefined;
  });
}

/** Returns whether a text has letters and digits, so that it is not natural language. */
function isRandomText(text: string, least: number): boolean {
  const beginning = text.slice(0, 256);
  return text.length >= least && /\d/.test(beginning) &&
    /[A-Za-z]/.test(beginning);
}

// Passwords in URLs.

/**
 * The separator after the scheme of a URL; its slashes may be escaped, as in some JSON. In the URLs
 * of Oracle's driver, all up to the slash between user and password.
 */
const SLASHES_REGEXP =
  /:(?:\/\/|\\\/\\\/)|(:oracle:[a-z]{3,4}\d?:[\w$#]{1,64}\/)/g;
const URL_USER = characterSet(/[^\s/?#@:"'`\\<>[\]]/);
/** The characters of a password. An `@` in it is often not escaped, so the last `@` ends it. */
const URL_PASSWORD = characterSet(/[^\s/?#@"'`\\<>]/);
/** A user and a password in an example. */
const EXAMPLE_REGEXP = /\buser(?:name)?:pass(?:word|wd)?$/i;

/** Masks the passwords in the URLs of a text, and user names that are tokens. */
export function maskUrls(text: string, mask: Mask): string {
  if (!text.includes("@")) return text;
  let masked = "";
  let from = 0;
  SLASHES_REGEXP.lastIndex = 0;
  for (let found; (found = SLASHES_REGEXP.exec(text)) !== null;) {
    const start = SLASHES_REGEXP.lastIndex;
    const isOracle = found[1] !== undefined;
    const userEnd = isOracle ? start - 1 : endOfUser(text, start);
    const hasPassword = isOracle || text.charAt(userEnd) === ":";
    const secretStart = hasPassword ? userEnd + 1 : start;
    let end = userEnd;
    let at = hasPassword ? endOfRun(text, secretStart, URL_PASSWORD) : userEnd;
    while (text.charAt(at) === "@") {
      end = at;
      at = hasPassword ? endOfRun(text, at + 1, URL_PASSWORD) : at + 1;
    }
    // The colon of the next URL may be the last character of this one.
    SLASHES_REGEXP.lastIndex = Math.max(start, at - 1);
    if (text.charAt(end) !== "@") continue;
    const secret = text.slice(secretStart, end);
    const isSecret = hasPassword
      ? isReal(secret) && !EXAMPLE_REGEXP.test(text.slice(start, end))
      : isToken(secret);
    if (!isSecret) continue;
    masked += text.slice(from, secretStart) +
      mask(hasPassword ? "url_password" : "url_user");
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

function endOfUser(text: string, start: number): number {
  if (!text.startsWith(PLACEHOLDER, start)) {
    return endOfRun(text, start, URL_USER);
  }
  return start + text.slice(start, start + 60).indexOf("]") + 1;
}

function isToken(text: string): boolean {
  return isRandomText(text, 20) && /^[\w-]{20}/.test(text);
}

// Passwords without a name, in command lines and settings files.

/**
 * Flags whose value is a password, without their first dash, and the programs that have them; for
 * other programs, the same letter is a port, a path or a pattern. A flag ends where the password,
 * or its quote, begins; `USER` is the user before it.
 */
const FLAGS: readonly (readonly [flag: RegExp, programs: RegExp])[] = [
  [
    /(?:[A-Za-z#]{0,8}[uU]|-(?:proxy-)?user)[= \t]{0,8}(?:USER|["'\\]{0,9}):/,
    /curl|wget/,
  ],
  [/u[ \t]{0,8}USER,/, /lftp/],
  [/a[ \t]{1,8}USER:/, /https?(?=[ \t])/],
  [/U[ \t]{0,8}USER%/, /(?:rpc|smb)client/],
  // Behind the program itself: `sshpass -p x ssh -p 2222`.
  [/(?<=sshpass[ \t]{0,4}["']?-)p[ \t]{0,8}/, /sshpass/],
  [
    /p[ \t=]{0,8}/,
    /(?:docker|podman|nerdctl|helm|oras|skopeo|buildah|crane) .{0,80}login/,
  ],
  [/h?p(?=[^\s-])/, /mariadb|mysql|7z|(?:un)?rar/],
  [
    /p[ \t]{1,8}/,
    /mongo|cqlsh|twine|(?:az|oc) login|poetry publish|supabase (?:link|db (?:dump|pull|push))|nuget add|rdesktop|psexec|user(?:add|mod)/,
  ],
  [/(?:a|-pass)[ \t]{1,8}/, /redis-cli/],
  [/w[ \t]{0,8}/, /ldap[a-z]{3,8}/],
  [/P[ \t]{0,8}/, /sqlcmd|bcp|mosquitto_|(?:un)?zip|ipmitool/],
  [/[NP][ \t]{1,8}/, /ssh-keygen/],
  [
    /[Ppw][ \t]{1,8}/,
    /security (?:import|[a-z-]{1,20}-(?:keychain|password))/,
  ],
  [/pw[ \t]{1,8}/, /plink|pscp|psftp|putty/],
  [/(?:b|-body)[ \t=]{0,8}/, /gh secret set/],
  [
    /-value[ \t=]{1,8}/,
    /keyvault secret set|put-parameter [^]{0,200}SecureString/,
  ],
  // The type may be behind the value.
  [
    /-value[ \t=]{1,8}(?=(?:[^\n;|&]|(?<=\\)\n){4,400}[ \t]--type[ \t=]["']?SecureString)/,
    /ssm put-parameter/,
  ],
  [/k[ \t]{1,8}/, /openssl enc|nuget push/],
  [/-auth[ \t=]{1,8}/, /netlify(?:-cli)?(?=[ \t])/],
  [/(?:[156]|apr1)[ \t]{1,8}(?!-)/, /openssl passwd/],
  [/pass(?:in|out|word)?[ \t]{1,8}["'\\]{0,9}pass:/, /openssl/],
];
const FLAG_RULES = [
  ...FLAGS.map(([flag, programs]) => ({
    kind: "password",
    head: new RegExp(`-${flag.source.replace("USER", WORD)}${QUOTES}`, "y"),
    programs: new RegExp(`(?<![\\w.-](?<!\\\\[nrt]))(?:${programs.source})`),
    run: UNQUOTED,
  })),
  {
    kind: "cookie",
    // Without a quotation mark, the value may be a file.
    head: /-(?:b|-cookie)[ \t=]{0,8}\\{0,8}["'](?=[\w.%-]{1,128}=[^$<{])/y,
    programs: /curl/,
    run: COOKIE.run,
  },
];
/** All programs: a text without one is read no further. */
const PROGRAMS_REGEXP = new RegExp(
  FLAGS.map(([, programs]) => programs.source).join("|"),
);
/** The beginning of all these flags: the engine finds a dash faster than a look behind. */
const FLAG_REGEXP =
  /-(?<=[\s"']-)(?:-(?:(?:proxy-)?user|auth|body|cookie|pass|value)|[A-Za-z#]{0,8}[uU]|[NPabhkpw156])/g;
/**
 * Finds the command before a flag, backwards from it. A separator in quotes does not end it, nor does
 * an escaped quotation mark.
 */
const COMMAND_REGEXP =
  /(?<=((?:[^\n;|&"']|"[^"\n]{0,400}"|'[^'\n]{0,400}'|(?<=\\\r?)\n|&(?![&\s])|\\["']){0,400})["']?)/y;

/** A program, or its flag, that reads a password from its input. */
const READER = String
  .raw`(?:sudo(?:[ \t]{1,4}-\w{1,4}(?:[ \t]root)?){0,3}[ \t]{1,4}-\w{0,4}S|chpasswd|passwd[^\n;|&<]{0,80}[ \t]--stdin|--password-stdin|--with-token|--passphrase-fd[ \t=]{1,4}0|secrets versions add|vercel env add(?![ \t]{1,4}(?:NEXT_PUBLIC_|NODE_ENV))|ansible-vault encrypt_string|[a-z]{2,10} secrets? (?:add|create|put|set))\b`;
const READER_HINT_REGEXP =
  /sudo|passwd|password-stdin|passphrase-fd|with-token|env add|encrypt_string|secrets? [acpsv]/;
/** Finds the start of a text of some characters, behind quotes, that such a program reads. */
function pipedText(quotes: string, characters: string): RegExp {
  const head = String
    .raw`(?:echo|printf)${BLANK}(?:-[en]{1,2}${BLANK})?(?:["']?%s(?:\\n)?["']?${BLANK})?${quotes}(?=${characters}{4,200}["'\\n]{0,16}[ \t]{0,8}\|[^\n;|&]{0,200}?${READER})|<<<(?<=${READER}[^\n;|&<]{0,60}<<<)[ \t]{0,8}${quotes}`;
  return new RegExp(head, "g");
}
/** In quotes, the text may have spaces. */
const PIPED = [
  {
    head: pipedText(String.raw`["'\\]{0,39}["']`, String.raw`[^"'|\r\n]`),
    run: characterSet(/[^"'\\|\r\n]/),
  },
  { head: pipedText(QUOTES, String.raw`[^\s"'|]`), run: UNQUOTED },
];

/** White space between the words of a `.netrc`; an entry may have several lines. */
const GAP = String
  .raw`(?:[ \t]{1,8}|(?:\r?\n|(?:\\{1,8}[rn]){1,2})[ \t+-]{0,16})`;
/** The beginning of an entry of a `.netrc`, unlike "the login form password check". */
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
/** An entry of a `.pgpass`: host, port, database, user and password. */
const PGPASS = {
  head:
    /^[ \t+-]{0,8}(?:[\w.*-]{1,253}|\/[\w./-]{1,200}):(?:54\d\d|6432|\*):[^\s:"'\\]{1,64}:[^\s:"'\\]{1,64}:/gm,
  run: characterSet(/[^\s"'`]/),
};
const PGPASS_HINT_REGEXP = /:(?:54\d\d|6432|\*):[^\s:]{1,64}:[^\s:]/;

/** Masks the passwords of command lines in a text. */
export function maskCommands(text: string, mask: Mask): string {
  const hide = ([head]: RegExpExecArray, run: string): string | undefined =>
    run.length >= 4 && isReal(run) ? head + mask("password") : undefined;
  let masked = maskFlags(text, mask);
  const mayBePiped = masked.includes("|") || masked.includes("<<<");
  if (mayBePiped && READER_HINT_REGEXP.test(masked)) {
    for (const piped of PIPED) masked = replaceRuns(masked, piped, hide);
  }
  if (masked.includes("login")) {
    masked = replaceRuns(masked, NETRC, (head, run) => {
      const end = head.index + head[0].length + run.length;
      // A sentence may begin with these words, and continues after the next one.
      const isEntry = head[1] !== undefined ||
        /^[ \t]*(?:[\r\n\\]|$)/.test(head.input.slice(end, end + 40));
      return isEntry ? hide(head, run) : undefined;
    });
  }
  return PGPASS_HINT_REGEXP.test(masked)
    ? replaceRuns(masked, PGPASS, hide)
    : masked;
}

/** Returns whether a list of arguments, joined by spaces, may have a password. */
export function mayBeCommand(text: string): boolean {
  return text.search(FLAG_REGEXP) !== -1 || text.search(WORD_REGEXP) !== -1;
}

/** Masks the values of flags that are passwords or cookies. */
function maskFlags(text: string, mask: Mask): string {
  let masked = "";
  let from = 0;
  let hasProgram = false;
  FLAG_REGEXP.lastIndex = 0;
  for (let found; (found = FLAG_REGEXP.exec(text)) !== null;) {
    const { index } = found;
    FLAG_REGEXP.lastIndex = index + 1;
    let command: string | undefined;
    for (const { kind, head, programs, run } of FLAG_RULES) {
      const start = sticky(head, text, index);
      if (start === index) continue;
      hasProgram ||= PROGRAMS_REGEXP.test(text);
      if (!hasProgram) return text;
      COMMAND_REGEXP.lastIndex = index;
      command ??= COMMAND_REGEXP.exec(text)?.[1] ?? "";
      if (!programs.test(command)) continue;
      const end = endOfArgument(text, index, start) ??
        endOfRun(text, start, run);
      const value = text.slice(start, end);
      if (
        value.length < 4 || !isReal(value) ||
        EXAMPLE_REGEXP.test(text.slice(index, end))
      ) continue;
      masked += text.slice(from, start) + mask(kind);
      from = end;
      FLAG_REGEXP.lastIndex = end;
      break;
    }
  }
  return from === 0 ? text : masked + text.slice(from);
}

/**
 * Returns the end of the value of a flag whose quotation mark opens between two indices, with the
 * spaces in it; `undefined` if it has none, or none that closes it on its line.
 */
function endOfArgument(
  text: string,
  flag: number,
  start: number,
): number | undefined {
  const head = text.slice(flag, start);
  const [, backslashes = "", quote = ""] = /(\\*)(["'])[^"']*$/.exec(head) ??
    [];
  // Behind a placeholder, words are kept, or redacting again would mask more.
  if (
    quote === "" || head.split(quote).length % 2 === 1 ||
    text.startsWith(PLACEHOLDER, start)
  ) return undefined;
  // A limit, or an unclosed value would be read again for each flag in it.
  const value = text.slice(start, start + LONG);
  const end = endOfQuoted(value, 0, quote, backslashes.length);
  return /^\\*["']/.test(value.slice(end)) ? start + end : undefined;
}

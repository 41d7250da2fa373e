/**
 * Names whose values are secrets.
 */

/** What is known of a name. */
export interface SecretName {
  /** What its value is called where it is counted. */
  readonly kind: string;
  /** Whether the name alone tells; other values must look like a secret too. */
  readonly isCertain: boolean;
}

const PASSWORD: SecretName = { kind: "password", isCertain: true };
const TOKEN: SecretName = { kind: "token", isCertain: true };
const SECRET: SecretName = { kind: "secret", isCertain: true };
const API_KEY: SecretName = { kind: "api_key", isCertain: true };
const PRIVATE_KEY: SecretName = { kind: "private_key", isCertain: true };

/** The last words of names, written together. */
const ENDINGS: ReadonlyMap<string, SecretName> = new Map([
  ["password", PASSWORD],
  ["passwd", PASSWORD],
  ["passphrase", PASSWORD],
  ["passcode", PASSWORD],
  ["pswd", PASSWORD],
  ["token", TOKEN],
  ["accesstoken", TOKEN],
  ["apitoken", TOKEN],
  ["authtoken", TOKEN],
  ["bearertoken", TOKEN],
  ["idtoken", TOKEN],
  ["refreshtoken", TOKEN],
  ["sessiontoken", TOKEN],
  ["secret", SECRET],
  ["appsecret", SECRET],
  ["authsecret", SECRET],
  ["clientsecret", SECRET],
  ["jwtsecret", SECRET],
  ["secretkeybase", SECRET],
  ["apikey", API_KEY],
  ["accesskey", API_KEY],
  ["accountkey", API_KEY],
  ["authkey", API_KEY],
  ["masterkey", API_KEY],
  ["secretkey", API_KEY],
  ["sharedaccesskey", API_KEY],
  ["encryptionkey", PRIVATE_KEY],
  ["privatekey", PRIVATE_KEY],
  ["signingkey", PRIVATE_KEY],
]);

/** Words that are secrets only behind another: `DB_PASS`, but not `pass`. */
const BEHIND_ANOTHER: ReadonlyMap<string, SecretName> = new Map([
  ["pass", PASSWORD],
  ["pwd", PASSWORD],
  ["creds", { ...SECRET, isCertain: false }],
  ["credential", { ...SECRET, isCertain: false }],
  ["credentials", { ...SECRET, isCertain: false }],
  ["key", { ...API_KEY, isCertain: false }],
]);

/** Words before `token` that make it one of a parser, a model or a list. */
const NO_TOKEN_REGEXP =
  /^(?:begin|bos|cancel|cancellation|cls|continuation|count|current|end|eof|eos|first|input|last|mask|max|min|next|num|output|pad|page|paging|per|prev|previous|sep|special|start|stop|sync|syntax|total|unk)$/;
/** Words behind the one that counts. */
const SUFFIX_REGEXP =
  /^(?:\d+|dev|development|live|new|old|plain|prod|production|raw|staging|test|text|val|value)$/;

/**
 * Tells whether a name is one of a secret.
 *
 * @param name A variable, key, flag or header: `FOO_TOKEN`, `apiKey`, `client-secret`.
 * @returns What is known of it; `undefined` if it is none.
 */
export function secretName(name: string): SecretName | undefined {
  const words = name.slice(-64).replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2").toLowerCase()
    .split(/[^a-z\d]+/).filter((word) => word !== "");
  while (words.length > 1 && SUFFIX_REGEXP.test(words.at(-1) ?? "")) {
    words.pop();
  }
  const last = (words.at(-1) ?? "").replace(/\d+$/, "");
  const before = words.at(-2) ?? "";
  // The npm of old keeps a user name and a password in it.
  if (name === "_auth") return PASSWORD;
  if (name === "Pwd" || name === "pwd") {
    return { ...PASSWORD, isCertain: false };
  }
  if (last === "token") {
    if (NO_TOKEN_REGEXP.test(before)) return undefined;
    return before === "" ? { ...TOKEN, isCertain: false } : TOKEN;
  }
  if (last === "secret" && before === "") {
    return { ...SECRET, isCertain: false };
  }
  // `PGPASSWORD`, `dbpassword`.
  const written = /(?:password|passwd|passphrase|apikey|secretkey)$/.exec(last)
    ?.[0];
  const found = ENDINGS.get(written ?? "") ??
    ENDINGS.get((words.at(-3) ?? "") + before + last) ??
    ENDINGS.get(before + last) ?? ENDINGS.get(last);
  if (found !== undefined) return found;
  if (last === "key") {
    // `CACHE_KEY` and `primaryKey` are none; what shouts may be one.
    return before !== "" && /^[A-Z\d_]+$/.test(name) &&
        !/^(?:cache|foreign|primary|public|sort|partition|host)$/.test(before)
      ? BEHIND_ANOTHER.get(last)
      : undefined;
  }
  return before === "" ? undefined : BEHIND_ANOTHER.get(last);
}

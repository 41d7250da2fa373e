/**
 * Tokens that are known by their shape: who issues them gave them a prefix that scanners
 * can find.
 *
 * The prefixes are those that the issuers document, or that are in the rules of
 * {@link https://github.com/gitleaks/gitleaks | gitleaks} and
 * {@link https://docs.github.com/en/code-security/secret-scanning | GitHub's secret scanning}.
 */

import type { Mask } from "./_placeholder.ts";
import {
  ALPHANUMERIC,
  BASE64,
  type CharacterSet,
  characterSet,
  DOTTED,
  replaceRuns,
  WORD,
} from "./_runs.ts";

/** A shape of tokens. */
interface TokenShape {
  /** What such a token is called where it is counted. */
  readonly kind: string;
  /** Finds what they begin with. */
  readonly head: RegExp;
  /** What the rest is made of. */
  readonly run: CharacterSet;
  /** How long the rest is at least. */
  readonly least: number;
  /** What they all hold, where the head does not begin with letters of its own. */
  readonly hint?: string;
  /** Tells a token from what only looks like one; the shape alone tells if it is absent. */
  readonly accept?: (found: string) => boolean;
}

const TILDED = characterSet(/[\w.~-]/);
const PATH = characterSet(/[\w/-]/);
const PERCENTED = characterSet(/[A-Za-z\d+/%=]/);

/**
 * The shapes, each before those that would match a part of it.
 *
 * None of them matches what stands in place of a secret.
 */
const TOKEN_SHAPES: readonly TokenShape[] = [
  { kind: "anthropic_key", head: /sk-ant-/g, run: WORD, least: 20 },
  { kind: "openrouter_key", head: /sk-or-/g, run: WORD, least: 20 },
  {
    kind: "openai_key",
    head: /sk-/g,
    run: WORD,
    least: 16,
    accept: isRandom,
  },
  {
    kind: "openai_session",
    head: /sess-/g,
    run: WORD,
    least: 36,
    accept: isRandom,
  },
  // Those of apps may have the three parts of a JWT.
  { kind: "github_token", head: /gh[pousr]_/g, run: DOTTED, least: 20 },
  { kind: "github_token", head: /github_pat_/g, run: WORD, least: 22 },
  {
    kind: "gitlab_token",
    head: /gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-/g,
    run: DOTTED,
    least: 20,
  },
  { kind: "gitlab_token", head: /GR1348941/g, run: WORD, least: 20 },
  { kind: "slack_token", head: /xox[a-eoprs]-/g, run: DOTTED, least: 10 },
  { kind: "slack_token", head: /xapp-\d-/g, run: WORD, least: 20 },
  {
    kind: "slack_webhook",
    head: /hooks\.slack\.com\/(?:services|triggers|workflows)\//g,
    run: PATH,
    least: 20,
  },
  {
    kind: "discord_webhook",
    head: /discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\//g,
    run: WORD,
    least: 20,
  },
  {
    kind: "aws_access_key_id",
    head: /A(?:3T[A-Z\d]|BIA|CCA|KIA|SIA)(?=[A-Z\d])/g,
    run: ALPHANUMERIC,
    least: 16,
    accept: (found) => /^[A-Z\d]{20}$/.test(found),
  },
  {
    kind: "google_key",
    head: /AIza/g,
    run: WORD,
    least: 35,
    accept: (found) => found.length < 48,
  },
  { kind: "google_oauth", head: /ya29\./g, run: DOTTED, least: 20 },
  { kind: "google_oauth", head: /GOCSPX-/g, run: WORD, least: 20 },
  { kind: "google_oauth", head: /1\/\/0/g, run: WORD, least: 30 },
  { kind: "jwt", head: /eyJ/g, run: DOTTED, least: 20, accept: isJwt },
  { kind: "npm_token", head: /npm_/g, run: ALPHANUMERIC, least: 30 },
  { kind: "pypi_token", head: /pypi-/g, run: WORD, least: 50 },
  { kind: "rubygems_key", head: /rubygems_/g, run: ALPHANUMERIC, least: 40 },
  {
    kind: "crates_token",
    head: /cio(?=[A-Za-z\d]{32})/g,
    run: ALPHANUMERIC,
    least: 32,
    accept: (found) => found.length === 35 && isRandom(found),
  },
  { kind: "docker_token", head: /dckr_(?:oat|pat)_/g, run: WORD, least: 20 },
  {
    kind: "stripe_key",
    head: /[rs]k_(?:live|prod|test)_/g,
    run: ALPHANUMERIC,
    least: 10,
  },
  { kind: "stripe_key", head: /whsec_/g, run: BASE64, least: 20 },
  { kind: "huggingface_token", head: /hf_/g, run: ALPHANUMERIC, least: 30 },
  {
    kind: "huggingface_token",
    head: /api_org_/g,
    run: ALPHANUMERIC,
    least: 30,
  },
  { kind: "groq_key", head: /gsk_/g, run: ALPHANUMERIC, least: 40 },
  { kind: "xai_key", head: /xai-/g, run: ALPHANUMERIC, least: 40 },
  { kind: "perplexity_key", head: /pplx-/g, run: ALPHANUMERIC, least: 32 },
  { kind: "replicate_token", head: /r8_/g, run: ALPHANUMERIC, least: 30 },
  {
    kind: "azure_secret",
    head: /[\w.~-]{3}\dQ~/g,
    run: TILDED,
    least: 31,
    hint: "Q~",
    accept: (found) => found.length <= 41,
  },
  { kind: "azure_secret", head: /sig=/g, run: PERCENTED, least: 30 },
  { kind: "digitalocean_token", head: /do[opr]_v1_/g, run: WORD, least: 40 },
  {
    kind: "databricks_token",
    head: /dapi/g,
    run: WORD,
    least: 32,
    accept: (found) => /^dapi[\da-f]{32}(?:-\d)?$/.test(found),
  },
  {
    kind: "sendgrid_key",
    head: /SG\.(?=[\w-]{16,40}\.)/g,
    run: DOTTED,
    least: 33,
  },
  {
    kind: "twilio_key",
    head: /SK(?=[\da-f]{32})/g,
    run: ALPHANUMERIC,
    least: 32,
    accept: (found) => found.length === 34,
  },
  {
    kind: "mailgun_key",
    head: /key-(?=[\da-f]{32})/g,
    run: ALPHANUMERIC,
    least: 32,
    accept: (found) => found.length === 36,
  },
  {
    kind: "telegram_token",
    head: /\d{8,10}:AA/g,
    run: WORD,
    least: 33,
    hint: ":AA",
    accept: (found) => found.length <= 46,
  },
  { kind: "vault_token", head: /hv[brs]\./g, run: DOTTED, least: 24 },
  {
    kind: "terraform_token",
    head: /[A-Za-z\d]{14}\.atlasv1\./g,
    run: WORD,
    least: 40,
    hint: ".atlasv1.",
  },
  { kind: "pulumi_token", head: /pul-(?=[\da-f]{40})/g, run: WORD, least: 40 },
  { kind: "linear_key", head: /lin_(?:api|oauth)_/g, run: WORD, least: 32 },
  { kind: "notion_token", head: /ntn_/g, run: ALPHANUMERIC, least: 40 },
  { kind: "figma_token", head: /fig[dou][rh]?_/g, run: WORD, least: 30 },
  {
    kind: "shopify_token",
    head: /shp(?:at|ca|pa|ss)_(?=[\da-fA-F]{32})/g,
    run: WORD,
    least: 32,
  },
  { kind: "supabase_key", head: /sb(?:p|_secret)_/g, run: WORD, least: 30 },
  {
    kind: "atlassian_token",
    head: /AT(?:ATT|CTT|BB)/g,
    run: BASE64,
    least: 24,
    accept: isRandom,
  },
  { kind: "age_key", head: /AGE-SECRET-KEY-1/g, run: WORD, least: 50 },
  { kind: "newrelic_key", head: /NRAK-/g, run: WORD, least: 27 },
  { kind: "grafana_token", head: /gl(?:c|sa)_/g, run: BASE64, least: 32 },
  {
    kind: "postman_key",
    head: /PMAK-(?=[\da-f]{24}-)/g,
    run: WORD,
    least: 50,
  },
  { kind: "tailscale_key", head: /tskey-/g, run: WORD, least: 20 },
  { kind: "sentry_token", head: /sntry[su]_/g, run: BASE64, least: 40 },
  {
    kind: "doppler_token",
    head: /dp\.[a-z]{2,5}\.(?=[A-Za-z\d.]{40})/g,
    run: DOTTED,
    least: 40,
  },
  { kind: "circleci_token", head: /CCIPAT_/g, run: WORD, least: 30 },
  { kind: "buildkite_token", head: /bkua_/g, run: WORD, least: 40 },
  { kind: "heroku_key", head: /HRKU-/g, run: WORD, least: 36 },
  { kind: "fly_token", head: /fm[12][ar]?_/g, run: BASE64, least: 60 },
  { kind: "onepassword_token", head: /ops_eyJ/g, run: BASE64, least: 60 },
  { kind: "jfrog_key", head: /AKCp/g, run: ALPHANUMERIC, least: 60 },
];

/** What texts with tokens hold, as expressions. */
const HINTS = TOKEN_SHAPES.map(({ head, hint }) =>
  hint?.replaceAll(".", "\\.") ?? head.source
);

/**
 * A text where nothing begins like a token holds none. What begins with the same letter stands
 * together, which takes half the time that one list takes (`deno task bench`, case `redact`).
 */
const HINT_REGEXP = new RegExp(
  [...new Set(HINTS.map(firstLetter))].map((letter) => {
    const rests = HINTS.filter((hint) => firstLetter(hint) === letter)
      .map((hint) => hint.slice(letter.length));
    return `${letter}(?:${rests.join("|")})`;
  }).join("|"),
);

/** The letter that an expression begins with; empty if that is something else. */
function firstLetter(source: string): string {
  return /^\w?/.exec(source)?.[0] ?? "";
}

/** What an escape of any kind ends in: what follows it begins anew. */
const ESCAPE_END_REGEXP =
  /(?:\\(?:[nrtbfv]|u[\da-f]{4}|x[\da-f]{2})|%[\da-f]{2}|\[[\d;]{0,12}[a-z])$/i;
const WORD_REGEXP = /[\w-]/;

/**
 * Masks the tokens in a text.
 *
 * @param text The text.
 * @param mask Gives what stands in place of a token.
 * @returns The text without the tokens.
 */
export function maskTokens(text: string, mask: Mask): string {
  if (!HINT_REGEXP.test(text)) return text;
  let masked = text;
  for (const shape of TOKEN_SHAPES) {
    const { kind, least, hint, accept } = shape;
    if (hint !== undefined && !masked.includes(hint)) continue;
    const before = masked;
    masked = replaceRuns(before, shape, ([head], run) => {
      if (run.length < least) return undefined;
      return accept?.(head + run) === false ? undefined : mask(kind);
    }, { mayStartAt: (index) => startsAnew(before, index) });
  }
  return masked;
}

/** Whether no word goes on at an index: what is inside a longer run of letters is no token. */
function startsAnew(text: string, at: number): boolean {
  return at === 0 || !WORD_REGEXP.test(text.charAt(at - 1)) ||
    ESCAPE_END_REGEXP.test(text.slice(Math.max(0, at - 16), at));
}

/** Whether there is a stretch in a text that no word of a language would have. */
function isRandom(text: string): boolean {
  const beginning = text.slice(0, 256);
  return /[A-Za-z\d]{12}/.test(beginning) && /\d/.test(beginning) &&
    /[A-Za-z]/.test(beginning.slice(beginning.indexOf("-") + 1));
}

/** Whether a text is a JSON Web Token, or enough of one. */
function isJwt(text: string): boolean {
  const [head = "", body = "", signature = ""] = text.split(".", 3);
  if (head.length < 9) return false;
  if (signature.length >= 8) return body.length >= 8;
  return /^eyJ(?:hbGc|0eXA|raWQ|lbmM)/.test(head) && body.startsWith("eyJ") &&
    body.length >= 20;
}

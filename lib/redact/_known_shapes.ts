/**
 * Finds tokens by their shape: issuers give them prefixes that scanners can find.
 *
 * The shapes are documented by the issuers, or come from the rules of
 * {@link https://github.com/gitleaks/gitleaks | gitleaks},
 * {@link https://github.com/secretlint/secretlint | secretlint} and
 * {@link https://docs.github.com/en/code-security/secret-scanning | GitHub's secret scanning}.
 * `tests/redact/families.ts` has examples of each, and `docs/redact.md` lists them.
 */

import { latin1OfBase64 } from "../json/bytes.ts";
import type { Mask } from "./_placeholder.ts";
import {
  ALPHANUMERIC,
  ASCII,
  BASE64,
  type CharacterSet,
  characterSet,
  DOTTED,
  endOfRun,
  WORD,
} from "./_runs.ts";

/** Further conditions of a shape. */
interface Further {
  /** Matches the part of the token before the head; ends in `$`. */
  readonly before?: RegExp;
  /** Checks the whole token. */
  readonly accept?: (token: string) => boolean;
  /** Whether no letter may precede the `before` part, which is not distinctive itself. */
  readonly isWord?: boolean;
}

/**
 * A shape: the kind that its tokens are counted as; a regular expression for the head, which
 * begins with a literal character or a choice of some, of which none has a `|` itself; the
 * characters of the run after the head;
 * the minimum length of that run, or also the maximum: a longer run is not a token.
 */
type TokenShape = readonly [
  kind: string,
  head: string,
  run: CharacterSet,
  length: number | readonly [least: number, most: number],
  further?: Further,
];

const TILDED = characterSet(/[\w.~-]/);
const PATH = characterSet(/[\w/-]/);
const ADDRESS = characterSet(/[\w/@.-]/);
const PERCENTED = characterSet(/[A-Za-z\d+/%=]/);
const EQUALED = characterSet(/[\w.=-]/);
const PLUSSED = characterSet(/[A-Za-z\d+/=]/);
const DOLLARED = characterSet(/[\w$]/);
/** The characters of base64, of its escapes in URLs, and of dots. */
const ENCODED = characterSet(/[\w%+/.=-]/);
/** The characters of parts of base64, and of the colons between them. */
const COLONED = characterSet(/[\w:+/.=-]/);

/** Letters and digits alternate more often than in words and names. */
const MIXED: Further = { accept: isMixed };
/** The token contains a run of letters and digits that is not a word of natural language. */
const RANDOM: Further = { accept: isRandom };
/** The token contains such a run, or the number of a team or user. */
const NUMBERED: Further = {
  accept: (token) => /\d{8}/.test(token.slice(0, 64)) || isRandom(token),
};
/** Mixed, and with capitals: not a name with a hash or a UUID, as tests in clusters give. */
const CAPITALED: Further = {
  accept: (token) => isMixed(token) && /[A-Z]/.test(token),
};

/** The surroundings of the mark in keys of 64 bytes. */
const LONG_AZURE: Further = {
  before: /[A-Za-z\d+/]{76}$/,
  accept: (token) => token.endsWith("=="),
};

/**
 * The shapes. If several match at one index, the first one counts. None of them matches a
 * placeholder.
 */
const TOKEN_SHAPES: readonly TokenShape[] = [
  // Models
  ["anthropic_key", "sk-ant-", WORD, 20],
  ["openrouter_key", "sk-or-", WORD, 20],
  ["openai_key", "sk-", WORD, 16, RANDOM],
  ["openai_session", "sess-", WORD, 36, RANDOM],
  ["aws_bedrock_key", "ABSK", PLUSSED, 60, MIXED],
  ["aws_bedrock_key", "bedrock-api-key-", PLUSSED, 40],
  ["google_key", "AIza", WORD, [35, 43]],
  ["google_key", "AQ\\.", WORD, 30, MIXED],
  ["huggingface_token", "hf_", ALPHANUMERIC, 30],
  ["huggingface_token", "api_org_", ALPHANUMERIC, 30],
  ["huggingface_token", "hf_(?:jwt|oauth)_", DOTTED, 40],
  ["groq_key", "gsk_", ALPHANUMERIC, 40],
  ["xai_key", "xai-", WORD, 40, MIXED],
  ["perplexity_key", "pplx-", ALPHANUMERIC, 32],
  ["replicate_token", "r8_", ALPHANUMERIC, 30],
  ["nvidia_key", "nvapi-", WORD, 40],
  ["langsmith_key", "lsv2_[a-z]{2}_", WORD, 32],
  ["langsmith_key", "ls__(?=[\\da-f]{32})", ALPHANUMERIC, [32, 32]],
  ["langfuse_key", "pk-lf-", WORD, 32],
  ["tavily_key", "tvly-", WORD, 20, RANDOM],
  ["fireworks_key", "fw_", ALPHANUMERIC, [20, 40], MIXED],
  ["context7_key", "ctx7sk-", WORD, 20],
  ["cerebras_key", "csk-", ALPHANUMERIC, 32, MIXED],
  ["together_key", "tgp_v1_", WORD, 32],
  ["pinecone_key", "pcsk_", WORD, 40],
  ["jina_key", "jina_", WORD, 40],
  ["firecrawl_key", "fc-(?=[\\da-f]{32})", ALPHANUMERIC, [32, 32]],
  ["runpod_key", "rpa_", ALPHANUMERIC, 36],
  ["e2b_key", "e2b_(?=[\\da-f]{40})", ALPHANUMERIC, 40],
  ["daytona_key", "dtn_(?=[\\da-f]{60})", ALPHANUMERIC, 60],
  ["modal_token", "a[ks]-", ALPHANUMERIC, [22, 22], CAPITALED],
  ["wandb_key", "wandb_v1_", WORD, 60],
  ["llamacloud_key", "llx-", ALPHANUMERIC, 40],
  ["voyage_key", "pa-", WORD, [43, 43], CAPITALED],
  ["chroma_key", "ck-", ALPHANUMERIC, [43, 44], CAPITALED],
  ["turbopuffer_key", "tpuf_", ALPHANUMERIC, 30],
  ["mem0_key", "m0-", ALPHANUMERIC, [40, 40], CAPITALED],
  ["chutes_key", "cpk_(?=[\\da-f]{32}\\.)", DOTTED, 60],
  ["cursor_key", "crsr_", ALPHANUMERIC, 40],
  // A prefix that Cursor and others use.
  ["api_key", "key_(?=[\\da-f]{64})", ALPHANUMERIC, 64],
  ["devin_key", "apk_(?:user_)?", PLUSSED, 80, MIXED],
  ["devin_key", "cog_(?=[a-z2-7]{52})", ALPHANUMERIC, [52, 52], RANDOM],
  ["browserbase_key", "bb_(?:live|test)_", WORD, 27, MIXED],
  ["apify_token", "apify_api_", ALPHANUMERIC, 30],
  ["scrapfly_key", "scp-(?:live|test)-", ALPHANUMERIC, 32],
  // Code hosting, packages and builds
  // Tokens of apps may have the three parts of a JWT.
  ["github_token", "gh[pousr]_", DOTTED, 20],
  ["github_token", "github_pat_", WORD, 22],
  [
    "gitlab_token",
    "gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-",
    DOTTED,
    20,
  ],
  ["gitlab_token", "GR1348941", WORD, 20],
  ["atlassian_token", "AT(?:ATT|CTT|BB)", BASE64, 24, RANDOM],
  ["trello_token", "ATTA(?=[\\da-f]{60})", ALPHANUMERIC, 60],
  [
    "sourcegraph_token",
    "s(?:gp|gd|lk)_(?:[\\da-f]{16}_|local_)?(?=[\\da-f]{40})",
    ALPHANUMERIC,
    [40, 64],
    { accept: (token) => /_[\da-f]+$/.test(token) },
  ],
  ["sourcegraph_token", "sgamp_", WORD, 40, MIXED],
  [
    "jetbrains_token",
    "perm[:-](?=[\\w=-]{4,80}\\.[\\w=-]{4,80}\\.[\\w=-]{20})",
    EQUALED,
    40,
    MIXED,
  ],
  ["npm_token", "npm_", ALPHANUMERIC, 30],
  ["jsr_token", "jsr[dp]_", ALPHANUMERIC, 24, MIXED],
  ["pypi_token", "pypi-", WORD, 50],
  ["rubygems_key", "rubygems_", ALPHANUMERIC, 40],
  ["crates_token", "cio(?=[A-Za-z\\d]{32})", ALPHANUMERIC, [32, 32], RANDOM],
  ["nuget_key", "oy2(?=[a-z\\d]{43})", ALPHANUMERIC, [43, 43], RANDOM],
  ["clojars_token", "CLOJARS_", ALPHANUMERIC, 50],
  ["packagist_token", "packagist_[a-z]{3}_", WORD, 40],
  ["docker_token", "dckr_(?:oat|pat)_", WORD, 20],
  ["jfrog_key", "AKCp", ALPHANUMERIC, 60],
  ["jfrog_key", "cmVmd(?=[A-Za-z\\d]{59})", ALPHANUMERIC, [59, 59]],
  ["circleci_token", "CCI(?:PAT|PRJ)_", WORD, 30],
  ["buildkite_token", "bk(?:aj|ct|pt|ua|pk)_", WORD, 36],
  ["octopus_key", "API-(?=[A-Z\\d]{25})", ALPHANUMERIC, [25, 32], {
    accept: (token) => /^API-[A-Z\d]+$/.test(token) && /\d/.test(token),
  }],
  ["harness_token", "[ps]at\\.(?=[\\w-]{22}\\.[\\dA-Za-z]{24}\\.)", DOTTED, 60],
  ["sonar_token", "sq[apu]_(?=[\\da-f]{40})", ALPHANUMERIC, [40, 40]],
  ["snyk_token", "snyk_[a-z]{3}\\.", DOTTED, 40],
  ["socket_token", "sktsec_", WORD, 40],
  ["aikido_token", "AIK_(?:CI|SECRET)_", ALPHANUMERIC, 20],
  ["chromatic_token", "chpt_", ALPHANUMERIC, 12],
  // Clouds
  ["aws_access_key_id", "A(?:3T[A-Z\\d]|BIA|CCA|KIA|SIA)", ALPHANUMERIC, [
    16,
    16,
  ], { accept: (token) => /^[A-Z\d]+$/.test(token) }],
  ["aws_session_token", "(?:IQoJb3JpZ2luX2Vj|F[Qw]oGZXIvYXdz)", ENCODED, 100],
  ["amazon_token", "amzn1\\.oa2-cs\\.v1\\.", ALPHANUMERIC, 60],
  ["amazon_token", "Atz[ar]\\|", BASE64, 60],
  ["google_oauth", "ya29\\.", DOTTED, 20],
  ["google_oauth", "GOCSPX-", WORD, 20],
  ["google_oauth", "1//0", WORD, 30],
  ["url_signature", "X-(?:Amz|Goog)-Signature=", ALPHANUMERIC, 64],
  ["google_key", "AAAA[\\w-]{7}:", WORD, 100],
  ["azure_secret", "Q~", TILDED, [31, 35], {
    before: /(?<![.~])[\w.~-]{3}\d$/,
    isWord: true,
  }],
  ["azure_secret", "sig=", PERCENTED, 30],
  ["azure_key", "AZDO", ALPHANUMERIC, [4, 4], { before: /[A-Za-z\d]{76}$/ }],
  ["azure_key", "JQQJ9[9D]", ALPHANUMERIC, [26, 28], {
    before: /[A-Za-z\d]{52}$/,
  }],
  ["azure_key", "AzSe[A-D]", PLUSSED, [5, 5], {
    before: /[A-Za-z\d+/]{42}$/,
  }],
  ["azure_key", "\\+ACR[A-D]", PLUSSED, [5, 5], {
    before: /[A-Za-z\d+/]{42}$/,
  }],
  ["azure_key", "A(?:IoT|zCa)[A-P]", PLUSSED, [6, 6], {
    before: /[A-Za-z\d+/]{33}$/,
    accept: (token) => token.endsWith("="),
  }],
  ["azure_key", "AzFu", PLUSSED, [5, 10], { before: /[\w-]{44}$/ }],
  ["azure_key", "A(?:CDb|PIM)", PLUSSED, [6, 8], LONG_AZURE],
  ["azure_key", "\\+A(?:St|MC|Ba)", PLUSSED, [6, 8], LONG_AZURE],
  ["azure_key", "\\+A(?:Sb|Eh|Rm)", PLUSSED, [6, 8], {
    before: /[A-Za-z\d+/]{33}$/,
    accept: (token) => token.endsWith("="),
  }],
  ["alibaba_key", "LTAI", ALPHANUMERIC, [12, 26], MIXED],
  ["tencent_key", "AKID", ALPHANUMERIC, [32, 40], MIXED],
  ["volcengine_key", "AKLT", ALPHANUMERIC, [40, 60], MIXED],
  ["baidu_key", "bce-v3/ALTAK-", PATH, 40],
  ["yandex_key", "AQVN", WORD, [35, 40], MIXED],
  ["yandex_key", "t1\\.[\\w-]{1,300}={0,2}\\.(?=[\\w-]{86})", EQUALED, 86],
  ["yandex_key", "y[0-3]_", WORD, 50, MIXED],
  ["digitalocean_token", "do[opr]_v1_", WORD, 40],
  ["databricks_token", "dapi", WORD, 32, {
    accept: (token) => /^dapi[\da-fA-F]{32}(?:-\d)?$/.test(token),
  }],
  ["databricks_token", "dose", ALPHANUMERIC, [32, 32], MIXED],
  ["cloudflare_token", "v1\\.0-(?=[\\da-f]{24}-[\\da-f]{40})", WORD, 100],
  ["cloudflare_token", "cf(?:at|ut|k)_", WORD, 36, MIXED],
  ["cloudflare_token", "eyJhIjoi", BASE64, 90],
  ["heroku_key", "HRKU-", WORD, 36],
  ["fly_token", "fm[12][ar]?_", BASE64, 60],
  ["fly_token", "fo1_", WORD, 40],
  ["vercel_token", "vc[aipkr]_", WORD, 20, MIXED],
  ["vercel_token", "vercel_blob_rw_", WORD, 30],
  ["deno_token", "dd[op]_", ALPHANUMERIC, 34, MIXED],
  ["render_key", "rnd_", ALPHANUMERIC, 26, MIXED],
  ["netlify_token", "nf[bcopu]_", ALPHANUMERIC, 30, MIXED],
  ["upcloud_token", "ucat_", ALPHANUMERIC, 24],
  ["scalingo_token", "tk-us-", WORD, 40],
  ["akamai_token", "akab-(?=[a-z\\d]{16}-)", WORD, 33],
  ["terraform_token", "\\.atlasv1\\.", WORD, 40, { before: /[A-Za-z\d]{14}$/ }],
  ["vault_token", "hv[brs]\\.", DOTTED, 24],
  ["vault_token", "s\\.(?=[A-Za-z\\d]{24})", ALPHANUMERIC, [24, 24], {
    accept: (token) => isMixed(token, 0.4) && /\d/.test(token),
  }],
  ["doppler_token", "dp\\.[a-z]{2,5}\\.(?=[A-Za-z\\d.]{40})", DOTTED, 40],
  ["infisical_token", "st\\.(?=[\\da-f]{24}\\.[\\da-f]{32}\\.)", DOTTED, 80],
  ["pulumi_token", "pul-(?=[\\da-f]{40})", WORD, 40],
  ["prefect_token", "pn[bu]_", ALPHANUMERIC, 30],
  ["onepassword_token", "ops_eyJ", BASE64, 60],
  ["onepassword_key", "A3-(?=[A-Z\\d]{6}-)", WORD, 30, {
    accept: (token) => /^A3(?:-[A-Z\d]{5,11}){4,6}$/.test(token),
  }],
  [
    "bitwarden_token",
    "0\\.(?=[\\da-f]{8}-[\\da-f]{4}-[\\da-f-]{22}\\.)",
    COLONED,
    80,
  ],
  ["age_key", "AGE-SECRET-KEY-1", WORD, 50],
  ["tailscale_key", "tskey-", WORD, 20],
  // An id that begins with its time, in years since 2021, and a random part.
  [
    "ngrok_token",
    "[23](?=[A-Za-z\\d]{26}_[A-Za-z\\d]{20})",
    WORD,
    [47, 48],
    CAPITALED,
  ],
  ["rancher_token", "token-[a-z\\d]{5}:", ALPHANUMERIC, [54, 54]],
  ["k3s_token", "K10(?=[\\da-f]{64}::)", COLONED, 70],
  ["ory_token", "ory_[a-z]{2,3}_", DOTTED, 32, MIXED],
  ["netbird_token", "nbp_", ALPHANUMERIC, 30],
  ["defined_key", "dnkey-", WORD, 40],
  ["openshift_token", "sha256~", WORD, [43, 43]],
  ["dynatrace_token", "dt0[a-z]\\d\\d\\.", DOTTED, 40],
  ["newrelic_key", "NR(?:AK|BR|II|IQ|JS|LS|MA|RA|SP)-", WORD, 19],
  // Old tokens are base64 of JSON that begins with `{"k":"…`.
  ["grafana_token", "eyJrIjoi", PLUSSED, 50],
  ["grafana_token", "gl(?:c|sa)_", BASE64, 32],
  ["sentry_token", "sntry[su]_", BASE64, 40],
  ["honeycomb_key", "hc[a-z]{2,3}_(?=[a-z\\d]{26})", ALPHANUMERIC, 40],
  ["axiom_token", "xa[ap]t-(?=[\\da-f]{8}-)", WORD, 36],
  ["launchdarkly_key", "LD[A-Z]{2,4}-", WORD, 36, RANDOM],
  ["posthog_key", "ph[acrsx]_", WORD, 30, MIXED],
  ["stytch_secret", "secret-(?:live|test)-", EQUALED, 36, CAPITALED],
  ["inngest_key", "signkey-[a-z]{4,10}-(?=[\\da-f]{32})", ALPHANUMERIC, 32],
  ["trigger_key", "tr_(?:dev|pat|preview|prod|stg)_", ALPHANUMERIC, 20, MIXED],
  ["launchdarkly_key", "sdk-(?=[\\da-f]{8}-[\\da-f]{4}-4)", WORD, [36, 36]],
  ["logfire_token", "pylf_v\\d_[a-z]{2,8}_", ALPHANUMERIC, 40],
  ["statsig_key", "secret-", ALPHANUMERIC, 40, MIXED],
  ["segment_token", "sgp_", ALPHANUMERIC, 60],
  // Databases
  ["planetscale_token", "pscale_[a-z]{2,10}_", EQUALED, 30],
  ["supabase_key", "sb(?:p|_secret)_", WORD, 30],
  ["neon_key", "napi_", ALPHANUMERIC, 40],
  // Passwords of roles.
  ["neon_key", "npg_", ALPHANUMERIC, [12, 16], {
    accept: (token) => isMixed(token, 0.3),
  }],
  ["mongodb_secret", "mdb_sa_sk_", WORD, 40],
  ["cockroach_key", "CCDB1_", WORD, 60],
  ["xata_key", "xau_", ALPHANUMERIC, 38],
  ["astra_token", "AstraCS:", COLONED, 80],
  ["tinybird_token", "p\\.(?=eyJ)", DOTTED, 60],
  // The base64 of `{"v2":`.
  ["convex_key", "eyJ2MiI6", BASE64, 60],
  ["clickhouse_key", "4b1d(?=[A-Za-z\\d]{38})", ALPHANUMERIC, [38, 38], {
    accept: (token) => isMixed(token) && /[G-Zg-z]/.test(token),
  }],
  ["airtable_token", "pat(?=[A-Za-z\\d]{14}\\.[\\da-f]{64})", DOTTED, [79, 79]],
  ["confluent_key", "cflt", PLUSSED, 56, MIXED],
  ["elastic_key", "essu_", EQUALED, 40],
  ["dbt_token", "dbt[cu]_", EQUALED, 36, MIXED],
  ["aiven_token", "aivenv1", PLUSSED, 60],
  // Mail, chat and telephones
  // Of a session, as in a cookie.
  ["slack_token", "xoxd-", ENCODED, 10, NUMBERED],
  ["slack_token", "x(?:ox[a-eoprs]|wfp)-", DOTTED, 10, NUMBERED],
  ["slack_token", "xapp-\\d-", WORD, 20],
  [
    "slack_webhook",
    "hooks\\.slack\\.com/(?:services|triggers|workflows)/",
    PATH,
    20,
  ],
  ["teams_webhook", "webhook\\.office\\.com/webhookb2/", ADDRESS, 40],
  ["zapier_webhook", "hooks\\.zapier\\.com/hooks/catch/", PATH, 10],
  [
    "discord_webhook",
    "discord(?:app)?\\.com/api/webhooks/\\d{5,25}/",
    WORD,
    20,
  ],
  [
    "discord_token",
    "[MNO](?=[\\w-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27})",
    DOTTED,
    [57, 80],
    { accept: isDiscordToken },
  ],
  ["telegram_token", ":AA", WORD, [30, 38], { before: /(?<!\d)\d{6,12}$/ }],
  ["sendgrid_key", "SG\\.(?=[\\w-]{16,40}\\.)", DOTTED, 33],
  ["brevo_key", "x(?:key|smtp)sib-", WORD, 60],
  ["resend_key", "re_(?=[A-Za-z\\d]{6,12}_)", WORD, 27, MIXED],
  ["mailchimp_key", "[0123456789abcdef][\\da-f]{31}-us\\d", WORD, [0, 1]],
  [
    "mailgun_key",
    "[0123456789abcdef][\\da-f]{31}-(?=[\\da-f]{8}-[\\da-f]{8})",
    WORD,
    [17, 17],
  ],
  ["mailersend_token", "mlsn\\.", ALPHANUMERIC, 60],
  ["onesignal_key", "os_v2_(?:app|org)_", ALPHANUMERIC, 60],
  ["intercom_token", "dG9rO[g-v]", BASE64, 50],
  ["mailgun_key", "key-(?=[\\da-f]{32})", ALPHANUMERIC, [32, 32]],
  ["twilio_key", "SK(?=[\\da-f]{32})", ALPHANUMERIC, [32, 32]],
  // Payments and shops
  // Others with this prefix also have dashes.
  ["stripe_key", "[rs]k_(?:dev|live|prod|sbox|test)_", WORD, 24, RANDOM],
  ["stripe_key", "[rs]k_(?:live|prod|test)_", ALPHANUMERIC, 10],
  ["stripe_key", "whsec_", BASE64, 20],
  // A prefix of Stripe that others use, too.
  ["api_key", "sk_", ALPHANUMERIC, 24, MIXED],
  ["api_key", "sk_[a-z]{2,8}_", ALPHANUMERIC, 20, MIXED],
  ["square_token", "EAAA", WORD, [60, 60], MIXED],
  ["square_token", "sq0[a-z]{3}-", WORD, 22],
  ["paypal_token", "access_token\\$(?:production|sandbox)\\$", DOLLARED, 40],
  ["plaid_token", "access-(?:development|production|sandbox)-", WORD, 36],
  ["flutterwave_key", "FLWSECK(?:_TEST)?-", WORD, 12, MIXED],
  ["lob_key", "(?:live|test)_(?=[\\da-f]{35})", ALPHANUMERIC, [35, 35]],
  ["paddle_key", "pdl_(?:live|sdbx)_apikey_", WORD, 40],
  ["xendit_key", "xnd_(?:development|production)_", WORD, 30],
  ["midtrans_key", "(?:SB-Mid|Mid)-server-", WORD, 20, MIXED],
  [
    "mercadopago_token",
    "(?:APP_USR|TEST)-\\d{10,20}-\\d{6}-(?=[\\da-f]{32})",
    WORD,
    32,
  ],
  ["polar_token", "polar_[a-z]{2,4}_", WORD, 36, MIXED],
  ["duffel_token", "duffel_(?:live|test)_", EQUALED, 40],
  ["easypost_key", "EZ[AT]K", ALPHANUMERIC, [54, 54]],
  ["shippo_token", "shippo_(?:live|test)_", ALPHANUMERIC, 40],
  [
    "shopify_token",
    "shp(?:at|ca|pa|rt|ss|tka|ua)_(?=[\\da-fA-F]{32})",
    WORD,
    32,
  ],
  // Tools for writing, design and planning
  ["linear_key", "lin_(?:api|oauth)_", WORD, 32],
  ["notion_token", "ntn_", ALPHANUMERIC, 40],
  ["notion_token", "secret_", ALPHANUMERIC, [43, 43], MIXED],
  ["figma_token", "fig[dou][rh]?_", WORD, 30],
  ["canva_secret", "cnvca", WORD, [51, 51], MIXED],
  ["plane_key", "plane_api_", ALPHANUMERIC, 32],
  ["retool_token", "retool_01", ALPHANUMERIC, 24],
  ["zoho_token", "1000\\.(?=[\\da-f]{32}\\.[\\da-f]{32})", DOTTED, [65, 65]],
  ["salesforce_token", "00D[A-Za-z\\d]{12,15}!", DOTTED, 60],
  ["linkedin_secret", "WPL_AP[01]\\.", ENCODED, 20],
  ["postman_key", "PMAK-(?=[\\da-f]{24}-)", WORD, 50],
  ["facebook_token", "EAA[A-Z]", ALPHANUMERIC, 80, MIXED],
  ["facebook_token", "\\|(?=[\\w-]{26})", WORD, [26, 40], {
    before: /(?<!\d)\d{15,17}$/,
    accept: (token) => isMixed(token.slice(token.indexOf("|"))),
  }],
  ["adobe_secret", "p8e-", WORD, 32],
  ["asana_token", "[12]/\\d{12,20}(?:/\\d{12,20})?:", ALPHANUMERIC, 32],
  ["clickup_token", "pk_\\d{6,10}_(?=[A-Z\\d]{32})", ALPHANUMERIC, 32],
  ["contentful_token", "CFPAT-", WORD, 40],
  ["dropbox_token", "sl\\.(?=[\\w.-]{100})", DOTTED, 100],
  ["frameio_token", "fio-u-", EQUALED, 60],
  ["hubspot_token", "pat-[a-z]{2}\\d-(?=[\\da-f]{8}-)", WORD, 36],
  ["infracost_key", "ico-", ALPHANUMERIC, [32, 32]],
  ["intra42_secret", "s-s4t2(?:ud|af)-", WORD, 60],
  ["mapbox_token", "[ps]k\\.(?=eyJ)", DOTTED, 60],
  ["maxmind_key", "_mmk", ALPHANUMERIC, [0, 0], {
    before: /[A-Za-z\d]{6}_[A-Za-z\d]{29}$/,
  }],
  ["readme_key", "rdme_", WORD, 60],
  ["settlemint_token", "sm_[aps]at_", ALPHANUMERIC, 16],
  ["typeform_token", "tfp_", EQUALED, 40],
  [
    "authress_key",
    "(?:sc|ext|scauth|authress)_(?=[A-Za-z\\d]{5,30}\\.[A-Za-z\\d]{4,6}\\.acc[_-])",
    characterSet(/[\w.=+/-]/),
    50,
  ],
  // Of any issuer
  ["jwt", "eyJ", DOTTED, 20, { accept: isJwt }],
  // A JWT in base64, as in Kubernetes secrets.
  ["jwt", "ZXlK", BASE64, 40, { accept: (token) => isJwt(fromBase64(token)) }],
  // A private key in PEM, in base64, as in Kubernetes secrets.
  ["private_key", "LS0tLS1CRUdJTi", BASE64, 40, { accept: isEncodedKey }],
];

interface Shape extends Further {
  readonly kind: string;
  readonly head: RegExp;
  readonly run: CharacterSet;
  readonly least: number;
  readonly most: number;
  /** Whether the head may occur by chance in the base64 of other data. */
  readonly isBare: boolean;
}

/** The shapes by the code of the first character of their head, in order. */
const SHAPES: readonly (readonly Shape[] | undefined)[] = shapesByCharacter();

function shapesByCharacter(): (Shape[] | undefined)[] {
  const shapes: (Shape[] | undefined)[] = new Array(ASCII).fill(undefined);
  for (const [kind, head, run, length, further] of TOKEN_SHAPES) {
    const [least, most] = typeof length === "number"
      ? [length, Infinity]
      : length;
    const shape = {
      ...further,
      kind,
      head: new RegExp(head, "y"),
      run,
      least,
      most,
      isBare: !/[^A-Za-z\d]/.test(
        head.replace(/\(\?=.*$/, "").replace(/\[[^\]]*\]|\(\?:|[|)]/g, ""),
      ),
    };
    const codes = begun(head).map(([character]) =>
      character.charCodeAt(character.length - 1)
    );
    for (const code of new Set(codes)) (shapes[code] ??= []).push(shape);
  }
  return shapes;
}

/** Returns each possible first character of an expression, still escaped, and the rest after it. */
function begun(head: string): (readonly [character: string, rest: string])[] {
  const [, set, choices, character = "", rest = ""] =
    /^(?:\[(\w+)\]|\(\?:([^()]+)\)|(\\?.))(.*)$/.exec(head) ?? [];
  return choices === undefined
    ? Array.from(set ?? [character], (one) => [one, rest])
    : choices.split("|").flatMap((choice) => begun(choice + rest));
}

/**
 * An expression for all heads at the start of tokens. Heads with the same first character are
 * grouped, which halves the time of a plain list (`deno task bench`, case `redact`).
 */
const HEADS = [
  ...TOKEN_SHAPES.filter(([, , , , further]) => further?.before === undefined)
    .flatMap(([, head]) => begun(head))
    .reduce(
      (heads, [character, rest]) =>
        heads.set(character, [...heads.get(character) ?? [], rest]),
      new Map<string, readonly string[]>(),
    ),
].map(([character, rests]) => `${character}(?:${rests.join("|")})`).join("|");

/** An escape sequence of any kind: a token may begin directly after it. */
const ESCAPE = String
  .raw`\\(?:[nrtbfv]|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2})|%[\dA-Fa-f]{2}|\[[\d;]{0,12}[A-Za-z]`;

/** Finds heads at the start of a word; all of these heads begin with a letter or digit. */
const BEGINNING_REGEXP = new RegExp(`\\b(?<!-)(?:${HEADS})`, "g");
/** Finds escapes directly before a head: the match ends at the head. */
const ESCAPED_REGEXP = new RegExp(
  `(?:${ESCAPE})(?=${HEADS})`,
  "g",
);
/** Finds heads in the middle of a token. */
const INNER_REGEXP = new RegExp(
  TOKEN_SHAPES.filter(([, , , , further]) => further?.before !== undefined)
    .map(([, head]) => head).join("|"),
  "g",
);
const ESCAPE_END_REGEXP = new RegExp(`(?:${ESCAPE})$`);
const WORD_REGEXP = /[\w-]/;
/** The number of characters before a head that are examined. */
const MARGIN = 96;
/** Parts of stand-ins for tokens: `ghp_xxxxxxxx`, `sk-ant-your-key-here`. */
const STAND_IN_REGEXP = /x{8}|[_-]your[_-]/i;
/** The number of characters of a token that are passed to `accept`. */
const LONG = 4096;

/** Masks the tokens in a text. */
export function maskTokens(text: string, mask: Mask): string {
  const heads = headsIn(text);
  if (heads.length === 0) return text;
  const runs = new Runs(text);
  let masked = "";
  let from = 0;
  for (const head of heads) {
    if (head < from) continue;
    const token = tokenAt(text, head, from, runs);
    if (token === undefined) continue;
    masked += text.slice(from, token.start) + mask(token.kind);
    from = token.end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** Returns the indices of possible heads of tokens in a text, in order. */
function headsIn(text: string): number[] {
  const heads: number[] = [];
  BEGINNING_REGEXP.lastIndex = 0;
  for (let found; (found = BEGINNING_REGEXP.exec(text)) !== null;) {
    heads.push(found.index);
    // If this is not a token, another head may begin inside of it.
    BEGINNING_REGEXP.lastIndex = found.index + 1;
  }
  const words = heads.length;
  ESCAPED_REGEXP.lastIndex = 0;
  while (ESCAPED_REGEXP.test(text)) heads.push(ESCAPED_REGEXP.lastIndex);
  INNER_REGEXP.lastIndex = 0;
  for (let found; (found = INNER_REGEXP.exec(text)) !== null;) {
    heads.push(found.index);
  }
  return heads.length === words ? heads : heads.sort((a, b) => a - b);
}

/** Caches the ends of runs, so that a run with many heads in it is read only once. */
class Runs {
  readonly #text: string;
  readonly #known = new Map<CharacterSet, { start: number; end: number }>();

  constructor(text: string) {
    this.#text = text;
  }

  endOf(start: number, set: CharacterSet): number {
    const known = this.#known.get(set);
    if (known !== undefined && known.start <= start && start < known.end) {
      return known.end;
    }
    const end = endOfRun(this.#text, start, set);
    this.#known.set(set, { start, end });
    return end;
  }
}

/** Returns the token with its head at an index, if it does not start before `from`. */
function tokenAt(
  text: string,
  index: number,
  from: number,
  runs: Runs,
): { kind: string; start: number; end: number } | undefined {
  let isNew: boolean | undefined;
  for (const shape of SHAPES[text.charCodeAt(index)] ?? []) {
    const { kind, head, run, least, most, before, accept } = shape;
    if (before === undefined) {
      isNew ??= startsAnew(text, index);
      if (!isNew) continue;
    }
    head.lastIndex = index;
    if (!head.test(text)) continue;
    const runStart = head.lastIndex;
    let start = index;
    if (before !== undefined) {
      const margin = text.slice(Math.max(from, index - MARGIN), index);
      const front = before.exec(margin);
      if (front === null) continue;
      start -= margin.length - front.index;
      if (shape.isWord === true && !startsAnew(text, start)) continue;
    }
    const end = runs.endOf(runStart, run);
    const length = end - runStart;
    if (length < least || length > most) continue;
    const token = text.slice(start, Math.min(end, start + LONG));
    if (STAND_IN_REGEXP.test(token) || accept?.(token) === false) continue;
    if (shape.isBare && isInBase64(text, start, end)) continue;
    return { kind, start, end };
  }
  return undefined;
}

/** Returns whether a word may begin at an index: a head inside of a longer word is not a token. */
function startsAnew(text: string, at: number): boolean {
  return at === 0 || !WORD_REGEXP.test(text.charAt(at - 1)) ||
    ESCAPE_END_REGEXP.test(text.slice(Math.max(0, at - 16), at));
}

/** Returns whether a range is inside of longer base64, such as an image or a certificate. */
function isInBase64(text: string, start: number, end: number): boolean {
  return /^[A-Za-z\d+/]{40}[+/]$/.test(
    text.slice(Math.max(0, start - 41), start),
  ) ||
    /^(?:\+|\/[A-Za-z\d+/]{40})/.test(text.slice(end, end + 41));
}

/** Returns whether a text contains a run of letters and digits that is not natural language. */
function isRandom(text: string): boolean {
  const beginning = text.slice(0, 256);
  return /[A-Za-z\d]{12}/.test(beginning) && /\d/.test(beginning) &&
    /[A-Za-z]/.test(beginning.slice(beginning.indexOf("-") + 1));
}

/**
 * Returns whether lower case, upper case and digits alternate more often than in names and words:
 * at least `least` times per character, in the last 64 characters.
 */
export function isMixed(text: string, least?: number): boolean {
  const letters = text.slice(-64).replace(/[^A-Za-z\d]/g, "");
  const turns = letters.match(/[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
  return turns > letters.length * (least ?? (/\d/.test(letters) ? 0.2 : 0.4));
}

/** Returns whether a text is a JSON Web Token, or a sufficient part of one. */
function isJwt(text: string): boolean {
  const [head = "", body = "", signature = ""] = text.split(".", 3);
  if (head.length < 9) return false;
  if (signature.length >= 8) return body.length >= 8;
  return /^eyJ(?:hbGc|0eXA|raWQ|lbmM)/.test(head) && body.startsWith("eyJ") &&
    body.length >= 20;
}

/** Returns whether a text begins with a user id in base64, as tokens of Discord do. */
function isDiscordToken(text: string): boolean {
  return /^\d{15,21}$/.test(fromBase64(text.slice(0, text.indexOf("."))));
}

/** Returns whether a text is the beginning of a private key in PEM, in base64. */
function isEncodedKey(text: string): boolean {
  return /PRIVATE KEY/.test(fromBase64(text.slice(0, 64)));
}

/** Decodes base64, without an incomplete group at its end. */
function fromBase64(text: string): string {
  return latin1OfBase64(text.slice(0, text.length & ~3)) ?? "";
}

// Private keys in PEM, as in a file and as programs show them: with line numbers, in a diff, in
// source code, on one line with or without escaped line ends, cut off.

const BORDER_REGEXP =
  /-----(BEGIN|END) [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** The end of a string in source code, and the beginning of the next one on another line. */
const JOINT = `["'\`][ \\t+.,\\\\]{0,8}\\r?\\n[ \\t+.]{0,64}["'\`]`;
/** A line end, real or escaped, or white space in place of one. */
const BREAK = String
  .raw`(?:(?:\\{1,8}[rn]){0,2}${JOINT}|\r?\n|(?:\\{1,8}[rn]){1,2}|[ \t]{1,64})`;
/** White space, and marks of quotes, comments and diffs. */
const SIGNS = String.raw`(?:[ \t>|│+#*/-]|\\{1,8}t){0,32}`;
/** The text that programs put before a line: the name of its file, marks, its number. */
const LINE_MARGIN = String
  .raw`(?:[\w./-]{1,200}?[:-](?=\d{1,6}[:-]|-----|[A-Za-z\d+/=]{24}))?${SIGNS}(?:L?\d{1,6}(?:[ \t:|│-]|\\{1,8}t){1,8}${SIGNS})?`;
const LINE_START_REGEXP = new RegExp(
  // In a key on one line, the body may follow the BEGIN mark directly.
  String.raw`(?:${BREAK}${LINE_MARGIN}|(?<=-----)(?=[A-Za-z\d+/=]{24}))` +
    String.raw`(?:[A-Za-z-]{2,24}: [^\r\n\\"]{0,200})?`,
  "y",
);
const LINE_END_REGEXP = new RegExp(
  String
    .raw`[ \t]{0,16}(?:[\r\n\\"',)…]|\u0060|$|-----| [A-Za-z\d+/=]{16})`,
  "y",
);
const END_REGEXP = new RegExp(
  `${BREAK}?${LINE_MARGIN}-----END [A-Z\\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----`,
  "y",
);
/** The text before the END mark of a key on its line. */
const MARGIN_REGEXP = new RegExp(`^${LINE_MARGIN}$`);
const WHOLE_LINE_REGEXP = new RegExp(
  `^(${LINE_MARGIN}|.{0,200}…)([A-Za-z\\d+/=]{1,100})[ \\t]{0,16}(?:\\r|\\\\{1,8}r)?$`,
);
/** The least length of a line that counts as part of a key, and is longer than a word. */
const LONG_LINE = 24;
/** The maximum length of a line of a key, with the text before it. */
const LONGEST_LINE = 400;

/**
 * Masks the private keys in a text.
 *
 * If the end or the beginning of a key was cut off, its remaining lines are masked.
 */
export function maskPrivateKeys(text: string, mask: Mask): string {
  if (!text.includes("PRIVATE KEY")) return text;
  let masked = "";
  let from = 0;
  BORDER_REGEXP.lastIndex = 0;
  for (let found; (found = BORDER_REGEXP.exec(text)) !== null;) {
    const isBegin = found[1] === "BEGIN";
    const behind = BORDER_REGEXP.lastIndex;
    const start = isBegin ? found.index : startOfKey(text, found.index, from);
    const end = isBegin ? endOfKey(text, behind) : behind;
    // A mark without lines of a key is kept: it may be a search term of a program.
    if (start === undefined || end === undefined) continue;
    masked += text.slice(from, start) + mask("private_key");
    from = end;
    BORDER_REGEXP.lastIndex = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/**
 * Returns the start of a key whose END mark is at an index, and whose beginning was cut off;
 * `undefined` if there are no lines of a key before the mark.
 */
function startOfKey(
  text: string,
  end: number,
  least: number,
): number | undefined {
  let lineStart = startOfLine(text, end, least);
  if (!MARGIN_REGEXP.test(text.slice(lineStart, end))) return undefined;
  let isKey = false;
  let start: number | undefined;
  while (lineStart > least) {
    let lineEnd = lineStart - 1;
    // The line end may be escaped.
    while (text.charAt(lineEnd - 1) === "\\") lineEnd -= 1;
    lineStart = startOfLine(text, lineEnd, least);
    const line = WHOLE_LINE_REGEXP.exec(text.slice(lineStart, lineEnd));
    if (line === null) break;
    const [, margin = "", body = ""] = line;
    // The last line of a key may be short.
    if (body.length < LONG_LINE && start !== undefined) break;
    isKey ||= body.length >= LONG_LINE;
    start = lineStart + margin.length;
  }
  return isKey ? start : undefined;
}

/**
 * Returns the start of the line at an index, at most `LONGEST_LINE` characters back. The line end
 * before it may be escaped.
 */
function startOfLine(text: string, index: number, least: number): number {
  const from = Math.max(least, index - LONGEST_LINE);
  const before = text.slice(from, index);
  const escaped = before.lastIndexOf("\\n");
  const start = escaped === -1 ? 0 : escaped + 2;
  return from + Math.max(start, before.lastIndexOf("\n") + 1);
}

/** Returns the end of a key whose body starts at an index; `undefined` if there is no key. */
function endOfKey(text: string, start: number): number | undefined {
  let at = start;
  let isKey = false;
  let end: number | undefined;
  for (;;) {
    END_REGEXP.lastIndex = at;
    if (END_REGEXP.test(text)) return isKey ? END_REGEXP.lastIndex : undefined;
    LINE_START_REGEXP.lastIndex = at;
    if (!LINE_START_REGEXP.test(text)) return end;
    const lineStart = LINE_START_REGEXP.lastIndex;
    at = endOfRun(text, lineStart, PLUSSED);
    LINE_END_REGEXP.lastIndex = at;
    if (!LINE_END_REGEXP.test(text)) return end;
    isKey ||= at > lineStart;
    // The last line of a key that was cut off may be short.
    if (
      at - lineStart >= LONG_LINE || end !== undefined && at === text.length
    ) {
      end = at;
    }
  }
}

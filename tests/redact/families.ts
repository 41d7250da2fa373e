/**
 * The shapes of secrets, by issuer or by context. The facts are documented by the issuers, or are
 * in the rules of gitleaks and secretlint; they are independent of the shapes by which `lib/redact`
 * finds secrets. All secrets are made up, and none is written out, so that no scanner takes this
 * file for a leak: `{a36}` becomes 36 letters and digits.
 *
 * @module
 */

/** A family of secrets. */
export interface Family {
  /** The issuer or the context. */
  readonly name: string;
  /** The kind by which the secrets are counted. */
  readonly kind: string;
  /**
   * The shapes: `{` and `}` contain a set of characters and their number. The text in `«` and `»`
   * is the secret; without them the whole text is.
   */
  readonly shapes: readonly string[];
}

/** The sets of characters, by the letter in `{` and `}`. */
const CHARACTERS: Readonly<Record<string, string>> = {
  a: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  A: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  d: "0123456789",
  h: "0123456789abcdef",
  l: "abcdefghijklmnopqrstuvwxyz0123456789",
  s: "abcdefghijklmnopqrstuvwxyz234567",
  L: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  w: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
  b: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
};
const UUID = "{h8}-{h4}-{h4}-{h4}-{h12}";
const PASSWORD = "«{a9}!7»";

/** Families of tokens, which are found by their shape. */
export const TOKEN_FAMILIES: readonly Family[] = [
  family("1Password", "onepassword_token", "ops_eyJ{a250}"),
  family(
    "1Password, secret key",
    "onepassword_key",
    "A3-{A6}-{A6}-{A5}-{A5}-{A5}-{A5}",
    "A3-{A6}-{A11}-{A5}-{A5}-{A5}",
  ),
  family("Adobe", "adobe_secret", "p8e-{l32}"),
  family("age", "age_key", "AGE-SECRET-KEY-1{A58}"),
  family("Aikido", "aikido_token", "AIK_CI_{a30}", "AIK_SECRET_{a64}"),
  family("Aiven", "aiven_token", "aivenv1{b85}"),
  family("Airtable", "airtable_token", "pat{a14}.{h64}"),
  family("Akamai", "akamai_token", "akab-{l16}-{l16}"),
  family("Alibaba", "alibaba_key", "LTAI{a20}", "LTAI5t{a18}"),
  family(
    "Amazon, login",
    "amazon_token",
    "amzn1.oa2-cs.v1.{h64}",
    "Atza|{w200}",
    "Atzr|{w200}",
  ),
  family(
    "Anthropic",
    "anthropic_key",
    "sk-ant-api03-{w93}AA",
    "sk-ant-admin01-{w93}AA",
    "sk-ant-oat01-{w93}AA",
  ),
  family("Apify", "apify_token", "apify_api_{a36}"),
  family("Asana", "asana_token", "1/{d16}:{h32}", "2/{d16}/{d16}:{h32}"),
  family("Astra", "astra_token", "AstraCS:{a24}:{h64}"),
  family(
    "Atlassian",
    "atlassian_token",
    "ATATT3{w180}={A8}",
    "ATATT{a60}",
    "ATCTT3{w180}={A8}",
    "ATCTT{a60}",
    "ATBB{a32}",
  ),
  family("Authress", "authress_key", "sc_{l20}.{l6}.acc-{l20}.{a30}+{a29}"),
  family(
    "AWS",
    "aws_access_key_id",
    "AKIA{L16}",
    "ASIA{L16}",
    "ABIA{L16}",
    "ACCA{L16}",
    "A3TX{L16}",
  ),
  family(
    "AWS Bedrock",
    "aws_bedrock_key",
    "ABSK{a120}",
    "bedrock-api-key-{a80}",
  ),
  family(
    "AWS, session",
    "aws_session_token",
    "IQoJb3JpZ2luX2Vj{b300}",
    "FwoGZXIvYXdz{b300}",
    "IQoJb3JpZ2luX2Vj{a100}%2B{a100}%3D",
  ),
  family("Axiom", "axiom_token", `xaat-${UUID}`, `xapt-${UUID}`),
  family("Azure", "azure_secret", "{a3}8Q~{a34}", "sig={a43}%3D"),
  family(
    "Azure, keys of services",
    "azure_key",
    "{a76}AZDO{a4}",
    "{a52}JQQJ99{a26}",
    "{b42}AzSeA{b5}",
    "{b42}+ACRA{b5}",
    "{b33}AzCaA{b5}=",
    "{b33}AIoTA{b5}=",
    "{a76}+ASt{a5}w==",
  ),
  family("Baidu", "baidu_key", "bce-v3/ALTAK-{a21}/{h40}"),
  family("Bitwarden", "bitwarden_token", `0.${UUID}.{a30}:{b22}==`),
  family("Brevo", "brevo_key", "xkeysib-{h64}-{a16}", "xsmtpsib-{h64}-{a16}"),
  family("Browserbase", "browserbase_key", "bb_live_{w27}", "bb_test_{w27}"),
  family("Buildkite", "buildkite_token", "bkua_{h40}"),
  family("Canva", "canva_secret", "cnvca{w51}"),
  family("Cerebras", "cerebras_key", "csk-{l48}"),
  family("Chroma", "chroma_key", "ck-{a44}"),
  family("Chromatic", "chromatic_token", "chpt_{l15}"),
  family("Chutes", "chutes_key", "cpk_{h32}.{h32}.{a32}"),
  family(
    "CircleCI",
    "circleci_token",
    "CCIPAT_{a22}_{h40}",
    "CCIPRJ_{a22}_{h40}",
  ),
  family("ClickHouse", "clickhouse_key", "4b1d{a38}"),
  family("ClickUp", "clickup_token", "pk_{d8}_{A32}"),
  family("Clojars", "clojars_token", "CLOJARS_{h60}"),
  family(
    "Cloudflare",
    "cloudflare_token",
    "v1.0-{h24}-{h146}",
    "cfat_{a48}",
    "cfut_{a48}",
    "eyJhIjoi{a150}",
  ),
  family("CockroachDB", "cockroach_key", "CCDB1_{a22}_{a40}"),
  family("Confluent", "confluent_key", "cflt{a60}"),
  family("Contentful", "contentful_token", "CFPAT-{w43}"),
  family("Context7", "context7_key", `ctx7sk-${UUID}`),
  family("Convex", "convex_key", "eyJ2MiI6{a100}"),
  family("crates.io", "crates_token", "cio{a32}"),
  family("Cursor", "cursor_key", "crsr_{h64}"),
  family("Cursor and Runway, older keys", "api_key", "key_{h64}", "key_{h128}"),
  family(
    "Databricks",
    "databricks_token",
    "dapi{h32}",
    "dapi{h32}-2",
    "dose{a32}",
  ),
  family("Daytona", "daytona_key", "dtn_{h64}"),
  family("dbt", "dbt_token", "dbtc_{w44}", "dbtu_{w44}"),
  family("Defined Networking", "defined_key", "dnkey-{w26}-{w52}"),
  family("Devin", "devin_key", "apk_user_{b150}", "apk_{b90}", "cog_{s52}"),
  family(
    "DigitalOcean",
    "digitalocean_token",
    "dop_v1_{h64}",
    "doo_v1_{h64}",
    "dor_v1_{h64}",
  ),
  // The first part is the user id 123456789012345678 in base64.
  family(
    "Discord, token",
    "discord_token",
    "MTIzNDU2Nzg5MDEyMzQ1Njc4.{w6}.{w38}",
  ),
  family(
    "Discord, webhook",
    "discord_webhook",
    "discord.com/api/webhooks/{d18}/{w68}",
    "discordapp.com/api/webhooks/{d18}/{w68}",
  ),
  family("Deno Deploy", "deno_token", "ddp_{a36}", "ddo_{a36}"),
  family("Docker", "docker_token", "dckr_pat_{w27}", "dckr_oat_{w32}"),
  family("Doppler", "doppler_token", "dp.pt.{a43}", "dp.st.{a43}"),
  family("Dropbox", "dropbox_token", "sl.{w135}"),
  family("Duffel", "duffel_token", "duffel_test_{w43}", "duffel_live_{w43}"),
  family(
    "Dynatrace",
    "dynatrace_token",
    "dt0c01.{A24}.{A64}",
    "dt0s16.{A24}.{A64}",
  ),
  family("E2B", "e2b_key", "e2b_{h40}"),
  family("EasyPost", "easypost_key", "EZAK{a54}", "EZTK{a54}"),
  family("Elastic", "elastic_key", "essu_{a60}"),
  family(
    "Facebook",
    "facebook_token",
    "EAAC{a140}",
    "EAAM{a140}",
    "{d16}|{w27}",
  ),
  family("Figma", "figma_token", "figd_{w40}"),
  family("Firecrawl", "firecrawl_key", "fc-{h32}"),
  family("Fireworks", "fireworks_key", "fw_{a24}"),
  family(
    "Flutterwave",
    "flutterwave_key",
    "FLWSECK_TEST-{h32}-X",
    "FLWSECK-{h32}-X",
  ),
  family("Fly", "fly_token", "fm2_{a120}", "fm1r_{a120}", "fo1_{w43}"),
  family("Frame.io", "frameio_token", "fio-u-{w64}"),
  family(
    "GitHub",
    "github_token",
    "ghp_{a36}",
    "gho_{a36}",
    "ghu_{a36}",
    "ghs_{a36}",
    "ghr_{a36}",
    "github_pat_{a22}_{a59}",
  ),
  family(
    "GitLab",
    "gitlab_token",
    "glpat-{w20}",
    "gldt-{w20}",
    "glrt-{w20}",
    "glcbt-1a_{w20}",
    "glptt-{h40}",
    "glft-{w20}",
    "glimt-{w25}",
    "glagent-{w50}",
    "gloas-{h64}",
    "glsoat-{w20}",
    "glffct-{w20}",
    "glcbt-{a20}",
    "glrtr-{a20}",
    "glwt-{a20}",
    "GR1348941{w20}",
  ),
  family("Google", "google_key", "AIza{w35}"),
  family("Google, Gemini", "google_key", "AQ.Ab8RN6{w44}"),
  family(
    "Google, OAuth",
    "google_oauth",
    "ya29.{w120}",
    "GOCSPX-{w28}",
    "1//0{w60}",
  ),
  family("Grafana", "grafana_token", "glc_{a64}", "glsa_{a32}_{h8}"),
  family("Grafana, old keys", "grafana_token", "eyJrIjoi{a80}"),
  family("Groq", "groq_key", "gsk_{a52}"),
  family(
    "Harness",
    "harness_token",
    "pat.{w22}.{a24}.{a20}",
    "sat.{w22}.{h24}.{a20}",
  ),
  family("Heroku", "heroku_key", "HRKU-AA{w58}", "HRKU-{a36}"),
  family("Honeycomb", "honeycomb_key", "hcaik_01{l56}"),
  family("HubSpot", "hubspot_token", `pat-na1-${UUID}`, `pat-eu1-${UUID}`),
  family(
    "Hugging Face",
    "huggingface_token",
    "hf_{a34}",
    "api_org_{a34}",
    "hf_oauth_eyJ{a30}.eyJ{a60}.{w86}",
  ),
  family("Infisical", "infisical_token", "st.{h24}.{h32}.{h32}"),
  family("Infracost", "infracost_key", "ico-{a32}"),
  family("Inngest", "inngest_key", "signkey-prod-{h64}", "signkey-test-{h64}"),
  family("Intercom", "intercom_token", "dG9rOj{a54}=", "dG9rOm{a54}="),
  family("Intra42", "intra42_secret", "s-s4t2ud-{h64}"),
  family(
    "JetBrains",
    "jetbrains_token",
    "perm-{a12}=.{a10}==.{a30}",
    "perm:{a12}.{a10}.{a30}",
  ),
  family("JFrog", "jfrog_key", "AKCp{a69}", "cmVmd{a59}"),
  family("Jina", "jina_key", "jina_{h32}{a28}"),
  family(
    "JSON Web Token",
    "jwt",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{a30}.{w43}",
    "ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4{a60}",
  ),
  family("JSR", "jsr_token", "jsrp_{a40}", "jsrd_{a40}"),
  family("K3s", "k3s_token", "K10{h64}::server:{h32}"),
  family(
    "LangSmith",
    "langsmith_key",
    "lsv2_pt_{h32}_{h10}",
    "lsv2_sk_{h32}_{h10}",
    "ls__{h32}",
  ),
  family("Langfuse", "openai_key", `sk-lf-${UUID}`),
  family("Langfuse, public key", "langfuse_key", `pk-lf-${UUID}`),
  family("LaunchDarkly", "launchdarkly_key", "sdk-{h8}-{h4}-4{h3}-{h4}-{h12}"),
  family("Linear", "linear_key", "lin_api_{a40}", "lin_oauth_{h64}"),
  family("LinkedIn", "linkedin_secret", "WPL_AP1.{a16}.{a6}=="),
  family("LlamaCloud", "llamacloud_key", "llx-{a48}"),
  family("Lob", "lob_key", "live_{h35}", "test_{h35}"),
  family("Logfire", "logfire_token", "pylf_v1_us_{a43}", "pylf_v1_eu_{a43}"),
  family("Mailchimp", "mailchimp_key", "{h32}-us12", "{h32}-us5"),
  family("MailerSend", "mailersend_token", "mlsn.{h64}"),
  family("Mailgun", "mailgun_key", "key-{h32}", "{h32}-{h8}-{h8}"),
  family("Mapbox", "mapbox_token", "sk.eyJ{a80}.{w22}"),
  family("MaxMind", "maxmind_key", "{a6}_{a29}_mmk"),
  family("Mem0", "mem0_key", "m0-{a40}"),
  family(
    "Mercado Pago",
    "mercadopago_token",
    "APP_USR-{d16}-{d6}-{h32}-{d9}",
    "TEST-{d16}-{d6}-{h32}-{d9}",
  ),
  family(
    "Microsoft Teams, webhook",
    "teams_webhook",
    `webhook.office.com/webhookb2/${UUID}@${UUID}/IncomingWebhook/{h32}/${UUID}`,
  ),
  family("Midtrans", "midtrans_key", "SB-Mid-server-{w24}", "Mid-server-{w24}"),
  family("Modal", "modal_token", "ak-{a22}", "as-{a22}"),
  family("MongoDB Atlas", "mongodb_secret", "mdb_sa_sk_{w40}"),
  family("Neon", "neon_key", "napi_{l64}", "npg_{a12}"),
  family("NetBird", "netbird_token", "nbp_{a36}"),
  family("Netlify", "netlify_token", "nfp_{a36}", "nfc_{a36}"),
  family("New Relic", "newrelic_key", "NRAK-{A27}", "NRII-{w32}", "NRJS-{h19}"),
  family("ngrok", "ngrok_token", "2{a26}_{a21}", "3{a26}_{a20}"),
  family("Notion", "notion_token", "ntn_{d11}{a35}", "secret_{a43}"),
  family("npm", "npm_token", "npm_{a36}"),
  family("NuGet", "nuget_key", "oy2{l43}"),
  family("NVIDIA", "nvidia_key", "nvapi-{w64}"),
  family("Octopus Deploy", "octopus_key", "API-{A26}"),
  family("OneSignal", "onesignal_key", "os_v2_app_{s103}", "os_v2_org_{s103}"),
  family(
    "OpenAI",
    "openai_key",
    "sk-{a20}T3BlbkFJ{a20}",
    "sk-proj-{w74}T3BlbkFJ{w74}",
    "sk-svcacct-{w58}T3BlbkFJ{w58}",
  ),
  family("OpenAI, session", "openai_session", "sess-{a40}"),
  family("OpenRouter", "openrouter_key", "sk-or-v1-{h64}"),
  family("OpenShift", "openshift_token", "sha256~{w43}"),
  family("Ory", "ory_token", "ory_pat_{a32}", "ory_at_{w43}.{w43}"),
  family("Packagist", "packagist_token", "packagist_uut_{h68}"),
  family(
    "Paddle",
    "paddle_key",
    "pdl_live_apikey_{l26}_{a22}_{a3}",
    "pdl_sdbx_apikey_{l26}_{a22}_{a3}",
  ),
  family("PayPal", "paypal_token", "access_token$production${l16}${h32}"),
  family("Perplexity", "perplexity_key", "pplx-{a48}"),
  family("Pinecone", "pinecone_key", "pcsk_{a6}_{a63}"),
  family(
    "Plaid",
    "plaid_token",
    `access-sandbox-${UUID}`,
    `access-production-${UUID}`,
  ),
  family("Plane", "plane_key", "plane_api_{h32}"),
  family(
    "PlanetScale",
    "planetscale_token",
    "pscale_tkn_{w43}",
    "pscale_oauth_{w43}",
    "pscale_pw_{w43}",
  ),
  family("Polar", "polar_token", "polar_oat_{a43}", "polar_pat_{a43}"),
  family("PostHog", "posthog_key", "phc_{a43}", "phx_{w47}"),
  family("Postman", "postman_key", "PMAK-{h24}-{h34}"),
  family("Prefect", "prefect_token", "pnu_{a36}"),
  family(
    "Presigned URL",
    "url_signature",
    "X-Amz-Signature={h64}",
    "X-Goog-Signature={h512}",
  ),
  family(
    "Private key, in base64",
    "private_key",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQp{a120}",
    "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1J{a120}",
    "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk{a120}",
  ),
  family("Pulumi", "pulumi_token", "pul-{h40}"),
  family("PyPI", "pypi_token", "pypi-AgEIcHlwaS5vcmc{w140}"),
  family("Rancher", "rancher_token", "token-{l5}:{l54}"),
  family("ReadMe", "readme_key", "rdme_{l70}"),
  family("Render", "render_key", "rnd_{a28}"),
  family("Replicate", "replicate_token", "r8_{a37}"),
  family("Resend", "resend_key", "re_{a8}_{a24}"),
  family("Retool", "retool_token", "retool_01{l26}"),
  family("RubyGems", "rubygems_key", "rubygems_{h48}"),
  family("RunPod", "runpod_key", "rpa_{A40}"),
  family(
    "Salesforce",
    "salesforce_token",
    "00D{a12}!{a96}",
    "00D{a15}!{a40}.{a40}",
  ),
  family("Scalingo", "scalingo_token", "tk-us-{w48}"),
  family("Scrapfly", "scrapfly_key", "scp-live-{h32}"),
  family("Segment", "segment_token", "sgp_{a64}"),
  family("SendGrid", "sendgrid_key", "SG.{w22}.{w43}"),
  family(
    "Sentry",
    "sentry_token",
    "sntrys_eyJpYXQiO{a80}_{a43}",
    "sntryu_{h64}",
    "sntrys_{a60}",
  ),
  family("SettleMint", "settlemint_token", "sm_aat_{a16}", "sm_pat_{a16}"),
  family("Shippo", "shippo_token", "shippo_live_{h40}", "shippo_test_{h40}"),
  family(
    "Shopify",
    "shopify_token",
    "shpat_{h32}",
    "shpca_{h32}",
    "shppa_{h32}",
    "shpss_{h32}",
    "shpua_{h32}",
  ),
  family(
    "Slack",
    "slack_token",
    "xoxb-{d12}-{d12}-{a24}",
    "xoxp-{d12}-{d12}-{d12}-{h32}",
    "xapp-1-{A11}-{d13}-{h64}",
    "xoxe-1-{A146}",
    "xoxc-{d12}-{a20}",
    "xoxd-{b150}",
    "xoxd-{a60}%2B{a60}%3D%3D",
    "xwfp-{d12}-{a24}",
  ),
  family(
    "Slack, webhook",
    "slack_webhook",
    "hooks.slack.com/services/T{A8}/B{A8}/{a24}",
    "hooks.slack.com/triggers/T{A8}/{d12}/{a24}",
    "hooks.slack.com/workflows/T{A8}/{a24}",
  ),
  family("Snyk", "snyk_token", "snyk_uat.{h8}.{w60}"),
  family("Socket", "socket_token", "sktsec_{w40}_api"),
  family("Sonar", "sonar_token", "squ_{h40}", "sqp_{h40}", "sqa_{h40}"),
  family(
    "Sourcegraph",
    "sourcegraph_token",
    "sgp_{h16}_{h40}",
    "sgp_local_{h40}",
    "sgp_{h40}",
    "sgamp_user_{A26}_{h64}",
  ),
  family("Square", "square_token", "EAAA{w60}", "sq0atp-{w22}", "sq0csp-{w43}"),
  family("Statsig", "statsig_key", "secret-{a44}"),
  family(
    "Stripe",
    "stripe_key",
    "sk_live_{a24}",
    "sk_test_{a24}",
    "rk_live_{a24}",
    "sk_prod_{a24}",
    "sk_prod_{w64}",
    "sk_dev_{w64}",
    "whsec_{a32}",
  ),
  family(
    "Keys like Stripe's",
    "api_key",
    "sk_{h48}",
    "sk_{a32}",
    "sk_car_{a22}",
  ),
  family("Stytch", "stytch_secret", "secret-test-{w43}=", "secret-live-{w43}="),
  family("Supabase", "supabase_key", "sbp_{h40}", "sb_secret_{w31}"),
  family(
    "Tailscale",
    "tailscale_key",
    "tskey-auth-{a12}-{a32}",
    "tskey-api-{a12}-{a32}",
  ),
  family("Tavily", "tavily_key", "tvly-{a32}", "tvly-dev-{a32}"),
  family("Telegram", "telegram_token", "{d9}:AA{w33}"),
  family("Tencent", "tencent_key", "AKID{a32}"),
  family("Terraform", "terraform_token", "{a14}.atlasv1.{w67}"),
  family("Tinybird", "tinybird_token", "p.eyJ1Ijog{a80}.{w43}"),
  family("Together", "together_key", "tgp_v1_{w43}"),
  family("Trello", "trello_token", "ATTA{h68}"),
  family(
    "Trigger.dev",
    "trigger_key",
    "tr_dev_{a20}",
    "tr_prod_{a24}",
    "tr_pat_{l40}",
  ),
  family("Turbopuffer", "turbopuffer_key", "tpuf_{a32}"),
  family("Twilio", "twilio_key", "SK{h32}"),
  family("Typeform", "typeform_token", "tfp_{w44}_{w14}"),
  family("UpCloud", "upcloud_token", "ucat_{a26}"),
  family(
    "Vault",
    "vault_token",
    "hvs.{w95}",
    "hvb.{w140}",
    "hvr.{w95}",
  ),
  family("Vault, old tokens", "vault_token", "s.{a24}"),
  family(
    "Vercel",
    "vercel_token",
    "vcp_{w56}",
    "vck_{a56}",
    "vercel_blob_rw_{a16}_{a30}",
  ),
  family("Volcengine", "volcengine_key", "AKLT{a44}"),
  family("Voyage", "voyage_key", "pa-{w43}"),
  family("Weights & Biases", "wandb_key", "wandb_v1_{a27}_{a49}"),
  family("xAI", "xai_key", "xai-{w80}", "xai-token-{a80}"),
  family("Xata", "xata_key", "xau_{a40}"),
  family(
    "Xendit",
    "xendit_key",
    "xnd_development_{a60}",
    "xnd_production_{a60}",
  ),
  family("Yandex", "yandex_key", "AQVN{w38}", "t1.{w90}.{w86}", "y0_{w58}"),
  family(
    "Zapier, webhook",
    "zapier_webhook",
    "hooks.zapier.com/hooks/catch/{d7}/{l7}",
  ),
  family("Zoho", "zoho_token", "1000.{h32}.{h32}"),
];

/** Families of secrets that are found by their context. */
export const PLACE_FAMILIES: readonly Family[] = [
  family(
    "Bot of Telegram in a URL",
    "telegram_token",
    "https://api.telegram.org/bot«{d10}:AA{w33}»/getMe",
  ),
  family(
    "Environment",
    "api_key",
    "export OPENAI_API_KEY=«{a40}»",
    "MAPS_API_KEY=«{h37}» make",
    "CLOUDFLARE_API_KEY='«{h37}»'",
  ),
  family(
    "Environment, passwords",
    "password",
    `DB_PASSWORD=${PASSWORD}`,
    `PGPASSWORD=${PASSWORD} psql`,
  ),
  family(
    "Dockerfile",
    "token",
    "FROM x\nENV API_TOKEN «{a20}»\nRUN y",
    "ARG NPM_TOKEN=«{a20}»",
    "ENV API_TOKEN=«{a20}»",
    "    ENV GH_TOKEN «{a20}»",
  ),
  family(
    "setx, setenv, set -x, PowerShell",
    "token",
    'setx API_TOKEN "«{a20}»"',
    "setx API_TOKEN «{a20}» /M",
    "setenv API_TOKEN «{a20}»",
    "set -gx API_TOKEN «{a20}»",
    '$env:API_TOKEN = "«{a20}»"',
    '[Environment]::SetEnvironmentVariable("API_TOKEN", "«{a20}»", "User")',
    'os.getenv("API_TOKEN", "«{a20}»")',
    'os.environ.setdefault("API_TOKEN", "«{a20}»")',
  ),
  family(
    "Maven, and other XML",
    "password",
    `<server><password>${PASSWORD}</password></server>`,
    `<proxy:password encrypted="no">${PASSWORD}</proxy:password>`,
    `<key>password</key>\n  <string>${PASSWORD}</string>`,
  ),
  family(
    "NuGet, and other settings of .NET",
    "password",
    `<add key="ClearTextPassword" value="${PASSWORD}" />`,
    `<add key="Password" value="${PASSWORD}" />`,
    `Server=db;User Id=sa;Password=${PASSWORD};`,
  ),
  family(
    "mysql",
    "password",
    `mysql -u root -p${PASSWORD} db`,
    `mysqldump -uroot -p'${PASSWORD}' db`,
    `mariadb -p${PASSWORD}`,
    `mysql --password=${PASSWORD}`,
  ),
  family(
    "Flags of other programs",
    "password",
    `sshpass -p ${PASSWORD} ssh x`,
    `redis-cli -a ${PASSWORD} ping`,
    `docker login -u me -p ${PASSWORD} x`,
    `mongosh -u me -p ${PASSWORD}`,
    `sqlcmd -U sa -P ${PASSWORD}`,
    `ldapsearch -D x -w ${PASSWORD}`,
    `openssl rsa -in k -passin pass:${PASSWORD}`,
    `curl -u me:${PASSWORD} x`,
    `curl -u :${PASSWORD} x`,
    `curl -u ":${PASSWORD}" x`,
    `supabase link -p ${PASSWORD}`,
    `security import k.p12 -P ${PASSWORD}`,
    `dotnet nuget push x.nupkg -k ${PASSWORD}`,
    `netlify deploy --auth ${PASSWORD}`,
    `aws ssm put-parameter --type SecureString --value '${PASSWORD}'`,
    `aws ssm put-parameter --name /a \\\n  --value "${PASSWORD}" \\\n  --type SecureString`,
    `deploy --password ${PASSWORD}`,
  ),
  family(
    "Passwords without a flag",
    "password",
    `htpasswd -nb me ${PASSWORD}`,
    `vault login ${PASSWORD}`,
    `redis-cli AUTH ${PASSWORD}`,
    `sqlplus me/${PASSWORD} @x`,
    `mysqladmin password ${PASSWORD}`,
    `wpa_passphrase x ${PASSWORD}`,
    `echo ${PASSWORD} | sudo -S ls`,
    `echo '${PASSWORD}' | docker login -u me --password-stdin`,
    `echo -n ${PASSWORD} | gh secret set X`,
    `sudo -S ls <<< "${PASSWORD}"`,
    `gh auth login --with-token <<< ${PASSWORD}`,
    `echo ${PASSWORD} | gh auth login --with-token`,
    `echo "${PASSWORD}" | vercel env add X production`,
    `printf %s '${PASSWORD}' | gcloud secrets versions add x --data-file=-`,
    "wandb login «{h40}»",
    "wandb login --relogin «{h40}»",
  ),
  family(
    ".pgpass",
    "password",
    `localhost:5432:db:me:${PASSWORD}`,
    `# x\n*:*:*:me:${PASSWORD}\n`,
  ),
  family(
    ".netrc",
    "password",
    `machine x.example login me password ${PASSWORD}`,
    `machine x.example\n  login me\n  password ${PASSWORD}\n`,
  ),
  family(
    "Docker's settings",
    "password",
    '{"auths":{"ghcr.io":{"auth":"«bWU6aHVudGVyMjEy»"}}}',
  ),
  family(
    "Kubernetes' settings",
    "private_key",
    "users:\n- user:\n    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQp{a120}»\n",
  ),
  family("npm's settings", "token", "//npm.example/:_authToken=«{h36}»"),
  family(
    "JSON and YAML",
    "secret",
    '{"client_secret": "«{a24}»"}',
    "app:\n  client_secret: «{a24}»\n",
  ),
  family(
    "Headers",
    "authorization",
    "Authorization: Bearer «{a40}»",
    "authorization: Basic «{a24}»",
    "-H 'Authorization: token «{a24}»'",
  ),
  family("Cookies", "cookie", "Cookie: «sid={a24}»\nX: y"),
  family(
    "URLs",
    "url_password",
    `postgres://me:${PASSWORD}@db:5432/x`,
    `https://me:${PASSWORD}@git.example/x.git`,
  ),
  family(
    "Query strings",
    "token",
    "https://x.example/cb?access_token=«{a24}»&y=1",
  ),
  family(
    "Private keys in PEM",
    "private_key",
    "«-----BEGIN PRIVATE KEY-----\n{b64}\n{b64}\n{b40}\n-----END PRIVATE KEY-----»",
  ),
];

function family(name: string, kind: string, ...shapes: string[]): Family {
  return { name, kind, shapes };
}

/** A made-up secret with the text around it. */
export interface Example {
  readonly before: string;
  readonly secret: string;
  readonly after: string;
}

/**
 * Makes up a secret of a shape.
 *
 * @param shape A shape of a family.
 * @param seed Selects the characters: the same seed makes the same secret.
 */
export function exampleOf(shape: string, seed: number): Example {
  let state = seed * 2654435761 + 97 >>> 0;
  const next = (): number => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 >>> 0;
    return (state ^ state >>> 13) >>> 0;
  };
  const text = shape.replace(
    /\{(\w)(\d+)\}/g,
    (_, set: string, length: string) => {
      const characters = CHARACTERS[set] ?? "";
      return Array.from(
        { length: Number(length) },
        () => characters.charAt(next() % characters.length),
      ).join("");
    },
  );
  const [, before = "", secret = text, after = ""] =
    /^([^«]*)«([^»]*)»([^]*)$/.exec(text) ?? [];
  return { before, secret, after };
}

/** The width of the terminal that breaks lines. */
const WIDTH = 60;

/**
 * Makes up a secret that is broken where the terminal ends, with a line behind it.
 *
 * @returns The text, and the part of it before the secret.
 */
export function brokenExample(
  shape: string,
  seed: number,
): { readonly before: string; readonly text: string } {
  const { secret } = exampleOf(shape, seed);
  const at = 1 + seed * 5 % (Math.min(secret.length, 40) - 1);
  const before = `${"the key is ".padEnd(WIDTH - at - 1, ".")} `;
  const lines = `${before}${secret}\nok`.split("\n").flatMap((line) =>
    line.match(new RegExp(`.{1,${WIDTH}}`, "g")) ?? [""]
  );
  return { before, text: lines.join("\n") };
}

/**
 * Returns a text without the marks, and the redacted text. `«` and `»` contain a kind and a secret.
 */
export function unmarked(marked: string): { input: string; expected: string } {
  const mark = /«(\w+):([^»]*)»/g;
  return {
    input: marked.replace(mark, "$2"),
    expected: marked.replace(mark, "[redacted:$1]"),
  };
}

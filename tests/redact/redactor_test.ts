import { assert, assertEquals } from "@std/assert";
import { Redactor } from "../../lib/redact/redactor.ts";
import fc, { anyText } from "../property_seed.ts";
import {
  brokenExample,
  exampleOf,
  PLACE_FAMILIES,
  TOKEN_FAMILIES,
  unmarked,
} from "./families.ts";
import { HOSTILE } from "./hostile_texts.ts";

/** The number of secrets made up of each shape. */
const COUNT = 25;
/**
 * Families that look like a member access in source code, so that some of their secrets are not
 * found.
 */
const UNCERTAIN: ReadonlySet<string> = new Set(["Vault, old tokens"]);

for (const { name, kind, shapes } of [...TOKEN_FAMILIES, ...PLACE_FAMILIES]) {
  Deno.test(`Redactor masks a family of secrets: ${name}`, () => {
    for (const shape of shapes) {
      const missed: string[] = [];
      for (let seed = 0; seed < COUNT; seed++) {
        const { before, secret, after } = exampleOf(shape, seed);
        const masked = new Redactor().redact(before + secret + after);
        if (masked !== `${before}[redacted:${kind}]${after}`) {
          missed.push(masked);
        }
      }
      assert(
        missed.length <= (UNCERTAIN.has(name) ? COUNT / 10 : 0),
        missed.join("\n"),
      );
    }
  });
}

Deno.test("Redactor finds tokens between signs, escapes and colours", () => {
  for (const { kind, shapes } of TOKEN_FAMILIES) {
    for (const shape of shapes) {
      const { secret } = exampleOf(shape, 3);
      for (
        const [before, after] of [
          ["set ", " now"],
          ["(", ")."],
          ['{"a": "', '"}'],
          ["\u001b[32m", "\u001b[0m"],
          ["line\n", "\nline"],
          ["line\\n", "\\nline"],
          ['\\"', '\\"'],
          ["?x=", "&y"],
          ["%20", "&x"],
        ] as const
      ) {
        // The digits of %20 would become a part of the number at the beginning of these tokens.
        const isNumber = kind === "telegram_token" || kind === "facebook_token";
        if (isNumber && before === "%20") continue;
        assertEquals(
          new Redactor().redact(before + secret + after),
          `${before}[redacted:${kind}]${after}`,
        );
      }
    }
  }
});

/** Shapes that look like secrets but are not. */
const INNOCENTS = [
  "commit {h40} {h64} {h32} {h128}",
  "{h8}-{h4}-{h4}-{h4}-{h12}",
  '"integrity": "sha512-{b86}=="',
  '  resolved "https://npm.example/x/-/x-1.0.0.tgz#{h40}"',
  "github.com/x/y v1.2.3 h1:{b43}=",
  'checksum = "{h64}"',
  '    {file = "x-1.0-py3-none-any.whl", hash = "sha256:{h64}"},',
  "sha256-{b43}= sha384-{b64}",
  "data:image/png;base64,iVBORw0KGgo{b800}==",
  "url(data:font/woff2;base64,{b800})",
  "gAAAAAB{w400}",
  "{b76}\n{b76}\n{b76}\n{b20}==",
  "ETag: {h32} Digest: sha256:{h64} nonce {a12}",
  "call_{a24} msg_{h48} rs_{h48} resp_{h48} fc_{h48} ws_{h48}",
  "/tmp/{a6}/{h32}/x.{h8}.js /nix/store/{l32}-x-1.0",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} me@x",
  "-----BEGIN CERTIFICATE-----\n{b64}\n-----END CERTIFICATE-----",
  "X-Request-Id: {h8}-{h4}-{h4}-{h4}-{h12} Trace: 00-{h32}-{h16}-01",
  "arn:aws:iam::{d12}:role/x ami-{h17} i-{h17} sg-{h17} vpc-{h8}",
  "docker pull x@sha256:{h64}; image {h12}",
  // Nearly tokens.
  "key_{h32} cog_{h20} dtn_{h20} cpk_{h32} ls__{h20} pa-{a20} ck-{a20} m0-{a20} as-{a30}",
  "1000.{h32}.{h8} 0.{h8}-{h4}-{h4}-{h4}-{h12} 2{a26}_{a10} {h32}-{h8}-{h4} K10{h64}",
  "sdk-{h8}-{h4}-1{h3}-{h4}-{h12} api-{h8}-{h4}-4{h3}-{h4}-{h12} 00D{a12} p.eyJ{a20}",
  // Names of tests in clusters, of files and of builds.
  "secret-test-{h8}-{h4}-4{h3}-{h4}-{h12} secret-test-map-{h8}-{h4}-4{h3}-{h4}-{h12}",
  "IDEMPOTENCY-KEY: {h8}-{h4}-4{h3}-{h4}-{h12} SEC-WEBSOCKET-KEY: {a22}== RESTORE_KEY={h40}",
  "dose_by_day_2024_01_02_v3_run_{d2}_a.csv 2{h26}_{h20} as-{h22} m0-{h40} pa-{h43} ck-{h43}",
  "{a40}AzSeZ{a5} {a42}+ACRZ{a5} {a33}AzCaZ{a5}= tr_dev_{a8} npg_{a20} xau_{a20} dose{h30}",
];

Deno.test("Redactor keeps hashes, ids, lock files and images", () => {
  for (const shape of INNOCENTS) {
    for (let seed = 0; seed < 200; seed++) {
      const { secret: text } = exampleOf(shape, seed);
      assertEquals(new Redactor().redact(text), text);
    }
  }
});

Deno.test("Redactor keeps words in places of passwords", () => {
  for (
    const text of [
      "mysql -u root -p db",
      "docker run -p8080:80 mysql",
      "mysql -h x; docker run -p8080:80 y",
      "sshpass -p &lt;password&gt; ssh -p 2222 h; \\fB\\-\\-name=mysql\\-password\\fR",
      "ciphers HIGH:!aNULL:!PSK:!SRP:!DSS; HIGH:!aPSK:!kDHEPSK:!DSS1",
      "echo nodejs | sudo pacman -S -; echo hello | sudo tee x; echo x | sudo -S ls",
      "vault login -method=oidc; vault login; the net user growth; sqlplus / as sysdba",
      "htpasswd -c f me; redis-cli -h x acl list; requirepass is a setting; nmcli password",
      "security find-generic-password -w -s x; gh secret set X < f; openssl enc -d -k $PW",
      "curl x; docker run -u me:staff y; curl y | docker run -u a:bcde z; echo $PW | sudo -S x",
      "-Password reset by mail\n+Password change by mail",
      "env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef: x",
      "curl -b jar.txt x; git checkout -b x",
      "echo src1 | git check-ignore --stdin; echo src1 | eslint --stdin; git hash-object --stdin <<< src1",
      'os.getenv("API_TOKEN"); os.environ.get("API_TOKEN", default_token1)',
      "the password 'x' is too short; the library identified by 'name'",
      "DB_PASSWORD=my-password",
      '{"password":"Password","forgotPassword": "Forgot password?"}',
      'access_token = "access_token"; EXPIRED_TOKEN: "expired-token"',
      "password: SecretStr\n--registry-password requires --registry-user",
      'auth:\n  existingSecret: "postgres-secret"',
      "podman run -p 80:80 login",
      "ENV PATH /usr/bin\nARG npm_token\nENV API_TOKEN $TOKEN",
      "--password <password> --user <user>",
      "<password>${env.PW}</password>",
      '<input name="password">Password</label>',
      "List<Token>x</Token>",
      "src/a.ts:10:5:error:something",
      '{"auth": "required"} {"auth":"basic"}',
      "the token is here, and the password > 8",
      "FAQ.Ab8RN6 sk_buff fw_rule re_match_all_patterns_in_text API-REFERENCE",
      "client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1J",
      "xai-explainability-toolkit-for-computer-vision-2 vcr_cassettes_of_the_test_suite_2",
      "secret-test-names-in-a-long-list-of-words-2 sk_test_name_in_a_list_of_words_2",
      "Mid-server-side-rendering-of-pages-2 dose.response_curve_of_patients-2 cog_wheel",
      "perm-level.two-of-three.and-a-few-words-behind-it apk_user_interface_of_the_app_2",
      "ory_kratos_settings_of_the_identity_server_2 tr_dev_settings_of_all_the_projects",
      "docker run --name supabase -p 54322:5432 x; supabase start -p 54322",
      "aws ssm put-parameter --type String --value abcd1; curl -u : x; wandb login --relogin",
      "echo src1 | vercel deploy; gh auth login --with-token < file; netlify deploy --auth $X",
      "aws ssm put-parameter --value file://x.txt --type SecureString; node netlify/x.js --auth basic",
      'echo "https://x.example" | vercel env add NEXT_PUBLIC_URL production',
    ]
  ) assertEquals(new Redactor().redact(text), text);
});

Deno.test("Redactor keeps what only says where a secret is, or what it is called", () => {
  for (
    const text of [
      'SECRET_KEY = "AWS_SECRET_ACCESS_KEY"\npassword: DB_PASSWORD\ntoken: GITHUB_TOKEN',
      "secretKey: s3SecretKey, accessToken: oauth2AccessToken;",
      "update(password1=password1, password2=password2)",
      "export GOOGLE_APPLICATION_CREDENTIALS=key.json && ansible-playbook --private-key id_rsa",
      "password=op://vault/item/field1\npassword: ref+vault://x1\npassword: env:DB_PW1",
      "--secret=projects/my-project/secrets/my-secret1/versions/1",
      "docker build --secret id=npmrc,src=$HOME/.npmrc .",
      "arn:aws:secretsmanager:us-east-1:123456789012:secret:MyTestSecret-a1b2c3",
      "Password: !Ref DbPassword1\npassword: !vault |",
      "user.signingkey=3AA5C34371567BD2\n\tsigningkey = 3AA5C34371567BD2",
      'if("password"===e.type||e.newPassword===e.oldPassword)return"authorization"==typeof e.name?1:2',
      'auth_password:s?.type==="basic"?s.password:"",password:e.auth_password??""',
      "--one-off-secret name must look like this",
      `f"secret='{self.secret}'" f"postgresql://{user}:{quote(password)}@{host}"`,
      '["authorization", "x-amz-content-sha256", "x-amz-date"]',
      '{"renderPass": "opaque"}\non_pass: next',
      "{marker:r,token:e.tokens.length-1,end:-1}",
      "const UNEXPECTED_TOKEN = /^Unexpected token '?(.)'?(,)? /i",
      "    readonly STENCIL_PASS: 0x0B96;\n  ENCRYPTION_KEY    = 0xc0406618",
    ]
  ) assertEquals(new Redactor().redact(text), text);
});

Deno.test("Redactor keeps labels of forms, examples, and ends of secrets that a program hides", () => {
  for (
    const text of [
      '"confirmPassword": "确认密码", "invalid_password": "Your password must have 8 characters"',
      '"Unexpected_token_1012": "未預期的語彙基元。"\n  password: Password\n',
      "http://user:pass@host:80/ postgres://username:password@host/db curl -u user:password x",
      "PASSWORD=changeme\nAPI_KEY=sk-...\nAPI_KEY=sk-xxxxxxxxxxxxxxxx\nTOKEN=replace-me",
      "API_KEY=sk-your-key-here\nAuthorization: Bearer token",
      'api_key: ****************1234, "api_key": "sk-a...x1y2"\nTOKEN=gho_************',
      "  --secret stringArray   Secrets to expose\n  --token duration",
      "the option --password can be empty; use the --api-key flag. --with-secret if it is",
      "sed 's/password=.*/password=$x/' x",
    ]
  ) assertEquals(new Redactor().redact(text), text);
});

Deno.test("Redactor keeps stand-ins in the form of tokens", () => {
  for (
    const text of [
      `GITHUB_TOKEN=ghp_${"x".repeat(36)} ${"AKIA"}${"X".repeat(16)}`,
      `Authorization: Bearer sk-ant-api03-${"x".repeat(40)}`,
      "xoxb-your-token-here sk-ant-your-key-goes-here-please",
      "xoxb-my-bot-token xoxp-SlackAppConfigurationAccessTokenHere xoxa-nyc.github.io",
      `https://hooks.slack.com/services/T00000000/B00000000/${"X".repeat(24)}`,
      "postgresql://postgres:[YOUR-PASSWORD]@db.example:5432/postgres",
      "DB_PASSWORD=[PASSWORD] curl -u me:[PASSWORD] x",
    ]
  ) assertEquals(new Redactor().redact(text), text);
});

Deno.test("Redactor.redactMember() masks the auth member of Docker's settings", () => {
  const redactor = new Redactor();
  const { secret } = exampleOf("bWU6aHVudGVyMjEy", 1);
  assertEquals(redactor.redactMember("auth", secret), "[redacted:password]");
  // The base64 of "us:p" without its padding.
  assertEquals(redactor.redactMember("auth", "dXM6cA"), "[redacted:password]");
  assertEquals(redactor.redactMember("auth", "required"), "required");
});

Deno.test("families of secrets have unique names", () => {
  const names = [...TOKEN_FAMILIES, ...PLACE_FAMILIES].map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  assert(names.length > 150);
});

Deno.test("Redactor finds tokens with a line break at any character", () => {
  let count = 0;
  let found = 0;
  for (const { shapes } of TOKEN_FAMILIES) {
    for (const shape of shapes) {
      for (let seed = 0; seed < 8; seed++) {
        const masked = new Redactor().redact(brokenExample(shape, seed).text);
        count += 1;
        if (/^the key is \.+ \[redacted:\w+\]\nok$/.test(masked)) found += 1;
      }
    }
  }
  // A word may begin the next line, and the two parts of a token may look like words.
  assert(found > count * 0.97, `${found} of ${count}`);
});

for (
  const [name, text] of [
    [
      "settings of a file",
      `${"x".repeat(30)} API_TOKEN=\nFOO_2=${"b3".repeat(9)}`,
    ],
    [
      "a line of prose",
      `${"the words of a line ".repeat(3)}ask-for\n2fa and others`,
    ],
    ["paths", `${"src/a1/".repeat(7)}x_1.ts\n${"src/a1/".repeat(7)}y_2.ts`],
    [
      "hashes",
      `${"0123456789abcdef".repeat(4)}\n${"89abcdef01234567".repeat(4)}`,
    ],
  ] as const
) {
  Deno.test(`Redactor joins no lines of ${name}`, () => {
    assertEquals(new Redactor().redact(text), text);
  });
}

Deno.test("Redactor removes the line behind a token only if it may be the rest of the token", () => {
  const { secret } = exampleOf("ghp_{a36}", 1);
  const words = ["Done", "ok", "next 2", ""];
  const commands = [
    ...[
      "FOO_2=b3b3",
      "$ ls",
      "/usr/bin",
      "exit_code=0",
      "S3_URL=x",
      "s3_url: x",
    ],
    ...["aws_role = x", "accessRole2 : x", "+A2_URL=x", "X-Foo-2: x"],
    ...["package.json", "README.md", "src/main/App.java", "drwxr-xr-x 2"],
  ];
  for (const before of [`${".".repeat(30)} `, "the token of this run is "]) {
    for (const next of [...words, ...commands]) {
      for (const end of ["", "\nmore"]) {
        assertEquals(
          new Redactor().redact(`${before}${secret}\n${next}${end}`),
          `${before}[redacted:github_token]\n${next}${end}`,
        );
      }
    }
    assertEquals(
      new Redactor().redact(`${before}${secret}\n42\nmore`),
      `${before}[redacted:github_token]\nmore`,
    );
  }
});

/** Letters and digits, joined here so that no scanner takes this file for a leak. */
const A20 = "aB3dE5gH7jK9mN1pQ4sT";
const A36 = A20 + A20.slice(0, 16);
const A60 = A20 + A20 + A20;
const HEX32 = "0123456789abcdef".repeat(2);
const HEX40 = HEX32 + "01234567";
const UUID = "84896a0c-1347-aa90-a4f6-aca8b7558780";
const KEY_LINE = A60 + "wXyZ";
const BEGIN = "-----BEGIN";

/** Kinds of tokens that are found by their middle or their end. */
const ANYWHERE: ReadonlySet<string> = new Set([
  "azure_key",
  "facebook_token",
  "maxmind_key",
  "telegram_token",
  "terraform_token",
]);

Deno.test("Redactor finds no token inside a longer word", () => {
  for (const { kind, shapes } of TOKEN_FAMILIES) {
    if (ANYWHERE.has(kind)) continue;
    for (const shape of shapes) {
      const text = `x${A20}${exampleOf(shape, 3).secret}`;
      assertEquals(new Redactor().redact(text), text);
    }
  }
});

/** Texts with and without secrets. `«` and `»` contain a kind and a secret. */
const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["an exported variable", "export FOO_TOKEN=«token:abc» && x"],
  ["a variable before a command", "PGPASSWORD=«password:abc» psql"],
  ["a quoted variable", "export DB_PASSWORD='«password:a b c»'"],
  [
    "a line of an environment file, to its end",
    "DB_PASS=«password:foo;bar&baz»\nX=1",
  ],
  ["JSON", '{"api_key": "«api_key:abcd1234efgh»", "n": 1}'],
  [
    "JSON in a string of JSON",
    '{\\"client_secret\\":\\"«secret:abcd1234efgh»\\"}',
  ],
  ["YAML", "db:\n  password: «password:swordfish»\n  user: me"],
  ["a quoted word in source code", 'const password = "«password:swordfish»";'],
  ["a flag and its value", "mysql --password «password:swordfish» --user me"],
  ["a flag with an equals sign", "deploy --api-key=«api_key:abc123» now"],
  [
    "AWS's secret key",
    `aws_secret_access_key = «api_key:${A20}/${A20.slice(1)}»`,
  ],
  [
    "a connection string",
    `AccountName=x;AccountKey=«api_key:${A36}==»;EndpointSuffix=y`,
  ],
  ["a query string", "/cb?access_token=«token:abc123»&user=me"],
  [
    "a line before another setting in words",
    `PrivateKey=«private_key:${A36.slice(2)}+/${
      A20.slice(13)
    }=»\nListenPort=51820`,
  ],
  [
    "a header before another header",
    `Authorization: Basic «authorization:${A36}»\nX-Api-Version: 2a`,
  ],
  ["npm's settings", "//npm.example/:_authToken=«token:abcd-efgh-1»"],
  [
    "a header of a command",
    'curl -H "Authorization: Bearer «authorization:abcdef»" x',
  ],
  [
    "basic authorization",
    "authorization: Basic «authorization:dXNlcjpwYXNz»\r\nAccept: */*",
  ],
  [
    "a header in an object",
    '{"Authorization": "token «authorization:abcdef»"}',
  ],
  [
    "a header of many parameters",
    'Authorization: Digest «authorization:username="a", response="b"»\nX',
  ],
  ["a header of a service", "X-Api-Key: «api_key:abc123def»"],
  ["a header in capitals", `DD-APPLICATION-KEY: «api_key:${HEX40}»`],
  [
    "a header of a scheme that is in no list",
    "Authorization: Custom «authorization:abc123def456»\nX",
  ],
  [
    "a header of a scheme with an account before its signature",
    "-H 'Authorization: SharedKey «authorization:acct:abcd1234/efgh5678==»'",
  ],
  [
    "members whose name and value are two members",
    '[{"name":"DB_PASSWORD","value":"«password:swordfish»"},' +
    ' {"Key": "ApiToken", "Value": "«token:abcd1234»"},' +
    ' {"ParameterKey":"DbPassword","ParameterValue":"«password:swordfish»"}]',
  ],
  [
    "the environment of a container",
    "env:\n  - name: DB_PASSWORD\n    value: «password:swordfish»\n  - name: A\n    value: b",
  ],
  [
    "the value of an attribute",
    '<property name="password" value="«password:swordfish»"/>',
  ],
  [
    "the text of an element that an attribute names",
    '<string name="api_token">«token:abcd1234»</string> <entry key="db.password">«password:swordfish»</entry> <property name="connection.password">«password:swordfish»</property>',
  ],
  [
    "an escaped quotation mark in a value",
    'DB_PASSWORD="«password:sword\\"fish»" x',
  ],
  [
    "a flag with one dash",
    "keytool -list -storepass «password:swordfish»; x -password «password:swordfish»",
  ],
  ["a flag of Redis", "redis-server --requirepass «password:swordfish»"],
  [
    "a call without spaces",
    '[Environment]::SetEnvironmentVariable("API_TOKEN","«token:abcd1234»","User")',
  ],
  [
    "a password that begins as a stand-in",
    "docker run -e DB_PASSWORD=«password:my-db-passw0rd» x",
  ],
  ["a short name of a password", "SMTP_PW=«password:swordfish»"],
  ["a constant of PHP", "define( 'DB_PASSWORD', '«password:swordfish»' );"],
  [
    "the settings of Gradle",
    `keyPassword "«password:swordfish»"\nstorePassword '«password:swordfish»'`,
  ],
  [
    "keys that a program prints",
    `Your API key: «api_key:${A20}»\nUnseal Key 1: «password:${A36}=»`,
  ],
  [
    "a user and a password in source code",
    `get(u, auth=("me", "«password:swordfish»")); SetBasicAuth('me', '«password:swordfish»')`,
  ],
  [
    "a password behind a user in an object",
    `auth: {\n  user: "me",\n  pass: "«password:swordfish»"\n}, {\\"user\\":\\"me\\",\\"pass\\":\\"«password:swordfish»\\"}`,
  ],
  ["a password in a sentence", "the password is «password:sword1fish», ok?"],
  [
    "a password behind a sentence",
    "Your new password is: «password:sword1fish»\nThe password is: required",
  ],
  [
    "the settings of Laravel",
    "'password' => env('DB_PASSWORD', '«password:swordfish»'), 'user' => env('DB_USER', 'me')",
  ],
  [
    "a secret of a vault",
    "az keyvault secret set --value «password:abcd» -n x",
  ],
  [
    "the password of a connection string",
    "Data Source=x;User ID=sa;Pwd=«password:swordfish1»;",
  ],
  [
    "the password of a user in SQL",
    `psql -c "ALTER USER me WITH ENCRYPTED PASSWORD '«password:swordfish»'"`,
  ],
  [
    "the password of a user in MySQL",
    "create user 'me'@'%' identified by '«password:sword fish»'; GRANT ALL ON x.* TO me IDENTIFIED WITH x BY '«password:swordfish»'",
  ],
  [
    "the cookies of a request",
    `curl -H 'Accept: a; q=1' -b '«cookie:sid=1; b=2»' x; curl --cookie "«cookie:sid=1»" y`,
  ],
  [
    "the user of a request with HTTPie",
    "http -a me:«password:swordfish» POST x",
  ],
  ["cookies", "Set-Cookie: «cookie:sid=1; Path=/»\nX"],
  [
    "a password in a URL",
    "see postgres://u:«url_password:p@ss:w»@db:5432/x and http://a:«url_password:b»@c",
  ],
  [
    "a password in a URL with escaped slashes",
    "redis:\\/\\/:«url_password:pw»@host",
  ],
  [
    "a token as the user of a URL",
    `https://«github_token:ghp_${A36}»@github.com/x`,
  ],
  [
    "a user of a URL that looks like a token",
    `https://«url_user:${A20}»@host/x`,
  ],
  ["the user of a request", "curl -s -u admin:«password:hunter2» https://x"],
  ["the user of a download", "wget --user me:«password:hunter2» https://x"],
  [
    "a value behind Pwd that looks like a secret, and one in a query",
    'x?password=«password:swordfish1»&y=1 {"Pwd": "«password:swordfish1234»"}',
  ],
  [
    "a password for ssh",
    "sshpass -p «password:hunter2» ssh x; sshpass -p'«password:hunter3»' ssh x",
  ],
  [
    "values that are quoted in a quoted argument of a shell",
    `bash -lc 'PGPASSWORD='\\''«password:abc»'\\'' psql; mysql -p'\\''«password:hunter2»'\\'' x'`,
  ],
  [
    "values behind a change of the quotation marks of a shell",
    `bash -lc 'echo "$X"; PGPASSWORD='"'«password:abc»' psql" "it's DB_PASSWORD="'"«password:d e»" x' {"c":"bash -lc 'a \\"b\\"; API_KEY='\\"'«api_key:f1»' x\\""}`,
  ],
  [
    "a name and a value that are quoted in two other ways",
    `sh -c 'a['"'"'API_KEY'"'"']='"'"'«api_key:abc1»'"'"'' "b['\\\\''api_token'\\\\'']='\\\\''«token:abcd1234»'\\\\''"`,
  ],
  [
    "a variable that a quoted command sets",
    `fish -c 'set -x API_TOKEN «token:abc»' {"cmd":"setenv DB_PASSWORD «password:abc»"}`,
  ],
  [
    "settings of programs",
    `aws configure set aws_secret_access_key «api_key:abc»; npm config set //x.y/:_authToken «token:abc»; dotnet user-secrets set "Db:Password" "«password:abc»"`,
  ],
  [
    "passwords of further programs",
    "unzip -P «password:hunter2» x.zip; twine upload -u me -p «password:hunter3» x; ssh-keygen -N '«password:hunter4»' -f k",
  ],
  [
    "passwords at a place of a command",
    "htpasswd -bc .htpasswd me «password:hunter2»; htpasswd -nbB me '«password:hunter3»' | tee f",
  ],
  [
    "passwords of databases",
    "sqlplus -s me/«password:hunter2» @x.sql; redis-cli -h x AUTH «password:hunter3»; mysqladmin -u me password '«password:hunter4»'; rabbitmqctl add_user me «password:hunter5»",
  ],
  [
    "settings of Redis",
    "requirepass «password:swordfish»\nredis-cli CONFIG SET requirepass «password:hunter2»",
  ],
  [
    "keys of networks",
    'network={\n  ssid="x"\n  psk="«password:sword fish»"\n}\nwpa_passphrase x «password:swordfish»; nmcli dev wifi connect x password «password:swordfish»',
  ],
  [
    "commands that log in",
    "vault login «password:swordfish»; gh secret set X -b'«password:hunter2»'; vault login -method=userpass username=me password=«password:swordfish»; SSHPASS=«password:abc» sshpass -e ssh x",
  ],
  [
    "commands of Windows",
    `net use Z: \\\\h\\s «password:hunter2» /user:me & net user me «password:hunter3» /add & ConvertTo-SecureString '«password:hunter4»' -AsPlainText`,
  ],
  [
    "the input of a program that reads a password",
    `echo '«password:hunter2»' | sudo -S ls; printf '«password:hunter3»\\n' | sudo -k -S x; echo "«password:me:hunter4»" | sudo chpasswd; echo «password:hunter5» | docker login -u me --password-stdin`,
  ],
  [
    "the input of a program by a here string or a longer command",
    `chpasswd <<< "«password:me:hunter2»"; sudo passwd --stdin me <<<«password:hunter3»\necho «password:hunter4» | ssh h sudo -S ls; printf %s «password:hunter5» | docker secret create x -`,
  ],
  [
    "the answers to prompts",
    `expect -c 'expect "password:"; send "«password:swordfish\\r»"'; expect "*assword:*" { send -- "«password:hunter2\\r»" }`,
  ],
  [
    "quoted flags, and a command over several lines",
    "curl -d it\\'s -u me:«password:hunter7» h; 7z a '-p«password:hunter2»' x; unrar x -p«password:hunter3» x; smbclient //h/s -U 'x\\me%«password:hunter4»'; mysql \\\n  -u me \\\n  -p«password:hunter5» x; mysql -e 'a; b' -p«password:hunter6»",
  ],
  [
    "a flag of two passwords",
    "ssh-keygen -p -P «password:hunter2» -N «password:hunter3» -f k; security unlock-keychain -p «password:hunter4» x; openssl enc -k «password:hunter5» -in x; plink -pw «password:hunter6» h; gh secret set X --body «password:hunter7» && lftp -u me,«password:hunter8» h",
  ],
  [
    "a name with words behind the word for a secret",
    '{"db_password_old": "«password:swordfish»", "NPM_TOKEN_2": "«token:abcd1234»"}',
  ],
  [
    "a secret with a plain name, if the value looks like a secret",
    `secret: «secret:${A20}»\nsecret: parties`,
  ],
  ["a name in upper case", `LICENSE_KEY=«api_key:${A20}»`],
  [
    "a JSON Web Token without its signature",
    `«jwt:eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx${A20}»`,
  ],
  [
    "a signature in a URL that is encoded twice",
    `https://x/?u=https%3A%2F%2Fy%3Fa%3Db%26«azure_secret:sig=${A36}»`,
  ],
  [
    "a signature behind a name with the same ending",
    `commitsig=«azure_secret:sig=${A36}» xhvs.«vault_token:hvs.${A36}»`,
  ],
  [
    "the user of a request behind a long flag",
    "curl --user admin:«password:hunter2» --proxy-user me:«password:hunter3» x",
  ],
  ["a .netrc", "machine x login y password «password:zzzz1»"],
  [
    "the user of a request behind other flags of one letter",
    "curl -sSfu admin:«password:hunter2» -U me:«password:hunter3» https://x",
  ],
  [
    "a .netrc on several lines",
    "machine x\n  login y\n  password «password:swordfish»\nmachine z",
  ],
  [
    "a private key",
    `a\n«private_key:${BEGIN} RSA PRIVATE KEY-----\n${KEY_LINE}\n${KEY_LINE}\nabc=\n-----END RSA PRIVATE KEY-----»\nb`,
  ],
  [
    "a private key with escaped line ends",
    `"«private_key:${BEGIN} PRIVATE KEY-----\\n${KEY_LINE}\\n-----END PRIVATE KEY-----»\\n"`,
  ],
  [
    "a private key with numbered lines and a header",
    `     1\t«private_key:${BEGIN} RSA PRIVATE KEY-----\n     2\tProc-Type: 4,ENCRYPTED\n     3\t\n     4\t${KEY_LINE}\n     5\t-----END RSA PRIVATE KEY-----»\n     6\tx`,
  ],
  [
    "a private key in a diff",
    `+«private_key:${BEGIN} EC PRIVATE KEY-----\n+${KEY_LINE}\n+-----END EC PRIVATE KEY-----»\n+x`,
  ],
  [
    "a private key that is cut off",
    `«private_key:${BEGIN} OPENSSH PRIVATE KEY-----\n${KEY_LINE}\n${A20}»`,
  ],
  [
    "a private key in the removed lines of a diff",
    `-  «private_key:${BEGIN} PRIVATE KEY-----\n-  ${KEY_LINE}\n-  -----END PRIVATE KEY-----»\n+x`,
  ],
  [
    "a private key with the line numbers of read_file",
    `L1: «private_key:${BEGIN} PRIVATE KEY-----\nL2: ${KEY_LINE}\nL3: -----END PRIVATE KEY-----»\nL4: x`,
  ],
  [
    "a private key in a table",
    `  1   │ «private_key:${BEGIN} PRIVATE KEY-----\n  2   │ ${KEY_LINE}\n  3   │ -----END PRIVATE KEY-----»`,
  ],
  [
    "a private key in the output of a search",
    `a/k.pem:1:«private_key:${BEGIN} PRIVATE KEY-----\na/k.pem-2-${KEY_LINE}\na/k.pem-3------END PRIVATE KEY-----»\nx`,
  ],
  [
    "a private key in a comment",
    `# «private_key:${BEGIN} PRIVATE KEY-----\n# ${KEY_LINE}\n# -----END PRIVATE KEY-----»`,
  ],
  [
    "a private key with escaped tabs and line ends",
    `1\\t«private_key:${BEGIN} PRIVATE KEY-----\\n2\\t${KEY_LINE}\\n3\\t-----END PRIVATE KEY-----»\\n`,
  ],
  [
    "a private key in joined strings of source code",
    `k = "«private_key:${BEGIN} PRIVATE KEY-----\\n" +\n  "${KEY_LINE}\\n" +\n  "-----END PRIVATE KEY-----»";`,
  ],
  [
    "a private key without line ends",
    `K=«private_key:${BEGIN} PRIVATE KEY-----${KEY_LINE}-----END PRIVATE KEY-----» x`,
  ],
  [
    "a private key without its beginning",
    `a\n«private_key:${KEY_LINE}\n${KEY_LINE}\nabc=\n-----END PRIVATE KEY-----»\nb`,
  ],
  [
    "a private key without its middle",
    `«private_key:${BEGIN} PRIVATE KEY-----\n${KEY_LINE}\n${KEY_LINE}»…9 tokens truncated…«private_key:${KEY_LINE}\nabc=\n-----END PRIVATE KEY-----»\nb`,
  ],
  [
    "a private key of which a part was left out, in JSON that was cut off",
    `{\\"k\\":\\"«private_key:${BEGIN} PRIVATE KEY-----\\\\n${KEY_LINE}»…9 tokens truncated…«private_key:${KEY_LINE}\\\\r\\\\n${KEY_LINE}\\\\r\\\\nabc=\\\\r\\\\n-----END PRIVATE KEY-----»\\\\r\\\\n`,
  ],
  [
    "a value before the end of a colour",
    "password=«password:hunter2\u001b[0m» x",
  ],
  [
    "a token with a partly coloured match of a search",
    `«github_token:\u001b[01;31m\u001b[Kghp_${A20}\u001b[m\u001b[K${A20}»`,
  ],
  [
    "a token with a colour in one character (C1)",
    `«github_token:ghp_${A20}\u009b31m${A20}»`,
  ],
  [
    "a token before a cursor movement and a word",
    "«aws_access_key_id:AKIAIOSFODNN7EXAMPLE\u001b[9G»ok",
  ],
  [
    "the secrets of several rules",
    `GITHUB_TOKEN=«github_token:ghp_${A36}» curl https://a:«url_password:b»@c`,
  ],
  [
    "a commit and a UUID",
    `commit ${HEX40} 550e8400-e29b-41d4-a716-446655440000`,
  ],
  ["counts", "input_tokens: 1234, max_tokens=100, token_count=12, tokens: 9"],
  ["types", "token: string; password: str = None, secret?: boolean, apiKey: T"],
  ["source code", "const token = getToken(); password = config.db.password;"],
  ["variables", "PASSWORD=$PW TOKEN=${{ secrets.TOKEN }} password=$(cat f)"],
  ["placeholders", 'api_key: "<key>", password: "********", token=your-token'],
  ["folders", "PWD=/home/dev/proj OLDPWD=/tmp TOKEN_FILE=/run/token"],
  ["the permissions of a workflow", "permissions:\n  id-token: write\n"],
  ["inherited secrets", "secrets: inherit"],
  ["a choice", 'const word = isIt ? "password" : "swordfish";'],
  ["a question", "password = input('Password: ')"],
  ["a help text", "  --password PASSWORD   The password to use."],
  ["a pattern for keys", `grep -r "${BEGIN} PRIVATE KEY-----" src`],
  [
    "words around keys",
    `m = /${BEGIN} PRIVATE KEY-----\\n([^-]+)\\n-----END PRIVATE KEY-----/`,
  ],
  [
    "the end of a key without a key",
    "some words\n-----END PRIVATE KEY-----\nmore",
  ],
  ["a class of a style sheet", "sk-folding-cube sk-container-id-1 sk-toggle"],
  ["a base64 image", `data:image/png;base64,${A60}/AKIAx/${A60}==`],
  ["a key inside of base64", `${A60}/AKIAIOSFODNN7EXAMPLE/${A60}==`],
  [
    "a key on the line after a hash",
    `${HEX40}\n«aws_access_key_id:AKIAIOSFODNN7EXAMPLE»\n`,
  ],
  ["tokens of lists", `"nextToken": "${A20}" EOS_TOKEN=${A20}`],
  ["an empty password of a command", "mysql -p'' -h db 'swordfish'"],
  [
    "the text behind an empty element",
    '<li><property name="password" ref="pw"/> is set elsewhere</li>',
  ],
  [
    "a key without its lines",
    `${BEGIN} PRIVATE KEY-----\n-----END PRIVATE KEY-----`,
  ],
  ["encrypted reasoning", `gAAAAAB${A60}-sk-${A20}_${A60}`],
  ["a URL with a port", "http://localhost:8080/@scope/x?a=b@c"],
  ["an e-mail address", "mailto:me@example.org git@github.com:a/b.git"],
  ["a realm", 'WWW-Authenticate: Bearer realm="x"'],
  ["settings of npm", "npm_config_registry=https://npm.example npm_lifecycle"],
  ["a container's user", "docker run -u 1000:1000 --user 1000:1000 image"],
  [
    "a container's user behind a download",
    "curl x | docker run -u 1000:1000 y",
  ],
  [
    "the credentials of AWS, each on its line",
    `aws_secret_access_key = «api_key:${A20}/${
      A20.slice(1)
    }»\naws_session_token = «token:${A36}»`,
  ],
  [
    "a text with spaces that a program reads as a password",
    `echo "«password:a b1 c»" | sudo -S ls; sudo -S ls <<< '«password:a b c»'; bash -lc 'echo '\\''«password:a b c»'\\'' | docker login --password-stdin'`,
  ],
  [
    "the outputs of Terraform",
    '"db_password": {\n  "sensitive": true,\n  "type": "string",\n  "value": "«password:abc»"\n}, "token": {"type": "string"}, "n": {"value": "xyz"}',
  ],
  [
    "a quoted argument with spaces",
    `curl -u "me:«password:a b1 c»" x; mysql -p'«password:a b c»' "d e"`,
  ],
  [
    "a quoted argument with spaces, in the argument of a shell",
    `bash -lc 'sshpass -p '\\''«password:a b "c"»'\\'' ssh "x y"' \\"z\\"`,
  ],
  [
    "an argument whose quotation mark nothing closes",
    `mysql -p'«password:correct» horse\nit's`,
  ],
  [
    "MySQL's statement for a password",
    "SET PASSWORD FOR 'me'@'%' = PASSWORD('«password:abc1»'); SET PASSWORD FOR x TO RANDOM",
  ],
  [
    "the secret id of Vault, not that of other stores",
    `secret_id=«secret:${UUID}» --secret-id app/key-20261120 role_id=${UUID}`,
  ],
  [
    "the credentials of .NET",
    'new System.Net.NetworkCredential("me", "«password:abc1»")',
  ],
  [
    "the URLs of Oracle's driver",
    "jdbc:oracle:thin:me/«url_password:a@b»@//h:1521/x jdbc:oracle:thin:@h:1521:x jdbc:oracle:oci:me/$PW@h",
  ],
  [
    "a path on another host behind a download",
    "curl x && rsync -avu h:/srv/a b",
  ],
  ...["CACHE", "FOREIGN", "HOST", "PARTITION", "PRIMARY", "PUBLIC", "SORT"]
    .map((word) =>
      [`a ${word.toLowerCase()} key`, `X_${word}_KEY=${A20}`] as const
    ),
  ["a longer text than a key of Google", `AIza${A60}`],
  ["a longer text than a secret of Azure", `abc8Q~${A36}`],
  ["a longer text than a token of Databricks", `dapi${HEX32}ab`],
  ["a short password of a request", "curl -u admin:abc https://x"],
  ["a user of a request without a program", "run -u admin:hunter2"],
  ["paths behind names of secrets", 'secret_key = "/etc/key.pem", "./a/b"'],
  ["addresses behind names of secrets", 'api_token: "https://host/tokens/1"'],
  ["a name in lower case", `my_key=${A20}`],
  ["a user of a URL that is a word", `https://${"abcde".repeat(5)}@host/x`],
  ["a word that begins like a token of crates", `cio${"abcdefgh".repeat(4)}`],
  ["a longer text than a token of crates", `cio${A36}`],
  ["a longer text than a key of Twilio", `SK${HEX40}`],
  ["a longer text than a key of Mailgun", `key-${HEX40}`],
  ["the beginning of JSON in base64", `eyJhbGciOiJIUzI1NiJ9.a${A36}`],
  ["half a JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx"],
  ["a parameter that ends like a signature", `design=${A36}`],
  ["a sentence on a login", "Mend the login form password validation"],
  ["a text that begins with login", "login page password reset fails"],
  ["a header in source code", "authorization = headers[1].encode('ascii')"],
  ["a sentence on schemes", "authorization: uses HMAC-SHA256 signatures"],
  ["a sentence on passwords", "The password is stale: `password` is `own`"],
  ["a sentence on keys", "API key: not-in-use\nSecret key: see below"],
  ["a test that passes", 'pass: "always1", user: "me", n: 1, pass: ok'],
  ["calls with variables", 'get(auth=("me", pw)); requireAuth("me", "read")'],
  ["a sentence on headers", "authorization: see https://a.example/v2/auth"],
];

for (const [name, marked] of TEXTS) {
  Deno.test(`Redactor masks only the secrets in ${name}`, () => {
    const { input, expected } = unmarked(marked);
    const redactor = new Redactor();
    assertEquals(redactor.redact(input), expected);
    assertEquals(redactor.counts.size > 0, input !== expected);
    assertEquals(redactor.redact(expected), expected, "again");
  });
}

Deno.test("Redactor masks secrets with colours inside, and removes the colours", () => {
  for (
    const [text, expected] of [
      [
        `\u001b[32m+${BEGIN} PRIVATE KEY-----\u001b[m\n\u001b[32m+\u001b[m\u001b[32m${KEY_LINE}\u001b[m\n\u001b[32m+-----END PRIVATE KEY-----\u001b[m`,
        "+[redacted:private_key]",
      ],
      [
        '\u001b[34;1m"password"\u001b[0m\u001b[39m:\u001b[0m \u001b[32m"swordfish"\u001b[0m',
        '"password": "[redacted:password]"',
      ],
    ] as const
  ) assertEquals(new Redactor().redact(text), expected);
});

const NAMES = {
  password: [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pswd",
    "pwd",
    "_auth",
    "db_pass",
    "db_pwd",
    "dbpassword",
    "dbpasswd",
    "dbpassphrase",
  ],
  token: [
    "token",
    "access_token",
    "api_token",
    "auth_token",
    "bearer_token",
    "id_token",
    "refresh_token",
    "session_token",
  ],
  secret: [
    "secret",
    "app_secret",
    "auth_secret",
    "client_secret",
    "jwt_secret",
    "secret_key_base",
    "db_creds",
    "db_credential",
    "db_credentials",
    "secret_string",
  ],
  api_key: [
    "api_key",
    "access_key",
    "account_key",
    "auth_key",
    "master_key",
    "secret_key",
    "shared_access_key",
    "dbapikey",
    "dbsecretkey",
    "subscription_key",
  ],
  private_key: [
    "encryption_key",
    "preshared_key",
    "private_key",
    "signing_key",
  ],
};

for (const [kind, names] of Object.entries(NAMES)) {
  Deno.test(`Redactor masks the values of names: ${kind}`, () => {
    for (const name of names) {
      assertEquals(
        new Redactor().redact(`x\n${name}: ${A20}\ny`),
        `x\n${name}: [redacted:${kind}]\ny`,
      );
    }
  });
}

Deno.test("Redactor masks values behind all signs of assignment", () => {
  for (const sign of ["=>", ":=", "=", ":", " = ", "']: "]) {
    assertEquals(
      new Redactor().redact(`password${sign}'swordfish'`),
      `password${sign}'[redacted:password]'`,
    );
  }
  for (
    const text of [
      "std::password::swordfish1",
      "ask --password -x",
      "ask --password --secret",
    ]
  ) {
    assertEquals(new Redactor().redact(text), text);
  }
});

Deno.test("Redactor keeps names of types in quotes, but not similar values", () => {
  for (const type of ["Token", "HTTPToken", "_Token", "auth.Token"]) {
    const text = `api_token: "${type}"`;
    assertEquals(new Redactor().redact(text), text);
  }
  for (const value of ["!Token-", "Token123", "x Token", "TOKEN-Token"]) {
    const text = `API_TOKEN="${value}"`;
    assertEquals(
      new Redactor().redact(text),
      'API_TOKEN="[redacted:token]"',
    );
  }
  for (const value of ["Token12345", "!auth.Token"]) {
    assertEquals(
      new Redactor().redactMember("api_token", value),
      "[redacted:token]",
    );
  }
});

Deno.test("Redactor redacts the same after many other texts", () => {
  const texts = Array.from({ length: 1500 }, (_, n) => `text number ${n}`);
  const short = ["db_pass=hunter2x", "[redacted:token]", "plain words"];
  const redactor = new Redactor();
  for (const text of [...short, ...texts, ...short, ...short]) {
    assertEquals(redactor.redact(text), new Redactor().redact(text));
  }
  for (
    const name of [
      "cookie",
      "title",
      "db_token",
      ...texts,
      "cookie",
      "db_token",
    ]
  ) {
    const expected = new Redactor().redactMember(name, "swordfish");
    assertEquals(redactor.redactMember(name, "swordfish"), expected);
  }

  assertEquals(Object.fromEntries(redactor.counts), {
    password: 3,
    cookie: 2,
    token: 2,
  });
});

Deno.test("Redactor masks matches of patterns with any flags", () => {
  const patterns = [/acme-\d+/iy, /x*/g, /redacted/];
  const redactor = new Redactor({ patterns });
  const once = redactor.redact("ACME-1 acme-22 redacted");
  assertEquals(
    once,
    "[redacted:pattern] [redacted:pattern] [redacted:pattern]",
  );
  assertEquals(redactor.redact(once), once);
  assertEquals([...redactor.counts], [["pattern", 3]]);
});

for (
  const { pattern, text, expected, count } of [
    {
      pattern: /ACME-./,
      text: "ACME-😀x",
      expected: "[redacted:pattern]x",
      count: 1,
    },
    {
      pattern: /.x/,
      text: "a😀x",
      expected: "a[redacted:pattern]",
      count: 1,
    },
    {
      pattern: /[^a]/,
      text: "a😀a😀😀",
      expected: "a[redacted:pattern]a[redacted:pattern][redacted:pattern]",
      count: 3,
    },
    {
      pattern: /[^a]b?/,
      text: "a😀bc",
      expected: "a[redacted:pattern][redacted:pattern][redacted:pattern]",
      count: 3,
    },
    {
      pattern: /ACME-./u,
      text: "ACME-😀x",
      expected: "[redacted:pattern]x",
      count: 1,
    },
    {
      pattern: /ACME-./v,
      text: "😀ACME-😀😀",
      expected: "😀[redacted:pattern]😀",
      count: 1,
    },
    {
      pattern: /x./,
      text: "x\ude00\ud83d😀",
      expected: "[redacted:pattern]\ud83d😀",
      count: 1,
    },
  ]
) {
  Deno.test(`Redactor masks whole characters with ${pattern} in ${JSON.stringify(text)}`, () => {
    const redactor = new Redactor({ patterns: [pattern] });
    assertEquals(redactor.redact(text), expected);
    assertEquals(redactor.counts.get("pattern"), count);
  });
}

Deno.test("Redactor masks a whole text that is too long for a pattern", () => {
  const text = "a".repeat(1 << 25);
  const redactor = new Redactor({ patterns: [/(?:a|b)*c/] });
  assertEquals(redactor.redact(text), "[redacted:pattern]");
});

Deno.test("Redactor masks matches of a pattern that contains colours", () => {
  const patterns = [new RegExp("\u001b\\[31m\\w+"), /\bACME\d+\b/];
  const redactor = new Redactor({ patterns });
  assertEquals(redactor.redact("\u001b[31mred\u001b[0m"), "[redacted:pattern]");
  assertEquals(redactor.redact("ACME17\u001b[0mok"), "[redacted:pattern]ok");
  assertEquals([...redactor.counts], [["pattern", 2]]);
});

Deno.test("Redactor counts a coloured secret once", () => {
  const redactor = new Redactor();
  redactor.redact("TOKEN=\u001b[32mabc123\u001b[0m");
  redactor.redact("TOKEN=\u001b[32mabc123\u001b[0m");
  assertEquals([...redactor.counts], [["token", 2]]);
});

Deno.test("Redactor.redactMember() masks the values of names of secrets", () => {
  const redactor = new Redactor();
  assertEquals(
    redactor.redactMember("clientSecret", "swordfish"),
    "[redacted:secret]",
  );
  assertEquals(redactor.redactMember("total_tokens", "swordfish"), "swordfish");
  for (
    const [name, kind] of [
      ["Authorization", "authorization"],
      ["Proxy-Authorization", "authorization"],
      ["Cookie", "cookie"],
      ["Set-Cookie", "cookie"],
    ] as const
  ) {
    assertEquals(redactor.redactMember(name, "a sword"), `[redacted:${kind}]`);
  }
  assertEquals(redactor.redactMember("password", ""), "");
  assertEquals(
    redactor.redactMember("password", "[redacted:password]"),
    "[redacted:password]",
  );
});

/** Pieces of secrets and of the text around them, in random order. */
const FRAGMENTS = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...TOKEN_FAMILIES.flatMap(({ shapes }) => shapes)
        .map((shape) => exampleOf(shape, 1).secret),
      ...TEXTS.map(([, text]) => unmarked(text).input),
    ),
    fc.constantFrom(
      ...["token", "TOKEN", "password", "api_key", "--", "=", ": ", '"', "'"],
      ...["\u001b[1m", "\u001b[K", "\u001b[", "\u009b", "\u009b1m"],
      ...["\\", "\n", " ", "$", "[redacted:x]", "://", ":", "@", "Bearer "],
      ...["authorization: ", "cookie: a", "[", "]", "(", ".", "abc1", BEGIN],
      ...[" PRIVATE KEY-----", "\\n", "-----END", "sk-", "eyJ", "curl -u a:b"],
    ),
    anyText({ maxLength: 8 }),
  ),
  { maxLength: 12 },
).map((parts) => parts.join(""));

Deno.test("Redactor is idempotent", () => {
  fc.assert(
    fc.property(FRAGMENTS, (text) => {
      const once = new Redactor().redact(text);
      assert(once.isWellFormed());
      assertEquals(new Redactor().redact(once), once);
    }),
    { numRuns: 3000, seed: 17 },
  );
});

Deno.test("Redactor takes linear time for texts that make backtracking quadratic", () => {
  // In quadratic time each text would take minutes.
  const length = 500_000;
  for (const seed of HOSTILE) {
    const text = `${seed.repeat(Math.ceil(length / seed.length))}!`;
    const once = new Redactor().redact(text);
    assertEquals(new Redactor().redact(once) === once, true, seed);
  }
});

Deno.test("Redactor takes linear time for a long line behind a secret that may go on there", () => {
  const length = 500_000;
  const secret = `ghp_${"aB3dE5fG7h".repeat(length / 10)}`;
  for (const seed of ["A_1", "a_1", "A1", "a.a", "A-", "x ", "A_ "]) {
    const line = `${seed}${seed.slice(-1).repeat(length)}`;
    const masked = new Redactor().redact(`${secret}\n${line}`);
    assert(masked.startsWith("[redacted:"), seed);
  }
});

Deno.test("Redactor reads a line of 16 MB without an overflow", () => {
  for (const seed of ["a", "A1", "sk-a1", "token=a", "eyJ."]) {
    const text = `x ${seed.repeat(Math.ceil((1 << 24) / seed.length))}`;
    assert(new Redactor().redact(text).length > 0);
  }
});

Deno.test("Redactor masks every secret in long texts that repeat", () => {
  const redactor = new Redactor();
  const words = "no secret here ".repeat(1000);
  for (let round = 0; round < 200; round++) {
    // A text may differ from a remembered text without secrets only in the secret.
    for (const word of ["nothing_here", "sk-ant-a1b2c3d4e5f6g7h8i9j0k1l2"]) {
      const masked = redactor.redact(`${words}${round % 90} ${word}`);
      assertEquals(masked.endsWith(word), word === "nothing_here");
    }
  }
  assertEquals([...redactor.counts], [["anthropic_key", 200]]);
});

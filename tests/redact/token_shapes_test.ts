import { assert, assertEquals } from "@std/assert";
import { Redactor } from "../../lib/redact/redactor.ts";
import { exampleOf, PLACE_FAMILIES, TOKEN_FAMILIES } from "./families.ts";

/** How many secrets are made up of each shape. */
const COUNT = 25;
/** What cannot always be told from a member in source code. */
const UNCERTAIN: ReadonlySet<string> = new Set(["Vault, old tokens"]);

for (const { name, kind, shapes } of [...TOKEN_FAMILIES, ...PLACE_FAMILIES]) {
  Deno.test(`Redactor knows a family of secrets: ${name}`, () => {
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

Deno.test("Redactor finds a token behind a sign, an escape and a colour", () => {
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
        ] as const
      ) {
        assertEquals(
          new Redactor().redact(before + secret + after),
          `${before}[redacted:${kind}]${after}`,
        );
      }
    }
  }
});

/** What looks like a secret and is none. */
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
];

Deno.test("Redactor keeps hashes, ids, lock files and images", () => {
  for (const shape of INNOCENTS) {
    for (let seed = 0; seed < 200; seed++) {
      const { secret: text } = exampleOf(shape, seed);
      assertEquals(new Redactor().redact(text), text);
    }
  }
});

Deno.test("Redactor keeps what is written where others have a password", () => {
  for (
    const text of [
      "mysql -u root -p db",
      "docker run -p8080:80 mysql",
      "mysql -h x; docker run -p8080:80 y",
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
    ]
  ) assertEquals(new Redactor().redact(text), text);
});

Deno.test("Redactor masks a member that settings of Docker have", () => {
  const redactor = new Redactor();
  const { secret } = exampleOf("bWU6aHVudGVyMjEy", 1);
  assertEquals(redactor.redactMember("auth", secret), "[redacted:password]");
  assertEquals(redactor.redactMember("auth", "required"), "required");
});

Deno.test("Families of secrets have no name twice", () => {
  const names = [...TOKEN_FAMILIES, ...PLACE_FAMILIES].map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  assert(names.length > 150);
});

/**
 * Texts for which rules with backtracking would take quadratic time.
 *
 * @module
 */

const KEY_LINE = "aB3dE5gH7jK9mN1pQ4sT".repeat(3) + "wXyZ";
const BEGIN = "-----BEGIN";

/** Texts that are repeated, to make a rule read its input again and again. */
export const HOSTILE: readonly string[] = [
  ...["sk-", "-sk-abcdefghijk1", "eyJ", "eyJ.eyJ-", "ghp_", "A", "AKIA", "1/"],
  ...["://", "://a:", "://a:b", "https://a:b:c@", "token=", 'token="', "key="],
  ...[
    "password='",
    "token: ",
    "--token ",
    "authorization: bearer ",
    "cookie: ",
  ],
  ...[
    "Authorization: Digest a=",
    "curl -u a:bcde ",
    "login a password b",
    "\\",
  ],
  ...[
    `${BEGIN} PRIVATE KEY-----`,
    `${BEGIN} PRIVATE KEY-----\nAAAA\n`,
    "\n",
    " ",
  ],
  ...[
    `${BEGIN} PRIVATE KEY-----\\n${KEY_LINE}`,
    `${BEGIN} PRIVATE KEY-----\n${"a/".repeat(100)}`,
    `${BEGIN} PRIVATE KEY-----"\\\\\\\\n`,
    "-----END PRIVATE KEY-----",
    "a\n-----END PRIVATE KEY-----\n",
    `${KEY_LINE}\n`,
    "machine a ",
    "machine a\n login ",
    "bearer a",
    "[redacted:",
    ":AA",
  ],
  ...[
    "Q~",
    "1Q~",
    "dp.",
    ".atlasv1.",
    "asig=",
    '\\\\\\"password\\\\\\": ',
    "%20",
    "[0m",
    "A1",
    "/sk-a1",
    "1234567890:AA",
    "ENV A_KEY ",
    "<password>",
    "-p a ",
    "mysql -pa ",
    "mysql docker ",
    "a:5432:b:c:d ",
    "t1.a",
    "LS0tLS1CRUdJTi",
    "AKIA0/",
    `${"aB3/".repeat(19)}\n`,
    `${"x1".repeat(40)}\n`,
    '"auth":"',
    '" -p',
    "curl \" ' -u a:b",
    "curl -b 'a=",
    "echo aaaa | sudo ",
    'echo "a b" | sudo ',
    "htpasswd -b a ",
    "vault login -a ",
    "redis-cli auth ",
    "mysqladmin password ",
    'user:"a",pass:"',
    'basicauth("a',
    "password is ",
    'curl -u "a:b ',
    ":oracle:thin:a/@",
    "password for a=",
  ],
];

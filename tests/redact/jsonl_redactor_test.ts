import { assertEquals, assertMatch } from "@std/assert";
import {
  JsonlRedactor,
  type JsonlRedactorOptions,
  JsonlRedactorStream,
} from "../../lib/redact/jsonl_redactor.ts";
import { equalJson, readCaptures } from "../fixtures.ts";
import fc from "../property_seed.ts";
import { concat, cutAt, decode, encode, jsonl, outputOf } from "../running.ts";
import {
  exampleOf,
  PLACE_FAMILIES,
  TOKEN_FAMILIES,
  unmarked,
} from "./families.ts";

/** Redacts records, one per line. */
function redactRecords(records: readonly unknown[]): unknown[] {
  return redactText(jsonl(records)).trimEnd().split("\n")
    .map((line) => JSON.parse(line));
}

/** The records that carry pieces of a text, by format: how to write a piece and how to read it. */
const CARRIERS: Readonly<
  Record<string, {
    readonly write: (piece: string, item: string) => unknown;
    // deno-lint-ignore no-explicit-any
    readonly read: (record: any) => string;
  }>
> = {
  "an exec stream": {
    write: (delta, id) => ({ id, msg: { type: "agent_message_delta", delta } }),
    read: ({ msg }) => msg.delta,
  },
  "output in base64": {
    write: (piece, call_id) => ({
      id: "0",
      msg: {
        type: "exec_command_output_delta",
        call_id,
        stream: "stdout",
        chunk: btoa(piece),
      },
    }),
    read: ({ msg }) => atob(msg.chunk),
  },
  "output in bytes": {
    write: (piece, call_id) => ({
      id: "0",
      msg: {
        type: "exec_command_output_delta",
        call_id,
        chunk: [...encode(piece)],
      },
    }),
    read: ({ msg }) => decode(Uint8Array.from(msg.chunk)),
  },
  "normalized output": {
    write: (stdout, item_id) => ({
      type: "item.delta",
      item_id,
      delta: { stdout },
    }),
    read: ({ delta }) => delta.stdout,
  },
  "the app server": {
    write: (delta, itemId) => ({
      method: "item/commandExecution/outputDelta",
      params: { threadId: "t", itemId, delta },
    }),
    read: ({ params }) => params.delta,
  },
  "a session file": {
    write: (delta, call_id) => ({
      timestamp: `2026-01-01T00:00:0${delta.length % 10}Z`,
      type: "event_msg",
      payload: { type: "agent_message_delta", call_id, delta },
    }),
    read: ({ payload }) => payload.delta,
  },
  "changes to a history": {
    write: (content, id) => ({
      type: "appended",
      index: 1,
      id,
      field: "stdout_chunks",
      value: { offset: content.length, content },
    }),
    read: ({ value }) => value.content,
  },
};

/** Cuts a text into pieces of 1 to 11 characters. */
function pieces(text: string, seed: number): string[] {
  const cut: string[] = [];
  let n = seed;
  for (let at = 0; at < text.length;) {
    n += 1;
    const length = 1 + (n * 7 + 3) % 11;
    cut.push(text.slice(at, at + length));
    at += length;
  }
  return cut;
}

for (const [name, { write, read }] of Object.entries(CARRIERS)) {
  Deno.test(`JsonlRedactor finds secrets in pieces of ${name}`, () => {
    const families = [...TOKEN_FAMILIES, ...PLACE_FAMILIES];
    for (const [seed, { kind, shapes }] of families.entries()) {
      const { before, secret, after } = exampleOf(shapes[0] ?? "", seed);
      const parts = pieces(`${before}${secret}${after}\n`, seed);
      const records = parts.flatMap((part) => [
        write(part, "a"),
        // Pieces of another item come between them.
        write(part, "b"),
      ]);
      const redacted = redactRecords(records);
      assertEquals(redacted.length, records.length);
      for (const item of [0, 1]) {
        const text = redacted.filter((_, i) => i % 2 === item).map(read);
        assertEquals(text.join(""), `${before}[redacted:${kind}]${after}\n`);
      }
    }
  });
}

const TOKEN = exampleOf("ghp_{a36}", 1).secret;
const [FIRST, LAST] = [TOKEN.slice(0, 9), TOKEN.slice(9)];

function delta(text: string, item_id = "a"): unknown {
  return { type: "item.delta", item_id, delta: { text } };
}

Deno.test("JsonlRedactor holds lines with pieces until their item ends, and no longer", () => {
  const redactor = new JsonlRedactor();
  let text = "";
  const feed = (record: unknown): number => {
    redactor.feed(
      encode(`${JSON.stringify(record)}\n`),
      (bytes) => void (text += decode(bytes)),
    );
    return text.split("\n").length - 1;
  };
  assertEquals(feed({ type: "turn.started" }), 1);
  assertEquals(feed(delta(FIRST)), 1);
  assertEquals(feed({ type: "item.started", item_id: "b" }), 1);
  assertEquals(feed(delta(LAST)), 1);
  assertEquals(feed({ type: "item.completed", item_id: "a" }), 5);
  assertEquals(text.match(/\[redacted:github_token\]/g)?.length, 1);
});

Deno.test("JsonlRedactor emits lines behind an item without an end", () => {
  const others = Array.from({ length: 200 }, (_, n) => ({ n }));
  const records = [delta("a"), ...others];
  const redactor = new JsonlRedactor();
  let count = 0;
  for (const record of records) {
    redactor.feed(
      encode(`${JSON.stringify(record)}\n`),
      (bytes) => void (count += decode(bytes).split("\n").length - 1),
    );
  }
  assertEquals(count, records.length);
});

Deno.test("JsonlRedactor masks the whole text in a change to a history", () => {
  const change = (piece: string, all: string): unknown => ({
    type: "appended",
    index: 0,
    id: 1,
    field: "deltas",
    value: { delta: piece, sequence: null },
    preview_markdown: all,
  });
  const deltas = [{ delta: `x ${FIRST}`, sequence: null }];
  const payload = { preview_markdown: `x ${FIRST}`, deltas };
  const inserted = { type: "inserted", index: 0, record: { id: 1, payload } };
  const [first, second] = redactRecords([
    inserted,
    change(`${LAST} y`, `x ${TOKEN} y`),
  ]);
  const mask = "x [redacted:github_token]";
  assertEquals(first, {
    type: "inserted",
    index: 0,
    record: {
      id: 1,
      payload: {
        preview_markdown: mask,
        deltas: [{ delta: mask, sequence: null }],
      },
    },
  });
  assertEquals(second, change(" y", `${mask} y`));
});

Deno.test("JsonlRedactor leaves pieces without a secret unchanged", () => {
  for (const { write } of Object.values(CARRIERS)) {
    const records = pieces("the words of a text without any\n".repeat(9), 4)
      .map((piece) => write(piece, "a"));
    assertEquals(redactRecords(records), records);
  }
});

/** Redacts bytes, cut into chunks. */
function redact(
  bytes: Uint8Array,
  { cuts = [], ...options }: JsonlRedactorOptions & {
    readonly cuts?: readonly number[];
  } = {},
): Uint8Array {
  return outputOf(new JsonlRedactor(options), cutAt(bytes, cuts));
}

function redactText(text: string, options?: JsonlRedactorOptions): string {
  return decode(redact(encode(text), options));
}

/** The record of a failed line, with only the line in it. */
function inBand(raw: string): string {
  return `{"type":"line.failed","raw":${JSON.stringify(raw)}}`;
}

const TORN_LINE =
  '{"password":"sword\\u0066ish","s":["AKIA\\u0049OSFODNN7EXAMPLE","a';
const MASKED_TORN_LINE =
  '{"password":"[redacted:password]","s":["[redacted:aws_access_key_id]","a';

const PEM_LINE = "aB3dE5gH7jK9mN1p".repeat(4);
const PEM = [
  "a",
  "-----BEGIN" + " PRIVATE KEY-----",
  PEM_LINE,
  PEM_LINE,
  "-----END PRIVATE KEY-----",
  "b",
];
const MASKED_PEM = ["a", "[redacted:private_key]", "", "", "", "b"];

/** Lines in which `«` and `»` contain a kind and a secret. */
const MARKED: readonly (readonly [name: string, lines: string])[] = [
  [
    "only the string that contains a secret",
    ' { "n" : 1.0, "big":12345678901234567890,"s":"TOKEN=«token:abc»","e":"\\u0041" }\n',
  ],
  [
    "the string behind the name of a secret",
    '{"db_password" : "«password:swordfish»","tokens":"swordfish","password":7}\n',
  ],
  [
    "an escaped secret in JSON in a string",
    '{"arguments":"{\\"n\\":1.0,\\"s\\":\\"«aws_access_key_id:AKIA\\\\u0049OSFODNN7EXAMPLE»\\"}"}\n',
  ],
  [
    "strings at any depth, and keys",
    '[{"a":[[{"PASSWORD=«password:abc»":"--token «token:abc»"}]]}]\n',
  ],
  [
    "headers, environments and arguments",
    '{"h":{"Authorization":"«authorization:Basic dXNlcjpwYXNz»","cookie":"«cookie:a=b»"},"env":{"GH_TOKEN":"«token:abc»"},"argv":["x","--password", "«password:swordfish»","--token","«token:abc»","--user","me"]}\n',
  ],
  [
    "the value of a member that another member names",
    '{"env":[{"name":"DB_PASSWORD","value":"«password:swordfish»"},{"Name":"Mode","Value":"swordfish"},{"key":"API_TOKEN","n":1,"value":"abc"}],"headers":[{"name":"Cookie", "value":"«cookie:a=b»"}],"name":"DB_PASSWORD","x":"value","y":"swordfish"}\n',
  ],
  [
    "the string behind a flag with one dash",
    '{"argv":["keytool","-storepass","«password:swordfish»","-name","abc"]}\n',
  ],
  [
    "a value in the line behind that of its name",
    '{"lines":["- name: DB_PASSWORD","  value: «password:swordfish»","- name: A","  value: b"]}\n',
  ],
  [
    "the string behind a short flag",
    '{"argv":["x","--pwd","«password:swordfish»","-p","--pw","abc"]}\n',
  ],
  [
    "passwords of commands in lists of arguments",
    '{"command":["curl","-u","me:«password:hunter2»","https://x"],"argv":["docker", "login","-u","me","-p","«password:hunter3»"],"c":["mysql","-p«password:hunter4»","db"],"d":["curl","--user=me:«password:hunter5»","x"],"e":["mkdir","-p","swordfish"]}\n',
  ],
  [
    "passwords at a place of a command, in lists of arguments",
    '{"a":["vault","login","«password:swordfish»"],"b":["bash","-lc","echo «password:hunter2» | sudo -S ls"],"c":["redis-cli","CONFIG","SET","requirepass","«password:swordfish»"],"d":["/usr/bin/htpasswd","-nb","me","«password:swordfish»"],"e":["npm","config","set","//x.y/:_authToken","«token:abc»"],"f":"bash -lc \'net use Z: \\\\\\\\h\\\\s «password:hunter2» /user:me\'"}\n',
  ],
  [
    "no other values behind a name or a flag",
    '{"authorization":"Bearer $TOKEN","a":["--password"],"b":"swordfish","c":["--password",["swordfish"]],"d":["--token",1,"abc"]}\n',
  ],
  [
    "a string below the key __proto__",
    '{"__proto__":{"password":"«password:swordfish»"}}\n',
  ],
  [
    "the same key twice",
    '{"id":"PASSWORD=«password:abc»","id":"PASSWORD=«password:abc»"}\n',
  ],
  [
    "a string behind a list that contains no bytes",
    '{"chunk":[1,256,2],"s":"PASSWORD=«password:abc»"}\n',
  ],
  [
    "a string in a chunk that is not output",
    '{"chunk":"PASSWORD=«password:abc»"}\n{"chunk":[256,"PASSWORD=«password:abc»"]}\n',
  ],
  [
    "lines that are not JSON",
    'PASSWORD=«password:abc»\n{"password":"«password:swordfish»","torn":"--token «token:ab»\n\n',
  ],
  [
    "line ends of all sorts, and a byte order mark",
    '\ufeff{"s":"PASSWORD=«password:abc»"}\r\n\r\n{}\r\n"PASSWORD=«password:abc»"\r',
  ],
];

/** Lines with encoded secrets. */
const CASES = [
  {
    name: "an escaped secret",
    input: '{"s":"AKIA\\u0049OSFODNN7EXAMPLE \\"x\\"\\n\\u20ac€"}\n',
    expected: '{"s":"[redacted:aws_access_key_id] \\"x\\"\\n€€"}\n',
  },
  {
    name: "the string behind a name in JSON in JSON in a string",
    input: `${
      JSON.stringify({
        output: JSON.stringify([JSON.stringify({ password: 'a"b c', n: 1 })]),
      })
    }\n`,
    expected: `${
      JSON.stringify({
        output: JSON.stringify([
          JSON.stringify({ password: "[redacted:password]", n: 1 }),
        ]),
      })
    }\n`,
  },
  {
    name: "a secret that begins a string in JSON in a string",
    input: `${
      JSON.stringify({ arguments: JSON.stringify({ s: '--password "a b c"' }) })
    }\n`,
    expected: `${
      JSON.stringify({
        arguments: JSON.stringify({ s: '--password "[redacted:password]"' }),
      })
    }\n`,
  },
  {
    name: "output in base64",
    input: `{"chunk":"${btoa("\xff PASSWORD=hunter2\n")}","x":"${
      btoa("PASSWORD=hunter2")
    }"}\n`,
    expected: `{"chunk":"${btoa("\xff PASSWORD=[redacted:password]\n")}","x":"${
      btoa("PASSWORD=hunter2")
    }"}\n`,
  },
  {
    name: "a failed line that is not UTF-8, in base64 in its record",
    input:
      `{"type":"line.failed","raw":"\ufffd PASSWORD=hunter2","raw_base64":"${
        btoa("\xff PASSWORD=hunter2")
      }"}\n`,
    expected:
      `{"type":"line.failed","raw":"\ufffd PASSWORD=[redacted:password]","raw_base64":"${
        btoa("\xff PASSWORD=[redacted:password]")
      }"}\n`,
  },
  {
    name: "a torn line, and the record of its failure",
    input: [TORN_LINE, inBand(TORN_LINE)].join("\n"),
    expected: [MASKED_TORN_LINE, inBand(MASKED_TORN_LINE)].join("\n"),
  },
  {
    name: "output as a list of bytes",
    input: `{"chunk":${
      JSON.stringify([...encode("PASSWORD=x1\n")])
    },"n":[1, 2]}\n`,
    expected: `{"chunk":${
      JSON.stringify([...encode("PASSWORD=[redacted:password]\n")])
    },"n":[1, 2]}\n`,
  },
  {
    name: "output as a list of bytes with the smallest and the largest byte",
    input: `{"chunk":${
      JSON.stringify([255, ...encode(" PASSWORD=x1\n"), 0])
    }}\n`,
    expected: `{"chunk":${
      JSON.stringify([255, ...encode(" PASSWORD=[redacted:password]\n"), 0])
    }}\n`,
  },
  {
    name: "a private key in lines of a list, and in lines of a message",
    input: `${JSON.stringify(PEM)}\n${
      JSON.stringify({ lines: PEM.map((text) => ({ spans: [{ text }] })) })
    }\n`,
    expected: `${JSON.stringify(MASKED_PEM)}\n${
      JSON.stringify({
        lines: MASKED_PEM.map((text) => ({ spans: [{ text }] })),
      })
    }\n`,
  },
  {
    name: "a secret in two chunks of output",
    input:
      `{"stdout_chunks":[{"offset":0,"content":"x ghp_aB3dE5gH7${"jK9m"}"},{"offset":17,"content":"${
        "N1pQ4sT".repeat(4)
      } y"}]}\n`,
    expected:
      '{"stdout_chunks":[{"offset":0,"content":"x [redacted:github_token]"},{"offset":17,"content":" y"}]}\n',
  },
] satisfies { name: string; input: string; expected: string }[];

for (
  const { name, input, expected } of [
    ...MARKED.map(([name, lines]) => ({ name, ...unmarked(lines) })),
    ...CASES,
  ]
) {
  Deno.test(`JsonlRedactor redacts ${name}`, () => {
    const bytes = encode(input);
    for (let cut = 0; cut <= bytes.length; cut++) {
      assertEquals(decode(redact(bytes, { cuts: [cut] })), expected, `${cut}`);
    }
    assertEquals(redactText(expected), expected, "again");
  });
}

Deno.test("JsonlRedactor masks matches of a pattern in strings of any length, at any depth", () => {
  const redacted = redactText(
    '["4711","x",""]\n{"a":"47","b":[["47"],{"47":47}]}\n"4"\n',
    { patterns: [/\d+/] },
  );
  assertEquals(
    redacted,
    '["[redacted:pattern]","x",""]\n' +
      '{"a":"[redacted:pattern]","b":[["[redacted:pattern]"],{"[redacted:pattern]":47}]}\n' +
      '"[redacted:pattern]"\n',
  );
});

Deno.test("JsonlRedactor keeps bytes that are not UTF-8", () => {
  const bytes = concat([
    new Uint8Array([0xff, 0xc3, 0x20]),
    encode('{"e":"\\u20ac","s":"PASSWORD=abc é"'),
    new Uint8Array([0x80, 0x0a]),
  ]);
  assertEquals(
    redact(bytes),
    concat([
      new Uint8Array([0xff, 0xc3, 0x20]),
      encode('{"e":"\\u20ac","s":"PASSWORD=[redacted:password] é"'),
      new Uint8Array([0x80, 0x0a]),
    ]),
  );
});

Deno.test("JsonlRedactor writes valid lines if a pattern matches half a surrogate pair", () => {
  for (const pattern of [/ACME-./, /ACME-./u]) {
    for (
      const input of [
        '{"s":"ACME-😀x"}\n',
        '{"s":"ACME-\\ud83d\\ude00x"}\n',
      ]
    ) {
      const text = redactText(input, { patterns: [pattern] });
      assertEquals(text, '{"s":"[redacted:pattern]x"}\n');
    }
    assertEquals(
      redactText("no JSON: ACME-😀x\n", { patterns: [pattern] }),
      "no JSON: [redacted:pattern]x\n",
    );
  }
});

const KEYS = [
  {
    name: "keys that would become equal",
    input: '{"ab":1,"c":{"ab":2,"abc":3},"abcd":4}\n',
    expected:
      '{"[redacted:pattern]":1,"c":{"[redacted:pattern]":2,"[redacted:pattern_2]":3},"[redacted:pattern_3]":4}\n',
  },
  {
    name: "keys that look like masks",
    input:
      '{"[redacted:pattern_2]":0,"ab":1,"abc":2,"[redacted:pattern]":3,"ab":4}\n',
    expected:
      '{"[redacted:pattern_2]":0,"[redacted:pattern]":1,"[redacted:pattern_3]":2,"[redacted:pattern_4]":3,"[redacted:pattern]":4}\n',
  },
  {
    name: "keys that contain a secret",
    input: '{"x ab y]":1,"x abc y]":2,"\\u0078 ab y]":3}\n',
    expected:
      '{"x [redacted:pattern] y]":1,"x [redacted:pattern_2] y]":2,"x [redacted:pattern] y]":3}\n',
  },
  {
    name: "the keys of each line by themselves",
    input: '{"ab":1}\n{"abc":1}\n',
    expected: '{"[redacted:pattern]":1}\n{"[redacted:pattern]":1}\n',
  },
] satisfies { name: string; input: string; expected: string }[];

for (const { name, input, expected } of KEYS) {
  Deno.test(`JsonlRedactor numbers ${name}`, () => {
    const patterns = [/ab\w*/, /\d/];
    assertEquals(redactText(input, { patterns }), expected);
    assertEquals(redactText(expected, { patterns }), expected);
  });
}

Deno.test("JsonlRedactor keeps every member of an object whose keys are secrets", () => {
  const count = 20_000;
  const record = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`key ${i}`, i]),
  );
  const text = redactText(JSON.stringify(record), { patterns: [/.+/] });
  assertEquals(Object.keys(JSON.parse(text)).length, count);
});

Deno.test("JsonlRedactor writes a failure for a line over the limit", () => {
  const failed: string[] = [];
  const output = redactText('{"a":1}\n{"s":"PASSWORD=abcdef"}\n{"b":2}', {
    maxLineBytes: 10,
    onFailure: ({ line, offset, error }) =>
      failed.push(`${line} ${offset} ${error.kind}`),
  });
  const [first, second = "", third] = output.split("\n");
  assertEquals([first, third], ['{"a":1}', '{"b":2}']);
  assertMatch(second, /^\{"type":"line.failed","line":2,"offset":8,/);
  assertEquals(failed, ["2 8 line_too_long"]);
});

Deno.test("JsonlRedactor changes no string of JSON without secrets", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(50), (json, cut) => {
      const line = `${json}\n{"s":"PASSWORD=abc"}\n`;
      const output = decode(redact(encode(line), { cuts: [cut] }));
      assertEquals(
        output,
        `${json}\n{"s":"PASSWORD=[redacted:password]"}\n`,
      );
    }),
    { seed: 5 },
  );
});

Deno.test("JsonlRedactor finds no secret in the captures", () => {
  for (const { path, bytes } of readCaptures()) {
    const output = redact(bytes, { cuts: [bytes.length >> 1] });
    assertEquals(output.length, bytes.length, path);
    assertEquals(output.every((byte, i) => byte === bytes[i]), true, path);
  }
});

Deno.test("JsonlRedactor masks only the secret that is inserted into captures", () => {
  const secret = "ghp_" + "A1b2".repeat(9);
  for (const { path, bytes } of readCaptures()) {
    if (!path.includes("/two/")) continue;
    const clean = decode(bytes);
    const text = clean.replaceAll('"text":"', `"text":"${secret} `);
    const masked = redactText(text).split("\n");
    const expected = clean.replaceAll(
      '"text":"',
      '"text":"[redacted:github_token] ',
    );
    for (const [i, line] of expected.split("\n").entries()) {
      if (line === "") continue;
      assertEquals(
        equalJson(JSON.parse(masked[i] ?? ""), JSON.parse(line)),
        true,
        path,
      );
    }
  }
});

Deno.test("JsonlRedactorStream emits blocks that it does not reuse, and counts secrets", async () => {
  const redactor = new JsonlRedactorStream();
  const input = ReadableStream.from([
    encode('"PASSWORD=abc"\n"b'),
    encode('"\n"--token abc"'),
  ]);
  const blocks = await Array.fromAsync(input.pipeThrough(redactor));
  assertEquals(
    decode(concat(blocks)),
    '"PASSWORD=[redacted:password]"\n"b"\n"--token [redacted:token]"',
  );
  assertEquals([...redactor.counts], [["password", 1], ["token", 1]]);
});

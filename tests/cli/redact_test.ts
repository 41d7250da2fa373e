import { assertEquals, assertMatch } from "@std/assert";
import { call, platformError, sourceOf } from "./memory.ts";

Deno.test("redact masks secrets, and reports their number by kind", async () => {
  const { status, stdout, stderr } = await call(["redact"], {
    stdin: '{"a":"TOKEN=abc","b":"DB_PASSWORD=abc GH_TOKEN=y1","n":1.0}\n',
  });
  assertEquals(status, 0);
  assertEquals(
    stdout,
    '{"a":"TOKEN=[redacted:token]","b":"DB_PASSWORD=[redacted:password] GH_TOKEN=[redacted:token]","n":1.0}\n',
  );
  assertEquals(stderr, "codexpipe: masked 3 secrets: token 2, password 1\n");
});

Deno.test("redact reports nothing without secrets, and nothing with -q", async () => {
  const clean = await call(["redact"], { stdin: '{"a":1}\n' });
  assertEquals([clean.stdout, clean.stderr], ['{"a":1}\n', ""]);
  const quiet = await call(["redact", "-q"], { stdin: "TOKEN=abc" });
  assertEquals([quiet.stdout, quiet.stderr], ["TOKEN=[redacted:token]", ""]);
});

Deno.test("redact accepts patterns, and refuses an invalid one", async () => {
  const { stdout, stderr } = await call(
    ["redact", "--redact-pattern=ACME-\\d+", "--redact-pattern", "\\p{Lu}{4}"],
    { stdin: "ACME-17 ÄÖÜX x" },
  );
  assertEquals(stdout, "[redacted:pattern] [redacted:pattern] x");
  assertEquals(stderr, "codexpipe: masked 2 secrets: pattern 2\n");
  const wrong = await call(["redact", "--redact-pattern=("]);
  assertEquals(wrong.status, 2);
  assertMatch(
    wrong.stderr,
    /--redact-pattern cannot be "\(": expected a regular/,
  );
});

Deno.test("redact refuses patterns that could hang, with the reason", async () => {
  for (
    const [pattern, reason] of [
      ["(?=a)b", /"\(\?=", a look ahead or behind/],
      ["(a)\\1", /"\\1", a back reference/],
      ["(?:a{99}){99}", /repetitions of more than 1000 steps/],
    ] as const
  ) {
    const { status, stderr } = await call([
      "redact",
      `--redact-pattern=${pattern}`,
    ]);
    assertEquals(status, 2);
    assertMatch(stderr, reason);
  }
  const { stdout } = await call(["redact", "--redact-pattern=(x+x+)+y\\-z"], {
    stdin: `${"x".repeat(5000)} xxxy-z`,
  });
  assertEquals(stdout, `${"x".repeat(5000)} [redacted:pattern]`);
});

Deno.test("redact adds LF between files", async () => {
  const { stdout, status } = await call(["redact", "a", "-", "b"], {
    stdin: "",
    files: { a: "TOKEN=abc", b: "x\r\n" },
  });
  assertEquals(status, 0);
  assertEquals(stdout, "TOKEN=[redacted:token]\nx\r\n");
});

Deno.test("redact reports unreadable files, and reads the rest", async () => {
  const { status, stdout, stderr } = await call(["redact", "no", "cut", "b"], {
    files: {
      cut: sourceOf(["TOKEN=abc\nhalf"], platformError("EIO", "broken")),
      b: "b\n",
    },
  });
  assertEquals(status, 3);
  assertEquals(stdout, "TOKEN=[redacted:token]\nhalf\nb\n");
  assertMatch(stderr, /^codexpipe: no: cannot open: .*\n/);
  assertMatch(stderr, /codexpipe: cut: cannot read: /);
});

Deno.test("redact replaces a line over --max-line-bytes by a line.failed record", async () => {
  const stdin = "{}\nTOKEN=abcdefghijk\n";
  const result = await call(["redact", "--max-line-bytes=10"], { stdin });
  assertEquals(result.status, 0);
  assertMatch(result.stdout, /^\{\}\n\{"type":"line.failed","line":2,/);
  assertMatch(result.stderr, /^codexpipe: -:2: line_too_long: Cannot read /);
  const strict = await call(["redact", "--max-line-bytes=10", "--strict"], {
    stdin,
  });
  assertEquals(strict.status, 1);
});

Deno.test("redact ends silently with 0 after its reader has gone", async () => {
  const { status, stderr } = await call(["redact"], {
    stdin: "a\nb\n",
    stdout: { write: () => Promise.reject(platformError("EPIPE")) },
  });
  assertEquals([status, stderr], [0, ""]);
});

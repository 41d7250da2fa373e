import { assertEquals, assertMatch } from "@std/assert";
import { call, platformError, sourceOf } from "./memory.ts";

Deno.test("redact masks secrets and says how many, by kind", async () => {
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

Deno.test("redact says nothing if there is nothing to say, or if it is quiet", async () => {
  const clean = await call(["redact"], { stdin: '{"a":1}\n' });
  assertEquals([clean.stdout, clean.stderr], ['{"a":1}\n', ""]);
  const quiet = await call(["redact", "-q"], { stdin: "TOKEN=abc" });
  assertEquals([quiet.stdout, quiet.stderr], ["TOKEN=[redacted:token]", ""]);
});

Deno.test("redact takes patterns, and refuses what is none", async () => {
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

Deno.test("redact refuses patterns that could hang, and says why", async () => {
  for (
    const [pattern, why] of [
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
    assertMatch(stderr, why);
  }
  const { stdout } = await call(["redact", "--redact-pattern=(x+x+)+y\\-z"], {
    stdin: `${"x".repeat(5000)} xxxy-z`,
  });
  assertEquals(stdout, `${"x".repeat(5000)} [redacted:pattern]`);
});

Deno.test("redact keeps the lines of several files apart", async () => {
  const { stdout, status } = await call(["redact", "a", "-", "b"], {
    stdin: "",
    files: { a: "TOKEN=abc", b: "x\r\n" },
  });
  assertEquals(status, 0);
  assertEquals(stdout, "TOKEN=[redacted:token]\nx\r\n");
});

Deno.test("redact reports what cannot be read, and reads the rest", async () => {
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

Deno.test("redact lets no line pass that it cannot look at", async () => {
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

Deno.test("redact ends silently when nobody reads it any more", async () => {
  const { status, stderr } = await call(["redact"], {
    stdin: "a\nb\n",
    stdout: { write: () => Promise.reject(platformError("EPIPE")) },
  });
  assertEquals([status, stderr], [0, ""]);
});

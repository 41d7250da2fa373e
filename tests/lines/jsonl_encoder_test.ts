import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  encodeLine,
  encodeOutcome,
  JsonlEncoder,
  JsonlEncoderStream,
  OutcomeEncoderStream,
} from "../../lib/lines/jsonl_encoder.ts";
import { LineSplitter } from "../../lib/lines/line_splitter.ts";
import { Normalizer } from "../../lib/dialects/normalizer.ts";
import type { Outcome } from "../../lib/outcome.ts";
import { compose } from "../../lib/stage.ts";
import { concat, decode, emitted, encode, normalizeBytes } from "../running.ts";

for (
  const { name, value, line } of [
    {
      name: "an object",
      value: { b: 1, a: [null] },
      line: '{"b":1,"a":[null]}\n',
    },
    { name: "a string with a line end", value: "a\nb", line: '"a\\nb"\n' },
    {
      name: "a line separator, unescaped",
      value: "\u2028",
      line: '"\u2028"\n',
    },
    { name: "a lone surrogate, escaped", value: "\ud83d", line: '"\\ud83d"\n' },
    { name: "null", value: null, line: "null\n" },
    { name: "zero", value: -0, line: "0\n" },
  ] satisfies { name: string; value: unknown; line: string }[]
) {
  Deno.test(`encodeLine() encodes ${name}`, () => {
    assertEquals(encodeLine(value), line);
    assertEquals(
      emitted(new JsonlEncoder(), [value]).map(decode),
      [line],
    );
  });
}

for (
  const { name, value, reason } of [
    { name: "undefined", value: undefined },
    { name: "a function", value: (): void => {} },
    { name: "a symbol", value: Symbol("s") },
    // The message for a bigint is the engine's own.
    { name: "a bigint", value: { n: 1n }, reason: "" },
    {
      name: "a getter that throws",
      value: {
        get text(): string {
          throw new RangeError("no");
        },
      },
      reason: "no",
    },
  ] satisfies { name: string; value: unknown; reason?: string }[]
) {
  Deno.test(`encodeLine() refuses ${name}`, () => {
    const message = `Cannot encode a line: ${
      reason ?? `${name} has no JSON form`
    }`;
    assertThrows(() => encodeLine(value), TypeError, message);
    assertThrows(
      () => emitted(new JsonlEncoder(), [value]),
      TypeError,
      message,
    );
  });
}

const OUTCOMES = [
  {
    name: "a normalized text unchanged",
    outcome: { ok: true, line: 1, offset: 0, value: '{"n":1.0,"n":2}' },
    line: '{"n":1.0,"n":2}\n',
  },
  {
    name: "the exact text of a decoded value",
    outcome: {
      ok: true,
      line: 1,
      offset: 0,
      value: { n: 1 },
      text: '{"n":1.0}',
    },
    line: '{"n":1.0}\n',
  },
  {
    name: "a text of several lines as one line",
    outcome: {
      ok: true,
      line: 1,
      offset: 0,
      value: '{"a": [1.0,\r\n  2],\n"b":"\\n"}',
    },
    line: '{"a": [1.0,\r   2], "b":"\\n"}\n',
  },
  {
    name: "an in-band failure record of several lines as one line",
    outcome: {
      ok: false,
      line: 1,
      offset: 0,
      error: { kind: "json", message: "m" },
      inBand: '{"type":"line.failed",\n"error":{}}',
    },
    line: '{"type":"line.failed", "error":{}}\n',
  },
  {
    name: "the exact text of a decoded string value",
    outcome: { ok: true, line: 1, offset: 0, value: "x", text: '"x"' },
    line: '"x"\n',
  },
  {
    name: "a value without a text",
    outcome: { ok: true, line: 1, offset: 0, value: { n: 1 } },
    line: '{"n":1}\n',
  },
  {
    name: "a json failure",
    outcome: {
      ok: false,
      line: 12,
      offset: 3456,
      error: { kind: "json", message: 'Cannot parse: "}"' },
      raw: '{"a":"é\u0001\u2028"',
    },
    line:
      '{"type":"line.failed","line":12,"offset":3456,"error":{"kind":"json","message":"Cannot parse: \\"}\\""},"raw":"{\\"a\\":\\"é\\u0001\u2028\\""}\n',
  },
  {
    name: "a normalize failure, without its field",
    outcome: {
      ok: false,
      line: 1,
      offset: 0,
      error: { kind: "normalize", message: "m", field: "type" },
      raw: "[]",
    },
    line:
      '{"type":"line.failed","line":1,"offset":0,"error":{"kind":"normalize","message":"m"},"raw":"[]"}\n',
  },
  {
    name: "a utf8 failure, with its bytes in base64",
    outcome: {
      ok: false,
      line: 2,
      offset: 7,
      error: { kind: "utf8", message: "m" },
      raw: "a\ufffd\ufffd",
      rawBytes: Uint8Array.of(0x61, 0xc0, 0xaf),
    },
    line:
      '{"type":"line.failed","line":2,"offset":7,"error":{"kind":"utf8","message":"m"},"raw":"a\ufffd\ufffd","raw_base64":"YcCv"}\n',
  },
  {
    name: "a line over the limit, with its length and without its text",
    outcome: {
      ok: false,
      line: 3,
      offset: 9,
      error: { kind: "line_too_long", message: "m", bytes: 1000, limit: 10 },
    },
    line:
      '{"type":"line.failed","line":3,"offset":9,"error":{"kind":"line_too_long","message":"m"},"bytes":1000}\n',
  },
  {
    name: "a failure without its line",
    outcome: {
      ok: false,
      line: 3,
      offset: 9,
      error: { kind: "json", message: "m" },
    },
    line:
      '{"type":"line.failed","line":3,"offset":9,"error":{"kind":"json","message":"m"}}\n',
  },
  {
    name: "a failure of an empty line",
    outcome: {
      ok: false,
      line: 1,
      offset: 0,
      error: { kind: "json", message: "" },
      raw: "",
    },
    line:
      '{"type":"line.failed","line":1,"offset":0,"error":{"kind":"json","message":""},"raw":""}\n',
  },
  {
    name: "a failure that was read in band unchanged",
    outcome: {
      ok: false,
      line: 99,
      offset: 1,
      error: { kind: "typed", message: "other" },
      raw: "not this",
      inBand: '{"type":"line.failed", "line":1, "x":1.0}',
    },
    line: '{"type":"line.failed", "line":1, "x":1.0}\n',
  },
] satisfies { name: string; outcome: Outcome<unknown>; line: string }[];

for (const { name, outcome, line } of OUTCOMES) {
  Deno.test(`encodeOutcome() writes ${name}`, () => {
    assertEquals(decode(encodeOutcome(outcome)), line);
  });
}

Deno.test("encodeOutcome() refuses a value without a JSON form", () => {
  assertThrows(
    () => encodeOutcome({ ok: true, line: 1, offset: 0, value: undefined }),
    TypeError,
  );
});

Deno.test("encodeOutcome() returns bytes that later calls do not overwrite", () => {
  const failure = (raw: string): Outcome<string> => ({
    ok: false,
    line: 1,
    offset: 0,
    error: { kind: "json", message: "m" },
    raw,
  });
  const first = encodeOutcome(failure("first"));
  encodeOutcome(failure("other"));
  assert(decode(first).includes('"raw":"first"'));
});

for (const length of [49_151, 49_152, 49_153, 98_304, 150_000]) {
  Deno.test(`encodeOutcome() writes ${length} bytes of invalid UTF-8 as text and as base64`, () => {
    // Characters of three bytes, so that base64 pieces end inside a character, and one bad byte.
    const rawBytes = Uint8Array.from(
      { length },
      (_, i) => i === 100 ? 0xff : [0xe4, 0xbd, 0xa0][i % 3] ?? 0,
    );
    const raw = new TextDecoder().decode(rawBytes);
    const record: { raw: string; raw_base64: string } = JSON.parse(
      decode(
        encodeOutcome({
          ok: false,
          line: 1,
          offset: 0,
          error: { kind: "utf8", message: "m" },
          raw,
          rawBytes,
        }),
      ),
    );
    assert(record.raw === raw);
    const decoded = Uint8Array.from(
      atob(record.raw_base64),
      (c) => c.charCodeAt(0),
    );
    assert(decoded.every((byte, i) => byte === rawBytes[i]));
    assertEquals(decoded.length, length);
  });
}

Deno.test("encodeOutcome() writes the bytes that JsonlNormalizer writes for the same lines", () => {
  const input = concat([
    encode('\ufeff\n{"type":"error","message":"m"}\r\nnot JSON "é"\n[1]\n'),
    Uint8Array.of(0x22, 0xff, 0x0a),
    encode('{"type":"turn.started"}\n' + "x".repeat(70) + "\n"),
    encode(' {"type":"line.failed","line":3,"n":1.0} '),
  ]);
  const maxLineBytes = 60;
  const stage = compose(
    new LineSplitter({ maxLineBytes }),
    new Normalizer({ from: "exec" }),
  );
  const lines = emitted(stage, [input]).map(encodeOutcome);
  assertEquals(
    decode(concat(lines)),
    decode(normalizeBytes([input], { maxLineBytes })),
  );
  assertEquals(lines.length, 7);
});

Deno.test("JsonlEncoderStream and OutcomeEncoderStream encode each chunk", async () => {
  const values = ReadableStream.from([{ a: 1 }, "b"])
    .pipeThrough(new JsonlEncoderStream());
  assertEquals(await new Response(values).text(), '{"a":1}\n"b"\n');

  const outcomes = ReadableStream.from(OUTCOMES.map(({ outcome }) => outcome))
    .pipeThrough(new OutcomeEncoderStream());
  assertEquals(
    await new Response(outcomes).text(),
    OUTCOMES.map(({ line }) => line).join(""),
  );
});

Deno.test("JsonlEncoderStream fails at a value without a JSON form", async () => {
  const lines = ReadableStream.from([1, undefined])
    .pipeThrough(new JsonlEncoderStream());
  let error: unknown;
  try {
    await Array.fromAsync(lines);
  } catch (cause) {
    error = cause;
  }
  assert(error instanceof TypeError);
});

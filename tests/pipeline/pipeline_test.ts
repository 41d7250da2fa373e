import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { LineError } from "../../lib/errors.ts";
import { encodeOutcome } from "../../lib/lines/jsonl_encoder.ts";
import { LineSplitter } from "../../lib/lines/line_splitter.ts";
import { Normalizer } from "../../lib/dialects/normalizer.ts";
import type { Failure } from "../../lib/outcome.ts";
import type { JsonlOptions, OnError } from "../../lib/pipeline/line_answers.ts";
import {
  JsonlNormalizer,
  JsonlNormalizerStream,
} from "../../lib/pipeline/pipeline.ts";
import { compose } from "../../lib/stage.ts";
import {
  concat,
  decode,
  emitted,
  encode,
  everySplit,
  outputOf,
} from "../running.ts";

const EVENT = '{"type":"error","message":"m"}';
const IN_BAND =
  '{"type":"line.failed","line":1,"error":{"kind":"json","message":"old"},"raw":"é","n":1.0}';

/** Valid lines, blank lines, and a failure of each kind under a limit of 80 bytes. */
const INPUT = concat([
  encode(`\ufeff${EVENT}\r\n`), // 1
  encode("\n \u3000\n"), // 2, 3
  encode("oops\n"), // 4: json
  encode("[]\n"), // 5: normalize
  encode('{"type":"brand.new"}\n'), // 6: typed
  Uint8Array.of(0x22, 0xff, 0x22, 0x0a), // 7: utf8
  encode(`"${"x".repeat(90)}"\n`), // 8: line_too_long
  encode(` ${EVENT} `), // 9
]);
const KINDS = ["json", "normalize", "typed", "utf8", "line_too_long"];

function run(
  options: JsonlOptions,
  input: readonly Uint8Array[] = [INPUT],
): { text: string; normalizer: JsonlNormalizer } {
  const normalizer = new JsonlNormalizer({
    from: "exec",
    maxLineBytes: 80,
    ...options,
  });
  return { text: decode(outputOf(normalizer, input)), normalizer };
}

for (
  const { onError, inBand, failed } of [
    { onError: undefined, inBand: true, failed: false },
    { onError: "report", inBand: true, failed: false },
    { onError: "inline", inBand: true, failed: true },
    { onError: "drop", inBand: false, failed: false },
  ] satisfies {
    onError: OnError | undefined;
    inBand: boolean;
    failed: boolean;
  }[]
) {
  const mode = onError === undefined ? {} : { onError };

  Deno.test(`JsonlNormalizer reports and counts every failure if onError is ${onError}`, () => {
    const kinds: string[] = [];
    const { text, normalizer } = run({
      ...mode,
      onFailure: ({ error }) => kinds.push(error.kind),
    });
    assertEquals(kinds, KINDS);
    assertEquals([normalizer.records, normalizer.failures], [2, 5]);
    const lines = text.trimEnd().split("\n");
    assertEquals(lines.length, failed ? 7 : 2);
    assertEquals([lines[0], lines.at(-1)], [EVENT, EVENT]);
  });

  Deno.test(`JsonlNormalizer ${inBand ? "keeps" : "drops"} in-band failures if onError is ${onError}`, () => {
    const kinds: [string, boolean][] = [];
    const { text, normalizer } = run({
      ...mode,
      maxLineBytes: 200,
      onFailure: ({ error, isInBand }) => kinds.push([error.kind, isInBand]),
    }, [encode(` ${IN_BAND} \n${EVENT}\n`)]);
    assertEquals(text, inBand ? `${IN_BAND}\n${EVENT}\n` : `${EVENT}\n`);
    assertEquals(kinds, [["json", true]]);
    assertEquals([normalizer.records, normalizer.failures], [1, 1]);
  });
}

Deno.test("JsonlNormalizer writes failure records in the order of their lines", () => {
  const { text } = run({ onError: "inline" });
  assertEquals(text.trimEnd().split("\n"), [
    EVENT,
    '{"type":"line.failed","line":4,"offset":41,"error":{"kind":"json","message":"Cannot parse the line as JSON: \\"o\\" stands where a value is expected (byte 1)"},"raw":"oops"}',
    '{"type":"line.failed","line":5,"offset":46,"error":{"kind":"normalize","message":"Cannot normalize the line: the line is a list, expected an object"},"raw":"[]"}',
    '{"type":"line.failed","line":6,"offset":49,"error":{"kind":"typed","message":"Cannot decode a record of type \\"brand.new\\": this type is not known"},"raw":"{\\"type\\":\\"brand.new\\"}"}',
    '{"type":"line.failed","line":7,"offset":70,"error":{"kind":"utf8","message":"Cannot decode the line: its bytes are not valid UTF-8"},"raw":"\\"\ufffd\\"","raw_base64":"Iv8i"}',
    '{"type":"line.failed","line":8,"offset":74,"error":{"kind":"line_too_long","message":"Cannot read the line: it has 92 bytes, the limit is 80"},"bytes":92}',
    EVENT,
  ]);
});

Deno.test("JsonlNormalizer writes the same bytes for input split at any offset", () => {
  for (const onError of ["report", "inline", "drop"] as const) {
    const whole = run({ onError }).text;
    for (const blocks of everySplit(INPUT)) {
      assertEquals(run({ onError }, blocks).text, whole);
    }
  }
});

Deno.test("JsonlNormalizer reads its own failure records as failures, and writes them unchanged", () => {
  const { text } = run({ onError: "inline" });
  const kinds: string[] = [];
  const again = run({
    maxLineBytes: 1_000,
    onError: "inline",
    onFailure: ({ error }) => kinds.push(error.kind),
  }, [encode(text)]);
  assertEquals(again.text, text);
  assertEquals(kinds, KINDS);
});

for (
  const { line, kind } of [
    { line: "oops", kind: "json" },
    { line: "[]", kind: "normalize" },
    { line: '{"type":"error"}', kind: "typed" },
    { line: `"${"x".repeat(90)}"`, kind: "line_too_long" },
    { line: "\xff", kind: "utf8" },
    { line: IN_BAND.slice(0, 70) + '"}}', kind: "json" },
  ]
) {
  Deno.test(`JsonlNormalizer stops with an error of ${kind} at ${JSON.stringify(line.slice(0, 24))} if onError is stop`, () => {
    const bytes = Uint8Array.from(line, (c) => c.charCodeAt(0));
    const blocks: string[] = [];
    const keep = (block: Uint8Array): void => void blocks.push(decode(block));
    const messages: string[] = [];
    const options: JsonlOptions = {
      from: "exec",
      maxLineBytes: 80,
      onError: "stop",
      onFailure: ({ error }) => messages.push(error.message),
    };
    const normalizer = new JsonlNormalizer(options);
    const error = assertThrows(() =>
      normalizer.feed(concat([encode(`${EVENT}\n`), bytes, encode("\n")]), keep)
    );
    assert(error instanceof LineError);
    assertEquals([error.kind, error.line, error.offset], [
      kind,
      2,
      EVENT.length + 1,
    ]);
    assertEquals(messages, [error.reason.message]);
    // The events before the failure have been emitted.
    assertEquals(blocks, [`${EVENT}\n`]);

    const last = new JsonlNormalizer(options);
    last.feed(bytes, keep);
    assertThrows(() => last.flush(keep), LineError);
  });
}

Deno.test("JsonlNormalizer.onFailure receives failures that can be kept and encoded", () => {
  const failures: Failure[] = [];
  const records: string[] = [];
  const places: [number, number][] = [];
  run({
    onError: "drop",
    onFailure: (failed) => {
      places.push([failed.line, failed.offset]);
      failures.push(failed.toFailure());
      records.push(`${decode(failed.encode())}\n`);
    },
  });
  const stage = compose(
    new LineSplitter({ maxLineBytes: 80 }),
    new Normalizer({ from: "exec" }),
  );
  const expected = emitted(stage, [INPUT]).filter(({ ok }) => !ok);
  assertEquals<unknown[]>(failures, expected);
  assertEquals(places, expected.map(({ line, offset }) => [line, offset]));
  assertEquals(
    records,
    failures.map((failure) => decode(encodeOutcome(failure))),
  );
});

Deno.test("JsonlNormalizer emits one block for each input block that completes a record", () => {
  const sizes: number[] = [];
  const normalizer = new JsonlNormalizer({ from: "exec" });
  for (
    const text of [EVENT, "\n", `${EVENT}\n${EVENT}\n`, "", "\n\noops\n", EVENT]
  ) {
    sizes.push(0);
    normalizer.feed(encode(text), (block) => {
      sizes[sizes.length - 1] = block.length;
    });
  }
  const one = EVENT.length + 1;
  assertEquals(sizes, [0, one, 2 * one, 0, 0, 0]);
  let isFlushed = false;
  normalizer.flush((block) => {
    isFlushed = block.length === one;
  });
  assert(isFlushed);
  normalizer.flush(() => {
    throw new RangeError("nothing is left");
  });
});

Deno.test("JsonlNormalizer keeps no reference to the caller's block", () => {
  const input = encode(`${EVENT}\n${EVENT}`);
  const blocks: string[] = [];
  const keep = (block: Uint8Array): void => void blocks.push(decode(block));
  const normalizer = new JsonlNormalizer({ from: "exec" });
  normalizer.feed(input, keep);
  input.fill(0x78);
  normalizer.flush(keep);
  assertEquals(blocks, [`${EVENT}\n`, `${EVENT}\n`]);
});

Deno.test("JsonlNormalizer writes a line of 4 MB between short lines", () => {
  const long = `{"type":"error","message":"${"é\\n".repeat(1_000_000)}"}`;
  const { text } = run({ maxLineBytes: 1 << 24 }, [
    encode(`${EVENT}\n${long}\n${EVENT}\n`),
  ]);
  assert(text === `${EVENT}\n${long}\n${EVENT}\n`);
});

for (const maxLineBytes of [0, -1, 0.5, NaN, 2 ** 29]) {
  Deno.test(`JsonlNormalizer refuses a limit of ${maxLineBytes}`, () => {
    for (const Class of [JsonlNormalizer, JsonlNormalizerStream]) {
      assertThrows(() => new Class({ maxLineBytes }), RangeError);
    }
  });
}

Deno.test("JsonlNormalizerStream emits blocks that later blocks do not overwrite", async () => {
  const texts = [`${EVENT}\n`, `${EVENT.replace('"m"', '"other"')}\n`, EVENT];
  const stream = ReadableStream.from(texts.map(encode))
    .pipeThrough(new JsonlNormalizerStream({ from: "exec" }));
  const blocks = await Array.fromAsync(stream);
  assertEquals(blocks.map(decode), [...texts.slice(0, 2), `${EVENT}\n`]);
});

Deno.test("JsonlNormalizerStream fails at the first bad line if onError is stop, and cancels its input", async () => {
  let reason: unknown;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(encode("oops\n")),
    cancel: (cause) => {
      reason = cause;
    },
  });
  const stream = source.pipeThrough(
    new JsonlNormalizerStream({ from: "exec", onError: "stop" }),
  );
  const error = await assertRejects(() => Array.fromAsync(stream));
  assert(error instanceof LineError);
  assertStrictEquals(reason, error);
});

Deno.test("JsonlNormalizerStream emits the events before the bad line if onError is stop", async () => {
  const stream = ReadableStream.from([encode(`${EVENT}\noops\n${EVENT}\n`)])
    .pipeThrough(new JsonlNormalizerStream({ from: "exec", onError: "stop" }));
  const blocks: string[] = [];
  const error = await assertRejects(async () => {
    for await (const block of stream) blocks.push(decode(block));
  });
  assert(error instanceof LineError);
  assertEquals(blocks, [`${EVENT}\n`]);
});

Deno.test("JsonlNormalizerStream cancels its input when it is cancelled", async () => {
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(encode(`${EVENT}\n`)),
    cancel: () => {
      isCancelled = true;
    },
  });
  const reader = source.pipeThrough(new JsonlNormalizerStream()).getReader();
  await reader.read();
  await reader.cancel();
  assert(isCancelled);
});

for (
  const { name, head, tail, message } of [
    {
      name: "a line of a million members",
      head: '{"type":"error","message":"m",',
      tail: "}",
      message:
        "Cannot parse the line as JSON: it has more than 1048576 members",
    },
    {
      name: "a line with an object of a million members",
      head:
        '{"id":"1","msg":{"type":"patch_apply_begin","call_id":"c","changes":{',
      tail: "}}}",
      message: "Cannot normalize the line: a value in it has too many members",
    },
  ]
) {
  Deno.test(`JsonlNormalizer refuses ${name}, and reads the next one`, () => {
    const members = Array.from({ length: 1 << 20 }, (_, i) => `"${i}":0`);
    const text = `${head}${members.join()}${tail}\n` +
      '{"type":"error","message":"n"}\n';
    const failures: Failure[] = [];
    const normalizer = new JsonlNormalizer({
      initialThreadId: "t",
      initialTurnId: "u",
      onFailure: (failed) => failures.push(failed.toFailure()),
    });
    let out = "";
    normalizer.feed(encode(text), (block) => out += decode(block));
    assertEquals(out, '{"type":"error","message":"n"}\n');
    assertEquals(
      failures.map(({ line, error, raw }) => [
        line,
        error.message.replace(/ \(byte \d+\)$/, ""),
        raw?.length,
      ]),
      [[1, message, text.indexOf("\n")]],
    );
  });
}

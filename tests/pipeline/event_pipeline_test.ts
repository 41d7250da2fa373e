import { Buffer } from "node:buffer";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type CodexRecord, Decoder } from "../../lib/dialects/decoder.ts";
import { LineError } from "../../lib/errors.ts";
import {
  decodeEvents,
  decodeRecords,
  EventDecoder,
  JsonlDecoder,
  type JsonlDecoderOptions,
  JsonlDecoderStream,
  JsonlEvents,
} from "../../lib/pipeline/event_pipeline.ts";
import type { ThreadEvent } from "../../lib/dialects/exec/events.ts";
import { encodeOutcome } from "../../lib/lines/jsonl_encoder.ts";
import { LineSplitter } from "../../lib/lines/line_splitter.ts";
import { Normalizer } from "../../lib/dialects/normalizer.ts";
import type { Outcome } from "../../lib/outcome.ts";
import { isOfType } from "../../lib/dialects/rollout/of_type.ts";
import { compose } from "../../lib/stage.ts";
import { CAPTURES, GOLDENS, VECTORS } from "../dialects/exec/records.ts";
import { chunkings } from "../generators.ts";
import fc from "../property_seed.ts";
import { readCapturedFiles, rolloutBytes } from "../rollouts.ts";
import {
  assertSameText,
  byteByByte,
  concat,
  decode,
  emitted,
  encode,
  everySplit,
  normalizeBytes,
} from "../running.ts";

const THREAD = '{"type":"thread.started","thread_id":"t"}';
const ERROR = '{"type":"error","message":"é😀"}';
/** A byte order mark, blank lines, CRLF, a torn line, a line of invalid UTF-8, no LF at the end. */
const MIXED = concat([
  encode(`\ufeff${THREAD}\r\n\n{"type":"turn.started"}\n{"type":\n   \n`),
  new Uint8Array([0x7b, 0xff, 0x7d, 0x0a]),
  encode(
    '{"type":"line.failed","line":3,"offset":9,"error":{"kind":"json","message":"m"}}\n',
  ),
  encode(`${ERROR}\n[1]\n{"type":"error"}\n${ERROR}`),
]);

function decodeChunks(
  chunks: Iterable<Uint8Array>,
  options: JsonlDecoderOptions = {},
): Outcome<CodexRecord>[] {
  return emitted(new JsonlDecoder({ from: "exec", ...options }), chunks);
}

function decodeByStages(
  bytes: Uint8Array,
  options: JsonlDecoderOptions = {},
): Outcome<CodexRecord>[] {
  const lines = new LineSplitter(options);
  const normalizer = new Normalizer({ from: "exec", ...options });
  return emitted(compose(compose(lines, normalizer), new Decoder()), [bytes]);
}

/** Returns the type of a record, or the kind of a failure. */
function answer(outcome: Outcome<CodexRecord>): string {
  return outcome.ok ? outcome.value.type : outcome.error.kind;
}

Deno.test("JsonlDecoder emits the outcomes of the single stages, for all captures", () => {
  for (const [name, bytes] of [...GOLDENS, ...CAPTURES]) {
    assertEquals(decodeChunks([bytes]), decodeByStages(bytes), name);
  }
});

Deno.test("JsonlDecoder emits the outcomes of the single stages, for all vectors", () => {
  for (const { input, options = {} } of VECTORS) {
    const bytes = encode(input.join("\n"));
    assertEquals(
      decodeChunks([bytes], options),
      decodeByStages(bytes, options),
    );
  }
});

Deno.test("JsonlDecoder with encodeOutcome() writes the bytes of JsonlNormalizer", () => {
  const files = [["mixed", MIXED] as const, ...GOLDENS, ...CAPTURES];
  for (const [name, bytes] of files) {
    const encoded = concat(decodeChunks([bytes]).map(encodeOutcome));
    assertEquals(
      decode(encoded) === decode(normalizeBytes([bytes])),
      true,
      name,
    );
  }
});

Deno.test("JsonlDecoder emits the same outcomes for input cut in two at any offset, and byte by byte", () => {
  const whole = decodeChunks([MIXED]);
  assertEquals(whole, decodeByStages(MIXED));
  assertEquals(whole.map(answer), [
    "thread.started",
    "turn.started",
    "json",
    "utf8",
    "json",
    "error",
    "normalize",
    "typed",
    "error",
  ]);
  for (const chunks of everySplit(MIXED)) {
    assertEquals(decodeChunks(chunks), whole);
  }
  assertEquals(decodeChunks(byteByByte(MIXED)), whole);
});

Deno.test("JsonlDecoder emits the same outcomes for any chunking", () => {
  const whole = decodeChunks([MIXED]);
  fc.assert(fc.property(chunkings(fc.constant(MIXED)), ({ chunks }) => {
    assertEquals(decodeChunks(chunks), whole);
  }));
});

const BLOCKS: { name: string; block: Uint8Array }[] = [
  { name: "bytes", block: new Uint8Array(64) },
  { name: "a buffer of Node", block: Buffer.alloc(64) },
];

for (const { name, block } of BLOCKS) {
  Deno.test(`JsonlDecoder keeps no reference to a block of ${name}`, () => {
    const outcomes: Outcome<CodexRecord>[] = [];
    const decoder = new JsonlDecoder();
    for (const name of ["one", "two"]) {
      const { written } = new TextEncoder().encodeInto(
        `{"type":"error","message":"${name}"}\n`,
        block,
      );
      decoder.feed(
        block.subarray(0, written),
        (outcome) => outcomes.push(outcome),
      );
    }
    assertEquals(
      outcomes.map((outcome) => outcome.ok && outcome.text),
      ['{"type":"error","message":"one"}', '{"type":"error","message":"two"}'],
    );
  });

  Deno.test(`JsonlDecoder and LineSplitter copy bytes that are not UTF-8 from a block of ${name}`, () => {
    block.set([0x61, 0xff, 0x0a]);
    const kept: unknown[] = [];
    new JsonlDecoder().feed(
      block.subarray(0, 3),
      (outcome) => kept.push(outcome.ok || [...outcome.rawBytes ?? []]),
    );
    new LineSplitter().feed(
      block.subarray(0, 3),
      (outcome) => kept.push(outcome),
    );
    block.fill(0x7a);
    const [decoded, split] = kept;
    assertEquals(decoded, [0x61, 0xff]);
    assertEquals(
      [...(split as { rawBytes: Uint8Array }).rawBytes],
      [0x61, 0xff],
    );
  });
}

const IN_BAND =
  '{"type":"line.failed","line":1,"offset":0,"error":{"kind":"utf8","message":"m"}}';

const MODES = [
  { onError: "inline", expected: ["error", "json", "utf8", "error"] },
  { onError: "mark", expected: ["error", "json", "utf8", "error"] },
  { onError: "report", expected: ["error", "utf8", "error"] },
  { onError: "drop", expected: ["error", "error"] },
  { onError: undefined, expected: ["error", "json", "utf8", "error"] },
] satisfies {
  onError: JsonlDecoderOptions["onError"] | undefined;
  expected: string[];
}[];

for (const { onError, expected } of MODES) {
  Deno.test(`JsonlDecoder emits ${expected.join(", ")} if onError is ${onError}`, () => {
    const failures: string[] = [];
    const decoder = new JsonlDecoder({
      ...(onError === undefined ? {} : { onError }),
      onFailure: ({ line, error }) => failures.push(`${line} ${error.kind}`),
    });
    const bytes = encode(`${ERROR}\n{\n\n${IN_BAND}\n${ERROR}\n`);
    assertEquals(emitted(decoder, [bytes]).map(answer), expected);
    assertEquals(failures, ["2 json", "4 utf8"]);
    assertEquals([decoder.records, decoder.failures], [2, 2]);
  });
}

Deno.test("JsonlDecoder throws the error of the first failed line if onError is stop", () => {
  const seen: string[] = [];
  const decoder = new JsonlDecoder({ onError: "stop" });
  assertThrows(
    () =>
      decoder.feed(encode(`${ERROR}\n{"a":1}\n${ERROR}\n`), (outcome) => {
        seen.push(answer(outcome));
      }),
    LineError,
    "Line 2: ",
  );
  assertEquals(seen, ["error"]);
});

Deno.test("JsonlDecoder.flush() throws the error of an unfinished line if onError is stop", () => {
  const decoder = new JsonlDecoder({ onError: "stop", maxLineBytes: 3 });
  decoder.feed(encode("long"), () => {});
  assertThrows(() => decoder.flush(() => {}), LineError);
});

Deno.test("JsonlDecoder passes on the options of the splitter and the normalizer", () => {
  const outcomes = decodeChunks(
    [encode(`${"x".repeat(200)}\n{"type":"turn.started"}\n`)],
    { maxLineBytes: 100, initialThreadId: "T" },
  );
  assertEquals(outcomes[0], {
    ok: false,
    line: 1,
    offset: 0,
    error: {
      kind: "line_too_long",
      message: !outcomes[0]?.ok && outcomes[0]?.error.message || "",
      bytes: 200,
      limit: 100,
    },
  });
  const [, second] = outcomes;
  assert(second?.ok && isOfType(second.value, "turn.started"));
  assertEquals(second.value.thread_id, "T");
  assertEquals(second.offset, 201);
  assertThrows(() => new JsonlDecoder({ maxLineBytes: 0 }), RangeError);
  assertThrows(() => new JsonlDecoderStream({ maxLineBytes: 0 }), RangeError);
});

/** A source that returns one chunk for each pull, throws an error, or waits for a promise. */
function sourceOf(
  chunks: readonly (string | Error | Promise<void>)[],
): {
  readonly stream: ReadableStream<Uint8Array>;
  readonly seen: { pulls: number; readonly cancelled: Promise<unknown> };
} {
  const { promise: cancelled, resolve } = Promise.withResolvers<unknown>();
  const seen = { pulls: 0, cancelled };
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller): Promise<void> {
      const chunk = chunks[seen.pulls];
      seen.pulls += 1;
      if (chunk instanceof Error) throw chunk;
      if (chunk === undefined) controller.close();
      else if (typeof chunk === "string") controller.enqueue(encode(chunk));
      else await chunk;
    },
    cancel(reason): void {
      resolve(reason);
    },
  }, { highWaterMark: 0 });
  return { stream, seen };
}

/** Collects the answers of all outcomes, and the error that ended them. */
async function drained(
  outcomes: AsyncIterable<Outcome<CodexRecord>>,
): Promise<{ answers: string[]; error: unknown }> {
  const answers: string[] = [];
  try {
    for await (const outcome of outcomes) {
      answers.push(answer(outcome));
      // Waits, so that an error that is thrown too early ends the loop before the next outcome.
      await new Promise((resolve) => setTimeout(resolve));
    }
  } catch (error) {
    return { answers, error };
  }
  return { answers, error: undefined };
}

/** A stream without an async iterator, as in browsers that lack it. */
function withoutIterator<T>(source: ReadableStream<T>): ReadableStream<T> {
  return new Proxy(source, {
    has: (target, key) => key !== Symbol.asyncIterator && key in target,
    get(target, key): unknown {
      if (key === Symbol.asyncIterator) return undefined;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const OPENERS = [
  {
    name: "decodeEvents()",
    open: (source: ReadableStream<Uint8Array>, options?: JsonlDecoderOptions) =>
      decodeEvents(source, options),
  },
  {
    name: "decodeEvents() of a stream without an iterator",
    open: (source: ReadableStream<Uint8Array>, options?: JsonlDecoderOptions) =>
      decodeEvents(withoutIterator(source), options),
  },
  {
    name: "JsonlDecoderStream",
    open: (source: ReadableStream<Uint8Array>, options?: JsonlDecoderOptions) =>
      source.pipeThrough(new JsonlDecoderStream(options)),
  },
];

const FAILED_LINES = [
  { line: "the first line", chunks: ["{\n"], expected: [] },
  {
    line: "an unfinished last line",
    chunks: [`${ERROR}\n`, `${ERROR}\n{`],
    expected: ["error", "error"],
  },
] satisfies { line: string; chunks: string[]; expected: string[] }[];

for (const { name, open } of OPENERS) {
  Deno.test(`${name} yields the outcomes of all chunks, and of the flush`, async () => {
    const { stream } = sourceOf([
      `${ERROR}\n${ERROR}\n{`,
      "",
      '"a":1',
      "}\n[]",
    ]);
    assertEquals(await drained(open(stream)), {
      answers: ["error", "error", "normalize", "normalize"],
      error: undefined,
    });
  });

  Deno.test(`${name} yields no outcome for an empty source`, async () => {
    const { stream } = sourceOf([]);
    assertEquals((await drained(open(stream))).answers, []);
  });

  Deno.test(`${name} throws the first failure after the outcomes before it, and cancels its source`, async () => {
    const { stream, seen } = sourceOf([
      `${ERROR}\n`,
      `${THREAD}\n${ERROR}\n{\n${ERROR}\n`,
      `${ERROR}\n`,
    ]);
    const { answers, error } = await drained(open(stream, { onError: "stop" }));
    assertEquals(answers, ["error", "thread.started", "error"]);
    assert(error instanceof LineError);
    // A pipe passes a cancellation on later; without it, this never resolves and the test fails.
    await seen.cancelled;
  });

  for (const { line, chunks, expected } of FAILED_LINES) {
    Deno.test(`${name} throws the failure of ${line}`, async () => {
      const { stream } = sourceOf(chunks);
      const { answers, error } = await drained(
        open(stream, { onError: "stop" }),
      );
      assertEquals(answers, expected);
      assert(error instanceof LineError);
    });
  }

  Deno.test(`${name} throws the error of its source`, async () => {
    const { stream } = sourceOf([`${ERROR}\n`, new TypeError("broken")]);
    const { answers, error } = await drained(open(stream));
    assertEquals(answers, ["error"]);
    assert(error instanceof TypeError);
    assertEquals(error.message, "broken");
  });

  Deno.test(`${name} cancels its source when the loop breaks`, async () => {
    const { stream, seen } = sourceOf([`${ERROR}\n${ERROR}\n`, `${ERROR}\n`]);
    for await (const outcome of open(stream)) {
      assert(outcome.ok);
      break;
    }
    // A pipe passes a cancellation on later; without it, this never resolves and the test fails.
    await seen.cancelled;
    assert(seen.pulls <= 2);
  });

  Deno.test(`${name} cancels its source when the loop throws`, async () => {
    const { stream, seen } = sourceOf(
      Array.from({ length: 9 }, () => `${ERROR}\n${ERROR}\n`),
    );
    await assertRejects(async () => {
      for await (const _ of open(stream)) throw new RangeError("enough");
    }, RangeError);
    // A pipe passes a cancellation on later; without it, this never resolves and the test fails.
    await seen.cancelled;
  });
}

Deno.test("decodeEvents() reads no chunk before it is iterated", async () => {
  const { stream, seen } = sourceOf([`${ERROR}\n${ERROR}\n`, `${ERROR}\n`]);
  const outcomes = decodeEvents(stream);
  assertEquals(seen.pulls, 0);
  await outcomes.next();
  await outcomes.next();
  assertEquals(seen.pulls, 1);
  await outcomes.return();
});

Deno.test("decodeEvents() reads an iterable of bytes, and returns it when the loop breaks", async () => {
  let isEnded = false;
  async function* blocks(): AsyncGenerator<Uint8Array> {
    try {
      yield encode(`${ERROR}\n`);
      await Promise.resolve();
      yield encode(`${ERROR}\n`);
    } finally {
      isEnded = true;
    }
  }
  for await (const _ of decodeEvents(blocks())) break;
  assertEquals(isEnded, true);
  assertEquals((await Array.fromAsync(decodeEvents(blocks()))).length, 2);
});

Deno.test("decodeEvents() refuses a negative limit when it is called", () => {
  assertThrows(
    () => decodeEvents(new Blob([]).stream(), { maxLineBytes: -1 }),
    RangeError,
  );
});

Deno.test("JsonlDecoderStream passes on the reason of a cancellation during a read", async () => {
  const { stream, seen } = sourceOf([`${ERROR}\n`, new Promise(() => {})]);
  const reader = stream.pipeThrough(new JsonlDecoderStream()).getReader();
  await reader.read();
  const waiting = reader.read();
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(seen.pulls, 2);
  await reader.cancel("enough");
  assertEquals((await waiting).done, true);
  assertEquals(await seen.cancelled, "enough");
});

Deno.test("JsonlDecoderStream emits no failure if it is cancelled inside a line", async () => {
  const decoding = new JsonlDecoderStream();
  const writer = decoding.writable.getWriter();
  const reader = decoding.readable.getReader();
  const read = reader.read();
  await writer.write(encode('{"type":'));
  await reader.cancel();
  assertEquals((await read).done, true);
  await assertRejects(() => writer.write(encode("x\n")));
});

Deno.test("JsonlDecoderStream cancels its source with the error of its sink", async () => {
  const { stream, seen } = sourceOf([`${ERROR}\n${ERROR}\n`, `${ERROR}\n`]);
  const sink = new WritableStream<Outcome<CodexRecord>>({
    write: () => {
      throw new RangeError("full");
    },
  });
  await assertRejects(
    () => stream.pipeThrough(new JsonlDecoderStream()).pipeTo(sink),
    RangeError,
    "full",
  );
  assert(await seen.cancelled instanceof RangeError);
});

Deno.test("JsonlDecoderStream reads at most two chunks ahead", async () => {
  const { stream, seen } = sourceOf(new Array(50).fill(`${ERROR}\n`));
  const outcomes = stream.pipeThrough(new JsonlDecoderStream());
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert(seen.pulls <= 2, `${seen.pulls} chunks were read`);
  await outcomes.cancel();
});

Deno.test("JsonlDecoder decodes session files, and encodeOutcome() writes the bytes of JsonlNormalizer", () => {
  for (const { path, bytes } of readCapturedFiles(/rollout-.*\.jsonl$/)) {
    const outcomes = emitted(new JsonlDecoder(), [bytes]);
    for (const { ok, line } of outcomes) {
      assert(ok || path.includes("/torn_resume/"), `${path}:${line}`);
    }
    const [first] = outcomes;
    assert(first?.ok && isOfType(first.value, "session_meta"), path);
    assertSameText(
      decode(concat(outcomes.map(encodeOutcome))),
      decode(rolloutBytes([bytes]).output),
      path,
    );
  }
});

const SESSION = [
  '{"timestamp":"2025-09-24T07:04:31.123Z","type":"compacted","payload":{"message":"m"}}',
  '{"timestamp":"2025-09-24T07:04:31.123Z","type":"compacted","payload":{"message":1}}',
];

Deno.test("JsonlDecoder validates the lines of session files", () => {
  const bytes = encode(SESSION.join("\n"));
  for (const from of ["auto", "rollout"] as const) {
    const [first, second] = emitted(new JsonlDecoder({ from }), [bytes]);
    assert(first?.ok);
    assertEquals(first.text, SESSION[0]);
    assertEquals(first.value, JSON.parse(SESSION[0] ?? ""));
    assert(second !== undefined && !second.ok);
    assertEquals(second.raw, SESSION[1]);
    assertEquals(second.offset, (SESSION[0] ?? "").length + 1);
    assertEquals(
      second.error.message,
      "Cannot decode compacted: payload.message is a number, expected a string",
    );
  }
});

Deno.test("decodeRecords() yields the records of session files, and decodeEvents() their events", async () => {
  const log = new Blob([SESSION.join("\n")]);
  assertEquals(
    (await drained(decodeRecords(log.stream(), { from: "exec" }))).answers,
    ["typed", "typed"],
  );
  assertEquals(
    (await drained(decodeRecords(log.stream()))).answers,
    ["compacted", "typed"],
  );
  const types: string[] = [];
  for await (const outcome of decodeEvents(log.stream())) {
    if (outcome.ok && "item_type" in outcome.value) {
      types.push(outcome.value.item_type);
    }
  }
  assertEquals(types[0], "context_compaction");
  // With `text: false`, the events are the same except for their text.
  const [first] = await Array.fromAsync(decodeEvents(log.stream()));
  const [bare] = await Array.fromAsync(
    decodeEvents(log.stream(), { text: false }),
  );
  assertEquals("text" in (bare ?? {}), false);
  assertEquals<unknown>({ ...bare, text: 0 }, { ...first, text: 0 });
});

Deno.test("EventDecoder emits the events of JsonlEvents for the normalized lines of captures", () => {
  const files = readCapturedFiles(/\.jsonl$/).filter((_, i) => i % 5 === 0);
  for (const { path, bytes } of files) {
    const stages = compose(
      compose(new LineSplitter(), new Normalizer()),
      new EventDecoder(),
    );
    assertEquals(
      emitted(stages, [bytes]).map(encodeOutcome),
      emitted(new JsonlEvents(), [bytes]).map(encodeOutcome),
      path,
    );
  }
});

Deno.test("EventDecoder emits a failure for a value that is no record", () => {
  const decoder = new EventDecoder();
  const outcomes: Outcome<ThreadEvent>[] = [];
  for (const value of ["{", "[]", 5, null]) {
    const outcome = { ok: true, line: 1, offset: 0, value } as const;
    decoder.feed(outcome, (failure) => outcomes.push(failure));
  }
  assertEquals(
    outcomes.map(({ error, ok }) => !ok && error.kind),
    ["json", "typed", "typed", "typed"],
  );
});

/** Compiles if `T` is `true`. */
type Assert<T extends true> = T;
type IsSame<A, B> = [A, B] extends [B, A] ? true : false;
type Item<T> = T extends AsyncIterable<Outcome<infer R>> ? R : never;

/** Calls whose types the compiler checks; they are never made. */
export const CALLS = {
  plain: (bytes: ReadableStream<Uint8Array>) => decodeEvents(bytes),
  strict: (bytes: ReadableStream<Uint8Array>) =>
    decodeEvents(bytes, { onError: "stop" }),
  auto: (bytes: ReadableStream<Uint8Array>) =>
    decodeRecords(bytes, { from: "auto" }),
  stream: () => new JsonlDecoderStream().readable,
  execStream: () => new JsonlDecoderStream({ from: "exec" }).readable,
};

type Answers = {
  readonly [N in keyof typeof CALLS]: Item<ReturnType<typeof CALLS[N]>>;
};

/** The types that the calls yield. */
export type TypeChecks = [
  Assert<IsSame<Answers["plain"], ThreadEvent>>,
  Assert<IsSame<Answers["strict"], ThreadEvent>>,
  Assert<IsSame<Answers["auto"], CodexRecord>>,
  Assert<IsSame<Answers["stream"], CodexRecord>>,
  Assert<IsSame<Answers["execStream"], ThreadEvent>>,
];

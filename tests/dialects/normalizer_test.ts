import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { LineSplitterStream } from "../../lib/lines/line_splitter.ts";
import {
  type JsonRecord,
  Normalizer,
  NormalizerStream,
} from "../../lib/dialects/normalizer.ts";
import type { Outcome } from "../../lib/outcome.ts";
import { answerOf, decode, emitted, encode } from "../running.ts";

/** A line or record on line 7, which starts at byte 100. */
function success<T>(value: T): Outcome<T> {
  return { ok: true, line: 7, offset: 100, value };
}

function normalize(
  ...inputs: readonly Outcome<string | JsonRecord>[]
): Outcome<string>[] {
  return emitted(
    new Normalizer({ from: "exec", initialThreadId: "T" }),
    inputs,
  );
}

const ERROR = '{"type":"error","message":"m"}';

Deno.test("Normalizer emits a normalized text with the number and offset of its line", () => {
  assertEquals(normalize(success(' {"message":"m", "type":"error"} ')), [
    success(ERROR),
  ]);
});

Deno.test("Normalizer emits a failure with the text of its line", () => {
  const raw = ' {"type":"é\ufffd\u2028"} ';
  assertEquals(normalize(success(raw)), [{
    ok: false,
    line: 7,
    offset: 100,
    error: {
      kind: "typed",
      message:
        'Cannot decode a record of type "é\ufffd\u2028": this type is not known',
      field: "type",
    },
    raw,
  }]);
});

Deno.test("Normalizer passes failures on, without reading them", () => {
  const failure: Outcome<string> = {
    ok: false,
    line: 1,
    offset: 0,
    error: { kind: "utf8", message: "m" },
    raw: '{"type":"thread.started","thread_id":"X"}',
  };
  const [passed, event] = normalize(
    failure,
    success('{"type":"turn.started","turn_id":"U"}'),
  );
  assertStrictEquals(passed, failure);
  assertEquals(
    event,
    success('{"type":"turn.started","thread_id":"T","turn_id":"U"}'),
  );
});

for (
  const { name, value } of [
    { name: "an empty line", value: "" },
    { name: "white space of JSON", value: " \t\r\n" },
    { name: "white space of Unicode", value: "\u3000\u0085\u2028\u00a0\v\f" },
  ] satisfies { name: string; value: string }[]
) {
  Deno.test(`Normalizer emits no outcome for ${name}`, () => {
    assertEquals(normalize(success(value)), []);
  });
}

for (
  const { name, value } of [
    { name: "a byte order mark", value: "\ufeff" },
    { name: "a byte order mark before a record", value: `\ufeff${ERROR}` },
    { name: "a NUL", value: "\0" },
    { name: "white space that JSON does not allow", value: `\u00a0${ERROR}` },
    { name: "two records", value: `${ERROR}\n${ERROR}` },
    {
      name: "a line end in a string",
      value: '{"type":"error","message":"a\nb"}',
    },
  ] satisfies { name: string; value: string }[]
) {
  Deno.test(`Normalizer fails a text with kind json for ${name}`, () => {
    const [outcome] = normalize(success(value));
    assert(outcome !== undefined && !outcome.ok);
    assertEquals([outcome.error.kind, outcome.raw], ["json", value]);
  });
}

Deno.test("Normalizer joins a text with line ends between tokens into one line", () => {
  assertEquals(
    normalize(success('{\n"type":"error",\r\n"message":"m"\n}\n')),
    [success(ERROR)],
  );
});

Deno.test("Normalizer fails a text with kind utf8 for a lone surrogate, which UTF-8 cannot encode", () => {
  const raw = '{"type":"error","message":"\ud83d"}';
  assertEquals(normalize(success(raw)), [{
    ok: false,
    line: 7,
    offset: 100,
    error: {
      kind: "utf8",
      message: "Cannot encode the line as UTF-8: it holds a lone surrogate",
    },
    raw,
  }]);
});

Deno.test("Normalizer accepts records in place of lines", () => {
  assertEquals(
    normalize(
      success({ message: "m\u2028", type: "error", n: -0, u: undefined }),
      success({
        type: "item.completed",
        item: { id: "i", type: "agent_message", text: "x" },
      }),
      success({ type: "error" }),
    ).map(answerOf),
    [
      '{"type":"error","message":"m\u2028","n":0}',
      '{"type":"item.completed","thread_id":"T","item_id":"i","status":"completed","item_type":"agent_message","content":{"text":"x"}}',
      "typed",
    ],
  );
});

const circular: { self?: unknown } = {};
circular.self = circular;

for (
  const { name, value, reason } of [
    { name: "a circular reference", value: circular, reason: /circular/i },
    { name: "a bigint", value: { type: "error", n: 1n }, reason: /BigInt/ },
    {
      name: "a toJSON() that throws",
      value: {
        toJSON: () => {
          throw new RangeError("no");
        },
      },
      reason: /no$/,
    },
    {
      name: "a toJSON() that throws no error",
      value: {
        toJSON: () => {
          throw "just so";
        },
      },
      reason: /just so$/,
    },
    {
      name: "a toJSON() that returns undefined",
      value: { toJSON: () => undefined },
      reason: /has no JSON form$/,
    },
  ] satisfies { name: string; value: JsonRecord; reason: RegExp }[]
) {
  Deno.test(`Normalizer fails a record with kind json for ${name}`, () => {
    const [outcome, next] = normalize(success(value), success(ERROR));
    assert(outcome !== undefined && !outcome.ok);
    assertEquals(
      [outcome.error.kind, outcome.line, outcome.offset],
      ["json", 7, 100],
    );
    assert(
      outcome.error.message.startsWith("Cannot encode the record as JSON: "),
    );
    assert(reason.test(outcome.error.message), outcome.error.message);
    assert(!outcome.error.message.includes("\n"));
    assert(!("raw" in outcome));
    assertEquals(next, success(ERROR));
  });
}

Deno.test("Normalizer fails a record with kind json for a lone surrogate, like the escape in its text (J3)", () => {
  const [outcome] = normalize(success({ type: "error", message: "\ud83d" }));
  assertEquals(outcome !== undefined && answerOf(outcome), "json");
});

Deno.test("Normalizer does not overwrite earlier outcomes with longer or shorter lines", () => {
  const texts = [5, 3_000_000, 1, 70_000, 0].map((length) =>
    `{"type":"error","message":"${"x".repeat(length)}"}`
  );
  const outcomes = normalize(...texts.map(success));
  assert(outcomes.every((outcome, i) => answerOf(outcome) === texts[i]));
  assertEquals(outcomes.length, texts.length);
});

Deno.test("Normalizer.reset() restores the initial thread id", () => {
  const normalizer = new Normalizer({ from: "exec", initialThreadId: "T" });
  const turn = success('{"type":"turn.started"}');
  const outcomes: string[] = [];
  const feed = (input: Outcome<string>): void =>
    normalizer.feed(input, (outcome) => outcomes.push(answerOf(outcome)));
  feed(success('{"type":"thread.started","thread_id":"X"}'));
  feed(turn);
  normalizer.reset();
  feed(turn);
  assertEquals(outcomes, [
    '{"type":"thread.started","thread_id":"X"}',
    '{"type":"turn.started","thread_id":"X","turn_id":"synthetic-turn-1"}',
    '{"type":"turn.started","thread_id":"T","turn_id":"synthetic-turn-1"}',
  ]);
});

Deno.test("Normalizer.reset() detects the kind of the next stream, with the same seeds", () => {
  const normalizer = new Normalizer({
    initialThreadId: "seed",
    fileName:
      "rollout-2026-11-20T15-40-01-5973b6c0-94b8-487b-a530-2aeb6098ae0e.jsonl",
    resume: { kind: "exec", rules: { context: { thread_id: "saved" } } },
  });
  const outcomes: string[] = [];
  const lines = ["oops", '{"type":"turn.started","turn_id":"u"}'];
  for (const line of ['{"type":"x","payload":{}}', ...lines, ...lines]) {
    normalizer.reset();
    normalizer.feed(success(line), (outcome) => {
      outcomes.push(answerOf(outcome));
    });
  }
  const turn = '{"type":"turn.started","thread_id":"seed","turn_id":"u"}';
  assertEquals(outcomes, [
    '{"timestamp":"2026-11-20T15:40:01.000Z","type":"x","payload":{}}',
    ...["json", turn, "json", turn],
  ]);
});

Deno.test("Normalizers share no state", () => {
  const one = new Normalizer({ from: "exec" });
  const other = new Normalizer({ from: "exec" });
  const outcomes: string[] = [];
  const keep = (outcome: Outcome<string>): void =>
    void outcomes.push(answerOf(outcome));
  one.feed(success('{"type":"thread.started","thread_id":"X"}'), keep);
  other.feed(success('{"type":"turn.started"}'), keep);
  assertEquals(outcomes.at(-1), "normalize");
});

Deno.test("NormalizerStream normalizes a stream of lines, and cancels its source when it is cancelled", async () => {
  const cancelled = Promise.withResolvers<void>();
  const block = encode(`${ERROR}\noops\n`);
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(block),
    cancel: () => cancelled.resolve(),
  });
  const reader = source.pipeThrough(new LineSplitterStream())
    .pipeThrough(new NormalizerStream({ from: "exec" })).getReader();
  const first = await reader.read();
  const second = await reader.read();
  assertEquals(first.value, { ok: true, line: 1, offset: 0, value: ERROR });
  assertEquals(second.value?.ok, false);
  await reader.cancel();
  await cancelled.promise;
  assertEquals(decode(block), `${ERROR}\noops\n`);
});

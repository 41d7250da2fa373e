import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type CodexRecord,
  Decoder,
  DecoderStream,
  type RecordOf,
} from "../../lib/dialects/decoder.ts";
import type { Dialect } from "../../lib/dialects/dialect_names.ts";
import type { ThreadEvent } from "../../lib/dialects/exec/events.ts";
import { encodeOutcome } from "../../lib/lines/jsonl_encoder.ts";
import type { Outcome } from "../../lib/outcome.ts";
import type { RolloutLine } from "../../lib/dialects/rollout/lines.ts";
import { NORMALIZED } from "./exec/records.ts";
import { decode, emitted } from "../running.ts";

/** A line that has been normalized. */
function line(value: string, number = 1): Outcome<string> {
  return { ok: true, line: number, offset: 10 * number, value };
}

function decoded(text: string): Outcome<CodexRecord> {
  const outcomes = emitted(new Decoder(), [line(text)]);
  assertEquals(outcomes.length, 1);
  const [outcome] = outcomes;
  assert(outcome !== undefined);
  return outcome;
}

const ERROR = '{"type":"error","message":"m"}';

Deno.test("Decoder keeps the line number, offset and text of each record", () => {
  const text = '{"type":"error","message":"m","n":1.0}';
  assertEquals(emitted(new Decoder(), [line(text, 7)]), [{
    ok: true,
    line: 7,
    offset: 70,
    value: JSON.parse(text),
    text,
  }]);
});

Deno.test("Decoder passes failures on, in order", () => {
  const failure: Outcome<string> = {
    ok: false,
    line: 2,
    offset: 20,
    raw: "{",
    error: { kind: "json", message: "m" },
  };
  const outcomes = emitted(new Decoder(), [
    line(ERROR, 1),
    failure,
    line(ERROR, 3),
  ]);
  assertEquals(outcomes.map(({ line }) => line), [1, 2, 3]);
  assertEquals(outcomes[1], failure);
});

Deno.test("Decoder fails a record that does not match its type", () => {
  const text = '{"type":"error","code":[]}';
  assertEquals(decoded(text), {
    ok: false,
    line: 1,
    offset: 10,
    raw: text,
    error: {
      kind: "typed",
      message: "Cannot decode error: message is absent, expected a string",
      field: "message",
      issues: [
        { path: "message", message: "absent, expected a string" },
        { path: "code", message: "a list, expected a string or a number" },
      ],
    },
  });
});

Deno.test("Decoder fails a text that is not JSON", () => {
  const outcome = decoded("{");
  assertEquals(outcome.ok, false);
  assertEquals(!outcome.ok && outcome.error.kind, "json");
});

Deno.test("Decoder and encodeOutcome() keep every normalized record byte for byte", () => {
  for (const text of NORMALIZED) {
    assertEquals(decode(encodeOutcome(decoded(text))), `${text}\n`);
  }
});

const LINE = '{"type":"compacted","payload":{"message":"m"}}';

const FROM = [
  { from: "auto", expected: ["error", "compacted"] },
  { from: "exec", expected: ["error", "typed"] },
  { from: "rollout", expected: ["typed", "compacted"] },
] satisfies { from: Dialect; expected: string[] }[];

for (const { from, expected } of FROM) {
  Deno.test(`Decoder decodes an event and a session line as ${expected.join(" and ")} from ${from}`, () => {
    const outcomes = emitted(new Decoder({ from }), [line(ERROR), line(LINE)]);
    assertEquals(
      outcomes.map((outcome) =>
        outcome.ok ? outcome.value.type : outcome.error.kind
      ),
      expected,
    );
  });
}

const EXACT = [
  { name: "integers of 64 bits", usage: '{"input_tokens":9007199254740993}' },
  { name: "1.0, -0 and 1E+2", usage: "[1.0,-0,1E+2]" },
  { name: "numbers beyond a double", usage: "[1e400,-1e400,1e-400]" },
  { name: "duplicate keys", usage: '{"a":1,"a":2}' },
  {
    name: "the order of keys, also of digits",
    usage: '{"z":1,"10":2,"2":3,"a":4}',
  },
  {
    name: "keys with the names of inherited members",
    usage: '{"__proto__":{"a":1},"constructor":2}',
  },
  { name: "needless escapes", usage: '"\\u0041\\/"' },
] satisfies { name: string; usage: string }[];

for (const { name, usage } of EXACT) {
  Deno.test(`Decoder and encodeOutcome() keep ${name}`, () => {
    const text =
      `{"type":"turn.completed","thread_id":"t","turn_id":"1","usage":${usage}}`;
    assertEquals(decode(encodeOutcome(decoded(text))), `${text}\n`);
  });
}

Deno.test("DecoderStream decodes a stream of outcomes", async () => {
  const outcomes = ReadableStream.from([line(ERROR), line("{}")])
    .pipeThrough(new DecoderStream());
  assertEquals(
    (await Array.fromAsync(outcomes)).map(({ ok }) => ok),
    [true, false],
  );
});

Deno.test("DecoderStream cancels its source when it is cancelled", async () => {
  let reason: unknown;
  const source = new ReadableStream<Outcome<string>>({
    pull: (controller) => controller.enqueue(line(ERROR)),
    cancel: (cause) => void (reason = cause),
  });
  const reader = source.pipeThrough(new DecoderStream()).getReader();
  await reader.read();
  await reader.cancel("enough");
  assertEquals(reason, "enough");
});

Deno.test("DecoderStream fails with the error of its source", async () => {
  const source = new ReadableStream<Outcome<string>>({
    pull: () => {
      throw new RangeError("broken");
    },
  });
  await assertRejects(
    () => Array.fromAsync(source.pipeThrough(new DecoderStream())),
    RangeError,
    "broken",
  );
});

Deno.test("DecoderStream cancels its source with the error of its sink", async () => {
  let reason: unknown;
  const source = new ReadableStream<Outcome<string>>({
    pull: (controller) => controller.enqueue(line(ERROR)),
    cancel: (cause) => void (reason = cause),
  });
  const sink = new WritableStream<Outcome<CodexRecord>>({
    write: () => {
      throw new RangeError("full");
    },
  });
  await assertRejects(
    () => source.pipeThrough(new DecoderStream()).pipeTo(sink),
    RangeError,
    "full",
  );
  assert(reason instanceof RangeError);
});

const FAMILIES = [
  {
    name: "an unknown type with a payload is a session line",
    text: '{"type":"dream","payload":{}}',
    message: undefined,
  },
  {
    name: "the type of an event is an event, even with a payload",
    text: '{"type":"error","payload":{}}',
    message: "Cannot decode error: message is absent, expected a string",
  },
  {
    name:
      "the type of a session line is a session line, even without a payload",
    text: '{"type":"compacted"}',
    message: "Cannot decode compacted: payload is absent, expected an object",
  },
  {
    name: "an unknown type without a payload is no event",
    text: '{"type":"dream"}',
    message: 'Cannot decode a record of type "dream": this type is not known',
  },
  {
    name: "a string is neither, even if it holds the text of an event",
    text: JSON.stringify('{"type":"error","message":"no"}'),
    message: "Cannot decode the record: it is a string, expected an object",
  },
] satisfies { name: string; text: string; message: string | undefined }[];

for (const { name, text, message } of FAMILIES) {
  Deno.test(`Decoder separates events from session lines: ${name}`, () => {
    const outcome = decoded(text);
    assertEquals(outcome.ok ? undefined : outcome.error.message, message);
  });
}

/** Compiles if `T` is `true`. */
type Assert<T extends true> = T;
type IsSame<A, B> = [A, B] extends [B, A] ? true : false;
type Item<T> = T extends ReadableStream<Outcome<infer R>> ? R : never;

/** The record types for each value of `from`, checked by the compiler. */
export type TypeChecks = [
  Assert<IsSame<RecordOf<"exec">, ThreadEvent>>,
  Assert<IsSame<RecordOf<"rollout">, RolloutLine>>,
  Assert<IsSame<RecordOf<"auto">, CodexRecord>>,
  Assert<IsSame<Item<DecoderStream["readable"]>, CodexRecord>>,
  Assert<IsSame<Item<DecoderStream<"exec">["readable"]>, ThreadEvent>>,
];

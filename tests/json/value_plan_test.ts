/**
 * ValuePlan: its value of a record equals that of `JSON.parse`.
 */

import { assert, assertEquals } from "@std/assert";
import { JsonlDecoder, type Outcome, type ThreadEvent } from "../../mod.ts";
import type { RolloutLine } from "../../lib/dialects/rollout/rollout.ts";
import { JSON_STRING, JSON_TEXT } from "../generators.ts";
import fc from "../property_seed.ts";

const ENCODER = new TextEncoder();

/** In this round, the kernel makes the values of all records of a line with generated code. */
const LAST_ROUND = 66;

/**
 * Decodes lines with the kernel, over and over; checks that each value equals its parsed text in
 * the first round and in the last, which is returned.
 */
function decoded(
  lines: readonly string[],
  initialThreadId?: string,
): Outcome<ThreadEvent>[] {
  let outcomes: Outcome<ThreadEvent>[] = [];
  const decoder = new JsonlDecoder({
    from: "exec",
    engine: "wasm",
    initialThreadId,
  });
  const block = ENCODER.encode(`${lines.join("\n")}\n`);
  for (let round = 1; round <= LAST_ROUND; round++) {
    outcomes = [];
    decoder.feed(block, (outcome) => outcomes.push(outcome));
    if (round === 1 || round === LAST_ROUND) checkValues(outcomes);
  }
  return outcomes;
}

function checkValues(outcomes: readonly Outcome<ThreadEvent>[]): void {
  for (const outcome of outcomes) {
    if (!outcome.ok) continue;
    const parsed: unknown = JSON.parse(outcome.text ?? "");
    assertEquals<unknown>(outcome.value, parsed);
    // Also the order of keys, and 0 or -0.
    assertEquals(JSON.stringify(outcome.value), JSON.stringify(parsed));
  }
}

function item(text: string, more = ""): string {
  return `{"type":"item.completed"${more},"item":{"id":"item_0","type":"agent_message","text":${text}}}`;
}

const HEAD = [
  '{"type":"thread.started","thread_id":"01a1f900-0000-7000-9000-000000000001"}',
  '{"type":"turn.started"}',
];

const VALUES = [
  "0",
  "-0",
  "7",
  "1.0",
  "1e400",
  "-1e-400",
  "9007199254740993",
  "true",
  "false",
  "null",
  "[]",
  "{}",
  "[null]",
  "[-0]",
  '["a",{"b":[{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}]}]',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1}}',
  '{"constructor":1,"10":2,"9":3,"":4}',
  '"\\u00e9\\n"',
  '"é日本😀"',
  '"\\ud83d\\ude00"',
  `"${"x".repeat(5000)}"`,
  `"${"x\\n".repeat(5000)}"`,
];

for (const value of VALUES) {
  Deno.test(`ValuePlan decodes ${value.slice(0, 30)} in an unknown field`, () => {
    const lines = [...HEAD];
    for (const other of ["1", '"a"', value, value, '"b"', value]) {
      lines.push(
        item('"a"', `,"extra":${other}`),
        `{"type":"error","message":"m","extra":${other}}`,
      );
    }
    assertEquals(decoded(lines).length, lines.length);
  });
}

Deno.test("ValuePlan decodes strings of any spelling like JSON.parse", () => {
  fc.assert(
    fc.property(fc.array(JSON_STRING, { minLength: 3 }), (texts) => {
      const lines = [...HEAD, ...texts.map((text) => item(text))];
      assertEquals(decoded(lines).every(({ ok }) => ok), true);
    }),
  );
});

Deno.test("ValuePlan decodes any values like JSON.parse", () => {
  fc.assert(
    fc.property(fc.array(JSON_TEXT, { minLength: 3 }), (texts) => {
      const lines = [...HEAD];
      for (const text of texts) {
        const value = text.replaceAll(/[\n\r]/g, " ");
        lines.push(item('"a"', `,"extra":${value}`), item('"b"'));
      }
      decoded(lines);
    }),
  );
});

/** Characters and escapes in JSON. */
const SPELLINGS = [
  "a",
  '\\"',
  "\\\\",
  "\\/",
  "\\b",
  "\\f",
  "\\n",
  "\\r",
  "\\t",
  "\\u0000",
  "\\u007F",
  "\\u0080",
  "\\u07ff",
  "\\u0800",
  "\\uFFFF",
  "\\ud800\\udc00",
  "\\uDBFF\\uDFFF",
  "é",
  "日",
  "😀",
] as const;

Deno.test("ValuePlan decodes every escape at every place of a block of 16 bytes", () => {
  const lines = [...HEAD];
  for (const spelling of SPELLINGS) {
    for (let before = 0; before < 18; before++) {
      const text = `${"x".repeat(before)}${spelling}`;
      lines.push(item(`"${text}"`), item(`"${text}${spelling}y"`));
    }
  }
  assertEquals(decoded(lines).every(({ ok }) => ok), true);
});

// Records up to 2 KiB are decoded as a whole, and escaped strings from 64 bytes on separately.
for (const [from, to] of [[1, 160], [1_640, 2_120]] as const) {
  for (const spelling of ["\\n", "\\u00e9", "\\ud83d\\ude00", "é\\n"]) {
    Deno.test(`ValuePlan decodes strings of ${from} to ${to} bytes with ${spelling}, beside long and short strings`, () => {
      const lines = [...HEAD];
      for (let length = from; length < to; length += 7) {
        const text = "x".repeat(length);
        const pad = "y".repeat(3_000);
        lines.push(
          item(`"${text}${spelling}"`),
          item(`"${spelling}${text}"`, `,"extra":"é${spelling}"`),
          item(`"a"`, `,"extra":"${text}${spelling}","more":"${spelling}"`),
          item(
            `"${spelling}"`,
            `,"extra":"${pad}","more":"${text}${spelling}"`,
          ),
          item('"b"', ',"extra":12,"more":"c"'),
        );
      }
      assertEquals(decoded(lines).every(({ ok }) => ok), true);
    });
  }
}

Deno.test("ValuePlan decodes a string that is short only without its escapes, and the strings after it", () => {
  const lines = [...HEAD];
  for (let count = 100; count < 240; count++) {
    const long = "\\u0041".repeat(count);
    lines.push(
      item(`"${long}"`, ',"extra":"\\n","more":"\\u00e9b"'),
      item('"a"', ',"extra":"b","more":"c\\n"'),
    );
  }
  assertEquals(decoded(lines).every(({ ok }) => ok), true);
});

Deno.test("ValuePlan decodes escaped strings of any size in a record, and the records after it", () => {
  const string = fc.tuple(
    fc.array(fc.constantFrom(...SPELLINGS), { maxLength: 12 }),
    fc.nat({ max: 900 }),
  ).map(([spellings, length]) =>
    `"${spellings.join("")}${"x".repeat(length)}${spellings.join("")}"`
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(string, string, string), { minLength: 4 }),
      (texts) => {
        const lines = [...HEAD];
        for (const [text, extra, more] of texts) {
          lines.push(
            item(text, `,"extra":${extra},"more":${more}`),
            item('"a"', ',"extra":"b","more":"c"'),
          );
        }
        assertEquals(decoded(lines).every(({ ok }) => ok), true);
      },
    ),
  );
});

Deno.test("ValuePlan decodes numbers of any length", () => {
  const lines = [...HEAD];
  const numbers = ["0", "-1", "-0", "0.5", "1e2", "12.50", "4294967295"];
  for (let digits = 1; digits < 24; digits++) {
    numbers.push("9".repeat(digits), `-${"1".repeat(digits)}`);
  }
  for (const number of numbers) {
    lines.push(item('"é"', `,"extra":${number},"more":"a"`));
  }
  assertEquals(decoded(lines).every(({ ok }) => ok), true);
});

for (const id of ['a"b', "a\\b", "a\\nb", "é", "x".repeat(600)]) {
  Deno.test(`ValuePlan fills in the thread ${JSON.stringify(id.slice(0, 9))} of lines that name none`, () => {
    const lines = ["a", "b", "c", "d"].map((text) => item(`"${text}"`));
    const ids = decoded(lines, id).map((outcome) =>
      outcome.ok && "thread_id" in outcome.value && outcome.value.thread_id
    );
    assertEquals(ids, [id, id, id, id]);
  });
}

Deno.test("ValuePlan fills in the ids of alternating threads", () => {
  const ids = ["T1", "T2", "T1", "T11", "T", "T2"];
  const lines = ids.flatMap((id) => [
    `{"type":"thread.started","thread_id":"${id}"}`,
    '{"type":"turn.started"}',
    item('"a"'),
    item('"b"'),
  ]);
  const threads = decoded(lines).flatMap((outcome) =>
    outcome.ok && outcome.value.type === "item.completed"
      ? [outcome.value.thread_id]
      : []
  );
  assertEquals(threads, ids.flatMap((id) => [id, id]));
});

Deno.test("ValuePlan decodes unknown fields of any names", () => {
  const lines = [...HEAD];
  for (let i = 0; i < 20; i++) {
    const text = JSON.stringify(`${"é".repeat(i % 3)}${i}\n`.repeat(i % 7));
    lines.push(item(text, `,"10":${i},"9":[${i}.5,"a b",null],"a\\"b":{}`));
  }
  assertEquals(decoded(lines).every(({ ok }) => ok), true);
});

Deno.test("ValuePlan decodes values where code generation is forbidden", () => {
  const { Function } = globalThis;
  // A page whose policy forbids code generation throws this error.
  globalThis.Function = class {
    constructor() {
      throw new EvalError("forbidden");
    }
  } as unknown as FunctionConstructor;
  try {
    const lines = [...HEAD];
    for (let i = 0; i < 9; i++) lines.push(item(`"${i}"`, `,"a":[${i}]`));
    assertEquals(decoded(lines).every(({ ok }) => ok), true);
  } finally {
    globalThis.Function = Function;
  }
});

Deno.test("ValuePlan decodes the members that ends of old calls copy from their starts", () => {
  const lines = [...HEAD];
  for (let i = 0; i < 90; i++) {
    const call = `"call_id":"c${i}"`;
    const argument = [`{"n":${i}}`, `"${i}"`, String(i), "{}", "null"][i % 5];
    const changes = `{"/a${i}":{"add":{"content":"\\u00e9 ${i}"}}}`;
    lines.push(
      `{"msg":{"type":"exec_command_begin",${call},"command":["echo","é ${i}"]}}`,
      `{"msg":{"type":"exec_command_output_delta",${call},"stream":"stdout","chunk":"w6kK"}}`,
      `{"msg":{"type":"exec_command_end",${call},"exit_code":${i % 3}}}`,
      `{"msg":{"type":"patch_apply_begin",${call},"changes":${changes}}}`,
      `{"msg":{"type":"patch_apply_end",${call},"success":true}}`,
      `{"msg":{"type":"mcp_tool_call_begin",${call},"invocation":{"server":"s","tool":"t","arguments":${argument}}}}`,
      `{"msg":{"type":"mcp_tool_call_end",${call},"result":{"Ok":{"isError":false}}}}`,
    );
  }
  const outcomes = decoded(lines);
  assertEquals(outcomes.every(({ ok }) => ok), true);
  const ends = outcomes.map((outcome) =>
    outcome.ok && outcome.value.type === "item.completed"
      ? JSON.stringify(outcome.value.content)
      : ""
  ).filter((content) => content !== "");
  assertEquals(ends.slice(-6), [
    '{"command":"echo \'é 88\'","exit_code":1}',
    '{"changes":[{"path":"/a88","kind":"add","content":"é 88"}]}',
    '{"server_name":"s","tool_name":"t","arguments":{},"result":{"isError":false}}',
    '{"command":"echo \'é 89\'","exit_code":2}',
    '{"changes":[{"path":"/a89","kind":"add","content":"é 89"}]}',
    '{"server_name":"s","tool_name":"t","result":{"isError":false}}',
  ]);
});

/** Decodes lines of a session file with both engines, and returns the numbers of failed lines. */
function failedLines(lines: readonly string[]): number[] {
  const [slow, fast] = (["js", "wasm"] as const).map((engine) => {
    const outcomes: Outcome<RolloutLine>[] = [];
    const decoder = new JsonlDecoder({ from: "rollout", engine });
    decoder.feed(ENCODER.encode(`${lines.join("\n")}\n`), (outcome) => {
      outcomes.push(outcome);
    });
    return outcomes;
  });
  assertEquals(fast, slow);
  return (fast ?? []).filter(({ ok }) => !ok).map(({ line }) => line);
}

function message(content: string): string {
  return `{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":${content}}}`;
}

/** A valid and an invalid line of one shape for the normalizer, and their difference. */
const INVALID: readonly (readonly [string, string, string])[] = [
  [
    "type of the payload",
    '{"timestamp":"t","type":"event_msg","payload":{"type":"dream","message":{}}}',
    '{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":{}}}',
  ],
  [
    "type of a part",
    message('[{"type":"dream","text":1}]'),
    message('[{"type":"input_text","text":1}]'),
  ],
  [
    "type of the second part",
    message('[{"type":"input_text","text":"a"},{"type":"dream","text":1}]'),
    message(
      '[{"type":"input_text","text":"a"},{"type":"input_text","text":1}]',
    ),
  ],
  [
    "kind of a field",
    message('[{"type":"input_text","text":"a"}]'),
    message('[{"type":"input_text","text":["a"]}]'),
  ],
  [
    "kind of an element of a long list",
    message(`[${'{"type":"input_text","text":"a"},'.repeat(150)}{"type":"x"}]`),
    message(`[${'{"type":"input_text","text":"a"},'.repeat(150)}"x"]`),
  ],
  [
    "kind of the type of the payload",
    '{"timestamp":"t","type":"event_msg","payload":{"type":"dream","type2":1}}',
    '{"timestamp":"t","type":"event_msg","payload":{"type":1,"type2":1}}',
  ],
];

for (const [difference, valid, invalid] of INVALID) {
  Deno.test(`ValuePlan does not accept lines that differ from a valid one in the ${difference}`, () => {
    const many = [valid, valid, valid, valid];
    assertEquals(
      failedLines([...many, invalid, ...many, invalid, invalid]),
      [5, 10, 11],
    );
    assertEquals(failedLines([invalid, invalid, valid, invalid]), [1, 2, 4]);
  });
}

Deno.test("ValuePlan makes a new value for each record", () => {
  const todos =
    '{"type":"item.updated","item":{"id":"i","type":"todo_list","items":[{"text":"a","completed":false}]}}';
  const values = decoded([...HEAD, todos, todos, todos, todos])
    .flatMap((outcome) => outcome.ok ? [outcome.value] : []).slice(-2);
  const [one, other] = values;
  assertEquals(one, other);
  assertEquals(one === other, false);
  const deltaOf = (event: typeof one): unknown =>
    event?.type === "item.delta" ? event.delta : undefined;
  assert(deltaOf(one) !== undefined);
  assertEquals(deltaOf(one) === deltaOf(other), false);
});

/**
 * ValuePlan: what it makes of a record is what `JSON.parse` makes of it.
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { JsonlDecoder, type Outcome, type ThreadEvent } from "../mod.ts";
import { JSON_STRING, JSON_TEXT } from "./generators.ts";

const ENCODER = new TextEncoder();

/** Decodes lines with the kernel; every value must be what its text says. */
function decoded(
  lines: readonly string[],
  initialThreadId?: string,
): Outcome<ThreadEvent>[] {
  const outcomes: Outcome<ThreadEvent>[] = [];
  const decoder = new JsonlDecoder({
    from: "exec",
    engine: "wasm",
    initialThreadId,
  });
  const emit = (outcome: Outcome<ThreadEvent>): void => {
    outcomes.push(outcome);
  };
  decoder.feed(ENCODER.encode(`${lines.join("\n")}\n`), emit);
  for (const outcome of outcomes) {
    if (!outcome.ok) continue;
    const parsed: unknown = JSON.parse(outcome.text ?? "");
    assertEquals<unknown>(outcome.value, parsed);
    // The order of keys, and the difference between 0 and -0, too.
    assertEquals(JSON.stringify(outcome.value), JSON.stringify(parsed));
  }
  return outcomes;
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
  Deno.test(`ValuePlan makes ${value.slice(0, 30)} of a field that nobody knows`, () => {
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

Deno.test("ValuePlan makes of texts what JSON.parse makes of them, in any spelling", () => {
  fc.assert(
    fc.property(fc.array(JSON_STRING, { minLength: 3 }), (texts) => {
      const lines = [...HEAD, ...texts.map((text) => item(text))];
      assertEquals(decoded(lines).every(({ ok }) => ok), true);
    }),
  );
});

Deno.test("ValuePlan makes of values what JSON.parse makes of them, wherever they stand", () => {
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

for (const id of ['a"b', "a\\b", "a\\nb", "é", "x".repeat(600)]) {
  Deno.test(`ValuePlan gives lines the thread ${JSON.stringify(id.slice(0, 9))} that none of them names`, () => {
    const lines = ["a", "b", "c", "d"].map((text) => item(`"${text}"`));
    const ids = decoded(lines, id).map((outcome) =>
      outcome.ok && "thread_id" in outcome.value && outcome.value.thread_id
    );
    assertEquals(ids, [id, id, id, id]);
  });
}

Deno.test("ValuePlan tells the ids of threads that follow one another apart", () => {
  const ids = ["T1", "T2", "T1", "T11", "T", "T2"];
  const lines = ids.flatMap((id) => [
    `{"type":"thread.started","thread_id":"${id}"}`,
    '{"type":"turn.started"}',
    item('"a"'),
    item('"b"'),
  ]);
  const seen = decoded(lines).flatMap((outcome) =>
    outcome.ok && outcome.value.type === "item.completed"
      ? [outcome.value.thread_id]
      : []
  );
  assertEquals(seen, ids.flatMap((id) => [id, id]));
});

Deno.test("ValuePlan makes a new value each time", () => {
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

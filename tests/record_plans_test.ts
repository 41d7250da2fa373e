/**
 * RecordPlans: a record that is rewritten by a plan is what the rules would have made of it.
 */

import { assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { ByteWriter } from "../lib/json/byte_writer.ts";
import { sliceOf, stringValue } from "../lib/json/literal.ts";
import { JsonReader } from "../lib/json/reader.ts";
import { writeKey, writeNode } from "../lib/json/object_writer.ts";
import { RecordPlans } from "../lib/json/record_plans.ts";
import { type RecordContext, RecordWatch } from "../lib/json/record_watch.ts";
import type { JsonSlice } from "../lib/json/value.ts";
import { JsonlNormalizer } from "../mod.ts";
import { encode } from "./running.ts";

const HEAD = [
  '{"type":"thread.started","thread_id":"T"}',
  '{"type":"turn.started","turn_id":"U"}',
];

/** Normalizes lines and gives the answer to the last one. */
function lastAnswer(lines: readonly string[]): string {
  let text = "";
  const normalizer = new JsonlNormalizer({ from: "exec", onError: "inline" });
  const decoder = new TextDecoder();
  const bytes = new TextEncoder().encode(`${lines.join("\n")}\n`);
  normalizer.feed(bytes, (answers) => text += decoder.decode(answers));
  const answers = text.trimEnd().split("\n");
  return (answers.at(-1) ?? "").replace(
    /^(\{"type":"line.failed").*"raw"/,
    "$1",
  );
}

/** Values that rules may look at, and others of the same kind. */
const VALUES = [
  '"agent_message"',
  '"command_execution"',
  '"reasoning"',
  '"\\u0061gent_message"',
  '"T"',
  '""',
  "0",
  "1.0",
  "1.5",
  "1e400",
  "null",
  "true",
  "{}",
  '{"path":1}',
  '["ls","-l"]',
  '[{"path":"a"}]',
  '[{"text":"a"}]',
] as const;

const TYPES = [
  "item.started",
  "item.updated",
  "item.delta",
  "item.completed",
  "item.failed",
] as const;

const NAMES = [
  "id",
  "item_id",
  "type",
  "item_type",
  "text",
  "command",
  "exit_code",
  "status",
  "content",
  "delta",
  "items",
  "changes",
  "thread_id",
  "turn_id",
  "message",
  "error",
  "other",
] as const;

/** An item line of given names; its values are drawn apart from them. */
const shapes = fc.record({
  type: fc.constantFrom(...TYPES),
  isNested: fc.boolean(),
  names: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 6 }),
});

function lineOf(
  { type, isNested, names }: {
    readonly type: string;
    readonly isNested: boolean;
    readonly names: readonly string[];
  },
  values: readonly string[],
): string {
  const members = names
    .filter((name) => isNested || name !== "type")
    .map((name, i) => `"${name}":${values[i % values.length]}`)
    .join(",");
  return isNested
    ? `{"type":"${type}","item":{${members}}}`
    : `{"type":"${type}"${members === "" ? "" : `,${members}`}}`;
}

Deno.test("RecordPlans repeat only what the rules would do, whatever the values", () => {
  const values = fc.array(fc.constantFrom(...VALUES), {
    minLength: 6,
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      shapes,
      fc.array(values, { minLength: 3, maxLength: 6 }),
      (shape, drawn) => {
        const lines = drawn.map((values) => lineOf(shape, values));
        const last = lines.at(-1) ?? "";
        assertEquals(
          lastAnswer([...HEAD, ...lines]),
          lastAnswer([...HEAD, last]),
        );
      },
    ),
    { numRuns: 2000 },
  );
});

const ITEM =
  '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"x"}}';

const CASES = [
  {
    name: "another thread",
    between: ['{"type":"thread.started","thread_id":"T2"}'],
  },
  { name: "another turn", between: ['{"type":"turn.started","turn_id":"U2"}'] },
  { name: "no turn", between: ['{"type":"turn.completed"}'] },
  {
    name: "a turn that is called like the thread",
    between: ['{"type":"turn.started","turn_id":"T"}', ITEM],
  },
  {
    name: "a thread after a turn that was called like it",
    between: [
      '{"type":"turn.started","turn_id":"T"}',
      ITEM,
      '{"type":"turn.started","thread_id":"T2","turn_id":"T"}',
    ],
  },
] as const;

for (const { name, between } of CASES) {
  Deno.test(`RecordPlans fill in the context of the line: ${name}`, () => {
    assertEquals(
      lastAnswer([...HEAD, ITEM, ITEM, ...between, ITEM]),
      lastAnswer([...HEAD, ...between.filter((line) => line !== ITEM), ITEM]),
    );
  });
}

/** What decides about records of one shape: another one of as many bytes is not the same. */
const DECISIVE = [
  {
    name: "the type of the line",
    lines: [ITEM, ITEM.replace("item.completed", "item.cancelled")],
  },
  {
    name: "the type of the item",
    lines: [
      ITEM.replace('"agent_message"', '"mcp_tool_call"'),
      ITEM.replace('"agent_message"', '"todo_list____"'),
    ],
  },
  {
    name: "whether a number is whole",
    lines: [
      '{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"c","exit_code":100}}',
      '{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"c","exit_code":1.5}}',
    ],
  },
] as const;

for (const { name, lines: [one, other] } of DECISIVE) {
  Deno.test(`RecordPlans go by ${name}`, () => {
    for (const [first, last] of [[one, other], [other, one]] as const) {
      assertEquals(last.length, first.length);
      const answer = lastAnswer([...HEAD, last]);
      assertNotEquals(answer, lastAnswer([...HEAD, first]));
      assertEquals(lastAnswer([...HEAD, first, first, first, last]), answer);
    }
  });
}

/** Reads records of shapes that never come again, until there is no use in watching them. */
function learnInVain(): { readonly plans: RecordPlans; readonly seen: number } {
  const reader = new JsonReader(2);
  const plans = new RecordPlans(reader);
  for (let seen = 0;; seen++) {
    const record = encode(`{${`"${"k".repeat(seen)}":1`}}`);
    reader.read(record, 0, record.length);
    if (!plans.isEager || seen === 10_000) return { plans, seen };
    plans.learn(undefined);
  }
}

Deno.test("RecordPlans stop to learn from records that never come again", () => {
  assertEquals(learnInVain().seen, 128);
});

Deno.test("RecordPlans learn again when there were many records", () => {
  const { plans } = learnInVain();
  const out = new ByteWriter();
  for (let i = 0; i < 256; i++) plans.repeat(encode("{}"), out, []);
  assertEquals(plans.isEager, true);
});

const NULL = sliceOf(encode("null"), "null");

/** Writes the `n` of a record and what is in the slot, by a plan if there is one; says whether. */
function rewritten(text: string, out: ByteWriter, known: Known): boolean {
  const { reader, plans, slots } = known;
  const bytes = encode(text);
  const root = reader.read(bytes, 0, bytes.length);
  if (root === undefined) throw new TypeError(`${text} is no JSON`);
  if (plans.repeat(bytes, out, slots)) return true;
  const context: RecordContext = {
    rules: rewritten,
    slots,
    counters: [],
    take(): void {},
    note(): void {},
    make: () => false,
  };
  const watch = new RecordWatch(reader, root, out, context);
  const value = reader.members(root).get("n");
  out.byte(0x7b);
  writeKey(out, "a");
  writeNode(out, value ?? NULL);
  writeKey(out, "b");
  writeNode(out, slots[0] ?? NULL);
  out.byte(0x7d);
  assertEquals(plans.learn(watch.end()), true);
  return false;
}

interface Known {
  readonly reader: JsonReader;
  readonly plans: RecordPlans;
  readonly slots: (JsonSlice | undefined)[];
}

Deno.test("RecordPlans do the work of the rules once those have been watched, and only for like records", () => {
  const reader = new JsonReader(2);
  const known: Known = {
    reader,
    plans: new RecordPlans(reader),
    slots: [stringValue("s")],
  };
  const answer = (
    text: string,
  ): readonly [text: string, isRepeated: boolean] => {
    const out = new ByteWriter();
    const isRepeated = rewritten(text, out, known);
    return [new TextDecoder().decode(out.view()), isRepeated];
  };
  assertEquals(answer('{"n":1,"m":[2]}'), ['{"a":1,"b":"s"}', false]);
  assertEquals(answer('{"n":23 , "m":[ 3]}'), ['{"a":23,"b":"s"}', true]);
  assertEquals(answer('{"m":[3],"n":4}'), ['{"a":4,"b":"s"}', false]);
  assertEquals(answer('{"n":"5","m":[3]}'), ['{"a":"5","b":"s"}', false]);
  known.slots[0] = stringValue("other");
  assertEquals(answer('{"n":6,"m":[7]}'), ['{"a":6,"b":"other"}', true]);
  known.slots[0] = undefined;
  assertEquals(answer('{"n":8,"m":[9]}'), ['{"a":8,"b":null}', false]);
  assertEquals(answer('{"n":10,"m":[9]}'), ['{"a":10,"b":null}', true]);
});

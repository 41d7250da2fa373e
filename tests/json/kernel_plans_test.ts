/**
 * KernelPlans: a plan rewrites a record exactly as the rules do.
 */

import { assertEquals, assertNotEquals } from "@std/assert";
import { JsonlNormalizer } from "../../mod.ts";
import fc from "../property_seed.ts";

const HEAD = [
  '{"type":"thread.started","thread_id":"T"}',
  '{"type":"turn.started","turn_id":"U"}',
];

/** Normalizes lines, with plans from the second line of a shape on; returns the last answer. */
function lastAnswer(lines: readonly string[]): string {
  let text = "";
  const normalizer = new JsonlNormalizer({
    from: "exec",
    onError: "inline",
    engine: "wasm",
  });
  const decoder = new TextDecoder();
  const bytes = new TextEncoder().encode(`${lines.join("\n")}\n`);
  normalizer.feed(bytes, (answers) => text += decoder.decode(answers));
  const answers = text.trimEnd().split("\n");
  return (answers.at(-1) ?? "").replace(
    /^(\{"type":"line.failed").*"raw"/,
    "$1",
  );
}

/** Values that rules compare, and others of the same kind. */
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

/** The shape of an item line: its type and names, without values. */
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

Deno.test("KernelPlans rewrite records of a shape like the rules, for any values", () => {
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
    name: "a turn with the id of the thread",
    between: ['{"type":"turn.started","turn_id":"T"}', ITEM],
  },
  {
    name: "another thread after a turn with the id of the thread",
    between: [
      '{"type":"turn.started","turn_id":"T"}',
      ITEM,
      '{"type":"turn.started","thread_id":"T2","turn_id":"T"}',
    ],
  },
] as const;

for (const { name, between } of CASES) {
  Deno.test(`KernelPlans fill in the current thread and turn: ${name}`, () => {
    assertEquals(
      lastAnswer([...HEAD, ITEM, ITEM, ...between, ITEM]),
      lastAnswer([...HEAD, ...between.filter((line) => line !== ITEM), ITEM]),
    );
  });
}

/** Pairs of lines with equal shape and length, whose answers differ because of one value. */
const DISTINCT = [
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

for (const { name, lines: [one, other] } of DISTINCT) {
  Deno.test(`KernelPlans distinguish ${name}`, () => {
    for (const [first, last] of [[one, other], [other, one]] as const) {
      assertEquals(last.length, first.length);
      const answer = lastAnswer([...HEAD, last]);
      assertNotEquals(answer, lastAnswer([...HEAD, first]));
      assertEquals(lastAnswer([...HEAD, first, first, first, last]), answer);
    }
  });
}

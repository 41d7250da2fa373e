/** Holds the schemas of rollout lines to captured lines, to the decoder and to the tables. */

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { toJsonSchema } from "@valibot/to-json-schema";
import fc from "fast-check";
import * as v from "valibot";
import { decodeRolloutLine } from "../../../lib/dialects/rollout/decoder.ts";
import {
  EVENT_MSG_TYPES,
  FORK_LINE_TYPES,
  RESPONSE_ITEM_TYPES,
  ROLLOUT_LINE_TYPES,
  TURN_ITEM_TYPES,
} from "../../../lib/dialects/rollout/kinds.ts";
import * as schemas from "../../../lib/dialects/rollout/schema.ts";
import { DAMAGED, isObject, LINES, normalizedFile, ROLLOUTS } from "./lines.ts";

const { RolloutLineSchema } = schemas;

function isSchema(
  value: unknown,
): value is v.GenericSchema<unknown, unknown> {
  return isObject(value) && value.kind === "schema";
}

/** Every schema that is exported, by name; those in maps by the path to them. */
const EXPORTED = Object.entries(schemas).flatMap(([name, value]) =>
  isSchema(value)
    ? [{ name, schema: value }]
    : Object.entries(value).map(([word, schema]) => ({
      name: `${name}.${word}`,
      schema,
    }))
);

Deno.test("every captured line satisfies the schema of its type, and comes out as it is", () => {
  for (const file of ROLLOUTS) {
    for (const outcome of normalizedFile(file)) {
      if (!outcome.ok) continue;
      const line: unknown = JSON.parse(outcome.value);
      const { success, output, issues } = v.safeParse(RolloutLineSchema, line);
      assert(success, `${file.path}:${outcome.line} ${issues?.[0]?.message}`);
      assertStrictEquals<unknown>(output, line);
    }
  }
});

Deno.test("the decoder says what the schema says", () => {
  let refused = 0;
  fc.assert(
    fc.property(fc.oneof(DAMAGED, fc.jsonValue()), (line) => {
      const decoded = decodeRolloutLine(
        typeof line === "string" ? JSON.stringify(line) : line,
      );
      const { success, issues = [] } = v.safeParse(RolloutLineSchema, line);
      assertEquals(decoded.ok, success);
      assertEquals(v.is(RolloutLineSchema, line), success);
      if (decoded.ok) return;
      refused += 1;
      assertEquals(
        decoded.error.issues?.map(({ path, message }) => ({ path, message })),
        issues.map(({ path = [], message }) => ({
          path: path.map(({ key }) =>
            typeof key === "number" ? `[${key}]` : `.${key}`
          ).join("").replace(/^\./, ""),
          message,
        })),
      );
      for (const { path = [], input } of issues) {
        let at: unknown = line;
        for (const item of path) {
          if (isObject(at) || Array.isArray(at)) {
            at = Reflect.get(at, String(item.key));
          }
          assertEquals(item.value, at);
        }
        assertEquals(input, at);
      }
    }),
    { numRuns: 2_000 },
  );
  assert(refused > 300, `only ${refused} refused`);
});

Deno.test("a schema ends at the first issue if it is told to", () => {
  const { issues } = v.safeParse(
    RolloutLineSchema,
    { type: "turn_context", payload: {} },
    { abortEarly: true },
  );
  assertEquals(issues?.map(({ message }) => message), [
    "absent, expected a string",
  ]);
});

Deno.test("a schema keeps members whose names other objects have from birth", () => {
  const line: unknown = JSON.parse(
    '{"type":"dream","payload":{"__proto__":{"a":1},"constructor":2}}',
  );
  assertEquals(
    JSON.stringify(v.parse(RolloutLineSchema, line)),
    JSON.stringify(line),
  );
});

Deno.test("schemas may be parts of other schemas", () => {
  const schema = v.object({ lines: v.array(RolloutLineSchema) });
  const good: unknown = JSON.parse(LINES[0] ?? "");
  const bad = { type: "compacted", payload: {} };
  const { issues } = v.safeParse(schema, { lines: [good, bad] });
  assertEquals(issues?.map((issue) => v.getDotPath(issue)), [
    "lines.1.payload.message",
  ]);
});

Deno.test("there is a schema for each type in the tables", () => {
  const sorted = (words: Iterable<string>): string[] => [...words].sort();
  const { EventMsgSchemas, ResponseItemSchemas, RolloutLineSchemas } = schemas;
  assertEquals(
    sorted(Object.keys(RolloutLineSchemas)),
    sorted([...ROLLOUT_LINE_TYPES, ...FORK_LINE_TYPES]),
  );
  assertEquals(
    sorted(Object.keys(ResponseItemSchemas)),
    sorted(RESPONSE_ITEM_TYPES),
  );
  assertEquals(sorted(Object.keys(EventMsgSchemas)), sorted(EVENT_MSG_TYPES));
  assertEquals(
    sorted(Object.keys(schemas.TurnItemSchemas)),
    sorted(TURN_ITEM_TYPES),
  );
});

Deno.test("the schema of one type refuses another", () => {
  const { task_started } = schemas.EventMsgSchemas;
  assertEquals(v.is(task_started, { type: "task_started" }), true);
  const { issues } = v.safeParse(task_started, { type: "turn_started" });
  assertEquals(issues?.map(({ message }) => message), [
    '"turn_started", expected "task_started"',
  ]);
});

for (const { name, schema } of EXPORTED) {
  Deno.test(`${name} becomes JSON Schema`, () => {
    const { $schema: _, ...rest } = toJsonSchema(schema);
    assert(Object.keys(rest).length > 0);
  });
}

Deno.test("JSON Schema tells types that are not known by a pattern", () => {
  const { $defs } = toJsonSchema(schemas.ContentPartSchema);
  assertEquals(
    JSON.stringify($defs).match(/"pattern":"[^"]*"/g),
    [
      '"pattern":"^(?!(?:input_text|output_text|reasoning_text|summary_text|text|' +
      'input_image|encrypted_content)$)"',
    ],
  );
});

/** Holds the schemas of rollout lines to captured lines, to the decoder and to the tables. */

import { assert, assertEquals } from "@std/assert";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import {
  RESPONSE_ITEM_TYPES,
  ROLLOUT_LINE_TYPES,
} from "../../../lib/dialects/rollout/kinds.ts";
import * as schemas from "../../../lib/dialects/rollout/schema.ts";
import { isObject, normalizedFile, ROLLOUTS } from "./lines.ts";

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

Deno.test("every captured line satisfies the schema of its type", () => {
  for (const file of ROLLOUTS) {
    for (const outcome of normalizedFile(file)) {
      if (!outcome.ok) continue;
      const line: unknown = JSON.parse(outcome.value);
      const { issues } = v.safeParse(RolloutLineSchema, line);
      assertEquals(issues, undefined, `${file.path}:${outcome.line}`);
    }
  }
});

Deno.test("the words that files are told apart by are those of the shapes", () => {
  const { ResponseItemSchemas, RolloutLineSchemas } = schemas;
  assertEquals(
    Object.keys(RolloutLineSchemas).toSorted(),
    [...ROLLOUT_LINE_TYPES, "event"].toSorted(),
  );
  assertEquals(
    Object.keys(ResponseItemSchemas).toSorted(),
    [...RESPONSE_ITEM_TYPES].toSorted(),
  );
});

Deno.test("the schema of one type refuses another", () => {
  const { task_started } = schemas.EventMsgSchemas;
  assert(v.is(task_started, { type: "task_started" }));
  assert(!v.is(task_started, { type: "turn_started" }));
});

Deno.test("every schema becomes JSON Schema", () => {
  for (const { name, schema } of EXPORTED) {
    const { $schema: _, ...rest } = toJsonSchema(schema);
    assert(Object.keys(rest).length > 0, name);
  }
});

Deno.test("JSON Schema tells types that are not known by not being of those that are", () => {
  const { oneOf = [] } = toJsonSchema(schemas.ContentPartSchema);
  assertEquals(JSON.stringify(oneOf.at(-1)).match(/"enum":\[[^\]]*\]/g), [
    '"enum":["input_text","output_text","reasoning_text","summary_text","text",' +
    '"input_image","encrypted_content"]',
  ]);
});

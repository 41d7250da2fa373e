/** The schemas of rollout lines, with captured lines and as JSON Schema. */

import { assert, assertEquals } from "@std/assert";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import {
  RESPONSE_ITEM_TYPES,
  ROLLOUT_LINE_TYPES,
} from "../../../lib/dialects/rollout/kinds.ts";
import {
  ROLLOUT_SCHEMA_MAPS,
  ROLLOUT_SCHEMAS,
} from "../../../lib/dialects/rollout/schema.ts";
import { normalizedFile, ROLLOUTS } from "./lines.ts";

const { RolloutLine, ContentPart } = ROLLOUT_SCHEMAS;
const { EventMsgs, ResponseItems, RolloutLines } = ROLLOUT_SCHEMA_MAPS;

Deno.test("the schema of RolloutLine accepts every captured line", () => {
  for (const file of ROLLOUTS) {
    for (const outcome of normalizedFile(file)) {
      if (!outcome.ok) continue;
      const line: unknown = JSON.parse(outcome.value);
      const { issues } = v.safeParse(RolloutLine, line);
      assertEquals(issues, undefined, `${file.path}:${outcome.line}`);
    }
  }
});

Deno.test("the types by which session files are detected are the types of the schemas", () => {
  assertEquals(
    Object.keys(RolloutLines).toSorted(),
    [...ROLLOUT_LINE_TYPES, "event"].toSorted(),
  );
  assertEquals(
    Object.keys(ResponseItems).toSorted(),
    [...RESPONSE_ITEM_TYPES].toSorted(),
  );
});

Deno.test("the schema of one type refuses another", () => {
  const { task_started } = EventMsgs;
  assert(v.is(task_started, { type: "task_started" }));
  assert(!v.is(task_started, { type: "turn_started" }));
});

Deno.test("every schema can be converted to JSON Schema", () => {
  const maps = Object.entries(ROLLOUT_SCHEMA_MAPS).map(([, map]) => map);
  for (const map of [ROLLOUT_SCHEMAS, ...maps]) {
    for (const [name, schema] of Object.entries(map)) {
      const { $schema: _, ...rest } = toJsonSchema(schema);
      assert(Object.keys(rest).length > 0, name);
    }
  }
});

Deno.test("JSON Schema excludes known types from the schema of unknown types", () => {
  const { oneOf = [] } = toJsonSchema(ContentPart);
  assertEquals(JSON.stringify(oneOf.at(-1)).match(/"enum":\[[^\]]*\]/g), [
    '"enum":["input_text","output_text","reasoning_text","summary_text","text",' +
    '"input_image","encrypted_content"]',
  ]);
});

/** Compares the schemas of events with normalized records, and decodeEvent() with the schemas. */

import { assert, assertEquals } from "@std/assert";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import {
  decodeEvent,
  isThreadEvent,
} from "../../../lib/dialects/exec/decoder.ts";
import { EXEC_SCHEMAS } from "../../../lib/dialects/exec/schema.ts";
import type { Issue } from "../../../lib/errors.ts";
import fc from "../../property_seed.ts";
import { DAMAGED, NORMALIZED, RECORD } from "./records.ts";

/** The issues that {@linkcode decodeEvent} reports. */
function issuesOf(record: unknown): readonly Issue[] {
  const decoded = decodeEvent(record);
  return decoded.ok ? [] : decoded.error.issues ?? [];
}

Deno.test("the schemas accept every normalized record", () => {
  assert(NORMALIZED.length > 2_500, `only ${NORMALIZED.length} records`);
  for (const text of NORMALIZED) {
    const { issues } = v.safeParse(EXEC_SCHEMAS.ThreadEvent, JSON.parse(text));
    assertEquals(issues, undefined, text.slice(0, 500));
  }
});

/** Whether a value has no infinite number, which valibot does not accept as an integer. */
function isFinite(value: unknown): boolean {
  const text = JSON.stringify(
    [value],
    (_, one) => one === Infinity || one === -Infinity ? "beyond" : one,
  );
  return !text.includes('"beyond"');
}

for (
  const [name, records] of [
    ["records by the shapes", RECORD],
    ["damaged captured records", DAMAGED],
    // decodeEvent() parses a string as the text of a record.
    [
      "any value",
      fc.anything({ withNullPrototype: true }).filter((value) =>
        typeof value !== "string"
      ),
    ],
  ] satisfies [string, fc.Arbitrary<unknown>][]
) {
  Deno.test(`decodeEvent() accepts no record that the schema refuses: ${name}`, () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(records, (record) => {
        const issues = issuesOf(record);
        assertEquals(isThreadEvent(record), issues.length === 0);
        if (issues.length > 0) refused += 1;
        else if (isFinite(record)) {
          accepted += 1;
          assert(v.is(EXEC_SCHEMAS.ThreadEvent, record));
        }
      }),
      { numRuns: 3_000 },
    );
    if (records === RECORD) assert(accepted > 500 && refused > 400);
  });
}

const TURN = { type: "turn.failed", thread_id: "t", turn_id: "1" };
const ITEM = {
  type: "item.completed",
  thread_id: "t",
  item_id: "i",
  status: "completed",
};

const CASES = [
  { name: "an error", value: { type: "error", message: "" }, expected: [] },
  {
    name: "a code that is any number",
    value: { type: "error", message: "", code: -0.5 },
    expected: [],
  },
  {
    name: "a required field that is absent",
    value: { type: "error" },
    expected: [["message", "absent, expected a string"]],
  },
  {
    name: "a required field that is null",
    value: { type: "error", message: null },
    expected: [["message", "null, expected a string"]],
  },
  {
    name: "an optional field that is null",
    value: {
      type: "turn.started",
      thread_id: "t",
      turn_id: "1",
      input_text: null,
    },
    expected: [["input_text", "null, expected a string"]],
  },
  {
    name: "an optional field that is undefined",
    value: {
      type: "turn.started",
      thread_id: "t",
      turn_id: "1",
      input_text: undefined,
    },
    expected: [["input_text", "no JSON value, expected a string"]],
  },
  {
    name: "all faults, in the order of the table",
    value: {
      type: "turn.failed",
      turn_id: 1,
      usage: null,
      error: { code: [] },
    },
    expected: [
      ["thread_id", "absent, expected a string"],
      ["turn_id", "a number, expected a string"],
      ["usage", "null, expected a value"],
      ["error.message", "absent, expected a string"],
      ["error.code", "a list, expected a string or a number"],
    ],
  },
  {
    name: "usage of any kind",
    value: { ...TURN, usage: false, error: { message: "m" } },
    expected: [],
  },
  {
    name: "an error that is not an object",
    value: { ...TURN, error: "m" },
    expected: [["error", "a string, expected an object"]],
  },
  {
    name: "a list in place of an object",
    value: { ...TURN, error: [] },
    expected: [["error", "a list, expected an object"]],
  },
  {
    name: "a status that is undefined",
    value: { ...ITEM, status: undefined, item_type: "x" },
    expected: [["status", "no JSON value, expected a string"]],
  },
  {
    name: "a known item type without content",
    value: { ...ITEM, item_type: "reasoning" },
    expected: [["content", "absent, expected an object"]],
  },
  {
    name: "an unknown item type without content",
    value: { ...ITEM, item_type: "collab_tool_call", tool: "wait" },
    expected: [],
  },
  {
    name: "an unknown item type with a number for its content",
    value: { ...ITEM, item_type: "collab_tool_call", content: 7 },
    expected: [],
  },
  {
    name: "an unknown item type with null for its content",
    value: { ...ITEM, item_type: "collab_tool_call", content: null },
    expected: [["content", "null, expected a value"]],
  },
  {
    name: "whole numbers beyond a double",
    value: {
      ...ITEM,
      index: Infinity,
      item_type: "command_execution",
      content: { command: "", exit_code: -Infinity },
    },
    expected: [],
  },
  {
    name: "fractions and other values in place of whole numbers and strings",
    value: {
      ...ITEM,
      index: 0.5,
      item_type: "command_execution",
      content: { command: [], exit_code: "0", stderr: {} },
    },
    expected: [
      ["index", "a number, expected a whole number"],
      ["content.command", "a list, expected a string"],
      ["content.exit_code", "a string, expected a whole number"],
      ["content.stderr", "an object, expected a string"],
    ],
  },
  {
    name: "a file change without path and changes",
    value: { ...ITEM, item_type: "file_change", content: { diff: 5 } },
    expected: [
      ["content.path", "absent, and so is changes, expected a string"],
      ["content.diff", "a number, expected a string"],
    ],
  },
  {
    name: "the delta of a file change without path and changes",
    value: { ...ITEM, type: "item.delta", item_type: "file_change", delta: {} },
    expected: [],
  },
  {
    name: "a list as the delta of a file change",
    value: { ...ITEM, type: "item.delta", item_type: "file_change", delta: [] },
    expected: [["delta", "a list, expected an object"]],
  },
  {
    name: "changes without a path, and a number in place of a change",
    value: {
      ...ITEM,
      item_type: "file_change",
      content: { changes: [{ path: "a", kind: null }, {}, 1] },
    },
    expected: [
      ["content.changes[1].path", "absent, expected a string"],
      ["content.changes[2]", "a number, expected an object"],
    ],
  },
  {
    name: "changes that are not a list",
    value: { ...ITEM, item_type: "file_change", content: { changes: {} } },
    expected: [[
      "content.changes",
      "an object, expected a list of objects",
    ]],
  },
  {
    name: "a step without completed",
    value: {
      ...ITEM,
      item_type: "todo_list",
      content: { items: [{ title: "a", completed: true }, { title: "b" }] },
    },
    expected: [[
      "content.items[1].completed",
      "absent, expected true or false",
    ]],
  },
  {
    name: "aliases of fields",
    value: {
      ...ITEM,
      item_type: "mcp_tool_call",
      content: { server: "s", tool: "t" },
    },
    expected: [
      ["content.server_name", "absent, expected a string"],
      ["content.tool_name", "absent, expected a string"],
    ],
  },
  {
    name: "an alias of an item type",
    value: { ...ITEM, item_type: "assistant_message", content: { text: "" } },
    expected: [[
      "item_type",
      '"assistant_message", expected "agent_message"',
    ]],
  },
  {
    name: "an alias of an event",
    value: { ...ITEM, type: "item.created", item_type: "x" },
    expected: [["type", '"item.created", expected the type of an event']],
  },
  {
    name: "a failure in band",
    value: { type: "line.failed", line: 1, offset: 0 },
    expected: [["type", '"line.failed", expected the type of an event']],
  },
  {
    name: "a type that is not a string",
    value: { type: 1 },
    expected: [["type", "a number, expected a string"]],
  },
  { name: "null", value: null, expected: [["", "null, expected an object"]] },
  {
    name: "an object without a prototype",
    value: Object.assign(Object.create(null), { type: "error", message: "m" }),
    expected: [],
  },
  {
    name: "the names of inherited members as item types",
    value: { ...ITEM, item_type: "constructor" },
    expected: [],
  },
] satisfies {
  name: string;
  value: unknown;
  expected: [path: string, message: string][];
}[];

for (const { name, value, expected } of CASES) {
  Deno.test(`decodeEvent() reports the issues of ${name}`, () => {
    const issues = issuesOf(value);
    assertEquals(
      issues,
      expected.map(([path, message]) => ({ path, message })),
    );
  });
}

Deno.test("every schema can be converted to JSON Schema", () => {
  for (const [name, schema] of Object.entries(EXEC_SCHEMAS)) {
    for (const target of ["draft-07", "draft-2020-12"] as const) {
      const { $schema, ...rest } = toJsonSchema(schema, { target });
      assert($schema !== undefined);
      assert("type" in rest || "oneOf" in rest || "anyOf" in rest, name);
    }
  }
});

Deno.test("JSON Schema has the constraints of the schemas", () => {
  const whole = { type: "integer" };
  const text = { type: "string" };
  const some = {
    anyOf: [
      text,
      { type: "number" },
      { type: "boolean" },
      { type: "object", properties: {}, required: [] },
      { type: "array", items: {} },
    ],
  };
  const head = { $schema: "http://json-schema.org/draft-07/schema#" };
  const path = {
    type: "object",
    properties: { path: text, kind: {} },
    required: ["path"],
  };
  const fileChange = {
    type: "object",
    properties: {
      path: text,
      change: text,
      diff: text,
      changes: { type: "array", items: path },
      exit_code: whole,
      stdout: text,
      stderr: text,
    },
  };
  assertEquals<unknown>(toJsonSchema(EXEC_SCHEMAS.FileChangeContent), {
    ...head,
    anyOf: [
      { ...fileChange, required: ["path"] },
      { ...fileChange, required: ["changes"] },
    ],
  });
  const { oneOf = [] } = toJsonSchema(EXEC_SCHEMAS.ItemStartedEvent);
  assertEquals(oneOf.length, 9);
  assertEquals<unknown>(oneOf.at(-1), {
    type: "object",
    properties: {
      type: { const: "item.started" },
      thread_id: text,
      turn_id: text,
      item_id: text,
      index: whole,
      status: text,
      item_type: {
        type: "string",
        not: {
          enum: [
            "agent_message",
            "reasoning",
            "command_execution",
            "file_change",
            "mcp_tool_call",
            "web_search",
            "todo_list",
            "error",
            "assistant_message",
          ],
        },
      },
      content: some,
    },
    required: ["type", "thread_id", "item_id", "status", "item_type"],
  });
});

Deno.test("JSON Schema refers to a named schema", () => {
  const { $defs, oneOf } = toJsonSchema(EXEC_SCHEMAS.ThreadEvent, {
    definitions: { TurnFailed: EXEC_SCHEMAS.TurnFailedEvent },
  });
  assertEquals(Object.keys($defs ?? {}), ["TurnFailed"]);
  assertEquals(oneOf?.[3], { $ref: "#/$defs/TurnFailed" });
});

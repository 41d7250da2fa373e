import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import {
  decodeEvent,
  isThreadEvent,
} from "../../../lib/dialects/exec/decoder.ts";
import { isObject } from "../../../lib/json/fields.ts";
import fc from "../../property_seed.ts";
import { normalizeLines } from "../../running.ts";
import { DAMAGED, NORMALIZED, RECORD } from "./records.ts";

Deno.test("decodeEvent() accepts every normalized record", () => {
  for (const text of NORMALIZED) {
    const fromText = decodeEvent(text);
    assert(fromText.ok, `${text.slice(0, 500)}: ${JSON.stringify(fromText)}`);
    const record: unknown = JSON.parse(text);
    assertEquals(fromText.value, record);
    const fromRecord = decodeEvent(record);
    assertStrictEquals(fromRecord.ok && fromRecord.value, record);
    assert(isThreadEvent(record));
  }
});

const TURN = '"thread_id":"t","turn_id":"1"';
const ITEM = '"thread_id":"t","item_id":"i","status":"x"';

/** Flat, complete records with a fault, which Normalizer refuses for the same fault. */
const FAULTY = [
  '{"type":"error"}',
  '{"type":"error","message":7}',
  '{"type":"error","message":"m","code":{}}',
  `{"type":"turn.started",${TURN},"input_text":[]}`,
  `{"type":"turn.completed",${TURN},"last_item_id":1}`,
  `{"type":"turn.failed",${TURN}}`,
  `{"type":"turn.failed",${TURN},"error":7}`,
  `{"type":"turn.failed",${TURN},"error":{}}`,
  `{"type":"item.failed",${ITEM},"error":{"message":"m","code":[]}}`,
  `{"type":"item.started",${ITEM}}`,
  `{"type":"item.started",${ITEM},"item_type":true}`,
  `{"type":"item.started",${ITEM},"index":1.5,"item_type":"x"}`,
  `{"type":"item.started",${ITEM},"item_type":"agent_message"}`,
  `{"type":"item.started",${ITEM},"item_type":"error","content":[]}`,
  `{"type":"item.started",${ITEM},"item_type":"error","content":"m"}`,
  `{"type":"item.completed",${ITEM},"item_type":"reasoning","content":{"text":0}}`,
  `{"type":"item.completed",${ITEM},"item_type":"command_execution","content":{"command":true}}`,
  `{"type":"item.started",${ITEM},"item_type":"command_execution","content":{"command":"ls","exit_code":"0"}}`,
  `{"type":"item.completed",${ITEM},"item_type":"file_change","content":{}}`,
  `{"type":"item.completed",${ITEM},"item_type":"file_change","content":{"changes":{}}}`,
  `{"type":"item.completed",${ITEM},"item_type":"todo_list","content":{"items":{}}}`,
  `{"type":"item.completed",${ITEM},"item_type":"todo_list","content":{"items":[1]}}`,
  `{"type":"item.completed",${ITEM},"item_type":"todo_list","content":{"items":[{"title":"","completed":"no"}]}}`,
  `{"type":"item.delta",${ITEM},"item_type":"agent_message","delta":{}}`,
  `{"type":"item.delta",${ITEM},"item_type":"web_search","snapshot":1,"delta":{}}`,
  `{"type":"item.delta",${ITEM},"item_type":"web_search","delta":{"query":[]}}`,
  '{"type":"item.paused"}',
  '{"type":"no\\nevent, and far longer than what a message quotes"}',
];

for (const text of FAULTY) {
  Deno.test(`decodeEvent() fails like Normalizer for ${text}`, () => {
    const [outcome] = normalizeLines([text]);
    assert(outcome !== undefined && !outcome.ok);
    const decoded = decodeEvent(text);
    assert(!decoded.ok);
    // Normalizer also accepts a list of words.
    const expected = outcome.error.message.replace(
      "a string or a list of strings",
      "a string",
    );
    assertEquals(decoded.error.message, expected);
    assertEquals(decoded.error.kind, outcome.error.kind);
    assertEquals(decoded.error.field, outcome.error.field);
  });
}

const CASES = [
  {
    name: "a list",
    record: [1],
    message: "Cannot decode the record: it is a list, expected an object",
    paths: [""],
  },
  {
    name: "a record without a type",
    record: {},
    message: "Cannot decode the record: type is absent, expected a string",
    paths: ["type"],
  },
  {
    name: "a type that is not a string",
    record: { type: null },
    message: "Cannot decode the record: type is null, expected a string",
    paths: ["type"],
  },
  {
    name: "a type with the name of an inherited member",
    record: { type: "constructor" },
    message:
      'Cannot decode a record of type "constructor": this type is not known',
    paths: ["type"],
  },
  {
    name: "a record that has not been normalized",
    record: {
      type: "item.started",
      item: { id: "item_0", type: "agent_message" },
    },
    message:
      "Cannot decode item.started: thread_id is absent, expected a string",
    paths: ["thread_id", "item_id", "status", "item_type"],
  },
  {
    name: "all faults of a record, at every depth",
    record: {
      type: "item.completed",
      thread_id: "t",
      item_id: 0,
      status: "completed",
      item_type: "todo_list",
      content: { items: [{ title: "a" }, { completed: true }] },
    },
    message:
      "Cannot decode item.completed: item_id is a number, expected a string",
    paths: ["item_id", "content.items[0].completed", "content.items[1].title"],
  },
] satisfies {
  name: string;
  record: unknown;
  message: string;
  paths: string[];
}[];

for (const { name, record, message, paths } of CASES) {
  Deno.test(`decodeEvent() explains ${name}`, () => {
    const decoded = decodeEvent(record);
    assert(!decoded.ok);
    assertEquals(decoded.error.message, message);
    assertEquals(decoded.error.issues?.map(({ path }) => path), paths);
  });
}

for (const text of ["", "{", "nul", '{"type":"error","message":"m"} x']) {
  Deno.test(`decodeEvent() fails with kind json for the text ${JSON.stringify(text)}`, () => {
    const decoded = decodeEvent(text);
    assert(!decoded.ok);
    assertEquals(decoded.error.kind, "json");
    assert(
      decoded.error.message.startsWith("Cannot parse the record as JSON: "),
    );
  });
}

Deno.test("decodeEvent() changes neither the record nor Object.prototype", () => {
  fc.assert(fc.property(fc.oneof(RECORD, DAMAGED), (record) => {
    const before = JSON.stringify(record);
    freeze(record);
    decodeEvent(record);
    assertEquals(JSON.stringify(record), before);
    assertEquals(Object.keys(Object.prototype), []);
  }));
});

Deno.test("decodeEvent() keeps members named __proto__ and constructor", () => {
  const text =
    '{"type":"error","message":"m","__proto__":{"code":[]},"constructor":{"x":1}}';
  const decoded = decodeEvent(text);
  assert(decoded.ok && isObject(decoded.value));
  assertEquals(JSON.stringify(decoded.value), text);
  assertEquals(Object.getPrototypeOf(decoded.value), Object.prototype);
});

Deno.test("decodeEvent() ignores inherited fields", () => {
  const record: unknown = JSON.parse(
    '{"type":"error","__proto__":{"message":"m"}}',
  );
  const decoded = decodeEvent(record);
  assertEquals(decoded.ok, false);
});

Deno.test("decodeEvent() decodes a value that nests 100,000 deep", () => {
  const depth = 100_000;
  const usage = "[".repeat(depth) + "]".repeat(depth);
  assert(decodeEvent(`{"type":"turn.completed",${TURN},"usage":${usage}}`).ok);
});

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.values(value).forEach(freeze);
  Object.freeze(value);
}

import { assertEquals } from "@std/assert";
import {
  FALSE_VALUE,
  lasting,
  stringValue,
  TRUE_VALUE,
  valueOfText,
} from "../../lib/json/literal.ts";
import { JsonReader } from "../../lib/json/reader.ts";
import { JsonSlice } from "../../lib/json/value.ts";
import { encode } from "../running.ts";

function sourceOf(value: JsonSlice): string {
  return new JsonReader(2).source(value);
}

Deno.test("stringValue() makes values that later values do not overwrite", () => {
  const values = ["", "plain", 'a"\\\né😀', "x".repeat(500)];
  const made = values.map(stringValue);
  assertEquals(made.map(sourceOf), values.map((text) => JSON.stringify(text)));
  assertEquals(
    made.map((value) => new JsonReader(2).textOf(value)),
    values,
  );
  assertEquals(made.map(({ kind }) => kind), made.map(() => "string"));
});

Deno.test("lasting() copies a value, so that its bytes may be overwritten", () => {
  const reader = new JsonReader(2);
  const bytes = encode('{"a":{"b":[1, 2]}}\n');
  const root = reader.read(bytes, 0, bytes.length - 1);
  const value = reader.member(root, "a");
  const copy = value instanceof JsonSlice ? lasting(value) : TRUE_VALUE;
  bytes.fill(0);
  assertEquals(sourceOf(copy), '{"b":[1, 2]}');
  assertEquals(copy.kind, "object");
  const inner = reader.members(copy).get("b");
  assertEquals(inner?.kind, "array");
});

Deno.test("valueOfText() makes a value of its JSON text", () => {
  const value = valueOfText("[1]");
  assertEquals([sourceOf(value), value.kind], ["[1]", "array"]);
  assertEquals(sourceOf(TRUE_VALUE), "true");
  assertEquals(sourceOf(FALSE_VALUE), "false");
});

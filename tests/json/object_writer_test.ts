import { assertEquals } from "@std/assert";
import { ByteWriter } from "../../lib/json/byte_writer.ts";
import { stringValue } from "../../lib/json/literal.ts";
import {
  writeKey,
  writeMembers,
  writeNode,
} from "../../lib/json/object_writer.ts";
import { JsonReader } from "../../lib/json/reader.ts";
import { type JsonNode, JsonObject } from "../../lib/json/value.ts";
import { decode, encode } from "../running.ts";

function written(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter(1);
  write(out);
  return decode(out.view());
}

function read(text: string): { reader: JsonReader; root: JsonNode } {
  const reader = new JsonReader(2);
  const bytes = encode(`${text}\n`);
  const root = reader.read(bytes, 0, bytes.length - 1);
  return { reader, root: root ?? stringValue(reader.tape.problem) };
}

Deno.test("writeNode() writes the source text of a value", () => {
  const text = '{ "a" : 1.0 , "a":2,"b":[ -0,1e+21 ] , "c":"\\u00e9\\/" }';
  assertEquals(written((out) => writeNode(out, read(text).root)), text);
});

Deno.test("writeNode() encodes a string without a source", () => {
  const text = 'a"\\\n\u0000é😀';
  assertEquals(
    written((out) => writeNode(out, stringValue(text))),
    JSON.stringify(text),
  );
});

Deno.test("writeNode() writes the members of an opened object in their order", () => {
  const { reader, root } = read('{ "b" : 1.0, "a" : [ 1 ], "b" : 2.50 }');
  const object = reader.members(root);
  object.set("c", stringValue("new"));
  const inner = new JsonObject();
  inner.set("x", stringValue("y"));
  object.set("d", inner);
  assertEquals(
    written((out) => writeNode(out, object)),
    '{"b":2.50,"a":[ 1 ],"c":"new","d":{"x":"y"}}',
  );
});

Deno.test("writeNode() writes an object without members", () => {
  const object = new JsonObject();
  assertEquals(written((out) => writeNode(out, object)), "{}");
  object.set("a", stringValue("b"));
  object.take("a");
  assertEquals(written((out) => writeNode(out, object)), "{}");
});

Deno.test("writeMembers() skips removed members and their commas", () => {
  const { reader, root } = read('{"a":1,"b":2,"c":3,"d":4}');
  const object = reader.members(root);
  for (const name of ["a", "c", "d"]) object.take(name);
  assertEquals(
    written((out) => {
      out.text("{");
      writeMembers(out, object);
    }),
    '{"b":2',
  );
});

Deno.test("writeKey() writes a comma before every key except the first of its object", () => {
  const text = written((out) => {
    out.text("{");
    writeKey(out, "a");
    out.text("{");
    writeKey(out, "b");
    out.text('"{"}');
    writeKey(out, "c");
    out.text("1}");
  });
  assertEquals(text, '{"a":{"b":"{"},"c":1}');
});

for (
  const { name, key } of [
    { name: "an empty key", key: "" },
    { name: "__proto__", key: "__proto__" },
    { name: "a key of digits", key: "10" },
    { name: "quotes and backslashes", key: '"\\' },
    { name: "control characters", key: "\u0000\n\u001f" },
    { name: "characters without an escape", key: "é/\u007f\u2028😀" },
    { name: "a long key", key: `${"k".repeat(300)}"\n` },
  ] satisfies { name: string; key: string }[]
) {
  Deno.test(`writeKey() escapes only the required characters: ${name}`, () => {
    // Twice, because the second key may be cached.
    for (let i = 0; i < 2; i++) {
      assertEquals(
        written((out) => {
          out.text("{");
          writeKey(out, key);
        }),
        `{${JSON.stringify(key)}:`,
      );
    }
  });
}

Deno.test("writeKey() writes 5,000 keys, more than it caches", () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 5_000; i++) {
      assertEquals(
        written((out) => {
          out.text("{");
          writeKey(out, `key ${i}`);
        }),
        `{"key ${i}":`,
      );
    }
  }
});

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { stringValue } from "../../lib/json/literal.ts";
import { JsonReader } from "../../lib/json/reader.ts";
import { type JsonNode, JsonObject, JsonSlice } from "../../lib/json/value.ts";
import { equalJson } from "../fixtures.ts";
import { JSON_KEY, JSON_STRING, JSON_TEXT } from "../generators.ts";
import fc from "../property_seed.ts";
import { encode } from "../running.ts";

/** Reads a JSON text. */
function read(reader: JsonReader, text: string): JsonSlice {
  const bytes = encode(`${text}\n`);
  const root = reader.read(bytes, 0, bytes.length - 1);
  assert(root !== undefined, reader.tape.problem);
  return root;
}

/** Returns the members of an object as names and source texts. */
function membersOf(reader: JsonReader, node: JsonNode): [string, string][] {
  const object = reader.members(node);
  const members: [string, string][] = [];
  for (let place = 0; place < object.size; place++) {
    const value = object.valueAt(place);
    if (!(value instanceof JsonSlice)) continue;
    members.push([object.nameAt(place), reader.source(value)]);
  }
  return members;
}

function member(reader: JsonReader, node: JsonNode, name: string): JsonSlice {
  const value = reader.members(node).get(name);
  assert(value instanceof JsonSlice, name);
  return value;
}

for (const levels of [1, 2] as const) {
  const suffix = `, with ${
    levels === 1 ? "one level" : "two levels"
  } of entries`;

  Deno.test(`JsonReader.members() returns names and values in the order of the text${suffix}`, () => {
    const reader = new JsonReader(levels);
    const root = read(reader, '{"b": 1.0 ,"10":[ ],"a":{"x" : 2}}');
    assertEquals(membersOf(reader, root), [
      ["b", "1.0"],
      ["10", "[ ]"],
      ["a", '{"x" : 2}'],
    ]);
  });

  Deno.test(`JsonReader.members() opens objects at any depth${suffix}`, () => {
    const reader = new JsonReader(levels);
    let node = read(reader, '{"a":{"a":{"a":{"a":{"a":1,"b":[1,{"c":2}]}}}}}');
    for (let level = 0; level < 4; level++) node = member(reader, node, "a");
    assertEquals(membersOf(reader, node), [["a", "1"], ["b", '[1,{"c":2}]']]);
  });

  Deno.test(`JsonReader.members() opens two deep objects at once${suffix}`, () => {
    const reader = new JsonReader(levels);
    const root = read(reader, '{"a":{"b":{"c":{"d":1},"e":{"f":2}}}}');
    const inner = member(reader, member(reader, root, "a"), "b");
    const one = member(reader, inner, "c");
    const other = member(reader, inner, "e");
    assertEquals(membersOf(reader, other), [["f", "2"]]);
    assertEquals(membersOf(reader, one), [["d", "1"]]);
  });

  Deno.test(`JsonReader.members() returns no members of values that are not objects${suffix}`, () => {
    const reader = new JsonReader(levels);
    for (const text of ["null", "1", '"x"', "true", '["a",{"b":1}]', "[]"]) {
      const value = read(reader, text);
      assertEquals(membersOf(reader, value), [], text);
      assertEquals(reader.member(value, "b"), undefined, text);
    }
    assertEquals(membersOf(reader, stringValue("x")), []);
  });

  Deno.test(`JsonReader.members() returns an opened object itself${suffix}`, () => {
    const object = new JsonObject();
    assertStrictEquals(new JsonReader(levels).members(object), object);
  });

  Deno.test(`JsonReader.members() returns a duplicate key once: the last value in the first place${suffix}`, () => {
    const reader = new JsonReader(levels);
    const root = read(reader, '{"a":1,"b":2,"a":3,"c":4,"a":5}');
    assertEquals(membersOf(reader, root), [["a", "5"], ["b", "2"], ["c", "4"]]);
  });

  Deno.test(`JsonReader.shadowed() returns the first value of a name that an object has twice${suffix}`, () => {
    const reader = new JsonReader(levels);
    const root = read(reader, '{"o":{"a":1,"b":2,"a":3,"c":4,"\\u0061":5}}');
    const object = member(reader, root, "o");
    const first = reader.shadowed(object, "a");
    assertEquals(first && reader.source(first), "1");
    assertEquals(reader.shadowed(object, "b"), undefined);
    assertEquals(reader.shadowed(object, "d"), undefined);
  });

  Deno.test(`JsonReader.elements() returns the values of a list at any depth${suffix}`, () => {
    const reader = new JsonReader(levels);
    const sources = (list: JsonSlice): string[] =>
      [...reader.elements(list)].map((element) => reader.source(element));
    const root = read(reader, '[1,"a",[2, 3],{"k":[4]}]');
    assertEquals(sources(root), ["1", '"a"', "[2, 3]", '{"k":[4]}']);
    const [, , list] = reader.elements(root);
    assert(list !== undefined);
    assertEquals(sources(list), ["2", "3"]);
    assertEquals(sources(read(reader, "[ ]")), []);
  });

  Deno.test(`JsonReader opens large and small values at once at any depth${suffix}`, () => {
    const names = Array.from({ length: 70 }, (_, i) => `"k${i}"`);
    const large = (start: number): string =>
      `{${names.map((name, i) => `${name}:${start + i}`).join()}}`;
    const list = `[${[0, 100, 200].map(large).join()},${names.join()}]`;
    const text = `{"one":{"a":${large(1000)},"b":${list},"c":{"d":5}}}`;
    const reader = new JsonReader(levels);
    const one = member(reader, read(reader, text), "one");
    const last = (node: JsonNode): string =>
      reader.source(member(reader, node, "k69"));
    const opened = reader.members(member(reader, one, "a"));
    const elements: string[] = [];
    for (const element of reader.elements(member(reader, one, "b"))) {
      const d = member(reader, member(reader, one, "c"), "d");
      assertEquals(reader.source(d), "5");
      elements.push(
        element.kind === "object" ? last(element) : reader.source(element),
      );
    }
    assertEquals(elements, ["69", "169", "269", ...names]);
    assertEquals(last(opened), "1069");
    assertEquals([opened.size, opened.nameAt(65)], [70, "k65"]);
    const again = reader.elements(read(reader, `[${names.join()}]`));
    for (let walk = 0; walk < 2; walk++) {
      assertEquals([...again].map((each) => reader.source(each)), names);
    }
  });

  Deno.test(`JsonReader reads ranges of a longer text${suffix}`, () => {
    const reader = new JsonReader(levels);
    const bytes = encode('garbage\n  {"a":"é"}  \r\ngarbage');
    const root = reader.read(bytes, 8, bytes.indexOf(0x0d));
    assert(root !== undefined);
    assertEquals(reader.source(root), '{"a":"é"}');
    assertEquals(reader.text(member(reader, root, "a")), "é");
  });

  Deno.test(`JsonReader reports the problem of a refused text and its offset${suffix}`, () => {
    const reader = new JsonReader(levels);
    const bytes = encode("x[1,]\n");
    assertEquals(reader.read(bytes, 1, 5), undefined);
    assertEquals(reader.tape.problem, '"]" stands where a value is expected');
    assertEquals(reader.tape.problemAt, 4);
  });

  Deno.test(`JsonReader.textOf() and wordOf() return texts only of strings${suffix}`, () => {
    const reader = new JsonReader(levels);
    const root = read(
      reader,
      '{"plain":"type","escaped":"t\\u0079pe","number":1,"null":null,"object":{}}',
    );
    const members = reader.members(root);
    for (const name of ["plain", "escaped"]) {
      assertEquals(reader.textOf(members.get(name)), "type", name);
      assertEquals(reader.wordOf(members.get(name)), "type", name);
    }
    for (const name of ["number", "null", "object", "none"]) {
      assertEquals(reader.textOf(members.get(name)), undefined, name);
      assertEquals(reader.wordOf(members.get(name)), undefined, name);
    }
    assertEquals(reader.textOf(stringValue("s")), "s");
    assertEquals(reader.wordOf(stringValue("s")), "s");
  });

  Deno.test(`JsonReader decodes any string like JSON.parse()${suffix}`, () => {
    fc.assert(
      fc.property(JSON_STRING, (text) => {
        const reader = new JsonReader(levels);
        const root = read(reader, `[${text}]`);
        const [value] = reader.elements(root);
        const expected: unknown = JSON.parse(text);
        assertEquals(reader.textOf(value), expected);
        assertEquals(reader.wordOf(value), expected);
      }),
      { numRuns: 500 },
    );
  });

  Deno.test(`JsonReader.members() and member() return the members of any object like JSON.parse()${suffix}`, () => {
    const objects = fc.array(fc.tuple(JSON_KEY, JSON_TEXT), { maxLength: 90 });
    fc.assert(
      fc.property(objects, fc.nat(3), (pairs, depth) => {
        const source = `{${pairs.map(([key, value]) => `${key}:${value}`)}}`;
        const reader = new JsonReader(levels);
        let node = read(
          reader,
          `${'{"x":'.repeat(depth)}${source}${"}".repeat(depth)}`,
        );
        for (let level = 0; level < depth; level++) {
          node = member(reader, node, "x");
        }

        const expected = new Map<unknown, string>();
        for (const [key, value] of pairs) {
          // A map keeps the place of the first of two keys, and the last value.
          expected.set(JSON.parse(key), value);
        }
        const members = membersOf(reader, node);
        assertEquals(members.map(([name]) => name), [...expected.keys()]);
        for (const [name, value] of members) {
          const whole: unknown = JSON.parse(expected.get(name) ?? "");
          assert(equalJson(JSON.parse(value), whole), name);
          const found = reader.member(node, name);
          assert(found instanceof JsonSlice);
          assertEquals(reader.source(found), value);
        }
      }),
      { numRuns: 300 },
    );
  });
}

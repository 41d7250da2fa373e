import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { stringValue } from "../../lib/json/literal.ts";
import { JsonReader } from "../../lib/json/reader.ts";
import { JsonTape } from "../../lib/json/tape.ts";
import { type JsonNode, JsonObject, JsonSlice } from "../../lib/json/value.ts";
import { equalJson } from "../fixtures.ts";
import { JSON_KEY, JSON_STRING, JSON_TEXT } from "../generators.ts";
import fc from "../property_seed.ts";
import { decode, encode } from "../running.ts";

/** Whether the members of an object were read, or are left on the tape. */
type Kind = "few" | "many";

/** A key in some spelling, and the value of its member. */
type Pair = readonly [key: string, value: number];

/** Names that are similar, or special in a plain object. */
const NAMES = [
  "id",
  "type",
  "item_type",
  "",
  "__proto__",
  "10",
  "é",
  "e\u0301",
  "😀",
  'a"b',
  "a\\b",
  "a",
  "ab",
  "\u0001",
  ...Array.from({ length: 80 }, (_, i) => `name${i}`),
];

/** Keys in all spellings of JSON. */
const KEY: fc.Arbitrary<string> = fc.tuple(
  fc.constantFrom(...NAMES),
  fc.nat(3),
).map(([name, way]) => {
  if (way < 2) return JSON.stringify(name);
  const escaped = [...name.split("")].map((unit, i) =>
    way === 2 && i > 0
      ? JSON.stringify(unit).slice(1, -1)
      : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  );
  const text = `"${escaped.join("")}"`;
  // A surrogate half must not be escaped alone.
  return JSON.parse(text) === name && !/\\ud[89ab]..(?!\\u)/.test(text)
    ? text
    : JSON.stringify(name);
});

const PAIRS: fc.Arbitrary<readonly Pair[]> = fc.array(
  fc.tuple(KEY, fc.nat(999)),
  { maxLength: 120 },
);

function objectOf(pairs: readonly Pair[], kind: Kind): JsonObject {
  const text = `{${pairs.map(([key, value]) => `${key}:${value}`).join()}}`;
  const bytes = encode(`${text}\n`);
  const tape = new JsonTape();
  assertEquals(tape.scan(bytes, 0, bytes.length - 1, 1), true, tape.problem);
  const valueOf = (at: number): JsonSlice =>
    new JsonSlice(
      bytes,
      tape.start(at),
      tape.end(at),
      tape.kind(at),
      false,
      -1,
    );
  if (kind === "many") {
    const count = tape.count - 1;
    return new JsonObject({ tape, bytes, entry: 0, count, valueOf });
  }
  const object = new JsonObject();
  for (let at = 1; at < tape.count; at++) {
    object.set(tape.name(at), valueOf(at));
  }
  return object;
}

function textOf(value: unknown): string | undefined {
  return value instanceof JsonSlice
    ? decode(value.bytes.subarray(value.start, value.end))
    : undefined;
}

/** The visible state of an object: its members in order, and each by its name. */
function stateOf(
  object: JsonObject,
): { readonly members: unknown; readonly named: unknown } {
  const members: unknown[] = [];
  for (let place = 0; place < object.size; place++) {
    const value = object.valueAt(place);
    if (value === undefined) continue;
    members.push([object.nameAt(place), textOf(value)]);
  }
  const named = NAMES.map((name) => [
    textOf(object.get(name)),
    object.has(name),
  ]);
  return { members, named };
}

/** A change of an object. */
interface Step {
  readonly act: "set" | "take" | "rename" | "setAll";
  readonly name: string;
  readonly to: string;
  readonly others: readonly Pair[];
  readonly otherKind: Kind;
}

const STEP: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom("set", "set", "take", "take", "rename", "setAll"),
  name: fc.constantFrom(...NAMES.slice(0, 30)),
  to: fc.constantFrom(...NAMES.slice(0, 30)),
  others: PAIRS,
  otherKind: fc.constantFrom("few", "many"),
});

/** Performs a step; other objects are of `kind`, or of the kind of the step. */
function perform(object: JsonObject, step: Step, i: number, kind?: Kind): void {
  const { act, name, to, others, otherKind } = step;
  if (act === "set") object.set(name, stringValue(`set ${i}`));
  else if (act === "take") object.take(name);
  else if (act === "rename") object.rename(name, to);
  else {
    const other = new JsonObject();
    // The object that is passed to setAll() has itself been changed.
    if (i % 2 === 0) other.set("before", stringValue(`before ${i}`));
    other.setAll(objectOf(others, kind ?? otherKind));
    other.rename(name, to);
    other.set("behind", stringValue(`behind ${i}`));
    object.setAll(other);
  }
}

Deno.test("JsonObject of members on a tape has the last value of each name in the place of the first", () => {
  const pairs: readonly Pair[] = [
    ['"a"', 1],
    ['"\\u0062"', 2],
    ['"a"', 3],
    ['"é"', 4],
    ['"\\u0061"', 5],
    ['"b"', 6],
  ];
  const object = objectOf(pairs, "many");
  assertEquals(object.size, 3);
  assertEquals([0, 1, 2].map((place) => object.nameAt(place)), ["a", "b", "é"]);
  const values = [0, 1, 2].map((place) => textOf(object.valueAt(place)));
  assertEquals(values, ["5", "6", "4"]);
});

Deno.test("JsonObject of members on a tape returns a value that replaces another", () => {
  const object = objectOf([['"a"', 1], ['"b"', 2]], "many");
  const value = stringValue("new");
  object.set("a", value);
  assertStrictEquals(object.valueAt(0), value);
  assertStrictEquals(object.get("a"), value);
  object.rename("a", "c");
  assertStrictEquals(object.get("c"), value);
  assertEquals([object.has("a"), object.nameAt(0)], [false, "c"]);
});

Deno.test("JsonObject of no members on a tape is empty", () => {
  const object = objectOf([], "many");
  assertEquals([object.size, object.has("a")], [0, false]);
  object.set("a", stringValue("x"));
  assertEquals([object.size, textOf(object.get("a"))], [1, '"x"']);
});

Deno.test("JsonObject of members on a tape behaves like one that was read, under any changes", () => {
  fc.assert(
    fc.property(PAIRS, fc.array(STEP, { maxLength: 20 }), (pairs, steps) => {
      const read = objectOf(pairs, "few");
      assertEquals(stateOf(objectOf(pairs, "many")), stateOf(read));
      const others = [objectOf(pairs, "many"), objectOf(pairs, "few")];
      steps.forEach((step, i) => {
        perform(read, step, i, "few");
        const { members, named } = stateOf(read);
        for (const other of others) {
          perform(other, step, i);
          assertEquals(stateOf(other).members, members);
          assertEquals(stateOf(other).named, named);
        }
      });
    }),
    { numRuns: 400 },
  );
});

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

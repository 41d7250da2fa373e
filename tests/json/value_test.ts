import { assert, assertEquals } from "@std/assert";
import { stringValue } from "../../lib/json/literal.ts";
import { JsonObject, JsonSlice, sameSource } from "../../lib/json/value.ts";
import fc from "../property_seed.ts";
import { decode, encode } from "../running.ts";

/** An object with the values 0, 1, ... under the given names. */
function objectOf(names: readonly string[]): JsonObject {
  const object = new JsonObject();
  names.forEach((name, i) => object.set(name, stringValue(`${i}`)));
  return object;
}

/** The members that are not removed, in order. */
function membersOf(object: JsonObject): [string, string][] {
  const members: [string, string][] = [];
  for (let place = 0; place < object.size; place++) {
    const value = object.valueAt(place);
    if (value === undefined) continue;
    members.push([object.nameAt(place), textOf(value) ?? ""]);
  }
  return members;
}

function textOf(value: unknown): string | undefined {
  return value instanceof JsonSlice
    ? JSON.parse(decode(value.bytes))
    : undefined;
}

const MANY = Array.from({ length: 40 }, (_, i) => `name${i}`);
const HOSTILE = [
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "length",
  "",
  "10",
  "2",
  "-1",
];

for (
  const { name, names } of [
    { name: "few members", names: ["a", "b", "c"] },
    { name: "the most members without an index", names: MANY.slice(0, 16) },
    { name: "one member more", names: MANY.slice(0, 17) },
    { name: "many members", names: MANY },
    {
      name: "a thousand members",
      names: Array.from({ length: 1_000 }, (_, i) => `${i}`),
    },
    { name: "hostile names", names: HOSTILE },
    { name: "hostile names among many", names: [...MANY, ...HOSTILE] },
  ] satisfies { name: string; names: string[] }[]
) {
  Deno.test(`JsonObject keeps the order of ${name}`, () => {
    const object = objectOf(names);
    assertEquals(membersOf(object), names.map((key, i) => [key, `${i}`]));
    names.forEach((key, i) => {
      assert(object.has(key));
      assertEquals(textOf(object.get(key)), `${i}`);
    });
    for (const key of ["absent", "name", "valueOf", "00"]) {
      assertEquals([object.has(key), object.get(key)], [false, undefined]);
    }
  });

  Deno.test(`JsonObject.set() replaces a member in its place: ${name}`, () => {
    const object = objectOf(names);
    object.set(names[1] ?? "", stringValue("new"));
    object.set("added", stringValue("last"));
    assertEquals(membersOf(object), [
      ...names.map((key, i) => [key, i === 1 ? "new" : `${i}`]),
      ["added", "last"],
    ]);
  });

  Deno.test(`JsonObject.take() removes a member: ${name}`, () => {
    const object = objectOf(names);
    const key = names[1] ?? "";
    assertEquals(textOf(object.take(key)), "1");
    assertEquals(object.take(key), undefined);
    assertEquals(object.take("absent"), undefined);
    assertEquals([object.has(key), object.get(key)], [false, undefined]);
    assertEquals(membersOf(object).length, names.length - 1);
  });

  Deno.test(`JsonObject.set() appends a removed member at the end: ${name}`, () => {
    const object = objectOf(names);
    const key = names[1] ?? "";
    object.take(key);
    object.set(key, stringValue("back"));
    assertEquals(membersOf(object).at(-1), [key, "back"]);
    assertEquals(membersOf(object).length, names.length);
    assertEquals(textOf(object.get(key)), "back");
  });

  Deno.test(`JsonObject.rename() changes a name in its place: ${name}`, () => {
    const object = objectOf(names);
    object.rename(names[1] ?? "", "renamed");
    assertEquals(
      membersOf(object),
      names.map((key, i) => [i === 1 ? "renamed" : key, `${i}`]),
    );
    assertEquals(object.has(names[1] ?? ""), false);
    assertEquals(textOf(object.get("renamed")), "1");
  });

  Deno.test(`JsonObject.rename() removes another member of the new name: ${name}`, () => {
    const object = objectOf(names);
    object.rename(names[0] ?? "", names[2] ?? "");
    assertEquals(membersOf(object), [
      [names[2] ?? "", "0"],
      ...names.map((key, i): [string, string] => [key, `${i}`])
        .filter((_, i) => i !== 0 && i !== 2),
    ]);
  });
}

Deno.test("JsonObject.rename() does not change the object for an absent or the same name", () => {
  const object = objectOf(["a", "b"]);
  object.rename("absent", "b");
  object.rename("a", "a");
  assertEquals(membersOf(object), [["a", "0"], ["b", "1"]]);
});

Deno.test("JsonObject.live() returns members that are not null", () => {
  const object = new JsonObject();
  object.set("null", new JsonSlice(encode("null"), 0, 4, "null", false, -1));
  object.set("empty", stringValue(""));
  assertEquals(object.live("null"), undefined);
  assert(object.has("null"));
  assertEquals(textOf(object.live("empty")), "");
  assertEquals(object.live("absent"), undefined);
});

Deno.test("sameSource() compares the texts of two values", () => {
  const slice = (text: string, start: number, end: number): JsonSlice =>
    new JsonSlice(encode(text), start, end, "string", false, -1);
  assert(sameSource(slice('"a"', 0, 3), slice('["a"]', 1, 4)));
  assert(!sameSource(slice('"a"', 0, 3), slice('"b"', 0, 3)));
  assert(!sameSource(slice('"a"', 0, 3), slice('"ab"', 0, 4)));
  assert(!sameSource(undefined, slice('"a"', 0, 3)));
});

/** A change of an object. */
interface Step {
  readonly act: "set" | "take" | "rename" | "setAll";
  readonly name: string;
  readonly to: string;
  readonly others: readonly string[];
}

Deno.test("JsonObject behaves like a list of members under any changes", () => {
  const names = fc.constantFrom(...HOSTILE, ...MANY.slice(0, 20));
  const step: fc.Arbitrary<Step> = fc.record({
    act: fc.constantFrom("set", "set", "set", "take", "rename", "setAll"),
    name: names,
    to: names,
    others: fc.uniqueArray(names),
  });
  fc.assert(
    fc.property(
      fc.nat(40),
      fc.array(step, { maxLength: 60 }),
      (size, steps) => {
        const start = MANY.slice(0, size);
        const object = objectOf(start);
        let model = start.map((name, i): [string, string] => [name, `${i}`]);
        steps.forEach(({ act, name, to, others }, i) => {
          const value = stringValue(`${i}`);
          const known = model.find(([key]) => key === name);
          if (act === "set") {
            object.set(name, value);
            if (known === undefined) model.push([name, `${i}`]);
            else known[1] = `${i}`;
          } else if (act === "take") {
            assertEquals(textOf(object.take(name)), known?.[1]);
            model = model.filter((member) => member !== known);
          } else if (act === "setAll") {
            object.setAll(objectOf(others));
            for (const [at, other] of others.entries()) {
              const member = model.find(([key]) => key === other);
              if (member === undefined) model.push([other, `${at}`]);
              else member[1] = `${at}`;
            }
          } else {
            object.rename(name, to);
            if (known !== undefined && name !== to) {
              model = model.filter(([key]) => key !== to);
              known[0] = to;
            }
          }
          assertEquals(membersOf(object), model);
          for (const [key, text] of model) {
            assertEquals(textOf(object.get(key)), text);
          }
        });
      },
    ),
    { numRuns: 300 },
  );
});

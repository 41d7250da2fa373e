/**
 * ManyMembers: an object whose members stay on the tape is no other than one that has read
 * them.
 */

import {
  assertEquals,
  assertNotStrictEquals,
  assertStrictEquals,
} from "@std/assert";
import fc from "fast-check";
import { ManyMembers, Numbers } from "../../lib/json/many_members.ts";
import { WordCache } from "../../lib/json/names.ts";
import { JsonTape } from "../../lib/json/tape.ts";
import { JsonObject, JsonSlice, JsonString } from "../../lib/json/value.ts";
import { decode, encode } from "../running.ts";

/** How an object holds the members that it was read with. */
type Kind = "few" | "many";

/** A key in some spelling, and the value of its member. */
type Pair = readonly [key: string, value: number];

/** Names that are alike, or that something could trip over. */
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

/** Spells names in all the ways that JSON has. */
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
  // Halves of a character do not stand alone.
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
  const tape = new JsonTape(new WordCache());
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
    const numbers = new Numbers();
    return new JsonObject(
      new ManyMembers(tape, bytes, 0, count, valueOf, numbers),
    );
  }
  const object = new JsonObject();
  for (let at = 1; at < tape.count; at++) {
    object.read(tape.name(at), valueOf(at));
  }
  return object;
}

function textOf(value: unknown): string | undefined {
  if (value instanceof JsonString) return value.text;
  return value instanceof JsonSlice
    ? decode(value.bytes.subarray(value.start, value.end))
    : undefined;
}

/** What can be seen of an object: its members in order, and each by its name. */
function seenOf(
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

/** Something that is done to an object. */
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

/** Does it; every object that comes in is of the kind that is asked for, if one is. */
function take(object: JsonObject, step: Step, i: number, kind?: Kind): void {
  const { act, name, to, others, otherKind } = step;
  if (act === "set") object.set(name, new JsonString(`set ${i}`));
  else if (act === "take") object.take(name);
  else if (act === "rename") object.rename(name, to);
  else {
    const other = new JsonObject();
    // What is set all at once has seen some changes itself.
    if (i % 2 === 0) other.set("before", new JsonString(`before ${i}`));
    other.setAll(objectOf(others, kind ?? otherKind));
    other.rename(name, to);
    other.set("behind", new JsonString(`behind ${i}`));
    object.setAll(other);
  }
}

Deno.test("ManyMembers are the members that the text has, the last of one name where the first is", () => {
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
  assertEquals(textOf(object.shadowed("a")), "1");
  assertEquals(textOf(object.shadowed("b")), "2");
  assertEquals(object.shadowed("é"), undefined);
  assertEquals(object.shadowed("c"), undefined);
});

Deno.test("Numbers gives room that is its taker's own until it is cleared, and empty", () => {
  const numbers = new Numbers();
  for (let round = 0; round < 3; round++) {
    const taken = [100, 7, 100, 64, 1_000, 3, 0].map((size, i) => {
      const room = numbers.take(size);
      assertEquals([...room], Array<number>(size).fill(0));
      return room.fill(i + 1);
    });
    for (const [i, room] of taken.entries()) {
      assertEquals(new Set(room), new Set(room.length === 0 ? [] : [i + 1]));
    }
    numbers.clear();
  }
});

Deno.test("Numbers uses room again, but not much of it for little", () => {
  const numbers = new Numbers();
  const { buffer } = numbers.take(1_000);
  numbers.clear();
  assertNotStrictEquals(numbers.take(10).buffer, buffer);
  assertStrictEquals(numbers.take(900).buffer, buffer);
  assertNotStrictEquals(numbers.take(900).buffer, buffer);
});

Deno.test("ManyMembers gives what was put in the place of a value", () => {
  const object = objectOf([['"a"', 1], ['"b"', 2]], "many");
  const value = new JsonString("new");
  object.set("a", value);
  assertStrictEquals(object.valueAt(0), value);
  assertStrictEquals(object.get("a"), value);
  object.rename("a", "c");
  assertStrictEquals(object.get("c"), value);
  assertEquals([object.has("a"), object.nameAt(0)], [false, "c"]);
});

Deno.test("ManyMembers are none in an empty object", () => {
  const object = objectOf([], "many");
  assertEquals([object.size, object.has("a")], [0, false]);
  object.set("a", new JsonString("x"));
  assertEquals([object.size, textOf(object.get("a"))], [1, "x"]);
});

Deno.test("ManyMembers have the first values that an object has that has read them", () => {
  fc.assert(
    fc.property(PAIRS, (pairs) => {
      const [many, few] = [objectOf(pairs, "many"), objectOf(pairs, "few")];
      for (const name of NAMES) {
        assertEquals(textOf(many.shadowed(name)), textOf(few.shadowed(name)));
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("an object with ManyMembers does what one does that has read them, whatever happens to it", () => {
  fc.assert(
    fc.property(PAIRS, fc.array(STEP, { maxLength: 20 }), (pairs, steps) => {
      const read = objectOf(pairs, "few");
      assertEquals(seenOf(objectOf(pairs, "many")), seenOf(read));
      const others = [objectOf(pairs, "many"), objectOf(pairs, "few")];
      steps.forEach((step, i) => {
        take(read, step, i, "few");
        const { members, named } = seenOf(read);
        for (const other of others) {
          take(other, step, i);
          assertEquals(seenOf(other).members, members);
          assertEquals(seenOf(other).named, named);
        }
      });
    }),
    { numRuns: 400 },
  );
});

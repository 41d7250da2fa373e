import { assert, assertEquals } from "@std/assert";
import {
  hashOfBytes,
  hashOfKey,
  hashOfName,
  NameIndex,
} from "../../lib/json/name_index.ts";
import { JSON_STRING } from "../generators.ts";
import fc from "../property_seed.ts";
import { encode } from "../running.ts";

Deno.test("NameIndex.find() distinguishes names of one hash", () => {
  const index = new NameIndex(4);
  const names = ["a", "b", "c", "d"];
  names.forEach((_, place) => index.enter(7, place));
  const find = (name: string): number =>
    index.find(7, (place) => names[place] === name);
  assertEquals(names.map(find), [0, 1, 2, 3]);
  assertEquals(find("e"), -1);
});

Deno.test("NameIndex finds each of its names, and no other", () => {
  for (const count of [0, 1, 2, 3, 17, 1_000]) {
    const index = new NameIndex(count);
    assert(index.holds(count), `${count}`);
    const names = Array.from({ length: count }, (_, i) => `name${i}`);
    names.forEach((name, place) => index.enter(hashOfName(name), place));
    for (const [place, name] of names.entries()) {
      const at = index.find(hashOfName(name), (at) => names[at] === name);
      assertEquals(at, place);
    }
    for (const name of ["", "name", "name1000", "__proto__"]) {
      const at = index.find(hashOfName(name), (at) => names[at] === name);
      assertEquals(at, -1);
    }
  }
});

Deno.test("NameIndex.holds() returns false beyond its capacity", () => {
  const index = new NameIndex(8);
  assertEquals([index.holds(8), index.holds(9)], [true, false]);
});

Deno.test("hashOfKey() of any spelling equals hashOfName() of the name", () => {
  fc.assert(
    fc.property(JSON_STRING, (key) => {
      const bytes = encode(`{${key}:1}`);
      assertEquals(hashOfKey(bytes, 1), hashOfName(JSON.parse(key)), key);
    }),
    { numRuns: 500 },
  );
});

Deno.test("hashOfName() returns more than 9,900 hashes for 10,000 names", () => {
  const hashes = new Set(
    Array.from({ length: 10_000 }, (_, i) => hashOfName(`name${i}`)),
  );
  assert(hashes.size > 9_900, `${hashes.size}`);
});

Deno.test("hashOfBytes() distinguishes keys that collide in a polynomial hash without a seed", () => {
  // "Aa" and "BB" collide with a factor of 31: 31 * "A" + "a" is 31 * "B" + "B".
  const keys = Array.from(
    { length: 1 << 12 },
    (_, i) =>
      Array.from({ length: 12 }, (_, bit) => (i >> bit) & 1 ? "Aa" : "BB"),
  );
  const hashes = new Set(keys.map((key) => hashOfBytes(encode(key.join("")))));
  assert(hashes.size > 4_000, `${hashes.size}`);
});

import { assert, assertEquals } from "@std/assert";
import { ByteMap } from "../../lib/json/byte_map.ts";
import fc from "../property_seed.ts";
import { decode, encode } from "../running.ts";

function set(map: ByteMap, key: string, value: string): void {
  // The value stands in the middle of other bytes.
  const bytes = encode(`<<${value}>>`);
  map.set(encode(key), bytes, 2, bytes.length - 2);
}

function get(map: ByteMap, key: string): string | undefined {
  const found = map.get(encode(key));
  return found === undefined
    ? undefined
    : decode(found.bytes.slice(found.start, found.end));
}

function entriesOf(map: ByteMap): (readonly [string, string])[] {
  return [...map.entries()].map(([key, value]) => [decode(key), decode(value)]);
}

const keys = fc.integer({ min: 0, max: 40 }).map((i) => `key ${i}`);
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("set" as const),
      key: keys,
      value: fc.string({ unit: "grapheme", maxLength: 300 }),
    }),
    fc.record({ kind: fc.constant("delete" as const), key: keys }),
    fc.record({ kind: fc.constant("get" as const), key: keys }),
  ),
  { maxLength: 300 },
);

Deno.test("ByteMap holds what a Map holds, in the order of setting, as long as there is room", () => {
  fc.assert(fc.property(steps, (steps) => {
    const map = new ByteMap(1 << 20);
    const expected = new Map<string, string>();
    for (const step of steps) {
      const { kind, key } = step;
      if (kind === "get") assertEquals(get(map, key), expected.get(key));
      else {
        expected.delete(key);
        if (kind === "delete") map.delete(encode(key));
        else {
          set(map, key, step.value);
          expected.set(key, step.value);
        }
      }
      assertEquals(map.size, expected.size);
    }
    assertEquals(entriesOf(map), [...expected]);
  }));
});

Deno.test("ByteMap forgets the oldest entries when it holds too much", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(keys, fc.integer({ min: 0, max: 60 }))),
    (sets) => {
      const limit = 100;
      const map = new ByteMap(limit);
      const expected = new Map<string, string>();
      for (const [key, length] of sets) {
        const value = "x".repeat(length);
        expected.delete(key);
        const used = (): number =>
          [...expected].reduce((sum, [k, v]) => sum + k.length + v.length, 0);
        for (const oldest of [...expected.keys()]) {
          if (used() + key.length + length <= limit) break;
          expected.delete(oldest);
        }
        expected.set(key, value);
        set(map, key, value);
        assertEquals(entriesOf(map), [...expected]);
      }
    },
  ));
});

Deno.test("ByteMap keeps one entry of any size", () => {
  const map = new ByteMap(10);
  set(map, "a", "1");
  set(map, "b", "x".repeat(100_000));
  assertEquals(get(map, "a"), undefined);
  assertEquals(get(map, "b")?.length, 100_000);
  set(map, "c", "2");
  assertEquals(entriesOf(map), [["c", "2"]]);
});

Deno.test("ByteMap needs room for what is there, not for what has come and gone", () => {
  const map = new ByteMap(1 << 20);
  for (let i = 0; i < 50_000; i++) {
    set(map, `key ${i}`, "x".repeat(100));
    if (i >= 10) map.delete(encode(`key ${i - 10}`));
  }
  const room = map.get(encode("key 49999"))?.bytes.length ?? Infinity;
  assertEquals(map.size, 10);
  assert(room <= 1 << 14, `${room}`);
});

Deno.test("ByteMap.get() gives what holds when the entry has been forgotten", () => {
  const map = new ByteMap(1 << 20);
  const long = "x".repeat(1 << 17);
  set(map, "a", long);
  const found = map.get(encode("a"));
  map.delete(encode("a"));
  assertEquals(map.size, 0);
  assertEquals(
    decode(found?.bytes.slice(found.start, found.end) ?? encode("")),
    long,
  );
});

Deno.test("ByteMap.clear() forgets everything, and the map goes on", () => {
  const map = new ByteMap(1 << 20);
  map.clear();
  for (let i = 0; i < 1_000; i++) set(map, `key ${i}`, `${i}`);
  map.clear();
  assertEquals([map.size, get(map, "key 1"), entriesOf(map)], [
    0,
    undefined,
    [],
  ]);
  set(map, "key 1", "one");
  assertEquals(entriesOf(map), [["key 1", "one"]]);
});

Deno.test("ByteMap tells keys of one hash, and empty ones, apart", () => {
  const map = new ByteMap(1 << 20, () => -7);
  for (const key of ["one", "two", ""]) set(map, key, `<${key}>`);
  for (const key of ["one", "two", ""]) assertEquals(get(map, key), `<${key}>`);
  map.delete(encode("one"));
  assertEquals(get(map, "one"), undefined);
  assertEquals(get(map, "two"), "<two>");
  set(map, "one", "again");
  assertEquals([get(map, "one"), get(map, "two")], ["again", "<two>"]);
});

/** Sets and deletes one key; with quadratic time that would take minutes. */
function letComeAndGo(map: ByteMap): void {
  const key = encode("key");
  const value = encode("value");
  for (let i = 0; i < 1_000_000; i++) {
    map.set(key, value, 0, value.length);
    map.delete(key);
  }
}

Deno.test("ByteMap finds its place again for a key that comes and goes beside many others", () => {
  const map = new ByteMap(1 << 20);
  for (let i = 0; i < 20_000; i++) set(map, `key ${i}`, "");
  letComeAndGo(map);
  assertEquals([map.size, get(map, "key")], [20_000, undefined]);
});

Deno.test("ByteMap gives up the room of many entries that it had once", () => {
  const map = new ByteMap(1 << 24);
  for (let i = 0; i < 300_000; i++) set(map, `key ${i}`, "");
  map.clear();
  letComeAndGo(map);
  assertEquals([map.size, get(map, "key")], [0, undefined]);
});

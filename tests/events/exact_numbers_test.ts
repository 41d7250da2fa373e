/** Counts beyond 2^53. */

import { assert, assertEquals } from "@std/assert";
import {
  readSavedCounts,
  savedCounts,
  withExactCounts,
} from "../../lib/events/exact_numbers.ts";
import type { Fields } from "../../lib/json/fields.ts";

const LARGE = 9007199254740993n;

const CASES = [
  { name: "a member", text: `{"a":${LARGE},"b":1}`, path: [] },
  { name: "a member of a member", text: `{"a":{"b":${LARGE}}}`, path: [] },
  {
    name: "a value at a path",
    text: `{"p":{"a":{"b":${LARGE}}}}`,
    path: ["p"],
  },
] satisfies { name: string; text: string; path: string[] }[];

for (const { name, text, path } of CASES) {
  Deno.test(`withExactCounts() reads numbers from the text: ${name}`, () => {
    const value: Fields = path.reduce(
      (fields, name) => fields[name],
      JSON.parse(text),
    );
    const exact = withExactCounts(value, text, path);
    const expected = JSON.stringify(
      exact,
      (_, each) => typeof each === "bigint" ? `#${each}#` : each,
    ).replace(/"#(\d+)#"/, "$1");
    assert(text.includes(expected), expected);
  });
}

Deno.test("withExactCounts() returns exact numbers, and numbers without a text, unchanged", () => {
  const small = { a: { b: 1 }, c: 1.5, d: 1e300 };
  assertEquals(withExactCounts(small, JSON.stringify(small), []), small);
  const large = { a: Number(LARGE) };
  assertEquals(withExactCounts(large, undefined, []), large);
});

Deno.test("readSavedCounts() restores savedCounts() through JSON", () => {
  const counts = { input_tokens: LARGE, output_tokens: 3 };
  const saved = JSON.parse(JSON.stringify(savedCounts(counts)));
  assertEquals(readSavedCounts(saved), counts);
});

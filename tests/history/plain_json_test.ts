/** Copies of JSON values. */

import { assert, assertEquals } from "@std/assert";
import { deepCopy } from "../../lib/history/plain_json.ts";
import fc from "../property_seed.ts";

Deno.test("deepCopy() copies every JSON value, in the same order", () => {
  fc.assert(fc.property(fc.json(), (text) => {
    const value: unknown = JSON.parse(text);
    const copy = deepCopy(value);
    assertEquals(JSON.stringify(copy), JSON.stringify(value));
    if (typeof value === "object" && value !== null) assert(copy !== value);
  }));
});

Deno.test("deepCopy() copies a value nested 200,000 deep", () => {
  let value: unknown[] = [];
  for (let depth = 0; depth < 200_000; depth++) value = [value];
  let copy: unknown = deepCopy(value);
  let depth = 0;
  while (Array.isArray(copy) && copy.length > 0) {
    copy = copy[0];
    depth += 1;
  }
  assertEquals(depth, 200_000);
});

import { assertEquals } from "@std/assert";
import { shortIds } from "../../lib/sessions/short_ids.ts";
import fc from "../property_seed.ts";

Deno.test("shortIds() returns beginnings of one id each, without a dash at the end", () => {
  const ids = fc.array(
    fc.tuple(
      fc.constantFrom("01a1f99d-5874", "01a1f99d-59ba", "ad79bfaa-60af"),
      fc.constantFrom(..."01a"),
      fc.constantFrom(..."01a"),
    ).map(([start, one, two]) => `${start}-${one}000-${two}000`),
    { maxLength: 20 },
  );
  fc.assert(fc.property(ids, (ids) => {
    const short = shortIds(ids);
    assertEquals(new Set(short.keys()), new Set(ids));
    for (const [id, start] of short) {
      const meant = [...short.keys()].filter((each) => each.startsWith(start));
      assertEquals(meant, [id]);
      assertEquals(start.endsWith("-"), false);
    }
  }));
});

Deno.test("shortIds() separates an id from a longer one that begins with it", () => {
  assertEquals([...shortIds(["abcdefgh", "abcdefghij", ""])], [
    ["abcdefgh", "abcdefgh"],
    ["abcdefghij", "abcdefghi"],
  ]);
});

Deno.test("shortIds() returns at least 8 characters", () => {
  const ids = [
    "01a1f99d-5874-7011-9c38-b543d19d65ba",
    "01a1f99d-59ba-74e2-9e5b-cff8d18bab72",
    "ad79bfaa-60af-4fa9-81ca-427559113a4c",
  ];
  const expected = ["01a1f99d-58", "01a1f99d-59", "ad79bfaa"];
  assertEquals([...shortIds(ids).values()], expected);
});

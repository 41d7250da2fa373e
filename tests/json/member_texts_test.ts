/** Tests the texts of members. */

import { assertEquals } from "@std/assert";
import { memberTexts, soleMemberText } from "../../lib/json/member_texts.ts";

Deno.test("memberTexts() gives what JSON.parse does not tell: spelling, order, doubled names", () => {
  const text =
    '{"a":{"z":1.0,"10":9007199254740993,"2": [ 1 ],"\\u007a":-0.0,"__proto__":null}}';
  assertEquals([...memberTexts(text, ["a"])], [
    ["z", "-0.0"],
    ["10", "9007199254740993"],
    ["2", "[ 1 ]"],
    ["__proto__", "null"],
  ]);
});

Deno.test("memberTexts() gives nothing where no object is", () => {
  for (
    const [text, path] of [
      ["", []],
      ["{", []],
      ["[1]", []],
      ['{"a":1}', ["a"]],
      ['{"a":{}}', ["b"]],
      ['{"a":{}}', ["a", "b"]],
      ['{"a":null} x', []],
    ] as const
  ) assertEquals([...memberTexts(text, path)], [], text);
});

Deno.test("memberTexts() finds objects at any depth", () => {
  const deep = '{"a":'.repeat(50) + '{"n":1e2}' + "}".repeat(50);
  assertEquals([...memberTexts(deep, new Array(50).fill("a"))], [["n", "1e2"]]);
});

Deno.test("memberTexts() does not depend on the texts before", () => {
  const texts = [
    '{"a":{"b":1.0}}',
    "{",
    `{"a":{"b":"${"x".repeat(1 << 17)}"}}`,
    '{"a":{"c":2e0}}',
  ];
  const seen = [...texts, ...texts].map((
    text,
  ) => [...memberTexts(text, ["a"])]);

  assertEquals(seen.slice(0, 4), seen.slice(4));
  assertEquals(seen[3], [["c", "2e0"]]);
});

const SPELLED = '{"a":{"b":"\\\\\\"x\\":","x":{"n":1.0,"t":"\\"}"}},"y":5}';

Deno.test("soleMemberText() gives a member by its name alone, and never a wrong one", () => {
  assertEquals(soleMemberText(SPELLED, "x"), '{"n":1.0,"t":"\\"}"}');
  for (
    const [name, text] of [
      ["x", `[${SPELLED},${SPELLED}]`],
      ["x", '{"a\\"x":{}}'],
      ["x", '{"x" :{}}'],
      ["x", '{"x"\t:{"x":{}}}'],
      ["x", String.raw`{"a":{"x":{}},"\u0078":{}}`],
      ["y", SPELLED],
      ["z", SPELLED],
      ["x", '{"a":"x"}'],
    ] as const
  ) assertEquals(soleMemberText(text, name), undefined, text);
});

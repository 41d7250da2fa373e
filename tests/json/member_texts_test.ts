/** The JSON texts of members. */

import { assertEquals } from "@std/assert";
import { memberTexts, soleMemberText } from "../../lib/json/member_texts.ts";

Deno.test("memberTexts() keeps the spelling of numbers, the order of names, and the last duplicate", () => {
  const text =
    '{"a":{"z":1.0,"10":9007199254740993,"2": [ 1 ],"\\u007a":-0.0,"__proto__":null}}';
  assertEquals([...memberTexts(text, ["a"])], [
    ["z", "-0.0"],
    ["10", "9007199254740993"],
    ["2", "[ 1 ]"],
    ["__proto__", "null"],
  ]);
});

Deno.test("memberTexts() returns no member if the path has no object", () => {
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
  const members = [...texts, ...texts].map((
    text,
  ) => [...memberTexts(text, ["a"])]);

  assertEquals(members.slice(0, 4), members.slice(4));
  assertEquals(members[3], [["c", "2e0"]]);
});

const SPELLED = '{"a":{"b":"\\\\\\"x\\":","x":{"n":1.0,"t":"\\"}"}},"y":5}';

Deno.test("soleMemberText() returns the only object of a name, and undefined if it is not certain", () => {
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

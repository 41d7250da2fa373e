/** Price lists, and the cost of rows. */

import { assertEquals, assertThrows } from "@std/assert";
import { decimalText } from "../../lib/usage/prices.ts";
import { NO_TOKENS, tokensOf } from "../../lib/usage/tokens.ts";
import { PriceList, type UsageRow } from "../../lib/usage/usage.ts";

const WRITTEN = [
  [0n, 18, undefined, "0"],
  [1n, 3, undefined, "0.001"],
  [1500n, 3, undefined, "1.5"],
  [1000n, 3, undefined, "1"],
  [12_344n, 3, 2, "12.34"],
  [12_345n, 3, 2, "12.35"],
  [999_995n, 5, 4, "10.0000"],
  [5n, 3, 4, "0.005"],
  [7n, 0, undefined, "7"],
] satisfies [bigint, number, number | undefined, string][];

for (const [units, scale, places, expected] of WRITTEN) {
  Deno.test(`decimalText() writes ${units} of 10^-${scale} to ${places ?? "all"} places as ${expected}`, () => {
    assertEquals(decimalText(units, scale, places), expected);
  });
}

function row(model: string | null, factor = 1n): UsageRow {
  const numbers = {
    input_tokens: 1200n,
    cached_input_tokens: 1000n,
    cache_write_input_tokens: 50n,
    output_tokens: 60n,
    reasoning_output_tokens: 20n,
  };
  return {
    ...tokensOf((kind) => numbers[kind] * factor),
    source: "f",
    thread_id: "t",
    parent_thread_id: null,
    turn_id: "1",
    model,
    cwd: null,
    day: null,
  };
}

const LISTS = [
  {
    name: "a list with input and output alone",
    text: '{"m":{"input":2,"output":10}}',
    amount: "0.003",
  },
  {
    name: "a list with every price",
    text:
      '{"m":{"input":2,"cached_input":0.2,"cache_write_input":3,"output":10,"reasoning_output":11.5}}',
    // (150 × 2 + 1000 × 0.2 + 50 × 3 + 40 × 10 + 20 × 11.5) / 1,000,000
    amount: "0.00128",
  },
  {
    name: "a list with decimals that have no binary fraction",
    text: '{"m":{"input":0.1,"cached_input":0.3,"output":0.000000000001}}',
    amount: "0.00032000000000006",
  },
  {
    name: "prices of any other model",
    text: '{"n":{"input":1,"output":1},"*":{"input":2,"output":10}}',
    amount: "0.003",
  },
] satisfies { name: string; text: string; amount: string }[];

for (const { name, text, amount } of LISTS) {
  Deno.test(`PriceList reads ${name}`, () => {
    const cost = PriceList.parse(text).costOf([row("m")]);
    assertEquals(cost.amount, amount);
    assertEquals(cost.unpriced.size, 0);
    assertEquals(cost.isKnown, true);
  });
}

const WRONG = [
  ['{"m":{"input":2}}', 'model "m" has no price for output'],
  ['{"m":{"input":"x","output":1}}', "input of model"],
  ['{"m":{"input":"","output":1}}', "input of model"],
  ['{"m":{"input":-1,"output":1}}', "input of model"],
  ['{"m":{"input":1,"output":1,"outputs":1}}', 'unknown price "outputs"'],
  ['{"m":5}', 'model "m" has no prices'],
  ["[]", "it is a list"],
  ["{", "JSON"],
  ["model,input,output\nm,1,1\n", "JSON"],
] satisfies [string, string][];

for (const [text, message] of WRONG) {
  Deno.test(`PriceList refuses ${JSON.stringify(text)}`, () => {
    assertThrows(() => PriceList.parse(text), SyntaxError, message);
  });
}

Deno.test("PriceList does not mistake names of prototypes for models", () => {
  const list = PriceList.parse('{"__proto__":{"input":1,"output":1}}');
  assertEquals(list.costOf([row("constructor")]).isKnown, false);
  assertEquals(list.costOf([row("__proto__")]).isKnown, true);
});

Deno.test("PriceList reports the tokens of models without a price", () => {
  const list = PriceList.parse('{"m":{"input":1,"output":1}}');
  const cost = list.costOf([row("m"), row("n"), row("n"), row(null)]);
  assertEquals([...cost.unpriced], [["n", 2520n], [null, 1260n]]);
  assertEquals([cost.amount, cost.rounded], ["0.00126", "0.0013"]);
  assertEquals(list.costOf([row("n")]).isKnown, false);
  assertEquals(list.costOf([]).isKnown, true);
});

Deno.test("PriceList reads prices as decimals, not as binary fractions", () => {
  for (const price of ["15000.3", "999999999.1", "0.0000001", "1234.56"]) {
    const list = PriceList.parse(`{"m":{"input":${price},"output":0}}`);
    const tokens = { ...row("m"), ...NO_TOKENS, input_tokens: 1_000_000n };
    assertEquals(list.costOf([tokens]).amount, price);
  }
});

Deno.test("PriceList is exact beyond the integers of a double", () => {
  const list = PriceList.parse('{"m":{"input":0.000001,"output":0}}');
  assertEquals(
    list.costOf([row("m", 10n ** 15n)]).amount,
    "1200000",
  );
});
